#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a source or script does not begin with its licence and a line that says what it is for.

usage: check_licence.py [ROOT]
"""
import re

import project

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SUFFIXES = project.C_LIKE | {".S", ".py", ".sh", ".go", ".cmake", ".map", ".toml"}
# A comment (or docstring) that says something: three words at least.
SAYS = re.compile(r'^(//+|#+|/?\*|""")\s*\S+\s+\S+\s+\S+')


def is_source(path):
    if path.suffix in SUFFIXES or path.name == "CMakeLists.txt":
        return True
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def main():
    top = project.root()
    bad = []
    for path in filter(is_source, project.files(top)):
        lines = path.read_text(encoding="utf-8").splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or LICENCE not in lines[0]:
            bad.append(f"{path.relative_to(top)}: the first line must hold {LICENCE}")
        elif len(lines) < 2 or not SAYS.match(lines[1]):
            bad.append(f"{path.relative_to(top)}: the next line must say what it is for")
    project.finish(bad)


main()
