# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: what is asked for, and what comes back."""
import argparse
import json
import os
import pathlib
import signal
import sys

from weft_cli import info, machine, place, results, table
from weft_cli.errors import Refusal
from weft_cli.manifest import RUNTIMES, Manifest
from weft_cli.plan import plan
from weft_cli.progress import Progress
from weft_cli.runner import Runner

INTERRUPTED = 130  # as the shell has it

EPILOG = """exit code: 0 all answers right, 1 a wrong answer or a failed process, 2 bad arguments,
130 interrupted (what was done is kept)."""


class Parser(argparse.ArgumentParser):
    """One sentence instead of the usage."""

    def error(self, message):
        raise Refusal(f"{message}; see {self.prog} --help")


def names(text):
    found = [name for name in text.split(",") if name]
    if not found:
        raise argparse.ArgumentTypeError("give names with commas between them")
    return found


def counts(text):
    values = []
    for part in text.split(","):
        values.append(count(part))
    return sorted(set(values))


def count(text):
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 1024")
    return int(text)


def parser():
    top = Parser(prog="weft", epilog=EPILOG,
                 description="What Weft does on this machine; benchmarks and real programs on it, "
                             "beside other runtimes.")
    top.add_argument("--version", action="version", version=f"weft {place.version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="info|bench|run")
    about = commands.add_parser(
        "info", help="what was chosen on this machine",
        description="Start Weft once and print which options it took, and why.")
    bench = commands.add_parser(
        "bench", epilog=EPILOG, help="measure kernels on runtimes",
        description="Measure kernels on runtimes: interleaved, each in a process of its own, "
                    "pinned, answers checked. Lower is better.")
    run = commands.add_parser(
        "run", epilog=EPILOG, help="run the real programs",
        description="Run the real programs beside other runtimes and print how they compare.")
    for command, repeat in ((bench, 3), (run, 1)):
        command.add_argument("--only", type=names, metavar="KERNEL,...", help="these kernels only")
        command.add_argument("--runtimes", type=names, metavar="RUNTIME,...",
                             help=f"of {', '.join(RUNTIMES)}")
        command.add_argument("--workers", type=counts, metavar="N,...", default=[1, 2],
                             help="numbers of workers (1,2)")
        command.add_argument("--quick", action="store_true", help="small sizes")
        command.add_argument("--repeat", type=count, metavar="N", default=repeat,
                             help=f"processes of each kind ({repeat})")
        command.add_argument("--json", type=pathlib.Path, metavar="FILE",
                             help="write the results, one JSON object in each line")
        command.add_argument("--list", action="store_true", help="show what there is, and stop")
    for command in about, bench, run:
        command.add_argument("--build", type=pathlib.Path, metavar="DIR",
                             default=place.default_build(),
                             help="build directory (in the source tree: build/release)")
    return top


def show_list(manifest, kernels, runtimes, missing):
    lines = [["kernel", "unit", "runtimes", "what"]]
    for kernel in kernels:
        have = [r for r in runtimes if r in kernel.runtimes]
        if have:
            lines.append([kernel.name, kernel.unit, " ".join(have), kernel.title])
    print(table.render(lines, 4))
    show_missing(missing)


def show_missing(missing):
    for runtime, reason in missing.items():
        print(f"{runtime} is missing: {reason}")


def measure(jobs, runner, progress):
    """Run the jobs; what was done until the end or an interruption, and whether there was one."""
    outcomes = []
    try:
        for job in jobs:
            progress.show(job)
            outcomes.append(runner.run(job))
            progress.finished(outcomes[-1])
    except KeyboardInterrupt:
        return outcomes, True
    finally:
        progress.close()
    return outcomes, False


def show_distances(rows):
    known = [d for row in rows for d in row.distances]
    if known:
        print(f"A cache line took {min(known):.0f} to {max(known):.0f} ns from one processor to "
              "the other, before and after the runs with several workers.")
    left_out = sum(row.left_out for row in rows)
    if left_out:
        print(f"{left_out} processes are left out: the processors were otherwise placed meanwhile.")


def work(options):
    manifest = Manifest(options.build)
    kernels = manifest.choose_kernels(options.only)
    runtimes, missing = manifest.choose_runtimes(options.runtimes)
    if options.command == "run":
        if options.only is None:
            kernels = [k for k in kernels if k.program]
        if options.runtimes is None:
            runtimes = [r for r in runtimes if r != "weft-so"]
    if options.list:
        show_list(manifest, kernels, runtimes, missing)
        return 0
    jobs = plan(kernels, runtimes, options.workers, options.repeat)
    if not jobs:
        show_missing(missing)
        raise Refusal("nothing to run: none of these kernels has any of these runtimes with "
                      "so many workers")
    if options.json is not None:
        options.json.write_text("")  # a path that cannot be written is told now, not after an hour

    print(f"{machine.model()}, {len(machine.processors())} processors; {manifest.compiler}, "
          f"{manifest.build_type}; {'quick' if options.quick else 'full'} sizes", flush=True)
    outcomes, interrupted = measure(
        jobs, Runner(manifest, options.quick),
        Progress(jobs, sys.stderr, verbose=options.command == "run"))
    rows = results.rows(outcomes)
    if options.json is not None:
        options.json.write_text("".join(json.dumps(row.as_json()) + "\n" for row in rows))
    if rows:
        print(table.long_table(rows) if options.command == "bench" else table.wide_tables(rows))
        show_distances(rows)
    show_missing(missing)
    failed = [row for row in rows if not row.ok]
    for row in failed:
        for failure in row.failures:
            print(f"FAILED: {row.kernel.name} {row.runtime} on {row.workers}: {failure}")
    if interrupted:
        print(f"Interrupted after {len(outcomes)} of {len(jobs)} processes.")
        return INTERRUPTED
    if not failed:
        print(f"All answers of {len(outcomes)} processes were right.")
    return 1 if failed else 0


def interrupt(_signal, _frame):
    raise KeyboardInterrupt


def main(arguments):
    # Where it is started in the background, the shell has SIGINT ignored; both must work.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        options = parser().parse_args(arguments)
        code = info.show(options.build) if options.command == "info" else work(options)
        sys.stdout.flush()
        return code
    except Refusal as refusal:
        print(f"weft: {refusal}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"weft: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
