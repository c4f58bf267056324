#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says first of a wrong use of the C++ headers is one sentence of ours.

usage: misuse_test.py INCLUDE_DIRECTORY COMPILER
"""
import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv.pop(), sys.argv.pop()


def errors(text, standard):
    """The lines of errors of a program that must not compile."""
    done = subprocess.run([COMPILER, f"-std={standard}", "-fsyntax-only", "-I", INCLUDE, "-xc++", "-"],
                          input=text, capture_output=True, text=True)
    assert done.returncode != 0, text
    return [line for line in done.stderr.splitlines() if ": error: " in line]


class misuse(unittest.TestCase):
    def test_an_older_language_is_named_once(self):
        for header in ("weft", "par", "coroutine", "execution"):
            with self.subTest(header):
                said = errors(f"#include <weft/{header}.hpp>\n", "c++17")
                self.assertEqual(len(said), 1, said)
                self.assertIn("need C++20: compile with -std=c++20", said[0])

    def test_a_wrong_call_is_named_first(self):
        for sentence, call in (
                ("group::spawn: it can be called neither", "weft::group().spawn([](int) {});"),
                ("spawn_detached: it cannot be called", "weft::spawn_detached([](int) {});"),
                ("async: it cannot be called", "(void)weft::async([](int& m) { m = 1; }, n);"),
                ("then: it cannot be called", "(void)weft::async([] { return 1; }).then([](char*) {});"),
                ("then: it cannot be called", "(void)weft::async([] {}).then([](int) {});"),
                ("fork_join: the first cannot", "weft::fork_join([](int) {}, [] {});"),
                ("fork_join: the second cannot", "(void)weft::fork_join([] { return 1; }, n);"),
                ("scoped_fork: it cannot", "weft::scoped_fork f([](int) {});"),
                ("scoped_fork: it cannot", "weft::scoped_fork f(n); (void)f.join();"),
                ("invoke_all: one cannot", "weft::invoke_all([] {}, [](int) {}, [] {});"),
                ("invoke_all: one cannot", "weft::invoke_all([] {}, [] {}, n);"),
                ("begin and end are of two types", "weft::par::loop(0, 10L, 2, [](int) {});")):
            with self.subTest(call):
                said = errors(f"#include <weft/weft.hpp>\nvoid wrong(int n) {{ (void)n; {call} }}\n", "c++20")
                self.assertIn(sentence, said[0])

    def test_wrong_calls_of_spawn_and_loop_are_named(self):
        said = errors('''
            #include <weft/weft.hpp>
            void wrong(int n) {
              weft::spawn(n).join();
              weft::spawn([](int) {}).join();
              weft::spawn([](int& m) { m = 1; }, n).join();
              weft::spawn({.stackless = true}, [](int) {}, "a word").join();
            }
            void also_wrong() { weft::par::loop(0, 10L, [](int) {}); }
            ''', "c++20")
        for sentence, times in (("std::ref(x) passes x itself", 4), ("begin and end are of two types", 1)):
            self.assertEqual(sum(sentence in line for line in said), times, said)
        self.assertIn("static assertion failed", said[0])


unittest.main()
