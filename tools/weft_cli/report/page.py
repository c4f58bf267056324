# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as one HTML page that stands by itself: no file and no server beside it, no script."""
import pathlib
import re

from weft_cli import results
from weft_cli.machine import settings
from weft_cli.manifest import BASE
from weft_cli.report import bars, compare, pictures, words
from weft_cli.report.svg import Markup, drawing, element as el, join

STYLE = pathlib.Path(__file__).with_name("page.css")
INK_STYLE = pathlib.Path(__file__).with_name("ink.css")
MARGIN = 16  # around a picture that stands alone
VERDICTS = {"ahead": "first", "level": "level", "behind": "not first"}


def standing_alone(draw, report):
    """A picture with its own style and paper, for use outside the page."""
    inner = draw(pictures.WIDE)
    width, height = (float(n) for n in re.search(r'viewBox="0 0 (\S+) (\S+)"', inner).groups())
    placed = inner.replace("<svg ", f'<svg x="{MARGIN}" y="{MARGIN}" width="{width:g}" height="{height:g}" ', 1)
    whole = width + 2 * MARGIN, height + 2 * MARGIN
    return drawing(*whole, [
        el("style", Markup(INK_STYLE.read_text(encoding="utf-8") + report.inks.style())),
        el("rect", width=whole[0], height=whole[1], style="fill: var(--paper)"), Markup(placed)])


def render(report):
    """The page."""
    head = el("head",
              el("meta", charset="utf-8"),
              el("meta", name="viewport", content="width=device-width, initial-scale=1"),
              el("meta", name="color-scheme", content="light dark"),
              el("title", "Weft beside other runtimes"),
              el("style", Markup(INK_STYLE.read_text(encoding="utf-8") + report.inks.style()
                                 + STYLE.read_text(encoding="utf-8"))))
    body = el("body", el("main", _header(report), _failures(report), _summary(report), _behind(report),
                         _contents(report), *[_section(report, s) for s in report.sections],
                         _method(report)))
    return "<!DOCTYPE html>\n" + el("html", head, body, lang="en") + "\n"


def _header(report):
    return el("header", el("h1", "Weft beside other runtimes"),
              el("p", " · ".join(report.facts), class_="facts"))


def _failures(report):
    """What makes the report doubtful stands open: wrong answers, and any failure of Weft's. That a peer did not
    get to an answer is said in a line, which opens."""
    def listed(rows):
        return el("ul", *[el("li", f"{report.label(r.runtime)}, {r.kernel.title}, "
                                   f"{words.count(r.workers, 'worker')}: " + "; ".join(r.failures)) for r in rows])

    grave = [r for r in report.failed
             if r.runtime in compare.OURS or any(f.startswith("wrong answer") for f in r.failures)]
    others = [r for r in report.failed if r not in grave]
    parts = []
    if grave:
        parts.append(el("section", el("h2", "Failed"), listed(grave), class_="failed"))
    if others:
        names = ", ".join(dict.fromkeys(report.label(r.runtime) for r in others))
        parts.append(el("details", el("summary", f"{words.count(len(others), 'measurement')} of peers came to no "
                                                 f"answer: {names}"), listed(others)))
    return join(parts)


def _both(draw):
    """A picture for a page and one for a telephone; the style sheet shows one of them."""
    # Nothing can be pointed at on a telephone: the titles of marks would only be weight.
    narrow = Markup(re.sub(r"<title>.*?</title>", "", draw(pictures.NARROW)))
    return join([el("div", draw(pictures.WIDE), class_="wide"), el("div", narrow, class_="narrow")])


def _summary(report):
    compared = report.comparisons
    parts = []
    if compared:
        for verdict, text in (("ahead", "first"), ("level", "level with the best"), ("behind", "behind")):
            number = sum(c.verdict == verdict for c in compared)
            parts.append(el("div", el("b", number), el("span", text), class_="big"))
    words_ = el("p", bars.summary(report) + " A comparison is one kernel with one number of workers: "
                "Weft beside each of the others. Weft is ahead or behind where both the medians and the least figures "
                "differ so by more than 5 %; else they are level. "
                + _compilers(report) + "Serial programs and Weft's other faces (C++, the shared library, "
                "pools of the program's own) are shown and not counted.")
    picture = pictures.summary(report)
    drawn = Markup("")
    if picture:
        drawn = el("figure", _both(picture), el(
            "figcaption", "Each mark is one measurement of a runtime as a multiple of what Weft needs, time or memory: "
                          "right of the line Weft needs less. A stroke is a runtime's median, a bar the middle half "
                          "of its marks; hollow marks at the edges lie beyond them. The columns count where Weft is "
                          "ahead of the runtime, level and behind."))
    size = el("p", "Small sizes (--quick): good for a look, not for a judgement.", class_="note") \
        if report.quick else Markup("")
    return el("section", el("div", *parts, class_="bigs"), words_, size, drawn, _missing(report))


