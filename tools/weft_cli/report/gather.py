# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From files of results to what a report shows: one set of rows, and the sections they belong to."""
import dataclasses
import itertools
import re

from weft_cli import record, results
from weft_cli.errors import Refusal
from weft_cli.machine import settings
from weft_cli.manifest import Figure, Kernel, Runtime, Source
from weft_cli.report import compare, words
from weft_cli.report.ink import Inks
from weft_cli.results import Row


@dataclasses.dataclass(frozen=True)
class Part:
    """What is shown under one heading: a figure of a paper, or a kernel of a group."""
    name: str
    title: str
    number: str  # in its paper; empty for a kernel
    figure: Figure | None
    kernels: list[Kernel]
    rows: list[Row]


@dataclasses.dataclass(frozen=True)
class Section:
    """A paper with its figures, or a group of kernels."""
    name: str
    title: str
    source: Source | None
    parts: list[Part]


class Report:
    """All that is drawn: of one machine, of one build."""

    def __init__(self, paths):
        contents = [record.read(path) for path in paths]
        first = contents[0]
        _refuse_others(paths, contents)
        _refuse_copies(paths, contents)
        read = [record.Results(content) for content in contents]
        self.machine, self.build = first["machine"], first["build"]
        self.quick = first["options"]["quick"]
        self.runs = [run for each in read for run in each.runs]
        self.planned = sum(each.planned for each in read)
        self.runtimes = {}
        for each in read:
            for name, runtime in each.runtimes.items():
                if name not in self.runtimes or self.runtimes[name].missing:
                    self.runtimes[name] = runtime
        outcomes = [o for each in read for o in each.outcomes]
        self.processes = len(outcomes)
        self.rows = results.rows(outcomes, self.runtimes.values())
        if not self.rows:
            raise Refusal(f"there is nothing in {paths[0]} to report: no process had ended")
        self.sections = _sections(read, self.rows)
        self.inks = Inks(self.runtimes)
        self.comparisons = compare.comparisons(self.rows)
        self._groups = compare.groups(self.rows)

    @property
    def missing(self):
        return [r for r in self.runtimes.values() if r.missing]

    @property
    def used(self):
        """The runtimes that have a row, in the order in which they were asked for."""
        have = {row.runtime for row in self.rows}
        return [r for r in self.runtimes.values() if r.name in have]

    @property
    def facts(self):
        """On what, of what and when it was measured, in a few words each."""
        machine, build = self.machine, self.build
        options = settings(machine.get("environment", {}))
        days = sorted({run["begun"][:10] for run in self.runs})
        commit = f" at {build['commit'][:10]}" if build["commit"] else ""
        return [machine["processor"], words.count(machine["processors"], "processor"),
                f"Linux {machine['kernel'].rpartition(' ')[2]}", build["compiler"],
                f"Weft {build['version']}{commit}" + (" with changes" if build["dirty"] else ""),
                days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}", *([f"with {options}"] if options else [])]

    @property
    def failed(self):
        return [row for row in self.rows if not row.ok]

    def label(self, runtime):
        return self.runtimes[runtime].label

    def base(self, row):
        """The row of Weft's that this one is compared with; None if there is none."""
        return results.base(row, self._groups[row.kernel.name, row.workers])

    def compared(self, part):
        """The comparisons that belong to a part."""
        names = {k.name for k in part.kernels}
        return [c for c in self.comparisons if c.weft.kernel.name in names]


def _refuse_others(paths, contents):
    """All must be alike, two by two: the third may have of the second what the first has not."""
    for (other, mine), (path, theirs) in itertools.combinations(zip(paths, contents), 2):
        differs = record.beside(mine, theirs)
        if not differs and theirs["options"]["quick"] != mine["options"]["quick"]:
            differs = "other sizes (--quick)"
        if differs:
            raise Refusal(f"{path} is of {differs} than {other}: figures of the two cannot stand beside each other; "
                          "report each by itself")


def _refuse_copies(paths, contents):
    """A file given twice, or two that go on from one, would have samples count twice."""
    begun = {}
    for i, content in enumerate(contents):
        runs = [run["begun"] for run in content["runs"]]
        jobs = [(p["kernel"], p["runtime"], p["workers"], p["turn"]) for p in content["processes"]]
        for key in ((run, job) for run in runs for job in jobs):
            other = begun.setdefault(key, i)
            if other != i:
                kernel, runtime, workers, _ = key[1]
                raise Refusal(f"{paths[i]} and {paths[other]} hold the same processes ({kernel} {runtime} on "
                              f"{workers} is one): leave one of the two away")


def _place(figure):
    """Where a figure stands in its paper: figures of a file are in the order of its kernels."""
    return [int(n) for n in re.findall(r"\d+", figure.number)]


def _sections(read, rows):
    """Papers first, in the order of their figures, then the groups."""
    kernels, sources, figures, groups = {}, {}, {}, {}
    for each in read:
        kernels |= each.kernels
        sources |= each.sources
        figures |= each.figures
        groups |= each.groups
    by_kernel = {}
    for row in rows:
        by_kernel.setdefault(row.kernel.name, []).append(row)
    found = {}
    for figure in sorted(figures.values(), key=_place):
        mine = [k for k in kernels.values() if k.figure == figure.name and k.name in by_kernel]
        if mine:
            found.setdefault(figure.source, []).append(Part(
                figure.name, figure.title, figure.number, figure, mine,
                [r for k in mine for r in by_kernel[k.name]]))
    sections = [Section(s.name, s.title, s, found[s.name]) for s in sources.values() if s.name in found]
    for name, title in groups.items():
        parts = [Part(k.name, k.title, "", None, [k], by_kernel[k.name]) for k in kernels.values()
                 if k.group == name and not k.figure and k.name in by_kernel]
        if parts:
            sections.append(Section(name, title, None, parts))
    return sections
