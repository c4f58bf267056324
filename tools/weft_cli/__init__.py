# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the weft command; main.py is the way in."""
