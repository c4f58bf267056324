# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of results: all that was measured, on what, of what, and how; `weft report` needs nothing else.

One JSON object:
  format     the number below; a reader refuses any other
  machine    machine.facts()
  build      Weft's version, compiler, build type, commit, dirty (files differ from it), programs (a digest
             of all programs that were to run), digests (one for each of them; older files have none), libraries (by
             runtime, a digest of those that its programs load)
  options    command, only, runtimes, workers (null: each figure's own), quick, repeat, timeout, near; perhaps
             further (kernels that have more turns, and how many)
  runs       one object for each time the command ran: begun, ended (UTC), load (at its begin)
  planned    the number of processes in all
  runtimes   name, label, version, policy, missing, package, beside: of all that were asked for
  groups, sources, figures   by their names
  kernels    as the manifest has them
  processes  one for each process: kernel, runtime, workers, turn, samples (in the kernel's unit; lower is
             better), failure (empty: the answer was right), note, seconds, distances (a cache line's
             way between the processors before and after, ns)
"""
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time

from weft_cli import machine, place, shape, tree
from weft_cli.errors import Refusal
from weft_cli.manifest import Figure, Kernel, Runtime, Source
from weft_cli.plan import Job
from weft_cli.runner import Outcome

FORMAT = 1
SAVE_EVERY_S = 10  # writing is work too: not after each process
# What must not differ between two runs whose figures stand beside each other.
ALIKE = {"machine": "another machine", "build": "another build"}
# What is compared part by part, where both have it.
APART = {"environment", "libraries", "digests"}
# What may, where the programs are the same: the tree has moved on meanwhile.
OF_THE_TREE = {"commit", "dirty"}
# What may where other programs were to run, if those that both have are compared one by one.
OF_ALL_PROGRAMS = {"programs"}
# What every file has, since the first of the format; what came later may be missing.
_NAMES = ([str], None)
SHAPE = {
    "machine": {"processor": str, "architecture": str, "processors": shape.count, "memory_bytes": shape.count,
                "virtual": bool, "governor": (str, None), "kernel": str, "system": str,
                "limits": {"processors": (shape.number, None), "memory_bytes": (shape.number, None)},
                "?environment": {str: str}},
    "build": {"version": str, "compiler": str, "build_type": str, "commit": (str, None), "dirty": (bool, None),
              "programs": str, "?libraries": {str: str}, "?digests": {str: str}},
    "options": {"command": str, "only": _NAMES, "runtimes": _NAMES, "workers": ([shape.count], None), "quick": bool,
                "repeat": shape.count, "timeout": shape.count, "?near": shape.whole, "?further": {str: shape.count}},
    "runs": [{"begun": str, "ended": (str, None), "load": shape.number}],
    "planned": shape.whole,
    "runtimes": [{"name": str, "label": str, "version": str, "policy": str, "missing": str, "package": str,
                  "?beside": str}],
    "groups": {str: str},
    "sources": {str: {"authors": str, "title": str, "?note": str}},
    "figures": {str: {"source": str, "number": str, "title": str, "shows": str, "x": str, "log": bool,
                      "oversubscribed": bool, "?scaling": bool, "?efficiency": bool}},
    "kernels": [{"name": str, "group": str, "unit": str, "title": str, "figure": str, "x": (shape.number, None),
                 "workers": (shape.count, None), "program": bool, "once": bool, "data": bool, "runtimes": [str]}],
    "processes": [{"kernel": str, "runtime": str, "workers": shape.count, "turn": shape.whole,
                   "samples": [shape.number], "failure": str, "note": str, "seconds": shape.number,
                   "distances": [shape.number]}],
}


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def digest(manifest, jobs):
    """One number for the contents of all programs; a missing one counts as empty."""
    return _whole(_programs(manifest, jobs))


def _programs(manifest, jobs):
    return _digests(sorted({manifest.program(job.kernel, job.runtime) for job in jobs}))


def loaded(program):
    """The shared libraries that a program loads, as the system finds them now; none where that cannot be told."""
    try:
        done = subprocess.run(["ldd", program], capture_output=True, encoding="utf-8", errors="replace", timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return []
    paths = re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", done.stdout, re.M) if done.returncode == 0 else []
    return sorted({pathlib.Path(path) for path in paths})


def libraries(manifest, jobs):
    """By runtime, one number for the contents of the shared libraries that its first program loads: all of its
    programs are linked alike. What a program opens later by itself is not seen."""
    first = {}
    for job in jobs:
        path = manifest.program(job.kernel, job.runtime)
        if job.runtime not in first and path.exists():
            first[job.runtime] = loaded(path)
    return {runtime: _whole(_digests(paths)) for runtime, paths in first.items() if paths}


def _digests(paths):
    """The digest of each file; empty where there is none."""
    found = {}
    for path in paths:
        found[path] = b""
        if path.exists():
            with path.open("rb") as file:
                found[path] = hashlib.file_digest(file, "blake2b").digest()
    return found


def _whole(digests):
    """One number for the contents of files."""
    whole = hashlib.blake2b(digest_size=16)
    for path, each in digests.items():
        whole.update(path.name.encode() + b"\0" + each)
    return whole.hexdigest()


def begin(manifest, options, runtimes, jobs):
    """The file's content before the first process."""
    kernels = list(dict.fromkeys(job.kernel for job in jobs))
    figures = {k.figure: manifest.figures[k.figure] for k in kernels if k.figure}
    sources = {f.source: manifest.sources[f.source] for f in figures.values()}
    groups = {k.group: manifest.groups[k.group] for k in kernels}
    programs = _programs(manifest, jobs)
    return {
        "format": FORMAT,
        "machine": machine.facts(),
        "build": {"version": place.version(), "compiler": manifest.compiler,
                  "build_type": manifest.build_type, "commit": tree.commit(), "dirty": tree.dirty(),
                  "programs": _whole(programs),
                  "digests": {path.name: each.hex()[:16] for path, each in programs.items()},
                  "libraries": libraries(manifest, jobs)},
        "options": options,
        "runs": [],
        "planned": len(jobs),
        "runtimes": [dataclasses.asdict(r) for r in runtimes],
        "groups": groups,
        "sources": {name: _fields(s) for name, s in sources.items()},
        "figures": {name: _fields(f) for name, f in figures.items()},
        "kernels": [dataclasses.asdict(k) for k in kernels],
        "processes": [],
    }


def _fields(named):
    fields = dataclasses.asdict(named)
    del fields["name"]
    return fields


class Writer:
    """Keeps a file up to date while processes run. `content` is begin()'s, or what a file held."""

    def __init__(self, path, content):
        self.path = path
        self.content = content
        self.run = {"begun": now(), "ended": None, "load": round(os.getloadavg()[0], 2)}
        content["runs"].append(self.run)
        self.saved = 0
        self.save()

    def add(self, outcome):
        self.content["processes"].append({
            "kernel": outcome.job.kernel.name, "runtime": outcome.job.runtime,
            "workers": outcome.job.workers, "turn": outcome.job.turn, "samples": outcome.samples,
            "failure": outcome.failure, "note": outcome.note, "seconds": round(outcome.seconds, 2),
            "distances": list(outcome.distances)})
        if time.monotonic() - self.saved > SAVE_EVERY_S:
            self.save()

    def save(self):
        """Write the file as a whole, or leave the old one: never half of it."""
        self.run["ended"] = now()
        beside = self.path.with_name(self.path.name + ".part")
        try:
            beside.write_bytes(dumps(self.content).encode("utf-8"))
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None
        os.replace(beside, self.path)
        self.saved = time.monotonic()


def dumps(content):
    """JSON with a line for each process, runtime and kernel, so that versions can be compared."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list) and value:
            lines = ",\n".join("    " + json.dumps(item, ensure_ascii=False) for item in value)
            text = f"[\n{lines}\n  ]"
        else:
            text = json.dumps(value, ensure_ascii=False)
        parts.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(path):
    """A file's content; refused with a sentence if it is not one of ours."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        dumps({"": content}).encode("utf-8")  # an escape may stand for half of a character, which cannot be written
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path} is not a file of results: {error}") from None
    if not isinstance(content, dict) or "format" not in content:
        raise Refusal(f"{path} is not a file of results: it names no format")
    if content["format"] != FORMAT:
        raise Refusal(f"{path} has format {content['format']}, and this command reads format {FORMAT}")
    fault = shape.first_fault(content, SHAPE) or ("" if content["runs"] else "runs")
    if fault:
        raise Refusal(f"{path} is damaged: {fault} is not as it should be, or missing")
    try:
        Results(content)
    except (LookupError, TypeError) as error:
        raise Refusal(f"{path} is damaged: {type(error).__name__} {error}") from None
    seen = set()
    for i, p in enumerate(content["processes"]):
        if not p["samples"] and not p["failure"]:
            raise Refusal(f"{path} is damaged: processes[{i}] has no sample, and no failure either")
        key = p["kernel"], p["runtime"], p["workers"], p["turn"]
        if key in seen:
            raise Refusal(f"{path} is damaged: it has turn {p['turn']} of {p['kernel']} {p['runtime']} on "
                          f"{p['workers']} twice")
        seen.add(key)
    return content


