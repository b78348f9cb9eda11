# SPDX-License-Identifier: Apache-2.0
"""What a day at a terminal is told with: what a command shows there, the text of
it without what is another every day, and a picture of a home directory."""
import difflib
import fcntl
import hashlib
import os
import pty
import re
import select
import stat
import termios
import time

DEADLINE = 60


def terminal(command, answer, environment, enter):
    """What a command shows at a terminal; answer is typed at its question.
    enter is called in its process, first."""
    pid, parent = pty.fork()
    if not pid:
        enter()
        os.execvpe("bash", ["bash", "-c", command], environment)
    fcntl.ioctl(parent, termios.TIOCSWINSZ, b"\x32\0\x58\0\0\0\0\0")
    made = b""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if not select.select([parent], [], [], 1)[0]:
            continue
        try:
            got = os.read(parent, 65536)
        except OSError:
            break
        if not got:
            break
        made += got
        if answer and b"[y/N]" in made:
            os.write(parent, answer)
            answer = None
    os.close(parent)
    os.waitpid(pid, 0)
    return made.decode().replace("\r\n", "\n")


def plain(text, home):
    """Without what is another every day."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for pattern, name in (
            (re.escape(home) + r"(?![\w-])", "~"), (r"/mnt/[^ ]*/bin/", "/BIN/"),
            (r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{3}Z)?", "TIME"),
            (r"\d{4}-\d{2}-\d{2}", "DATE"),
            (r"\b0[0-9a-z]{8}-[0-9a-z]{4,20}\b", "ID"),
            (r"(belay allow |code +|\(belay allow )[A-Z0-9]{6}\b", r"\1CODE"),
            (r"\b\d+ rules", "N rules"), (r"\b\d+ ask a person, \d+ only",
                                          "N ask a person, N only"),
            (r"belay \d+\.\d+\.\d+", "belay VERSION")):
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def picture(home):
    """Each file of the home: its name, mode, and digest or target."""
    made = {}
    for at, folders, names in os.walk(home):
        for name in folders + names:
            path = os.path.join(at, name)
            info = os.lstat(path)
            what = ""
            if stat.S_ISLNK(info.st_mode):
                what = os.readlink(path)
            elif stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    what = hashlib.sha256(file.read()).hexdigest()
            made[path[len(home):]] = (oct(info.st_mode), what)
    return made


def differences(before, after):
    """What is not the same in two pictures, a line each."""
    return ["%s: %s, then %s" % (path, before.get(path), after.get(path))
            for path in sorted(before.keys() | after.keys())
            if before.get(path) != after.get(path)]


def compare(transcript, text, accept):
    """How text differs from the file, in lines; accept writes it first."""
    if accept:
        with open(transcript, "w") as file:
            file.write(text)
    with open(transcript) as file:
        wanted = file.read()
    return list(difflib.unified_diff(wanted.splitlines(), text.splitlines(),
                                     "transcript", "terminal", lineterm=""))
