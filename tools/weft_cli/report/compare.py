# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who is first: Weft beside its peers, kernel by kernel and number of workers by number."""
import dataclasses
import statistics

from weft_cli import results
from weft_cli.manifest import BASE
from weft_cli.results import Row

LEVEL = 0.05  # what differs by less is level
OURS = (BASE, "weft-so", "weft_clang", "weft_cpp", "weft_private", "weft_private_tasklet", "weft_shared",
        "weft_shared_tasklet")
NO_PEERS = *OURS, "serial"


def verdict(peer, weft):
    """What Weft is beside a peer, of two rows: ahead or behind where both their medians and their leasts differ so by
    more than LEVEL; else level. Whoever shares the machine makes a median greater for minutes; not often the least of
    several processes as well (J. Chen, J. Revels: Robust benchmarking in noisy environments, 2016)."""
    ratios = peer.median / weft.median, peer.least / weft.least
    return "ahead" if min(ratios) > 1 + LEVEL else "behind" if max(ratios) < 1 / (1 + LEVEL) else "level"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Weft and its peers at one kernel with one number of workers."""
    weft: Row
    others: list[tuple[Row, Row]]  # a peer, and the row of Weft's beside it: those that Weft is behind, then the rest,
    # the fastest of each first; at least one

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
        """ahead of all, behind one, or level."""
        found = {verdict(peer, weft) for peer, weft in self.others}
        return "behind" if "behind" in found else "level" if "level" in found else "ahead"


def groups(rows):
    """The rows by what is compared with each other: kernel and number of workers."""
    found = {}
    for row in rows:
        found.setdefault((row.kernel.name, row.workers), []).append(row)
    return found


def comparisons(rows):
    """All comparisons that the rows allow: Weft and a peer have figures that are not zero."""
    found = []
    for group in groups(rows).values():
        weft = next((r for r in group if r.runtime == BASE and r.least), None)
        others = [(r, results.base(r, group)) for r in group if r.runtime not in NO_PEERS and r.least]
        others = [(peer, beside) for peer, beside in others if beside and beside.least]
        if weft and others:
            others.sort(key=lambda pair: (verdict(*pair) != "behind", pair[0].median / pair[1].median))
            found.append(Comparison(weft, others))
    return found


@dataclasses.dataclass(frozen=True)
class Duel:
    """One peer in all comparisons that it is part of."""
    runtime: str
    ratios: list[float]  # its median over Weft's
    verdicts: list[str]  # on Weft

    @property
    def median(self):
        return statistics.median(self.ratios)

    @property
    def quarters(self):
        """The first quartile, the median and the third quartile."""
        if len(self.ratios) == 1:
            return (self.ratios[0],) * 3
        return tuple(statistics.quantiles(self.ratios, n=4, method="inclusive"))


def duels(compared):
    """Each peer against Weft, those that come closest first."""
    found = {}
    for comparison in compared:
        for peer, weft in comparison.others:
            duel = found.setdefault(peer.runtime, Duel(peer.runtime, [], []))
            duel.ratios.append(comparison.ratio(peer))
            duel.verdicts.append(verdict(peer, weft))
    return sorted(found.values(), key=lambda d: d.median)
