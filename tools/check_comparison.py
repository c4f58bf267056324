#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when docs/comparison.md says yes of Weft without a test that exists, or is not made anew.

usage: check_comparison.py [ROOT]
"""
import comparison
import project


def main():
    top = project.root()
    if not (top / comparison.DATA).exists():
        project.finish([])
    bad = list(comparison.problems(top))
    path = top / comparison.PAGE
    if not bad and (not path.exists() or path.read_text(encoding="utf-8") != comparison.page(top)):
        bad.append(f"{comparison.PAGE} is stale: run tools/comparison.py")
    project.finish(bad)


main()
