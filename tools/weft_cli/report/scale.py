# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From values to places on an axis, linear or logarithmic, and where its ticks stand."""
import math


class Scale:
    """Maps [low, high] to [start, end]. A logarithmic one needs low > 0."""

    def __init__(self, low, high, start, end, log):
        self.log, self.start, self.end = log, start, end
        if log:
            # At least a third of a decade, and some room beside the outermost values.
            middle, half = math.sqrt(low * high), max(math.sqrt(high / low) * 1.12, 1.5)
            self.low, self.high = middle / half, middle * half
        else:
            self.low, self.high = min(low, 0.0), high * 1.04 or 1.0

    def __call__(self, value):
        if self.log:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, most=6):
        """At most so many round values in the range, and at least one."""
        if not self.log:
            return _steps(self.low, self.high, most)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for factors in ((1, 2, 5), (1, 3), (1,)):
            found = [f * 10.0**e for e in range(first, last + 1) for f in factors]
            found = [v for v in found if self.low <= v <= self.high]
            if len(found) <= most:
                return found or _steps(self.low, self.high, most)
        stride = math.ceil(len(found) / most)
        return found[(found.index(1.0) if 1.0 in found else 0) % stride::stride]  # 1 is what many are compared with


def _steps(low, high, most):
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= rough * 0.999)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
