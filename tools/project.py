# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks share: where the tree is, which files are ours, how problems are printed."""
import pathlib
import sys

FOLDERS = ["src", "include", "front", "tests", "bench", "tools", "cmake", "docs", ".ci",
           "packaging", "examples"]
C_LIKE = {".h", ".hpp", ".c", ".cpp"}


def root():
    """The tree to check: the first argument, else the one this file stands in."""
    if len(sys.argv) > 2:
        sys.exit(f"usage: {sys.argv[0]} [ROOT]")
    return pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else __file__ + "/../..").resolve()


def files(top, *folders, suffixes=None):
    """All files below these folders (default: all of ours and the top level), sorted."""
    found = [p for f in folders or FOLDERS for p in (top / f).rglob("*") if p.is_file()]
    if not folders:
        found += [p for p in top.iterdir() if p.is_file()]
    return sorted(
        p for p in found
        if "__pycache__" not in p.parts and (suffixes is None or p.suffix in suffixes)
    )


def finish(problems):
    """Print one line per problem and leave with the exit status."""
    name = pathlib.Path(sys.argv[0]).stem
    for problem in problems:
        print(f"{name}: {problem}")
    sys.exit(1 if problems else 0)
