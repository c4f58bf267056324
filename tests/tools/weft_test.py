# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the weft command, with programs that only pretend to measure."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest
import unittest.mock

sys.dont_write_bytecode = True

from bench_folder import ROOT, RUNTIMES, Folder, kernel  # noqa: E402
from weft_cli import machine, manifest, place, plan, progress, record, results, runner, table, tree  # noqa: E402


class Bench(unittest.TestCase):
    def folder(self, *arguments, **named):
        made = Folder(*arguments, **named)
        self.addCleanup(made.temporary.cleanup)
        return made

    def test_prints_a_table_and_keeps_every_sample(self):
        folder = self.folder([kernel()], {"bench_fib_weft": "answer([2, 4, 3])",
                                          "bench_fib_tbb": "answer([6, 9, 30], note='here')"})
        done = folder.weft("bench", "--workers", "1", "--repeat", "2", "--json", folder.out())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"fib +tbb +ns/op +1 +9 +6 +3\.00 +6\n")
        self.assertEqual(
            [(p["kernel"], p["runtime"], p["workers"], p["turn"], p["samples"], p["note"])
             for p in folder.processes()],
            [("fib", "weft", 1, 0, [2, 4, 3], ""), ("fib", "tbb", 1, 0, [6, 9, 30], "here"),
             ("fib", "tbb", 1, 1, [6, 9, 30], "here"), ("fib", "weft", 1, 1, [2, 4, 3], "")])

    def test_the_file_says_on_what_and_how_it_was_measured(self):
        folder = self.folder([kernel(figure="paper-10")], {
            "bench_fib_weft": "answer([1])", "bench_fib_tbb": "answer([1])"},
            missing={"go": ("Go was not found", "golang-go")})
        folder.weft("bench", "--quick", "--workers", "1", "--json", folder.out())
        held = folder.written()
        self.assertEqual(held["machine"], machine.facts())
        self.assertEqual(held["options"], {"command": "bench", "only": None, "runtimes": None,
                                           "workers": [1], "quick": True, "repeat": 3,
                                           "timeout": 120, "near": 0})
        self.assertEqual((held["build"]["compiler"], held["build"]["build_type"]),
                         ("GNU 12.2.0", "Release"))
        self.assertEqual((held["build"]["commit"], held["build"]["dirty"]),
                         (tree.commit(), tree.dirty()))
        self.assertEqual({r["name"]: (r["version"], r["missing"]) for r in held["runtimes"]
                          if r["name"] in ("tbb", "go")},
                         {"tbb": ("1.2", ""), "go": ("1.2", "Go was not found")})
        self.assertEqual(held["figures"]["paper-10"]["number"], "Figure 10")
        self.assertEqual(held["sources"]["paper"]["authors"], "A. Author")
        self.assertEqual(held["planned"], 6)

    def test_a_wrong_answer_fails_the_run_visibly(self):
        folder = self.folder([kernel()], {
            "bench_fib_weft": "answer([1])",
            "bench_fib_tbb": "answer([2], ok=False, note='fib is 8, not 5')"})
        done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: fib tbb on 1: wrong answer: fib is 8, not 5", done.stdout)
        self.assertNotIn("were right", done.stdout)
        self.assertEqual([p["failure"] for p in folder.processes()], [
            "", "wrong answer: fib is 8, not 5"])

    def test_samples_that_are_no_figures_fail_the_run(self):
        for sample, words in ("float('nan')", "nan"), ("float('inf')", "inf"), ("-3", "-3"):
            folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": f"answer([1, {sample}])"})
            done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"FAILED: fib weft on 1: a sample is {words}\n", done.stdout)
            self.assertEqual(folder.processes()[0]["samples"], [])

    def test_lines_that_a_runtime_prints_of_itself_are_no_failure(self):
        folder = self.folder([kernel()], {"bench_fib_weft": "answer([2])",
                                          "bench_fib_tbb": "print('Starting'); print(end='', flush=True); answer([4])"})
        done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 0)
        self.assertEqual([p["samples"] for p in folder.processes()], [[2.0], [4.0]])

    def test_a_process_that_dies_fails_the_run_with_what_it_said_last(self):
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "print('the reason', file=sys.stderr)\nos.abort()"})
        done = folder.weft("bench", "--workers", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: fib weft on 1: ended by signal 6: the reason", done.stdout)

    def test_bytes_that_are_no_text_are_no_failure(self):
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush(); answer([2])"})
        done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(folder.processes()[0]["samples"], [2.0])

    def test_a_missing_program_fails_the_run(self):
        done = self.folder([kernel(runtimes=["weft"])], {}).weft("bench", "--workers", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it cannot be started: No such file", done.stdout)

    def test_missing_runtimes_are_named_with_the_reason(self):
        folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": "answer([1])"},
                             missing={"tbb": ("oneTBB was not found", "libtbb-dev")})
        for command in ("bench --workers 1", "bench --list", "run --workers 1"):
            done = folder.weft(*command.split())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("tbb is missing: oneTBB was not found; package libtbb-dev brings it", done.stdout)

    def test_an_interruption_keeps_what_is_done_and_ends_the_process(self):
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            folder = self.folder([kernel()], {
                "bench_fib_weft": "answer([1])",
                "bench_fib_tbb": "folder = pathlib.Path(__file__).parent\n"
                                 "(folder / 'pid').write_text(str(os.getpid()))\n"
                                 f"os.kill(os.getppid(), signal.{name})\ntime.sleep(1000)"})
            done = folder.weft_apart("bench", "--workers", "1", "--json", folder.out())
            self.assertEqual(done.returncode, 130, done.stderr)
            self.assertRegex(done.stdout, "Interrupted after 1 of 6 processes. "
                             f"`.*tools/weft bench --resume {folder.out()} --build {folder.path}` goes on.")
            self.assertEqual([p["runtime"] for p in folder.processes()], ["weft"])
            with self.assertRaises(ProcessLookupError):
                os.kill(int((folder.path / "bench" / "pid").read_text()), 0)

    def test_what_ignores_the_end_of_the_terminal_goes_on(self):
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "os.kill(os.getppid(), signal.SIGHUP); answer([1])"})
        command = ["nohup", sys.executable, ROOT / "tools" / "weft", "bench", "--workers", "1", "--build", folder.path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("All answers of 3 processes were right.", done.stdout)

    def test_an_interruption_while_a_process_is_started_ends_that(self):
        folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": "time.sleep(1000)"})
        started = []

        def start_and_interrupt(command, start=subprocess.Popen, **named):
            process = start(command, **named)
            if pathlib.Path(command[0]).name == "bench_fib_weft":
                started.append(process)
                signal.raise_signal(signal.SIGINT)
            return process

        with unittest.mock.patch("subprocess.Popen", start_and_interrupt):
            self.assertEqual(folder.weft("bench", "--workers", "1").returncode, 130)
        self.assertEqual(started[0].returncode, -signal.SIGKILL)

    def test_processes_are_pinned_where_there_are_enough_processors(self):
        body = "answer([1], note=','.join(map(str, sorted(os.sched_getaffinity(0)))))"
        folder = self.folder([kernel(runtimes=["weft"])], {"bench_fib_weft": body})
        cpus = sorted(os.sched_getaffinity(0))
        folder.weft("bench", "--workers", f"1,{len(cpus) + 1}", "--repeat", "1", "--json", folder.out())
        notes = [p["note"] for p in folder.processes()]
        self.assertEqual(notes, [str(cpus[0]), ",".join(map(str, cpus))])

    def test_scale_and_samples_reach_the_program(self):
        body = "answer([1], note=arguments['--scale'] + ' ' + arguments['--runs'])"
        folder = self.folder([kernel(runtimes=["weft"]), kernel("idle", ["weft"], once=True)],
                             {"bench_fib_weft": body, "bench_idle_weft": body})
        folder.weft("bench", "--quick", "--workers", "1", "--repeat", "1", "--json", folder.out())
        notes = [p["note"] for p in folder.processes()]
        self.assertEqual(notes, [f"quick {runner.SAMPLES}", "quick 1"])

    def test_the_file_of_numbers_is_written_once(self):
        folder = self.folder(
            [kernel("sort", ["weft"], data=True)],
            {"bench_sort_weft": "answer([1], note=pathlib.Path(arguments['--data']).read_text())",
             "bench_make_numbers": "pathlib.Path(sys.argv[2]).open('a').write(sys.argv[1])"})
        done = folder.weft("bench", "--workers", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(folder.processes()[0]["note"], "100")

    def test_the_distance_of_the_processors_is_noted(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor has no distance")
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "answer([1])",
            "bench_line_distance": "print('{\"one_way_ns\": 42.0}')"})
        done = folder.weft("bench", "--workers", "1,2", "--repeat", "1", "--json", folder.out())
        self.assertIn("A cache line took 42 to 42 ns", done.stdout)
        self.assertEqual([p["distances"] for p in folder.processes()], [[], [42, 42]])

    def test_a_distance_that_cannot_be_measured_is_none(self):
        for says in "", "print('{}')", "sys.exit(1)":
            folder = self.folder([kernel()], {"bench_line_distance": says})
            self.assertIsNone(machine.line_distance(folder.path / "bench"))
        slow = subprocess.TimeoutExpired("bench_line_distance", 30)
        with unittest.mock.patch("subprocess.run", side_effect=slow):
            self.assertIsNone(machine.line_distance(folder.path / "bench"))

    def test_waits_for_near_processors_as_long_as_it_is_told(self):
        if len(machine.processors()) < 2:
            self.skipTest("one processor has no distance")
        # Near, then far twice, then near; and so on.
        place = "pathlib.Path(__file__).with_name('times')"
        far = (f"n = {place}.stat().st_size if {place}.exists() else 0; {place}.write_text('x' * (n + 1)); "
               "print(json.dumps({'one_way_ns': 150.0 if n % 4 in (1, 2) else 30.0}))")
        for patience, distances in (("5", [[30, 150], [30, 30]]), (None, [[30, 150], [150, 30]])):
            folder = self.folder([kernel()], {"bench_fib_weft": "answer([1])", "bench_fib_tbb": "answer([1])",
                                              "bench_line_distance": far})
            wanted = ["--near", patience] if patience else []
            folder.weft("bench", "--workers", "2", "--repeat", "1", *wanted, "--json", folder.out())
            self.assertEqual([p["distances"] for p in folder.processes()], distances)

    def test_knows_how_near_the_processors_were_in_earlier_processes(self):
        if len(machine.processors()) < 2:
            self.skipTest("one processor has no distance")
        made_of = manifest_of(self, [kernel()])
        job = plan.Job(made_of.kernels[0], "weft", 2)

        def distances(taken, processes, earlier=()):
            """Those of so many processes, where one after the other of these is taken."""
            with (unittest.mock.patch("weft_cli.machine.line_distance", side_effect=taken),
                  unittest.mock.patch("time.sleep")):
                run = runner.Runner(made_of, True, 9, earlier, 600)
                return [run.run(job).distances for _ in range(processes)]
        # In a run that this one goes on with; in this run after a process, and before one.
        self.assertEqual(distances([150.0, 31.0, 32.0], 1, [outcome(job, [1], (150.0, 30.0))]), [(31.0, 32.0)])
        self.assertEqual(distances([150.0, 30.0, 150.0, 31.0, 32.0], 2), [(150.0, 30.0), (31.0, 32.0)])
        self.assertEqual(distances([30.0, 150.0, 150.0, 31.0, 32.0], 2), [(30.0, 150.0), (31.0, 32.0)])

    def test_run_compares_programs_side_by_side(self):
        folder = self.folder(
            [kernel("uts", ["weft", "serial"], unit="s"), kernel("micro", ["weft"], program=False)],
            {"bench_uts_weft": "answer([0.5 / int(arguments['--workers'])])",
             "bench_uts_serial": "answer([1.5])"})
        done = folder.weft("run", "--workers", "1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"uts +s +1 +0\.5 +1\.5\n")
        self.assertRegex(done.stdout, r"uts +1 +1\.00 +3\.00\n")
        self.assertRegex(done.stdout, r"uts +2 +1\.00 +-\n")
        self.assertIn("uts 2.00x with 2", done.stdout)
        self.assertNotIn("micro", done.stdout)
        self.assertIn("[1/3] uts weft on 1: ", done.stderr)

    def test_run_compares_what_clang_compiled_with_what_clang_compiled(self):
        kernels = [kernel("uts", ["weft", "weft-so", "libomp", "weft_clang"], unit="s")]
        programs = {f"bench_uts_{r}": f"answer([{t}])" for r, t in (
            ("weft", 8), ("weft-so", 8), ("libomp", 3), ("weft_clang", 2))}
        folder = self.folder(kernels, programs)
        done = folder.weft("run", "--workers", "1")
        self.assertRegex(done.stdout, r"program +workers +weft +libomp +weft_clang\nuts +1 +1\.00 +1\.50 +0\.25\n")
        self.assertNotIn("two compilers", done.stdout)
        page = (folder.path / "bench" / "run.html").read_text()
        self.assertIn("A program that clang compiled is compared with Weft's that clang compiled", page)
        # Nothing is to be compared with it where OpenMP of clang's does not take part.
        folder = self.folder(kernels, programs, missing={"libomp": ("it was not found", "libomp")})
        folder.weft("run", "--workers", "1")
        self.assertEqual([p["runtime"] for p in record.read(folder.path / "bench" / "run.json")["processes"]], ["weft"])
        self.assertNotIn("A program that clang", (folder.path / "bench" / "run.html").read_text())

    def test_a_comparison_of_two_compilers_is_said_to_be_one(self):
        folder = self.folder([kernel("uts", ["weft", "libomp", "weft_clang"], unit="s")], {
            "bench_uts_weft": "answer([8])", "bench_uts_libomp": "answer([3])"})
        for command in "run", "bench":
            done = folder.weft(command, "--workers", "1,2", "--repeat", "1", "--runtimes", "weft,libomp")
            self.assertIn("another compiler, and so two compilers as well: libomp in 2.\n", done.stdout)
        page = (folder.path / "bench" / "run.html").read_text()
        self.assertIn("another compiler, and so two compilers as well: LLVM OpenMP in 2.", page)
        self.assertNotIn("A program that clang", page)

    def test_the_command_that_goes_on_can_be_typed_where_it_was_said(self):
        self.assertEqual(pathlib.Path(os.path.abspath(place.command())), ROOT / "tools" / "weft")
        with unittest.mock.patch("pathlib.Path.cwd", return_value=ROOT):
            self.assertEqual(place.command(), "tools/weft")
        with unittest.mock.patch("weft_cli.place.TREE", None):
            self.assertEqual(place.command(), "weft")

    def test_a_second_run_leaves_what_the_first_has_measured(self):
        interrupts = "os.kill(os.getppid(), signal.SIGINT)\ntime.sleep(1000)"
        folder = self.folder([kernel("uts", ["weft", "tbb"], unit="s")], {
            "bench_uts_weft": "answer([0.5])", "bench_uts_tbb": interrupts})
        first = folder.weft_apart("run", "--workers", "1")
        path, kept = folder.path / "bench" / "run.json", folder.path / "bench" / "run-before.json"
        self.assertEqual(first.returncode, 130, first.stderr)
        self.assertIn(f"weft run --resume {path}", first.stdout)
        before = path.read_text()
        folder.program("bench_uts_weft", interrupts)
        second = folder.weft_apart("run", "--workers", "1")
        self.assertIn(f"The results of the run before: {kept}\n", second.stdout)
        self.assertEqual((kept.read_text(), json.loads(path.read_text())["processes"]), (before, []))
        folder.weft_apart("run", "--workers", "1")  # what has measured nothing takes no other's place
        self.assertEqual(kept.read_text(), before)

    def test_run_ends_with_the_report(self):
        folder = self.folder([kernel("uts", ["weft"], unit="s")], {"bench_uts_weft": "answer([0.5])"})
        done = folder.weft("run", "--workers", "1")
        page = folder.path / "bench" / "run.html"
        self.assertIn(f"Report: {page}\n", done.stdout)
        self.assertIn("uts of the test", page.read_text())

    def test_kernels_are_chosen_by_name_figure_group_and_pattern(self):
        kernels = [kernel("fib", group="tasks"), kernel("fibers", group="tasks"),
                   kernel("loop", group="loops", figure="paper-10")]
        listed = manifest_of(self, kernels).choose_kernels
        for only, expected in (
                (["fib"], ["fib"]), (["fib*"], ["fib", "fibers"]), (["paper-*"], ["loop"]),
                (["!fib"], ["fibers", "loop"]), (["tasks", "!fibers"], ["fib"]),
                (["!paper-10"], ["fib", "fibers"]),
                (["tasks"], ["fib", "fibers"]), (["loops", "fib"], ["fib", "loop"]),
                (None, ["fib", "fibers", "loop"])):
            self.assertEqual([k.name for k in listed(only)], expected)

    def test_the_doctor_names_what_is_missing_and_what_brings_it(self):
        folder = self.folder([kernel()], {"bench_fib_weft": "answer([1])"},
                             missing={"go": ("Go was not found", "golang-go"),
                                      "gomp": ("it is not there", "gomp (its source)")})
        done = folder.weft("bench", "--doctor")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"go +missing +- +Go: Go was not found; package golang-go brings it\n")
        self.assertIn("From Debian: apt-get install golang-go;", done.stdout)
        self.assertIn("From elsewhere: gomp (its source);", done.stdout)
        self.assertIn("1 programs are not built (fib tbb is the first)", done.stdout)
        folder.program("bench_fib_tbb", "answer([1])")
        done = folder.weft("bench", "--doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("not built", done.stdout)

    def test_options_in_the_environment_are_told_and_recorded(self):
        folder = self.folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "answer([1], note=os.environ['OMP_WAIT_POLICY'])"})
        with unittest.mock.patch.dict(os.environ, {"OMP_WAIT_POLICY": "active", "GOGC": "off", "QT_IM_MODULE": "x"}):
            self.assertRegex(folder.weft("bench", "--doctor").stdout, "Figures may suffer: the environment sets "
                             "options of runtimes, which each program gets: (.* )?GOGC=off .*OMP_WAIT_POLICY=active")
            done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
        self.assertRegex(done.stdout, "The environment sets (.* )?GOGC=off .*OMP_WAIT_POLICY=active")
        held = folder.written()["machine"]["environment"]
        self.assertEqual((held["GOGC"], held["OMP_WAIT_POLICY"], "QT_IM_MODULE" in held), ("off", "active", False))
        self.assertEqual(folder.processes()[0]["note"], "active")

    def test_bad_arguments_give_one_sentence(self):
        folder = self.folder([kernel()], {})
        for arguments, words in (
                (["bench", "--workers", "0"], "'0' is not a number from 1 to 1024"),
                (["bench", "--workers", "1,x"], "'x' is not a number"),
                (["bench", "--only", "nothing"], "there is no kernel, figure or group nothing; --list"),
                (["bench", "--only", "fibb"], "there is no kernel, figure or group fibb; did you mean fib?"),
                (["bench", "--runtimes", "rust"], "there is no runtime rust"),
                (["bench", "--only", "fib", "--runtimes", "go"], "nothing to run"),
                (["bench", "--runtimes", "!rust"], "there is no runtime rust"),
                (["bench", "--colour"], "unrecognized arguments: --colour"),
                (["bench", "--json", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
                (["bench", "--json", "a", "--resume", "b"], "not allowed with argument"),
                (["bench", "--resume", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
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

    def test_a_library_that_cannot_be_loaded_is_refused(self):
        folder = self.folder([kernel()], {})
        (folder.path / "libweft.so").write_text("no library")
        done = folder.weft("info")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("libweft.so: ", done.stderr)
        self.assertNotIn("None", done.stderr)

    def test_a_manifest_of_another_version_is_refused(self):
        folder = self.folder([kernel()], {})
        path = folder.path / "bench" / "manifest.json"
        path.write_text(path.read_text().replace('"compiler"', '"compilers"'))
        done = folder.weft("bench", "--list")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("manifest.json is of another version: KeyError 'compiler'; configure", done.stderr)

    def test_a_manifest_or_figures_that_cannot_be_read_are_refused(self):
        folder = Folder([kernel()], {})
        self.addCleanup(folder.temporary.cleanup)
        figures, path = folder.path / "bench" / "figures.toml", folder.path / "bench" / "manifest.json"
        whole = path.read_text()
        for file, text, said in ((figures, "[", "figures.toml is not valid: "), (figures, "source = 1\nfigure = 1\n",
                                 "manifest.json is of another version: AttributeError"),
                                 (path, "[" * 100_000, "manifest.json is not valid: maximum recursion")):
            path.write_text(whole)
            file.write_text(text)
            done = folder.weft("bench", "--list")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_an_option_that_is_no_text_is_recorded(self):
        folder = Folder([kernel()], {"bench_fib_weft": "answer([1])", "bench_fib_tbb": "answer([1], note='\\ud800')"})
        self.addCleanup(folder.temporary.cleanup)
        with unittest.mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": os.fsdecode(b"/a\xff")}):
            done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(folder.written()["machine"]["environment"]["LD_LIBRARY_PATH"], "/a\\xff")
        self.assertEqual([p["note"] for p in folder.processes()], ["", "?"])

    def test_a_system_without_a_name_can_be_measured(self):
        with unittest.mock.patch("platform.freedesktop_os_release", side_effect=OSError("no file")):
            self.assertEqual(machine.facts()["system"], "unknown")

    def test_results_of_a_run_are_not_where_its_report_goes(self):
        folder = self.folder([kernel()], {})
        done = folder.weft("run", "--json", folder.path / "mine.html")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("mine.html is where the report would be written; name the results otherwise", done.stderr)

    def test_a_folder_without_benchmarks_is_refused(self):
        command = [sys.executable, ROOT / "tools" / "weft", "bench", "--build", "/nowhere"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are no benchmarks in /nowhere", done.stderr)


class Resume(unittest.TestCase):
    """A file that an interruption left: Weft ran once, oneTBB interrupted the run."""

    def setUp(self):
        self.folder = Folder([kernel()], {
            "bench_fib_weft": "answer([1])",
            "bench_fib_tbb": "os.kill(os.getppid(), signal.SIGINT)\ntime.sleep(1000)"})
        self.addCleanup(self.folder.temporary.cleanup)
        done = self.folder.weft_apart("bench", "--workers", "1", "--repeat", "2", "--json",
                                      self.folder.out())
        self.assertEqual(done.returncode, 130, done.stderr)

    def edit(self, *path, to):
        content = self.folder.written()
        inner = content
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to
        self.folder.out().write_text(record.dumps(content))

    def resume(self, *arguments):
        return self.folder.weft("bench", "--resume", self.folder.out(), *arguments)

    def refused(self, words, *arguments):
        before = self.folder.out().read_text()
        done = self.resume(*arguments)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(self.folder.out().read_text(), before)

    def test_it_goes_on_where_the_file_stops(self):
        self.folder.program("bench_fib_tbb", "answer([2])")
        made = manifest.Manifest(self.folder.path)
        jobs = plan.plan(made.kernels, ["weft", "tbb"], lambda _: 1, lambda _: [1])
        self.edit("build", "programs", to=record.digest(made, jobs))
        done = self.resume()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 4 processes were done before.", done.stdout)
        self.assertEqual([(p["runtime"], p["turn"]) for p in self.folder.processes()],
                         [("weft", 0), ("tbb", 0), ("tbb", 1), ("weft", 1)])
        self.assertEqual(len(self.folder.written()["runs"]), 2)
        again = self.resume()
        self.assertIn("4 of 4 processes were done before.", again.stdout)
        self.assertEqual(len(self.folder.processes()), 4)
        more = self.resume("--repeat", "3")
        self.assertIn("4 of 6 processes were done before.", more.stdout)
        self.assertEqual([(p["runtime"], p["turn"]) for p in self.folder.processes()][4:], [("weft", 2), ("tbb", 2)])
        written = self.folder.written()
        self.assertEqual((written["options"]["repeat"], written["planned"]), (3, 6))

    def test_what_was_measured_is_not_measured_again_where_its_kernel_is_said_otherwise(self):
        folder = Folder([kernel()], {f"bench_fib_{r}": "answer([1])" for r in ("weft", "tbb")})
        self.addCleanup(folder.temporary.cleanup)
        folder.weft("bench", "--runtimes", "weft,tbb", "--workers", "1", "--repeat", "1", "--json", folder.out())
        path = folder.path / "bench" / "manifest.json"
        content = json.loads(path.read_text())
        content["kernels"][0]["runtimes"].append("go")
        content["kernels"][0]["title"] = "the same in other words"
        path.write_text(json.dumps(content))
        done = folder.weft("bench", "--resume", folder.out())
        self.assertIn("2 of 2 processes were done before.", done.stdout)
        self.assertEqual(len(folder.processes()), 2)

    def test_a_file_with_a_process_twice_is_refused(self):
        self.edit("processes", to=self.folder.processes() * 2)
        self.refused("is damaged: it has turn 0 of fib weft on 1 twice")

    def test_some_kernels_take_further_turns(self):
        folder = Folder([kernel(), kernel("nqueens")], {f"bench_{k}_{r}": "answer([1])" for k in ("fib", "nqueens")
                                                       for r in ("weft", "tbb")})
        self.addCleanup(folder.temporary.cleanup)
        folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", folder.out())

        def resume(*arguments):
            self.assertEqual(folder.weft("bench", "--resume", folder.out(), *arguments).returncode, 0)
            return [(p["kernel"], p["runtime"], p["turn"]) for p in folder.processes()][4:]
        self.assertEqual(resume("--only", "nqu*", "--repeat", "3"), [
            ("nqueens", "tbb", 1), ("nqueens", "weft", 1), ("nqueens", "weft", 2), ("nqueens", "tbb", 2)])
        self.assertEqual(len(resume()), 4)
        self.assertEqual(folder.written()["planned"], 8)
        self.assertEqual(resume("--repeat", "2")[4:], [("fib", "tbb", 1), ("fib", "weft", 1)])

    def test_further_turns_of_kernels_that_it_does_not_have_are_refused(self):
        folder = Folder([kernel(), kernel("ring"), kernel("away", ["go"])], {
            f"bench_{k}_{r}": "answer([1])" for k in ("fib", "ring") for r in ("weft", "tbb")})
        self.addCleanup(folder.temporary.cleanup)
        for begun, only, said in (("fib", "ring", "ring"), ("fib", "f*,ring,away", "ring, away"),
                                  ("fib", "!fib", "!fib"), ("fib,away", "away", "away")):
            folder.out().unlink(missing_ok=True)
            folder.weft("bench", "--only", begun, "--runtimes", "weft,tbb", "--workers", "1", "--repeat", "1",
                        "--json", folder.out())
            before = folder.out().read_text()
            done = folder.weft("bench", "--resume", folder.out(), "--only", only, "--repeat", "5")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", (
                f"weft: {folder.out()} was begun without {said}: only of its own kernels can more turns follow\n")))
            self.assertEqual(folder.out().read_text(), before)

    def test_a_tree_within_another_repository_is_at_none_of_its_commits(self):
        with unittest.mock.patch.object(place, "TREE", ROOT / "docs"):
            self.assertEqual((tree.commit(), tree.dirty()), (None, None))

    def test_another_commit_with_the_same_programs_goes_on(self):
        self.edit("build", "commit", to="0" * 40)
        self.edit("build", "dirty", to=not tree.dirty())
        self.assertIn("1 of 4 processes were done before.", self.folder.weft_apart(
            "bench", "--resume", self.folder.out()).stdout)

    def test_other_programs_are_refused(self):
        self.folder.program("bench_fib_tbb", "answer([2])")
        self.refused("cannot be resumed here: it is of another build (programs: ")

    def test_other_libraries_below_the_programs_are_refused(self):
        library, ldd = self.folder.path / "libtbb.so.12", self.folder.path / "ldd"
        ldd.write_text(f"#!/bin/sh\ncase $1 in *_tbb) echo '\tlibtbb.so.12 => {library} (0x1)';; *) exit 1;; esac\n")
        ldd.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder.path}:{os.environ['PATH']}"}):
            library.write_text("one")
            jobs = plan.plan(manifest.Manifest(self.folder.path).kernels, ["weft", "tbb"], lambda _: 1, lambda _: [1])
            self.edit("build", "libraries", to=record.libraries(manifest.Manifest(self.folder.path), jobs))
            self.assertEqual(list(self.folder.written()["build"]["libraries"]), ["tbb"])
            library.write_text("two")
            self.refused("it is of another build (libraries of tbb: ")
            library.write_text("one")
            self.assertIn("1 of 4 processes were done before.", self.folder.weft_apart(
                "bench", "--resume", self.folder.out()).stdout)

    def test_a_program_loads_the_libraries_that_the_system_finds(self):
        if not shutil.which("ldd"):
            self.skipTest("there is no ldd")
        found = record.loaded(pathlib.Path(sys.executable).resolve())
        self.assertIn("libc.so", " ".join(path.name for path in found))
        self.assertEqual([path for path in found if not path.is_file()], [])
        self.assertEqual(record.loaded(self.folder.path / "bench" / "bench_fib_weft"), [])

    def test_another_version_of_a_runtime_is_refused(self):
        self.edit("runtimes", [r["name"] for r in self.folder.written()["runtimes"]].index("tbb"), "version", to="1.1")
        self.refused("it is of another version of oneTBB (1.1, not 1.2)")

    def test_another_machine_is_refused(self):
        self.edit("machine", "processor", to="Abacus 1")
        self.refused("it is of another machine (processor: Abacus 1, not ")

    def test_another_environment_is_refused(self):
        cleared = unittest.mock.patch.dict(os.environ)
        cleared.start()
        self.addCleanup(cleared.stop)
        for name in "WEFT_SPIN_US", "OMP_WAIT_POLICY":
            os.environ.pop(name, None)
        kept = dict(machine.environment())
        self.edit("machine", "environment", to={**kept, "WEFT_SPIN_US": "0"})
        self.refused("it is of another environment (WEFT_SPIN_US: 0, not unset)")
        self.edit("machine", "environment", to=kept)
        with unittest.mock.patch.dict(os.environ, {"OMP_WAIT_POLICY": "active", "QT_QPA_PLATFORM": "offscreen"}):
            self.refused("it is of another environment (OMP_WAIT_POLICY: unset, not active)")

    def test_a_file_from_before_the_environment_was_recorded_goes_on(self):
        content = self.folder.written()
        del content["machine"]["environment"]
        self.folder.out().write_text(record.dumps(content))
        with unittest.mock.patch.dict(os.environ, {"OMP_WAIT_POLICY": "active"}):
            self.assertIn("1 of 4 processes were done before.", self.folder.weft_apart(
                "bench", "--resume", self.folder.out()).stdout)

    def test_other_options_are_refused(self):
        self.refused("--repeat 1 is less than the 2 that ", "--repeat", "1")
        self.refused("was begun with other options (--quick)", "--quick")

    def test_results_are_not_overwritten(self):
        before = self.folder.out().read_text()
        for path, words in ((self.folder.out(), "is there already: --resume goes on with it"),
                            (self.folder.path, "is no file"), ("/dev/null", "/dev/null is no file")):
            done = self.folder.weft("bench", "--json", path)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.folder.out().read_text(), before)

    def test_what_is_no_file_of_results_is_refused(self):
        for text, words in (("", "is not a file of results"), ("[1]", "it names no format"),
                            ('{"format": 99}', "has format 99, and this command reads format 1"),
                            ('{"format": 1}', "is damaged: machine is not as it should be, or missing")):
            self.folder.out().write_text(text)
            self.refused(words)

    def test_a_file_without_a_field_is_refused(self):
        for part, field in ("machine", "processors"), ("options", "command"), ("build", "programs"):
            content = self.folder.written()
            whole = self.folder.out().read_text()
            del content[part][field]
            self.folder.out().write_text(record.dumps(content))
            self.refused(f"is damaged: {part}.{field} is not as it should be, or missing")
            self.folder.out().write_text(whole)

    def test_a_file_with_a_field_of_another_kind_is_refused(self):
        nan = float("nan")
        for path, value in (
                (("processes", 0, "samples"), [nan]), (("processes", 0, "samples"), [1.0, -1.0]),
                (("processes", 0, "samples"), None), (("processes", 0, "workers"), 0),
                (("processes", 0, "failure"), None), (("processes", 0, "distances"), ["far"]),
                (("options", "repeat"), 0), (("options", "workers"), [0]), (("options", "further"), {"fib": "x"}),
                (("options", "only"), "fib"), (("planned",), "all"), (("runs",), []), (("runs", 0), {}),
                (("machine", "processors"), True), (("build", "commit"), 5), (("processes",), {})):
            whole = self.folder.out().read_text()
            self.edit(*path, to=value)
            self.refused(" is damaged: " + str(path[0]))
            self.folder.out().write_text(whole)

    def test_a_file_with_a_name_that_stands_for_nothing_is_refused(self):
        for path in (("processes", 0, "runtime"), ("processes", 0, "kernel"), ("kernels", 0, "group"),
                     ("kernels", 0, "figure")):
            whole = self.folder.out().read_text()
            self.edit(*path, to="nobody")
            self.refused("is damaged: KeyError 'nobody'")
            self.folder.out().write_text(whole)


def manifest_of(case, kernels):
    folder = Folder(kernels, {})
    case.addCleanup(folder.temporary.cleanup)
    return manifest.Manifest(folder.path)


def made(name, runtimes, workers=None, **more):
    fields = kernel(name, runtimes, workers, **more)
    return manifest.Kernel(**{**fields, "runtimes": tuple(runtimes)})


def outcome(job, samples, distances=(), failure=""):
    return runner.Outcome(job, samples, failure, "", 1.0, tuple(distances))


class Plan(unittest.TestCase):
    def test_runtimes_take_turns_and_each_turn_begins_with_another(self):
        fib = made("fib", ["weft", "tbb", "go"])
        jobs = plan.plan([fib], ["weft", "tbb", "go"], lambda _: 2, lambda _: [2])
        self.assertEqual([j.runtime for j in jobs], ["weft", "tbb", "go", "tbb", "go", "weft"])

    def test_serial_runs_with_one_worker_only(self):
        fib = made("fib", ["weft", "serial"])
        jobs = plan.plan([fib], ["weft", "serial"], lambda _: 1, lambda _: [1, 2])
        self.assertEqual([(j.runtime, j.workers) for j in jobs],
                         [("weft", 1), ("serial", 1), ("weft", 2)])

    def test_a_kernel_for_one_worker_runs_so_whatever_is_asked(self):
        jobs = plan.plan([made("yield", ["weft"], workers=1)], ["weft"], lambda _: 1, lambda _: [2, 4])
        self.assertEqual([j.workers for j in jobs], [1])

    def test_a_figure_with_oversubscription_goes_to_four_times_the_processors(self):
        figures = manifest_of(self, []).figures
        loop, fib = made("loop", [], figure="paper-10"), made("fib", [])
        for processors, counts in ((2, [1, 2, 4, 8]), (6, [1, 2, 4, 6, 8, 16, 24])):
            self.assertEqual(plan.workers_of(loop, figures, None, processors), counts)
        for processors, most in ((384, [384, 512, 1024]), (2048, [256, 512, 1024])):  # more than that no program takes
            self.assertEqual(plan.workers_of(loop, figures, None, processors)[-3:], most)
        self.assertEqual(plan.workers_of(fib, figures, None, 2048), [1, 2, 1024])
        self.assertEqual(plan.workers_of(loop, figures, [3], 2), [3])

    def test_a_figure_of_cores_goes_to_as_many_as_there_are(self):
        figures = manifest_of(self, []).figures
        sort = made("sort", [], figure="paper-sizes")
        for processors, counts in (1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8]):
            self.assertEqual(plan.workers_of(sort, figures, None, processors), counts)

    def test_what_repeats_no_figure_runs_with_one_worker_two_and_all(self):
        fib, figures = made("fib", []), manifest_of(self, []).figures
        for processors, counts in (1, [1, 2]), (2, [1, 2]), (48, [1, 2, 48]):
            self.assertEqual(plan.workers_of(fib, figures, None, processors), counts)
        self.assertEqual(plan.workers_of(fib, figures, [3], 2), [3])


