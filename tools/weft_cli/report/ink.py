# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each runtime looks, the same in all pictures: a colour for paper, one for the dark, a mark.

The colours stay apart for colour-blind readers as far as so many can (after Okabe and Ito, and Tol);
runtimes of one family have neighbouring hues and different marks, and each line has its name beside it.
"""
from weft_cli.report.svg import Markup, element

MARKS = "circle", "square", "diamond", "up", "down"
_KNOWN = {
    "weft": ("#c8400a", "#ff8a4c", "circle"),
    "weft_cpp": ("#b7791f", "#f2b84b", "diamond"),
    "weft-so": ("#a0522d", "#d99a73", "square"),
    "weft_clang": ("#8f4a12", "#e8ab78", "diamond"),
    "weft_private": ("#d2691e", "#ffb07a", "up"),
    "weft_private_tasklet": ("#b8641c", "#ffc99a", "down"),
    "weft_shared": ("#9c3a1a", "#e0886a", "up"),
    "weft_shared_tasklet": ("#b5563a", "#eda48c", "down"),
    "serial": ("#8a8f98", "#8f959f", "square"),
    "pthread": ("#5b6470", "#b3bac4", "circle"),
    "gomp": ("#0b66a8", "#5fb0ea", "circle"),
    "libomp": ("#2f95d0", "#9fd3f7", "square"),
    "iomp": ("#0a3d73", "#7d9be0", "up"),
    "tbb": ("#00805c", "#3fc79a", "circle"),
    "std_par": ("#3fa58c", "#8fe0c8", "square"),
    "taskflow": ("#4c8c2b", "#a3d977", "up"),
    "go": ("#b0508a", "#ee9ccb", "circle"),
    "boost_fiber": ("#1d6b3a", "#76c893", "diamond"),
    "qthreads": ("#6d4aa8", "#b79cf0", "circle"),
    "sherwood": ("#8f6fc4", "#d3c2f7", "square"),
    "argobots": ("#8a5a12", "#d9a55b", "up"),
    "argobots_tasklet": ("#a8742a", "#efc88c", "down"),
    "massivethreads": ("#6b6b1e", "#c9c95a", "square"),
    "converse": ("#a03a9a", "#e58ae0", "down"),
    "converse_message": ("#c25fb8", "#f2b3ea", "up"),
    "glt": ("#7a4b6f", "#cf9dc4", "diamond"),
    "hpx": ("#3a2f94", "#9d94ff", "diamond"),
    "lace": ("#86862a", "#d6d67c", "up"),
    "libfork": ("#7c1f1f", "#e08585", "down"),
    "opencilk": ("#94801c", "#e3cf6b", "diamond"),
    "rayon": ("#861f52", "#e07aac", "square"),
    "tokio": ("#a8577a", "#f0aecb", "up"),
}
# For a runtime that the list does not know.
_OTHERS = [("#4a5a6a", "#a7b7c7"), ("#6a4a5a", "#c7a7b7"), ("#4a6a5a", "#a7c7b7"), ("#6a5a4a", "#c7b7a7")]


def names():
    """The runtimes that have a look of their own."""
    return list(_KNOWN)


class Inks:
    """The looks of the runtimes of one report, by name."""

    def __init__(self, names):
        self.looks = {}
        for name in names:
            unknown = sum(n not in _KNOWN for n in self.looks)
            light, dark = _OTHERS[unknown % len(_OTHERS)]
            mark = MARKS[unknown % len(MARKS)]
            self.looks[name] = _KNOWN.get(name, (light, dark, mark))

    def class_of(self, name):
        return f"r-{name}"

    def style(self):
        """The style sheet's part: --ink of each class, in both schemes."""
        light = "".join(f".r-{n}{{--ink:{look[0]}}}" for n, look in self.looks.items())
        dark = "".join(f".r-{n}{{--ink:{look[1]}}}" for n, look in self.looks.items())
        return f"{light}\n@media (prefers-color-scheme: dark){{{dark}}}\n"

    def mark(self, name, x, y, size, title="", hollow=False):
        """A mark with its middle at (x, y)."""
        shape = self.looks[name][2]
        class_ = "mark hollow" if hollow else "mark"
        inside = [element("title", title)] if title else []
        if shape == "circle":
            return element("circle", *inside, cx=float(x), cy=float(y), r=float(size), class_=class_)
        return element("path", *inside, d=_path(shape, x, y, size), class_=class_)


def _path(shape, x, y, size):
    s = size * {"square": 0.88, "diamond": 1.2, "up": 1.15, "down": 1.15}[shape]
    corners = {
        "square": [(-s, -s), (s, -s), (s, s), (-s, s)],
        "diamond": [(0, -s), (s, 0), (0, s), (-s, 0)],
        "up": [(0, -s), (s, 0.8 * s), (-s, 0.8 * s)],
        "down": [(0, s), (s, -0.8 * s), (-s, -0.8 * s)],
    }[shape]
    return Markup("M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners) + "Z")
