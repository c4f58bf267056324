# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the programs of bench/: each looks at its answer, a wrong one ends in a failure that is seen, and each
runtime says how it idles."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from bench_folder import ROOT, Folder, kernel  # noqa: E402

BENCH = ROOT / "bench"
CHECK = re.compile(r"\b[cC]heck\(")
# The frames and adapters call it of their own for other things.
FRAMES = BENCH / "harness", BENCH / "adapters"

CPP = """
#include "harness/report.hpp"
int main(int argc, char** argv) {
  weft::bench::report out(argc, argv, "ns/op");
  out.add(1);
  out.check("sum", int64_t{5}, int64_t{5});
  out.check("fib", int64_t{8}, int64_t{ANSWER});
  return out.finish();
}
"""
# Constructs of the EPCC suite; unless ALL, the first member does the part of the second.
EPCC = """
#include "kernels/epcc/config.hpp"
using namespace weft::bench;
int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  work w(out);
  out.add(w.sample(out, [](work& all) {
    for (int64_t i = 0; i < all.constructs(); ++i) {
      all.add(0);
      if (ALL) all.add(1); else all.add(0);
      if (work::is("reduction")) all.add_sum(SUM);
    }
  }));
  return out.finish();
}
"""
# The calibration of a task's work, by readings of a loop of 5 ns a step; of the first FALSE each other is too long.
WORK = """
#include "kernels/task_spawn/workload.hpp"
using namespace weft::bench;
int main() {
  int readings = 0;
  const calibrated found = calibrate(100, [&](uint64_t delay) {
    const double us = static_cast<double>(delay) * 0.005;
    return ++readings > FALSE ? us : us * (readings % 2 == 1 ? 1.15 : 1);
  });
  std::printf("%.0f %.0f", static_cast<double>(found.delay), found.us);
}
"""
GO = """
package main

import "weft/bench/harness"

func main() {
	out := harness.New("ns/op")
	out.Add(1)
	out.Check("sum", 5, 5)
	out.Check("fib", 8, ANSWER)
	out.Finish()
}
"""
RUST = """
#[path = "HARNESS"]
#[allow(dead_code)]
mod harness;
fn main() {
    let mut out = harness::Report::new("rayon");
    out.measure("ns/op", |_| 1.0);
    out.check("sum", 5, 5);
    out.check("fib", 8, ANSWER);
    out.finish()
}
"""


def checks(path, seen):
    """Whether a source, or what it includes of the kernels and loops, compares an answer."""
    if path in seen or not path.exists() or any(folder in path.parents for folder in FRAMES):
        return False
    seen.add(path)
    text = path.read_text(encoding="utf-8")
    return bool(CHECK.search(text)) or any(
        checks((folder / name).resolve(), seen) for name in re.findall(r'#include "([^"]+)"', text)
        for folder in (path.parent, BENCH))


class Answers(unittest.TestCase):
    def test_every_program_compares_its_answer(self):
        sources = [p.resolve() for p in sorted((BENCH / "kernels").glob("*/*.*")) if p.suffix in (".cpp", ".go", ".rs")]
        self.assertGreater(len(sources), 100)
        self.assertEqual([str(p.relative_to(BENCH)) for p in sources if not checks(p, set())], [])

    def fails_visibly(self, runtime, build):
        """build(answer, program) makes a program that computes 8 and expects the answer."""
        for answer, code, said in ((8, 0, "All answers of 1 processes were right."),
                                   (9, 1, f"FAILED: fib {runtime} on 1: wrong answer: fib is 8, not 9\n")):
            folder = Folder([kernel(runtimes=[runtime])], {})
            self.addCleanup(folder.temporary.cleanup)
            build(answer, folder.path / "bench" / f"bench_fib_{runtime}")
            done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
            self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
            self.assertIn(said, done.stdout)
            self.assertEqual(json.loads(folder.out().read_text())["processes"][0]["failure"] == "", code == 0)

    def compiled(self, command, **named):
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, **named)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("g++") or shutil.which("c++"), "there is no C++ compiler")
    def test_a_wrong_answer_in_cpp_fails_the_run(self):
        compiler = shutil.which("g++") or shutil.which("c++")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cpp"
            source.write_text(CPP)
            self.fails_visibly("tbb", lambda answer, program: self.compiled(
                [compiler, "-std=c++20", f"-I{BENCH}", '-DBENCH_KERNEL="fib"', '-DBENCH_RUNTIME="tbb"',
                 f"-DANSWER={answer}", source, "-o", program]))

    @unittest.skipUnless(shutil.which("g++") or shutil.which("c++"), "there is no C++ compiler")
    def test_a_region_in_which_a_member_leaves_a_part_out_is_a_wrong_answer(self):
        compiler = shutil.which("g++") or shutil.which("c++")
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "a"
            source.write_text(EPCC)
            for construct, all_, sum_, note in (
                    ("parallel", "true", 2, ""), ("parallel", "false", 2, "members that left a part out is 1, not 0"),
                    ("reduction", "true", 2, ""), ("reduction", "true", 1, "sum is 1000, not 2000"),
                    ("reduction", "false", 2, "members that left a part out is 1, not 0")):
                self.compiled([compiler, "-std=c++20", f"-I{BENCH}", f'-DBENCH_KERNEL="epcc_{construct}"',
                               '-DBENCH_RUNTIME="weft"', f"-DALL={all_}", f"-DSUM={sum_}", source, "-o", program])
                done = subprocess.run([program, "--workers", "2", "--scale", "quick"], capture_output=True, text=True,
                                      timeout=50)
                said = json.loads(done.stdout)
                self.assertEqual((said["ok"], said["note"]), (not note, note))

    @unittest.skipUnless(shutil.which("g++") or shutil.which("c++"), "there is no C++ compiler")
    def test_a_wrong_reading_of_a_task_s_work_is_found(self):
        compiler = shutil.which("g++") or shutil.which("c++")
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "a"
            source.write_text(WORK)
            for false, code, out, err in (
                    (0, 0, "20000 100", ""), (1, 0, "20000 100", ""), (3, 0, "20000 100", ""),
                    (10**6, 2, "", "work of 100 us cannot be told")):
                self.compiled([compiler, "-std=c++20", f"-I{BENCH}", '-DBENCH_KERNEL="task_spawn_100us"',
                               '-DBENCH_RUNTIME="weft"', f"-DFALSE={false}", source, "-o", program])
                done = subprocess.run([program], capture_output=True, text=True, timeout=50)
                self.assertEqual((done.returncode, done.stdout), (code, out))
                self.assertIn(err, done.stderr)

    @unittest.skipUnless(shutil.which("go"), "there is no Go")
    def test_a_wrong_answer_in_go_fails_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder)
            (module / "harness").mkdir()
            shutil.copy(BENCH / "harness" / "harness.go", module / "harness")
            shutil.copy(BENCH / "go.mod", module)
            settings = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOWORK": "off",
                        "CGO_ENABLED": "0"}

            def build(answer, program):
                (module / "main.go").write_text(GO.replace("ANSWER", str(answer)))
                self.compiled(["go", "build", "-ldflags", "-X weft/bench/harness.Kernel=fib", "-o", program, "main.go"],
                              cwd=module, env=settings)
            self.fails_visibly("go", build)

    @unittest.skipUnless(shutil.which("rustc"), "there is no Rust")
    def test_a_wrong_answer_in_rust_fails_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.rs"

            def build(answer, program):
                source.write_text(RUST.replace("HARNESS", str(BENCH / "rust" / "harness.rs"))
                                  .replace("ANSWER", str(answer)).replace('"rayon"', '"go"'))
                self.compiled(["rustc", "--edition", "2021", "-o", program, source])
            self.fails_visibly("go", build)


