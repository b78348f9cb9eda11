#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of eval (ours) and main.go (OPA), line by line.

Usage: compare.py CASES OURS OPA; exits 1 and shows the first differences.
Each may refuse for the first reason it meets; unused names are an error of
OPA's v1 without being strict.
"""
import json
import re
import sys


def normal(text):
    try:
        found = json.loads(text)
    except ValueError:
        return text.split(":")[0]
    if isinstance(found, list) and all(
            isinstance(one, dict) and set(one) == {"expressions", "bindings"}
            for one in found):  # solutions of a query
        return sorted(json.dumps(one, sort_keys=True) for one in found)
    return found


def is_query_refused(text):
    return text.startswith('"refused')


def is_same_refusal(a, b):
    """Of unsafe names OPA and we name other ones first."""
    return a == b or "unsafe_var" in a and "unsafe_var" in b


def main():
    cases, ours, theirs = (open(name).read().splitlines()
                           for name in sys.argv[1:4])
    same = refused = 0
    bad = []
    for case, a, b in zip(cases, ours, theirs):
        b = re.sub("__localq[0-9]+__", "_", json.loads(b))
        if is_query_refused(a) and is_same_refusal(json.loads(a), b):
            refused += 1
        elif "query" in json.loads(case) and is_query_refused(a):
            bad.append((case, a, b))
        elif a.startswith("refused") and b.startswith("refused") or \
                " unused" in b:
            refused += 1
        elif normal(a) == normal(b):
            same += 1
        else:
            bad.append((case, a, b))
    for case, a, b in bad[:int(sys.argv[4]) if len(sys.argv) > 4 else 10]:
        case = json.loads(case)
        print(case.get("query") or case["module"], "# input: " +
              json.dumps(case["input"]))
        print("# ours:", a)
        print("# OPA: ", b, "\n")
    print("%d same, %d refused by both, %d differ" %
          (same, refused, len(bad)))
    return bool(bad)


sys.exit(main())
