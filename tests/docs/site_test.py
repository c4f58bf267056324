#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation is built whole: every function has its place, every link leads somewhere."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name, "docs")
        cls.done = subprocess.run([sys.executable, ROOT / "tools/site.py", cls.folder],
                                  capture_output=True, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def page(self, name):
        return (self.folder / name).read_text()

    def test_it_is_built_and_every_link_leads_somewhere(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""), self.done.stdout)

    def test_every_page_of_the_guide_is_named_beside_all_others(self):
        for path in (ROOT / "docs/guide").glob("*.md"):
            if path.stem != "README":
                self.assertIn(f'<a href="docs/guide/{path.stem}.html">', self.page("index.html"))

    def test_every_function_of_the_headers_is_in_the_reference(self):
        for header in (ROOT / "include/weft").glob("*.h"):
            names = re.findall(r"^(?:WEFT_API|static inline)[^;{]*?\b(weft_\w+)\(", header.read_text(), re.M)
            for name in names:
                if name == "weft_case_make":  # the header's own
                    continue
                self.assertIn(f'<h3 id="{name}">', self.page(f"docs/reference/{header.stem}.html"))

    def test_code_tables_and_links_look_as_meant(self):
        start = self.page("docs/guide/start.html")
        self.assertIn("#include &lt;weft/weft.h&gt;", start)
        self.assertIn("<table>", self.page("docs/guide/concepts.html"))
        self.assertIn('href="concepts.html#waiting"', start)
        self.assertIn('<h2 id="waiting">', self.page("docs/guide/concepts.html"))
        self.assertIn('href="../reference/task.html"', self.page("docs/guide/concepts.html"))
        self.assertIn('<a href="task.html#weft_task_join">weft_task_join</a>',
                      self.page("docs/reference/task.html"))
        self.assertIn("<code>WEFT_WORKERS</code>", self.page("docs/options.html"))


unittest.main()
