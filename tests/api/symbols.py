# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libweft.so exports what src/api/weft.map lists, and that is what the headers declare, and two words.

    symbols.py LIBRARY MAP HEADER...
"""

import pathlib
import re
import subprocess
import sys

# Not in a header: read by inlined code of the C++ interface.
WORDS = {"weft_fork_word", "weft_self_word"}


def exported(library):
    run = subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True,
                         capture_output=True, text=True)
    found = set()
    for line in run.stdout.splitlines():
        field = line.split()
        if len(field) < 8 or field[6] in ("UND", "ABS") or field[4] not in ("GLOBAL", "WEAK"):
            continue
        found.add(field[7].split("@")[0])
    return found


def main(library, version_map, headers):
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(version_map).read_text(), flags=re.DOTALL)
    listed = set(re.findall(r"^\s*(weft_\w+);", text, re.MULTILINE))
    declared = set()
    for header in headers:
        declared |= set(re.findall(r"^WEFT_API[^;]*?\b(weft_\w+)\(", pathlib.Path(header).read_text(),
                                   re.MULTILINE))
    problems = []
    for name, one, other in (("exported, not in the map", exported(library), listed),
                             ("in the map, not exported", listed, exported(library)),
                             ("in the map, not in a header", listed - WORDS, declared),
                             ("in a header, not in the map", declared, listed)):
        problems += [f"{name}: {symbol}" for symbol in sorted(one - other)]
    print("\n".join(problems) or f"{len(listed)} symbols")
    return 1 if problems or not listed else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
