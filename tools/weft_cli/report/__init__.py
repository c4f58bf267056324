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
    texts = {}  # all of them before one is written: what is refused has written nothing
    if options.html:
        texts[options.html] = page.render(report)
    if options.svg:
        draw = pictures.summary(report)
        if draw is None:
            raise Refusal(f"there is no summary to draw: {options.files[0]} has no runtime beside Weft")
        texts[options.svg] = page.standing_alone(draw, report) + "\n"
    if options.markdown:
        texts[options.markdown] = markdown.render(report, options.markdown, options.files[0], list(texts))
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    if options.terminal or not texts:
        print(bars.render(report))
    for path in texts:
        print(f"Written: {path}")
    return 0
