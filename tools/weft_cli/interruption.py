# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, SIGTERM and the end of the terminal: they end a command where it is, but for a moment when something would be
left behind."""
import contextlib
import signal

_held = 0
_came = False


def _interrupt(_signal, _frame):
    global _came
    if _held:
        _came = True
        return
    raise KeyboardInterrupt


def listen():
    # Where it is started in the background, the shell has SIGINT ignored; both must work.
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    # Under nohup it is ignored, and stays so.
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)


@contextlib.contextmanager
def held():
    """What comes meanwhile is raised at the end."""
    global _held, _came
    _held += 1
    try:
        yield
    finally:
        _held -= 1
        if not _held and _came:
            _came = False
            raise KeyboardInterrupt
