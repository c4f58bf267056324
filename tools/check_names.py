#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a page names a function, a type or an option of Weft that does not exist.

Looks in *.md at words that begin with weft_ or WEFT_; one that ends in _ or is followed by * or ...
stands for all that begin so.
usage: check_names.py [ROOT]
"""
import re

import project

NAME = re.compile(r"(?<![\w./-])(weft_\w+|WEFT_\w+)")
# Where names come from.
FOLDERS = "src", "include", "front", "cmake", "tools", "tests", "bench", "packaging"


def main():
    top = project.root()
    known = set()
    for path in [*project.files(top, *FOLDERS), top / "CMakeLists.txt"]:
        known.add(path.stem)
        if path.suffix != ".md" and path.exists():
            known |= set(NAME.findall(path.read_text(encoding="utf-8")))
    bad = []
    for path in project.files(top, suffixes={".md"}):
        text = path.read_text(encoding="utf-8")
        for match in NAME.finditer(text):
            name, after = match[1], text[match.end():match.end() + 3]
            begins = name.endswith("_") or after[:1] == "*" or after == "..."
            if name in known or (begins and any(k.startswith(name) for k in known)):
                continue
            line = text.count("\n", 0, match.start()) + 1
            bad.append(f"{path.relative_to(top)}:{line}: there is no {name}")
    project.finish(bad)


main()