class Results(unittest.TestCase):
    def setUp(self):
        fib = made("fib", ["weft", "tbb"])
        self.weft = plan.Job(fib, "weft", 2)
        self.tbb = plan.Job(fib, "tbb", 2)

    def rows(self, outcomes):
        return results.rows(outcomes, manifest_of(self, []).runtimes.values())

    def medians(self, outcomes):
        return {row.runtime: (row.median, row.left_out) for row in self.rows(outcomes)}

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
        rows = self.rows([outcome(self.weft, [1]), outcome(self.weft, [], failure="it hangs"),
                          outcome(self.tbb, [2])])
        self.assertEqual([(r.ok, r.median) for r in rows], [(False, None), (True, 2)])
        self.assertIsNone(results.ratio(rows[1], rows))

    def test_programs_of_one_compiler_are_compared_with_each_other(self):
        sizes = {"fib": ["weft", "weft_clang", "libomp", "tbb"], "ring": ["weft", "libomp"]}
        times = {"weft": 8, "weft_clang": 2, "libomp": 4, "tbb": 16}
        rows = self.rows([outcome(plan.Job(made(name, runtimes), runtime, 2), [times[runtime]])
                          for name, runtimes in sizes.items() for runtime in runtimes])
        self.assertEqual({(r.kernel.name, r.runtime): results.ratio(r, rows) for r in rows}, {
            ("fib", "weft"): 1, ("fib", "libomp"): 2, ("fib", "weft_clang"): 0.25, ("fib", "tbb"): 2,
            ("ring", "weft"): 1, ("ring", "libomp"): 0.5})  # which has no program of Weft's by clang

    def test_figures_have_three_digits(self):
        self.assertEqual([table.figure(v) for v in (None, 1234567.8, 123.4, 1.2345, 0.0123)],
                         ["-", "1,234,568", "123", "1.23", "0.012"])


