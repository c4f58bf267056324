# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of the source tree that was measured."""
import subprocess

from weft_cli import place


def _git(*arguments):
    """What git says of the tree; None where it is no repository's. An archive of it may lie within another's."""
    return _run(*arguments) if place.TREE is not None and _run("rev-parse", "--show-cdup") == "" else None


def _run(*arguments):
    try:
        done = subprocess.run(["git", "-C", place.TREE, *arguments], capture_output=True, encoding="utf-8",
                              errors="replace")
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit():
    """The commit that the tree stands at; None where git knows of none."""
    return _git("rev-parse", "HEAD")


def dirty():
    """Whether files that git follows differ from that commit; None where git knows of none."""
    state = _git("status", "--porcelain", "--untracked-files=no")
    return None if state is None else bool(state)
