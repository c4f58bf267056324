#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write docs/comparison.md, what threading libraries call things and which features they have, from
docs/comparison.toml.

usage: comparison.py [ROOT]
"""
import tomllib

import project
import test_cases

DATA, PAGE = "docs/comparison.toml", "docs/comparison.md"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Made by tools/comparison.py from docs/comparison.toml; do not edit. -->
# Threading libraries beside each other

After the tables in A. Castelló, R. Mayo Gual, S. Seo, P. Balaji, E. S. Quintana-Ortí and A. J. Peña,
"Analysis of Threading Libraries for High Performance Computing". Each cell of Weft's leads to the test
that shows it; the name of its case stands behind the link.
"""


def tables(top):
    """Tables as (title, about, rows); a row is its concept, the others' cells, Weft's, file and case of
    the test (empty where there is none)."""
    content = tomllib.loads((top / DATA).read_text(encoding="utf-8"))
    width = 2 + len(content["libraries"])
    for table in content["table"]:
        rows = []
        for row in table["rows"]:
            if len(row) not in (width, width + 2):
                raise ValueError(f"{row[0]} has {len(row)} cells")
            rows.append((row[0], row[1:width - 1], row[width - 1], *(row[width:] or ("", ""))))
        yield content["libraries"], table["title"], table["about"], rows


def page(top):
    parts = [HEAD]
    for libraries, title, about, rows in tables(top):
        parts.append(f"\n## {title}\n\n{about}\n\n| | {' | '.join(libraries)} | Weft |\n"
                     f"|---|{'---|' * len(libraries)}---|\n")
        for concept, others, weft, file, case in rows:
            cell = f'[{weft}](../{file} "{case}")' if file else weft
            parts.append(f"| {concept} | {' | '.join(others)} | {cell} |\n")
    return "".join(parts)


def problems(top):
    """What is wrong with the table: a test that is not there, a yes without one."""
    for _, title, _, rows in tables(top):
        for concept, _, weft, file, case in rows:
            where = f"{DATA}: {title}, {concept}"
            if not file:
                if weft != "no":
                    yield f"{where}: no test shows that {weft}"
            elif wrong := test_cases.missing(top, file, case):
                yield f"{where}: {wrong}"


if __name__ == "__main__":
    (project.root() / PAGE).write_text(page(project.root()), encoding="utf-8")
