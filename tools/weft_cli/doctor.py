# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--doctor`: which runtimes are there, what brings the others, and what would disturb a measurement."""
import os

from weft_cli import machine, table, tree


def disturbances(build_type):
    """What makes figures of this machine worse than they need be, a sentence each."""
    found = []
    cpus, load = len(machine.processors()), os.getloadavg()[0]
    if load > 0.1 * cpus:
        found.append(f"the machine is busy: {load:.1f} threads wanted to run in the last minute")
    governor = machine.governor()
    if governor not in (None, "performance"):
        found.append(f"the clock moves: the governor is {governor}, not performance")
    allowed = machine.limits()["processors"]
    if allowed is not None and allowed < cpus:
        found.append(f"the control group allows {allowed:g} processors of {cpus}")
    if cpus < 2:
        found.append("there is one processor: two workers share it")
    if build_type != "Release":
        found.append(f"the build type is {build_type}, not Release")
    options = machine.environment()
    if options:
        found.append("the environment sets options of runtimes, which each program gets: "
                     + machine.settings(options))
    if tree.dirty():
        found.append("the source tree has changes that no commit holds")
    return found


def show(manifest, kernels, runtimes, missing):
    """Print what there is of these kernels and runtimes; the exit code is 1 if a program is not built."""
    lines = [["runtime", "version", "kernels", ""]]
    for name in runtimes:
        runtime = manifest.runtimes[name]
        have = sum(name in kernel.runtimes for kernel in kernels)
        lines.append([name, runtime.version or "-", str(have), runtime.label])
    for runtime in missing:
        lines.append([runtime.name, "missing", "-", f"{runtime.label}: {runtime.reason}"])
    print(table.render(lines, len(lines[0])))
    packages = sorted({r.package for r in missing} - {""})
    debian = [p for p in packages if " " not in p]  # the others say where they are to be had
    if debian:
        print(f"From Debian: apt-get install {' '.join(debian)}; then configure and build again.")
    if len(debian) < len(packages):
        print(f"From elsewhere: {', '.join(p for p in packages if p not in debian)}; then configure with "
              "CMAKE_PREFIX_PATH and build again.")
    unbuilt = [f"{kernel.name} {name}" for kernel in kernels for name in runtimes
               if name in kernel.runtimes and not manifest.program(kernel, name).exists()]
    if unbuilt:
        print(f"{len(unbuilt)} programs are not built ({unbuilt[0]} is the first): "
              "`./dev bench --doctor` builds them.")
    distance = machine.line_distance(manifest.folder)
    if distance is not None:
        print(f"A cache line takes {distance:.0f} ns from one processor to the other just now.")
    found = disturbances(manifest.build_type)
    for sentence in found:
        print(f"Figures may suffer: {sentence}.")
    if not found:
        print("Nothing is known that would disturb a measurement.")
    return 1 if unbuilt else 0
