#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a sentence of docs/guide is not in tests/docs/claims.txt, or what that says of it is
gone, or the sentence is not the one that somebody looked at with the tests named there beside it.

usage: check_claims.py [ROOT]
       check_claims.py --seen LINE|new... [ROOT]

The second form says that you have looked at the sentences of these lines of the table (`new`: all
that have no digest yet) and that what stands below shows them.
"""
import sys

import claims
import project


def main():
    seen = None
    if "--seen" in sys.argv[1:]:
        at = sys.argv.index("--seen")
        seen = [w for w in sys.argv[at + 1:] if w.isdecimal() or w == "new"]
        if not seen:
            sys.exit("check_claims: --seen wants numbers of lines of tests/docs/claims.txt, or new")
        sys.argv[at:] = [w for w in sys.argv[at + 1:] if w not in seen]
    top = project.root()
    if not (top / claims.TABLE).exists():
        project.finish([])
    project.finish(list(claims.problems(top)) if seen is None else claims.see(top, seen))


main()
