# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps gdb through context switches, one instruction at a time: no step may lose a frame.

    switch_backtrace.py PROGRAM [EMULATOR [ARGUMENT]...]

starts gdb, which reads this file again as its script. With an emulator (a QEMU for user programs) gdb
is its debugger, over a socket.

At each instruction the frames are one of
  - those of one flow, complete: down to main, or to the base of its stack;
  - inside a switch, one frame more, in the flow that leaves, "called" by the flow that it resumes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import gdb
except ImportError:
    gdb = None

SKIPPED = 77
OUTER = ["outer_1", "outer_2", "main"]
INNER = ["inner_1", "inner_2", "entry", "weft_context_base"]
TAGS = {"outer_2": 1001, "inner_2": 1002}
# Two rounds of four switches into the other flow, three back, and one jump.
SWITCHES = 2 * (4 + 3 + 1)


def launch(program, emulator):
    debugger = "gdb-multiarch" if emulator else "gdb"
    if shutil.which(debugger) is None:
        print(f"skipped: {debugger} is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        start = "run"
        emulated = None
        if emulator:
            socket = os.path.join(folder, "socket")
            emulated = subprocess.Popen([*emulator, "-g", socket, program])
            while not os.path.exists(socket) and emulated.poll() is None:
                time.sleep(0.01)
            start = f"target remote {socket}"
        try:
            run = subprocess.run(
                [debugger, "-nx", "-batch", "-ex", "set debuginfod enabled off",
                 "-ex", f"python start = '{start}'", "-x", __file__, program],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        finally:
            if emulated is not None:
                emulated.kill()
                emulated.wait()
    output = run.stdout + run.stderr
    print(output)
    if "ptrace: Operation not permitted" in output:
        print("skipped: this machine does not let gdb trace a program")
        return SKIPPED
    return 0 if "RESULT: passed" in output else 1


def frames():
    """The calls from the newest to the oldest: name, stack pointer, tag if it has one."""
    found = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < 20:
        if frame.type() != gdb.INLINE_FRAME:
            name = frame.name()
            found.append((name, int(frame.read_register("sp")) & (2**64 - 1), tag_of(frame, name)))
        frame = frame.older()
    return found


def tag_of(frame, name):
    if name not in TAGS:
        return None
    try:
        value = frame.read_var("tag")
        return None if value.is_optimized_out else int(value)
    except (gdb.error, ValueError):  # not alive here, or in a register that is not saved here
        return None


def complete(names):
    """The whole of one flow, or what is there of it while it is called or returns."""
    return bool(names) and any(names == flow[-len(names):] for flow in (OUTER, INNER))


def inside_switch(names):
    """One frame that leaves, on top of all the frames of the flow that it resumes."""
    return ((names[:1] == ["outer_1"] and names[1:] in (INNER, INNER[-1:]))
            or (names[:1] in (["inner_1"], ["entry"]) and names[1:] == OUTER))


def step_through(start):
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("break outer_2")
    gdb.execute(start)
    if start != "run":
        gdb.execute("continue")
    gdb.execute("delete")
    steps = windows = tags = 0
    was_inside = False
    seen_inner = set()
    while gdb.newest_frame().name() != "done":
        found = frames()
        names = [name for name, _, _ in found]
        where = f"step {steps}, pc {gdb.newest_frame().pc():#x}: {' < '.join(map(str, names))}"
        inside = inside_switch(names)
        if not inside and not complete(names):
            return f"frames are lost at {where}"
        stack_pointers = [sp for _, sp, _ in found]
        if stack_pointers != sorted(stack_pointers):
            return f"stack pointers do not grow at {where}"
        for name, _, tag in found:
            # A tag has its value from the call on that it lives across.
            if tag is not None and names.index(name) > 0:
                tags += 1
                if tag != TAGS[name]:
                    return f"{name} has tag {tag} at {where}"
        if inside and not was_inside:
            windows += 1
        was_inside = inside
        if names[-1] == INNER[-1]:
            seen_inner.add(names[0])
        steps += 1
        if steps > 20000:
            return f"the program does not end; at {where}"
        gdb.execute("stepi", to_string=True)
    gdb.execute("continue")
    print(f"{steps} steps, {windows} switches seen inside, {tags} tags read")
    if windows != SWITCHES:
        return f"saw the inside of {windows} switches of {SWITCHES}"
    if tags == 0:
        return "no tag could be read in any frame"
    if not seen_inner >= set(INNER):
        return f"only {sorted(seen_inner)} of the other flow seen"
    if int(gdb.parse_and_eval("$_exitcode")) != 0:
        return "the program failed"
    return None


if gdb is None:
    sys.exit(launch(sys.argv[1], sys.argv[2:]))
problem = step_through(start)  # set by the command line of gdb
print("RESULT: passed" if problem is None else f"RESULT: {problem}")