def _compilers(report):
    """That what clang compiled is compared with Weft's by clang; nothing where not all of it is, or there is none."""
    others = [r for r in report.rows if r.beside != BASE and r.median is not None]
    if not others or results.across_compilers(report.rows):
        return ""
    return ("A program that clang compiled is compared with Weft's that clang compiled, else it would be two "
            "compilers that are compared. ")


def _missing(report):
    if not report.missing:
        return Markup("")
    items = [el("li", el("b", r.label), f": {r.reason}") for r in report.missing]
    names = ", ".join(r.label for r in report.missing)
    return el("details", el("summary", f"Not measured here: {names}"), el("ul", *items))


def _behind(report):
    behind = sorted((c for c in report.comparisons if c.verdict == "behind"), key=lambda c: c.ratio(c.best))
    if not behind:
        return Markup("")
    # A telephone has room for what matters most.
    head = el("tr", el("th", "kernel"), el("th", "workers", class_="number"), el("th", "first is"),
              el("th", "ratio", class_="number"), el("th", "needs", class_="number roomy"),
              el("th", "Weft", class_="number roomy"))

    def link(kernel):
        return el("a", words.heading(kernel.title), href=f"#{_anchor(kernel)}")

    body = [el("tr", el("td", link(c.weft.kernel), class_="text"),
               el("td", c.weft.workers, class_="number"), el("td", report.label(c.best.runtime), class_="name"),
               el("td", words.ratio(c.ratio(c.best)), class_="number"),
               el("td", words.quantity(c.best.median, c.best.kernel.unit), class_="number roomy"),
               el("td", words.quantity(c.beside(c.best).median, c.weft.kernel.unit), class_="number roomy"))
            for c in behind]
    return el("section", el("h2", "Where Weft is not first"), _table(head, body), class_="few")


def _head(names, left):
    """The head of a table; what is not left is a column of numbers."""
    return el("tr", *[el("th", n, class_=None if n in left else "number") for n in names])


def _table(head, body):
    return el("div", el("table", el("thead", head), el("tbody", *body)), class_="scroll")


def _contents(report):
    items = [el("li", el("a", s.title, href=f"#{s.name}")) for s in report.sections]
    items.append(el("li", el("a", "How it was measured", href="#method")))
    return el("nav", el("ul", *items))


def _section(report, section):
    by = Markup("")
    if section.source:
        by = join([el("p", section.source.authors, class_="facts"),
                   el("p", section.source.note) if section.source.note else ""])
    # A kernel that only Weft has needs no picture: those are one table.
    alone = [p for p in section.parts if p.figure is None and
             all(r.runtime in compare.OURS for r in p.rows)]
    parts = [_part(report, p) for p in section.parts if p not in alone]
    if alone:
        parts.append(el("article", el("h3", "Measured of Weft alone"),
                        _figures(report, [r for p in alone for r in p.rows], titles=True)))
    return el("section", el("h2", section.title), by, *parts, id=section.name)


def _anchor(kernel):
    return f"figure-{kernel.figure}" if kernel.figure else f"kernel-{kernel.name}"


def _part(report, part):
    compared = report.compared(part)
    verdict = Markup("")
    if compared:
        worst = max(compared, key=lambda c: list(VERDICTS).index(c.verdict))
        verdict = el("span", VERDICTS[worst.verdict], class_=f"pill {worst.verdict}")
    inside = [el("h3", f"{part.number}: " if part.number else "", words.heading(part.title), " ", verdict)]
    if part.figure and part.figure.shows:
        inside.append(el("p", f"There: {part.figure.shows}", class_="note"))
    inside.append(el("p", _sentence(report, compared)) if compared else Markup(""))
    for heading, draw in pictures.of_part(report, part):
        if heading:
            inside.append(el("h4", words.heading(heading)))
        inside.append(el("figure", _both(draw)))
    inside.append(el("details", el("summary", "The figures as a table"),
                     _figures(report, part.rows, titles=len(part.kernels) > 1),
                     el("p", "To measure it: ", el("code", f"./dev bench --only {part.name}"), class_="note")))
    return el("article", *inside, id=_anchor(part.kernels[0]))


