#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a repository of policies by OPA and by belay, and prints what differs.

Usage: compare.py [--v0] [--skip STEP,...] DIR OPA BELAY

Steps: check, test, coverage, parse, fmt.  A folder that does not compile as a whole in OPA is
taken apart: each folder with tests in it is a suite of its own.  Ends with one line for each
step, "STEP: N the same of M", and status 1 when anything differs.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

SECONDS = 600  # of one command
SHOWN = 12  # differences of a step


def run(command):
    """Its status, output and errors; status None: it took too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def read_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


class Step:
    """Counts what was compared, and keeps the first differences."""

    def __init__(self, name):
        self.name = name
        self.same = 0
        self.all = 0
        self.differences = []

    def compare(self, what, opa, belay):
        self.all += 1
        if opa == belay:
            self.same += 1
        else:
            self.differences.append((what, opa, belay))

    def report(self):
        for what, opa, belay in self.differences[:SHOWN]:
            print(f"{self.name}: {what}")
            print(f"  opa    {show(opa)}")
            print(f"  belay  {show(belay)}")
        if len(self.differences) > SHOWN:
            print(f"{self.name}: {len(self.differences) - SHOWN} further differences")


def show(value):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) < 400 else text[:400] + "..."


class Comparison:
    def __init__(self, options):
        self.opa = options.opa
        self.belay = options.belay
        self.flags = ["--v0-compatible"] if options.v0 else []
        self.root = options.dir
        skipped = options.skip.split(",") if options.skip else []
        self.steps = {name: Step(name)
                      for name in ("check", "test", "coverage", "parse", "fmt")
                      if name not in skipped}

    def both(self, command, arguments):
        flags = self.flags if command != "parse" or self.flags else []
        return (run([self.opa, command, *flags, *arguments]),
                run([self.belay, "rego", command, *flags, *arguments]))

    # ---- whole suites

    def check(self, suite):
        """Compares the errors; does OPA compile it?"""
        (status, out, err), (own, own_out, _) = self.both(
            "check", ["--max-errors", "0", "--format", "json", suite])
        if "check" in self.steps:
            self.steps["check"].compare(
                suite, [status == 0, errors_of(err or out)], [own == 0, errors_of(own_out)])
        return status == 0

    def test(self, suite):
        (_, out, err), (_, own_out, own_err) = self.both(
            "test", ["--format", "json", "--timeout", "60s", suite])
        opa, belay = tests_of(out), tests_of(own_out)
        step = self.steps["test"]
        if opa is None or belay is None:
            if opa is not belay:
                step.compare(suite, err[-300:] or "tests", own_err[-300:] or "tests")
            return
        for name in sorted(set(opa) | set(belay)):
            step.compare(name, opa.get(name, "no such test"), belay.get(name, "no such test"))

    def coverage(self, suite):
        (_, out, _), (_, own_out, _) = self.both(
            "test", ["--coverage", "--format", "json", "--timeout", "60s", suite])
        opa, belay = read_json(out), read_json(own_out)
        if not isinstance(opa, dict) or not isinstance(belay, dict):
            return
        step = self.steps["coverage"]
        files = sorted(set(opa.get("files", {})) | set(belay.get("files", {})))
        for name in files:
            step.compare(name, rows_of(opa, name), rows_of(belay, name))

    # ---- single files

    def parse(self, file):
        (status, out, _), (own, own_out, _) = self.both("parse", ["--format", "json", file])
        if status is not None:
            self.steps["parse"].compare(file, [status, read_json(out) if not status else None],
                                        [own, read_json(own_out) if not own else None])

    def fmt(self, file):
        (status, out, _), (own, own_out, _) = self.both("fmt", [file])
        if status is not None:
            self.steps["fmt"].compare(file, [status != 0, out if not status else ""],
                                      [own != 0, own_out if not own else ""])

    def run(self):
        files = sorted(find(self.root, ".rego"))
        suites = [self.root]
        if not self.check(self.root):
            suites = sorted({os.path.dirname(name) for name in find(self.root, "_test.rego")})
            suites = [suite for suite in suites if self.check(suite)]
        for name in ("test", "coverage"):
            if name in self.steps:
                for suite in suites:
                    getattr(self, name)(suite)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name in ("parse", "fmt"):
                if name in self.steps:
                    list(pool.map(getattr(self, name), files))
        for step in self.steps.values():
            step.report()
        for step in self.steps.values():
            print(f"{step.name}: {step.same} the same of {step.all}")
        return all(step.same == step.all for step in self.steps.values())


def find(root, ending):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            if name.endswith(ending):
                yield os.path.join(folder, name)


def errors_of(text):
    """Each error as place, code and the first line of its message."""
    found = read_json(text) or {}
    shown = []
    for error in found.get("errors") or []:
        place = error.get("location") or {}
        message = error["message"].split("\n")[0]
        shown.append([place.get("file", ""), place.get("row", 0), error.get("code"), message])
    return sorted(shown, key=str)


def tests_of(text):
    """Of each test, by place and name: what came of it and of its cases."""
    found = read_json(text)
    if not isinstance(found, list):
        return None
    tests = {}
    for test in found:
        place = test["location"]
        name = f"{place['file']}:{place['row']}: {test['package']}.{test['name']}"
        error = test.get("error")
        outcome = ("skip" if test.get("skip") else "fail" if test.get("fail")
                   else "error" if error else "pass")
        tests[name] = [outcome, test.get("output", ""), test.get("sub_results") or {}]
    return tests


def rows_of(report, name):
    """The counts of a file, and its rows that are covered, and that are not."""
    file = report.get("files", {}).get(name)
    if file is None:
        return "no such file"
    rows = {}
    for kind in ("covered", "not_covered"):
        rows[kind] = sorted({row for part in file.get(kind, [])
                             for row in range(part["start"]["row"], part["end"]["row"] + 1)})
    return [file.get("covered_lines", 0), file.get("not_covered_lines", 0), rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--v0", action="store_true", help="policies from before Rego v1")
    parser.add_argument("--skip", default="", help="steps to leave out, with commas between")
    parser.add_argument("dir")
    parser.add_argument("opa")
    parser.add_argument("belay")
    sys.exit(0 if Comparison(parser.parse_args()).run() else 1)


if __name__ == "__main__":
    main()
