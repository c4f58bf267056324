# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running one benchmark process: pinned, watched, its answer read."""
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import time

from weft_cli import interruption, machine, shape
from weft_cli.plan import Job

# Two distances of processors count as alike up to this factor.
ALIKE = 2.0

SAMPLES = 5  # a process takes at most; it stops earlier when it is slow
TIMEOUT_S = 120  # no process takes as long unless it hangs
HUNG = "it did not end within "


@dataclasses.dataclass(frozen=True)
class Outcome:
    job: Job
    samples: list[float]
    failure: str  # empty: it ran, and its answer was right
    note: str
    seconds: float
    distances: tuple[float, ...] = ()  # of the processors in ns, before and after


class Runner:
    """Runs jobs. timeout: seconds after which one counts as hung; before: the outcomes of those that ran
    earlier; near: seconds to wait for processors to be near."""

    def __init__(self, manifest, quick, timeout=TIMEOUT_S, before=(), near=0):
        self.manifest = manifest
        self.scale = "quick" if quick else "full"
        self.timeout = timeout
        self.near = near
        # The least distance of the processors that was seen, in earlier runs too.
        self.least = min((d for outcome in before for d in outcome.distances), default=None)
        self.hung = {}  # failure by kind
        for outcome in before:
            if outcome.failure.startswith(HUNG):
                self.hung[outcome.job.kind] = outcome.failure

    def run(self, job):
        """Run one job. With several workers, look at the distance of the processors as well. What did not
        end in an earlier turn, or on fewer workers where there are more than processors, is not waited for
        again."""
        given_up = self._given_up(job)
        if given_up:
            return Outcome(job, [], given_up, "", 0.0)
        if job.workers < 2:
            return self._process(job)
        before = self._near_distance()
        outcome = self._process(job)
        after = self._distance()
        distances = tuple(d for d in (before, after) if d is not None)
        return dataclasses.replace(outcome, distances=distances)

    def _distance(self):
        """The distance of the processors just now; None if it cannot be measured."""
        now = machine.line_distance(self.manifest.folder)
        if now is not None:
            self.least = min(now, self.least or now)
        return now

    def _near_distance(self):
        """The distance of the processors, if possible when it is about the least that was seen."""
        until = time.monotonic() + self.near
        while (now := self._distance()) is not None:
            if now <= self.least * ALIKE or time.monotonic() >= until:
                break
            time.sleep(0.05)
        return now

    def _given_up(self, job):
        """Why it is not worth running; empty if it is."""
        if job.kind in self.hung:
            return self.hung[job.kind]
        for (kernel, runtime, workers), failure in self.hung.items():
            fewer = len(machine.processors()) < workers < job.workers
            if fewer and (kernel, runtime) == (job.kernel.name, job.runtime):
                return f"not tried: on {workers} workers {failure}"
        return ""

    def _process(self, job):
        command = [str(self.manifest.program(job.kernel, job.runtime)),
                   "--workers", str(job.workers), "--scale", self.scale,
                   "--runs", "1" if job.kernel.once else str(SAMPLES)]
        cpus = machine.places(job.workers)
        start = time.monotonic()

        def outcome(samples, failure, note=""):
            return Outcome(job, samples, failure, note, time.monotonic() - start)

        process = None
        try:
            if job.kernel.data:
                command += ["--data", str(self._numbers())]
            # A session of its own: Ctrl-C reaches this program only, which then ends the other. Not
            # while it is started but not yet known here.
            with interruption.held():
                process = subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                    errors="replace", start_new_session=True,
                    preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
            out, err = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            self.hung[job.kind] = f"{HUNG}{self.timeout} s"
            return outcome([], self.hung[job.kind])
        except BaseException as error:
            if process is not None:
                _end(process)
            elif isinstance(error, OSError):
                return outcome([], f"it cannot be started: {error.strerror or error}")
            raise
        return outcome(*_read(process.returncode, out, err))

    def _numbers(self):
        """The file that the sort reads; written at the first use."""
        count = self.manifest.numbers[self.scale]
        path = self.manifest.folder / "data" / f"numbers_{count}.txt"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            command = [self.manifest.folder / "bench_make_numbers", str(count), path]
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
            if done.returncode != 0:
                raise OSError(0, f"the file of numbers cannot be written: {done.stderr.strip()}")
        return path


def _end(process):
    """End it and all that it started, who hold its output open."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _read(code, out, err):
    """The samples, the failure and the note that a process's output gives. Some runtimes print lines of their own."""
    try:
        line = json.loads(next((line for line in out.splitlines() if line.startswith("{")), ""))
        samples = [float(s) for s in line["samples"]]
        note = str(line["note"]).encode("utf-8", "replace").decode("utf-8")  # half a character cannot be kept
        right = line["ok"] is True
    except (ValueError, KeyError, TypeError):
        last = err.strip().splitlines()[-1:] or ["it said nothing"]
        how = f"ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return [], f"{how}: {last[0]}", ""
    if not right:
        return samples, f"wrong answer: {note}", note
    odd = [s for s in samples if not shape.number(s)]
    if odd:
        return [], f"a sample is {odd[0]:g}", note
    if code != 0 or not samples:
        return samples, f"ended with code {code} and {len(samples)} samples", note
    return samples, "", note
