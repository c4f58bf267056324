# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the guide's sentences and the table that says what shows each of them, and compares the two."""
import dataclasses
import re

import pages
import project
import test_cases

GUIDE, TABLE = "docs/guide", "tests/docs/claims.txt"
# Of what needs no test of its own; the table says what they mean. `kernel` has a name.
REASONS = {"page", "words", "advice", "others"}
COMMENT = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"`[^`]*`")
# What lies between two sentences.
BETWEEN = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*(\[<-])|(?<=\.\))\s+(?=[A-Z`*\[])|(?<=\.\*\*)\s+(?=[A-Z])")
RULE = re.compile(r"[|:\s-]+")
# What stands between the names of a table's row that says no more than which name is which.
JOINING = {"a", "an", "and", "at", "by", "else", "for", "from", "in", "it", "of", "on", "or", "the", "to", "with"}


@dataclasses.dataclass
class Sentence:
    page: str  # its name in the guide
    line: int
    text: str  # in one line; a row's cells with | between them


@dataclasses.dataclass
class Claim:
    page: str
    line: int  # of the table
    begins: str
    shown: list[str]


def row(line):
    """A table's row as one text; empty if it says nothing but which names stand for each other."""
    cells = [c.strip() for c in line.strip("|").split(" | ")]
    rest = CODE.sub(" ", " ".join(cells[1:])).lower()
    return "" if set(re.findall(r"[\w']+", rest)) <= JOINING else " | ".join(filter(None, cells))


def paragraphs(text):
    """(line, text, whether it is a row) of each paragraph, item of a list and row of a table that says something."""
    for pattern in (pages.FENCED, COMMENT):
        text = pattern.sub(lambda m: "\n" * m[0].count("\n"), text)
    lines = [line.strip() for line in text.split("\n")] + [""]
    part, begun = [], 0
    for number, line in enumerate(lines, 1):
        if part and (not line or line.startswith(("#", "|", "- "))):
            yield begun, " ".join(part), False
            part = []
        if line.startswith("|"):
            head = RULE.fullmatch(line) or RULE.fullmatch(lines[number] or "no rule")
            if not head and row(line):
                yield number, row(line), True
        elif line and not line.startswith("#"):
            begun = begun if part else number
            part.append(line.removeprefix("- "))


def sentences(top):
    """All sentences of the guide but those of its table of contents."""
    for path in project.files(top, GUIDE, suffixes={".md"}):
        if path.stem == "README":
            continue
        for line, text, is_row in paragraphs(path.read_text()):
            for each in [text] if is_row else BETWEEN.split(text):
                if " " in each:  # one word leads over to a program
                    yield Sentence(path.name, line, each)


def claims(top):
    """The entries of the table."""
    page, found = "", []
    for number, line in enumerate((top / TABLE).read_text().splitlines(), 1):
        if line.startswith("== "):
            page = line.removeprefix("== ")
        elif line.startswith(" ") and found:
            found[-1].shown.append(line.strip())
        elif line and not line.startswith("#"):
            found.append(Claim(page, number, line, []))
    return found


def unproved(top, shown):
    """What is wrong with one line below a sentence; None: nothing."""
    if shown.startswith("- "):
        word, _, name = shown.removeprefix("- ").partition(" ")
        if word == "kernel":
            there = (top / "bench/kernels" / name).is_dir() or (top / f"bench/cost/{name}.cpp").exists()
            return None if name and there else f"bench has no kernel {name}"
        return None if word in REASONS and not name else f"- {word} {name} is no reason: see the top of the file"
    file, _, case = shown.partition(" ")
    if file.startswith("tools/check_"):
        return None if (top / file).exists() else f"there is no {file}"
    return test_cases.missing(top, f"tests/{file}", case.strip()) if case else f"{file} needs a case"


def problems(top):
    """One line for each sentence without an entry, and for each entry without a sentence or proof."""
    said, known = list(sentences(top)), claims(top)
    for claim in known:
        where = f"{TABLE}:{claim.line}"
        named = [s for s in said if s.page == claim.page and s.text.startswith(claim.begins)]
        if len(named) != 1:
            yield f"{where}: {len(named)} sentences of {claim.page} begin with: {claim.begins}"
        if not claim.shown:
            yield f"{where}: nothing shows: {claim.begins}"
        for shown in claim.shown:
            wrong = unproved(top, shown)
            if wrong:
                yield f"{where}: {wrong}"
    for s in said:
        if not any(c.page == s.page and s.text.startswith(c.begins) for c in known):
            yield f"{GUIDE}/{s.page}:{s.line}: {TABLE} does not say what shows: {s.text}"
