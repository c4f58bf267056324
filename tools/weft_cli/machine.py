# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine: its processors, and how far they are from each other just now."""
import json
import os
import pathlib
import subprocess


def processors():
    """The processors that this process may use."""
    return sorted(os.sched_getaffinity(0))


def model():
    """The processor's name as the kernel gives it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return os.uname().machine


def places(workers):
    """The processors to pin a process with so many workers to; None when there are fewer."""
    cpus = processors()
    return cpus[:workers] if workers <= len(cpus) else None


def line_distance(folder):
    """How long a cache line takes between the first two processors in ns; None if there is one."""
    cpus = processors()
    program = folder / "bench_line_distance"
    if len(cpus) < 2 or not program.exists():
        return None
    command = [program, str(cpus[0]), str(cpus[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return json.loads(done.stdout)["one_way_ns"] if done.returncode == 0 else None
