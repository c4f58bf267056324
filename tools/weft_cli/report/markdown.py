# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report in Markdown: a page, or a summary in a page that has a place for it."""
import os

from weft_cli.errors import Refusal
from weft_cli.report import bars, compare, words

TITLE = "# Weft beside other runtimes\n"
# What stands between these lines of a page is replaced.
BEGIN, END = "<!-- weft report -->\n", "<!-- end of weft report -->\n"


def render(report, path, source, others):
    """The page; where there is one at path with a place for a summary, that one with the summary there, and the picture
    and the page that stand beside source, the file of results, or are others that are written with it."""
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        raise Refusal(f"{path} is no text in UTF-8: nothing is written") from None
    if BEGIN in text and END in text.partition(BEGIN)[2]:
        before, _, rest = text.partition(BEGIN)
        return before + BEGIN + summary(report) + _beside(path, source, others) + END + rest.partition(END)[2]
    if text and not text.startswith(TITLE):
        raise Refusal(f"{path} has other text and no line {BEGIN.strip()}: nothing is written")
    return page(report)


def _beside(path, source, others):
    """What was drawn of a file of results, as a page at path refers to it."""
    parts = []
    for suffix, text in ((".svg", "\n![Each measurement of each runtime as a multiple of Weft's]({})\n"),
                         (".html", "\n[The whole report]({}), as a page to be downloaded.\n")):
        drawn = source.with_suffix(suffix)
        if drawn in others or drawn.exists():
            parts.append(text.format(os.path.relpath(drawn, path.parent)))
    return "".join(parts)


def page(report):
    """The summary, then a line for each comparison, then what Weft was measured alone for."""
    parts = [TITLE + "\n", summary(report)]
    lines = []
    for section in report.sections:
        for part in section.parts:
            lines += [_comparison(report, part, c) for c in report.compared(part)]
    if lines:
        parts.append("\nLevel: the medians or the least figures of the two lie within 5 %, or do not say the same.\n")
        parts.append("\n| | workers | Weft | best of the others | | needs | |\n"
                     "|---|---:|---:|---|---:|---:|---|\n")
        parts += lines
    compared = {id(c.weft) for c in report.comparisons}
    alone = [r for r in report.rows
             if r.runtime == compare.BASE and r.median is not None and id(r) not in compared]
    if alone:
        parts.append("\n| of Weft alone | workers | Weft |\n|---|---:|---:|\n")
        parts += [_line(r.kernel.title, str(r.workers), words.quantity(r.median, r.kernel.unit)) for r in alone]
    parts += [f"\n{report.label(r.runtime)} failed: {r.kernel.title}, {words.count(r.workers, 'worker')}: "
              f"{'; '.join(r.failures)}.\n" for r in report.failed]
    return "".join(parts)


def summary(report):
    """Where Weft stands: a sentence, a line for each runtime, what is missing."""
    small = " Small sizes: good for a look, not for a judgement." if report.quick else ""
    parts = [f"{bars.summary(report)}{small} Measured on: {', '.join(report.facts)}. The last column is "
             "the runtime's time or memory as a multiple of Weft's.\n"]
    duels = compare.duels(report.comparisons)
    if duels:
        parts.append("\n| | measured in | Weft ahead | level | Weft behind | median of all |\n"
                     "|---|---:|---:|---:|---:|---:|\n")
        for d in duels:
            counts = [str(d.verdicts.count(verdict)) for verdict in ("ahead", "level", "behind")]
            parts.append(_line(report.label(d.runtime), str(len(d.ratios)), *counts, words.ratio(d.median)))
    if report.missing:
        parts.append("\nNot measured: " + "; ".join(f"{r.label} ({r.missing})" for r in report.missing) + ".\n")
    return "".join(parts)


def _line(*cells):
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |\n"


def _comparison(report, part, comparison):
    best = comparison.best
    weft = comparison.beside(best)
    title = weft.kernel.title + (f" ({part.number})" if part.number else "")
    said = {"ahead": "", "level": "level", "behind": "Weft is not first"}[comparison.verdict]
    return _line(title, str(weft.workers), words.quantity(weft.median, weft.kernel.unit),
                 report.label(best.runtime), words.quantity(best.median, best.kernel.unit),
                 words.ratio(comparison.ratio(best)), said)
