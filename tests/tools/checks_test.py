#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each tools/check_*.py accepts a small right tree, and names what is wrong in a wrong one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
HEAD = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// Says what it is for.\n"

FLAG = "src/lockfree/flag.hpp"
RIGHT = {
    "tools/layers.txt": "base:\nlockfree: base\nsched: base lockfree types\n",
    "src/base/atomic.hpp": HEAD + "#if defined(WEFT_MODEL)\n#endif\n",
    FLAG: HEAD + (
        '#include "base/atomic.hpp"\n'
        "// Orders\n"
        "//   F1 -> F2   what precedes the set is seen after the test\n"
        "void set() { word_.store_release(1); }  // F1 -> F2\n"
        "bool test() {\n"
        "  // F2 <- F1\n"
        "  return word_.load_acquire();\n"
        "}\n"
        "int hint() { return word_.load_relaxed(); }  // hint: a wrong value costs time only\n"),
    "src/sched/task.hpp": HEAD + '#include <weft/types.h>\n#include "lockfree/flag.hpp"\n',
    "tests/model/flag_model.cpp": HEAD + '#include "lockfree/flag.hpp"\n',
    "tests/model/mutations.txt": "lockfree/flag.hpp tests/model/flag_model.cpp\n",
    "tests/unit/lockfree/flag_test.cpp": HEAD + '#include "lockfree/flag.hpp"\n',
    "tests/stress/lockfree/flag_stress.cpp": HEAD + '#include "lockfree/flag.hpp"\n',
    "include/weft/types.h": HEAD,
    "include/weft/task.h": HEAD + (
        "/// Make a slot.\n"
        "/// @param destroy  called at the end\n"
        "/// @param out      receives it\n"
        "/// @return 0\n"
        "/// Context: any thread.   Blocks: never.\n"
        "/// Order:   none.\n"
        "/// Owns:    the slot.\n"
        "/// Source:  docs/slots.md; as pthread_key_create.\n"
        "WEFT_API int weft_slot_create(void (*destroy)(void *value, int last),\n"
        "                              unsigned *out) WEFT_MAY_PARK;\n"),
    "docs/slots.md": "# Slots of a task\n\nSee [the words](words.md#a-slot) and sched/task.hpp.\n",
    "docs/words.md": "# Words\n\n## A slot\n",
}


