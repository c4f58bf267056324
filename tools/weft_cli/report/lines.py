# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture of lines: one for each runtime over categories (numbers of workers, sizes), each named beside
its end, with whiskers from the first to the third quartile."""
import dataclasses
import itertools

from weft_cli.report.scale import Scale
from weft_cli.report.svg import drawing, element, text_width

SIZE = 12  # of the letters
LINE = 14  # between two names
BELOW = 44  # for the names of the categories and of the axis


@dataclasses.dataclass(frozen=True)
class Point:
    category: int  # its index
    value: float
    low: float
    high: float
    title: str  # shown when pointed at


@dataclasses.dataclass(frozen=True)
class Line:
    runtime: str
    label: str
    points: list[Point]
    strong: bool
    level: bool = False  # goes on after its last point, as something to compare with


@dataclasses.dataclass(frozen=True)
class Chart:
    title: str  # for who cannot see it
    lines: list[Line]
    categories: list[str]
    x: str  # names of the axes
    y: str
    log: bool
    tick: object  # how a value is written
    beyond: int | None = None  # the first category to which `beyond_words` apply
    beyond_words: str = ""


def _spread(places, low, high, gap):
    """Places as near as may be to the wanted ones, in their order, at least gap apart."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    at = [0.0] * len(places)
    last = low - gap
    for i in order:
        at[i] = last = max(places[i], last + gap)
    limit = high + gap
    for i in reversed(order):
        at[i] = limit = min(at[i], limit - gap)
    return at


def draw(chart, inks, width):
    """The chart as SVG, for a column of this width."""
    label_width = max(text_width(line.label, SIZE) for line in chart.lines)
    height = max(width * 0.4, 230, LINE * len(chart.lines) + 20)
    top, bottom = 24, 24 + height
    values = [v for line in chart.lines for p in line.points for v in (p.low, p.high)]
    log = chart.log and min(values) > 0
    y = Scale(min(values), max(values), bottom, top, log)
    ticks = [(t, chart.tick(t)) for t in y.ticks(7)]
    left = max(text_width(words, SIZE) for _, words in ticks) + 8
    right = width - min(label_width, width * 0.36) - 22
    step = (right - left) / len(chart.categories)

    def x(category):
        return left + step * (category + 0.5)

    parts = []
    name = chart.y + (", log scale" if log else "")
    if chart.beyond is not None:
        edge = left + step * chart.beyond
        parts.append(element("rect", class_="beyond", x=edge, y=float(top), width=right - edge,
                             height=float(bottom - top)))
        if text_width(name + chart.beyond_words, SIZE) + 10 < right:
            parts.append(element("text", chart.beyond_words, class_="faint", x=right, y=11, text_anchor="end"))
    parts.append(element("text", name, class_="faint", x=0, y=11))
    for value, words in ticks:
        parts.append(element("line", class_="grid", x1=left, x2=right, y1=y(value), y2=y(value)))
        parts.append(element("text", words, class_="tick", x=left - 6, y=y(value) + 4,
                             text_anchor="end"))
    widest = max(text_width(c, SIZE) for c in chart.categories) + 4
    every = next(n for n in itertools.count(1) if n * step >= widest)
    for i, category in enumerate(chart.categories):
        if i % every == 0:
            parts.append(element("text", category, class_="tick", x=x(i), y=float(bottom + 17),
                                 text_anchor="middle"))
    parts.append(element("text", chart.x, class_="faint", x=(left + right) / 2, y=float(bottom + 36),
                         text_anchor="middle"))
    parts += _lines(chart, inks, x, y)
    ends, last = [], x(len(chart.categories) - 1)
    for line in chart.lines:
        at = x(line.points[-1].category), y(line.points[-1].value)
        if line.level and at[0] < last:
            parts.append(element("path", class_=f"level {inks.class_of(line.runtime)}",
                                 d=f"M{at[0]:.1f} {at[1]:.1f}H{last:.1f}"))
            at = last, at[1]
        ends.append((line, *at))
    places = _spread([end for _, _, end in ends], top + 4, bottom - 2, LINE)
    for (line, end_x, end_y), place in zip(ends, places):
        words = line.label
        while text_width(words, SIZE) > width - right - 18 and len(words) > 4:
            words = words.rstrip("…")[:-1].rstrip(" ,") + "…"
        # On paper of its own, the leader says to which line the name belongs.
        leader = f"M{end_x + 5:.1f} {end_y:.1f}L{right + 4:.1f} {place:.1f}H{right + 12:.1f}"
        parts.append(element(
            "g", element("path", class_="leader" if end_x > last - 1 else "leader far", d=leader),
            element("text", words, class_="label strong" if line.strong else "label",
                    x=right + 15, y=place + 4),
            class_=inks.class_of(line.runtime)))
    return drawing(width, height + 24 + BELOW, parts, aria_label=chart.title)


def _lines(chart, inks, x, y):
    """The lines themselves; the strong ones on top."""
    parts = []
    for line in sorted(chart.lines, key=lambda line: line.strong):
        path = "M" + "L".join(f"{x(p.category):.1f} {y(p.value):.1f}" for p in line.points)
        inside = [element("path", class_="line", d=path)]
        for p in line.points:
            if abs(y(p.low) - y(p.high)) > 2:
                inside.append(element("line", class_="whisker", x1=x(p.category), x2=x(p.category),
                                      y1=y(p.low), y2=y(p.high)))
        inside += [inks.mark(line.runtime, x(p.category), y(p.value), 4.2 if line.strong else 3.2, p.title)
                   for p in line.points]
        parts.append(element("g", *inside, class_=inks.class_of(line.runtime) +
                             (" strong" if line.strong else "")))
    return parts
