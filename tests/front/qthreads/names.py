# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a C program that takes the address of every function the Qthreads headers declare.

It builds only if each is defined, and as C only if the headers are.

    names.py OUTPUT INCLUDE_FOLDER
"""
import pathlib
import sys

import declared


def main(output, include):
    names = declared.all_of(include, declared.functions_in)
    if len(names) < 100:
        sys.exit(f"only {len(names)} functions found in {include}")
    lines = [f"#include <{h.relative_to(include)}>" for h in declared.headers(include)]
    lines += ["#include <stdio.h>", "typedef void (*function)(void);",
              "static function const all[] = {"]
    lines += [f"    (function){name}," for name in names]
    lines += ["};", "int main(void) {", "  size_t i;",
              "  for (i = 0; i < sizeof all / sizeof *all; ++i)", "    if (!all[i]) return 1;",
              '  return printf("%zu functions\\n", i) < 0;', "}", ""]
    pathlib.Path(output).write_text("\n".join(lines))


main(*sys.argv[1:])
