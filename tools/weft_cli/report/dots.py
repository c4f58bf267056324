# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture of rows: a name, marks on a common axis with whiskers, and the figures in columns."""
import dataclasses

from weft_cli.report.scale import Scale
from weft_cli.report.svg import drawing, element, text_width

SIZE = 12
ROW = 22


@dataclasses.dataclass(frozen=True)
class Dot:
    value: float
    low: float
    high: float
    title: str
    hollow: bool = False


@dataclasses.dataclass(frozen=True)
class RowOf:
    runtime: str
    label: str
    dots: list[Dot]
    figures: list[str]  # one for each column
    strong: bool
    # first quartile, median, third quartile of the dots, drawn as a bar
    middle: tuple[float, float, float] | None = None


@dataclasses.dataclass(frozen=True)
class Chart:
    title: str
    rows: list[RowOf]
    columns: list[str]  # what stands above the figures
    axis: str
    log: bool
    tick: object
    reference: tuple[float, str] | None = None  # a line at a value, and its name
    sides: tuple[str, str] = ("", "")  # what is left and what is right of it
    small: bool = False  # marks by the dozen: smaller, and joined by nothing
    limits: tuple[float, float] | None = None  # what lies beyond is drawn hollow at the edge


def draw(chart, inks, width):
    """The chart as SVG, for a column of this width. Figures that find no room are left out: the first
    columns first."""
    left = min(max(text_width(row.label, SIZE) for row in chart.rows) + 12, width * 0.4)
    columns = [[name] + [row.figures[i] for row in chart.rows] for i, name in enumerate(chart.columns)]
    widths = [max(text_width(cell, SIZE) for cell in column) + 14 for column in columns]
    first = 0
    while width - left - sum(widths[first:]) < width * 0.3:
        first += 1
    right = width - sum(widths[first:]) - 10
    values = [v for row in chart.rows for d in row.dots for v in (d.low, d.high)]
    if chart.limits:
        values = [min(max(v, chart.limits[0]), chart.limits[1]) for v in values]
    if chart.reference:
        values.append(chart.reference[0])
    scale = Scale(min(values), max(values), left, right, chart.log and min(values) > 0)
    top = 24
    bottom = top + ROW * len(chart.rows)
    parts = []
    room = (right - left) / 44
    ticks, reached = scale.ticks(max(2, int(room))), 0.0
    for value in ticks:
        at, words = scale(value), chart.tick(value)
        parts.append(element("line", class_="grid", x1=at, x2=at, y1=float(top), y2=float(bottom)))
        half = text_width(words, SIZE) / 2
        if at - half > reached and at + half < width:
            parts.append(element("text", words, class_="tick", x=at, y=float(bottom + 15),
                                 text_anchor="middle"))
            reached = at + half + 4
    name = chart.axis + (", log scale" if scale.log else "")
    half = text_width(name, SIZE) / 2
    parts.append(element("text", name, class_="faint", x=max(min((left + right) / 2, width - half), half),
                         y=float(bottom + 33), text_anchor="middle"))
    if chart.reference:
        parts += _reference(chart, scale, left, right, top, bottom)
    edge = width
    for name, column_width in reversed(list(zip(chart.columns, widths))[first:]):
        parts.append(element("text", name, class_="faint", x=float(edge), y=13, text_anchor="end"))
        edge -= column_width
    for i, row in enumerate(chart.rows):
        parts.append(_row(chart, row, inks, _kept(scale, chart.limits), top + ROW * (i + 0.5), left, width,
                          widths, first))
    return drawing(width, bottom + 40, parts, aria_label=chart.title)


def _kept(scale, limits):
    """The scale, for values that are kept within limits."""
    return (lambda v: scale(min(max(v, limits[0]), limits[1]))) if limits else scale


def _reference(chart, scale, left, right, top, bottom):
    at = scale(chart.reference[0])
    parts = [element("line", class_="reference", x1=at, x2=at, y1=float(top - 4), y2=float(bottom))]
    # The sides are named where both names have room.
    before, after = (text_width(side, SIZE) for side in chart.sides)
    if before < at - left and after < right - at:
        parts.append(element("text", chart.sides[0], class_="faint", x=at - 6, y=13, text_anchor="end"))
        parts.append(element("text", chart.sides[1], class_="faint", x=at + 6, y=13))
    else:
        parts.append(element("text", chart.reference[1], class_="label strong", x=at, y=13,
                             text_anchor="middle"))
    return parts


def _row(chart, row, inks, scale, y, left, width, widths, first):
    size = 3.4 if chart.small else 5.0
    label = row.label
    while text_width(label, SIZE) > left - 8 and len(label) > 4:
        label = label.rstrip("…")[:-1].rstrip(" ,") + "…"
    parts = [element("text", label, class_="label strong" if row.strong else "label", x=0, y=y + 4)]
    if len(row.dots) > 1 and not chart.small:
        at = sorted(scale(d.value) for d in row.dots)
        parts.append(element("line", class_="between", x1=at[0], x2=at[-1], y1=y, y2=y))
    for dot in row.dots:
        if scale(dot.high) - scale(dot.low) > 2:
            parts.append(element("line", class_="whisker", x1=scale(dot.low), x2=scale(dot.high), y1=y, y2=y))
    low, high = chart.limits or (float("-inf"), float("inf"))
    parts += [inks.mark(row.runtime, scale(d.value), y, size, d.title, d.hollow or not low <= d.value <= high)
              for d in row.dots]
    if row.middle:
        first_quarter, median, third_quarter = map(scale, row.middle)
        parts.append(element("rect", class_="half", x=first_quarter, y=y - 5, width=third_quarter - first_quarter,
                             height=10.0))
        parts.append(element("line", class_="median", x1=median, x2=median, y1=y - 8, y2=y + 8))
    edge = width
    for figure, column_width in reversed(list(zip(row.figures, widths))[first:]):
        parts.append(element("text", figure, class_="figure strong" if row.strong else "figure",
                             x=float(edge), y=y + 4, text_anchor="end"))
        edge -= column_width
    classes = [inks.class_of(row.runtime)] + ["strong"] * row.strong + ["small"] * chart.small
    return element("g", *parts, class_=" ".join(classes))
