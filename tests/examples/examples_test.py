#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples give right answers at 1, 2 and 7 workers; what is right is found in another way.

usage: examples_test.py DIRECTORY_OF_THE_PROGRAMS
"""
import collections
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
WORKERS = (1, 2, 7)
SEED = 20260101


def environment(workers):
    return os.environ | {"WEFT_WORKERS": str(workers)}


def web_log(lines):
    """A web server's log in the common form, with few frequent words and many rare ones."""
    choose = random.Random(SEED)
    paths = [f"/page/{i}" for i in range(300)]
    for _ in range(lines):
        path = paths[min(int(choose.expovariate(0.02)), len(paths) - 1)]
        yield (f"10.{choose.randrange(4)}.{choose.randrange(256)}.{choose.randrange(256)} - - "
               f"[01/Jan/2026:{choose.randrange(24):02}:{choose.randrange(60):02}:00 +0000] "
               f'"{choose.choice(["GET", "GET", "GET", "POST"])} {path} HTTP/1.1" '
               f'{choose.choice([200, 200, 200, 304, 404])} {choose.randrange(50000)} '
               f'"-" "Agent/{choose.randrange(5)}.0 (X11; Linux)"\n')


def one_move(a, b):
    """Whether board b is a with the gap moved by one."""
    gap, to = a.index("0"), b.index("0")
    near = abs(gap // 3 - to // 3) + abs(gap % 3 - to % 3) == 1
    return near and [i for i in range(9) if a[i] != b[i]] == sorted((gap, to)) and a[to] == b[gap]


class examples(unittest.TestCase):
    def run_example(self, name, *arguments, workers, stdin=None):
        done = subprocess.run([PROGRAMS / name, *map(str, arguments)], input=stdin,
                              capture_output=True, env=environment(workers), timeout=50)
        self.assertEqual((done.returncode, done.stderr), (0, b""), f"{name}, {workers} workers")
        return done.stdout

    def gives(self, expected, name, *arguments, stdin=None):
        for workers in WORKERS:
            with self.subTest(workers=workers):
                out = self.run_example(name, *arguments, workers=workers, stdin=stdin)
                self.assertEqual(out.decode(), expected)

    def test_word_count_counts_the_words_of_all_files(self):
        with tempfile.TemporaryDirectory() as tmp:
            files, text = [], ""
            for i, lines in enumerate((20000, 3000, 0, 1)):  # one is empty
                content = "".join(web_log(lines))
                files.append(pathlib.Path(tmp, f"access.log.{i}"))
                files[-1].write_text(content)
                text += content + "\n"
            # A word longer than what one task takes.
            files.append(pathlib.Path(tmp, "long"))
            files[-1].write_text("x" * 200_000)
            counts = collections.Counter(re.findall(r'[^\s"\[\]]+', text) + ["x" * 200_000])
            top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:25]
            self.gives(f"{counts.total()} words, {len(counts)} different\n" +
                       "".join(f"{count:8} {word}\n" for word, count in top),
                       "word_count", "-n", 25, *files)

    def test_life_moves_a_glider_and_ends_the_r_pentomino_as_everybody_knows(self):
        glider = ".O.\n..O\nOOO\n"
        # 4 generations move it by one cell each way; 4 * 64 bring it round the torus.
        for generations in (4, 256, 1004):
            self.gives("5 cells live\n" + glider, "life", 64, generations, stdin=glider.encode())
        # A line longer than any buffer of a usual size: 70 times round the torus.
        far = "".join("." * 64 * 70 + line + "\n" for line in glider.splitlines())
        self.gives("5 cells live\n" + glider, "life", 64, 4, stdin=far.encode())
        out = self.run_example("life", 640, 1103, workers=2, stdin=b".OO\nOO.\n.O.\n")
        self.assertTrue(out.startswith(b"116 cells live\n"), out[:40])

    def test_life_agrees_with_a_plain_one(self):
        size, generations = 64, 50
        choose = random.Random(SEED)
        cells = {(r, c) for r in range(size) for c in range(size) if choose.random() < 0.3}
        lines = ["".join("O" if (r, c) in cells else "." for c in range(size)) for r in range(size)]
        # The pattern is put into the middle, so the torus is turned by half its side.
        cells = {((r + size // 2) % size, (c + size // 2) % size) for r, c in cells}
        for _ in range(generations):
            around = collections.Counter(
                ((r + dr) % size, (c + dc) % size) for r, c in cells
                for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)
            cells = {at for at, n in around.items() if n == 3 or (n == 2 and at in cells)}
        rows, columns = sorted({r for r, _ in cells}), sorted({c for _, c in cells})
        board = "".join("".join("O" if (r, c) in cells else "."
                                for c in range(columns[0], columns[-1] + 1)) + "\n"
                        for r in range(rows[0], rows[-1] + 1))
        self.gives(f"{len(cells)} cells live\n{board}", "life", size, generations,
                   stdin="\n".join(lines).encode())

    def test_pipeline_prints_each_line_with_its_crc_in_order(self):
        text = "".join(web_log(1000)) + "\n\nno line end"
        lines = text.split("\n")
        self.gives("".join(f"{zlib.crc32(line.encode()):08x} {line}\n" for line in lines),
                   "pipeline", stdin=text.encode())

    def test_cholesky_is_exact_where_the_factor_is_known(self):
        for blocks, side in ((1, 5), (2, 1), (7, 11), (12, 16)):
            for workers in WORKERS:
                with self.subTest(blocks=blocks, side=side, workers=workers):
                    out = self.run_example("cholesky", blocks, side, workers=workers)
                    self.assertRegex(out.decode(), r"^known factor: exact\n"
                                                   r"random matrix: right \(\d+e[-+]\d+\)\n$")

    def test_strict_priority_runs_what_is_most_urgent_first(self):
        choose = random.Random(SEED)
        jobs = [(choose.randrange(4), choose.randrange(5), f"j{i}") for i in range(200)]
        for i in choose.sample(range(1, 200), 60):
            if jobs[i - 1][1] > 0:
                jobs[i] = (*jobs[i][:2], f"+{i}")
        waiting = [[], [], [], []]
        for i, (urgency, _, name) in enumerate(jobs):
            if name[0] != "+":
                waiting[urgency].append(i)
        done, ends = [0] * 200, []
        while any(waiting):
            queue = next(q for q in waiting if q)
            i = queue.pop(0)
            if done[i] == jobs[i][1]:
                ends.append(jobs[i][2])
                continue
            if done[i] == 0 and i + 1 < 200 and jobs[i + 1][2][0] == "+":
                waiting[jobs[i + 1][0]].append(i + 1)
            done[i] += 1
            queue.append(i)
        self.assertEqual(len(ends), 200)
        self.gives("".join(f"{name}\n" for name in ends), "strict_priority",
                   stdin="".join(f"{u} {s} {n}\n" for u, s, n in jobs).encode())

    def test_deadlines_runs_what_is_due_first(self):
        choose = random.Random(SEED)
        jobs, comes = [], 0
        for i in range(200):
            comes += choose.choice((0, 0, 1, 3, 20))
            ticks = choose.randrange(1, 9)
            jobs.append((comes, ticks, comes + choose.randrange(1, 40), f"j{i}"))
        now, come, ready, left, lines = 0, 0, [], [j[1] for j in jobs], []
        rank = 0  # equal deadlines: in the order in which they came to the pool
        while come < len(jobs) or ready:
            if not ready and jobs[come][0] > now:
                now = jobs[come][0]
            while come < len(jobs) and jobs[come][0] <= now:
                ready.append((jobs[come][2], rank, come))
                come, rank = come + 1, rank + 1
            ready.sort()
            due, _, i = ready.pop(0)
            now += 1
            left[i] -= 1
            if left[i] > 0:
                ready.append((due, rank, i))
                rank += 1
            else:
                late = f" late by {now - due}" if now > due else ""
                lines.append(f"{now} {jobs[i][3]}{late}\n")
        self.assertTrue(any("late" in line for line in lines))
        self.gives("".join(lines), "deadlines",
                   stdin="".join(f"{c} {t} {d} {n}\n" for c, t, d, n in jobs).encode())

    def test_private_pools_loses_no_money_and_steals_nothing(self):
        self.gives("100000 in 1000 accounts\nsome transfers were made\n0 tasks stolen\n",
                   "private_pools", 1000, 20000)
        self.gives("50000000 in 500000 accounts\nall transfers were made\n0 tasks stolen\n",
                   "private_pools", 500000, 1000)

    def test_tied_tasks_begin_only_where_they_may(self):
        fibonacci = [0, 1]
        for _ in range(25):
            fibonacci.append(fibonacci[-1] + fibonacci[-2])
        for n in (1, 2, 18):
            self.gives(f"fib({n}) = {fibonacci[n]}\n"
                       f"{2 * fibonacci[n + 1] - 1} tasks, 0 where they may not begin\n",
                       "tied_tasks", n)

    def test_shared_pool_finds_the_longest_way(self):
        # https://oeis.org/A006877 and A006878.
        for limit, best in ((2, (1, 0)), (28, (27, 111)), (100000, (77031, 350)),
                            (1000000, (837799, 524))):
            self.gives(f"{best[0]} takes {best[1]} steps\n", "shared_pool", limit)

    def test_quicksort_sorts(self):
        choose = random.Random(SEED)
        inputs = {
            "random": [choose.randrange(-2**63, 2**63) for _ in range(50000)],
            "many equal": [choose.randrange(3) for _ in range(50000)],
            "sorted": list(range(50000)),
            "reversed": list(range(50000, 0, -1)),
            "all equal": [7] * 50000,
            "one": [-1],
            "none": [],
        }
        for name, numbers in inputs.items():
            with self.subTest(name):
                self.gives("".join(f"{n}\n" for n in sorted(numbers)), "quicksort",
                           stdin="".join(f"{n}\n" for n in numbers).encode())

    def test_graph_search_finds_a_shortest_way(self):
        # The two boards that are farthest from the goal, by what is known of this puzzle.
        for first, moves in (("867254301", 31), ("647850321", 31), ("123456708", 1),
                             ("123456780", 0)):
            for workers in WORKERS:
                with self.subTest(first=first, workers=workers):
                    out = self.run_example("graph_search", first, workers=workers).decode()
                    said, *way = out.splitlines()
                    self.assertEqual((said, len(way)), (f"{moves} moves", moves + 1))
                    self.assertEqual((way[0], way[-1]), (first, "123456780"))
                    for a, b in zip(way, way[1:]):
                        self.assertTrue(one_move(a, b), f"{a} to {b}")
        # Half of all boards cannot be reached.
        self.gives("no way: 181440 boards can be reached\n", "graph_search", "213456780")

    def test_the_echo_server_serves_many_at_once_and_ends_when_told(self):
        for workers in WORKERS:
            with self.subTest(workers=workers):
                self.echo(workers)

    def echo(self, workers):
        server = subprocess.Popen([PROGRAMS / "echo_server"], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.PIPE, env=environment(workers))
        try:
            port = int(server.stdout.readline().split()[1])
            clients = [socket.create_connection(("127.0.0.1", port), timeout=30)
                       for _ in range(100)]
            sent = 0
            # All are open at the same time and take turns: no connection waits for another's end.
            for turn in range(3):
                for i, client in enumerate(clients):
                    client.sendall(f"turn {turn} of {i}\n".encode())
                for i, client in enumerate(clients):
                    expected = f"turn {turn} of {i}\n".encode()
                    self.assertEqual(client.recv(len(expected), socket.MSG_WAITALL), expected)
                    sent += len(expected)
            # More than the kernel's buffers hold: the server has to wait until it can write.
            large = random.Random(SEED).randbytes(8 << 20)
            sender = threading.Thread(target=clients[0].sendall, args=(large,))
            sender.start()
            with clients[0].makefile("rb") as back:
                self.assertEqual(back.read(len(large)), large)
            sender.join()
            sent += len(large)
            server.send_signal(signal.SIGTERM)  # while all are open
            for client in clients:
                client.close()
            out, err = server.communicate(timeout=30)
            self.assertEqual((server.returncode, err, out),
                             (0, "", f"100 connections, {sent} bytes\n"))
        finally:
            if server.poll() is None:
                server.kill()
                server.communicate()

    def refused(self, name, *arguments, stdin=""):
        return subprocess.run([PROGRAMS / name, *arguments], input=stdin, capture_output=True,
                              text=True)

    def test_bad_arguments_get_a_usage_line(self):
        for name, *arguments in (("word_count",), ("life", "63", "1"), ("cholesky", "0", "4"),
                                 ("graph_search", "123456788")):
            done = self.refused(name, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), name)
            self.assertTrue(done.stderr.startswith(f"usage: {name}"), done.stderr)
        done = self.refused("quicksort", stdin="1\n2x\n")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "quicksort: line 2: Invalid argument\n"))
        done = self.refused("word_count", "/no/such/file")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "word_count: /no/such/file: No such file or directory\n"))

    def test_a_number_that_is_none_or_too_large_is_refused(self):
        for name, *arguments in (("word_count", "-n", "abc", "/dev/null"), ("word_count", "-n", "-1", "/dev/null"),
                                 ("life", "64", "abc"), ("life", "64x", "1"), ("life", "64", "-1"), ("life", "64", ""),
                                 ("cholesky", "2x", "3"), ("cholesky", "2", " 3"), ("cholesky", "2", "1001"),
                                 ("private_pools", "4294967297", "10"), ("private_pools", "-1", "0"),
                                 ("private_pools", "0", "10"), ("private_pools", "10", "abc"),
                                 ("private_pools", "10", "10", "10"), ("tied_tasks", "abc"), ("tied_tasks", "41"),
                                 ("tied_tasks", "18446744073709551617"), ("shared_pool", "10x"), ("shared_pool", "1"),
                                 ("echo_server", "70000"), ("echo_server", "80x"), ("echo_server", ""),
                                 ("echo_server", "-1"), ("echo_server", "1", "2")):
            with self.subTest(name=name, arguments=arguments):
                done = subprocess.run([PROGRAMS / name, *arguments], capture_output=True, text=True, timeout=10)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(f"usage: {name}"), done.stderr)

    def test_an_input_that_cannot_be_read_is_no_empty_one(self):
        for name, *arguments in (("pipeline",), ("quicksort",), ("deadlines",), ("strict_priority",),
                                 ("life", "64", "1")):
            with self.subTest(name=name), open("/dev/null") as null:
                directory = os.open("/", os.O_RDONLY)
                try:
                    done = subprocess.run([PROGRAMS / name, *arguments], stdin=directory, stdout=null,
                                          stderr=subprocess.PIPE, text=True, timeout=50)
                finally:
                    os.close(directory)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith(f"{name}: "), done.stderr)

    def test_an_output_that_cannot_be_written_is_told(self):
        for name, arguments, stdin in (
                ("pipeline", (), "a line\n"), ("quicksort", (), "1\n"), ("deadlines", (), "1 2 3 a\n"),
                ("strict_priority", (), "1 0 a\n"), ("life", ("64", "1"), "OOO\n"),
                ("word_count", ("/etc/passwd",), ""), ("cholesky", ("2", "2"), ""),
                ("graph_search", ("123456708",), ""), ("echo_server", (), ""),
                ("private_pools", ("10", "10"), ""), ("shared_pool", ("10",), ""), ("tied_tasks", ("5",), "")):
            with self.subTest(name=name), open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAMS / name, *arguments], input=stdin, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=50)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith(f"{name}: "), done.stderr)

    def test_a_line_of_any_bytes_is_printed_whole(self):
        lines = (b"\0", b"a\0b", b"\xff\r")
        out = self.run_example("pipeline", workers=2, stdin=b"".join(line + b"\n" for line in lines))
        self.assertEqual(out, b"".join(b"%08x %b\n" % (zlib.crc32(line), line) for line in lines))

    def test_what_is_not_a_regular_file_is_not_counted(self):
        for name in ("/dev/stdin", "/proc/self/status", "/"):  # a pipe; regular but for its size
            done = self.refused("word_count", name, stdin="a word\n")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (1, "", f"word_count: {name}: not a regular file that can be mapped\n"))

    def test_a_job_that_cannot_be_read_is_shown_and_none_is_run(self):
        for name, good, bad in (
                ("deadlines", "1 2 3 a", ("x", "1 2 3", "1 2 3 b c", "1 0 3 b", "1 -2 3 b", "0 2 3 b")),
                ("strict_priority", "1 0 a", ("x", "1 2", "1 2 b c", "4 1 b", "1 -2 b", "1 1 +b"))):
            for last in (*bad, good + "a" * 31):
                with self.subTest(name=name, line=last):
                    done = self.refused(name, stdin=f"{good}\n{last}\n{good}\n")
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertRegex(done.stderr, rf"^{name}: line 2 is '{re.escape(last)}': .* accepted")
            self.assertEqual(self.refused(name, stdin=f"{good}\n" * 1000).returncode, 0)
            done = self.refused(name, stdin=f"{good}\n" * 1001)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (1, "", f"{name}: line 1001 is '{good}': "
                                     "no more than 1000 jobs are accepted\n"))


if __name__ == "__main__":
    unittest.main()