def difference(mine, theirs, but=frozenset()):
    """What must be alike and is not: "another machine (processors: 2, not 4)"; empty if all is.

    but: fields that are not looked at."""
    for key, words in ALIKE.items():
        for field, value in theirs[key].items():
            if field not in but and field not in APART and mine[key].get(field) != value:
                return f"{words} ({field.replace('_', ' ')}: {value}, not {mine[key].get(field)})"
    return _other_environment(mine, theirs) or _other_runtime(mine, theirs)


def beside(mine, theirs):
    """What must be alike of two files that stand in one report and is not: they may be of different programs."""
    known = all("digests" in content["build"] for content in (mine, theirs))
    return difference(mine, theirs, OF_ALL_PROGRAMS if known else frozenset()) or _other_program(mine, theirs)


def _other_program(mine, theirs):
    """Which program that both have is another one; empty if none."""
    ours = mine["build"].get("digests", {})
    for name, value in theirs["build"].get("digests", {}).items():
        if ours.get(name, value) != value:
            return f"another build ({name}: {value or 'missing'}, not {ours[name] or 'missing'})"
    return ""


def _other_environment(mine, theirs):
    """Which option of a runtime is set otherwise; empty if none, or if one of the files does not say."""
    ours, others = (content["machine"].get("environment") for content in (mine, theirs))
    if ours is None or others is None:
        return ""
    for name in sorted({*ours, *others}):
        if ours.get(name) != others.get(name):
            return f"another environment ({name}: {others.get(name, 'unset')}, not {ours.get(name, 'unset')})"
    return ""


