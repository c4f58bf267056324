# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes elements of SVG and HTML: escaped, closed, numbers short."""
import html

VOID = {"meta", "br", "hr"}
# Dejavu Sans, the widest of the usual fonts, has about this many ems a character.
EMS = 0.59


class Markup(str):
    """Text that is markup already."""


def element(name, /, *children, **attributes):
    """An element. class_ is class, stroke_width stroke-width; an attribute of None is left out;
    children that are no Markup are escaped."""
    parts = []
    for key, value in attributes.items():
        if value is None:
            continue
        if isinstance(value, float):
            value = f"{value:.1f}".removesuffix(".0")
        parts.append(f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"')
    start = f"<{name}{''.join(parts)}>"
    if name in VOID:
        return Markup(start)
    inside = "".join(c if isinstance(c, Markup) else html.escape(str(c), quote=False) for c in children)
    return Markup(f"{start}{inside}</{name}>")


def join(parts):
    return Markup("".join(parts))


def drawing(width, height, parts, **attributes):
    """A picture of this size."""
    return element("svg", *parts, xmlns="http://www.w3.org/2000/svg", role="img",
                   viewBox=f"0 0 {width:g} {height:g}", **attributes)


def text_width(text, size):
    """An upper estimate of the width of a text in this font size."""
    return EMS * size * len(text)
