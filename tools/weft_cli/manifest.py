# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a build directory holds: its kernels, the runtimes of each, and why others are missing."""
import dataclasses
import json
import pathlib

from weft_cli.errors import Refusal

# The order of the columns and of the runs; the first is what the others are compared with.
RUNTIMES = ("weft", "weft-so", "weft_cpp", "serial", "gomp", "tbb", "go", "pthread")


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    unit: str
    title: str
    workers: int | None  # the only number of workers that makes sense, or None
    program: bool  # part of `weft run`
    once: bool  # one sample a process
    data: bool  # reads the file of numbers
    runtimes: tuple[str, ...]

    def workers_of(self, runtime, wanted):
        """The numbers of workers to run, of those wanted."""
        if self.workers is not None:
            return [self.workers]
        if runtime == "serial":
            return [w for w in wanted if w == 1]
        return list(wanted)


class Manifest:
    """The list that CMake writes beside the programs."""

    def __init__(self, build):
        if build is None:
            raise Refusal("the benchmarks are not installed: name a build directory of Weft's "
                          "source tree by --build")
        self.folder = pathlib.Path(build) / "bench"
        path = self.folder / "manifest.json"
        try:
            content = json.loads(path.read_text())
        except FileNotFoundError:
            raise Refusal(f"there are no benchmarks in {build}: build them by "
                          "`./dev build release`, or name a build directory by --build") from None
        except ValueError as error:
            raise Refusal(f"{path} is not valid: {error}") from None
        self.compiler = content["compiler"]
        self.build_type = content["build_type"]
        self.numbers = content["numbers"]
        self.missing = content["missing"]
        self.kernels = [Kernel(**{**kernel, "runtimes": tuple(kernel["runtimes"])})
                        for kernel in content["kernels"]]

    def program(self, kernel, runtime):
        return self.folder / f"bench_{kernel.name}_{runtime}"

    def choose_kernels(self, names):
        """The kernels of these names, in the manifest's order; all if names is None."""
        known = {k.name for k in self.kernels}
        for name in names or ():
            if name not in known:
                raise Refusal(f"there is no kernel {name}; there are {', '.join(sorted(known))}")
        return [k for k in self.kernels if names is None or k.name in names]

    def choose_runtimes(self, names):
        """The runtimes of these names that are there, and the missing ones with the reason."""
        for name in names or ():
            if name not in RUNTIMES:
                raise Refusal(f"there is no runtime {name}; there are {', '.join(RUNTIMES)}")
        wanted = [r for r in RUNTIMES if names is None or r in names]
        missing = {r: self.missing[r] for r in wanted if r in self.missing}
        return [r for r in wanted if r not in missing], missing
