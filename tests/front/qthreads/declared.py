# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Qthreads headers declare, by name: functions of the library, and what is compiled into its users."""
import pathlib
import re

FUNCTION = re.compile(r"^[a-z][^=;{}#]*?[\s*]((?:q|hw_)\w+)\s*\([^;{}]*\)\s*;", re.M)
INLINE = re.compile(r"^static inline [^(;]*?\b(\w+)\(|^QT_ACCUMULATOR\((\w+)", re.M)
MACRO = re.compile(r"^#define\s+(q\w+|INT\w+|DBL\w+)\(", re.M)


def without_comments(text):
    """C or C++ without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def headers(include):
    """The headers below include/, of C, sorted."""
    return sorted(pathlib.Path(include).glob("qthread/*.h"))


def functions_in(text):
    """The functions that a header declares and the library has."""
    text = without_comments(text)
    text = re.sub(r"^[ \t]*#(.*\\\n)*.*\n", "", text, flags=re.M)
    text = re.sub(r"^typedef\b[^;{]*(\{.*?\})?[^;]*;", "", text, flags=re.M | re.S)
    return set(FUNCTION.findall(text))


def compiled_in(text):
    """The functions and function-like macros that a header defines."""
    text = without_comments(text)
    inline = {one or other for one, other in INLINE.findall(text)}
    return inline | set(MACRO.findall(text))


def all_of(include, kind):
    """Names of that kind (functions_in, compiled_in) in all headers, sorted."""
    return sorted(set().union(*(kind(h.read_text()) for h in headers(include))))
