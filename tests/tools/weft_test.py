# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the weft command, with programs that only pretend to measure."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from weft_cli import manifest, plan, progress, results, runner, table  # noqa: E402

# What a pretended benchmark starts with; `answer` prints the line that a real one prints.
PRELUDE = """#!{python} -SE
import json, os, pathlib, signal, sys, time
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
def answer(samples, ok=True, note=""):
    print(json.dumps(dict(kernel="k", runtime="r", workers=int(arguments["--workers"]), unit="s",
                          samples=samples, ok=ok, note=note)))
    sys.exit(0 if ok else 1)
"""


def kernel(name="fib", runtimes=("weft", "tbb"), workers=None, **more):
    fields = {"unit": "ns/op", "title": "a title", "program": True, "once": False, "data": False}
    return {"name": name, "workers": workers, "runtimes": list(runtimes), **fields, **more}


class Folder:
    """A build directory with pretended benchmarks."""

    def __init__(self, kernels, programs, missing=None):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        bench = self.path / "bench"
        bench.mkdir()
        (bench / "manifest.json").write_text(json.dumps({
            "compiler": "GNU 12.2.0", "build_type": "Release", "processor": "x86_64",
            "numbers": {"quick": 10, "full": 100}, "missing": missing or {}, "kernels": kernels}))
        for name, body in programs.items():
            program = bench / name
            program.write_text(PRELUDE.format(python=sys.executable) + body + "\n")
            program.chmod(0o755)

    def weft(self, *arguments):
        command = [sys.executable, ROOT / "tools" / "weft", *arguments, "--build", self.path]
        return subprocess.run(command, capture_output=True, text=True, timeout=50)

    def json_lines(self):
        return [json.loads(line) for line in (self.path / "out.json").read_text().splitlines()]


