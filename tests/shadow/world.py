# SPDX-License-Identifier: Apache-2.0
"""The throw-away world in which the shadow test runs its lines.

A world is a folder with home, srv, tmp, etc and stubs; world.sh makes one.  Each line
gets a copy of it in memory behind bubblewrap: own mounts, processes, users and network,
nothing of the real machine writable, no address reachable.  Limits on processes, file
size, memory and time hold inside.
"""
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INSIDE = "/run/shadow"
# The kernel counts the processes of root without a limit, and those of another user
# with one: as root, lines run as this user.
SPARE_USER = 64321
SIZE = 128 << 20
SECONDS = 8
# Tops of the machine that a line cannot have as a folder of its own.
TAKEN = {"usr", "bin", "sbin", "lib", "lib64", "etc", "proc", "sys", "dev", "home",
         "srv", "tmp", "stubs", "run", "template"}


class Unavailable(Exception):
    """Why there is no world on this machine."""


def as_spare_user():
    """Arguments for subprocess that leave root."""
    if os.geteuid() != 0:
        return {}
    return {"user": SPARE_USER, "group": SPARE_USER, "extra_groups": []}


def walls(world, task, tops):
    """The arguments of bwrap."""
    out = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session",
           "--uid", "0", "--gid", "0", "--ro-bind", "/usr", "/usr",
           "--ro-bind", "/usr/bin/true", "/usr/bin/sleep"]
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.islink("/" + name):
            out += ["--symlink", os.readlink("/" + name), "/" + name]
        elif os.path.isdir("/" + name):
            out += ["--ro-bind", "/" + name, "/" + name]
    out += ["--proc", "/proc", "--dev", "/dev"]
    for top in sorted(tops):
        out += ["--size", str(SIZE), "--tmpfs", "/" + top]
    out += ["--ro-bind", world + "/etc", "/etc", "--ro-bind", world + "/stubs", "/stubs",
            "--ro-bind", world, "/template", "--ro-bind", task["programs"],
            INSIDE + "/programs", "--bind", task["folder"], INSIDE + "/task", "--remount-ro", "/", "--clearenv"]
    variables = {"HOME": "/home/dev", "USER": "dev", "TMPDIR": "/tmp", "LANG": "C",
                 "PATH": "/stubs:/usr/local/bin:/usr/bin:/bin", **task["variables"]}
    for name, value in variables.items():
        out += ["--setenv", name, value]
    return out + ["--chdir", "/"]


class World:
    """One world.  Its programs are copies: a build in the meantime changes nothing, and
    the spare user need not be able to enter the tree."""

    def __init__(self, folder, build, variables=None):
        self.folder, self.variables = folder, variables or {}
        self.programs = os.path.dirname(folder) + "/programs"
        os.mkdir(self.programs)
        for path in (build + "/src/cli/belay", build + "/src/cli/belay-tools",
                     HERE + "/inside.py"):
            shutil.copy(path, self.programs)
        os.chmod(self.programs, 0o755)

    def tops(self, line, cwd):
        """Folders at the top of the tree that the line names: it gets them, empty."""
        named = re.findall(r"(?<![\w.~/-])/([A-Za-z0-9_][\w.-]*)", line + " " + cwd)
        return {"home", "srv", "tmp", "var"} | set(named[:20]) - TAKEN

    def run(self, line, cwd, calls, furnish):
        """(result, path of the trace or None, folder to remove)."""
        folder = tempfile.mkdtemp(prefix="shadow.")
        os.chmod(folder, 0o777)
        tops = self.tops(line, cwd)
        task = {"line": line, "cwd": cwd, "calls": calls, "furnish": furnish,
                "seconds": SECONDS, "belay": INSIDE + "/programs/belay",
                "tops": ["/" + top for top in sorted(tops)]}
        with open(folder + "/task.json", "w", encoding="utf-8",
                  errors="surrogateescape") as file:
            json.dump(task, file)
        command = walls(self.folder, {"programs": self.programs, "folder": folder,
                                      "variables": self.variables}, tops)
        command += ["python3", INSIDE + "/programs/inside.py", INSIDE + "/task"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=SECONDS + 40, **as_spare_user())
            said = done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            said = "the world did not end in time"
        try:
            with open(folder + "/result.json", encoding="utf-8") as file:
                result = json.load(file)
        except (OSError, ValueError):
            result = {"broken": said[-400:]}
        trace = folder + "/trace"
        return result, trace if os.path.exists(trace) else None, folder


def check_walls(folder):
    """Tries the walls once, with strace inside."""
    command = walls(folder, {"programs": folder, "folder": folder, "variables": {}},
                    {"home", "srv", "tmp", "var"})
    done = subprocess.run(command + ["strace", "-f", "-o", "/dev/null", "true"],
                          capture_output=True, text=True, timeout=60, **as_spare_user())
    if done.returncode:
        raise Unavailable((done.stderr.strip().split("\n") or ["?"])[-1])


def build(maker, parent):
    """Makes a world with the script maker in a new folder below parent."""
    for program in ("bwrap", "strace", "git"):
        if not shutil.which(program):
            raise Unavailable(f"{program} is not installed")
    os.chmod(parent, 0o777)
    folder = parent + "/world"
    with open(maker, encoding="utf-8") as script:
        text = script.read()
    done = subprocess.run(["bash", "-s", folder], input=text, capture_output=True, text=True,
                          timeout=120, **as_spare_user(), env={
                              "PATH": os.environ["PATH"], "HOME": parent,
                              "LANG": "C.UTF-8"})
    if done.returncode:
        raise Unavailable("no world: " + (done.stderr.strip().split("\n") or ["?"])[-1])
    check_walls(folder)
    return folder
