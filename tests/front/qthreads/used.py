# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail, with a line for each, when no test here uses something that the Qthreads headers declare.

    used.py INCLUDE_FOLDER
"""
import pathlib
import re
import sys

import declared


def main(include):
    tests = sorted(pathlib.Path(__file__).parent.glob("*_test.cpp"))
    words = set()
    for test in tests:
        words.update(re.findall(r"\w+", declared.without_comments(test.read_text())))
    names = {name for kind in (declared.functions_in, declared.compiled_in)
             for name in declared.all_of(include, kind)}
    missing = sorted(names - words)
    for name in missing:
        print(f"{name}: no test of tests/front/qthreads uses it")
    print(f"{len(names)} names, {len(tests)} tests")
    sys.exit(1 if missing or not tests or len(names) < 100 else 0)


main(*sys.argv[1:])
