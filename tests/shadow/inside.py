#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inside the throw-away world: asks belay what a line would do, then runs it.

The folder of the task holds task.json and takes explain.json, trace and result.json.
A program of its own because it must run behind the walls: the line's folders exist
only there.
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading

ROOTS = ("home", "srv", "tmp")
MEBIBYTE = 1 << 20
LIMITS = ((resource.RLIMIT_NPROC, 200), (resource.RLIMIT_FSIZE, 64 * MEBIBYTE),
          (resource.RLIMIT_DATA, 1024 * MEBIBYTE), (resource.RLIMIT_CPU, 10),
          (resource.RLIMIT_NOFILE, 256), (resource.RLIMIT_CORE, 0))
OURS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev",
        "/stubs", "/run")
CONTENT = {".py": 'print("x")\n', ".json": '{"a": 1}\n', ".sh": "echo x\n",
           ".js": 'console.log("x")\n'}
FURNISHINGS = 60


def explain(task):
    done = subprocess.run(
        [task["belay"], "shell", "explain", "--json", "--home", os.environ["HOME"],
         "--cwd", task["cwd"], task["line"]],
        capture_output=True, text=True, errors="surrogateescape", timeout=20)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"error": (done.stderr or done.stdout)[:400]}


# ---- a world in which the line finds something to do -------------------------------


def may_furnish(path):
    return (path.startswith("/") and path != "/" and not os.path.lexists(path)
            and not any(path == our or path.startswith(our + "/") for our in OURS))


def make_folder(path):
    if may_furnish(path):
        os.makedirs(path, exist_ok=True)


def make_file(path):
    if may_furnish(path) and not path.endswith("/"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONTENT.get(os.path.splitext(path)[1], "one\ntwo\nthree\n"))


def make_full_folder(path):
    if may_furnish(path):
        make_folder(path)
        make_file(path + "/file.txt")


def furnish_effect(effect):
    if not effect.get("path") or effect.get("state") != "known":
        return
    path, details = effect["target"], effect["details"]
    if effect["kind"] == "write":
        if "edit" in details:
            make_file(path)
        else:
            make_folder(os.path.dirname(path))
    elif "recursive" in details:
        make_full_folder(path)
    else:
        make_file(path)


def furnish(facts):
    """Makes the folders and files that the line expects.  Nothing that exists changes."""
    for command in facts.get("commands", [])[:FURNISHINGS]:
        folder = command.get("cwd", "")
        if command.get("program") == "cd" and len(command["argv"]) > 1:
            make_folder(os.path.join(folder or "/", command["argv"][-1]))
        if folder:
            make_folder(folder)
        if command.get("program") == "git" and folder.startswith("/") and not any(
                os.path.exists(up + "/.git") for up in folders_above(folder)):
            if os.path.isdir(folder) and not any(
                    folder == our or folder.startswith(our + "/") for our in OURS):
                shutil.copytree("/template/home/dev/proj", folder, symlinks=True,
                                dirs_exist_ok=True)
    for effect in facts.get("effects", [])[:FURNISHINGS]:
        try:
            furnish_effect(effect)
        except OSError:
            pass  # the line names a file as a folder: the world cannot have both


def folders_above(path):
    while path != "/":
        yield path
        path = os.path.dirname(path)


def links_below(tops):
    """Symbolic links of the world: path to what it says."""
    links = {}
    for top in tops:
        for folder, folders, files in os.walk(top):
            for name in folders + files:
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    links[path] = os.readlink(path)
    return links


# ---- the run ---------------------------------------------------------------------


def drain(descriptor):
    """Reads what the line prints, to nowhere: /dev/null would change what grep does."""
    while os.read(descriptor, 65536):
        pass


def limit():
    for what, most in LIMITS:
        resource.setrlimit(what, (most, most))


def run(task, folder):
    command = ["strace", "-f", "-qq", "-y", "-s", "16384", "--seccomp-bpf",
               "-e", "abbrev=none", "-e", "trace=?" + ",?".join(task["calls"]),
               "-e", "signal=none", "-o", folder + "/trace", "bash", "-c", task["line"]]
    reading, writing = os.pipe()
    threading.Thread(target=drain, args=(reading,), daemon=True).start()
    process = subprocess.Popen(command, cwd=task["cwd"], stdin=subprocess.DEVNULL,
                               stdout=writing, stderr=writing, preexec_fn=limit,
                               start_new_session=True)
    os.close(writing)
    try:
        return process.wait(task["seconds"]), False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)  # strace writes down what it has
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
        return None, True


def missing_programs(facts):
    """Programs that the line names and the world does not have."""
    out = []
    for command in facts.get("commands", []):
        if command.get("where") != "here" or "program" not in command:
            continue
        word = command["argv"][0]
        folder = command.get("cwd", "/")
        if command["states"][0] != "known" or shutil.which(
                os.path.join(folder, word) if "/" in word else word):
            continue
        out.append(command["program"])
    known = subprocess.run(["bash", "-c", 'for n; do type -t -- "$n"; done; true', "bash",
                            *out], capture_output=True, text=True)
    return [] if len(known.stdout.split()) == len(out) else [
        name for name in dict.fromkeys(out) if subprocess.run(
            ["bash", "-c", 'type -t -- "$1"', "bash", name],
            capture_output=True).returncode]


def main():
    folder = sys.argv[1]
    with open(folder + "/task.json", encoding="utf-8", errors="surrogateescape") as file:
        task = json.load(file)
    for root in ROOTS:
        subprocess.run(["cp", "-a", f"/template/{root}/.", f"/{root}"], check=True)
    make_folder(task["cwd"])
    facts = explain(task)
    if task["furnish"]:
        for _ in range(2):
            furnish(facts)
            facts = explain(task)
    result = {"facts": facts, "missing": missing_programs(facts)}
    result["links"] = links_below(task["tops"])
    result["files"] = {}
    if "error" not in facts and not result["missing"]:
        result["status"], result["timeout"] = run(task, folder)
    with open(folder + "/result.json", "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
