# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a build directory holds: kernels, the runtimes of each and why others are missing, and the figures
of papers that kernels repeat."""
import dataclasses
import difflib
import fnmatch
import json
import pathlib
import tomllib

from weft_cli.errors import Refusal

# What the others are compared with, if they do not say otherwise; its variants are no peers, and a
# serial program is none either.
BASE = "weft"


@dataclasses.dataclass(frozen=True)
class Runtime:
    name: str
    label: str  # what people call it
    version: str
    policy: str  # of idling, affinity and build, where it is not as of the others
    missing: str  # why it is not there; empty if it is
    package: str  # that brings it
    beside: str = ""  # the runtime of Weft's whose programs are compiled as these, if not as BASE's

    @property
    def reason(self):
        """Why it is not there, and what to do."""
        return f"{self.missing}; package {self.package} brings it" if self.package else self.missing


@dataclasses.dataclass(frozen=True)
class Source:
    """A paper, or a page, whose figures are repeated here."""
    name: str
    authors: str
    title: str
    note: str = ""  # what is otherwise here than there, for all its figures


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    source: str  # the name of a source
    number: str  # in it
    title: str
    shows: str  # what is seen there
    x: str  # what the horizontal axis means, where it is not the number of workers
    log: bool  # whether it has a logarithmic vertical axis there
    oversubscribed: bool  # up to four times as many workers as processors
    scaling: bool = False  # up to one worker a processor
    # x is what an operation takes at best, in its kernels' unit: how near it comes is drawn too
    efficiency: bool = False


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    group: str
    unit: str
    title: str
    figure: str  # the name of the figure that it repeats, or empty
    x: float | None  # where it stands on that figure's horizontal axis, if that is not of workers
    workers: int | None  # the only number of workers that makes sense, or None
    program: bool  # part of `weft run`
    once: bool  # one sample a process
    data: bool  # reads the file of numbers
    runtimes: tuple[str, ...]

    def workers_of(self, runtime, wanted):
        """The numbers of workers to run, of those wanted."""
        if self.workers is not None:
            return [self.workers]
        if runtime == "serial":
            return [w for w in wanted if w == 1]
        return list(wanted)


def read_figures(path):
    """The sources and the figures of bench/figures.toml, by their names."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path} is not valid: {error}") from None
    sources = {name: Source(name, **fields) for name, fields in content["source"].items()}
    empty = {"shows": "", "x": "", "log": False, "oversubscribed": False}
    figures = {name: Figure(name, **{**empty, **fields}) for name, fields in content["figure"].items()}
    return sources, figures


class Manifest:
    """The list that CMake writes beside the programs."""

    def __init__(self, build):
        if build is None:
            raise Refusal("the benchmarks are not installed: name a build directory of Weft's "
                          "source tree by --build")
        self.folder = pathlib.Path(build) / "bench"
        path = self.folder / "manifest.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Refusal(f"there are no benchmarks in {build}: build them by "
                          "`./dev build release`, or name a build directory by --build") from None
        except (ValueError, RecursionError) as error:
            raise Refusal(f"{path} is not valid: {error}") from None
        try:
            self._take(content)
        except (KeyError, TypeError, AttributeError) as error:
            raise Refusal(f"{path} is of another version: {type(error).__name__} {error}; "
                          "configure the build anew") from None

    def _take(self, content):
        self.compiler = content["compiler"]
        self.build_type = content["build_type"]
        self.numbers = content["numbers"]
        self.runtimes = {r["name"]: Runtime(**r) for r in content["runtimes"]}
        self.groups = {g["name"]: g["title"] for g in content["groups"]}
        self.kernels = [Kernel(**{**kernel, "runtimes": tuple(kernel["runtimes"])})
                        for kernel in content["kernels"]]
        self.sources, self.figures = read_figures(pathlib.Path(content["figures"]))
        for kernel in self.kernels:
            if kernel.figure and kernel.figure not in self.figures:
                raise Refusal(f"the kernel {kernel.name} is said to repeat {kernel.figure}, of which "
                              f"{content['figures']} knows nothing")

    def program(self, kernel, runtime):
        return self.folder / f"bench_{kernel.name}_{runtime}"

    def choose_kernels(self, patterns):
        """The kernels of which the name, the figure or the group is chosen, in the manifest's order; all
        if patterns is None."""
        names = {k: {k.name, k.figure, k.group} - {""} for k in self.kernels}
        inside, outside = _chosen("kernel, figure or group", patterns, set().union(*names.values()))
        return [k for k in self.kernels if names[k] & inside and not names[k] & outside]

    def choose_runtimes(self, patterns):
        """The names of the runtimes that are chosen and there, in order; and the missing ones."""
        inside, outside = _chosen("runtime", patterns, set(self.runtimes))
        wanted = [r for r in self.runtimes.values() if r.name in inside - outside]
        return [r.name for r in wanted if not r.missing], [r for r in wanted if r.missing]


def _chosen(kind, patterns, known):
    """Those known names that match a pattern, and those that match one that begins with ! and leaves out;
    if there are none of the first kind, all are inside. A pattern that matches nothing is refused."""
    inside, outside = set(), set()
    for pattern in patterns or ():
        name = pattern.removeprefix("!")
        found = set(fnmatch.filter(known, name))
        if not found:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else "--list shows what there is"
            raise Refusal(f"there is no {kind} {name}; {hint}")
        (outside if pattern.startswith("!") else inside).update(found)
    return inside or known, outside