def _sentence(report, compared):
    """How Weft stands in a part; where it is not first, who is, and by how much."""
    several = len({c.weft.kernel for c in compared}) > 1
    behind = {}
    for c in compared:
        if c.verdict == "behind":
            at = words.count(c.weft.workers, "worker")
            at = f"{c.weft.kernel.title}, {at}" if several else at
            behind.setdefault(report.label(c.best.runtime), []).append(f"{words.ratio(c.ratio(c.best))} ({at})")
    if behind:
        return "Weft is not first. Of what it needs, " + "; ".join(
            f"{label} needs {', '.join(parts)}" for label, parts in behind.items()) + "."
    ratios = [c.ratio(c.best) for c in compared]
    low, high = words.ratio(min(ratios)), words.ratio(max(ratios))
    between = low if low == high else f"{low} to {high}"
    return f"The best of the others needs {between} of what Weft needs."


def _figures(report, rows, titles):
    names = (["kernel"] if titles else []) + ["workers", "runtime", "median", "half of all", "least",
                                              "to Weft", "samples"]
    body = []
    for row in rows:
        cells = [el("td", row.kernel.title, class_="text")] if titles else []
        cells += [el("td", row.workers, class_="number"), el("td", report.label(row.runtime), class_="name")]
        if row.median is None:
            cells.append(el("td", "failed: " + "; ".join(row.failures), colspan=5))
        else:
            base, unit = report.base(row), row.kernel.unit
            low, high = row.spread
            cells += [
                el("td", words.quantity(row.median, unit), class_="number", data_kernel=row.kernel.name,
                   data_runtime=row.runtime, data_workers=row.workers, data_median=repr(row.median)),
                el("td", f"{words.quantity(low, unit)} – {words.quantity(high, unit)}", class_="number"),
                el("td", words.quantity(row.least, unit), class_="number"),
                el("td", words.ratio(row.median / base.median) if base else "–", class_="number"),
                el("td", len(row.samples), class_="number")]
        body.append(el("tr", *cells, class_="weft" if row.runtime == "weft" else None))
    return _table(_head(names, ["kernel", "runtime"]), body)


def _way(report):
    """How far the processors were from each other, and what was left out because that changed."""
    known = [d for row in report.rows for d in row.distances]
    if not known:
        return "its way between processors was not measured"
    text = f"{min(known):.0f} to {max(known):.0f} ns from one processor to another"
    left_out = sum(row.left_out for row in report.rows)
    return text + (f"; {words.count(left_out, 'process')} left out, while it was otherwise" if left_out else "")


def _method(report):
    machine, build = report.machine, report.build
    limits = machine["limits"]
    facts = [
        ("processor", f"{machine['processor']}, {machine['architecture']}, "
                      f"{words.count(machine['processors'], 'processor')}"
                      + (", a virtual machine" if machine["virtual"] else "")),
        ("clock", machine["governor"] or "the kernel names no governor"),
        ("memory", f"{machine['memory_bytes'] / 2**30:.1f} GiB"),
        ("limits", "; ".join(filter(None, (
            f"{limits['processors']:g} processors" if limits["processors"] else "",
            f"{limits['memory_bytes'] / 2**30:.1f} GiB" if limits["memory_bytes"] else ""))) or "none"),
        ("system", f"{machine['system']}, {machine['kernel']}"),
        ("environment", (settings(machine["environment"]) or "sets no option of a runtime")
         if "environment" in machine else "was not recorded"),
        ("compiler", f"{build['compiler']}, {build['build_type']}"),
        ("commit", (build["commit"] or "unknown") + (", with changes" if build["dirty"] else "")),
        ("processes", f"{report.processes:,} of {report.planned:,}"),
        ("a cache line", _way(report)),
        ("load", ", ".join(f"{run['load']:g} at {run['begun'].replace('T', ' ')[:16]} UTC"
                           for run in report.runs)),
    ]
    rows = [el("tr", el("th", name, scope="row"), el("td", value)) for name, value in facts]
    head = el("tr", *[el("th", t) for t in ("runtime", "version", "idling, affinity, build")])
    runtimes = [el("tr", el("td", r.label), el("td", r.version or "–"),
                   el("td", r.policy or "as it comes", class_="text")) for r in report.used]
    return el("section", el("h2", "How it was measured"),
              el("p", "Each process runs one kernel on one runtime with one number of workers, pinned to as "
                      "many processors where there are so many. The runtimes take turns, process by process. "
                      "Every answer is checked. A mark is the median of all samples, a whisker goes from the "
                      "first to the third quartile. Lower is better throughout."),
              el("div", el("table", el("tbody", *rows)), class_="scroll"),
              el("h3", "Runtimes"), _table(head, runtimes), id="method")
