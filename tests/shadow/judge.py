# SPDX-License-Identifier: Apache-2.0
"""Compares what a line did with what belay said of it.

A happening is covered when an effect, a command or a row of noise.tsv accounts for it.
One that is not covered, on a line without an opaque mark, is a soundness failure.

Judged always: runs of programs with their argv, writes, deletes, renames, modes,
connections.  Judged in the home, in workspaces and wherever a line has made itself at
home: reads.  Not judged: reads of the system's own files (SYSTEM).
"""
import fnmatch
import os
import re

import trace

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev",
          "/stubs", "/run", "/var/lib", "/template")
SHELLS = ("bash", "sh", "dash")
HERE = os.path.dirname(os.path.abspath(__file__))

# Which kinds of effect account for a happening of a kind, at the path itself.  A file
# that is written may be replaced (unlinked first) and gets its mode; one that is
# deleted or changed is looked at.
AT = {
    "write": ("write", "database"),
    "delete": ("delete", "write"),
    "chmod": ("chmod", "write"),
    "read": ("read", "execute", "database"),
}
# And for what lies below the path, when the effect is recursive.
BELOW = {
    "write": ("write",),
    "delete": ("delete",),
    "chmod": ("chmod", "write"),
    "read": ("read", "execute"),
}


def rows_of(name):
    """The rows of a table: the first three columns; the last says why."""
    with open(HERE + "/" + name, encoding="utf-8") as file:
        return [line.split("\t")[:3] for line in file
                if line.strip() and not line.startswith("#")]


NOISE = rows_of("noise.tsv")
COVERS = rows_of("covers.tsv")


def is_below(path, top):
    return path == top or path.startswith(top.rstrip("/") + "/")


def is_system(path):
    return any(is_below(path, top) for top in SYSTEM)


def glob_expression(pattern, crosses=False):
    """A shell pattern.  crosses: its * stands for any depth, as in what find finds."""
    out = re.escape(pattern)
    return out.replace(r"\*", ".*" if crosses else "[^/]*").replace(r"\?", "[^/]").replace(r"\[", "[").replace(
        r"\]", "]").replace(r"\!", "!").replace(r"\-", "-").replace(r"\^", "^")


# ---- paths ------------------------------------------------------------------------


def is_found(command):
    """find and what lists its findings name files of any depth by one pattern."""
    return command.get("program") == "find" or any(
        name in ("find", "xargs", "parallel") for name in command["wrappers"])


class Effect:
    """One predicted effect.  found: its command is given what find finds."""

    def __init__(self, facts, resolve, found):
        self.kind, self.details = facts["kind"], facts["details"]
        self.action = facts.get("action", "")
        self.state = facts.get("state")
        self.is_path = facts.get("path", False)
        self.prefix = facts.get("prefix", "")
        self.target = facts.get("target", "")
        self.certain = facts["certain"]
        self.moves = False
        self.command = facts.get("command")
        if self.is_path and self.state == "known" and self.target.startswith("/"):
            self.target = resolve(self.target, self.kind not in ("delete", "write"))
        self.pattern = None
        if self.is_path and self.state == "pattern":
            try:
                self.pattern = re.compile(glob_expression(self.target, found) + r"(?P<below>/.*)?$",
                                          re.S)
            except re.error:
                self.state = "unknown"

    def reach(self, path):
        """at: this very path; below: it is below; above: it is a folder on the way."""
        if not self.is_path or not self.state:
            return None
        if self.state == "unknown":
            return "at" if path.startswith(self.prefix) else None
        if self.pattern:
            match = self.pattern.match(path)
            return ("below" if match.group("below") else "at") if match else None
        if path == self.target:
            return "at"
        if is_below(path, self.target):
            return "below"
        return "above" if is_below(self.target, path) else None


def mark_moves(effects):
    """What a command renames takes along all that is below; across two file systems it
    is copied and deleted piece by piece."""
    moving = {effect.command for effect in effects if "move" in effect.details}
    for effect in effects:
        effect.moves = effect.command in moving and effect.kind in ("write", "delete")


def covers_path(effect, happening):
    kind, reach = happening.kind, effect.reach(happening.path)
    if happening.replaced:
        kind = "write"
    if not reach:
        return False
    if kind == "read" and effect.kind == "write" and "edit" in effect.details:
        return reach == "at" or (reach == "below" and "recursive" in effect.details)
    if kind == "read" and happening.folder:
        # A folder is listed on the way to whatever is done with it or in it.
        return reach in ("at", "above") or "recursive" in effect.details
    if reach == "above":
        return happening.call == "mkdir" and effect.kind == "write"
    if effect.kind == "read" and "names" in effect.details:
        return False
    if effect.moves:
        return True
    if reach == "at":
        return effect.kind in AT[kind]
    return effect.kind in BELOW[kind] and "recursive" in effect.details


