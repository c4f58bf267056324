# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference as HTML: of C headers their comment blocks, of C++ headers what they declare."""
import html
import re

FIELDS = {"Context": "Context", "Blocks": "Blocks", "Order": "Order", "Owns": "Owns",
          "Source": "Source"}


# What the C++ headers keep to themselves.
INSIDE = re.compile(r"^namespace ([\w:]*\bdetail\b[\w:]*) \{\n.*?^\}  // namespace \1\n",
                    re.M | re.S)


def without_details(text):
    return re.sub(r"\n{3,}", "\n\n", INSIDE.sub("", text))


def cpp_headers(top):
    """The C++ headers in which users find something, as {name as programs include it: text}."""
    texts = {str(p.relative_to(top / "include")): p.read_text(encoding="utf-8")
             for p in sorted((top / "include/weft").rglob("*.hpp"))}
    return {name: text for name, text in texts.items()
            if "\nnamespace weft" in without_details(text)}


def cpp_page(name):
    return name.removeprefix("weft/").replace("/", "_") + ".html"


def cpp_body(name, text):
    """The head comment as prose, then what is declared."""
    text = without_details(text)
    head = re.match(r"(?://.*\n)+", text)[0]
    head_lines = head.split("\n", 1)[1]  # without the licence
    parts = re.sub(r"^// ?", "", head_lines, flags=re.M).split("\n\n")
    prose = "".join(f"<p>{html.escape(' '.join(p.split()), quote=False)}</p>\n" for p in parts)
    code = re.sub(r"^#.*\n", "", text[len(head):], flags=re.M).strip()
    return f"<h1>{name}</h1>\n{prose}<pre><code>{html.escape(code, quote=False)}</code></pre>"


class Reference:
    def __init__(self, headers, cpp):
        self.headers = headers
        self.cpp = cpp
        self.home = {f.name: self.page(h) for h in headers for f in h.functions}

    @staticmethod
    def page(header):
        return header.name.removeprefix("weft/").removesuffix(".h") + ".html"

    def text(self, text):
        """Prose with the names of functions as links."""
        def link(match):
            page = self.home.get(match[0])
            return f'<a href="{page}#{match[0]}">{match[0]}</a>' if page else match[0]
        text = html.escape(text, quote=False)
        text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
        return re.sub(r"\bweft_\w+", link, text)

    def paragraph(self, text):
        if "\n" in text:
            return f"<pre>{html.escape(text, quote=False)}</pre>"
        return f"<p>{self.text(text)}</p>"

    def function(self, function):
        lines = [f'<h3 id="{function.name}">{function.name}</h3>',
                 f"<pre><code>{html.escape(function.declaration, quote=False)}</code></pre>",
                 f"<p>{self.text(function.sentences)}</p>", "<dl>"]
        for name, what in function.documented:
            lines.append(f"<dt><code>{name}</code></dt><dd>{self.text(what)}</dd>")
        if function.result:
            lines.append(f"<dt>Returns</dt><dd>{self.text(function.result)}</dd>")
        for field, title in FIELDS.items():
            lines.append(f"<dt>{title}</dt><dd>{self.text(function.fields[field])}</dd>")
        if function.may_park:
            lines.append("<dt>May park</dt><dd>A task may return on another OS thread.</dd>")
        return "\n".join([*lines, "</dl>"])

    def body(self, header):
        parts = [f"<h1>{header.name}</h1>", f"<p>{self.text(header.title)}.</p>",
                 f"<pre><code>#include &lt;{header.name}&gt;</code></pre>"]
        parts += [self.paragraph(p) for p in header.prose]
        if header.functions:
            parts.append("<ul>" + "".join(
                f'<li><a href="#{f.name}">{f.name}</a>: {self.text(f.summary)}</li>'
                for f in header.functions) + "</ul>")
        if header.declarations:
            parts.append('<h2 id="declarations">Declarations</h2>')
            parts += [f"<pre><code>{html.escape(d, quote=False)}</code></pre>"
                      for d in header.declarations]
        if header.functions:
            parts.append('<h2 id="functions">Functions</h2>')
            parts += [self.function(f) for f in header.functions]
        return "\n".join(parts)

    def index(self):
        rows = "".join(f'<tr><td><a href="{self.page(h)}">{h.name}</a></td>'
                       f"<td>{self.text(h.title)}</td></tr>" for h in self.headers)
        more = "".join(f'<li><a href="{cpp_page(name)}">{name}</a></li>' for name in self.cpp)
        return (f"<h1>Reference</h1>\n<h2>C</h2>\n<table>{rows}</table>\n"
                f"<h2>C++</h2>\n<ul>{more}</ul>")
