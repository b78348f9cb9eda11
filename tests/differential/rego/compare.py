#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of eval (ours) and main.go (OPA), line by line.

Usage: compare.py CASES OURS OPA; exits 1 and shows the first differences.
Each may refuse for the first reason it meets; unused names are an error of
OPA's v1 without being strict.
"""
import json
import sys


def normal(text):
    try:
        return json.loads(text)
    except ValueError:
        return text.split(":")[0]


def main():
    cases, ours, theirs = (open(name).read().splitlines()
                           for name in sys.argv[1:4])
    same = refused = 0
    bad = []
    for case, a, b in zip(cases, ours, theirs):
        b = json.loads(b)
        if a.startswith("refused") and b.startswith("refused") or \
                " unused" in b:
            refused += 1
        elif normal(a) == normal(b):
            same += 1
        else:
            bad.append((case, a, b))
    for case, a, b in bad[:int(sys.argv[4]) if len(sys.argv) > 4 else 10]:
        print(json.loads(case)["module"] + "# input: " +
              json.dumps(json.loads(case)["input"]))
        print("# ours:", a)
        print("# OPA: ", b, "\n")
    print("%d same, %d refused by both, %d differ" %
          (same, refused, len(bad)))
    return bool(bad)


sys.exit(main())
