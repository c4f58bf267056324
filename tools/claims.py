# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the guide's sentences and the table that says what shows each of them, and compares the two."""
import dataclasses
import hashlib
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
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# Behind the beginning of a sentence in the table: its digest when somebody last looked at it.
DIGEST = re.compile(r" #([0-9a-f]{6})$")
# What stands between the names of a table's row that says no more than which name is which.
JOINING = {"a", "an", "and", "at", "by", "else", "for", "from", "in", "it", "of", "on", "or", "the", "to", "with"}


@dataclasses.dataclass
class Sentence:
    page: str  # its name in the guide
    line: int
    text: str  # in one line; a row's cells with | between them

    def digest(self):
        """Six digits that are others when any word is another; where a link leads does not count."""
        words = " ".join(LINK.sub(r"\1", self.text).split())
        return hashlib.sha256(words.encode()).hexdigest()[:6]


@dataclasses.dataclass
class Claim:
    page: str
    line: int  # of the table
    begins: str
    digest: str  # of the sentence that was looked at; empty: none yet
    shown: list[str]

    def named(self, said):
        """Those of the sentences that begin so; one, if all is well."""
        return [s for s in said if s.page == self.page and s.text.startswith(self.begins)]


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
        for line, text, is_row in paragraphs(path.read_text(encoding="utf-8")):
            for each in [text] if is_row else BETWEEN.split(text):
                if " " in each:  # one word leads over to a program
                    yield Sentence(path.name, line, each)


def claims(top):
    """The entries of the table."""
    page, found = "", []
    for number, line in enumerate((top / TABLE).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("== "):
            page = line.removeprefix("== ")
        elif line.startswith(" ") and found:
            found[-1].shown.append(line.strip())
        elif line and not line.startswith("#"):
            digest = DIGEST.search(line)
            begins = line[:digest.start()] if digest else line
            found.append(Claim(page, number, begins, digest[1] if digest else "", []))
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


def changed(claim, sentence):
    """What to say of an entry whose sentence nobody has looked at as it is; None: nothing."""
    if claim.digest == sentence.digest():
        return None
    since = "has changed" if claim.digest else "is new"
    return (f"{TABLE}:{claim.line}: this sentence {since}: {sentence.text}\n"
            f"    does this still show all of it: {'; '.join(claim.shown)}?\n"
            f"    if so: tools/check_claims.py --seen {claim.line}")


def problems(top):
    """What is wrong: a sentence without entry or changed since, an entry without sentence or proof."""
    said, known = list(sentences(top)), claims(top)
    for claim in known:
        where = f"{TABLE}:{claim.line}"
        named = claim.named(said)
        if len(named) != 1:
            yield f"{where}: {len(named)} sentences of {claim.page} begin with: {claim.begins}"
        elif changed(claim, named[0]):
            yield changed(claim, named[0])
        if not claim.shown:
            yield f"{where}: nothing shows: {claim.begins}"
        for shown in claim.shown:
            wrong = unproved(top, shown)
            if wrong:
                yield f"{where}: {wrong}"
    for s in said:
        if not any(s in c.named([s]) for c in known):
            yield f"{GUIDE}/{s.page}:{s.line}: {TABLE} does not say what shows: {s.text}"


def see(top, which):
    """Write down that somebody has looked at these entries: lines, or `new` for those not yet seen.

    Returns what cannot be done; then nothing was written."""
    said, known = list(sentences(top)), claims(top)
    lines = (top / TABLE).read_text(encoding="utf-8").splitlines()
    wrong, meant = [], []
    for word in which:
        chosen = [c for c in known if (not c.digest if word == "new" else str(c.line) == word)]
        if not chosen and word != "new":
            wrong.append(f"{TABLE}: no entry begins on line {word}; `new` means those without a digest")
        meant += chosen
    for claim in meant:
        named = claim.named(said)
        if len(named) != 1:
            wrong.append(f"{TABLE}:{claim.line}: {len(named)} sentences of {claim.page} begin with: {claim.begins}")
        else:
            lines[claim.line - 1] = f"{claim.begins} #{named[0].digest()}"
    if not wrong:
        (top / TABLE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wrong
