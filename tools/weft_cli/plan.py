# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which processes to run, in which order."""
import dataclasses

from weft_cli.manifest import Kernel


@dataclasses.dataclass(frozen=True)
class Job:
    """One process."""
    kernel: Kernel
    runtime: str
    workers: int

    def __str__(self):
        return f"{self.kernel.name} {self.runtime} on {self.workers}"

    @property
    def group(self):
        """What is compared with each other."""
        return self.kernel.name, self.workers


def plan(kernels, runtimes, workers, repeat):
    """The jobs: kernel by kernel; within a kernel the runtimes take turns, each time from the next
    one on, so that a slow minute of the machine, or a warm cache, is not always the same one's."""
    jobs = []
    for kernel in kernels:
        groups = {}
        for runtime in runtimes:
            if runtime in kernel.runtimes:
                for count in kernel.workers_of(runtime, workers):
                    groups.setdefault(count, []).append(Job(kernel, runtime, count))
        for count in sorted(groups):
            group = groups[count]
            for turn in range(repeat):
                start = turn % len(group)
                jobs += group[start:] + group[:start]
    return jobs