class Hanging(unittest.TestCase):
    def test_what_did_not_end_is_not_waited_for_again(self):
        folder = Folder([kernel()], {"bench_fib_weft": "answer([1])", "bench_fib_tbb": "time.sleep(1000)"})
        self.addCleanup(folder.temporary.cleanup)
        done = folder.weft("bench", "--workers", "1", "--repeat", "3", "--timeout", "1", "--json", folder.out())
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: fib tbb on 1: it did not end within 1 s", done.stdout)
        waited = [p["seconds"] >= 1 for p in folder.processes() if p["runtime"] == "tbb"]
        self.assertEqual(waited, [True, False, False])

    def test_what_it_has_started_ends_with_it(self):
        folder = Folder([kernel(runtimes=["weft"])], {
            "bench_fib_weft": "import subprocess\n"
                              "child = subprocess.Popen(['sleep', '1000'])\n"
                              "(pathlib.Path(__file__).parent / 'pid').write_text(str(child.pid))\n"
                              "time.sleep(1000)"})
        self.addCleanup(folder.temporary.cleanup)
        done = folder.weft_apart("bench", "--workers", "1", "--repeat", "1", "--timeout", "1")
        self.assertIn("it did not end within 1 s", done.stdout)
        state = pathlib.Path("/proc", (folder.path / "bench" / "pid").read_text(), "stat")
        # Gone, or ended and not yet waited for by whoever has it now.
        self.assertIn(state.read_text().split()[2] if state.exists() else "Z", "ZX")

    def test_what_did_not_end_on_too_many_workers_is_not_tried_on_more(self):
        made_of = manifest_of(self, [kernel()])
        fib, cpus = made_of.kernels[0], len(machine.processors())

        def after(hung_on, workers):
            hung = runner.Outcome(plan.Job(fib, "tbb", hung_on), [], "it did not end within 9 s", "", 9.0)
            return runner.Runner(made_of, True, 9, [hung]).run(plan.Job(fib, "tbb", workers, 1)).failure
        self.assertEqual(after(2 * cpus, 2 * cpus), "it did not end within 9 s")
        self.assertEqual(after(2 * cpus, 4 * cpus),
                         f"not tried: on {2 * cpus} workers it did not end within 9 s")
        # Fewer workers are tried, and more where those that hung had a processor each: no program
        # is there.
        self.assertIn("cannot be started", after(2 * cpus, cpus))
        self.assertIn("cannot be started", after(cpus, 2 * cpus))


