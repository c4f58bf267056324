#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a lock that lives as long as the process is not made anew in a child of fork().

A thread that is not in the child may have held it (docs/design/0008-life-cycle.md). The file that has the
lock has to have `std::construct_at(&lock)` or `new (&lock)`, in a function that the child calls; or handlers of
pthread_atfork, by which who forks has it (front/qthreads/src/fork_handlers.hpp).
usage: check_fork_locks.py [ROOT]
"""
import re

import project

LOCK = re.compile(r"^(?:inline |static |constinit )*(?:std::\w*mutex|spin_lock) (\w+)[;{]", re.M)


def main():
    top = project.root()
    bad = []
    for path in project.files(top, "src", "front", suffixes=project.C_LIKE):
        text = path.read_text()
        for found in LOCK.finditer(text):
            lock = found.group(1)
            anew = re.search(rf"(construct_at\(|new \()&{lock}\)", text)
            if not anew and not re.search(r"\bpthread_atfork\(|\bfork_handlers \w+\{", text):
                line = text.count("\n", 0, found.start()) + 1
                bad.append(f"{path.relative_to(top)}:{line}: `{lock}` is not made anew in a child of fork()")
    project.finish(bad)


main()
