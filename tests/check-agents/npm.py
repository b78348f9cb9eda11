# SPDX-License-Identifier: Apache-2.0
"""The agents' packages: from npm into a folder, which version is there, and where
its files are."""
import json
import os
import re
import subprocess

from agents import NODE

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def say(text):
    print(text, flush=True)


def installed(packages, package):
    """The version of a package that is in its folder; None: absent."""
    path = "%s/%s/node_modules/%s/package.json" % (
        packages, package.replace("/", "+").strip("@"), package)
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["version"]
    except OSError:
        return None


def install(packages, package, version):
    folder = "%s/%s" % (packages, package.replace("/", "+").strip("@"))
    if installed(packages, package):
        return
    say("installing %s@%s" % (package, version))
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["npm", "install", "--prefix", folder, "--no-audit",
                    "--no-fund", "--loglevel=error",
                    "%s@%s" % (package, version)], check=True)


def measured(agent):
    """The version in the agent's row."""
    with open("%s/src/agents/%s.c" % (ROOT, agent), encoding="utf-8") as file:
        return re.search(r'\.measured = "([^"]*)"', file.read()).group(1)


def finder(packages, package):
    """From a path below node_modules to a file; without a path, Node.js."""
    def at(path):
        folder = package
        if not path:
            folder, path = NODE[1], NODE[1] + "/bin/node"
        return "%s/%s/node_modules/%s" % (
            packages, folder.replace("/", "+").strip("@"), path)
    return at
