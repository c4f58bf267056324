#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a public function lacks a field of its comment block; docs/style.md shows the block.

Reads the functions that include/weft/*.h declares or defines. Of a wait that a canceller can end
@return says -ECANCELED, or "as" another function's. Whether the page that Source: names exists is for
check_links.py to see.
usage: check_docs.py [ROOT]
"""
import re

import doc_blocks
import project

# Whose waits a canceller ends (weft/cancel.h). A try form may park as what it calls does.
CANCELLED = {"lock.h", "sync.h", "channel.h", "select.h", "word.h", "fd.h", "time.h"}


def check_function(function):
    """Yield what is wrong with the block of one function."""
    if not function.block:
        yield "has no comment block of /// lines"
        return
    documented = [name for name, text in function.documented if text]
    if documented != function.parameters:
        said = ", ".join(documented) or "none"
        yield f"@param names {said}; the parameters are {', '.join(function.parameters) or 'none'}"
    if function.returns != "void" and not function.result:
        yield "has no @return"
    for field in doc_blocks.FIELDS:
        if not function.fields.get(field):
            yield f"has no {field}:"
    if function.block.startswith("@"):
        yield "does not begin with a sentence"


def hides_cancel(function):
    """Whether it may wait, and its @return neither has -ECANCELED nor refers to one that has."""
    return (function.may_park and "_try_" not in function.name
            and not re.search(r"-ECANCELED|\bas weft_", function.result))


def main():
    top = project.root()
    bad = []
    for path in project.files(top, "include/weft", suffixes={".h"}):
        header = doc_blocks.read_header(path, path.name)
        where = path.relative_to(top)
        for line, block in header.variables:
            if "Source:" not in block:
                bad.append(f"{where}:{line}: a public variable needs a /// block with Source:")
        for function in header.functions:
            bad += [f"{where}:{function.line}: {function.name}: {problem}"
                    for problem in check_function(function)]
            if header.name in CANCELLED and hides_cancel(function):
                bad.append(f"{where}:{function.line}: {function.name}: @return lacks -ECANCELED")
    project.finish(bad)


main()
