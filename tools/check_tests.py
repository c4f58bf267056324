#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a file of src/lockfree is not tested as lock-free code must be.

A header with atomics is included by a model, by a stress test and stands in
tests/model/mutations.txt. Every header is included by a unit test, unless it has no atomics and
serves another header of the folder, whose tests are its own.
usage: check_tests.py [ROOT]
"""
import project


def including(top, folder, header):
    """Whether a file below the folder includes the header by name."""
    line = f'#include "{header}"'
    return any(line in p.read_text(encoding="utf-8") for p in project.files(top, folder, suffixes=project.C_LIKE))


def main():
    top = project.root()
    table = top / "tests/model/mutations.txt"
    mutated = table.read_text(encoding="utf-8").split() if table.exists() else []
    bad = []
    for path in project.files(top, "src/lockfree", suffixes={".hpp"}):
        header = str(path.relative_to(top / "src"))
        folders = {"unit": "tests/unit"}
        if '#include "base/atomic.hpp"' not in path.read_text(encoding="utf-8"):
            if including(top, "src/lockfree", header):
                continue
        else:
            folders |= {"model": "tests/model", "stress": "tests/stress"}
            if header not in mutated and f"src/{header}" not in mutated:
                bad.append(f"src/{header}: does not stand in tests/model/mutations.txt")
        for kind, folder in folders.items():
            if not including(top, folder, header):
                bad.append(f"src/{header}: no {kind} test includes it ({folder})")
    project.finish(bad)


main()
