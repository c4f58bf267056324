#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the documentation as HTML: our Markdown pages (by cmark-gfm) and the reference.

Every link between the pages, and each anchor, must exist; else nothing is said to be done.
usage: site.py [DIRECTORY]                                            (build/docs)
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import doc_blocks
import pages
import project
import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
STYLE = """
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #222; display: flex; }
nav { flex: 0 0 14em; padding: 1.5em; background: #f4f4f0; min-height: 100vh; }
nav a { display: block; padding: 2px 0; } nav b { display: block; margin-top: 1em; }
main { padding: 1.5em 2.5em; max-width: 56em; min-width: 0; }
a { color: #0b5394; text-decoration: none; } a:hover { text-decoration: underline; }
pre { background: #f4f4f0; padding: .8em 1em; overflow-x: auto; line-height: 1.35; }
code, pre { font-family: ui-monospace, monospace; font-size: 14px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #ccc; padding: .25em .6em; text-align: left; vertical-align: top; }
dt { font-weight: 600; } h3 { border-top: 1px solid #ccc; padding-top: 1em; }
@media (max-width: 50em) { body { display: block; } nav { min-height: 0; } }
"""
GUIDE = ROOT / "docs" / "guide"
HEADERS = ROOT / "include" / "weft"
HREF = re.compile(r'href="([^"]*)"')


def sources():
    """The pages of the tree: its Markdown files outside what tools made or fetched."""
    return project.files(ROOT, suffixes={".md"})


def guide():
    """The names of the guide's pages, in the order in which its first page links to them."""
    return re.findall(r"\]\(([\w-]+)\.md\)", (GUIDE / "README.md").read_text(encoding="utf-8"))


def render(path):
    """The HTML of a page, its title, and the files that it links to and are no pages."""
    text = path.read_text(encoding="utf-8")
    done = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink"], input=text, check=True,
                          capture_output=True, encoding="utf-8")
    body = done.stdout.replace("<!-- raw HTML omitted -->\n", "")
    for level, inner in re.findall(r"<h(\d)>(.*?)</h\d>", body):
        words = html.unescape(re.sub(r"<[^>]*>", "", inner))
        body = body.replace(f"<h{level}>{inner}</h{level}>",
                            f'<h{level} id="{pages.slug(words)}">{inner}</h{level}>', 1)
    title = pages.HEADING.search(text)
    return body, title[1] if title else path.stem


def target(path, link):
    """Where a link of a Markdown page leads in the site, and the file it stands for."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link) or link.startswith("#"):
        return link, None
    name, _, anchor = link.partition("#")
    anchor = "#" + anchor if anchor else ""
    there = pathlib.Path(os.path.normpath(path.parent / name))
    # The headers are shown as the reference.
    if there == HEADERS:
        there = ROOT / "docs" / "reference.md"
    elif there.parent == HEADERS and there.suffix == ".h" and there.stem != "weft":
        there = ROOT / "docs" / "reference" / f"{there.stem}.md"
    home = os.path.relpath(there, path.parent)
    if there.suffix == ".md":
        return home.removesuffix(".md") + ".html" + anchor, None
    if there.is_dir():
        return home + "/index.html", there
    return home + anchor, there


def listing(folder):
    """A page for a folder that a page links to."""
    rows = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        rows.append(f'<li><a href="{re.sub(".md$", ".html", name)}">{name}</a></li>')
    return f"<h1>{folder.relative_to(ROOT)}</h1>\n<ul>{''.join(rows)}</ul>"


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.written = {}  # page or file: its text, or None for a copy

    def write(self, name, title, body):
        up = "../" * name.count("/")
        links = [("docs/guide/" + g, self.titles[g]) for g in self.titles]
        nav = ['<b>Guide</b>'] + [f'<a href="{up}{n}.html">{t}</a>' for n, t in links]
        nav += ["<b>More</b>"] + [f'<a href="{up}{n}.html">{t}</a>' for n, t in (
            ("docs/reference", "Reference"), ("docs/options", "Options"),
            ("docs/glossary", "Glossary"), ("examples/README", "Examples"),
            ("docs/walkthrough", "Walkthrough"), ("docs/benchmarks", "Benchmarks"),
            ("docs/design/index", "Decisions"), ("CHANGELOG", "Changes"))]
        text = (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
                f'<meta name="viewport" content="width=device-width">\n'
                f"<title>{html.escape(title)} - Weft</title>\n"
                f'<link rel="stylesheet" href="{up}style.css"></head>\n<body><nav>'
                f'<a href="{up}index.html"><strong>Weft</strong></a>{"".join(nav)}</nav>\n'
                f"<main>\n{body}\n</main></body></html>\n")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.written[name] = text

    def copy(self, source):
        name = str(source.relative_to(ROOT))
        if name not in self.written:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / name)
            self.written[name] = None

    def build(self):
        self.titles = {g: render(GUIDE / f"{g}.md")[1] for g in guide()}
        linked = {ROOT / "docs" / "design"}
        for path in sources():
            body, title = render(path)

            def follow(match, path=path):
                link, there = target(path, html.unescape(match[1]))
                if there is not None:
                    linked.add(there)
                return f'href="{html.escape(link)}"'
            name = str(path.relative_to(ROOT)).removesuffix(".md") + ".html"
            self.write(name, title, HREF.sub(follow, body))
            if name == "README.html":
                self.write("index.html", title, HREF.sub(follow, body))
        for there in sorted(linked):
            if there.is_dir():
                self.write(f"{there.relative_to(ROOT)}/index.html", there.name, listing(there))
                for path in there.rglob("*"):
                    if path.is_file() and path.suffix != ".md":
                        self.copy(path)
            elif there.exists():
                self.copy(there)
        cpp = reference.cpp_headers(ROOT)
        manual = reference.Reference(doc_blocks.read_headers(ROOT), cpp)
        self.write("docs/reference.html", "Reference",
                   HREF.sub(r'href="reference/\1"', manual.index()))
        for header in manual.headers:
            self.write(f"docs/reference/{manual.page(header)}", header.name, manual.body(header))
        for name, text in cpp.items():
            self.write(f"docs/reference/{reference.cpp_page(name)}", name,
                       reference.cpp_body(name, text))
        (self.folder / "style.css").write_text(STYLE, encoding="utf-8")
        self.written["style.css"] = None

    def problems(self):
        """Links that lead nowhere."""
        anchors = {name: set(re.findall(r'id="([^"]*)"', text))
                   for name, text in self.written.items() if text is not None}
        for name, text in self.written.items():
            for link in HREF.findall(text or ""):
                link = html.unescape(link)
                if re.match(r"[a-z][a-z0-9+.-]*:", link):
                    continue
                page, _, anchor = link.partition("#")
                there = name
                if page:
                    there = os.path.normpath(os.path.join(os.path.dirname(name), page))
                if there not in self.written:
                    yield f"{name}: {link} leads nowhere"
                elif anchor and anchor not in anchors.get(there, ()):
                    yield f"{name}: {there} has no {anchor}"


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__.strip())
    if shutil.which("cmark-gfm") is None:
        sys.exit("site.py: cmark-gfm is missing; `./dev docs` installs it")
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT / "build" / "docs"
    if folder.exists():
        shutil.rmtree(folder)
    site = Site(folder.resolve())
    site.build()
    problems = sorted(set(site.problems()))
    for problem in problems:
        print(f"site: {problem}")
    if problems:
        sys.exit(1)
    print(f"{len(site.written)} files; open {folder / 'index.html'}")


main()