class Names(unittest.TestCase):
    def test_each_kernel_is_in_the_table_of_the_page(self):
        page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
        table = page[page.index("\n## Kernels\n"):page.index("\n## Runtimes")]
        shown, row = set(), []
        for line in table.splitlines():
            above, row = row, []
            for name in re.findall(r"`([^`]+)`", line.split("|")[1] if line.startswith("|") else ""):
                if name.startswith("..._"):  # of each name of the row above
                    row += [first + name.removeprefix("...") for first in above]
                elif name.startswith("_"):  # another end of the first name, or one more
                    parts = row[0].split("_")
                    row += ["_".join(parts[:n + 1]) + name for n in range(len(parts))]
                else:
                    row.append(name)
            shown |= set(row)
        missing = []
        for path in sorted((BENCH / "kernels").glob("*/kernel.cmake")):
            for program in re.findall(r"\bbench_kernel\((\S+)", path.read_text(encoding="utf-8")):
                begin, loop, _ = program.partition("${")  # what a loop of the file puts in may stand for several
                if not any(name == program or name.endswith("_") and program.startswith(name) or
                           loop and name.startswith(begin) for name in shown):
                    missing.append(program)
        self.assertEqual(missing, [])


class Runtimes(unittest.TestCase):
    def test_loops_are_aligned_wherever_programs_of_cpp_are_compiled(self):
        compiling, unaligned = [], []
        for path in sorted(BENCH.rglob("*.cmake")):
            for name, body in re.findall(r"^function\((\w+)(.*?)^endfunction\(\)", path.read_text(encoding="utf-8"),
                                         re.M | re.S):
                if "BENCH_KERNEL=" in body:  # which all frames in C++ want
                    compiling.append(name)
                    unaligned += [] if "${bench_aligned_loops}" in body else [name]
        self.assertGreater(len(compiling), 2)
        self.assertEqual(unaligned, [])

    def test_each_program_of_the_run_is_written_in_c_and_in_cpp(self):
        programs = [p.parent for p in sorted((BENCH / "kernels").glob("*/kernel.cmake"))
                    if re.search(r"\bPROGRAM\b", p.read_text(encoding="utf-8"))]
        self.assertGreater(len(programs), 5)
        for source in ("weft.cpp", "weft_cpp.cpp"):
            self.assertEqual([p.name for p in programs if not (p / source).exists() and not (p / "forks.cpp").exists()],
                             [], f"{source} is in none of them, nor forks.cpp")

    def test_each_that_is_there_says_how_it_idles(self):
        silent = []
        for path in sorted((BENCH / "runtimes").glob("*.cmake")):
            calls = re.findall(r"^ *bench_runtime\((.*?)\)$", path.read_text(encoding="utf-8"), re.M | re.S)
            silent += [path.name for call in calls if "MISSING" not in call and "POLICY" not in call]
        self.assertEqual(silent, [])


if __name__ == "__main__":
    unittest.main()
