# SPDX-License-Identifier: Apache-2.0
"""What a traced line really did: the output of strace, as a list of happenings.

A happening is one of: run (a program began, with its argv), read, write, delete,
chmod (mode, owner, attributes) and connect.  Paths are absolute and without links,
as belay's effects are, so that the two can be compared.
"""
import os
import re

CALLS = ("execve", "execveat", "open", "openat", "openat2", "creat", "unlink",
         "unlinkat", "rmdir", "rename", "renameat", "renameat2", "mkdir", "mkdirat",
         "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "chmod",
         "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
         "truncate", "ftruncate", "utimensat", "setxattr", "lsetxattr", "connect",
         "sendto", "chdir", "fchdir", "clone", "clone3", "fork", "vfork")

# Refused by the walls of the world, not by the line's own mistake: in a real
# machine these would have happened.
REFUSED = ("EROFS", "EACCES", "EPERM", "EBUSY")
INTERPRETERS = ("node", "python3", "python3.11", "perl", "bash", "sh", "dash")
FORKS = ("clone", "clone3", "fork", "vfork")
ESCAPES = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, '"': 34, "\\": 92}
BEGINS = re.compile(r"^(\d+)\s+(\w+)\((.*)$", re.S)
RESUMES = re.compile(r"^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$", re.S)
ENDS = re.compile(r"^(.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(.*)$", re.S)
PLACE = re.compile(r"<(.*)>", re.S)


def place_of(text):
    """The path that strace -y prints behind a descriptor, 3</path>, or None."""
    match = PLACE.search(text)
    if not match:
        return None
    return text_of('"' + match.group(1) + '"').removesuffix(" (deleted)")


class Happening:
    """One thing that happened.  by: the program that did it, as a Process."""

    def __init__(self, kind, path, by, **more):
        self.kind, self.path, self.by = kind, path, by
        self.where = by.folder  # the folder in which the program runs by then
        self.folder = more.get("folder", False)
        self.argv = more.get("argv")
        self.own = False  # made and taken away by one process: nothing is left
        self.replaced = False  # removed, and written again by the same process
        self.call = more.get("call", "")

    def text(self):
        what = " ".join(self.argv) if self.argv else self.path
        return f"{self.kind} {what[:300]} (by {self.by.name})"


class Process:
    """A process between two execve: what it is and which programs led to it."""

    def __init__(self, path, argv, chain, folder):
        self.path, self.argv, self.chain, self.folder = path, argv, chain, folder
        self.name = os.path.basename(path)
        if self.name in INTERPRETERS and len(argv) > 1 and argv[1].startswith("/usr/bin/"):
            self.name = os.path.basename(argv[1])  # a program of the system, as npm is

    def fork(self):
        return Process(self.path, self.argv, self.chain, self.folder)


def text_of(quoted):
    """The text of a string as strace prints it, "..." with C escapes."""
    out, body, at = bytearray(), quoted[1:quoted.rindex('"')], 0
    while at < len(body):
        if body[at] != "\\":
            out += body[at].encode("utf-8", "surrogateescape")
            at += 1
            continue
        digits = re.match(r"[0-7]{1,3}", body[at + 1:at + 4])
        if digits:
            out.append(int(digits.group(), 8) & 255)
            at += 1 + len(digits.group())
        else:
            out.append(ESCAPES.get(body[at + 1], ord(body[at + 1])))
            at += 2
    return out.decode("utf-8", "surrogateescape")


def arguments(text):
    """The arguments of a call, split at the commas that are outside of brackets."""
    out, depth, at, begin, quoted = [], 0, 0, 0, False
    while at < len(text):
        char = text[at]
        if quoted:
            if char == "\\":
                at += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "[{<(":
            depth += 1
        elif char in "]}>)" and depth:
            depth -= 1
        elif char == "," and depth == 0:
            out.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    out.append(text[begin:].strip())
    return out