class ProgressLine(unittest.TestCase):
    def test_the_time_left_knows_jobs_that_ran_before(self):
        fib = made("fib", ["weft", "tbb"])
        short, long = plan.Job(fib, "weft", 1), plan.Job(fib, "tbb", 1)
        line = progress.Progress([short, long, short, long], open(os.devnull, "w"), False)
        self.addCleanup(line.stream.close)
        self.assertIsNone(line.left())
        line.finished(runner.Outcome(short, [1], "", "", 2.0))
        self.assertEqual(line.left(), 6.0)
        self.assertEqual(line.line(long), "█████░░░░░░░░░░░░░░░ 2/4, 6 s left: fib tbb on 1")
        line.finished(runner.Outcome(long, [1], "", "", 90.0))
        self.assertEqual(line.left(), 92.0)
        self.assertEqual(progress.duration(line.left()), "1 min 32 s")
        self.assertEqual(progress.duration(7260), "2 h 01 min")

    def test_a_narrow_terminal_has_the_words_without_the_bar(self):
        line = progress.Progress([plan.Job(made("fib", ["weft"]), "weft", 1)], open(os.devnull, "w"), False)
        self.addCleanup(line.stream.close)
        job = line.jobs[0]
        self.assertEqual(line.line(job, 60), "░░░░░░░░░░░░░░░░░░░░ 1/1: fib weft on 1")
        self.assertEqual(line.line(job, 30), "1/1: fib weft on 1")


if __name__ == "__main__":
    unittest.main()
