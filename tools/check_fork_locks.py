#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a child of fork() may find a lock held that lives as long as the process.

A thread that is not in the child may have held it (docs/design/0008-life-cycle.md). Such a lock, or what has one
among its members, stands outside of functions or is `static`. The file has to make it anew, by
`std::construct_at(&lock)` (of an array, for each of it) or `new (&lock)`, in a function that the child calls; or
who forks has it, by a handler of pthread_atfork (front/qthreads/src/fork_handlers.hpp) that calls its lock() or
hold().

The guard of what is `static` in a function and made at its first use may be held alike, and nobody makes that
anew. So such a variable begins with no call, `new` or lambda, unless it is `constexpr` or `constinit`.
usage: check_fork_locks.py [ROOT]
"""
import re

import project

LOCK = r"std::\w*mutex|spin_lock"
CLASS = re.compile(r"\b(?:class|struct|union)\s+(?:alignas\(\w+\)\s+)?(\w+)(?!\w|\s*[,>=])[^;{}()]*\{")
FUNCTION = re.compile(r"\b(?!(?:if|for|while|switch|catch)\b)(\w+)\([^;{}]*\)[\w\s]*\{")
HANDLERS = re.compile(r"\b(?:pthread_atfork\(|fork_handlers<)([^;{}]*?)(?:\)|>\s*\w+;)")
CALL = re.compile(r"(?<![\w.:>])(\w+)\(")
GUARDED = re.compile(r"^ +static (?![^;=({]*\bconst(?:expr|init)\b)"
                     r"[^;=({}]*?(\w+)(?:\[\w*\])*(?: = |\{)([^;]*)", re.M)
CAST = re.compile(r"\b(?:(?:static|reinterpret|const)_cast<[^()]*>|sizeof|alignof)\(")
MADE = re.compile(r"[\w>]\(|\bnew\b|\](?:\(| *\{)")
COMMENT = re.compile(r"//[^\n]*")


def body(text, at):
    """What stands in the braces that open before `at`."""
    depth, end = 1, at
    while depth and end < len(text):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[at:end]


def variable(types):
    """Of one of these types: its words, type and name."""
    return (r"((?:(?:inline|static|constinit|mutable|alignas\(\w+\)) )*)"
            rf"(?:(?:weft|qt|rt)::)*({types})\b(?:<[^;]*?>)? (\w+)(?=[;{{\[]| =)")


class locks:
    """The types that have a lock, themselves or in a member, as a file sees them."""

    def __init__(self, texts):
        self.bodies = {}
        for path, text in texts.items():
            for m in CLASS.finditer(text):
                self.bodies.setdefault((path, m.group(1)), []).append(body(text, m.end()))
        self.have = set()
        while found := {of for of, texts in self.bodies.items() if of not in self.have and self.has(of[0], texts)}:
            self.have |= found

    def has(self, path, texts):
        member = re.compile(r"^\s+" + variable(self.types(path)), re.M)
        return any("static" not in m.group(1) for text in texts for m in member.finditer(text))

    def types(self, path):
        here = {name for where, name in self.bodies if where == path}
        seen = {name for where, name in self.have
                if where == path or (where.suffix == ".hpp" and name not in here)}
        return "|".join([LOCK, *sorted(seen)])


def functions_of_forks(texts):
    """What is called before a fork(), with what it calls: (file, body). What another file has is not followed on."""
    bodies = {}
    for path, text in texts.items():
        for m in FUNCTION.finditer(text):
            bodies.setdefault(m.group(1), {}).setdefault(path, []).append(body(text, m.end()))
    found = []
    for path, text in texts.items():
        left = {name for m in HANDLERS.finditer(text) for name in re.findall(r"\w+", m.group(1).split(",")[0])}
        seen = set()
        while left:
            name = left.pop()
            seen.add(name)
            defined = bodies.get(name, {})
            for where in [path] if path in defined else defined:
                found += [(where, code) for code in defined[where]]
            left |= {called for code in defined.get(path, ()) for called in CALL.findall(code)} - seen
    return found


def variables(text, types):
    """What lives as long as the process: its place in the text, its name, how it is named where it is made anew."""
    for m in re.finditer(r"^( *)" + variable(types), text, re.M):
        if not m.group(1) or "static" in m.group(2):
            yield m.start(4), m.group(4), rf"&{m.group(4)}\)"
    for m in re.finditer(rf"\bstatic [^;=]*?(\w+) = new \(\w+\) ({types})\b", text):
        yield m.start(1), m.group(1), rf"&\w+\(\)\) {m.group(2)}\b"


def main():
    top = project.root()
    texts = {p: COMMENT.sub("", p.read_text(encoding="utf-8"))
             for p in project.files(top, "src", "front", suffixes=project.C_LIKE)}
    with_lock = locks(texts)
    by_forks = functions_of_forks(texts)
    shared = {name for text in texts.values() for name in re.findall(r"^extern [^;]*?(\w+);", text, re.M)}
    bad = []
    for path, text in texts.items():
        for at, lock, place in variables(text, with_lock.types(path)):
            anew = (re.search(rf"(construct_at\(|new \(){place}", text)
                    or re.search(rf"for \([^;:]*\b(\w+) : {lock}\)\s*std::construct_at\(&\1\)", text))
            held = any(re.search(rf"\b{lock}\.(\w+\.)?(lock|hold)\(", code)
                       for where, code in by_forks if where == path or lock in shared)
            if not anew and not held:
                line = text.count("\n", 0, at) + 1
                bad.append(f"{path.relative_to(top)}:{line}: `{lock}` is not made anew in a child of fork()")
        for m in GUARDED.finditer(text):
            if MADE.search(CAST.sub("(", m.group(2))):
                line = text.count("\n", 0, m.start(1)) + 1
                bad.append(f"{path.relative_to(top)}:{line}: "
                           f"a child of fork() may find the guard of `{m.group(1)}` held")
    project.finish(bad)


main()
