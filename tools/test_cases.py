# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks a case up in a file of tests. The checks of what we say and claim stand on it."""
import re


def missing(top, file, case):
    """What is wrong with a case that is named as the proof of something; None: it is there."""
    path = top / file
    if not path.exists():
        return f"there is no {file}"
    begin = r"\bdef\s+" if path.suffix == ".py" else r"^(?:TYPED_)?TEST\w*\(\s*\w+,\s*"
    if not re.search(rf"{begin}{re.escape(case)}\b", path.read_text(encoding="utf-8"), re.M):
        return f"{file} has no case {case}"
    return None
