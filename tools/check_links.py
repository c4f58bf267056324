#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a page or a comment names a file or a heading that does not exist.

Looks at the relative links of *.md, and in *.md and C and C++ files at names such as
docs/design/... or sched/... that end like a file of ours.
usage: check_links.py [ROOT]
"""
import re

import pages
import project

SUFFIX = r"\.(?:hpp|cpp|h|c|S|md|py|txt|cmake|toml|map)"


def names(top):
    """A pattern for file names as our texts write them, from the top level or from src/."""
    layers = [p.name for p in (top / "src").glob("*") if p.is_dir()]
    folders = "|".join(sorted({*project.FOLDERS, *layers} - {".ci"}))
    return re.compile(rf"(?<![\w./<>*-])(?:{folders})/[\w./-]*?{SUFFIX}(?![\w/*{{<-])")


def main():
    top = project.root()
    pattern, bad = names(top), []
    for path in project.files(top, suffixes=project.C_LIKE | {".S", ".md"}):
        text = path.read_text(encoding="utf-8")
        for name in dict.fromkeys(pattern.findall(text)):
            places = top / name, top / "src" / name, top / "include" / name
            if not any(p.exists() for p in places):
                number = text[:text.index(name)].count("\n") + 1
                bad.append(f"{path.relative_to(top)}:{number}: there is no {name}")
        if path.suffix == ".md":
            bad += [f"{path.relative_to(top)}: {problem}" for problem in pages.dead_links(path)]
    project.finish(bad)


main()
