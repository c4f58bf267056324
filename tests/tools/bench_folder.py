# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build directory with programs that only pretend to measure, and files of results as they would give."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from weft_cli import main, record  # noqa: E402

# What a pretended benchmark starts with; `answer` prints the line that a real one prints.
PRELUDE = """#!{python} -SE
import json, os, pathlib, signal, sys, time
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
def answer(samples, ok=True, note=""):
    print(json.dumps(dict(kernel="k", runtime="r", workers=int(arguments["--workers"]), unit="s",
                          samples=samples, ok=ok, note=note)))
    sys.exit(0 if ok else 1)
"""
RUNTIMES = {"weft": "Weft", "weft-so": "Weft, shared library", "weft_cpp": "Weft, C++", "serial": "serial",
            "gomp": "gcc OpenMP", "libomp": "LLVM OpenMP", "weft_clang": "Weft, by clang", "tbb": "oneTBB", "go": "Go",
            "pthread": "Pthreads"}
BESIDE = {"libomp": "weft_clang"}
FIGURES = """
[source.paper]
authors = "A. Author"
title = "On <Threads> & Cores"
note = "Here in C++."
[figure.paper-10]
source = "paper"
number = "Figure 10"
title = "A loop"
shows = "All scale."
log = true
oversubscribed = true
[figure.paper-sizes]
source = "paper"
number = "Figure 11"
title = "Sizes"
x = "elements"
scaling = true
"""


def kernel(name="fib", runtimes=("weft", "tbb"), workers=None, **more):
    """A kernel as a manifest and a file of results have it."""
    fields = {"unit": "ns/op", "title": f"{name} of the test", "group": "tasks", "figure": "", "x": None,
              "program": True, "once": False, "data": False}
    return {"name": name, "workers": workers, "runtimes": list(runtimes), **fields, **more}


def runtime(name, missing="", package=""):
    return {"name": name, "label": RUNTIMES[name], "version": "1.2", "policy": "", "missing": missing,
            "package": package, "beside": BESIDE.get(name, "")}


def weft(*arguments):
    """Run the command in this process: its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main.main([str(a) for a in arguments])
    return types.SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


class Folder:
    """A build directory with pretended benchmarks."""

    def __init__(self, kernels, programs, missing=None):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        bench = self.path / "bench"
        bench.mkdir()
        (bench / "figures.toml").write_text(FIGURES)
        (bench / "manifest.json").write_text(json.dumps({
            "compiler": "GNU 12.2.0", "build_type": "Release", "processor": "x86_64",
            "numbers": {"quick": 10, "full": 100}, "figures": str(bench / "figures.toml"),
            "runtimes": [runtime(name, *(missing or {}).get(name, ())) for name in RUNTIMES],
            "groups": [{"name": "tasks", "title": "Tasks"}], "kernels": kernels}))
        for name, body in programs.items():
            self.program(name, body)

    def program(self, name, body):
        path = self.path / "bench" / name
        path.write_text(PRELUDE.format(python=sys.executable) + body + "\n")
        path.chmod(0o755)

    def weft(self, *arguments):
        """What the command makes of these arguments, in this process."""
        return weft(*arguments, "--build", self.path)

    def weft_apart(self, *arguments):
        """The same in a process of its own, which may be sent signals."""
        command = [sys.executable, ROOT / "tools" / "weft", *arguments, "--build", self.path]
        return subprocess.run(command, capture_output=True, text=True, timeout=50)

    def out(self):
        return self.path / "out.json"

    def written(self):
        """The content of out.json."""
        return json.loads(self.out().read_text())

    def processes(self):
        return self.written()["processes"]


def results(kernels, samples, **more):
    """A file's content. samples: {(kernel, runtime, workers): list of samples, or a failure}."""
    sources, figures = {}, {}
    for each in kernels:
        if each["figure"]:
            sources["paper"] = {"authors": "A. Author", "title": "On <Threads> & Cores", "note": "Here in C++."}
            figures[each["figure"]] = {
                "source": "paper", "number": "Figure 10", "title": "A loop", "shows": "All scale.",
                "x": "" if each["x"] is None else "elements", "log": True, "oversubscribed": True}
    processes = [
        {"kernel": k, "runtime": r, "workers": w, "turn": 0, "seconds": 1.0, "note": "",
         "samples": s if isinstance(s, list) else [], "failure": "" if isinstance(s, list) else s,
         "distances": []}
        for (k, r, w), s in samples.items()]
    names = list(dict.fromkeys(r for _, r, _ in samples))
    content = {
        "format": record.FORMAT,
        "machine": {"processor": "Test <CPU>", "architecture": "x86_64", "processors": 2,
                    "hardware_threads_per_core": 1, "memory_bytes": 2**34, "virtual": True,
                    "governor": None, "limits": {"processors": 1.5, "memory_bytes": None},
                    "kernel": "Linux 6.1", "system": "Debian"},
        "build": {"version": "0.1.0", "compiler": "GNU 12.2.0", "build_type": "Release",
                  "commit": "0123456789abcdef", "dirty": True, "programs": "00"},
        "options": {"command": "bench", "only": None, "runtimes": None, "workers": None, "quick": False, "timeout": 120,
                    "repeat": 1},
        "runs": [{"begun": "2026-01-02T03:04:05+00:00", "ended": "2026-01-02T03:14:05+00:00",
                  "load": 0.25}],
        "planned": len(processes),
        "runtimes": [runtime(n) for n in names] +
                    [runtime(n, "it was not found", "brings-it") for n in ("go",) if n not in names],
        "groups": {"tasks": "Tasks"}, "sources": sources, "figures": figures, "kernels": kernels,
        "processes": processes}
    content.update(more)
    return content