def _other_runtime(mine, theirs):
    """Which runtime that both have is of another version, or loads other libraries; empty if none."""
    versions = {r["name"]: r["version"] for r in mine["runtimes"] if not r["missing"]}
    for runtime in theirs["runtimes"]:
        version = versions.get(runtime["name"], runtime["version"])
        if not runtime["missing"] and version != runtime["version"]:
            return f"another version of {runtime['label']} ({runtime['version']}, not {version})"
    ours = mine["build"].get("libraries", {})
    for name, value in theirs["build"].get("libraries", {}).items():
        if ours.get(name, value) != value:
            return f"another build (libraries of {name}: {value}, not {ours[name]})"
    return ""


class Results:
    """A file's content as what it was made of."""

    def __init__(self, content):
        self.machine, self.build, self.options = content["machine"], content["build"], content["options"]
        self.runs, self.planned = content["runs"], content["planned"]
        self.runtimes = {r["name"]: Runtime(**r) for r in content["runtimes"]}
        self.groups = content["groups"]
        self.sources = {n: Source(name=n, **f) for n, f in content["sources"].items()}
        self.figures = {n: Figure(name=n, **f) for n, f in content["figures"].items()}
        self.kernels = {k["name"]: Kernel(**{**k, "runtimes": tuple(k["runtimes"])})
                        for k in content["kernels"]}
        for figure in self.figures.values():
            self.sources[figure.source]  # a KeyError says which name stands for nothing
        for kernel in self.kernels.values():
            self.groups[kernel.group], kernel.figure and self.figures[kernel.figure]
        self.outcomes = [
            Outcome(Job(self.kernels[p["kernel"]], self.runtimes[p["runtime"]].name, p["workers"], p["turn"]),
                    [float(s) for s in p["samples"]], p["failure"], p["note"], p["seconds"],
                    tuple(p["distances"]))
            for p in content["processes"]]