# ---- git: a repository is one thing to belay ------------------------------------------


def git_part(happening):
    """metadata: git's own files in .git; work: another file, by git itself."""
    if happening.by.path == "/usr/bin/git":
        pass
    elif not any(each.path.startswith("/usr/lib/git-core/")
                 for each in (happening.by, *happening.by.chain)):
        return None
    if re.search(r"/\.git(/|-rewrite|$)|\.git/|/srv/git/", happening.path):
        return "metadata"
    return "work"


def covers_git(facts, effects, happening):
    part = git_part(happening)
    if not part:
        return False
    if happening.kind == "read" or part == "metadata":
        return any(command.get("program") == "git" for command in facts["commands"])
    return any(effect.kind == "git" and (
        not effect.is_path or effect.reach(happening.path) in ("at", "below"))
        for effect in effects)


# ---- programs -----------------------------------------------------------------------


DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/\d+$")


def same_word(predicted, real):
    """<(...) has the name of a descriptor, whose number the shell chooses."""
    return predicted == real or bool(
        DESCRIPTOR.match(predicted) and DESCRIPTOR.match(real))


def argv_matches(words, states, real, found):
    """A known word is itself, a pattern one word or more (none, when it is a list that
    find makes), an unknown one any number."""
    if not words:
        return not real
    if states[0] == "known":
        if real and same_word(words[0], real[0]) and argv_matches(
                words[1:], states[1:], real[1:], found):
            return True
        return found and words[0][:1] != "-" and argv_matches(
            words[1:], states[1:], real, found)
    taken = len(real)
    if states[0] == "pattern":
        pattern = re.compile(glob_expression(words[0], found) + "$", re.S)
        taken = 0
        while taken < len(real) and pattern.match(real[taken]):
            taken += 1
        # A glob that matches nothing stays as it is.
        taken = max(taken, int(real[:1] == words[:1]))
    least = 1 if states[0] == "pattern" and not found else 0
    return any(argv_matches(words[1:], states[1:], real[n:], found)
               for n in range(taken, least - 1, -1))


def same_list(words, states, real):
    """The findings of find come in any order; the words that are no paths stay."""
    patterns = [re.compile(glob_expression(word, True) + "$", re.S)
                for word, state in zip(words, states) if state == "pattern"]
    return "unknown" not in states and all(
        word in real for word, state in zip(words, states)
        if state == "known" and "/" not in word) and all(
            word in words or any(pattern.match(word) for pattern in patterns)
            for word in real)


def covers_run(facts, happening):
    real = happening.argv
    name = os.path.basename(happening.path)
    for command in facts["commands"]:
        words, states = command["argv"], command["states"]
        if not words:
            continue
        if states[0] == "known" and os.path.basename(words[0]) not in (
                name, os.path.basename(real[0]) if real else ""):
            continue
        taken = real[1:]
        if any(Stand_ins.is_stand_in(up) for up in happening.by.chain):
            taken = taken[:len(words) - 1]  # rsync -e: a stand-in adds words
        if argv_matches(words[1:], states[1:], taken, is_found(command)):
            return True
        if is_found(command) and same_list(words[1:], states[1:], real[1:]):
            return True
    if name in SHELLS and len(real) > 1:
        # A script without #!: whoever runs it hands it to a shell.
        script = os.path.normpath(os.path.join(happening.where, real[1]))
        return any(effect["kind"] == "execute" and effect.get("target") == script
                   for effect in facts["effects"])
    return False


# ---- all together ---------------------------------------------------------------------


def is_noise(happening):
    if happening.own or happening.path.startswith(("pipe:", "socket:", "anon_inode:", "mnt:")):
        return True
    if happening.kind == "read" and is_system(happening.path):
        return True
    if is_below(happening.path, "/run/shadow"):
        return True
    return any(happening.kind in kinds.split(",") and fnmatch.fnmatchcase(happening.by.name, name)
               and (fnmatch.fnmatchcase(happening.path, path) or (
                   path == "." and happening.path == happening.where))
               for kinds, name, path in NOISE)


