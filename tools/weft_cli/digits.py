# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many digits of a figure people want to see."""


def digits(value):
    """Three digits, without an exponent where people would not write one."""
    if value >= 1e12:
        return f"{value:.3g}"
    if value >= 999.5:
        return f"{value:,.0f}"
    if value >= 99.95:
        return f"{value:.0f}"
    if value >= 0.0995:
        return f"{value:.3g}"
    return f"{value:.2g}"
