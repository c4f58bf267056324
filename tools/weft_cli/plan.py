# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which processes to run, in which order."""
import dataclasses

from weft_cli import arguments
from weft_cli.manifest import Kernel

WORKERS = 1, 2  # where nothing else is asked for; and as many as there are processors


@dataclasses.dataclass(frozen=True)
class Job:
    """One process."""
    kernel: Kernel
    runtime: str
    workers: int
    turn: int = 0  # its runtimes' turn, from 0

    def __str__(self):
        return f"{self.kernel.name} {self.runtime} on {self.workers}"

    @property
    def group(self):
        """What is compared with each other."""
        return self.kernel.name, self.workers

    @property
    def key(self):
        """What tells it from all others: the rest of its kernel may be said otherwise another day."""
        return self.kernel.name, self.runtime, self.workers, self.turn

    @property
    def kind(self):
        """What takes about the same time each turn."""
        return self.kernel.name, self.runtime, self.workers


def workers_of(kernel, figures, asked, processors):
    """The numbers of workers to run a kernel with: those asked for; else what its figure shows; else few;
    at most as many as a program takes."""
    if asked is not None:
        return asked
    processors = min(processors, arguments.MOST)
    figure = figures.get(kernel.figure)
    if figure is None or not (figure.oversubscribed or figure.scaling):
        return sorted({*WORKERS, processors})
    counts, last = [1], min((4 if figure.oversubscribed else 1) * processors, arguments.MOST)
    while counts[-1] * 2 <= last:
        counts.append(counts[-1] * 2)
    return sorted({*counts, processors, last})


def plan(kernels, runtimes, turns, workers):
    """The jobs: kernel by kernel; within a kernel the runtimes take turns, each time from the next
    one on, so that a slow minute of the machine, or a warm cache, is not always the same one's.
    turns(kernel) and workers(kernel) give the number of turns and the numbers of workers that are wanted."""
    jobs = []
    for kernel in kernels:
        groups = {}
        for runtime in runtimes:
            if runtime in kernel.runtimes:
                for count in kernel.workers_of(runtime, workers(kernel)):
                    groups.setdefault(count, []).append(runtime)
        for count in sorted(groups):
            group = groups[count]
            for turn in range(turns(kernel)):
                start = turn % len(group)
                jobs += [Job(kernel, runtime, count, turn) for runtime in group[start:] + group[:start]]
    return jobs
