# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whoever includes weft.hpp compiles no more lines than this.

    header_size.py LINES COMPILER [ARGUMENT...]
"""

import subprocess
import sys


def main(most, command):
    run = subprocess.run([*command, "-x", "c++", "-E", "-P", "-"], input="#include <weft/weft.hpp>\n",
                         check=True, capture_output=True, text=True)
    lines = run.stdout.count("\n")
    print(f"weft.hpp brings in {lines} lines; {most} are allowed")
    return 0 if 0 < lines <= most else 1


sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
