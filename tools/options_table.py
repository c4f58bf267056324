#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes docs/options.md from the table in src/conf/options.hpp, or checks that it is up to date.
"""usage: options_table.py [--check]

Compiles a few lines of C++ around the real table, with $CXX or the first compiler found.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "options.md"
DUMP = r"""
#include <cstdio>
#include "conf/options.hpp"
int main() {
  using namespace weft::rt;
  for (const conf::option& row : conf::options) {
    os::text accepted, standard;
    conf::add_accepted(accepted, row);
    if (row.id == conf::option_id::workers) standard.add("the usable CPUs");
    else conf::add_value(standard, row, row.standard);
    std::printf("%s\t%s\t%s\t%s\t%s\n", row.name, accepted.c_str(), standard.c_str(),
                row.caller_field != nullptr ? row.caller_field : "", row.sentence);
  }
}
"""
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Made by tools/options_table.py from src/conf/options.hpp; do not edit. -->
# Options

Weft reads its options from the environment, once, when it starts. An empty value counts as unset.
A value that is not accepted, or a variable whose name begins with `WEFT_` and is not in this table,
stops the start with one line that says what would be accepted. Where a field of `weft_config_t` is
named, a program can set the option in `weft_start` too, and that goes before the environment.

| variable | accepted | default | field | what it does |
|---|---|---|---|---|
"""


def compiler():
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and shutil.which(name):
            return name
    sys.exit("options_table.py: no C++ compiler found; set CXX")


def rows():
    with tempfile.TemporaryDirectory() as tmp:
        source, program = pathlib.Path(tmp, "dump.cpp"), pathlib.Path(tmp, "dump")
        source.write_text(DUMP, encoding="utf-8")
        parts = [ROOT / "src" / p for p in ("conf/options.cpp", "os/text.cpp")]
        command = [compiler(), "-std=c++20", f"-I{ROOT / 'src'}", source, *parts, "-o", program]
        subprocess.run(command, check=True)
        return subprocess.run([program], check=True, capture_output=True, encoding="utf-8").stdout


def page():
    lines = []
    for row in rows().splitlines():
        name, accepted, standard, field, sentence = row.split("\t")
        field = f"`{field}`" if field else ""
        lines.append(f"| `{name}` | {accepted} | {standard} | {field} | {sentence} |")
    return HEAD + "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    text = page()
    if sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            sys.exit(f"{PAGE.relative_to(ROOT)} is stale: run tools/options_table.py")
    else:
        PAGE.write_text(text, encoding="utf-8")


main()
