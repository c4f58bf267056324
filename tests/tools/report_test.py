# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about `weft report`: what the page, the table, the picture and the bars say of a file of results."""
import html.parser
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True

from bench_folder import ROOT, Folder, kernel, results, weft  # noqa: E402
from weft_cli.report import compare, ink, scale, words  # noqa: E402
from weft_cli.report.gather import Report  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
KERNELS = [
    kernel("loop", ["weft", "gomp", "tbb"], figure="paper-10"),
    kernel("sort_1k", ["weft", "tbb"], unit="s", figure="paper-11", x=1024),
    kernel("sort_4k", ["weft", "tbb"], unit="s", figure="paper-11", x=4096),
    kernel("fib", ["weft", "weft_cpp", "serial", "gomp", "tbb"], title="fib <&> \"more\""),
    kernel("alone", ["weft"], unit="bytes/task"),
    kernel("nothing", ["weft", "tbb"], unit="%cpu"),
]
SAMPLES = {
    **{("loop", name, workers): [base * workers * f for f in (1.0, 1.1, 1.2, 1.3, 9.0)]
       for name, base in (("weft", 100.0), ("gomp", 250.0), ("tbb", 90.0)) for workers in (1, 2, 4, 8)},
    ("sort_1k", "weft", 1): [0.001], ("sort_1k", "tbb", 1): [0.004],
    ("sort_4k", "weft", 1): [0.004], ("sort_4k", "tbb", 1): [0.0041],
    ("fib", "weft", 1): [8.0, 8.5, 8.25], ("fib", "weft_cpp", 1): [4.0], ("fib", "serial", 1): [1.0],
    ("fib", "gomp", 1): [57.9], ("fib", "tbb", 1): "wrong answer: fib is 8, not 5",
    ("fib", "weft", 2): [4.5], ("fib", "gomp", 2): [486.0],
    ("alone", "weft", 1): [4502.0],
    ("nothing", "weft", 1): [0.0], ("nothing", "tbb", 1): [0.5],
}


class Files(unittest.TestCase):
    """A file of results, and what the command makes of it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def file(self, content=None, name="a.json"):
        path = self.folder / name
        path.write_text(json.dumps(content or results(KERNELS, SAMPLES)))
        return path

    def weft(self, *arguments):
        done = weft("report", *arguments)
        return done.returncode, done.stdout, done.stderr

    def made(self, kind, content=None):
        """The text of the page, the table or the picture."""
        out = self.folder / "out"
        code, _, err = self.weft(self.file(content), f"--{kind}", out)
        self.assertEqual((code, err), (0, ""))
        return out.read_text()


class Cells(html.parser.HTMLParser):
    """Reads a page: the marked cells, all text, all addresses; every element must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.words, self.addresses, self.ids = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "data-median" in attributes:
            self.cells.append((attributes, []))
        self.ids += [v for k, v in attributes.items() if k == "id"]
        self.addresses += [v for k, v in attributes.items() if k in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)
        if self.cells and self.open[-1:] == ["td"]:
            self.cells[-1][1].append(data)


