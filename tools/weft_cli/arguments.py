# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: its commands, their arguments, and what values these take."""
import argparse
import pathlib

from weft_cli import place
from weft_cli.errors import Refusal

EPILOG = """exit code: 0 all answers right, 1 a wrong answer or a failed process, 2 bad arguments,
130 interrupted (what was done is kept)."""


MOST = 1024  # as the programs' own arguments have it (bench/harness/report.hpp)


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
    return sorted({count(part) for part in text.split(",")})


def count(text):
    # Of 5,000 digits int() makes no number, and says so in other words.
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and 1 <= int(text) <= MOST):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {MOST}")
    return int(text)


def measuring(command):
    """The arguments that bench and run share. What may be taken from a file of results has no
    default here: bench.py fills it in."""
    command.add_argument("--only", type=names, metavar="NAME,...",
                         help="these kernels, figures or groups; * and ? as in a shell, !NAME leaves out")
    command.add_argument("--runtimes", type=names, metavar="NAME,...",
                         help="these runtimes; * and ? as in a shell, !NAME leaves out")
    command.add_argument("--workers", type=counts, metavar="N,...",
                         help="numbers of workers (1, 2 and as many as there are processors; figures of papers "
                              "have their own)")
    command.add_argument("--quick", action="store_true", default=None, help="small sizes")
    command.add_argument("--repeat", type=count, metavar="N",
                         help="processes of each kind (bench 3, run 1)")
    command.add_argument("--timeout", type=count, metavar="SECONDS",
                         help="after which a process counts as hung (120)")
    command.add_argument("--near", type=count, metavar="SECONDS",
                         help="wait so long, before each process with several workers, for the processors to be "
                              "as near each other as they have been (not at all)")
    file = command.add_mutually_exclusive_group()
    file.add_argument("--json", type=pathlib.Path, metavar="FILE",
                      help="keep all samples, with what they were measured on")
    file.add_argument("--resume", type=pathlib.Path, metavar="FILE",
                      help="go on where that file stops, with its options; a greater --repeat adds turns, with --only "
                           "of these kernels")
    stop = command.add_mutually_exclusive_group()
    stop.add_argument("--list", action="store_true", help="show what there is, and stop")
    stop.add_argument("--doctor", action="store_true",
                      help="show what is missing and what disturbs, and stop")


def parser():
    top = Parser(prog="weft", epilog=EPILOG,
                 description="What Weft does on this machine; benchmarks and real programs on it, "
                             "beside other runtimes.")
    top.add_argument("--version", action="version", version=f"weft {place.version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="info|bench|run|report")
    about = commands.add_parser(
        "info", help="what was chosen on this machine",
        description="Start Weft once and print which options it took, and why.")
    bench = commands.add_parser(
        "bench", epilog=EPILOG, help="measure kernels on runtimes",
        description="Measure kernels on runtimes: interleaved, each in a process of its own, "
                    "pinned, answers checked. Lower is better.")
    run = commands.add_parser(
        "run", epilog=EPILOG, help="run the real programs, write the report",
        description="Run the real programs beside other runtimes, print how they compare, and write "
                    "the report of it.")
    for command in bench, run:
        measuring(command)
    for command in about, bench, run:
        command.add_argument("--build", type=pathlib.Path, metavar="DIR",
                             default=place.default_build(),
                             help="build directory (in the source tree: build/release)")
    report = commands.add_parser(
        "report", help="draw what was measured",
        description="Draw files of results: bars in the terminal if nothing else is asked for. "
                    "Several files must be of one machine and one build, and share no process.")
    report.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILE",
                        help="what `weft bench --json` wrote")
    report.add_argument("--html", type=pathlib.Path, metavar="OUT", help="one page that stands by itself")
    report.add_argument("--markdown", type=pathlib.Path, metavar="OUT",
                        help="tables; in a page with a place for it (<!-- weft report -->), a summary")
    report.add_argument("--svg", type=pathlib.Path, metavar="OUT", help="the summary as one picture")
    report.add_argument("--terminal", action="store_true", help="bars in the terminal")
    return top
