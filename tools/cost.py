#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Count the instructions of the single-worker paths, and fail when one is over its budget.

usage: tools/cost.py [--build DIR] [--update]

Each path is a program bench/cost/<path>.cpp that takes a size and prints its number of operations.
Valgrind counts its instructions at two sizes; the difference is free of start and stop, and repeats
exactly. The budgets are in bench/budgets.toml; --update sets them to what is measured and a margin.
A path with `as_little_as` fails, too, when it takes more than the path of that name.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUDGETS = ROOT / "bench" / "budgets.toml"
MARGIN = 1.03  # other minor versions of the compiler, and of the C library

UNEVEN = 0.5  # instructions by which two paths of the same cost may differ


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="build directory (build/release)")
    parser.add_argument("--update", action="store_true", help="set the budgets to what is measured")
    return parser.parse_args()


def fail(text):
    sys.exit(f"cost: {text}")


def build_of(folder):
    """What decides about instruction counts: the processor and the compiler's major version."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        fail(f"there is no build in {folder.parent}: run ./dev build release, or give --build")
    content = json.loads(manifest.read_text(encoding="utf-8"))
    return {"processor": content["processor"], "compiler": content["compiler"].split(".")[0],
            "build_type": content["build_type"]}


def environment():
    """Options of Weft's that happen to be set would be counted, too."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")} | {"WEFT_WORKERS": "1"}


def run(program, size):
    """The instructions and the operations of one run."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, str(size)],
        capture_output=True, encoding="utf-8", env=environment())
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        fail(f"{program.name} {size} failed under valgrind: {done.stderr.strip()[-400:]}")
    return int(collected[1]), int(done.stdout)


def measure(program, sizes):
    """Instructions per operation, from the difference of two sizes."""
    (few, small), (many, large) = (run(program, size) for size in sizes)
    return (many - few) / (large - small)


def set_in(table, values):
    """The text of a TOML table with these values; a new key stands first."""
    for key, value in values.items():
        line = re.compile(rf"^{key} *=[^#\n]*?(?=\s*(?:#.*)?$)", re.M)
        if line.search(table) is None:
            table = re.sub(r"^.*\n", rf"\g<0>{key} =\n", table, count=1)
        table = line.sub(lambda _: f"{key} = {value}", table, count=1)
    return table


def updated(text, build, paths):
    """The text of the budgets with these figures in it; all else stays, comments too."""
    figures = {"build": {key: f'"{value}"' for key, value in build.items()}}
    for name, path in paths.items():
        figures[f"path.{name}"] = {key: f"{path[key]:.1f}" for key in ("measured", "budget")}
    parts = re.split(r"^\[([\w.]+)\]", text, flags=re.M)  # what precedes the first table; then names and tables
    for i in range(1, len(parts), 2):
        parts[i + 1] = set_in(parts[i + 1], figures.get(parts[i], {}))
        parts[i] = f"[{parts[i]}]"
    return "".join(parts)


def main():
    options = parse_arguments()
    text = BUDGETS.read_text(encoding="utf-8")
    budgets = tomllib.loads(text)
    folder = options.build / "bench"
    build = build_of(folder)
    if shutil.which("valgrind") is None:
        fail("valgrind is not installed; package valgrind brings it")
    comparable = build == budgets["build"]
    over = []
    for name, path in budgets["path"].items():
        per_operation = measure(folder / f"cost_{name}", path["sizes"])
        print(f"{path['operation']}: {per_operation:.1f} instructions, budget {path['budget']:.1f}",
              flush=True)
        if per_operation > path["budget"]:
            over.append(f"{path['operation']} takes {per_operation:.1f} instructions, more than "
                        f"its budget of {path['budget']:.1f}")
        path["measured"] = per_operation
        if options.update:
            path["budget"] = per_operation * MARGIN
    for path in budgets["path"].values():
        other = budgets["path"].get(path.get("as_little_as"))
        if other and path["measured"] > other["measured"] + UNEVEN:
            over.append(f"{path['operation']} takes {path['measured']:.1f} instructions, more than "
                        f"the {other['measured']:.1f} of {other['operation']}")
    if options.update:
        BUDGETS.write_text(updated(text, build, budgets["path"]), encoding="utf-8")
    elif not comparable:
        print(f"The budgets hold for {budgets['build']}, this build is {build}: nothing is judged.")
    elif over:
        fail("; ".join(over))


if __name__ == "__main__":
    main()
