#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the pages that are installed, with links that lead to what is installed.

HEADERS is where the folder of include/weft lies, from the folder in which the pages are installed. What a
page links to and is not installed is named, without a link.
usage: installed_pages.py DIRECTORY HEADERS PAGE...
"""
import os
import pathlib
import re
import shutil
import sys

import pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
# What cmake/install.cmake puts beside the pages by itself.
BESIDE = {"LICENSE": "copyright", "NOTICE": "NOTICE"}


def installed(name, headers, there):
    """Where a file or folder of the tree is, from where the pages are; None: it is not installed."""
    if name in BESIDE:
        return BESIDE[name]
    if name == "examples" or name.startswith("examples/"):
        return name
    if name == "include/weft" or name.startswith("include/weft/"):
        return os.path.join(headers, name.removeprefix("include/"))
    return name if name in there else None


def page(name, headers, there):
    """The text of a page, as it is installed."""
    folder = os.path.dirname(name)
    up = "../" * len(pathlib.PurePath(folder).parts)

    def follow(match):
        link = match[3].partition("#")[0]
        if not link or pages.ELSEWHERE.match(link):
            return match[0]
        linked = os.path.normpath(os.path.join(folder, link))
        place = installed(linked, headers, there)
        if place == linked:
            return match[0]
        return match[2] if place is None else f"{match[1]}[{match[2]}]({up}{place})"

    text, parts, end = (ROOT / name).read_text(encoding="utf-8"), [], 0
    for fenced in pages.FENCED.finditer(text):
        parts += [LINK.sub(follow, text[end:fenced.start()]), fenced[0]]
        end = fenced.end()
    return "".join(parts) + LINK.sub(follow, text[end:])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    folder, headers, names = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    there = set(names) | {str(p) for n in names for p in pathlib.PurePath(n).parents}
    shutil.rmtree(folder, ignore_errors=True)  # pages that are no more
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            (folder / name).write_text(page(name, headers, there), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / name, folder / name)


main()