class Bench(unittest.TestCase):
    def folder(self, *arguments, **named):
        made = Folder(*arguments, **named)
        self.addCleanup(made.temporary.cleanup)
        return made

    def test_prints_a_table_and_writes_one_object_in_each_line(self):
        folder = self.folder([kernel()], {"bench_fib_weft": "answer([2, 4, 3])",
                                          "bench_fib_tbb": "answer([6, 9, 30], note='here')"})
        done = folder.weft("bench", "--workers", "1", "--repeat", "2", "--json",
                           folder.path / "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"fib +tbb +ns/op +1 +9 +6 +3\.00 +6\n")
        rows = {line["runtime"]: line for line in folder.json_lines()}
        self.assertEqual(rows["weft"], {
            "kernel": "fib", "runtime": "weft", "workers": 1, "unit": "ns/op", "median": 3,
            "min": 2, "max": 4, "runs": 6, "ok": True, "note": "", "line_ns": None, "left_out": 0})
        self.assertEqual((rows["tbb"]["median"], rows["tbb"]["note"]), (9, "here"))

    def test_a_wrong_answer_fails_the_run_visibly(self):
        folder = self.folder([kernel()], {
            "bench_fib_weft": "answer([1])",
            "bench_fib_tbb": "answer([2], ok=False, note='fib is 8, not 5')"})
        done = folder.weft("bench", "--workers", "1", "--json", folder.path / "out.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: fib tbb on 1: wrong answer: fib is 8, not 5", done.stdout)
        self.assertNotIn("were right", done.stdout)
        self.assertEqual([line["ok"] for line in folder.json_lines()], [True, False])

    def test_a_process_that_dies_fails_the_run_with_what_it_said_last(self):
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "print('the reason', file=sys.stderr)\nos.abort()"})
        done = folder.weft("bench", "--workers", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: fib weft on 1: ended by signal 6: the reason", done.stdout)

    def test_a_missing_program_fails_the_run(self):
        done = self.folder([kernel(runtimes=["weft"])], {}).weft("bench", "--workers", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it cannot be started: No such file", done.stdout)

    def test_missing_runtimes_are_named_with_the_reason(self):
        folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": "answer([1])"},
                             missing={"tbb": "oneTBB was not found"})
        for command in ("bench --workers 1", "bench --list", "run --workers 1"):
            done = folder.weft(*command.split())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("tbb is missing: oneTBB was not found", done.stdout)

    def test_an_interruption_keeps_what_is_done_and_ends_the_process(self):
        for name in ("SIGINT", "SIGTERM"):
            folder = self.folder([kernel()], {
                "bench_fib_weft": "answer([1])",
                "bench_fib_tbb": "folder = pathlib.Path(__file__).parent\n"
                                 "(folder / 'pid').write_text(str(os.getpid()))\n"
                                 f"os.kill(os.getppid(), signal.{name})\ntime.sleep(1000)"})
            done = folder.weft("bench", "--workers", "1", "--json", folder.path / "out.json")
            self.assertEqual(done.returncode, 130, done.stderr)
            self.assertIn("Interrupted after 1 of 6 processes", done.stdout)
            self.assertEqual([line["runtime"] for line in folder.json_lines()], ["weft"])
            with self.assertRaises(ProcessLookupError):
                os.kill(int((folder.path / "bench" / "pid").read_text()), 0)

    def test_processes_are_pinned_where_there_are_enough_processors(self):
        body = "answer([1], note=','.join(map(str, sorted(os.sched_getaffinity(0)))))"
        folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": body})
        cpus = sorted(os.sched_getaffinity(0))
        folder.weft("bench", "--workers", f"1,{len(cpus) + 1}", "--json", folder.path / "out.json")
        notes = [line["note"] for line in folder.json_lines()]
        self.assertEqual(notes, [str(cpus[0]), ",".join(map(str, cpus))])

    def test_scale_and_samples_reach_the_program(self):
        body = "answer([1], note=arguments['--scale'] + ' ' + arguments['--runs'])"
        folder = self.folder([kernel(runtimes=["weft"]), kernel("idle", ["weft"], once=True)],
                             {"bench_fib_weft": body, "bench_idle_weft": body})
        folder.weft("bench", "--quick", "--workers", "1", "--json", folder.path / "out.json")
        notes = [line["note"] for line in folder.json_lines()]
        self.assertEqual(notes, [f"quick {runner.SAMPLES}", "quick 1"])

    def test_the_file_of_numbers_is_written_once(self):
        folder = self.folder(
            [kernel("sort", ["weft"], data=True)],
            {"bench_sort_weft": "answer([1], note=pathlib.Path(arguments['--data']).read_text())",
             "bench_make_numbers": "pathlib.Path(sys.argv[2]).open('a').write(sys.argv[1])"})
        done = folder.weft("bench", "--workers", "1", "--json", folder.path / "out.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(folder.json_lines()[0]["note"], "100")

    def test_the_distance_of_the_processors_is_noted(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor has no distance")
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "answer([1])",
            "bench_line_distance": "print('{\"one_way_ns\": 42.0}')"})
        done = folder.weft("bench", "--workers", "1,2", "--json", folder.path / "out.json")
        self.assertIn("A cache line took 42 to 42 ns", done.stdout)
        self.assertEqual([line["line_ns"] for line in folder.json_lines()], [None, 42])

    def test_run_compares_programs_side_by_side(self):
        folder = self.folder(
            [kernel("uts", ["weft", "serial"], unit="s"), kernel("micro", ["weft"], program=False)],
            {"bench_uts_weft": "answer([0.5 / int(arguments['--workers'])])",
             "bench_uts_serial": "answer([1.5])"})
        done = folder.weft("run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"uts +s +1 +0\.5 +1\.5\n")
        self.assertRegex(done.stdout, r"uts +1 +1\.00 +3\.00\n")
        self.assertRegex(done.stdout, r"uts +2 +1\.00 +-\n")
        self.assertIn("uts 2.00x with 2", done.stdout)
        self.assertNotIn("micro", done.stdout)
        self.assertIn("[1/3] uts weft on 1: ", done.stderr)

    def test_bad_arguments_give_one_sentence(self):
        folder = self.folder([kernel()], {})
        for arguments, words in (
                (["bench", "--workers", "0"], "'0' is not a number from 1 to 1024"),
                (["bench", "--workers", "1,x"], "'x' is not a number"),
                (["bench", "--only", "nothing"], "there is no kernel nothing; there are fib"),
                (["bench", "--runtimes", "rust"], "there is no runtime rust"),
                (["bench", "--only", "fib", "--runtimes", "go"], "nothing to run"),
                (["bench", "--colour"], "unrecognized arguments: --colour"),
                (["bench", "--json", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
                (["weave"], "invalid choice: 'weave'")):
            done = folder.weft(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_info_without_a_library_is_refused(self):
        folder = self.folder([kernel()], {})
        done = folder.weft("info")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", (
            f"weft: there is no library {folder.path}/libweft.so: build it, or name a build "
            "directory by --build\n")))

    def test_a_folder_without_benchmarks_is_refused(self):
        command = [sys.executable, ROOT / "tools" / "weft", "bench", "--build", "/nowhere"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are no benchmarks in /nowhere", done.stderr)


def made(name, runtimes, workers=None):
    fields = kernel(name, runtimes, workers)
    return manifest.Kernel(**{**fields, "runtimes": tuple(runtimes)})


def outcome(job, samples, distances=(), failure=""):
    return runner.Outcome(job, samples, failure, "", 1.0, tuple(distances))


class Plan(unittest.TestCase):
    def test_runtimes_take_turns_and_each_turn_begins_with_another(self):
        fib = made("fib", ["weft", "tbb", "go"])
        jobs = plan.plan([fib], ["weft", "tbb", "go"], [2], 2)
        self.assertEqual([j.runtime for j in jobs], ["weft", "tbb", "go", "tbb", "go", "weft"])

    def test_serial_runs_with_one_worker_only(self):
        fib = made("fib", ["weft", "serial"])
        jobs = plan.plan([fib], ["weft", "serial"], [1, 2], 1)
        self.assertEqual([(j.runtime, j.workers) for j in jobs],
                         [("weft", 1), ("serial", 1), ("weft", 2)])

    def test_a_kernel_for_one_worker_runs_so_whatever_is_asked(self):
        jobs = plan.plan([made("yield", ["weft"], workers=1)], ["weft"], [2, 4], 1)
        self.assertEqual([j.workers for j in jobs], [1])


class Results(unittest.TestCase):
    def setUp(self):
        fib = made("fib", ["weft", "tbb"])
        self.weft = plan.Job(fib, "weft", 2)
        self.tbb = plan.Job(fib, "tbb", 2)

    def medians(self, outcomes):
        return {row.runtime: (row.median, row.left_out) for row in results.rows(outcomes)}

    def test_like_is_compared_with_like(self):
        near, far, moved = (30, 31), (130, 128), (30, 130)
        self.assertEqual(self.medians([
            outcome(self.weft, [1], near), outcome(self.weft, [9], far),
            outcome(self.tbb, [2], near), outcome(self.tbb, [99], moved)]),
            {"weft": (1, 1), "tbb": (2, 1)})

    def test_a_far_period_counts_when_all_have_one(self):
        near, far = (30, 31), (130, 128)
        self.assertEqual(self.medians([
            outcome(self.weft, [1], near), outcome(self.weft, [9], far),
            outcome(self.tbb, [20], far)]), {"weft": (9, 1), "tbb": (20, 0)})

    def test_without_a_common_period_all_count(self):
        self.assertEqual(self.medians([
            outcome(self.weft, [1], (30, 30)), outcome(self.tbb, [20], (130, 130))]),
            {"weft": (1, 0), "tbb": (20, 0)})

    def test_a_failed_process_leaves_no_figure(self):
        rows = results.rows([outcome(self.weft, [1]), outcome(self.weft, [], failure="it hangs"),
                             outcome(self.tbb, [2])])
        self.assertEqual([(r.ok, r.median) for r in rows], [(False, None), (True, 2)])
        self.assertIsNone(results.ratio(rows[1], rows))

    def test_figures_have_three_digits(self):
        self.assertEqual([table.figure(v) for v in (None, 1234567.8, 123.4, 1.2345, 0.0123)],
                         ["-", "1,234,568", "123", "1.23", "0.012"])


class ProgressLine(unittest.TestCase):
    def test_the_time_left_knows_jobs_that_ran_before(self):
        fib = made("fib", ["weft", "tbb"])
        short, long = plan.Job(fib, "weft", 1), plan.Job(fib, "tbb", 1)
        line = progress.Progress([short, long, short, long], open(os.devnull, "w"), False)
        self.addCleanup(line.stream.close)
        self.assertIsNone(line.left())
        line.finished(runner.Outcome(short, [1], "", "", 2.0))
        self.assertEqual(line.left(), 6.0)
        line.finished(runner.Outcome(long, [1], "", "", 90.0))
        self.assertEqual(line.left(), 92.0)
        self.assertEqual(progress.duration(line.left()), "1 min 32 s")


if __name__ == "__main__":
    unittest.main()
