# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the command line to the command, and from what it could not do to one sentence."""
import os
import sys

from weft_cli import arguments, interruption
from weft_cli.errors import INTERRUPTED, Refusal


def _do(options):
    # Each command loads its own parts only: most calls are over in less time than all parts take.
    if options.command == "info":
        from weft_cli import info
        return info.show(options.build)
    if options.command == "report":
        from weft_cli import report
        return report.show(options)
    from weft_cli import bench
    return bench.measure(options)


def main(argv):
    interruption.listen()
    for stream in sys.stdout, sys.stderr:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # bars and × in a terminal that knows neither
    try:
        code = _do(arguments.parser().parse_args(argv))
        sys.stdout.flush()
        return code
    except Refusal as refusal:
        print(f"weft: {refusal}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        of = f"{error.filename}: " if error.filename is not None else ""
        print(f"weft: {of}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("weft: interrupted", file=sys.stderr)
        return INTERRUPTED
