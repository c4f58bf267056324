# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft info`: what the library chooses on this machine, as it says itself."""
import ctypes
import os
import sys

from weft_cli import place
from weft_cli.errors import Refusal


def show(build):
    """Start the library once with WEFT_INFO=1; its lines go to the terminal."""
    path = place.library(build)
    if not path.exists():
        raise Refusal(f"there is no library {path}: build it, or name a build directory by --build")
    print(f"Weft {place.version()}, {path}", flush=True)
    os.environ["WEFT_INFO"] = "1"
    library = ctypes.CDLL(str(path))
    status = library.weft_start(None)
    if status != 0:
        raise Refusal(f"Weft does not start: {os.strerror(-status)}")
    sys.stderr.flush()
    library.weft_stop()
    return 0
