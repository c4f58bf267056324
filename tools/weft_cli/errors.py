# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the command refuses: with one sentence."""


class Refusal(Exception):
    """What was asked for cannot be done; the text is the one sentence that says why."""
