#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a public function lacks a field of its comment block; docs/style.md shows the block.

Reads the WEFT_API declarations of include/weft/*.h. Whether the page that Source: names exists is
for check_links.py to see.
usage: check_docs.py [ROOT]
"""
import re

import project

DECLARATION = re.compile(r"^WEFT_API\s+([^;]*);", re.M)
FIELDS = ["Context", "Blocks", "Order", "Owns", "Source"]
ATTRIBUTE = re.compile(r"\b(WEFT_(?!API)[A-Z_]+|__attribute__\s*\(\(.*?\)\))")


def split_parameters(text):
    """Split at the commas that stand in no bracket."""
    depth, parts = 0, [""]
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [p.strip() for p in parts if p.strip() not in ("", "void")]


def parameter_name(text):
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", text)
    return pointer[1] if pointer else re.findall(r"\w+", re.sub(r"\[.*?\]", "", text))[-1]


def parse(declaration):
    """(return type, function, parameter names), or None for a variable."""
    text = " ".join(ATTRIBUTE.sub("", declaration).split())
    match = re.match(r"(.*?)(\w+)\s*\((.*)\)$", text)
    if not match:
        return None
    names = [parameter_name(p) for p in split_parameters(match[3])]
    return match[1].strip(), match[2], names


def block_above(text, position):
    lines = []
    for line in reversed(text[:position].splitlines()):
        if not line.startswith("///"):
            break
        lines.insert(0, line[3:].strip())
    return "\n".join(lines)


def check_block(block, returns, names):
    """Yield what is wrong with the block of one function."""
    if not block:
        yield "has no comment block of /// lines"
        return
    documented = re.findall(r"^@param\s+(\w+)\s+\S", block, re.M)
    if documented != names:
        said, wanted = ", ".join(documented) or "none", ", ".join(names) or "none"
        yield f"@param names {said}; the parameters are {wanted}"
    if returns != "void" and not re.search(r"^@return\s+\S", block, re.M):
        yield "has no @return"
    for field in FIELDS:
        if not re.search(rf"(^|\s){field}:\s+\S", block, re.M):
            yield f"has no {field}:"
    if block.split("\n")[0].startswith("@"):
        yield "does not begin with a sentence"


def main():
    top = project.root()
    bad = []
    for path in project.files(top, "include/weft", suffixes={".h"}):
        text = path.read_text()
        for match in DECLARATION.finditer(text):
            where = f"{path.relative_to(top)}:{text.count(chr(10), 0, match.start()) + 1}"
            parsed = parse(match[1])
            block = block_above(text, match.start())
            if parsed is None:
                if "Source:" not in block:
                    bad.append(f"{where}: a public variable needs a /// block with Source:")
                continue
            returns, function, names = parsed
            bad += [f"{where}: {function}: {p}" for p in check_block(block, returns, names)]
    project.finish(bad)


main()
