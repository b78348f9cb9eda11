#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers of belay beside Python's decimal and int.

Usage: compare.py BELAY_TOOLS [COUNT [SEED]]

COUNT (100000) seeded numbers of all spellings go through belay rego eval as
one JSON document: what comes back must be spelled as it was, sorting must go
by exact value, equality too, and sums, differences, products and remainders
of whole numbers must be exact.  Ends with 1 at a difference.
"""
import json
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

QUERY = """{
    "same": [x | x := input.numbers[_]],
    "sorted": sort(input.numbers),
    "equal": [x | p := input.pairs[_]; x := p[0] == p[1]],
    "less": [x | p := input.pairs[_]; x := p[0] < p[1]],
    "plus": [x | p := input.whole[_]; x := p[0] + p[1]],
    "minus": [x | p := input.whole[_]; x := p[0] - p[1]],
    "times": [x | p := input.whole[_]; x := p[0] * p[1]],
    "remainder": [x | p := input.whole[_]; x := p[0] % p[1]],
}"""


def digits(r, count):
    text = "".join(r.choice("0123456789") for _ in range(count))
    return text.lstrip("0") or "0"


def spelling(r):
    """A number in JSON's grammar; short ones are more usual."""
    text = digits(r, r.choice([1, 1, 2, 3, 5, 9, 17, 18, 19, 20, 40]))
    if r.random() < 0.5:
        text += "." + "".join(r.choice("0012345678900")
                              for _ in range(r.choice([1, 1, 2, 3, 8, 17,
                                                       30])))
    if r.random() < 0.3:
        text += r.choice("eE") + r.choice(["", "+", "-"]) + str(
            r.choice([0, 1, 2, 7, 20, 300, 308, 324, 5000]))
    return ("-" if r.random() < 0.4 else "") + text


def respelled(r, text):
    """The same value, or nearly, in another spelling."""
    sign, all_, exponent = Decimal(text).as_tuple()
    value = "".join(map(str, all_)) + "0" * r.randrange(4)
    exponent -= len(value) - len(all_)
    if r.random() < 0.3:
        value = str(int(value) + r.choice([-1, 1]))
    if value.startswith("-"):
        value, sign = value[1:], 1 - sign
    return "%s%se%d" % ("-" if sign else "", value.lstrip("0") or "0",
                        exponent)


def remainder(a, b):
    return (abs(a) % abs(b)) * (-1 if a < 0 else 1)


def whole(r):
    value = r.getrandbits(r.choice([1, 8, 31, 32, 62, 63, 64, 65, 127, 300]))
    return value * r.choice([-1, 1])


def document(numbers, pairs, wholes):
    def two(list_):
        return ",".join("[%s,%s]" % pair for pair in list_)
    return '{"numbers":[%s],"pairs":[%s],"whole":[%s]}' % (
        ",".join(numbers), two(pairs), two(wholes))


def evaluate(tools, text):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        out = subprocess.run([tools, "rego", "eval", "-i", file.name,
                              "--format", "raw", QUERY],
                             stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(out.stdout, parse_int=str, parse_float=str)


def check(name, got, expected, shown):
    if len(got) != len(expected):
        sys.exit("%s: %d answers of %d" % (name, len(got), len(expected)))
    for i, (a, b) in enumerate(zip(got, expected)):
        if a != b:
            sys.exit("%s: %s: %s, and not %s" % (name, shown[i], a, b))


def main():
    tools = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    sys.set_int_max_str_digits(0)
    r = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    numbers = [spelling(r) for _ in range(count)]
    pairs = [(a, respelled(r, a)) for a in numbers]
    wholes = [(whole(r), whole(r) or 1) for _ in range(count)]
    got = evaluate(tools, document(numbers, pairs, wholes))
    check("spelling", got["same"], numbers, numbers)
    check("order", [Decimal(n) for n in got["sorted"]],
          sorted(Decimal(n) for n in numbers), range(count))
    exact = [(Decimal(a), Decimal(b)) for a, b in pairs]
    check("==", got["equal"], [a == b for a, b in exact], pairs)
    check("<", got["less"], [a < b for a, b in exact], pairs)
    for name, of in [("plus", lambda a, b: a + b),
                     ("minus", lambda a, b: a - b),
                     ("times", lambda a, b: a * b),
                     ("remainder", remainder)]:
        check(name, [Decimal(n) for n in got[name]],
              [Decimal(of(a, b)) for a, b in wholes], wholes)
    print("%d numbers, no difference (%d equal pairs, %d less)" % (
        count, sum(got["equal"]), sum(got["less"])))


main()
