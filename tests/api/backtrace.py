# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A backtrace inside a task shows every inline level and ends at the base of the scheduler's stack.

    backtrace.py PROGRAM
"""

import re
import shutil
import subprocess
import sys

SKIPPED = 77


def main(program):
    if shutil.which("gdb") is None:
        print("skipped: gdb is not installed")
        return SKIPPED
    script = ["set debuginfod enabled off", "set confirm off", "break here", "run", "backtrace 60",
              "continue", "backtrace 60", "delete", "continue"]
    command = ["gdb", "-nx", "-batch"]
    for line in script:
        command += ["-ex", line]
    run = subprocess.run(command + [program], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=120)
    output = run.stdout + run.stderr
    if "ptrace: Operation not permitted" in output:
        print("skipped: this machine does not let gdb trace a program")
        return SKIPPED
    print(output)
    traces = re.split(r"^(?=#0 )", output, flags=re.MULTILINE)[1:]
    if len(traces) != 2:
        print(f"RESULT: {len(traces)} backtraces, not 2")
        return 1
    for trace in traces:
        names = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w:~<>() ]*?[\w>)]) ?\(", trace, re.MULTILINE)
        levels = sum(name == "inline_task" for name in names)
        if levels != 4:
            print(f"RESULT: {levels} levels of inline_task, not 4: {names}")
            return 1
        if not any("loop" in name for name in names):
            print(f"RESULT: the trace does not reach the scheduler's loop: {names}")
            return 1
        if "Backtrace stopped" in trace or "corrupt" in trace:
            print("RESULT: gdb lost the way")
            return 1
    if "exited normally" not in output:
        print("RESULT: the program failed")
        return 1
    print("RESULT: passed")
    return 0


sys.exit(main(sys.argv[1]))