class Trace:
    """Reads a trace.  links: the symbolic links of the world before the line."""

    def __init__(self, lines, links, folder):
        self.links = dict(links)
        self.processes = {}
        self.first = Process("/usr/bin/bash", ["bash"], [], folder)
        self.happenings = []
        self.made = {}  # path: the process number that made it
        self.calls = self.join(lines)

    @staticmethod
    def join(lines):
        """[number, name, arguments, result, rest], an interrupted call where it began."""
        calls, open_calls = [], {}
        for line in lines:
            match = RESUMES.match(line)
            if match:
                call = open_calls.pop(match.group(1), None)
                if call:
                    call[2] += match.group(3)
                continue
            match = BEGINS.match(line)
            if not match:
                continue
            number, name, rest = match.groups()
            call = [number, name, rest]
            if rest.endswith("<unfinished ...>"):
                call[2] = rest[:-len("<unfinished ...>")]
                open_calls[number] = call
            calls.append(call)
        out = []
        for number, name, rest in calls:
            match = ENDS.match(rest)
            if match:
                out.append((number, name, match.group(1), match.group(2),
                            match.group(3)))
        return out

    def process(self, number):
        return self.processes.setdefault(number, self.first.fork())

    # ---- paths ------------------------------------------------------------------

    def resolve(self, path, last=True):
        """Without links.  last: the last part is followed, too."""
        parts, out, budget = path.split("/"), "", 64
        parts.reverse()
        while parts:
            part = parts.pop()
            if part in ("", "."):
                continue
            if part == "..":
                out = out[:out.rfind("/")] if out else ""
                continue
            step = out + "/" + part
            target = self.links.get(step)
            if target is not None and budget and (last or parts):
                budget -= 1
                if target.startswith("/"):
                    out = ""
                parts.extend(reversed(target.split("/")))
            else:
                out = step
        return out or "/"

    def at(self, process, folder, path, last=True):
        """A path that a call names, from the folder that it names."""
        if not path.startswith("/"):
            place = place_of(folder)
            base = process.folder
            if place and not folder.startswith("AT_FDCWD"):
                base = place
            path = base + "/" + path
        return self.resolve(path, last)

    # ---- calls ------------------------------------------------------------------

    def read(self):
        for number, name, text, result, rest in self.calls:
            process = self.process(number)
            if name in FORKS and result.isdigit():
                self.processes[result] = process.fork()
            error = rest.split()[0] if result.startswith("-") and rest.strip() else None
            # -1 EROFS (...): what the walls of the world refuse counts.  ?: it was
            # killed in the middle of the call.
            if result == "?" or (error and error not in REFUSED):
                continue
            handler = HANDLERS.get(name)
            if handler:
                try:
                    handler(self, number, process, arguments(text), (result, rest, error))
                except (ValueError, IndexError) as problem:
                    raise ValueError(f"cannot read {name}({text[:200]}") from problem
        return self.happenings

    def add(self, number, kind, path, **more):
        if kind == "write":
            for old in self.happenings[-20:]:
                if old.kind == "delete" and (old.path, old.number) == (path, number):
                    old.replaced = True
        happening = Happening(kind, path, self.processes[number], **more)
        happening.number = number
        self.happenings.append(happening)
        return happening

    def on_run(self, number, process, args, end, folder="", path=""):
        if end[2]:
            return
        path = text_of(args[0])
        words = [text_of(word) for word in arguments(args[1].strip()[1:-1])
                 if word.startswith('"')]
        path = self.at(process, "", path)
        happening = self.add(number, "run", path, argv=words, call="execve")
        started = Process(path, words, process.chain + [process], process.folder)
        happening.starts = started
        self.processes[number] = started

    def on_open(self, number, process, folder, path, flags, end):
        result, rest, error = end
        real = self.at(process, folder, path, "O_NOFOLLOW" not in flags)
        place = place_of(rest)
        if not error and place and not place.startswith(("pipe:", "socket:")):
            real = place
        if "O_PATH" in flags:
            return
        if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", flags):
            if error and not ("O_WRONLY" in flags or "O_CREAT" in flags):
                return
            if "O_EXCL" in flags:
                self.made[real] = number
            if "O_TMPFILE" in flags and "O_DIRECTORY" in flags:
                return
            self.add(number, "write", real, call="open")
        elif not error:
            self.add(number, "read", real, folder="O_DIRECTORY" in flags, call="open")

    def on_remove(self, number, process, folder, path, folder_too=False):
        real = self.at(process, folder, path, False)
        happening = self.add(number, "delete", real, folder=folder_too, call="unlink")
        if self.made.get(real) == number:
            self.forget(number, real)
            happening.own = True
        self.links.pop(real, None)

    def forget(self, number, real):
        for old in self.happenings:
            if old.path == real and old.number == number:
                old.own = True

    def on_rename(self, number, process, old, new):
        source = self.at(process, old[0], old[1], False)
        target = self.at(process, new[0], new[1], False)
        gone = self.add(number, "delete", source, call="rename")
        if self.made.get(source) == number:
            self.forget(number, source)
            gone.own = True
        self.add(number, "write", target, call="rename")
        for link in [at for at in self.links
                     if at == source or at.startswith(source + "/")]:
            self.links[target + link[len(source):]] = self.links.pop(link)

    def on_link(self, number, process, target, folder, path):
        real = self.at(process, folder, path, False)
        self.made[real] = number
        self.add(number, "write", real, call="link")
        if target is not None:
            self.links[real] = target

    def on_path(self, number, process, kind, place, call, last=True):
        real = self.at(process, place[0], place[1], last)
        if call == "mkdir":
            self.made[real] = number
        self.add(number, kind, real, call=call)

    def on_descriptor(self, number, process, kind, text, call):
        place = place_of(text)
        if place and place.startswith("/"):
            self.add(number, kind, place, call=call)

    def on_connect(self, number, process, args, end):
        text = ", ".join(args)
        match = re.search(r'sa_family=AF_(INET6?|UNIX)(.*)', text, re.S)
        if not match:
            return
        if match.group(1) == "UNIX":
            path = re.search(r'sun_path=@?("(?:[^"\\]|\\.)*")', text)
            if path:
                self.add(number, "connect", "unix:" + text_of(path.group(1)))
            return
        host = re.search(r'inet_addr\("([^"]*)"\)|inet_pton\(AF_INET6, "([^"]*)"', text)
        port = re.search(r"htons\((\d+)\)", text)
        host = (host.group(1) or host.group(2)) if host else "?"
        self.add(number, "connect", f"{host}:{port.group(1) if port else '?'}")

    def on_chdir(self, number, process, path):
        process.folder = path


