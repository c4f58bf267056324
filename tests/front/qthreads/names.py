# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a C program that takes the address of every function the Qthreads headers declare.

It builds only if each is defined, and as C only if the headers are.

    names.py OUTPUT INCLUDE_FOLDER
"""
import pathlib
import re
import sys

FUNCTION = re.compile(r"^[a-z][^=;{}#]*?[\s*]((?:q|hw_)\w+)\s*\([^;{}]*\)\s*;", re.M)


def declared(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(.*\\\n)*.*\n", "", text, flags=re.M)
    text = re.sub(r"^typedef\b[^;{]*(\{.*?\})?[^;]*;", "", text, flags=re.M | re.S)
    return set(FUNCTION.findall(text))


def main(output, include):
    folder = pathlib.Path(include)
    headers = sorted(folder.glob("qthread/*.h"))
    names = sorted(set().union(*(declared(h.read_text()) for h in headers)))
    if len(names) < 100:
        sys.exit(f"only {len(names)} functions found in {folder}")
    lines = [f"#include <{h.relative_to(folder)}>" for h in headers]
    lines += ["#include <stdio.h>", "typedef void (*function)(void);",
              "static function const all[] = {"]
    lines += [f"    (function){name}," for name in names]
    lines += ["};", "int main(void) {", "  size_t i;",
              "  for (i = 0; i < sizeof all / sizeof *all; ++i)", "    if (!all[i]) return 1;",
              '  return printf("%zu functions\\n", i) < 0;', "}", ""]
    pathlib.Path(output).write_text("\n".join(lines))


main(*sys.argv[1:])
