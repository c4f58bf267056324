# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the outcomes of processes to one row for each kernel, runtime and number of workers."""
import dataclasses
import statistics

from weft_cli.manifest import BASE, Kernel
from weft_cli.runner import ALIKE


@dataclasses.dataclass(frozen=True)
class Row:
    kernel: Kernel
    runtime: str
    workers: int
    samples: list[float]
    failures: list[str]
    note: str
    distances: list[float]  # of the processors, of the processes that count
    left_out: int  # processes that ran while the processors were otherwise placed
    beside: str  # the runtime of Weft's that it is compared with, where the kernel has that; else BASE

    @property
    def ok(self):
        return not self.failures

    @property
    def median(self):
        return statistics.median(self.samples) if self.ok and self.samples else None

    @property
    def least(self):
        return min(self.samples) if self.ok and self.samples else None

    @property
    def spread(self):
        """The first and the third quartile."""
        if not self.ok or not self.samples:
            return None
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        quarters = statistics.quantiles(self.samples, n=4, method="inclusive")
        return quarters[0], quarters[2]


def alike(outcomes):
    """Those outcomes of one group that may be compared: the processors of a shared machine can be
    near or far from each other for whole periods. If every runtime has an outcome from a near
    period, those count; else those from a far period if all have one; else all."""
    known = [d for o in outcomes for d in o.distances]
    if not known:
        return outcomes
    limit = min(known) * ALIKE
    near = [o for o in outcomes if all(d <= limit for d in o.distances)]
    far = [o for o in outcomes if o.distances and all(d > limit for d in o.distances)]
    runtimes = {o.job.runtime for o in outcomes}
    for chosen in (near, far):
        if {o.job.runtime for o in chosen} == runtimes:
            return chosen
    return outcomes


def rows(outcomes, runtimes):
    """One row for each kernel, number of workers and runtime, in the order of the runs and of these
    manifest.Runtime."""
    groups = {}
    for outcome in outcomes:
        groups.setdefault(outcome.job.group, []).append(outcome)
    result = []
    for group in groups.values():
        counted = alike([o for o in group if not o.failure])
        for runtime in runtimes:
            mine = [o for o in group if o.job.runtime == runtime.name]
            if not mine:
                continue
            used = [o for o in mine if o in counted]
            failures = list(dict.fromkeys(o.failure for o in mine if o.failure))
            result.append(Row(
                mine[0].job.kernel, runtime.name, mine[0].job.workers,
                [s for o in used for s in o.samples], failures,
                next((o.note for o in mine if o.note), ""),
                [d for o in used for d in o.distances],
                len(mine) - len(used) - sum(1 for o in mine if o.failure), runtime.beside or BASE))
    return result


def base(row, table):
    """The row of Weft's in the same group that this one is compared with; None if there is none with a figure."""
    found = {r.runtime: r for r in table if r.runtime in (BASE, row.beside) and r.median and
             (r.kernel.name, r.workers) == (row.kernel.name, row.workers)}
    return found.get(row.beside, found.get(BASE))


def across_compilers(table, label=str):
    """A sentence on the rows that another compiler made than the row of Weft's beside them; empty if there is none.

    label: what a runtime is called."""
    names = {}
    for row in table:
        if row.beside != BASE and row.median is not None:
            weft = base(row, table)
            if weft and weft.runtime != row.beside:
                names[row.runtime] = names.get(row.runtime, 0) + 1
    if not names:
        return ""
    each = ", ".join(f"{label(name)} in {count}" for name, count in names.items())
    return f"Compared with Weft's program of another compiler, and so two compilers as well: {each}."


def ratio(row, table):
    """How many times as much as Weft in the same group; None if either has no figure."""
    weft = base(row, table)
    return row.median / weft.median if weft and row.median is not None else None