def quoted(args, at):
    return text_of(args[at])


def change_folder(trace, number, process, args, end):
    if not end[2]:
        process.folder = trace.at(process, "", quoted(args, 0))


def change_to_descriptor(trace, number, process, args, end):
    place = place_of(args[0])
    if place and not end[2]:
        process.folder = place


def no_link(args, at):
    return len(args) <= at or "NOFOLLOW" not in args[at]


def touch(trace, number, process, args, end):
    if args[1].startswith('"'):
        trace.on_path(number, process, "write", (args[0], quoted(args, 1)), "utimensat",
                      no_link(args, 3))
    else:
        trace.on_descriptor(number, process, "write", args[0], "utimensat")


def send(trace, number, process, args, end):
    if len(args) > 4:
        trace.on_connect(number, process, args[4:], end)


def connect(trace, number, process, args, end):
    trace.on_connect(number, process, args[1:], end)


HANDLERS = {
    "execve": lambda t, n, p, a, e: t.on_run(n, p, a, e),
    "open": lambda t, n, p, a, e: t.on_open(n, p, "", quoted(a, 0), a[1], e),
    "openat": lambda t, n, p, a, e: t.on_open(n, p, a[0], quoted(a, 1), a[2], e),
    "openat2": lambda t, n, p, a, e: t.on_open(n, p, a[0], quoted(a, 1), a[2], e),
    "creat": lambda t, n, p, a, e: t.on_open(n, p, "", quoted(a, 0), "O_WRONLY", e),
    "unlink": lambda t, n, p, a, e: t.on_remove(n, p, "", quoted(a, 0)),
    "rmdir": lambda t, n, p, a, e: t.on_remove(n, p, "", quoted(a, 0), True),
    "unlinkat": lambda t, n, p, a, e: t.on_remove(n, p, a[0], quoted(a, 1),
                                                  "REMOVEDIR" in a[2]),
    "rename": lambda t, n, p, a, e: t.on_rename(n, p, ("", quoted(a, 0)),
                                                ("", quoted(a, 1))),
    "renameat": lambda t, n, p, a, e: t.on_rename(n, p, (a[0], quoted(a, 1)),
                                                  (a[2], quoted(a, 3))),
    "mkdir": lambda t, n, p, a, e: t.on_path(n, p, "write", ("", quoted(a, 0)), "mkdir"),
    "mkdirat": lambda t, n, p, a, e: t.on_path(n, p, "write", (a[0], quoted(a, 1)),
                                               "mkdir"),
    "mknod": lambda t, n, p, a, e: t.on_path(n, p, "write", ("", quoted(a, 0)), "mknod"),
    "mknodat": lambda t, n, p, a, e: t.on_path(n, p, "write", (a[0], quoted(a, 1)),
                                               "mknod"),
    "link": lambda t, n, p, a, e: t.on_link(n, p, None, "", quoted(a, 1)),
    "linkat": lambda t, n, p, a, e: t.on_link(n, p, None, a[2], quoted(a, 3)),
    "symlink": lambda t, n, p, a, e: t.on_link(n, p, quoted(a, 0), "", quoted(a, 1)),
    "symlinkat": lambda t, n, p, a, e: t.on_link(n, p, quoted(a, 0), a[1], quoted(a, 2)),
    "chmod": lambda t, n, p, a, e: t.on_path(n, p, "chmod", ("", quoted(a, 0)), "chmod"),
    "fchmodat": lambda t, n, p, a, e: t.on_path(n, p, "chmod", (a[0], quoted(a, 1)),
                                                "chmod", no_link(a, 3)),
    "chown": lambda t, n, p, a, e: t.on_path(n, p, "chmod", ("", quoted(a, 0)), "chown"),
    "lchown": lambda t, n, p, a, e: t.on_path(n, p, "chmod", ("", quoted(a, 0)), "chown",
                                              False),
    "fchownat": lambda t, n, p, a, e: t.on_path(n, p, "chmod", (a[0], quoted(a, 1)),
                                                "chown", no_link(a, 4)),
    "fchmod": lambda t, n, p, a, e: t.on_descriptor(n, p, "chmod", a[0], "chmod"),
    "fchown": lambda t, n, p, a, e: t.on_descriptor(n, p, "chmod", a[0], "chown"),
    "truncate": lambda t, n, p, a, e: t.on_path(n, p, "write", ("", quoted(a, 0)),
                                                "truncate"),
    "ftruncate": lambda t, n, p, a, e: t.on_descriptor(n, p, "write", a[0], "truncate"),
    "setxattr": lambda t, n, p, a, e: t.on_path(n, p, "chmod", ("", quoted(a, 0)),
                                                "setxattr"),
    "utimensat": touch,
    "connect": connect,
    "sendto": send,
    "chdir": change_folder,
    "fchdir": change_to_descriptor,
}
HANDLERS["renameat2"] = HANDLERS["renameat"]
HANDLERS["fchmodat2"] = HANDLERS["fchmodat"]
HANDLERS["lsetxattr"] = HANDLERS["setxattr"]


def happenings(path, links, folder):
    """What the trace in the file path tells, in its order."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        trace = Trace(file.read().split("\n"), links, folder)
    return trace.read()
