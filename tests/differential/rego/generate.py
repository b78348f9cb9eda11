#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random Rego policies, the same for the same seed.

Usage: generate.py SEED COUNT  -> one JSON line each: {"module", "other", "input"}
       generate.py SEED COUNT queries  -> with a "query", often of wrong types
"""
import json
import random
import sys

BUILTINS = ["count(%s)", "sum([%s])", "to_number(%s)", "concat(\",\", [%s])",
            "sort(%s)", "object.get(%s, \"a\", 0)", "is_array(%s)",
            "abs(%s)", "lower(%s)", "max(%s)", "split(%s, \"a\")",
            "object.keys(%s)", "json.marshal(%s)", "array.concat(%s, [1])"]


# A second package: types that other rules refer to.
OTHER = """package q
s contains x if some x in input.b
o[k] := v if some k, v in input.y
c := {"a": 1, "b": ["x"]}
h(x) := x
default d := {}
d := input.a if input.a.x
t.a.b := 1
t.x[input.a] := "a"
"""


# Rules of every kind and type, which queries ask for.
TYPED = """package p
import data.q
f(x) := [x] if x != 1
f(x) := "one" if x == 1
g(x) := x.a if x.a
plus1(n) := n + 1
join(xs, s) := concat(s, xs)
n := 1
s := "text"
o := {"a": 1, "b": "x", "y": {"a": [true]}}
l := [1, "a", {"b": 2}]
names contains x if some x in ["a", "b"]
by[k] := v if some k, v in {"x": 1, "y": 2}
deep[k].a := "z" if some k in ["x", "y"]
either := 1 if input.a
either := "b" if not input.a
of_q := q.c
u := input.x
default e := {}
same[x] := x if some x in [1, 2]
"""


class Gen:
    # What a name of the package is called, and what calls may call.
    prefix = ""
    functions = ["f", "g"]

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.vars = []
        self.fresh = 0
        self.rules = []

    def scalar(self):
        return self.r.choice(["0", "1", "2", "-1", "1.5", '"a"', '"b"', '""',
                              "true", "false", "null"])

    def json(self, depth=2):
        k = self.r.randrange(8)
        if depth == 0 or k < 4:
            return self.r.choice([0, 1, 2, -1, 1.5, "a", "b", "", True, False,
                                  None])
        if k < 6:
            return [self.json(depth - 1) for _ in range(self.r.randrange(4))]
        return {self.r.choice("abcxy"): self.json(depth - 1)
                for _ in range(self.r.randrange(4))}

    def ref(self):
        if self.r.randrange(3):
            return self.any()
        head = self.r.choice(["input", "input", "data.t", "data.q"] +
                             self.vars +
                             [self.prefix + rule for rule in self.rules])
        parts = [".a", ".b", "[0]", "[1]", '["x"]', ".y"]
        if self.vars:
            parts.append("[%s]" % self.r.choice(self.vars))
        return head + "".join(self.r.choice(parts)
                              for _ in range(self.r.randrange(3)))

    def any(self):
        """Something of which the type checker knows nothing."""
        return "input" + self.r.choice([".a", ".b", ".x", ".y", ".a.x", "[_]",
                                        ".b[_]", ".y[0]"])

    def new(self):
        self.fresh += 1
        return "v%d" % self.fresh

    def value(self, depth=2):
        k = self.r.randrange(14)
        if depth == 0 or k < 2:
            return self.scalar()
        if k < 6:
            return self.ref()
        if k == 6:
            return "[%s]" % ", ".join(self.value(depth - 1)
                                      for _ in range(self.r.randrange(3)))
        if k == 7:
            return "{%s}" % ", ".join(self.value(depth - 1) for _ in
                                      range(self.r.randrange(1, 3)))
        if k == 8:
            return "{%s}" % ", ".join(
                '"%s": %s' % (key, self.value(depth - 1))
                for key in self.r.sample("abxy", self.r.randrange(3)))
        if k == 9:
            return self.r.choice(BUILTINS) % self.any()
        if k == 10:
            op = self.r.choice(["+", "-", "*", "/", "%", "&", "|"])
            return "(%s %s %s)" % (self.any(), op, self.any())
        if k == 11:
            return "%s(%s)" % (self.r.choice(self.functions),
                               self.value(depth - 1))
        if k == 12 and self.r.randrange(2):
            return '$"({input.%s}|{%s})"' % (
                self.r.choice("abxy"),
                self.r.choice([self.prefix + "f(1)", "input.a.x", "abs(1)", "input.b[0]",
                               self.r.choice(self.vars or ["1"]), self.any()]))
        return self.comprehension(depth - 1)

    def comprehension(self, depth):
        saved = list(self.vars)
        body = self.body(depth)
        head = self.r.choice(self.vars) if self.vars else self.scalar()
        kind = self.r.randrange(3)
        self.vars = saved
        if kind == 0:
            return "[%s | %s]" % (head, body)
        if kind == 1:
            return "{%s | %s}" % (head, body)
        return '{"k": %s | %s}' % (head, body)

    def literal(self, depth):
        k = self.r.randrange(17)
        if k == 16:
            path, value = self.new(), self.new()
            self.vars += [path, value]
            return "walk(%s, [%s, %s])" % (self.any(), path, value)
        if k < 3:
            value = self.value(depth)
            v = self.new()
            self.vars.append(v)
            return "%s := %s" % (v, value)
        if k < 5:
            domain = self.r.choice([self.any(), self.comprehension(1)])
            v = self.new()
            self.vars.append(v)
            return "some %s in %s" % (v, domain)
        if k == 5:
            domain = self.ref()
            a, b = self.new(), self.new()
            if self.r.randrange(8) == 0:
                self.vars.append(b)
                return "some %s, [%s, _] in %s" % (self.scalar(), b, domain)
            self.vars += [a, b]
            return "some %s, %s in %s" % (a, b, domain)
        if k == 6:
            ref = self.ref()
            v = self.new()
            self.vars.append(v)
            return "%s[%s]" % (ref, v)
        if k == 7:
            return "not " + self.simple(depth)
        if k == 8:
            domain = self.any()
            saved = list(self.vars)
            v = self.new()
            self.vars.append(v)
            out = "every %s in %s { %s }" % (v, domain, self.body(depth - 1))
            self.vars = saved
            return out
        if k == 9:
            value = self.any()
            a, b = self.new(), self.new()
            out = "[%s, %s] = %s" % (a, b, value)
            self.vars += [a, b]
            return out
        if k == 10:
            a = self.new()
            out = '{"a": %s, "b": %s} = {"a": %s, "b": %s}' % (
                a, self.any(), self.any(), self.any())
            self.vars.append(a)
            return out
        if k == 11:
            target = self.r.choice(["input", "input.a", "input.x.y", "data.t",
                                    "count", "data.p.f", "data.q.s", "data.q",
                                    "data.p.g"] +
                                   ["data.p." + rule for rule in self.rules])
            value = self.value(1)
            if target in ["count", "data.p.f"] and self.r.randrange(2):
                value = self.r.choice(["data.q.h", "lower",
                                       self.prefix + "g"])
            return "%s with %s as %s" % (self.simple(depth), target, value)
        if k == 12:
            value = self.value(depth)
            v = self.new()
            self.vars.append(v)
            return "%s = %s" % (v, value)
        return self.simple(depth)

    def simple(self, depth):
        k = self.r.randrange(4)
        if k == 0:
            return self.ref()
        if k == 1 and self.r.randrange(4) == 0:
            return "%s, %s in %s" % (self.value(1), self.value(1),
                                     self.value(depth))
        if k == 1:
            return "%s in %s" % (self.value(1), self.value(depth))
        op = self.r.choice(["==", "!=", "<", "<=", ">", ">="])
        return "%s %s %s" % (self.value(depth), op, self.value(depth))

    def body(self, depth):
        lines = [self.literal(max(depth, 0))
                 for _ in range(self.r.randrange(1, 4))]
        if self.r.randrange(4) == 0:
            self.r.shuffle(lines)
        if self.vars:  # names that nothing uses are refused
            lines.append("[%s] != null" % ", ".join(self.vars))
        return "; ".join(lines)

    def rule(self, name):
        self.vars = []
        body = self.body(2)
        value = self.value(1)
        k = self.r.randrange(8)
        if k == 6:
            key = self.r.choice(self.vars) if self.vars else '"k"'
            return "%s.a[%s].z := %s if { %s }" % (name, key, value, body)
        if k == 7:
            key = self.r.choice(self.vars) if self.vars else '"k"'
            return "%s[%s] contains %s if { %s }" % (name, key, value, body)
        if k == 0:
            return "%s contains %s if { %s }" % (name, value, body)
        if k == 1:
            key = self.r.choice(self.vars) if self.vars else '"k"'
            return "%s[%s] := %s if { %s }" % (name, key, value, body)
        if k == 2:
            self.vars = []
            return "default %s := 0\n%s := %s if { %s } else := %s" % (
                name, name, value, body, self.scalar())
        if k == 3:
            return "%s if { %s }" % (name, body)
        return "%s := %s if { %s }" % (name, value, body)

    def case(self):
        lines = ["package p", "import data.q", "f(x) := [x] if x != 1",
                 'f(x) := "one" if x == 1',
                 'g(x) := x.a if x.a else := [x] if x != 2']
        for name in ["r1", "r2", "r3"]:
            lines.append(self.rule(name))
            self.rules.append(name)
        data = {"module": "\n".join(lines) + "\n", "other": OTHER,
                "input": {k: self.json() for k in "abxy"}}
        return data


class QueryGen(Gen):
    prefix = "data.p."
    functions = ["data.p.f", "data.p.g", "data.p.plus1", "data.q.h",
                 "data.p.join", "upper", "nosuch"]
    wrong = [" + ", " - ", " = ", " == ", " in ", " | "]

    def any(self):
        if self.r.randrange(3) == 0:
            return super().any()
        return "data.p." + self.r.choice(self.rules) + self.r.choice(
            ["", "", ".a", ".b", "[_]", "[1]", ".y.a", '["x"]', ".x.a"])

    def call(self):
        args = [self.value(1) for _ in range(self.r.randrange(4))]
        return "%s(%s)" % (self.r.choice(self.functions +
                                         ["startswith", "count", "sum"]),
                           ", ".join(args))

    def simple(self, depth):
        k = self.r.randrange(8)
        if k == 0:
            return self.call()
        if k == 1:
            return self.value(depth) + self.r.choice(
                self.wrong) + self.value(depth)
        return super().simple(depth)

    def case(self):
        self.rules = ["n", "s", "o", "l", "names", "by", "deep", "either",
                      "of_q", "u", "e", "same", "f"]
        self.vars = []
        query = self.body(2) if self.r.randrange(3) else self.simple(2)
        return {"module": TYPED, "other": OTHER, "query": query,
                "input": {k: self.json() for k in "abxy"}}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    kind = QueryGen if sys.argv[3:] == ["queries"] else Gen
    for i in range(count):
        print(json.dumps(kind(seed * 1000003 + i).case()))


main()
