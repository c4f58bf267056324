# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench` and `weft run`: what is to run, running it, and what is said of it."""
import shlex
import sys

from weft_cli import doctor, machine, place, record, results, table
from weft_cli.errors import INTERRUPTED, Refusal
from weft_cli.manifest import Manifest
from weft_cli.plan import plan, workers_of
from weft_cli.progress import Progress
from weft_cli.runner import TIMEOUT_S, Runner

# What a file of results says of how it was made; a resumed run takes it from there.
CHOICES = "only", "runtimes", "workers", "quick", "repeat", "timeout", "near"
DEFAULTS = {"bench": {"quick": False, "repeat": 3, "timeout": TIMEOUT_S, "near": 0},
            "run": {"quick": False, "repeat": 1, "timeout": TIMEOUT_S, "near": 0}}


def _choices(options, held):
    """The options that decide what runs: those given, else those of the file to resume, else the
    defaults. A file's own must not be contradicted, but that more turns may follow, of all kernels or of some."""
    given = {name: getattr(options, name) for name in CHOICES}
    if held is None:
        return {"command": options.command, **{
            name: DEFAULTS[options.command].get(name) if value is None else value
            for name, value in given.items()}}
    theirs = {"near": 0, **held["options"]}  # which older files do not have
    if theirs["command"] != options.command:
        raise Refusal(f"{options.resume} was written by weft {theirs['command']}, not by weft "
                      f"{options.command}")
    more = given.pop("repeat")
    some = given.pop("only") if more is not None else None
    if more is not None and more < theirs["repeat"]:
        raise Refusal(f"--repeat {more} is less than the {theirs['repeat']} that {options.resume} was begun with; "
                      "as many or more are accepted")
    for name, value in given.items():
        if value is not None and value != theirs[name]:
            raise Refusal(f"{options.resume} was begun with other options (--{name}); leave --{name} "
                          "away to go on with it")
    return {**theirs, "repeat": theirs["repeat"] if some or more is None else more}


def _further(options, choices, manifest, kernels):
    """The turns of those kernels that have been chosen for more than all have, by their names. kernels: what the
    file to resume is of."""
    further = dict(choices.get("further", {}))
    if options.resume and options.only and options.repeat is not None:
        chosen = set(manifest.choose_kernels(options.only)) & set(kernels)
        without = [name for name in options.only
                   if not name.startswith("!") and not set(manifest.choose_kernels([name])) & set(kernels)]
        if without or not chosen:
            raise Refusal(f"{options.resume} was begun without {', '.join(without or options.only)}: only of its own "
                          "kernels can more turns follow")
        for kernel in chosen:
            further[kernel.name] = max(options.repeat, further.get(kernel.name, 0))
    return further


def _chosen(manifest, choices):
    """Kernels, names of runtimes, and missing runtimes."""
    kernels = manifest.choose_kernels(choices["only"])
    runtimes, missing = manifest.choose_runtimes(choices["runtimes"])
    if choices["command"] == "run":
        if choices["only"] is None:
            kernels = [k for k in kernels if k.program]
        if choices["runtimes"] is None:
            # Weft's by another compiler only beside those that are compared with it.
            beside = {manifest.runtimes[r].beside for r in runtimes}
            runtimes = [r for r in runtimes if r not in ("weft-so", "weft_clang") or r in beside]
    return kernels, runtimes, missing


def _show_list(manifest, kernels, runtimes, missing):
    lines = [["kernel", "unit", "figure or group", "runtimes", "what"]]
    for kernel in kernels:
        have = [r for r in runtimes if r in kernel.runtimes]
        if have:
            lines.append([kernel.name, kernel.unit, kernel.figure or kernel.group, " ".join(have),
                          kernel.title])
    print(table.render(lines, len(lines[0])))
    for name in sorted({k.figure for k in kernels} - {""}):
        figure = manifest.figures[name]
        print(f"{name}: {manifest.sources[figure.source].title}, {figure.number}: {figure.title}")
    _show_missing(missing)


def _show_missing(missing):
    for runtime in missing:
        print(f"{runtime.name} is missing: {runtime.reason}")


def _measure(jobs, runner, progress, keep):
    """Run the jobs and give each outcome to keep(); whether there was an interruption."""
    try:
        for job in jobs:
            progress.show(job)
            outcome = runner.run(job)
            keep(outcome)
            progress.finished(outcome)
    except KeyboardInterrupt:
        return True
    finally:
        progress.close()
    return False


def _show_distances(rows):
    known = [d for row in rows for d in row.distances]
    if known:
        print(f"A cache line took {min(known):.0f} to {max(known):.0f} ns from one processor to "
              "the other, before and after the runs with several workers.")
    left_out = sum(row.left_out for row in rows)
    if left_out:
        print(f"{left_out} processes are left out: the processors were otherwise placed meanwhile.")


