#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when an atomic access does not say what its order is for, or a pair has one end only.

Looks at src and front. An access is a call of weft::rt::atomic (load_acquire, cas_seq_cst, ...) or a fence. Its
comment stands on its line, on a later line of its statement, or directly above:
  ordered or fence   // P2 -> S3      P2 releases to S3      // S3 <- P2      the other end
                     // O1 <> S2      the two fences, or seq_cst accesses, of one Dekker pair
                     // P2 -> S3, S7; O1 <> S2               several at once
  acq_rel            // P2 -> S3; P2 <- S4                    each way one: what needs one only is weaker
  relaxed            // own: | cas: | via: | hint: | init: | count:   and why
The other end of a pair is in the same file, in src/sched and src/mem anywhere in the folder, which
is one protocol. A tag with a prefix (idle_W1) is one for all files. Within the same bounds every pair is
also drawn once, in an indented list under "Orders" at the top of a file:
  //   P2 -> S3   push publishes the slot to a thief
usage: check_orders.py [ROOT]
"""
import re

import orders
import project

TAG = r"\b(?:[a-z]\w*_)?[A-Z]\d+\b"
ARROW = "->|<-|<>"
PAIRS = re.compile(rf"({TAG}) ({ARROW}) ({TAG}(?:, {TAG}(?! (?:{ARROW})))*)")
EXCUSE = re.compile(r"(own|cas|via|hint|init|count):\s*\S")
MIRROR = {"->": "<-", "<-": "->", "<>": "<>"}


def pairs_in(text):
    for here, arrow, others in PAIRS.findall(text):
        for there in others.split(", "):
            yield here, arrow, there


def scope(path, tag):
    """Where the other end may be: None is anywhere."""
    if "_" in tag:
        return None
    return path.parent if path.parent.name in ("sched", "mem") else path


def drawn_in(text):
    """All pairs that are items of an indented list in a comment, both ways round."""
    found = set(pairs_in("\n".join(re.findall(r"^[ \t]*//  +(" + TAG + " .*)$", text, re.M))))
    return found | {(b, MIRROR[arrow], a) for a, arrow, b in found}


def main():
    top = project.root()
    bad, sites, drawn = [], {}, set()
    for path in project.files(top, "src", "front", suffixes=project.C_LIKE):
        text = path.read_text(encoding="utf-8")
        for a, arrow, b in drawn_in(text):
            drawn.add((scope(path, a), a, arrow, b))
        for found in orders.accesses(text):
            where = f"{path.relative_to(top)}:{found.line + 1}"
            excused = found.order == "relaxed" and EXCUSE.match(found.comment)
            pairs = [] if excused else list(pairs_in(found.comment))
            if found.order == "relaxed" and not pairs and not excused:
                bad.append(f"{where}: relaxed, without own:, cas:, via:, hint:, init: or count:")
            if found.order != "relaxed" and not pairs:
                bad.append(f"{where}: {found.operation} has no pair such as P2 -> S3")
            elif found.order == "acq_rel" and not {"->", "<-"} <= {arrow for _, arrow, _ in pairs}:
                bad.append(f"{where}: acq_rel, with a pair one way only: name the other, or weaken it")
            for a, arrow, b in pairs:
                sites.setdefault((scope(path, a), a, arrow, b), where)
    for (place, a, arrow, b), where in sites.items():
        if (place, b, MIRROR[arrow], a) not in sites:
            bad.append(f"{where}: {a} {arrow} {b}, but no access says {b} {MIRROR[arrow]} {a}")
        elif (place, a, arrow, b) not in drawn:
            bad.append(f"{where}: {a} {arrow} {b} is not drawn among the orders at the top")
    project.finish(bad)


main()
