#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fail when a sentence of docs/guide is not in tests/docs/claims.txt, or what that says of it is gone.

usage: check_claims.py [ROOT]
"""
import claims
import project


def main():
    top = project.root()
    project.finish(list(claims.problems(top)) if (top / claims.TABLE).exists() else [])


main()