def _show(rows, command, runtimes):
    """The tables, and what failed; whether something did."""
    if rows:
        print(table.long_table(rows) if command == "bench" else table.wide_tables(rows, runtimes))
        across = results.across_compilers(rows)
        if across:
            print(across)
        _show_distances(rows)
    failed = [row for row in rows if not row.ok]
    for row in failed:
        for failure in row.failures:
            print(f"FAILED: {row.kernel.name} {row.runtime} on {row.workers}: {failure}")
    return bool(failed)


def _file(options, manifest):
    """Where the results go; None if nowhere. What was measured before is not lost by a slip."""
    for path in options.resume, options.json:
        if path and options.command == "run" and path.suffix == ".html":
            raise Refusal(f"{path} is where the report would be written; name the results otherwise, say "
                          f"{path.with_suffix('.json')}")
    if options.resume:
        return options.resume
    if options.json:
        if options.json.exists() and not options.json.is_file():
            raise Refusal(f"{options.json} is no file")
        if options.json.exists() and options.json.stat().st_size > 0:
            raise Refusal(f"{options.json} is there already: --resume goes on with it; else remove it first")
        return options.json
    if options.command == "bench":
        return None
    path = manifest.folder / "run.json"
    _set_aside(path)
    return path


def _set_aside(path):
    """Keep what the run before has measured, were it a part alone, in a file beside."""
    try:
        if not record.read(path)["processes"]:
            return
    except FileNotFoundError:
        return
    except Refusal:
        pass  # damaged, or of another version: not for this command to delete
    kept = path.with_name("run-before.json")
    path.replace(kept)
    print(f"The results of the run before: {kept}")


def _to_go_on(options, path):
    """The command that goes on with an interrupted run."""
    words = [place.command(), options.command, "--resume", str(path)]
    if options.build != place.default_build():
        words += ["--build", str(options.build)]
    return shlex.join(words)


class _Nowhere:
    """Stands in for a record.Writer where no file is wanted."""

    def __init__(self, content):
        self.content = content

    def add(self, outcome):
        pass

    def save(self):
        pass


def measure(options):
    """Do what `weft bench` or `weft run` was asked; the exit code."""
    held = record.read(options.resume) if options.resume else None
    choices = _choices(options, held)
    manifest = Manifest(options.build)
    kernels, runtimes, missing = _chosen(manifest, choices)
    if options.list:
        _show_list(manifest, kernels, runtimes, missing)
        return 0
    if options.doctor:
        return doctor.show(manifest, kernels, runtimes, missing)
    processors = len(machine.processors())
    further = _further(options, choices, manifest, [k for k in kernels if set(k.runtimes) & set(runtimes)])
    if further:
        choices["further"] = further
    jobs = plan(kernels, runtimes, lambda kernel: max(choices["repeat"], further.get(kernel.name, 0)),
                lambda kernel: workers_of(kernel, manifest.figures, choices["workers"], processors))
    if not jobs:
        _show_missing(missing)
        raise Refusal("nothing to run: none of these kernels has any of these runtimes with "
                      "so many workers")
    content = record.begin(manifest, choices,
                           [manifest.runtimes[name] for name in runtimes] + missing, jobs)
    if held is not None:
        differs = record.difference(content, held, but=record.OF_THE_TREE)
        if differs:
            raise Refusal(f"{options.resume} cannot be resumed here: it is of {differs}")
        content = {**held, "options": choices, "planned": len(jobs)}
    outcomes = record.Results(content).outcomes
    done = {outcome.job.key for outcome in outcomes}
    left = [job for job in jobs if job.key not in done]
    path = _file(options, manifest)
    # A path that cannot be written is told now, not after an hour.
    writer = record.Writer(path, content) if path else _Nowhere(content)

    def keep(outcome):
        outcomes.append(outcome)
        writer.add(outcome)

    print(f"{machine.model()}, {processors} processors; {manifest.compiler}, "
          f"{manifest.build_type}; {'quick' if choices['quick'] else 'full'} sizes", flush=True)
    if machine.environment():
        print(f"The environment sets {machine.settings(machine.environment())}.", flush=True)
    if done:
        print(f"{len(done)} of {len(jobs)} processes were done before.", flush=True)
    runner = Runner(manifest, choices["quick"], choices["timeout"], outcomes, choices["near"])
    try:
        interrupted = _measure(left, runner, Progress(left, sys.stderr, verbose=options.command == "run"), keep)
    finally:
        writer.save()
    rows = results.rows(outcomes, [manifest.runtimes[name] for name in runtimes])
    failed = _show(rows, options.command, runtimes)
    _show_missing(missing)
    if path:
        print(f"Results: {path}")
        if options.command == "run" and outcomes:
            from weft_cli import report  # its parts take longer to load than most calls take
            print(f"Report: {report.write_beside(path)}")
    if interrupted:
        print(f"Interrupted after {len(outcomes)} of {len(jobs)} processes."
              + (f" `{_to_go_on(options, path)}` goes on." if path else ""))
        return INTERRUPTED
    if not failed:
        print(f"All answers of {len(outcomes)} processes were right.")
    return 1 if failed else 0