class Page(Files):
    def test_every_median_of_the_file_stands_on_the_page_and_no_other(self):
        expected = {key: statistics.median(s) for key, s in SAMPLES.items() if isinstance(s, list)}
        shown = {}
        for cell, text in Cells(self.made("html")).cells:
            key = cell["data-kernel"], cell["data-runtime"], int(cell["data-workers"])
            unit = next(k["unit"] for k in KERNELS if k["name"] == key[0])
            self.assertEqual(text[0], words.quantity(float(cell["data-median"]), unit))
            shown[key] = float(cell["data-median"])
        self.assertEqual(shown, expected)

    def test_every_picture_is_well_formed_and_drawn_for_page_and_telephone(self):
        pictures = re.findall(r"<svg .*?</svg>", self.made("html"), re.S)
        widths = [float(xml.etree.ElementTree.fromstring(p).get("viewBox").split()[2]) for p in pictures]
        self.assertEqual(widths, [720, 343] * (len(widths) // 2))
        # The summary, a figure of workers, one of sizes, fib, nothing; what is of Weft alone is a
        # table.
        self.assertEqual(len(widths) // 2, 5)

    def test_no_place_lies_outside_of_its_picture(self):
        for picture in re.findall(r"<svg .*?</svg>", self.made("html"), re.S):
            root = xml.etree.ElementTree.fromstring(picture)
            _, _, width, height = map(float, root.get("viewBox").split())
            for each in root.iter():
                for key, most in (("x", width), ("x1", width), ("x2", width), ("cx", width),
                                  ("y", height), ("y1", height), ("y2", height), ("cy", height)):
                    if each.get(key) is not None:
                        self.assertTrue(0 <= float(each.get(key)) <= most, (key, each.attrib))

    def test_the_page_needs_nothing_beside_it(self):
        page = Cells(self.made("html"))
        for address in page.addresses:
            self.assertIn(address.removeprefix("#"), page.ids)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertNotRegex(self.made("html"), r"<script|@import|url\(")

    def marks(self, picture, runtime):
        """Of a runtime's row or line: (x, title) of each round mark, and whether it is hollow."""
        row = next(g for g in picture.iter(f"{SVG}g") if f"r-{runtime}" in g.get("class").split())
        return [(float(c.get("cx")), c.find(f"{SVG}title").text, "hollow" in c.get("class"))
                for c in row.iter(f"{SVG}circle")]

    def drawn(self, content, named):
        """The pictures for a page whose name has these words."""
        every = [xml.etree.ElementTree.fromstring(p)
                 for p in re.findall(r"<svg .*?</svg>", self.made("html", content), re.S)]
        return [p for p in every if named in p.get("aria-label") and p.get("viewBox").split()[2] == "720"]

    def test_the_summary_keeps_what_is_far_at_its_edge_and_shows_middles(self):
        kernels = [kernel(f"k{i}", ["weft", "tbb"]) for i in range(5)]
        ratios = [0.001, 0.5, 1.0, 2.0, 1e6]
        samples = {(f"k{i}", "weft", 1): [1.0] for i in range(5)}
        samples |= {(f"k{i}", "tbb", 1): [ratio] for i, ratio in enumerate(ratios)}
        picture, = self.drawn(results(kernels, samples), "as a multiple of Weft's")
        marks = self.marks(picture, "tbb")
        self.assertEqual([hollow for _, _, hollow in marks], [True, False, False, False, True])
        places = [x for x, _, _ in marks]
        self.assertEqual(places, sorted(places))
        self.assertAlmostEqual(places[2] - places[1], places[3] - places[2], delta=0.2)
        self.assertAlmostEqual(places[4] - places[2], 2 * (places[2] - places[0]), delta=0.5)  # 100 and 0.1 times
        self.assertIn("<0.01×", marks[0][1])
        self.assertIn("1,000,000×", marks[4][1])
        median = next(e for e in picture.iter(f"{SVG}line") if e.get("class") == "median")
        self.assertAlmostEqual(float(median.get("x1")), places[2], delta=0.1)
        half = next(e for e in picture.iter(f"{SVG}rect") if e.get("class") == "half")
        self.assertAlmostEqual(float(half.get("x")), places[1], delta=0.1)
        self.assertAlmostEqual(float(half.get("x")) + float(half.get("width")), places[3], delta=0.1)
        figures = [t.text for t in picture.iter(f"{SVG}text") if t.get("class") == "figure"]
        self.assertEqual(sorted(figures), ["1", "1.00×", "2", "2"])  # level; ahead and behind; the median

    def test_efficiency_is_drawn_over_workers_where_the_figure_is_of_it(self):
        kernels = [kernel(f"spawn_{x}us", ["weft", "tbb"], unit="us/op", figure="paper-11", x=x) for x in (0, 10)]
        samples = {(k["name"], runtime, workers): [(k["x"] or 0.5) * (2 if runtime == "tbb" else 1.25) * workers]
                   for k in kernels for runtime in ("weft", "tbb") for workers in (1, 2)}
        content = results(kernels, samples)
        self.assertEqual(self.drawn(content, "efficiency"), [])
        content["figures"]["paper-11"]["efficiency"] = True
        picture, = self.drawn(content, "efficiency at 10 µs")
        self.assertEqual([title.rpartition(": ")[2] for _, title, _ in self.marks(picture, "weft")], ["80 %", "40 %"])
        self.assertEqual([title.rpartition(": ")[2] for _, title, _ in self.marks(picture, "tbb")], ["50 %", "25 %"])
        self.assertEqual(len(self.drawn(content, "efficiency")), 1)  # nothing takes 0 us at best

    def test_figures_stand_in_the_order_of_their_paper(self):
        content = results(KERNELS, SAMPLES)
        content["figures"]["paper-10"]["number"], content["figures"]["paper-11"]["number"] = "Figure 10", "Figure 2"
        text = " ".join(Cells(self.made("html", content)).words)
        self.assertLess(text.index("Figure 2: "), text.index("Figure 10: "))

    def test_an_axis_is_logarithmic_where_the_paper_s_is_or_the_least_would_be_seen_nowhere(self):
        for most, log, words_ in ((2.0, False, 0), (2.0, True, 1), (100.0, False, 1)):
            samples = {("loop", "weft", w): [1.0] for w in (1, 2, 4)} | {("loop", "tbb", w): [most] for w in (1, 2, 4)}
            content = results(KERNELS[:1], samples)
            content["figures"]["paper-10"]["log"] = log
            picture, = self.drawn(content, "loop of the test")
            said = [t.text for t in picture.iter(f"{SVG}text") if t.text == "time an operation, log scale"]
            self.assertEqual(len(said), words_)

    def test_a_line_that_ends_early_is_named_by_dots(self):
        samples = {("loop", "weft", w): [1.0] for w in (1, 2, 4)} | {("loop", "tbb", 1): [2.0]}
        picture, = self.drawn(results(KERNELS[:1], samples), "loop of the test")
        leaders = [p.get("class") for p in picture.iter(f"{SVG}path") if "leader" in (p.get("class") or "")]
        self.assertEqual(sorted(leaders), ["leader", "leader far"])

    def test_each_part_says_how_to_measure_it(self):
        page = self.made("html")
        for name in "paper-10", "paper-11", "fib":
            self.assertIn(f"<code>./dev bench --only {name}</code>", page)

    def test_what_comes_from_the_file_is_escaped(self):
        page = self.made("html")
        self.assertIn("Test &lt;CPU&gt;", page)
        self.assertIn("On &lt;Threads&gt; &amp; Cores", page)
        self.assertNotIn("<CPU>", page)

    def test_it_says_where_weft_is_not_first_and_what_failed_and_what_is_missing(self):
        text = " ".join(Cells(self.made("html")).words)
        self.assertIn("Where Weft is not first", text)
        self.assertIn("oneTBB needs 0.90× (1 worker), 0.90× (2 workers)", text)
        self.assertIn("oneTBB, fib <&> \"more\", 1 worker: wrong answer: fib is 8, not 5", text)
        self.assertIn("Not measured here: Go", text)
        self.assertRegex(text, r"Go +: it was not found; package brings-it brings it")

    def test_it_says_on_what_it_was_measured(self):
        text = " ".join(Cells(self.made("html")).words)
        for words_ in ("Test <CPU>", "0123456789", "with changes", "2026-01-02", "GNU 12.2.0",
                       "Here in C++.", "the kernel names no governor", "1.5 processors", "16.0 GiB",
                       "0.25 at 2026-01-02 03:04"):
            self.assertIn(words_, text)

    def test_it_says_what_the_environment_set(self):
        content = results(KERNELS, SAMPLES)
        self.assertRegex(" ".join(Cells(self.made("html")).words), "environment was not recorded")
        content["machine"]["environment"] = {}
        page = self.made("html", content)
        self.assertIn("sets no option of a runtime", page)
        content["machine"]["environment"] = {"GOGC": "off", "OMP_WAIT_POLICY": "active"}
        for kind in "html", "markdown":
            self.assertIn("with GOGC=off OMP_WAIT_POLICY=active", self.made(kind, content))
            (self.folder / "out").unlink()

    def test_it_says_how_far_the_processors_were_from_each_other(self):
        content = results(KERNELS, SAMPLES)
        self.assertIn("its way between processors was not measured", self.made("html", content))
        # Near for all but one of Weft's, which does not count.
        for process in content["processes"]:
            process["distances"] = [30.0, 31.0]
        content["processes"].append({**content["processes"][1], "turn": 1, "distances": [130.0, 130.0]})
        self.assertIn("30 to 31 ns from one processor to another; 1 process left out",
                      self.made("html", content))

    def test_small_sizes_are_said_to_be_small(self):
        content = results(KERNELS, SAMPLES)
        self.assertNotIn("Small sizes", self.made("html"))
        content["options"]["quick"] = True
        self.assertIn("Small sizes", self.made("html", content))

    def test_a_run_with_weft_alone_has_a_page(self):
        alone = {key: s for key, s in SAMPLES.items() if key[1] == "weft"}
        self.assertIn("No other runtime was measured beside Weft", self.made("html", results(KERNELS, alone)))

    def test_what_makes_it_doubtful_stands_open_and_a_peer_without_an_answer_in_a_line(self):
        failed = {("fib", "gomp", 1): "it did not end", ("fib", "weft", 2): "it hangs"}
        page = self.made("html", results(KERNELS, {**SAMPLES, **failed}))
        self.assertIn('class="failed"', page)
        self.assertIn("<summary>1 measurement of peers came to no answer", page)
        folded = page[page.index("<summary>1 measure"):page.index("</details>")]
        self.assertIn("it did not end", folded)
        self.assertNotIn("it hangs", folded)
        self.assertNotIn("wrong answer", folded)

    def test_a_run_in_which_all_failed_has_a_page(self):
        page = self.made("html", results(KERNELS, {("fib", "weft", 1): "it hangs"}))
        self.assertIn("it hangs", page)


class Others(Files):
    def test_the_table_has_a_line_for_each_comparison(self):
        text = self.made("markdown")
        for line in (
                "| loop of the test (Figure 10) | 2 | 240 ns | oneTBB | 216 ns | 0.90× | Weft is not first |",
                "| sort_1k of the test (Figure 10) | 1 | 1 ms | oneTBB | 4 ms | 4.00× |  |",
                "| sort_4k of the test (Figure 10) | 1 | 4 ms | oneTBB | 4.1 ms | 1.03× | level |",
                '| fib <&> "more" | 2 | 4.5 ns | gcc OpenMP | 486 ns | 108× |  |',
                "| alone of the test | 1 | 4,502 B |",
                "| gcc OpenMP | 6 | 6 | 0 | 0 | 2.50× |", "| oneTBB | 6 | 1 | 1 | 4 | 0.90× |"):
            self.assertIn(line + "\n", text)
        self.assertIn("Not measured: Go (it was not found).", text)
        self.assertIn("Measured on: Test <CPU>, 2 processors, Linux 6.1, GNU 12.2.0, Weft 0.1.0 at 0123456789 with "
                      "changes, 2026-01-02.", text)
        self.assertIn("oneTBB failed: fib", text)

    def test_a_page_with_a_place_for_a_summary_gets_one_and_keeps_the_rest(self):
        page = self.folder / "README.md"
        page.write_text("before\n<!-- weft report -->\nold\n<!-- end of weft report -->\nafter\n")
        for _ in range(2):
            self.weft(self.file(), "--markdown", page)
        text = page.read_text()
        self.assertNotIn("a.svg", text)
        self.assertTrue(text.startswith("before\n<!-- weft report -->\nOf 8 comparisons"))
        self.assertTrue(text.endswith("(it was not found).\n<!-- end of weft report -->\nafter\n"))
        self.assertEqual(text.count("oneTBB"), 1)

    def test_a_summary_shows_the_picture_that_stands_beside_the_file(self):
        page = self.folder / "README.md"
        page.write_text("<!-- weft report -->\n<!-- end of weft report -->\n")
        self.weft(self.file(), "--svg", self.folder / "a.svg", "--html", self.folder / "a.html",
                  "--markdown", page)
        self.assertIn("![Each measurement of each runtime as a multiple of Weft's](a.svg)", page.read_text())
        self.assertIn("[The whole report](a.html)", page.read_text())

    def test_a_page_without_a_place_for_a_summary_is_left_alone(self):
        page = self.folder / "README.md"
        page.write_text("# Mine\n")
        code, _, err = self.weft(self.file(), "--markdown", page)
        self.assertEqual((code, page.read_text()), (2, "# Mine\n"))
        self.assertIn("has other text and no line <!-- weft report -->: nothing is written", err)

    def test_what_is_refused_has_written_nothing(self):
        page, picture, other = (self.folder / name for name in ("o.html", "o.svg", "README.md"))
        other.write_text("# Mine\n")
        alone = self.file(results(KERNELS, {("alone", "weft", 1): [1.0]}), "w.json")
        for arguments in ([alone, "--html", page, "--svg", picture],
                          [self.file(), "--html", page, "--svg", picture, "--markdown", other]):
            self.assertEqual(self.weft(*arguments)[:2], (2, ""))
            self.assertEqual((page.exists(), picture.exists(), other.read_text()), (False, False, "# Mine\n"))

    def test_what_is_as_small_or_as_great_as_can_be_is_drawn(self):
        samples = {**SAMPLES, ("fib", "weft", 1): [1e-100, 1e100], ("fib", "tbb", 1): [1e100],
                   ("fib", "gomp", 1): [1e-100], ("loop", "weft", 1): [1e-100], ("loop", "tbb", 8): [1e100]}
        content = results(KERNELS, samples)
        content["machine"]["kernel"] = ""
        for kind in "html", "markdown", "svg":
            self.made(kind, content)
            (self.folder / "out").unlink()
        self.assertEqual(self.weft(self.file(content))[0], 0)

    def test_a_page_that_is_no_text_is_left_alone(self):
        page = self.folder / "picture.png"
        page.write_bytes(b"\x89PNG")
        code, _, err = self.weft(self.file(), "--markdown", page)
        self.assertEqual((code, err, page.read_bytes()),
                         (2, f"weft: {page} is no text in UTF-8: nothing is written\n", b"\x89PNG"))

    def test_the_picture_stands_by_itself_in_both_schemes(self):
        picture = self.made("svg")
        root = xml.etree.ElementTree.fromstring(picture)
        self.assertTrue(root.tag.endswith("svg"))
        self.assertIn("prefers-color-scheme: dark", picture)
        self.assertIn("--ink", picture)

    def test_bars_are_as_long_as_the_figures_are_large(self):
        _, out, _ = self.weft(self.file())
        bars = dict(re.findall(r"^    (Weft|gcc OpenMP|oneTBB) .*?×  (█+)",
                               out.partition("2 workers")[0], re.M))
        # 120, 300 and 108 ns.
        full = len(bars["gcc OpenMP"])
        self.assertEqual((len(bars["Weft"]), len(bars["oneTBB"])), (int(full * 0.4), int(full * 0.36)))
        self.assertIn("FAILED: wrong answer: fib is 8, not 5", out)
        self.assertIn("Of 8 comparisons Weft is first in 3, level with the best in 1 and behind in 4.", out)
        self.assertIn("  loop on 8: oneTBB needs 0.90× of it", out)

    def test_files_of_one_machine_and_build_are_one_report(self):
        first = {k: s for k, s in SAMPLES.items() if k[1] == "weft"}
        rest = {k: s for k, s in SAMPLES.items() if k[1] != "weft"}
        both = Report([self.file(results(KERNELS, first)), self.file(results(KERNELS, rest), "b.json")])
        whole = Report([self.file(name="c.json")])
        self.assertEqual({(r.kernel.name, r.runtime, r.workers, r.median) for r in both.rows},
                         {(r.kernel.name, r.runtime, r.workers, r.median) for r in whole.rows})

    def test_files_of_one_build_that_ran_other_programs_are_one_report(self):
        folder = Folder([kernel(), kernel("ring")], {f"bench_{k}_{r}": "answer([1])" for k in ("fib", "ring")
                                                    for r in ("weft", "tbb")})
        self.addCleanup(folder.temporary.cleanup)
        paths = []

        def measure(*arguments):
            paths.append(folder.path / f"{len(paths)}.json")
            done = folder.weft("bench", "--workers", "1", "--repeat", "1", "--json", paths[-1], *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        measure("--only", "fib", "--runtimes", "weft")
        measure("--only", "ring")
        measure("--only", "fib", "--runtimes", "tbb")
        self.assertEqual([(r.kernel.name, r.runtime) for r in Report(paths).rows],
                         [("fib", "weft"), ("fib", "tbb"), ("ring", "weft"), ("ring", "tbb")])
        folder.program("bench_ring_tbb", "answer([2])")
        measure()
        code, out, err = self.weft(paths[0], paths[1], paths[3])
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(
            err, r"3.json is of another build \(bench_ring_tbb: [0-9a-f]{16}, not [0-9a-f]{16}\) than .*1.json")

    def test_processes_that_stand_in_two_files_are_refused(self):
        once = self.file(results(KERNELS, {("fib", "weft", 1): [8.0]}))
        further = self.file(results(KERNELS, {("fib", "weft", 1): [8.0], ("fib", "tbb", 1): [9.0]}), "b.json")
        for first, second in (once, once), (once, further), (further, once):
            self.assertEqual(self.weft(first, second), (2, "", (
                f"weft: {second} and {first} hold the same processes (fib weft on 1 is one): leave one of the two "
                "away\n")))
        runs = [{"begun": "2026-01-02T04:04:05+00:00", "ended": None, "load": 0.5}]
        again = self.file(results(KERNELS, {("fib", "weft", 1): [10.0]}, runs=runs), "c.json")
        self.assertEqual(Report([once, again]).rows[0].samples, [8.0, 10.0])  # measured twice

    def test_files_are_read_and_written_in_utf_8_in_every_locale(self):
        command = [sys.executable, ROOT / "tools" / "weft", "report", self.file(), "--html", self.folder / "o.html",
                   "--markdown", self.folder / "o.md", "--svg", self.folder / "o.svg"]
        plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(command, capture_output=True, text=True, env=plain, timeout=50)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("×", (self.folder / "o.md").read_text(encoding="utf-8"))

    def test_files_that_cannot_stand_beside_each_other_are_refused(self):
        for change, said in (
                (lambda c: c["machine"].update(processors=64), "another machine (processors: 64, not 2)"),
                (lambda c: c["build"].update(commit="fed"),
                 "another build (commit: fed, not 0123456789abcdef)"),
                (lambda c: c["options"].update(quick=True), "other sizes (--quick)")):
            other = results(KERNELS, SAMPLES)
            change(other)
            code, out, err = self.weft(self.file(), self.file(other, "b.json"))
            self.assertEqual((code, out), (2, ""))
            self.assertIn(f"b.json is of {said}", err)
            self.assertEqual(err.count("\n"), 1)

    def test_bad_files_are_refused_with_one_sentence(self):
        empty = results(KERNELS, {})
        alone = results(KERNELS, {("alone", "weft", 1): [1.0]})
        strange = results(KERNELS, SAMPLES)
        strange["processes"][0]["samples"] = ["many"]
        huge, far, half = (results(KERNELS, SAMPLES) for _ in range(3))
        huge["processes"][0]["samples"] = [10**400]
        far["processes"][0]["samples"] = [1e308, 1e-308]
        half["processes"][0]["note"] = "\ud800"
        nothing = results(KERNELS, {("fib", "weft", 1): []})
        deep = self.folder / "d.json"
        deep.write_text("[" * 100_000)
        for arguments, said in (
                ([self.folder / "none.json"], "none.json: No such file"),
                ([self.file(empty, "e.json")], "there is nothing in"),
                ([self.file(strange, "s.json")], "s.json is damaged: processes[0].samples[0] is not"),
                ([self.file(huge, "h.json")], "h.json is damaged: processes[0].samples[0] is not"),
                ([self.file(far, "f.json")], "f.json is damaged: processes[0].samples[0] is not"),
                ([self.file(half, "u.json")], "u.json is not a file of results: 'utf-8' codec can't encode"),
                ([self.file(nothing, "n.json")], "n.json is damaged: processes[0] has no sample, and no failure"),
                ([deep], "d.json is not a file of results: maximum recursion depth"),
                ([self.file(alone, "w.json"), "--svg", self.folder / "o"], "there is no summary to draw"),
                ([self.file(), "--html", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
                ([self.file(), "--html", self.folder / "a.json"], "a.json holds the results that are to be drawn"),
                ([self.file(), "--svg", self.folder / "." / "a.json"], "a.json holds the results that are to be"),
                ([self.file(), "--html", self.folder / "o", "--svg", self.folder / "o"], "o would be two of the page"),
                ([], "the following arguments are required: FILE")):
            code, out, err = self.weft(*arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(said, err)
            self.assertEqual(err.count("\n"), 1, err)


def contrast(colour, paper):
    """The contrast ratio of two colours as those guidelines define it."""
    def luminance(text):
        parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    low, high = sorted((luminance(colour), luminance(paper)))
    return (high + 0.05) / (low + 0.05)


class Parts(Files):
    def test_medians_within_five_percent_are_level(self):
        verdicts = {}
        for peer in (104.0, 106.0, 96.0, 94.0):
            content = results([kernel("fib")], {("fib", "weft", 1): [100.0], ("fib", "tbb", 1): [peer]})
            verdicts[peer] = Report([self.file(content)]).comparisons[0].verdict
        self.assertEqual(verdicts, {104.0: "level", 106.0: "ahead", 96.0: "level", 94.0: "behind"})

    def test_what_only_medians_or_only_leasts_say_is_level(self):
        ours = [100.0, 120.0, 140.0]
        for theirs, expected in (([100.0, 150.0, 150.0], "level"), ([120.0, 121.0, 160.0], "level"),
                                 ([110.0, 130.0, 150.0], "ahead"), ([90.0, 110.0, 300.0], "behind"),
                                 ([90.0, 119.0, 300.0], "level")):
            content = results([kernel("fib")], {("fib", "weft", 1): ours, ("fib", "tbb", 1): theirs})
            self.assertEqual(Report([self.file(content)]).comparisons[0].verdict, expected, theirs)

    def test_one_that_weft_is_behind_is_named_before_one_with_a_lesser_median(self):
        content = results([kernel("fib")], {
            ("fib", "weft", 1): [100.0, 120.0, 140.0], ("fib", "tbb", 1): [99.0, 100.0, 101.0],
            ("fib", "gomp", 1): [90.0, 105.0, 110.0]})
        found = Report([self.file(content)]).comparisons[0]
        self.assertEqual((found.verdict, found.best.runtime), ("behind", "gomp"))

    def test_who_is_first_is_asked_of_programs_of_one_compiler(self):
        kernels = [kernel("fib", ["weft", "weft_clang", "libomp", "tbb"])]
        samples = {("fib", "weft", 1): [80.0], ("fib", "weft_clang", 1): [20.0], ("fib", "libomp", 1): [40.0],
                   ("fib", "tbb", 1): [96.0]}
        comparison, = Report([self.file(results(kernels, samples))]).comparisons
        self.assertEqual([(row.runtime, comparison.ratio(row)) for row in comparison.peers],
                         [("tbb", 1.2), ("libomp", 2.0)])
        self.assertEqual(comparison.verdict, "ahead")
        samples["fib", "libomp", 1] = [10.0]
        text = self.made("markdown", results(kernels, samples))
        self.assertIn("| fib of the test | 1 | 20 ns | LLVM OpenMP | 10 ns | 0.50× | Weft is not first |", text)

    def test_a_zero_or_a_failure_is_not_compared(self):
        report = Report([self.file()])
        self.assertEqual({c.weft.kernel.name for c in report.comparisons},
                         {"loop", "sort_1k", "sort_4k", "fib"})
        tbb = next(d for d in compare.duels(report.comparisons) if d.runtime == "tbb")
        self.assertEqual((len(tbb.ratios), tbb.verdicts.count("ahead"), tbb.verdicts.count("behind")), (6, 1, 4))

    def test_every_runtime_has_a_look_of_its_own(self):
        files = [p.read_text() for p in (ROOT / "bench/runtimes").glob("*.cmake")]
        names = sorted({n for text in files for n in re.findall(r"^\s*bench_runtime\((\S+)", text, re.M)})
        self.assertIn("weft", names)
        self.assertEqual([n for n in names if n not in ink.names()], [])
        looks = ink.Inks(names).looks.values()
        self.assertEqual(len(set(looks)), len(names))

    def test_every_look_stands_out_from_the_paper_in_both_schemes(self):
        # 3 to 1 is what the Web Content Accessibility Guidelines want of graphics.
        for name, (light, dark, _) in ink.Inks(ink.names()).looks.items():
            self.assertGreater(contrast(light, "#ffffff"), 3, name)
            self.assertGreater(contrast(dark, "#14171a"), 3, name)

    def test_quantities_have_the_unit_that_suits_them(self):
        for value, unit, text in (
                (8.8123, "ns/op", "8.81 ns"), (0.0015, "s", "1.5 ms"), (1e-7, "s", "100 ns"),
                (12345, "us", "12.3 ms"), (0.9999, "ms", "1 ms"), (4502, "bytes/task", "4,502 B"),
                (65536, "bytes/task", "65.5 kB"), (0.011, "%cpu", "0.011 %"), (1.0249, "ratio", "1.02"),
                (0, "s", "0"), (3, "parsec", "3 parsec"), (2500, "s", "2,500 s")):
            self.assertEqual(words.quantity(value, unit), text)
        self.assertEqual([words.at(v) for v in (5, 1000, 1024, 2**26, 0.5)],
                         ["5", "1,000", "2¹⁰", "2²⁶", "0.5"])
        self.assertEqual([words.ratio(v) for v in (0.0, 3e-5, 0.01, 1.035, 99.96, 1e6)],
                         ["0.00×", "<0.01×", "0.01×", "1.03×", "100×", "1,000,000×"])

    def test_ticks_are_round_and_lie_in_the_range(self):
        for low, high, log in ((1, 1000, True), (3, 3.1, True), (1e-9, 10, True), (0, 7, False),
                               (90, 100, False)):
            made = scale.Scale(low, high, 0, 100, log)
            ticks = made.ticks()
            self.assertTrue(1 <= len(ticks) <= 8, ticks)
            for tick in ticks:
                self.assertTrue(-1e-9 <= made(tick) <= 100 + 1e-9)
                self.assertEqual(float(f"{tick:.2g}"), float(f"{tick:.9g}"))
            self.assertLess(made(low), made(high))


if __name__ == "__main__":
    unittest.main()
