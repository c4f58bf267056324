#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weaken one memory order, or remove one fence, at a time: the model must fail. Lists survivors.

An order becomes each of those that are weaker by one step: `acq_rel` is `acquire` once, and `release` once.
A survivor is an order, or a half of one, that the model does not prove necessary: strengthen the model, drop
it, or write `unseen:` and why no tool can see it in the access's comment, which skips it here.
tests/model/mutations.txt lists, a line each, a header and the model that must notice. A model that plays the steps of a
protocol, which stands in src/ beside calls that no model can make, is listed as its own header.
usage: mutate_orders.py [HEADER]...        only these headers; JOBS=N runs N at a time
"""
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

import orders

TOP = pathlib.Path(__file__).resolve().parent.parent
TABLE = TOP / "tests/model/mutations.txt"
# A model takes seconds. How long one takes is counted by the processor, for the machine may be busy; of what only
# waits an hour is enough.
PROCESSOR_SECONDS = 300
SECONDS = 3600
# What an order is weakened to, one at a time; of seq_cst by what the access does.
WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"]}
WEAKER_SEQ_CST = {"load": ["acquire"], "store": ["release"]}


class mutant(NamedTuple):
    header: str
    model: str
    line: int  # from 1; 0: nothing changed
    what: str
    text: str


def read_table(wanted):
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        header, model = words[0], TOP / words[1]
        if not model.exists():
            model = TOP / "tests/model" / words[1]
        if not wanted or any(header.endswith(w) for w in wanted):
            rows.append((header, str(model)))
    return rows


def remove_call(line, start):
    """The line without the call that begins at start, or None when it does not end there."""
    depth = 0
    for i in range(line.index("(", start), len(line)):
        depth += (line[i] == "(") - (line[i] == ")")
        if depth == 0:
            return line[:start] + "(void)0" + line[i + 1:]
    return None


def weakened(found, line):
    """The line with each weaker order of an access, and what to call that."""
    if found.order == "fence":
        yield "removed", remove_call(line, found.start)
        return
    for weaker in WEAKER.get(found.order) or WEAKER_SEQ_CST.get(found.operation, ["acq_rel"]):
        middle = line[found.start:found.end].replace("_" + found.order, "_" + weaker)
        yield f"as {weaker}", line[:found.start] + middle + line[found.end:]


def mutants(header, model):
    text = (TOP / header).read_text(encoding="utf-8")
    yield mutant(header, model, 0, "unchanged", text)
    lines = text.splitlines()
    for found in orders.accesses(text):
        if found.order == "relaxed" or "unseen:" in found.comment:
            continue
        line = lines[found.line]
        for weaker, changed in weakened(found, line):
            if changed is None:
                sys.exit(f"{header}:{found.line + 1}: write the fence on one line")
            changed_text = "\n".join(lines[:found.line] + [changed] + lines[found.line + 1:]) + "\n"
            what = f"{found.operation} {found.order} {weaker}: {line.strip()}"
            yield mutant(header, model, found.line + 1, what, changed_text)


def how_ends(model):
    """passes, fails, or does not end, which proves nothing; nor does what the kernel ends for want of memory."""
    limited = ["sh", "-c", f'ulimit -c 0; ulimit -St {PROCESSOR_SECONDS} && exec "$0"', model]
    try:
        done = subprocess.run(limited, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "does not end"
    return "passes" if done.returncode == 0 else "fails"


def run(m):
    """How the model ends with this mutant: as how_ends says, or it does not compile."""
    with tempfile.TemporaryDirectory() as tmp:
        for folder in "src", "front", "tests/model":
            shutil.copytree(TOP / folder, pathlib.Path(tmp, folder))
        pathlib.Path(tmp, m.header).write_text(m.text, encoding="utf-8")
        model = pathlib.Path(tmp, pathlib.Path(m.model).relative_to(TOP))
        # As cmake/tests.cmake has them: what stands in for a file of src comes before it.
        folders = "tests/model", "tests/model/stand_in", "src", "."
        build = ["g++", "-std=c++20", "-O2", "-w", "-DWEFT_MODEL=1", *(f"-I{tmp}/{f}" for f in folders),
                 f"-I{TOP}/include", model, "-o", f"{tmp}/model", "-pthread"]
        if subprocess.run(build, stderr=subprocess.DEVNULL).returncode != 0:
            return "does not compile"
        return how_ends(f"{tmp}/model")


def main():
    if {"-h", "--help"} & {*sys.argv[1:]}:
        print(__doc__)
        return
    rows = read_table(sys.argv[1:])
    if not rows:
        sys.exit(f"{TABLE.relative_to(TOP)} names none of: {' '.join(sys.argv[1:])}")
    todo = [m for row in rows for m in mutants(*row)]
    # A header with several models is proved by any of them.
    killed, survived, broken = set(), {}, 0
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for m, end in zip(todo, pool.map(run, todo)):
            place = f"{m.header}:{m.line}"
            if end != ("passes" if m.line == 0 else "fails"):
                print(f"{place}: {pathlib.Path(m.model).name} {end}: {m.what}", flush=True)
                broken += m.line == 0 or end == "does not compile"
                survived[(m.header, m.line, m.what)] = place
            elif m.line != 0:
                killed.add((m.header, m.line, m.what))
    alive = [place for key, place in survived.items() if key not in killed and key[1] != 0]
    print(f"{len(killed)} weaker orders fail, {len(alive)} do not", *alive)
    sys.exit(1 if alive or broken else 0)


if __name__ == "__main__":
    main()
