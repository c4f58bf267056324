# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's page in headless Chromium, light and dark, on a page and a telephone of 375 pixels: nothing
lies over anything else or outside of its picture, neither the page nor the table of where Weft is not first has to be
scrolled sideways, no error is told. The same of each page in docs/results.

usage: page.py CHROMIUM [FOLDER]      FOLDER: keep pictures of the page there, to look at
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

from bench_folder import ROOT, RUNTIMES, kernel, results  # noqa: E402
from weft_cli.report import ink, page  # noqa: E402
from weft_cli.report.gather import Report  # noqa: E402

CHROMIUM, KEEP = sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars"]
LIGHT = "rgb(255, 255, 255)"
DARK = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
WIDTHS = 375, 1000
# Looks into each frame and leaves what it finds in an attribute.
SCRIPT = """
const found = [], errors = [];
window.onerror = text => errors.push(String(text));
for (const frame of document.querySelectorAll("iframe")) {
  const inside = frame.contentDocument, about = {width: frame.clientWidth, over: [], outside: []};
  inside.querySelectorAll("details").forEach(d => d.open = true);
  about.scroll = inside.documentElement.scrollWidth;
  about.cut = [...inside.querySelectorAll(".few .scroll")].filter(e => e.scrollWidth > e.clientWidth).length;
  about.few = inside.querySelectorAll(".few tbody tr").length;
  about.paper = getComputedStyle(inside.documentElement).backgroundColor;
  const seen = [...inside.querySelectorAll("svg")].filter(s => s.getClientRects().length);
  about.pictures = seen.length;
  about.smallest = 99;
  for (const svg of seen) {
    const whole = svg.getBoundingClientRect();
    about.smallest = Math.min(about.smallest, 12 * whole.width / svg.viewBox.baseVal.width);
    const texts = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([text, a], i) => {
      if (a.left < whole.left - 1 || a.right > whole.right + 1 ||
          a.top < whole.top - 2 || a.bottom > whole.bottom + 2)
        about.outside.push(text);
      for (const [other, b] of texts.slice(i + 1))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          about.over.push(text + " | " + other);
    });
  }
  found.push(about);
}
document.documentElement.dataset.found = JSON.stringify({frames: found, errors});
"""


def sample():
    """A report with all runtimes that there may be, near to each other and far from each other."""
    names = ink.names()
    few = names[0], *names[-4:]
    RUNTIMES.update({n: RUNTIMES.get(n, f"Runtime {n}") for n in names})
    kernels = [kernel("loop", names, figure="paper-10"), kernel("fib", names),
               kernel("bytes", few, unit="bytes/task"), kernel("alone", ["weft"])]
    kernels += [kernel(f"sort_{x}", names[:8], unit="s", figure="paper-11", x=x) for x in (4096, 16384, 65536)]
    kernels += [kernel(f"spawn_{x}", names[:12], unit="us/op", figure="paper-spawn", x=x) for x in (0, 10, 1000)]
    samples = {("alone", "weft", 1): [3.0]}
    for i, name in enumerate(names):
        for workers in (1, 2, 4, 8):
            samples["loop", name, workers] = [100.0 * workers * 1.05**i, 110.0 * workers * 1.05**i]
            if workers < 4:
                samples["fib", name, workers] = [8.0 * 1.6**(i % 9) * f for f in (0.8, 1, 1.3)]
        if name in few:
            samples["bytes", name, 1] = [4502.0 + 40 * i]
        if i < 8:
            samples.update({(f"sort_{x}", name, 2): [x * 1e-8 * (1 + i % 3)] for x in (4096, 16384, 65536)})
        if i < 12:
            samples.update({(f"spawn_{x}", name, w): [max(x, 0.3) * w * (1 + i / 9)] for x in (0, 10, 1000)
                            for w in (1, 2)})
    samples["fib", "go", 2] = "wrong answer: fib is 8, not 5, which is a long story that has no place to break"
    content = results(kernels, samples)
    content["figures"]["paper-spawn"].update(number="Figure 3", efficiency=True)
    return content


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        file = cls.folder / "a.json"
        file.write_text(json.dumps(sample()))
        text = page.render(Report([file]))
        (cls.folder / "page.html").write_text(text)
        cls.frame("frames.html", text)

    @classmethod
    def frame(cls, name, text):
        """Write a page that has this one in it, in each width, and looks into it."""
        frames = "".join(f'<iframe srcdoc="{html.escape(text)}" width="{w}" height="900" style="border:0">'
                         "</iframe>" for w in WIDTHS)
        (cls.folder / name).write_text(
            f"<!DOCTYPE html><meta charset=utf-8>{frames}<script>onload = () => {{{SCRIPT}}};</script>")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def chromium(self, *arguments):
        with tempfile.TemporaryDirectory() as profile:
            command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *map(str, arguments)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def looks_right(self, flags, paper, name="frames.html"):
        """What was found in each width."""
        out = self.chromium(*flags, "--window-size=1500,1000", "--dump-dom", (self.folder / name).as_uri())
        found = json.loads(html.unescape(re.search(r'data-found="(.*?)"', out)[1]))
        self.assertEqual(found["errors"], [])
        self.assertEqual([f["width"] for f in found["frames"]], list(WIDTHS))
        for frame in found["frames"]:
            self.assertEqual(frame["paper"], paper)
            self.assertLessEqual(frame["scroll"], frame["width"])
            self.assertEqual((frame["over"], frame["outside"]), ([], []), frame["width"])
            self.assertGreater(frame["few"], 0)
            self.assertEqual(frame["cut"], 0, frame["width"])
            self.assertGreaterEqual(frame["smallest"], 11.5)
        return found["frames"]

    def sample_looks_right(self, flags, paper):
        self.assertEqual([frame["pictures"] for frame in self.looks_right(flags, paper)], [9, 9])
        if KEEP:
            name = "dark" if flags else "light"
            self.chromium(*flags, "--window-size=1000,6000", f"--screenshot={KEEP / name}.png",
                          (self.folder / "page.html").as_uri())

    def test_the_page_is_readable_on_light_paper(self):
        self.sample_looks_right([], LIGHT)

    def test_the_page_is_readable_in_the_dark(self):
        self.sample_looks_right(DARK, "rgb(20, 23, 26)")

    def test_the_kept_reports_are_readable(self):
        for page_ in sorted((ROOT / "docs" / "results").glob("*.html")):
            self.frame(page_.name, page_.read_text(encoding="utf-8"))
            with self.subTest(page_.name):
                self.looks_right([], LIGHT, page_.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
