#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when #if stands in a folder of src/ other than base/, arch/ and os/.

Elsewhere `if constexpr (build::...)` keeps both branches compiled.
usage: check_ifs.py [ROOT]
"""
import re

import project

CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef)\b")
ALLOWED = {"base", "arch", "os"}


def main():
    top = project.root()
    bad = []
    for path in project.files(top, "src", suffixes=project.C_LIKE | {".S"}):
        name = path.relative_to(top)
        if name.parts[1] in ALLOWED:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if CONDITION.match(line):
                bad.append(f"{name}:{number}: only base/, arch/ and os/ have #if: {line.strip()}")
    project.finish(bad)


main()
