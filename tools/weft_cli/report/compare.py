# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who is first: Weft beside its peers, kernel by kernel and number of workers by number."""
import dataclasses
import statistics

from weft_cli import results
from weft_cli.manifest import BASE
from weft_cli.results import Row

LEVEL = 0.05  # medians that differ by less are level
OURS = (BASE, "weft-so", "weft_clang", "weft_cpp", "weft_private", "weft_private_tasklet", "weft_shared",
        "weft_shared_tasklet")
NO_PEERS = *OURS, "serial"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Weft and its peers at one kernel with one number of workers."""
    weft: Row
    others: list[tuple[Row, Row]]  # a peer, and the row of Weft's beside it, the fastest so first; at least one

    def ratio(self, row):
        """How many times Weft's median."""
        return row.median / self.beside(row).median

    def beside(self, row):
        """What a peer is compared with: Weft's program, compiled as the peer's is."""
        return next(weft for peer, weft in self.others if peer is row)

    @property
    def peers(self):
        return [peer for peer, _ in self.others]

    @property
    def best(self):
        return self.others[0][0]

    @property
    def verdict(self):
        """ahead, level or behind."""
        ratio = self.ratio(self.best)
        return "ahead" if ratio > 1 + LEVEL else "behind" if ratio < 1 / (1 + LEVEL) else "level"


def groups(rows):
    """The rows by what is compared with each other: kernel and number of workers."""
    found = {}
    for row in rows:
        found.setdefault((row.kernel.name, row.workers), []).append(row)
    return found


def comparisons(rows):
    """All comparisons that the rows allow: Weft and a peer have a median that is not zero."""
    found = []
    for group in groups(rows).values():
        weft = next((r for r in group if r.runtime == BASE and r.median), None)
        others = [(r, results.base(r, group)) for r in group if r.runtime not in NO_PEERS and r.median]
        if weft and others:
            others.sort(key=lambda pair: pair[0].median / pair[1].median)
            found.append(Comparison(weft, others))
    return found


@dataclasses.dataclass(frozen=True)
class Duel:
    """One peer in all comparisons that it is part of."""
    runtime: str
    ratios: list[float]  # its median over Weft's

    @property
    def median(self):
        return statistics.median(self.ratios)

    @property
    def faster(self):
        """How often Weft is more than level."""
        return sum(r > 1 + LEVEL for r in self.ratios)

    @property
    def slower(self):
        return sum(r < 1 / (1 + LEVEL) for r in self.ratios)


def duels(compared):
    """Each peer against Weft, those that come closest first."""
    ratios = {}
    for comparison in compared:
        for row in comparison.peers:
            ratios.setdefault(row.runtime, []).append(comparison.ratio(row))
    return sorted((Duel(name, values) for name, values in ratios.items()), key=lambda d: d.median)
