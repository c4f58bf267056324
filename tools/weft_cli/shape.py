# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the parts of a JSON value must be, and where one is not.

A shape is a type or a tuple of types; None for null; a function that looks at the value; [shape] for a list of such;
{str: shape} for an object with any names; {"name": shape, ...} for one with these, and perhaps others; a name that
begins with ? may be missing.
"""
# What lies between can be multiplied and divided by each other, and is a float.
LEAST, MOST = 1e-100, 1e100


def number(value):
    """A number that can be drawn: not NaN, not less than nothing, and no further from 1 than anything measured."""
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and (value == 0 or LEAST <= value <= MOST))


def count(value):
    """A whole number from 1."""
    return whole(value) and value >= 1


def whole(value):
    """A whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def first_fault(value, shape, where=""):
    """The place of the first part that is not as it must be, such as processes[3].samples; empty if all is."""
    if isinstance(shape, tuple):
        faults = [first_fault(value, each, where) for each in shape]
        return "" if "" in faults else max(faults, key=len)  # of the alternative that went furthest
    if isinstance(shape, list):
        if not isinstance(value, list):
            return where
        return next(filter(None, (first_fault(v, shape[0], f"{where}[{i}]") for i, v in enumerate(value))), "")
    if isinstance(shape, dict):
        return _of_object(value, shape, where)
    if shape is None:
        right = value is None
    elif isinstance(shape, type):
        right = isinstance(value, shape)
    else:
        right = shape(value)
    return "" if right else where


def _of_object(value, shape, where):
    if not isinstance(value, dict):
        return where
    dot = where + "." if where else ""
    if str in shape:
        found = (first_fault(v, shape[str], f"{dot}{name}") for name, v in value.items())
    else:
        found = (first_fault(value[name.removeprefix("?")], of, f"{dot}{name.removeprefix('?')}")
                 if name.removeprefix("?") in value else "" if name.startswith("?") else f"{dot}{name}"
                 for name, of in shape.items())
    return next(filter(None, found), "")
