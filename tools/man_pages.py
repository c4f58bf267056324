#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the manual pages of the C API from the comment blocks of its headers.

A page of section 3 for each function and each header, and weft(7), which lists them.
usage: man_pages.py VERSION DIRECTORY
"""
import pathlib
import re
import sys

import doc_blocks

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINKING = "Weft (libweft, \\-lweft)"
# What a call needs to know that is said under a word of its own, and the heading it gets here.
SECTIONS = {"Context": "CONTEXT", "Blocks": "BLOCKING", "Order": "MEMORY ORDER",
            "Owns": "OWNERSHIP"}


def roff(text):
    """Text as it must be written so that it appears as it is."""
    text = text.replace("\\", "\\e")
    text = re.sub(r"-(?=E[A-Z])", r"\\-", text)
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def prose(text):
    """A paragraph, one sentence a line so that the spacing after it is right."""
    return roff(re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", text))


def verbatim(text):
    return ".nf\n" + roff(text).replace("-", "\\-").replace("\\\\-", "\\-") + "\n.fi"


def head(title, section, version):
    return f'.\\" Made by tools/man_pages.py.\n.TH {title} {section} "" "Weft {version}" "Weft"'


def header_page(name):
    return name.replace("/", "_")  # weft/task.h: weft_task.h(3)



def see_also(pages):
    """From (name, section) pairs."""
    lines = [f".BR {name} ({section})" for name, section in pages]
    return ".SH SEE ALSO\n" + " ,\n".join(lines)


def function_page(function, header, known, version):
    parts = [head(function.name.upper(), 3, version), ".SH NAME",
             f"{function.name} \\- {roff(lower_first(function.summary))}",
             ".SH LIBRARY", LINKING, ".SH SYNOPSIS", ".nf",
             f".B #include <{header.name}>", ".PP",
             *(f'.B "{line}"' for line in folded(function.declaration)), ".fi",
             ".SH DESCRIPTION", prose(function.sentences)]
    for name, text in function.documented:
        parts += [".TP", f".I {name}", prose(text)]
    if function.may_park:
        parts += [".PP", "A task may return from this call on another OS thread."]
    if function.result:
        parts += [".SH RETURN VALUE", prose(function.result)]
    for field, title in SECTIONS.items():
        parts += [f".SH {title}", prose(sentence(function.fields[field]))]
    parts += [".SH NOTES", prose(f"In Weft's source tree: {function.fields['Source']}")]
    named = [n for n in dict.fromkeys(re.findall(r"\bweft_\w+", function.block))
             if n in known and n != function.name]
    pages = [(n, 3) for n in sorted(named)] + [(header_page(header.name), 3), ("weft", 7)]
    parts.append(see_also(pages))
    return "\n".join(parts) + "\n"


def lower_first(text):
    """The first word in small letters, unless it is a name."""
    word = text.split()[0]
    return text if word.isupper() and len(word) > 1 else text[:1].lower() + text[1:]


def sentence(text):
    return text[:1].upper() + text[1:]


def folded(declaration):
    """A declaration in lines of at most 78 characters, broken after commas."""
    lines, line, indent = [], "", declaration.index("(") + 1
    for part in re.split(r"(?<=,) ", declaration):
        if line and len(line) + 1 + len(part) > 78:
            lines.append(line)
            line = " " * indent + part
        else:
            line = f"{line} {part}" if line else part
    lines.append(line)
    return [roff(text).replace('"', "\\(dq") for text in lines]


def page_of_header(header, version):
    name = header_page(header.name)
    parts = [head(name.upper(), 3, version), ".SH NAME", f"{name} \\- {roff(header.title)}",
             ".SH LIBRARY", LINKING, ".SH SYNOPSIS", f".B #include <{header.name}>"]
    if header.prose:
        parts.append(".SH DESCRIPTION")
        for i, text in enumerate(header.prose):
            parts += [".PP"] * (i > 0) + [verbatim(text) if "\n" in text else prose(text)]
    if header.declarations:
        parts += [".SH DECLARATIONS", verbatim("\n\n".join(header.declarations))]
    if header.functions:
        parts.append(".SH FUNCTIONS")
        for function in header.functions:
            parts += [".TP", f".BR {function.name} (3)", prose(function.summary + ".")]
    parts.append(see_also([("weft", 7)]))
    return "\n".join(parts) + "\n"


def options():
    """The rows of docs/options.md: variable, accepted, default, field, what it does."""
    rows = [re.split(r"\s*\|\s*", line.strip("| \n"))
            for line in (ROOT / "docs/options.md").read_text(encoding="utf-8").splitlines()
            if line.startswith("| `WEFT_")]
    return [(row[0].strip("`"), row[1], row[2], row[-1]) for row in rows]


def overview(headers, version):
    parts = [head("WEFT", 7, version), ".SH NAME",
             "weft \\- stackful user\\-level threads at the price of a function call",
             ".SH LIBRARY", LINKING, ".SH SYNOPSIS", ".B #include <weft/weft.h>", ".PP", ".nf",
             ".B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs weft)", ".fi",
             ".SH DESCRIPTION",
             "Weft runs millions of lightweight threads, called tasks, on a few OS threads,\n"
             "called workers.\nA task has a stack and can block anywhere.\n"
             "The first spawn starts Weft with one worker for each usable CPU.\n"
             "Functions return 0 or a negative errno; deadlines are absolute nanoseconds of\n"
             "CLOCK_MONOTONIC.\n"
             ".SS Headers"]
    for header in headers:
        parts += [".TP", f".BR {header_page(header.name)} (3)", prose(header.title + ".")]
    parts.append(".SH ENVIRONMENT")
    for name, accepted, default, what in options():
        parts += [".TP", f".B {name}", prose(f"{what} Accepted: {accepted}. Default: {default}.")]
    parts.append(see_also([("weft", 1)] + [(header_page(h.name), 3) for h in headers]))
    return "\n".join(parts) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    headers = doc_blocks.read_headers(ROOT)
    known = {f.name for h in headers for f in h.functions}
    pages = {"man7/weft.7": overview(headers, version)}
    for header in headers:
        pages[f"man3/{header_page(header.name)}.3"] = page_of_header(header, version)
        for function in header.functions:
            pages[f"man3/{function.name}.3"] = function_page(function, header, known, version)
    for section in ("man3", "man7"):
        (folder / section).mkdir(parents=True, exist_ok=True)
        for old in (folder / section).iterdir():  # of a function that is no more
            if f"{section}/{old.name}" not in pages:
                old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


main()