class checks(unittest.TestCase):
    def run_check(self, name, changes, *args, read=None):
        """Its status and what it printed; with `read`, the text of that file afterwards, too."""
        with tempfile.TemporaryDirectory() as tmp:
            for path, text in (RIGHT | changes).items():
                if text is not None:
                    file = pathlib.Path(tmp, path)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text)
            script = TOOLS / f"check_{name}.py"
            done = subprocess.run([sys.executable, script, *args, tmp], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            after = (pathlib.Path(tmp, read).read_text(),) if read else ()
            return done.returncode, done.stdout, *after

    def accepts(self, name, changes=None):
        self.assertEqual(self.run_check(name, changes or {}), (0, ""))

    def refuses(self, name, path, old, new, says):
        """One replacement in one file makes the check print exactly one line with `says` in it."""
        self.assertIn(old, RIGHT[path])
        status, out = self.run_check(name, {path: RIGHT[path].replace(old, new)})
        self.assertEqual(status, 1, out)
        self.assertEqual(len(out.splitlines()), 1, out)
        self.assertIn(says, out)

    def test_every_check_accepts_the_right_tree(self):
        for script in TOOLS.glob("check_*.py"):
            with self.subTest(script.stem):
                self.accepts(script.stem.removeprefix("check_"))

    def test_layers_refuses_an_include_upwards(self):
        self.refuses("layers", "src/base/atomic.hpp", "#if", '#include "sched/task.hpp"\n#if',
                     "src/base/atomic.hpp:3: base/ may not include sched/")

    def test_layers_refuses_a_public_header_below_the_api(self):
        self.refuses("layers", "src/sched/task.hpp", "weft/types.h", "weft/task.h",
                     "sched/ may not include public/: weft/task.h")

    def test_layers_refuses_a_path_that_is_not_from_src(self):
        self.refuses("layers", "src/sched/task.hpp", "lockfree/flag.hpp", "../lockfree/flag.hpp",
                     "must name its file from src/")

    def test_layers_refuses_a_table_with_a_cycle(self):
        self.refuses("layers", "tools/layers.txt", "base:", "base: sched",
                     "sched does not stand above base")

    def test_layers_refuses_a_folder_without_a_line(self):
        status, out = self.run_check("layers", {"src/odd/x.hpp": '#include "base/atomic.hpp"\n'})
        self.assertEqual((status, out.count("\n")), (1, 1))
        self.assertIn("no line for odd/", out)

    def test_layers_refuses_an_api_test_that_looks_inside(self):
        inside = '#include "base/atomic.hpp"\n'
        status, out = self.run_check("layers", {"tests/api/x_test.c": inside})
        self.assertEqual(status, 1)
        self.assertIn("tests/api sees <weft/...> alone", out)
        status, out = self.run_check("layers", {"tests/support/x.hpp": inside})
        self.assertEqual(status, 1)
        self.assertIn("tests/support sees <weft/...> alone", out)

    def test_orders_refuses_a_relaxed_access_without_reason(self):
        self.refuses("orders", FLAG, "// hint:", "//", "flag.hpp:11: relaxed")

    def test_orders_looks_at_all_of_the_sources(self):
        for folder in "src/api", "src/boot", "src/conf", "src/os", "src/topo", "front/qthreads/src":
            file = f"{folder}/flag.cpp"
            status, out = self.run_check("orders", {file: HEAD + "int n = word_.load_relaxed();\n"})
            self.assertEqual((status, f"{file}:3: relaxed" in out), (1, True), out)

    def test_orders_refuses_a_pair_with_one_end(self):
        status, out = self.run_check("orders", {FLAG: RIGHT[FLAG].replace("// F2 <-", "// F3 <-")})
        self.assertEqual(status, 1)
        self.assertIn("F1 -> F2, but no access says F2 <- F1", out)
        self.assertIn("F3 <- F1, but no access says F1 -> F3", out)

    def test_orders_refuses_an_ordered_access_without_a_pair(self):
        status, out = self.run_check("orders", {FLAG: RIGHT[FLAG] + "x.exchange_acq_rel(1);\n"})
        self.assertEqual((status, out.count("\n")), (1, 1))
        self.assertIn("flag.hpp:12: exchange has no pair", out)

    def test_orders_wants_a_pair_each_way_of_acq_rel(self):
        there, back = "F1 -> F2", "F1 <- F3"
        for pairs, fine in ((f"{there}; {back}", True), (there, False), (back, False)):
            with self.subTest(pairs):
                text = RIGHT[FLAG].replace("//   F1 -> F2", "//   F3 -> F1  back\n//   F1 -> F2")
                text += f"x.exchange_acq_rel(1);  // {pairs}\nx.store_release(0);  // F3 -> F1\n"
                text += f"x.load_acquire();  // {back}\n"
                status, out = self.run_check("orders", {FLAG: text})
                self.assertEqual((status, "flag.hpp:13: acq_rel, with a pair one way only" in out),
                                 (0 if fine else 1, not fine), out)

    def test_orders_refuses_a_fence_without_a_twin(self):
        status, out = self.run_check("orders", {FLAG: RIGHT[FLAG] + "fence_light();\n"})
        self.assertEqual((status, out.count("\n")), (1, 1))
        self.assertIn("fence_light has no pair", out)

    def test_orders_refuses_a_pair_that_is_not_drawn(self):
        status, out = self.run_check("orders", {FLAG: RIGHT[FLAG].replace("//   F1 -> F2", "//  ")})
        self.assertEqual(status, 1)
        self.assertIn("is not drawn", out)

    def test_docs_refuses_a_missing_field(self):
        for field in ("Context", "Blocks", "Order", "Owns", "Source"):
            with self.subTest(field):
                self.refuses("docs", "include/weft/task.h", field + ":", field, f"has no {field}:")

    def test_docs_refuses_a_missing_parameter(self):
        self.refuses("docs", "include/weft/task.h", "/// @param destroy  called at the end\n", "",
                     "weft_slot_create: @param names out; the parameters are destroy, out")

    def test_docs_refuses_a_missing_return(self):
        self.refuses("docs", "include/weft/task.h", "/// @return 0\n", "", "has no @return")

    def test_docs_refuses_a_function_in_a_header_without_a_block(self):
        one = "static inline int weft_one(void) {\n  return 1;\n}\n"
        status, out = self.run_check("docs", {"include/weft/task.h": HEAD + one})
        self.assertEqual((status, out.count("\n")), (1, 1), out)
        self.assertIn("weft_one: has no comment block", out)

    def test_docs_refuses_a_wait_that_does_not_say_that_it_can_be_cancelled(self):
        text = RIGHT["include/weft/task.h"]
        for result, fine in (("0", False), ("0, -ECANCELED (weft/cancel.h)", True), ("as weft_slot_wait", True)):
            with self.subTest(result):
                status, out = self.run_check(
                    "docs", {"include/weft/lock.h": text.replace("@return 0", f"@return {result}")})
                self.assertEqual((status, "lock.h:11: weft_slot_create: @return lacks -ECANCELED" in out),
                                 (0 if fine else 1, not fine), out)

    def test_links_refuses_a_source_that_does_not_exist(self):
        self.refuses("links", "include/weft/task.h", "docs/slots.md", "docs/0009-gone.md",
                     "include/weft/task.h:10: there is no docs/0009-gone.md")

    def test_columns_refuses_a_comment_that_is_too_long(self):
        long = "// " + 98 * "x"
        self.refuses("columns", "src/sched/task.hpp", "// Says what it is for.", long,
                     "src/sched/task.hpp:2: 101 columns; at most 100")

    def test_columns_leaves_a_table_that_is_laid_out_by_hand(self):
        table = "// clang-format off\n" + 101 * "x" + "\n// clang-format on\n"
        self.assertEqual(self.run_check("columns", {"src/sched/task.hpp": HEAD + table})[0], 0)

    def test_licence_refuses_a_file_without_one(self):
        self.refuses("licence", "src/sched/task.hpp", "SPDX", "SPDY",
                     "src/sched/task.hpp: the first line")

    def test_licence_refuses_a_file_that_does_not_say_what_it_is_for(self):
        self.refuses("licence", "src/sched/task.hpp", "// Says what it is for.\n", "\n",
                     "src/sched/task.hpp: the next line must say")

    def test_ifs_refuses_a_condition_above_os(self):
        self.refuses("ifs", "src/sched/task.hpp", "#include <", "#ifdef X\n#include <",
                     "src/sched/task.hpp:3")

    def test_fork_locks_refuses_a_lock_that_a_child_of_fork_would_find_held(self):
        self.refuses("fork_locks", "src/sched/task.hpp", "#include <weft/types.h>\n",
                     "#include <weft/types.h>\nconstinit std::mutex changing;  // who makes\n",
                     "src/sched/task.hpp:4: `changing` is not made anew")

    def test_fork_locks_sees_one_in_a_member_and_in_a_function(self):
        self.refuses("fork_locks", "src/sched/task.hpp", "#include <weft/types.h>\n",
                     "#include <weft/types.h>\nvoid f() {\n  static std::mutex changing;\n}\n",
                     "src/sched/task.hpp:5: `changing` is not made anew")
        for use, where in (("constinit all names{1};\n", 3),
                           ("all* names() {\n  static auto* const p = new (place) all;\n}\n", 4)):
            tree = {"src/sched/all.hpp": HEAD + "class one {\n  spin_lock lock_;\n};\nstruct all {\n  one of[2];\n};\n",
                    "src/sched/names.cpp": HEAD + use}
            status, out = self.run_check("fork_locks", tree)
            self.assertEqual(status, 1, out)
            self.assertIn(f"src/sched/names.cpp:{where}: ", out)

    def test_fork_locks_accepts_what_who_forks_has_and_nothing_else_of_its_file(self):
        text = HEAD + ("std::mutex all;\nstd::mutex other;\n"
                       "void hold() { all.lock(); }\nvoid let_go() { all.unlock(); }\n"
                       "fork_handlers<hold, let_go, let_go> at_fork;\n")
        status, out = self.run_check("fork_locks", {"front/names.cpp": text})
        says = "check_fork_locks: front/names.cpp:4: `other` is not made anew in a child of fork()\n"
        self.assertEqual((status, out), (1, says))
        self.accepts("fork_locks", {"front/names.cpp": text.replace("{ all", "{ other.lock(); all")})

    def test_fork_locks_accepts_an_array_of_which_each_is_made_anew_and_no_part_of_it(self):
        text = HEAD + ("spin_lock lists[16];\n"
                       "void forget() {\n  for (spin_lock& l : lists) std::construct_at(&l);\n}\n")
        self.accepts("fork_locks", {"front/names.cpp": text})
        self.refuses("fork_locks", "src/sched/task.hpp", "#include <weft/types.h>\n",
                     "#include <weft/types.h>\nspin_lock lists[2];\n"
                     "inline void forget() { for (int i : lists) use(&i); }\n",
                     "src/sched/task.hpp:4: `lists` is not made anew")

    def test_fork_locks_does_not_take_what_a_child_calls_for_what_who_forks_has(self):
        text = HEAD + ("std::mutex all;\nvoid hold() {}\nvoid let_go() { all.lock(); }\n")
        for use in ("fork_handlers<hold, let_go, let_go> at_fork;\n",
                    "bool has() { return pthread_atfork(hold, let_go, let_go) == 0; }\n"):
            status, out = self.run_check("fork_locks", {"front/names.cpp": text + use})
            self.assertEqual((status, out.count("`all` is not made anew")), (1, 1))
            self.accepts("fork_locks", {"front/names.cpp": text + use.replace("hold, let_go", "let_go, let_go")})

    def test_fork_locks_refuses_a_guard_that_a_child_of_fork_would_find_held(self):
        for begins in ("static const auto n = static_cast<int>(ask());", "static int* const n = new int;",
                       "static const key n{make(1)};", "static const int n = [] {\n    return 1;\n  }();"):
            status, out = self.run_check("fork_locks", {"src/sched/names.cpp": HEAD + f"int f() {{\n  {begins}\n}}\n"})
            says = "check_fork_locks: src/sched/names.cpp:4: a child of fork() may find the guard of `n` held\n"
            self.assertEqual((status, out), (1, says), begins)
        for begins in ("static bool told = false;", "static atomic<int> said{0};", "static constexpr int n = ask();",
                       "constinit static key n{make(1)};", "static constinit key n{make(1)};", "const int n = ask();",
                       "static const auto n = static_cast<int>(7);", "static char n[sizeof(int)];"):
            self.accepts("fork_locks", {"src/sched/names.cpp": HEAD + f"int f() {{\n  {begins}\n}}\n"})

    def test_links_refuses_a_link_to_nowhere(self):
        self.refuses("links", "docs/slots.md", "words.md", "gone.md",
                     "gone.md#a-slot leads nowhere")

    def test_links_refuses_a_heading_that_is_gone(self):
        self.refuses("links", "docs/words.md", "## A slot", "## A word",
                     "words.md has no heading a-slot")

    def test_links_refuses_a_name_that_is_gone(self):
        self.refuses("links", "docs/slots.md", "sched/task.hpp", "sched/gone.hpp",
                     "docs/slots.md:3: there is no sched/gone.hpp")

    def test_names_refuses_a_function_that_does_not_exist(self):
        for name in ("weft_slot_make", "WEFT_SLOTS", "weft_slots_..."):
            page = f"Call `{name}`, not weft_slot_create or weft_slot_*.\n"
            status, out = self.run_check("names", {"docs/more.md": page})
            shown = name.rstrip(".")
            self.assertEqual((status, out), (1, f"check_names: docs/more.md:1: there is no {shown}\n"))

    def test_comparison_refuses_a_yes_without_a_test_and_a_stale_page(self):
        row = '["Yield", "yes", "yes", "tests/unit/lockfree/flag_test.cpp", "one_sets_it"]'
        table = 'libraries = ["Other"]\n[[table]]\ntitle = "T"\nabout = "A."\nrows = [{}]\n'
        tree = {"tests/unit/lockfree/flag_test.cpp": RIGHT["tests/unit/lockfree/flag_test.cpp"] +
                "TEST(flag, one_sets_it) {}\n"}
        for rows, said in (
                (row, "docs/comparison.md is stale: run tools/comparison.py"),
                (row.replace("one_", "two_"), "T, Yield: tests/unit/lockfree/flag_test.cpp has no case two_sets_it"),
                (row.replace("flag_test", "gone_test"), "T, Yield: there is no tests/unit/lockfree/gone_test.cpp"),
                ('["Yield", "no", "yes"]', "T, Yield: no test shows that yes")):
            status, out = self.run_check("comparison", tree | {"docs/comparison.toml": table.format(rows)})
            self.assertEqual(status, 1)
            self.assertIn(said, out)

    GUIDE, CLAIMS = "docs/guide/a.md", "tests/docs/claims.txt"

    def a_guide_with_its_claims(self):
        page, table = self.GUIDE, self.CLAIMS
        tree = {
            page: "# A\n\nIt runs, and\nfast. It may `stop`.\n\n- An [item](a.md), see `x`.\n\n"
                  "| A | B |\n|---|---|\n| `x` | `y` or `z` |\n| `v` | needs no `w` |\n\n```c\nNo sentence.\n```\n",
            table: "# Head.\n== a.md\n\nIt runs\n    api/a_test.cpp it_runs\n    - kernel fib\nIt may `stop`\n"
                   "    tools/check_a.py\nAn [item]\n    - words\n`v` | needs\n    tools_test.py test_a\n",
            "tests/api/a_test.cpp": HEAD + "TEST_F(a,\n       it_runs) {}\n",
            "tests/tools_test.py": "# " + HEAD.replace("//", "#") + "def test_a(self):\n    pass\n",
            "tools/check_a.py": HEAD.replace("//", "#"), "bench/kernels/fib/kernel.cmake": HEAD.replace("//", "#")}
        status, out, looked_at = self.run_check("claims", tree, "--seen", "new", read=table)
        self.assertEqual((status, out), (0, ""))
        return tree, tree | {table: looked_at}

    def test_claims_refuses_a_sentence_without_proof_and_a_proof_that_is_gone(self):
        page, table, test = self.GUIDE, self.CLAIMS, "tests/api/a_test.cpp"
        tree = self.a_guide_with_its_claims()[1]
        self.assertEqual(self.run_check("claims", tree), (0, ""))
        for path, old, new, said in (
                (page, "fast.", "fast. New one.", f"{page}:3: {table} does not say what shows: New one."),
                (page, "or `z`", "not `z`", f"{page}:10: {table} does not say what shows: `x` | `y` not `z`"),
                (page, "It may", "It will", f"{table}:7: 0 sentences of a.md begin with: It may `stop`"),
                (page, "An [item]", "It runs on. An [item]", f"{table}:4: 2 sentences of a.md begin with: It runs"),
                (test, "it_runs", "it_ran", f"{table}:4: tests/api/a_test.cpp has no case it_runs"),
                (table, "api/a_", "api/b_", f"{table}:4: there is no tests/api/b_test.cpp"),
                (table, "kernel fib", "kernel fob", f"{table}:4: bench has no kernel fob"),
                (table, "check_a", "check_b", f"{table}:7: there is no tools/check_b.py"),
                (table, "- words", "- so what", f"{table}:9: - so what is no reason"),
                (table, " it_runs", "", f"{table}:4: api/a_test.cpp needs a case"),
                (table, "    - words\n", "", f"{table}:9: nothing shows: An [item]")):
            with self.subTest(said):
                self.assertIn(old, tree[path])
                status, out = self.run_check("claims", tree | {path: tree[path].replace(old, new)})
                self.assertEqual(status, 1)
                self.assertIn(said, out)

    def test_claims_asks_about_a_sentence_that_is_new_or_has_another_end(self):
        page, table = self.GUIDE, self.CLAIMS
        new, tree = self.a_guide_with_its_claims()
        status, out = self.run_check("claims", new)
        self.assertEqual((status, out.count("this sentence is new")), (1, 4))
        edited = tree | {page: tree[page].replace("fast.", "slowly.").replace("see `x`", "see `y`")}
        status, out = self.run_check("claims", edited)
        self.assertEqual(status, 1)
        for said in (f"{table}:4: this sentence has changed: It runs, and slowly.\n"
                     "    does this still show all of it: api/a_test.cpp it_runs; - kernel fib?\n"
                     "    if so: tools/check_claims.py --seen 4\n",
                     f"{table}:9: this sentence has changed: An [item](a.md), see `y`."):
            self.assertIn(said, out)
        status, out, half = self.run_check("claims", edited, "--seen", "4", read=table)
        self.assertEqual((status, out), (0, ""))
        status, out = self.run_check("claims", edited | {table: half})
        self.assertEqual((status, out.count("this sentence")), (1, 1))
        self.assertIn(f"{table}:9: ", out)
        status, out, all_of_it = self.run_check("claims", edited, "--seen", "4", "9", read=table)
        self.assertEqual(self.run_check("claims", edited | {table: all_of_it}), (0, ""))

    def test_claims_asks_nothing_when_lines_break_elsewhere_or_a_page_has_moved(self):
        tree = self.a_guide_with_its_claims()[1]
        text = tree[self.GUIDE].replace("and\nfast", "and fast").replace("(a.md)", "(b.md)")
        self.assertNotEqual(text, tree[self.GUIDE])
        self.assertEqual(self.run_check("claims", tree | {self.GUIDE: text}), (0, ""))

    def test_claims_writes_nothing_for_a_line_without_an_entry(self):
        page, table = self.GUIDE, self.CLAIMS
        tree = self.a_guide_with_its_claims()[1]
        tree = tree | {page: tree[page].replace("It may", "It will").replace("fast.", "slowly.")}
        for line, said in (("5", f"{table}: no entry begins on line 5;"),
                           ("7", f"{table}:7: 0 sentences of a.md begin with: It may `stop`")):
            status, out, after = self.run_check("claims", tree, "--seen", "4", line, read=table)
            self.assertEqual((status, after), (1, tree[table]))
            self.assertIn(said, out)

    def test_tests_refuses_lock_free_code_without_its_tests(self):
        for path, kind in (("tests/model/flag_model.cpp", "model"),
                           ("tests/stress/lockfree/flag_stress.cpp", "stress"),
                           ("tests/unit/lockfree/flag_test.cpp", "unit")):
            with self.subTest(kind):
                self.refuses("tests", path, "#include", "// include", f"no {kind} test includes it")
        self.refuses("tests", "tests/model/mutations.txt", "lockfree/flag.hpp ", "",
                     "mutations.txt")


unittest.main()
