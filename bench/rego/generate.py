#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The large policies, inputs and data of bench/rego; the same for all engines.

Usage: generate.py FOLDER  -> writes what run names below FOLDER
"""
import json
import os
import random
import sys

SEED = 2026
COUNTS = [10, 100, 1000, 10000]
COMPILE_COUNTS = [100, 1000, 10000]
MEGABYTES = [1, 10, 100]

# One rule each; only rule 7 of every policy matches COMMAND.
COMMAND = "tool7 --force --path /srv/app/7/main.c"
KINDS = {
    "prefixes": 'deny contains "r%d" if '
                'startswith(input.command, "tool%d --force")',
    "parts": 'deny contains "r%d" if '
             'contains(input.command, "tool%d --force")',
    "globs": 'deny contains "r%d" if '
             'glob.match("tool%d --force*", [], input.command)',
    "regexes": 'deny contains "r%d" if '
               'regex.match(`^tool%d\\s+--force\\b`, input.command)',
    "sets": 'deny contains "r%d" if input.name in {"tool%d", "tool%dx"}',
}


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def rules(kind, count):
    lines = ["package bench\n"]
    for i in range(count):
        template = KINDS[kind]
        lines.append(template % ((i,) * template.count("%d")))
    return "\n".join(lines) + "\n"


def company(r, users, groups, servers):
    return {
        "users": [{"name": "user%d" % i, "group": r.randrange(groups),
                   "level": r.randrange(5)} for i in range(users)],
        "groups": [{"id": i, "site": r.randrange(20)} for i in range(groups)],
        "servers": [{"name": "server%d" % i, "site": r.randrange(20),
                     "level": r.randrange(5)} for i in range(servers)],
    }


def staff(r, count):
    """Users, about five in each team of a site."""
    return {"users": [{
        "name": "user%d" % i, "site": r.choice(["North", "south"]),
        "team": "t%d" % r.randrange(count // 10), "level": r.randrange(5),
        "tag": "T%d" % r.randrange(count // 5),
        "tags": ["t%d" % r.randrange(count // 5) for _ in range(2)]}
        for i in range(count)]}


def deep(depth):  # regorus reads 128 levels
    value = "leaf"
    for i in range(depth):
        value = {"next": value, "n": i} if i % 2 else [value, i, "leaf"]
    return value


def large(r, megabytes):
    """About so many MB of JSON: users by id, as a directory has them."""
    users = {}
    size = 0
    while size < megabytes * 1000000:
        key = "u%08d" % len(users)
        users[key] = {
            "name": "Name %d" % r.randrange(10**9),
            "site": "s%d" % r.randrange(50),
            "roles": r.sample(["read", "write", "deploy", "audit", "own"], 2),
            "age": r.randrange(18, 70), "active": r.random() < 0.9,
            "quota": round(r.random() * 1000, 2)}
        size += len(json.dumps(users[key])) + len(key) + 6
    sites = {"s%d" % i: {"city": "City %d" % i} for i in range(50)}
    return {"users": users, "sites": sites}


def main():
    folder = sys.argv[1]
    r = random.Random(SEED)
    for kind in KINDS:
        for count in sorted(set(COUNTS + COMPILE_COUNTS)):
            write(folder, "%s-%d.rego" % (kind, count), rules(kind, count))
    write(folder, "command.json",
          json.dumps({"command": COMMAND, "name": "tool7"}))
    write(folder, "company-small.json",
          json.dumps(company(r, 50, 10, 20)))
    write(folder, "company-large.json",
          json.dumps(company(r, 500, 100, 200)))
    write(folder, "staff.json", json.dumps(staff(r, 2500)))
    write(folder, "deep.json", json.dumps(deep(100)))
    for megabytes in MEGABYTES:
        write(folder, "data-%d.json" % megabytes,
              json.dumps(large(r, megabytes)))
    for i in range(3):
        write(folder, "lookup%d.json" % i,
              json.dumps({"id": "u%08d" % (i * 1000)}))


if __name__ == "__main__":
    main()
