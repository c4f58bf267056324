# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a run stands: a bar that renews itself on a terminal, else one line for each process."""
import shutil

BAR = 20  # characters


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{max(rest, 1)} s"


class Progress:
    def __init__(self, jobs, stream, verbose):
        self.jobs = jobs
        self.stream = stream
        self.terminal = stream.isatty()
        self.verbose = verbose  # a line for each process, where there is no terminal
        self.done = 0
        self.seconds = {}  # of each kind of job that ran: jobs repeat

    def left(self):
        """Seconds that the jobs to come will take, as far as is known; None at the start."""
        if not self.seconds:
            return None
        mean = sum(self.seconds.values()) / len(self.seconds)
        return sum(self.seconds.get(job.kind, mean) for job in self.jobs[self.done:])

    def line(self, job, width=80):
        """What stands there while the job runs; without the bar where there is no room for both."""
        left = self.left()
        text = f"{self.done + 1}/{len(self.jobs)}"
        if left is not None:
            text += f", {duration(left)} left"
        text += f": {job}"
        full = BAR * self.done // len(self.jobs)
        bar = f"{'█' * full}{'░' * (BAR - full)} "
        return bar + text if len(bar) + len(text) <= width else text

    def show(self, job):
        if self.terminal:
            self._renew(self.line(job, self._width()))

    def finished(self, outcome):
        self.done += 1
        self.seconds[outcome.job.kind] = outcome.seconds
        if self.verbose and not self.terminal:
            state = outcome.failure or f"{outcome.seconds:.1f} s"
            print(f"[{self.done}/{len(self.jobs)}] {outcome.job}: {state}", file=self.stream,
                  flush=True)

    def close(self):
        if self.terminal:
            self._renew("")

    @staticmethod
    def _width():
        return shutil.get_terminal_size().columns - 1

    def _renew(self, text):
        width = self._width()
        self.stream.write("\r" + text[:width].ljust(width) + ("\r" if not text else ""))
        self.stream.flush()
