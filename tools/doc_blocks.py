# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the public C headers: each function with its comment block, and all else that they declare.

docs/style.md shows the block. check_docs.py, man_pages.py and reference.py stand on this.
"""
import dataclasses
import re

# A declaration of the library, or a function that is defined in the header.
DECLARATION = re.compile(r"^(?:WEFT_API\s+([^;]*);|static inline\s+([^;{]*)\{(?:.*\}|(?:\n.*)*?\n\})$)", re.M)
# What a header has for its own use; it stands just above that.
INTERNAL = "/* Internal"
FIELDS = ["Context", "Blocks", "Order", "Owns", "Source"]
ATTRIBUTE = re.compile(r"\b(WEFT_(?!API)[A-Z_]+|__attribute__\s*\(\(.*?\)\))")
# The lines of a header that say nothing about what it declares.
FRAME = re.compile(r"^#(?:include.*|undef.*|(?:ifndef|define) WEFT_\w+_H|endif /\* WEFT_\w+_H \*/)(?:\n|$)", re.M)
# Where a part of a block begins.
PART = re.compile(r"(?:^|(?<=\s))(@param\s+\w+|@return|(?:" + "|".join(FIELDS) + r"):)\s", re.M)


@dataclasses.dataclass
class Function:
    """A function as its header has it. A part that its block lacks is empty."""
    name: str
    returns: str
    parameters: list[str]  # the names, in order
    declaration: str  # as a program would write it, without our markers
    may_park: bool
    line: int
    block: str
    sentences: str = ""  # what precedes the first part
    documented: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # the @param
    result: str = ""  # the @return
    fields: dict[str, str] = dataclasses.field(default_factory=dict)
    repeats: bool = False  # a variant of the function above it

    @property
    def summary(self):
        """The first sentence, without its full stop."""
        return first_sentence(self.sentences)


@dataclasses.dataclass
class Header:
    name: str  # weft/task.h
    title: str  # what it is for, without a full stop
    prose: list[str]  # paragraphs about all of it
    declarations: list[str]  # types and constants, as they stand there
    functions: list[Function]
    variables: list[tuple[int, str]]  # line and block of each public variable


def first_sentence(text):
    match = re.match(r"(.*?)[.:](?=\s|$)", text, re.S)
    return match[1] if match else text


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


def block_above(text, position):
    """The /// lines that end just above a position, without their slashes."""
    lines = []
    for line in reversed(text[:position].splitlines()):
        if not line.startswith("///"):
            break
        lines.insert(0, line[3:].strip())
    return "\n".join(lines)


def is_internal(text, position):
    """Whether the comment that ends just above a position says so."""
    above = text[:position].rstrip("\n")
    return above.endswith("*/") and above[above.rfind("/*"):].startswith(INTERNAL)


def parse_function(declaration, block, line):
    """The function of one declaration, or None for a variable."""
    text = " ".join(ATTRIBUTE.sub("", declaration).split())
    match = re.match(r"(.*?)(\w+)\s*\((.*)\)$", text)
    if not match:
        return None
    names = [parameter_name(p) for p in split_parameters(match[3])]
    function = Function(match[2], match[1].strip(), names, text + ";",
                        "WEFT_MAY_PARK" in declaration, line, block)
    pieces = PART.split(block)
    function.sentences = " ".join(pieces[0].split())
    for key, value in zip(pieces[1::2], pieces[2::2]):
        value = " ".join(value.split())
        if key.startswith("@param"):
            function.documented.append((key.split()[1], value))
        elif key == "@return":
            function.result = value
        else:
            function.fields[key[:-1]] = value
    return function


def say_what_is_the_same(function, above):
    """In the header "The same, ..." follows what it means; elsewhere it needs the name."""
    if function.sentences.startswith("The same") and above:
        base = next((f for f in reversed(above) if not f.repeats), above[-1])
        function.sentences = f"As {base.name}" + function.sentences.removeprefix("The same")
        function.repeats = True


def comment_text(chunk):
    """The text of a /* */ comment, line by line."""
    body = chunk.strip().removeprefix("/*").removesuffix("*/")
    return [re.sub(r"^\s*\* ?", "", line).rstrip() for line in body.split("\n")]


def paragraphs(lines):
    """Prose as strings of one line; a table, whose lines are set in, keeps its lines."""
    found = []
    for part in "\n".join(lines).strip("\n").split("\n\n"):
        if re.match(r"\s{2,}\S", part):
            found.append(part)
        elif part.strip():
            found.append(" ".join(part.split()))
    return found


def read_header(path, name):
    """Read one header of include/weft; name is as programs include it."""
    text = path.read_text(encoding="utf-8")
    functions, variables = [], []
    for match in DECLARATION.finditer(text):
        if is_internal(text, match.start()):
            continue
        line = text.count("\n", 0, match.start()) + 1
        block = block_above(text, match.start())
        function = parse_function(match[1] or match[2], block, line)
        if function is None:
            variables.append((line, block))
        else:
            say_what_is_the_same(function, functions)
            functions.append(function)

    lines = text.split("\n")
    title = " ".join(comment_text(lines[1])).strip().rstrip(".")
    rest = re.sub(r"(?:^///.*\n)*" + DECLARATION.pattern + r"\n?", "", text, flags=re.M)
    rest = FRAME.sub("", rest)
    chunks = [c.strip("\n") for c in re.split(r"\n{2,}", rest)]
    # A comment may hold empty lines, and so may declarations in braces: put them together.
    whole, open_chunk = [], ""
    for chunk in chunks:
        open_chunk = f"{open_chunk}\n\n{chunk}" if open_chunk else chunk
        if (open_chunk.count("/*") == open_chunk.count("*/")
                and open_chunk.count("{") == open_chunk.count("}")):
            whole.append(open_chunk)
            open_chunk = ""
    whole = [w.strip() for w in whole]
    whole[0] = "\n".join(whole[0].split("\n")[2:]).strip()  # the licence and the title
    prose, declarations = [], []
    for chunk in filter(None, whole):
        comment = chunk.startswith("/*") and chunk.find("*/") == len(chunk) - 2
        if chunk.startswith(INTERNAL):
            continue
        if comment and not declarations:
            prose += paragraphs(comment_text(chunk))
        else:
            declarations.append(chunk)
    return Header(name, title, prose, declarations, functions, variables)


def read_headers(top):
    """All C headers of include/weft below a source tree, but the one that includes all others."""
    folder = top / "include" / "weft"
    return [read_header(p, f"weft/{p.name}") for p in sorted(folder.glob("*.h"))
            if p.name != "weft.h"]
