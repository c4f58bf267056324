# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft report`: files of results as a page, a table, a picture, or bars in the terminal."""
from weft_cli.errors import Refusal
from weft_cli.report import bars, markdown, page, pictures
from weft_cli.report.gather import Report


def write_beside(path):
    """Draw a file of results as a page beside it; where that is."""
    out = path.with_suffix(".html")
    out.write_text(page.render(Report([path])), encoding="utf-8")
    return out


def show(options):
    """Do what `weft report` was asked; the exit code."""
    outs = [out for out in (options.html, options.svg, options.markdown) if out]
    for i, out in enumerate(outs):
        if out.resolve() in {other.resolve() for other in outs[:i]}:
            raise Refusal(f"{out} would be two of the page, the picture and the table; name a file for each")
        if out.resolve() in {path.resolve() for path in options.files}:
            raise Refusal(f"{out} holds the results that are to be drawn; write to another file")
    report = Report(options.files)
    made = []
    if options.html:
        options.html.write_text(page.render(report), encoding="utf-8")
        made.append(options.html)
    if options.svg:
        draw = pictures.summary(report)
        if draw is None:
            raise Refusal(f"there is no summary to draw: {options.files[0]} has no runtime beside Weft")
        options.svg.write_text(page.standing_alone(draw, report) + "\n", encoding="utf-8")
        made.append(options.svg)
    if options.markdown:
        markdown.write(report, options.markdown, options.files[0])
        made.append(options.markdown)
    if options.terminal or not made:
        print(bars.render(report))
    for path in made:
        print(f"Written: {path}")
    return 0
