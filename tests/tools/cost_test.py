# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about tools/cost.py, with a valgrind that only pretends to count."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COST = ROOT / "tools" / "cost.py"

# 1,000 instructions to start and stop, 50 for each operation, or 51; the size is the number of
# operations.
VALGRIND = """#!/bin/sh
case $3 in
  *dear) each=51 ;;
  *) each=50 ;;
esac
echo "==1== Collected : $((1000 + each * $4))" >&2
echo $4
"""

BUDGETS = """[build]
processor = "x86_64"
compiler = "GNU 12"
build_type = "Release"

[path.spawn]
operation = "spawn"
sizes = [10, 30]
measured = 0.0
budget = {budget}
"""


DEAR = """
[path.dear]
operation = "dear spawn"
sizes = [10, 30]
measured = 0.0
budget = 60.0
as_little_as = "spawn"
"""


class Cost(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        for folder in ("tools", "bench", "programs", "build/release/bench"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "tools" / "cost.py").write_text(COST.read_text())
        valgrind = self.root / "programs" / "valgrind"
        valgrind.write_text(VALGRIND)
        valgrind.chmod(0o755)

    def cost(self, budget, *arguments, compiler="GNU 12.2.0", more=""):
        budgets = self.root / "bench" / "budgets.toml"
        budgets.write_text(BUDGETS.format(budget=budget) + more)
        manifest = {"processor": "x86_64", "compiler": compiler, "build_type": "Release"}
        path = self.root / "build" / "release" / "bench" / "manifest.json"
        path.write_text(json.dumps(manifest))
        search = f"{self.root / 'programs'}:{os.environ['PATH']}"
        done = subprocess.run([sys.executable, self.root / "tools" / "cost.py", *arguments],
                              capture_output=True, text=True, timeout=50,
                              env={**os.environ, "PATH": search})
        return done, budgets.read_text()

    def test_start_and_stop_are_not_counted(self):
        done, _ = self.cost(50.0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("spawn: 50.0 instructions, budget 50.0", done.stdout)

    def test_a_path_over_its_budget_fails_with_one_line(self):
        done, _ = self.cost(49.9)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cost: spawn takes 50.0 instructions, "
                                      "more than its budget of 49.9\n")

    def test_a_path_may_be_bound_to_take_as_little_as_another(self):
        done, _ = self.cost(50.0, more=DEAR)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cost: dear spawn takes 51.0 instructions, "
                                      "more than the 50.0 of spawn\n")
        _, text = self.cost(50.0, "--update", more=DEAR)
        self.assertIn('as_little_as = "spawn"\n', text)

    def test_update_sets_the_budget_to_what_is_measured_and_a_margin(self):
        done, text = self.cost(1.0, "--update")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("measured = 50.0\nbudget = 51.5\n", text)

    def test_update_leaves_comments_and_the_order_of_keys(self):
        more = """
# Of two pairs.
[path.pair]
budget = 1.0  # a new path has no figure yet
# Few: each takes long.
sizes = [ 1, 2 ]
operation = "pair"
"""
        _, text = self.cost(1.0, "--update", more=more, compiler="GNU 13.1.0")
        self.assertEqual(text, BUDGETS.format(budget=51.5).replace("measured = 0.0", "measured = 50.0")
                         .replace("GNU 12", "GNU 13")
                         + more.replace("budget = 1.0", "budget = 51.5").replace("[path.pair]\n",
                                                                                "[path.pair]\nmeasured = 50.0\n"))

    def test_another_compiler_is_not_judged(self):
        done, _ = self.cost(1.0, compiler="GNU 13.1.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing is judged", done.stdout)


if __name__ == "__main__":
    unittest.main()
