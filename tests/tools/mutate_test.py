# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about tools/mutate_orders.py: what it makes of a file, each change one step weaker than what is there."""
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import mutate_orders  # noqa: E402


class Mutants(unittest.TestCase):
    def made(self, line):
        """The lines that this one becomes."""
        with tempfile.TemporaryDirectory() as folder:
            text = f"// Before.\n  {line}\n// After.\n"
            (pathlib.Path(folder) / "a.hpp").write_text(text)
            with unittest.mock.patch.object(mutate_orders, "TOP", pathlib.Path(folder)):
                unchanged, *made = mutate_orders.mutants("a.hpp", "a_model.cpp")
        self.assertEqual((unchanged.line, unchanged.text), (0, text))
        for each in made:
            self.assertEqual((each.line, each.text.splitlines()[::2]), (2, ["// Before.", "// After."]))
        return [each.text.splitlines()[1].strip() for each in made]

    def test_acquire_and_release_become_relaxed(self):
        self.assertEqual(self.made("v = a.load_acquire();"), ["v = a.load_relaxed();"])
        self.assertEqual(self.made("a.store_release(v); b.store_release(v);"), [
            "a.store_relaxed(v); b.store_release(v);", "a.store_release(v); b.store_relaxed(v);"])

    def test_each_half_of_acq_rel_is_taken_away_by_itself(self):
        self.assertEqual(self.made("return a.cas_acq_rel(was, v);"), [
            "return a.cas_acquire(was, v);", "return a.cas_release(was, v);"])

    def test_what_is_sequentially_consistent_keeps_the_rest_of_its_order(self):
        self.assertEqual(self.made("v = a.load_seq_cst();"), ["v = a.load_acquire();"])
        self.assertEqual(self.made("a.store_seq_cst(v);"), ["a.store_release(v);"])
        self.assertEqual(self.made("a.add_seq_cst(v);"), ["a.add_acq_rel(v);"])

    def test_fences_are_removed_and_what_no_tool_sees_is_left(self):
        self.assertEqual(self.made("fence_seq_cst();  // O1 <> S2"), ["(void)0;  // O1 <> S2"])
        self.assertEqual(self.made("v = a.load_relaxed();  // own: of mine"), [])
        self.assertEqual(self.made("v = a.load_acquire();  // S3 <- P2, unseen: of a system call"), [])


class Ends(unittest.TestCase):
    def end_of(self, script, seconds=60):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder, "model")
            model.write_text(f"#!/bin/sh\n{script}\n")
            model.chmod(0o755)
            with unittest.mock.patch.multiple(mutate_orders, PROCESSOR_SECONDS=1, SECONDS=seconds):
                return mutate_orders.how_ends(model)

    def test_a_model_ends_as_it_says(self):
        self.assertEqual(self.end_of("exit 0"), "passes")
        self.assertEqual(self.end_of("exit 1"), "fails")
        self.assertEqual(self.end_of("kill -ABRT $$"), "fails")

    def test_what_was_ended_proves_nothing(self):
        self.assertEqual(self.end_of("while :; do :; done"), "does not end")
        self.assertEqual(self.end_of("kill -KILL $$"), "does not end")
        self.assertEqual(self.end_of("exec sleep 20", seconds=1), "does not end")

    def test_what_waits_for_its_turn_has_time(self):
        self.assertEqual(self.end_of("sleep 2"), "passes")


class Table(unittest.TestCase):
    """What is said of one order, by models that end as given."""

    def said(self, *ends):
        models = [f"model_{i}.cpp" for i in range(len(ends))]
        of = {model: end for model, end in zip(models, ends)}
        with unittest.mock.patch.multiple(
                mutate_orders, read_table=lambda _: [("a.hpp", model) for model in models],
                mutants=lambda header, model: [mutate_orders.mutant(header, model, line, "an order", "")
                                               for line in (0, 7)],
                run=lambda m: "passes" if m.line == 0 else of[m.model]), \
                unittest.mock.patch("sys.stdout", new_callable=io.StringIO) as out, \
                self.assertRaises(SystemExit) as end:
            mutate_orders.main()
        return end.exception.code, out.getvalue().splitlines()[-1]

    def test_what_does_not_end_proves_no_order(self):
        self.assertEqual(self.said("does not end"), (1, "0 weaker orders fail, 1 do not a.hpp:7"))

    def test_one_model_of_several_is_enough(self):
        self.assertEqual(self.said("does not end", "fails"), (0, "1 weaker orders fail, 0 do not"))


if __name__ == "__main__":
    unittest.main()
