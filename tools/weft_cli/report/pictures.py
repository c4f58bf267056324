# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which picture suits a part of the report: lines over numbers of workers or over sizes, else rows of
marks; and the summary's picture."""
from weft_cli.manifest import BASE
from weft_cli.report import compare, dots, lines, words

WIDE, NARROW = 720, 343  # columns of a page, and of a telephone of 375 pixels
LOG_FROM = 8  # rows whose values differ by more get a logarithmic axis
LINES_FROM = 3  # numbers of workers
SHOWN = 0.1, 100.0  # multiples of Weft's that the summary has room for; what lies beyond stands at its edge


def title_of(report, row):
    """What a mark says when it is pointed at."""
    low, high = row.spread
    unit = row.kernel.unit
    return (f"{report.label(row.runtime)}, {words.count(row.workers, 'worker')}: "
            f"{words.quantity(row.median, unit)} (half of {words.count(len(row.samples), 'sample')} "
            f"from {words.quantity(low, unit)} to {words.quantity(high, unit)})")


def of_part(report, part):
    """The pictures of a part: (heading, draw), where draw(width) gives SVG. Nothing for a part without
    medians."""
    rows = [r for r in part.rows if r.median is not None]
    placed = [k for k in part.kernels if k.x is not None]
    found = []
    if len(placed) > 1:
        mine = [r for r in rows if r.kernel.x is not None]
        for workers in sorted({r.workers for r in mine}):
            chart = _over_sizes(report, part, [r for r in mine if r.workers == workers])
            found.append((words.count(workers, "worker"), chart))
        if part.figure.efficiency:
            found += _efficiencies(report, part, mine)
        rows = [r for r in rows if r.kernel.x is None]
    for kernel in part.kernels:
        mine = [r for r in rows if r.kernel == kernel]
        if mine:
            many = len({r.workers for r in mine}) >= LINES_FROM
            chart = (_over_workers if many else _side_by_side)(report, part, kernel, mine)
            # A ratio alone does not say of what.
            named = len(part.kernels) > 1 or (part.figure is not None and kernel.unit == "ratio")
            found.append((kernel.title if named else "", chart))
    return found


def _log(part, rows):
    """Whether the vertical axis is logarithmic: where the paper's is, or else the least would be seen nowhere."""
    medians = [r.median for r in rows]
    wide = min(medians) > 0 and max(medians) / min(medians) > LOG_FROM
    return part.figure is None or part.figure.log or wide


def _line(report, runtime, points):
    return lines.Line(runtime, report.label(runtime), points, runtime == BASE, level=runtime == "serial")


def _point(report, category, row):
    return lines.Point(category, row.median, *row.spread, title_of(report, row))


def _by_runtime(report, rows):
    return [(r.name, [row for row in rows if row.runtime == r.name]) for r in report.used
            if any(row.runtime == r.name for row in rows)]


def _over_sizes(report, part, rows):
    places = sorted({r.kernel.x for r in rows})
    unit = rows[0].kernel.unit
    return _bound(lines, report, lines.Chart(
        f"{part.title}, {words.count(rows[0].workers, 'worker')}",
        [_line(report, name, [_point(report, places.index(r.kernel.x), r)
                              for r in sorted(mine, key=lambda r: r.kernel.x)])
         for name, mine in _by_runtime(report, rows)],
        [words.at(x) for x in places], part.figure.x, words.what(unit), _log(part, rows),
        lambda v: words.quantity(v, unit)))


def _efficiencies(report, part, rows):
    """For each size, which is what an operation takes at best, the share of that in what it took, over workers."""
    found = []
    for x in sorted({r.kernel.x for r in rows} - {0}):
        mine = [r for r in rows if r.kernel.x == x and r.runtime != "serial"]
        counts = sorted({r.workers for r in mine})
        if len(counts) < 2:
            continue
        lines_ = [_line(report, name, [
            lines.Point(counts.index(r.workers), x / r.median, *(x / v for v in reversed(r.spread)),
                        f"{title_of(report, r)}: {words.percent(x / r.median)}")
            for r in sorted(mine, key=lambda r: r.workers)]) for name, mine in _by_runtime(report, mine)]
        size = words.quantity(x, mine[0].kernel.unit)
        found.append((f"Efficiency at {size}", _bound(lines, report, lines.Chart(
            f"{part.title}, efficiency at {size}", lines_, [str(c) for c in counts], "workers",
            "work over all workers' time", False, words.percent))))
    return found


def _over_workers(report, part, kernel, rows):
    counts = sorted({r.workers for r in rows})
    processors = report.machine["processors"]
    beyond = next((i for i, c in enumerate(counts) if c > processors), None)
    return _bound(lines, report, lines.Chart(
        kernel.title,
        [_line(report, name, [_point(report, counts.index(r.workers), r)
                              for r in sorted(mine, key=lambda r: r.workers)])
         for name, mine in _by_runtime(report, rows)],
        [str(c) for c in counts], "workers", words.what(kernel.unit),
        _log(part, rows), lambda v: words.quantity(v, kernel.unit),
        beyond, "more workers than processors"))


def _side_by_side(report, _part, kernel, rows):
    counts = sorted({r.workers for r in rows})
    first = min(rows, key=lambda r: r.workers).workers
    entries = []
    for name, mine in _by_runtime(report, rows):
        by_count = {r.workers: r for r in mine}
        entries.append((by_count.get(first, mine[0]).median, dots.RowOf(
            name, report.label(name),
            [dots.Dot(r.median, *r.spread, title_of(report, r), hollow=r.workers != first) for r in mine],
            [words.quantity(by_count[c].median, kernel.unit) if c in by_count else "–" for c in counts],
            name == BASE)))
    entries.sort(key=lambda e: e[0])
    medians = [r.median for r in rows]
    log = min(medians) > 0 and max(medians) / min(medians) > LOG_FROM
    marks = "" if len(counts) == 1 else f" (hollow: {words.count(counts[1], 'worker')})"
    return _bound(dots, report, dots.Chart(
        kernel.title, [row for _, row in entries], [words.count(c, "worker") for c in counts],
        words.what(kernel.unit) + marks, log, lambda v: words.quantity(v, kernel.unit)))


def summary(report):
    """Each peer against Weft, as draw(width); None if nothing can be compared."""
    duels = compare.duels(report.comparisons)
    if not duels:
        return None
    titles = {}
    for comparison in report.comparisons:
        for row in comparison.peers:
            titles.setdefault(row.runtime, []).append(
                f"{row.kernel.title}, {words.count(row.workers, 'worker')}: "
                f"{words.ratio(comparison.ratio(row))}")
    rows = [dots.RowOf(d.runtime, report.label(d.runtime),
                       [dots.Dot(r, r, r, title) for r, title in zip(d.ratios, titles[d.runtime])],
                       [str(d.verdicts.count(v)) for v in ("ahead", "level", "behind")] + [words.ratio(d.median)],
                       False, d.quarters) for d in duels]
    return _bound(dots, report, dots.Chart(
        "Each measurement of each runtime as a multiple of Weft's", rows,
        ["ahead", "level", "behind", "median"], "a multiple of what Weft needs", True, lambda v: f"{v:g}×",
        (1.0, "Weft"), ("Weft behind", "Weft ahead"), small=True, limits=SHOWN))


def _bound(kind, report, chart):
    return lambda width: kind.draw(chart, report.inks, width)
