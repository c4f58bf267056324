# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads our Markdown pages: headings and their anchors, links, fenced blocks. Other tools stand on it."""
import dataclasses
import re

HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.M)
# An image, too.
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")  # what a link to no file of ours begins with
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
# Declarations that the snippets after it need and the reader does not: not shown.
UNSEEN = re.compile(r"^<!-- snippet: (c|cpp)\n(.*?)^-->$", re.M | re.S)


@dataclasses.dataclass
class Block:
    line: int
    words: list[str]  # after the fence: language, then what else is said
    text: str
    unseen: str  # declarations of the page above it, of the same language
    output: str | None  # of the text block that follows with nothing in between

    @property
    def language(self):
        return self.words[0] if self.words else ""


def slug(heading):
    """The anchor that GitHub and others give a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.lower())
    return text.replace(" ", "-")


def headings(text):
    """The anchors of a page."""
    return {slug(h) for h in HEADING.findall(FENCED.sub("", text))}


def dead_links(path):
    """One sentence for each link of a page to a file or a heading that does not exist."""
    for target in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        if ELSEWHERE.match(target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name) if name else path
        if not there.exists():
            yield f"the link {target} leads nowhere"
        elif anchor and there.suffix == ".md" and anchor not in headings(there.read_text(encoding="utf-8")):
            yield f"{name or path.name} has no heading {anchor}"


def blocks(text):
    """The fenced blocks of a page."""
    unseen = [(m.start(), m[1], m[2]) for m in UNSEEN.finditer(text)]
    found, end = [], -1
    for match in BLOCK.finditer(text):
        words = match[1].split()
        if words == ["text"] and found and not text[end:match.start()].strip():
            found[-1].output = match[2]
        hidden = "".join(t for at, language, t in unseen
                         if at < match.start() and words and language == words[0])
        found.append(Block(text.count("\n", 0, match.start()) + 1, words, match[2], hidden, None))
        end = match.end()
    return found
