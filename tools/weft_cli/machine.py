# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine: its processors, its limits, and how far the processors are from each other just now."""
import json
import os
import pathlib
import platform
import re
import subprocess

SYSTEM = pathlib.Path("/sys/devices/system/cpu")
GROUPS = pathlib.Path("/sys/fs/cgroup")
# Variables by which a runtime, or the C library below it, takes options. A toolkit for windows has others with QT_.
OPTIONS = re.compile(
    r"(WEFT|OMP|GOMP|KMP|LIBOMP|ABT|QTHREAD|MYTH|HPX|TBB|CILK|LACE|RAYON|TOKIO|HWLOC|MALLOC)_.*|GLIBC_TUNABLES|"
    r"LD_(PRELOAD|LIBRARY_PATH)|GO(GC|DEBUG|MAXPROCS|MEMLIMIT)|"
    r"QT_(AFFINITY|ARGCOPY_SIZE|CONDWAIT_BACKOFF|CPUBIND|GUARD_PAGES|HWPAR|INFO|LAYOUT|MAX_POOL_ALLOC_SIZE|"
    r"NUM_SHEPHERDS|NUM_WORKERS_PER_SHEPHERD|SHEPHERD_BOUNDARY|SPINCOUNT|STACK_SIZE|STEAL_CHUNK|STEAL_RATIO|"
    r"WORKER_UNIT)")


def processors():
    """The processors that this process may use."""
    return sorted(os.sched_getaffinity(0))


def _text(path):
    """What a file of the kernel's says; None if it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _of_cpuinfo(field):
    for line in (_text(pathlib.Path("/proc/cpuinfo")) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return None


def model():
    """The processor's name as the kernel gives it."""
    return _of_cpuinfo("model name") or os.uname().machine


def governor():
    """What decides the processors' clock; None where the kernel does not say."""
    found = {_text(p) for p in SYSTEM.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {None}
    return ", ".join(sorted(found)) or None


def hardware_threads_per_core():
    siblings = _text(SYSTEM / f"cpu{processors()[0]}/topology/thread_siblings_list")
    if siblings is None:
        return None
    ranges = [part.split("-") for part in siblings.split(",")]
    return sum(int(r[-1]) - int(r[0]) + 1 for r in ranges)


def limits():
    """What the control group allows, where it allows less than the machine has: processors, bytes."""
    own = next((line[3:] for line in (_text(pathlib.Path("/proc/self/cgroup")) or "").splitlines()
                if line.startswith("0::")), "/").lstrip("/")
    cpus, memory = [], []
    folder = GROUPS / own
    while True:
        quota, _, period = (_text(folder / "cpu.max") or "max").partition(" ")
        if quota != "max":
            cpus.append(int(quota) / int(period))
        most = _text(folder / "memory.max") or "max"
        if most != "max":
            memory.append(int(most))
        if folder == GROUPS or GROUPS not in folder.parents:
            break
        folder = folder.parent
    return {"processors": min(cpus, default=None), "memory_bytes": min(memory, default=None)}


def environment():
    """The options of runtimes that the environment sets: each measured program gets them as well."""
    # Bytes that are no text as \\xff: a file of results is in UTF-8.
    return {name: os.fsencode(value).decode("utf-8", "backslashreplace")
            for name, value in sorted(os.environ.items()) if OPTIONS.fullmatch(name)}


def settings(options):
    """Such options as a shell has them."""
    return " ".join(f"{name}={value}" for name, value in options.items())


def facts():
    """What a reader of figures wants to know of the machine, and what must be alike to compare them."""
    return {
        "processor": model(),
        "architecture": os.uname().machine,
        "processors": len(processors()),
        "hardware_threads_per_core": hardware_threads_per_core(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "virtual": "hypervisor" in (_of_cpuinfo("flags") or "").split(),
        "governor": governor(),
        "limits": limits(),
        "kernel": f"{os.uname().sysname} {os.uname().release}",
        "system": _system(),
        "environment": environment(),
    }


def _system():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:  # not every system says
        return "unknown"


def places(workers):
    """The processors to pin a process with so many workers to; None when there are fewer."""
    cpus = processors()
    return cpus[:workers] if workers <= len(cpus) else None


def line_distance(folder):
    """How long a cache line takes between the first two processors in ns; None if there is one, or if it could not be
    measured."""
    cpus = processors()
    program = folder / "bench_line_distance"
    if len(cpus) < 2 or not program.exists():
        return None
    command = [program, str(cpus[0]), str(cpus[1])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30)
        return json.loads(done.stdout)["one_way_ns"] if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None
