# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures as people write them: a quantity with the unit that suits it, a ratio, a count."""
from weft_cli.digits import digits

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
TIMES = (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")
SIZES = (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")
NOUNS = {"s": "time", "ms": "time", "us": "time", "ns": "time", "bytes": "memory",
         "%cpu": "processor time", "ratio": "ratio"}
EACH = {"op": "an operation", "task": "a thread"}


def _scaled(value, steps):
    factor, name = next((step for step in steps if value >= step[0] * 0.9995), steps[-1])
    return f"{digits(value / factor)} {name}"


def quantity(value, unit):
    """A value in a unit of the kernels', such as 8.8 ns for 8.8 ns/op; 1.5 ms for 0.0015 s."""
    base = unit.partition("/")[0]
    if value == 0:
        return "0"
    if base in SECONDS:
        return _scaled(value * SECONDS[base], TIMES)
    if base == "bytes":
        # Small sizes are compared byte by byte: 4,502 B says more than 4.5 kB.
        return f"{value:,.0f} B" if value < 9_999.5 else _scaled(value, SIZES)
    if base == "%cpu":
        return f"{digits(value)} %"
    return digits(value) if base == "ratio" else f"{digits(value)} {unit}"


def what(unit):
    """What a unit measures: time an operation, memory a thread."""
    base, _, each = unit.partition("/")
    return " ".join(filter(None, (NOUNS.get(base, base), EACH.get(each, each))))


def ratio(value):
    """A multiple: 1.04x, 12x."""
    if 0 < value < 0.01:
        return "<0.01×"
    return f"{value:.2f}×" if value < 9.995 else f"{value:.1f}×" if value < 99.95 else f"{digits(value)}×"


def percent(value):
    """A part as people write it: 97 %."""
    return f"{100 * value:.0f} %"


def count(number, noun):
    """1 worker, 2 workers, 3 processes."""
    return f"{number:,} {noun}" + ("" if number == 1 else "es" if noun.endswith("s") else "s")


def heading(text):
    """A title at the begin of a line."""
    return text[:1].upper() + text[1:]


def at(value):
    """A place on an axis of sizes: powers of two from 1,024 on as such."""
    whole = int(value)
    if value == whole and whole >= 1024 and whole & (whole - 1) == 0:
        return "2" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in str(whole.bit_length() - 1))
    return f"{whole:,}" if value == whole and whole < 1e12 else f"{value:g}"
