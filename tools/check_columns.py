#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a line is too long: of C, C++ and assembly, comments too, above 100 columns; else 120.

What stands between clang-format off and on is laid out by hand, and is asked for 120.

usage: check_columns.py [ROOT]
"""
import re

import project

C_COLUMNS, OTHER_COLUMNS = 100, 120
C_LIKE = project.C_LIKE | {".S"}
OTHERS = {".py", ".sh", ".cmake", ".go", ".rs"}
BY_HAND = re.compile(r"clang-format (on|off)")


def main():
    top = project.root()
    bad = []
    for path in project.files(top, suffixes=C_LIKE | OTHERS):
        by_hand = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if switch := BY_HAND.search(line):
                by_hand = switch[1] == "off"
            most = C_COLUMNS if path.suffix in C_LIKE and not by_hand else OTHER_COLUMNS
            if len(line) > most:
                bad.append(f"{path.relative_to(top)}:{number}: {len(line)} columns; at most {most}")
    project.finish(bad)


main()
