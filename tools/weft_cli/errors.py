# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the command ends when it does not do what was asked."""

INTERRUPTED = 130  # its exit code then, as the shell has it


class Refusal(Exception):
    """What was asked for cannot be done; the text is the one sentence that says why."""
