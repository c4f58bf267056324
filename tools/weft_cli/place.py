# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the command stands: in the source tree, or installed beside a library."""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parents[1]
# Written by the installation (packaging/installed.json.in): the version, and where the library is.
NOTE = HERE / "installed.json"
TREE = None if NOTE.exists() else HERE.parent


def version():
    if TREE is None:
        return json.loads(NOTE.read_text(encoding="utf-8"))["version"]
    text = (TREE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(weft VERSION ([\d.]+)", text)[1]


def command():
    """What to type for this command: its path where it stands in a source tree, which is in no PATH."""
    if TREE is None:
        return "weft"
    path = TREE / "tools" / "weft"
    here = pathlib.Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def default_build():
    """The build directory to look into, or None where there is no tree."""
    return None if TREE is None else TREE / "build" / "release"


def library(build):
    """libweft.so: of the build directory, else the one that was installed with the command."""
    if build is not None:
        return pathlib.Path(build) / "libweft.so"
    return (HERE / json.loads(NOTE.read_text(encoding="utf-8"))["library"]).resolve()
