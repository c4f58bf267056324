# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report in a terminal: a bar for each runtime, kernel by kernel."""
import shutil

from weft_cli import results
from weft_cli.report import compare, words

EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(part, width):
    """A bar of this part of the width; a value that is not nothing shows."""
    eighths = max(round(part * width * 8), 1 if part > 0 else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def summary(report):
    """Where Weft stands, in a sentence; and in another one where that is of two compilers as well."""
    compared = report.comparisons
    if not compared:
        return "No other runtime was measured beside Weft."
    count = {v: sum(c.verdict == v for c in compared) for v in ("ahead", "level", "behind")}
    across = results.across_compilers(report.rows, report.label)
    return (f"Of {words.count(len(compared), 'comparison')} Weft is first in {count['ahead']}, level with "
            f"the best in {count['level']} and behind in {count['behind']}." + (across and f" {across}"))


def render(report):
    """The whole, in the width of the terminal."""
    width = min(shutil.get_terminal_size().columns, 100)
    lines = [summary(report)]
    for section in report.sections:
        lines += ["", section.title, "=" * len(section.title)]
        for part in section.parts:
            heading = f"{part.number}: {part.title}" if part.number else part.title
            lines += ["", heading]
            for group in compare.groups(part.rows).values():
                lines += _group(report, part, group, width)
    behind = [c for c in report.comparisons if c.verdict == "behind"]
    if behind:
        lines += ["", "Where Weft is not first:"]
        lines += [f"  {c.weft.kernel.name} on {c.weft.workers}: {report.label(c.best.runtime)} needs "
                  f"{words.ratio(c.ratio(c.best))} of it" for c in behind]
    lines += [f"{r.label} is missing: {r.reason}" for r in report.missing]
    return "\n".join(lines)


def _group(report, part, rows, width):
    kernel = rows[0].kernel
    longest = max((r.median for r in rows if r.median is not None), default=0)
    names = max(len(report.label(r.runtime)) for r in rows)
    head = "  " + words.count(rows[0].workers, "worker")
    yield head + (f", {kernel.title}" if len(part.kernels) > 1 else "")
    for row in rows:
        if row.median is None:
            yield f"    {report.label(row.runtime):{names}}  FAILED: {row.failures[0]}"
            continue
        base = report.base(row)
        figure = words.quantity(row.median, kernel.unit)
        ratio = words.ratio(row.median / base.median) if base else ""
        text = bar(row.median / longest if longest else 0, max(width - names - 30, 10))
        yield f"    {report.label(row.runtime):{names}}  {figure:>10}  {ratio:>8}  {text}".rstrip()