def is_inner_shell(happening):
    """A program starts a shell for a command that it was given (sh -c, or on standard
    input): what that shell runs is judged, the shell is not a program of the line."""
    return (happening.kind == "run" and happening.by.name not in SHELLS
            and os.path.basename(happening.path) in SHELLS and (
                "-c" in happening.argv[1:2] or len(happening.argv) == 1))


def is_git_script(happening):
    """Some of git's parts are shell scripts, which run tools of the system."""
    return (happening.kind == "run" and happening.by.path.startswith("/usr/lib/git-core/")
            and happening.path.startswith("/usr/bin/"))


def covers_network(facts, happening):
    return any(effect["kind"] in ("network", "remote", "publish", "database", "package",
                                  "cloud", "container")
               for effect in facts["effects"])


class Stand_ins:
    """The stand-ins of a world are scripts: what they do to play their part is not judged.

    A program that one starts in its place (exec, as sudo does) is judged again; so is a
    program that it starts as a child and that is not one of its tools.
    """
    TOOLS = {"cat", "base64", "base32", "sed", "gunzip", "gzip", "tar", "xxd", "touch",
             "timeout"}
    ELSEWHERE = {"ssh", "docker", "podman", "kubectl", "oc"}  # another machine

    @classmethod
    def is_part(cls, happening):
        process = happening.starts if happening.kind == "run" else happening.by
        if cls.is_stand_in(process):
            return happening.kind != "run"
        for at, up in enumerate(process.chain):
            if cls.is_stand_in(up):
                rest = process.chain[at + 1:] + [process]
                if up.name in cls.ELSEWHERE or all(
                        each.name in cls.TOOLS for each in rest):
                    return True
        return False

    @staticmethod
    def is_stand_in(process):
        return process.path.startswith("/stubs/")


def is_glob(happening):
    """bash reads a folder to expand a glob; the names arrive as arguments."""
    return happening.kind == "read" and happening.folder and happening.by.name in SHELLS


def shell_start(happening):
    return happening.kind == "run" and not happening.by.chain and happening.path.endswith(
        "/bash")


def is_script_start(happening):
    """A script that names its interpreter through env (#!/usr/bin/env node)."""
    return (happening.kind == "run" and len(happening.argv) > 1
            and happening.argv[1] == happening.by.path)


def covers_part(facts, happening):
    """An effect that is no path of its own may account for files: covers.tsv."""
    return any(effect["kind"] == kind
               and fnmatch.fnmatchcase(happening.by.name, name)
               and happening.kind in ("read", "write", "delete", "chmod")
               and fnmatch.fnmatchcase(happening.path, path)
               for effect in facts["effects"] for (kind, name, path) in COVERS)


EXCUSES = (is_script_start, is_noise, is_glob, is_inner_shell, is_git_script, Stand_ins.is_part)


def effects_of(facts, links):
    resolver, commands = trace.Trace([], links, "/"), facts["commands"]
    return [Effect(effect, resolver.resolve,
                   "command" in effect and is_found(commands[effect["command"]]))
            for effect in facts["effects"]]


def judge(facts, happenings, links):
    """The happenings that nothing accounts for."""
    effects = effects_of(facts, links)
    mark_moves(effects)
    wrong, seen = [], set()
    for at, happening in enumerate(happenings):
        if at == 0 and shell_start(happening):
            continue
        if any(excuse(happening) for excuse in EXCUSES):
            continue
        if happening.kind == "run":
            covered = covers_run(facts, happening)
        elif happening.kind == "connect":
            covered = covers_network(facts, happening)
        else:
            covered = any(covers_path(effect, happening) for effect in effects) or (
                covers_git(facts, effects, happening)) or covers_part(facts, happening)
        if not covered:
            text = happening.text()
            if text not in seen:
                seen.add(text)
                wrong.append(text)
    return wrong


def unfulfilled(facts, happenings, links):
    """Effects on paths that belay holds for certain and that did not happen."""
    out = []
    for effect, known in zip(facts["effects"], effects_of(facts, links)):
        if not known.certain or not known.is_path or known.state != "known":
            continue
        if known.kind not in ("read", "write", "delete", "chmod"):
            continue
        if not known.target.startswith("/") or is_system(known.target):
            continue
        if "names" in known.details or effect.get("place") in ("remote", "sink"):
            continue
        if not any(happening.kind == known.kind and known.reach(happening.path)
                   in ("at", "below") for happening in happenings):
            out.append(f"{known.kind} {known.target}")
    return out
