# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the atomic accesses and fences of a file, and the comment that belongs to each."""
import re
from typing import NamedTuple

ACCESS = re.compile(
    r"(?:\.|->)(?P<operation>load|load_own|store|exchange|cas|cas_weak|add|sub|fetch_\w+?)"
    r"_(?P<order>relaxed|acquire|release|acq_rel|seq_cst)\s*\(")
# The three barriers of a Dekker pair; `heavy` is what algorithms call the process-wide one.
FENCE = re.compile(
    r"(?<!void )\b(?P<operation>fence_seq_cst|fence_light|os::membarrier|heavy)\s*\(\s*\)")


class access(NamedTuple):
    line: int  # from 0
    start: int  # column of the match
    end: int
    operation: str
    order: str  # "fence" for a fence
    comment: str


def code_of(line):
    return line.partition("//")[0]


def comment_of(line):
    return line.partition("//")[2].strip()


def comment_at(lines, i):
    """The comment of the statement on line i: on its lines, else in the comment lines just above.

    Comment lines that continue it far to the right belong to it as well.
    """
    last = i
    while last + 1 < len(lines) and not re.search(r"[;{}]\s*$", code_of(lines[last])):
        if not lines[last + 1].strip():
            break
        last += 1
    text = " ".join(comment_of(line) for line in lines[i:last + 1]).strip()
    if text:
        while last + 1 < len(lines) and re.match(r"^\s{20,}//", lines[last + 1]):
            last += 1
            text += " " + comment_of(lines[last])
        return text
    above = []
    while i > 0 and lines[i - 1].strip().startswith("//"):
        i -= 1
        above.insert(0, comment_of(lines[i]))
    return " ".join(above)


def accesses(text):
    """Yield every access and fence of a file's text, in order."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        code = code_of(line)
        for match in ACCESS.finditer(code):
            yield access(i, *match.span(), *match.group("operation", "order"), comment_at(lines, i))
        for match in FENCE.finditer(code):
            yield access(i, *match.span(), match["operation"], "fence", comment_at(lines, i))
