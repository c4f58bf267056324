# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables for the terminal."""
from weft_cli import results
from weft_cli.digits import digits
from weft_cli.manifest import BASE


def figure(value):
    return "-" if value is None else digits(value)


def render(lines, left):
    """Columns in their width; the first `left` columns are text, the others are figures."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(
        cell.ljust(width) if i < left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def long_table(table):
    """One line for each row: what `weft bench` prints."""
    lines = [["kernel", "runtime", "unit", "workers", "median", "min", "to weft", "runs"]]
    for row in table:
        ratio = results.ratio(row, table)
        lines.append([
            row.kernel.name, row.runtime, row.kernel.unit, str(row.workers),
            figure(row.median) if row.ok else "FAILED", figure(row.least),
            f"{ratio:.2f}" if ratio is not None else "-", str(len(row.samples))])
    return render(lines, 3)


def wide_tables(table, runtimes):
    """One line for each program and number of workers, one column for each runtime: what `weft run`
    prints; then the same as ratios, and what the second worker brought."""
    columns = [r for r in runtimes if any(row.runtime == r for row in table)]
    groups = {}
    for row in table:
        groups.setdefault((row.kernel, row.workers), {})[row.runtime] = row
    figures = [["program", "unit", "workers"] + columns]
    ratios = [["program", "workers"] + columns]
    for (kernel, workers), cells in groups.items():
        figures.append([kernel.name, kernel.unit, str(workers)] + [
            "-" if c not in cells else "FAILED" if not cells[c].ok else figure(cells[c].median)
            for c in columns])
        parts = [results.ratio(cells[c], table) if c in cells else None for c in columns]
        ratios.append([kernel.name, str(workers)] +
                      ["-" if p is None else f"{p:.2f}" for p in parts])
    parts = [render(figures, 2),
             "As a multiple of Weft with as many workers:\n" + render(ratios, 1)]
    gains = speed_ups(table)
    if gains:
        parts.append(f"Weft, against 1 worker: {', '.join(gains)}")
    return "\n\n".join(parts)


def speed_ups(table):
    """How many times faster Weft is with more workers than with one."""
    weft = {(r.kernel.name, r.workers): r.median for r in table
            if r.runtime == BASE and r.median}
    return [f"{name} {weft[name, 1] / value:.2f}x with {workers}"
            for (name, workers), value in weft.items() if workers > 1 and (name, 1) in weft]
