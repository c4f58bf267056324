#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when an #include goes up or sideways: tools/layers.txt says what each folder may include.

Also: include/ includes only itself, front/ only include/weft and itself, tests/api, tests/cpp and
tests/support only include/weft, tests/support and themselves, and an #include inside src/ names its
file from src/ ("sched/task.hpp").
usage: check_layers.py [ROOT]
"""
import re

import project

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# A header without functions may be allowed alone.
PUBLIC = {"weft/types.h": "types", "weft/case.h": "types"}
SUFFIXES = project.C_LIKE | {".S"}


def read_layers(path):
    """The table as {folder: allowed folders}, and what is wrong with it."""
    allowed, bad = {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        name, _, below = line.partition("#")[0].partition(":")
        name, below = name.strip(), set(below.split())
        if not name:
            continue
        if name in allowed:
            bad.append(f"{path}:{number}: {name} stands here twice")
        for unknown in sorted(below - set(allowed) - {"public", "types"}):
            bad.append(f"{path}:{number}: {unknown} does not stand above {name}")
        allowed[name] = below
    return allowed, bad


def includes(top, folder):
    """Yield (file, line number, bracket, name) of each #include below a folder."""
    for file in project.files(top, folder, suffixes=SUFFIXES):
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield file.relative_to(top), line, *match.groups()


def check_src(top, allowed):
    for file, line, bracket, name in includes(top, "src"):
        here = file.parts[1]
        there = PUBLIC.get(name, "public") if name.startswith("weft/") else name.split("/")[0]
        if here not in allowed:
            yield f"{file}:{line}: tools/layers.txt has no line for {here}/"
        elif bracket == "<" and not name.startswith("weft/"):
            continue
        elif ".." in name or "/" not in name:
            yield f'{file}:{line}: "{name}" must name its file from src/'
        elif there != here and there not in allowed[here]:
            yield f"{file}:{line}: {here}/ may not include {there}/: {name}"


def check_outside(top):
    for file, line, bracket, name in includes(top, "include"):
        if bracket == '"' and not name.startswith("weft/"):
            yield f"{file}:{line}: include/ may only include itself: {name}"
    for file, line, bracket, name in includes(top, "front"):
        inside = (top / file).parent.joinpath(name), top / "front" / name
        if bracket == '"' and not any(p.exists() for p in inside):
            yield f"{file}:{line}: front/ may only include <weft/...> and itself: {name}"
    for folder in "tests/api", "tests/cpp", "tests/support":
        for file, line, bracket, name in includes(top, folder):
            inside = (top / file).parent.joinpath(name).exists() or name.startswith("support/")
            if bracket == '"' and not inside:
                yield f"{file}:{line}: {folder} sees <weft/...> alone: {name}"


def main():
    top = project.root()
    allowed, bad = read_layers(top / "tools/layers.txt")
    project.finish(bad + list(check_src(top, allowed)) + list(check_outside(top)))


main()
