#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C and C++ code in our pages compiles; what is a whole program prints what the page says.

A block with a main is a program: it is built and run, and the ```text block right after it is its
output. One with `file=x.c` after the language may have a ```console block on its page instead:
lines that begin with $ are commands, run where x is; the others are what they print, ... standing
for anything. Any other block is a part of one: it is compiled after the headers and after what the page
declares unseen (tools/pages.py); with the word `body` after the language it is put into a function.
`openmp` there says that the code is OpenMP's, and is compiled as such.

usage: snippets_test.py C_COMPILER CXX_COMPILER LIBWEFT.A
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent import futures

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import pages  # noqa: E402
import project  # noqa: E402

LIBRARY = sys.argv.pop()
CXX = sys.argv.pop()
C = sys.argv.pop()
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'include'}"]
# A part of a program need not use what it defines.
UNUSED = ["-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter",
          "-Wno-unused-but-set-variable"]
HEADERS = {
    "c": ["errno.h", "poll.h", "pthread.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
          "weft/weft.h"],
    "cpp": ["cstdint", "cstdio", "string", "vector", "weft/weft.hpp"],
}


def includes(language):
    return "".join(f"#include <{h}>\n" for h in HEADERS[language])


def compiler(block):
    """The command for a block, without its input."""
    command = {"c": [C, "-std=c11", "-xc"], "cpp": [CXX, "-std=c++20", "-xc++"]}[block.language]
    return command + WARNINGS + (["-fopenmp"] if "openmp" in block.words else [])


def blocks_of_pages():
    """(page, block) for each block of the pages that are looked at."""
    for path in [ROOT / "README.md", *project.files(ROOT, "docs/guide", suffixes={".md"})]:
        for block in pages.blocks(path.read_text()):
            yield path.relative_to(ROOT), block


def code_of_pages():
    return [(page, block) for page, block in blocks_of_pages() if block.language in HEADERS]


def file_of(block):
    """What a program is called by the commands of its page, if it has a name."""
    names = [w.removeprefix("file=") for w in block.words if w.startswith("file=")]
    return pathlib.Path(names[0]).stem if names else None


class snippets(unittest.TestCase):
    def command(self, command, where, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=50,
                              env=os.environ | {"WEFT_WORKERS": "2"})
        self.assertEqual(done.returncode, 0, f"{where}: {done.stdout}{done.stderr}")
        return done.stdout

    def build(self, page, block, program):
        where = f"{page}:{block.line}"
        self.command([*compiler(block), "-g", "-c", "-o", f"{program}.o", "-"], where, block.text)
        self.command([CXX, f"{program}.o", LIBRARY, "-pthread", "-o", program], where)

    def test_programs_print_what_the_page_says(self):
        consoles = {page for page, block in blocks_of_pages() if block.language == "console"}
        programs = [(page, block) for page, block in code_of_pages() if "int main(" in block.text
                    and not (file_of(block) and page in consoles)]
        self.assertGreater(len(programs), 3)

        def output(number, page, block):
            program = pathlib.Path(tmp, f"program{number}")
            self.build(page, block, program)
            return self.command([program], f"{page}:{block.line}")

        with tempfile.TemporaryDirectory() as tmp, futures.ThreadPoolExecutor(2) as pool:
            outputs = [pool.submit(output, i, *p) for i, p in enumerate(programs)]
            for (page, block), out in zip(programs, outputs):
                with self.subTest(f"{page}:{block.line}"):
                    self.assertIsNotNone(block.output, "no ```text block says the output")
                    self.assertEqual(out.result(), block.output)

    def test_commands_print_what_the_page_says(self):
        count = 0
        for page, console in blocks_of_pages():
            if console.language != "console":
                continue
            with tempfile.TemporaryDirectory() as tmp:
                for other, block in code_of_pages():
                    if other == page and file_of(block) and file_of(block) in console.text:
                        self.build(page, block, pathlib.Path(tmp, file_of(block)))
                for step in re.split(r"^\$ ", console.text, flags=re.M)[1:]:
                    count += 1
                    command, expected = step.split("\n", 1)
                    with self.subTest(f"{page}: {command}"):
                        done = subprocess.run(["sh", "-c", command + "\n:"], cwd=tmp, timeout=50,
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                              text=True)
                        pattern = re.escape(expected).replace(r"\.\.\.", ".*")
                        self.assertRegex(done.stdout, rf"\A{pattern}\Z")
        self.assertGreater(count, 3)

    @unittest.skipUnless(shutil.which("addr2line"), "there is no addr2line")
    def test_addr2line_names_the_lines_that_a_report_means(self):
        [(page, block)] = [p for p in code_of_pages() if file_of(p[1]) == "hang"]
        lines = block.text.splitlines()
        with tempfile.TemporaryDirectory() as tmp:
            program = pathlib.Path(tmp, "hang")
            self.build(page, block, program)
            said = self.command(["sh", "-c", f"WEFT_WORKERS=1 {program} 2>&1"], page)
            places = re.findall(r"hang\+(0x\w+)", said)
            named = self.command(["addr2line", "-e", program, *places], page).splitlines()
        for place, call in zip(named, ("weft_task_spawn(", "weft_mutex_lock("), strict=True):
            # The address is the one behind the call.
            number = int(re.search(r":(\d+)", place)[1])
            self.assertIn(call, lines[number - 1] + lines[number - 2], place)

    def test_parts_of_programs_compile(self):
        count = 0
        for page, block in code_of_pages():
            if "int main(" in block.text:
                continue
            count += 1
            where = f"{page}:{block.line}"
            text = block.text
            if "body" in block.words:
                text = "void snippet(void);\nvoid snippet(void) {\n" + text + "}\n"
            head = f'{includes(block.language)}{block.unseen}#line {block.line + 1} "{page}"\n'
            with self.subTest(where):
                self.command([*compiler(block), *UNUSED, "-fsyntax-only", "-"], where,
                             head + text)
        self.assertGreater(count, 3)


unittest.main()
