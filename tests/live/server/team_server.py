# SPDX-License-Identifier: Apache-2.0
"""A belay-server of its own for a test, and a client that speaks HTTP to it."""
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 30  # seconds


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """Started in a new folder; its first administrator's token is `admin`."""

    def __init__(self, program, database=None, options=(), folder=None):
        self.program = program
        self.folder = folder or tempfile.mkdtemp(prefix="belay-server-")
        self.database = database
        self.options = list(options)
        self.listen = "127.0.0.1:0"
        self.admin = None
        self.process = None
        self.start()

    def command(self, *words):
        words = [self.program, "--data", os.path.join(self.folder, "data"),
                 *self.options, *words]
        if self.database:
            words[1:1] = ["--database", self.database]
        return words

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            self.command("--listen", self.listen), stdout=subprocess.PIPE,
            stderr=self.log, text=True)
        while True:
            line = self.process.stdout.readline()
            if not line:
                with open(self.log.name, encoding="utf-8") as log:
                    raise RuntimeError("the server did not start: " + log.read())
            token = re.search(r"blt_p\w+", line)
            if token:
                self.admin = token.group()
            where = re.search(r"listens on https?://127\.0\.0\.1:(\d+)", line)
            if where:
                self.port = int(where.group(1))
                return

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.log.close()
        return code

    def remove(self):
        if self.process.poll() is None:
            self.end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words):
        return subprocess.run(self.command(*words), capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def ask(self, method, path, body=None, token=None, headers=None):
        """One request.  body: bytes, or a value that is sent as JSON."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=PATIENCE)
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, headers)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def as_admin(self, method, path, body=None):
        reply = self.ask(method, path, body, self.admin)
        if reply.status != 200:
            raise RuntimeError(f"{method} {path}: {reply.status} {reply.body}")
        return reply.json

    def enrol(self, name, labels=(), uses=1):
        made = self.as_admin("POST", "/api/tokens", {
            "kind": "enrolment", "name": "test", "uses": uses,
            "labels": list(labels)})
        reply = self.ask("POST", "/v1/enrol",
                         {"token": made["token"], "host": name})
        return reply.json

    def upload(self, token, lines, pack=False):
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        headers = {"Content-Type": "application/x-ndjson"}
        if pack:
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        return self.ask("POST", "/v1/records", body, token, headers)


def record(seq, verdict="allow", about="ls", at=None, **more):
    """A line of an upload, as docs/formats/team.md has it."""
    now = time.time() if at is None else at
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    text += f".{int(now * 1000) % 1000:03d}Z"
    line = {"v": 1, "id": f"r{seq}", "time": text, "step": "PreToolUse",
            "profile": "claude", "decision": verdict, "source": "policies",
            "about": about, "duration_ms": 1.5}
    line.update(more)
    return {"seq": seq, "at": text, "record": line}


class Tap:
    """Numbers points, as the Test Anything Protocol wants."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, condition, what, note=""):
        self.count += 1
        if condition:
            print(f"ok {self.count} - {what}", flush=True)
            return
        self.failed += 1
        print(f"not ok {self.count} - {what}")
        for line in str(note).splitlines():
            print("# " + line)
        print(end="", flush=True)

    def equal(self, actual, expected, what):
        self.check(actual == expected, what,
                   f"is {actual!r}\nnot {expected!r}")

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def check_pages(tap, get, least):
    """The pages that get(path) answers with, of more than so many files."""
    page = get("/")
    tap.check("require-trusted-types-for" in
              page.headers["Content-Security-Policy"]
              and page.headers["X-Content-Type-Options"] == "nosniff"
              and b"<!doctype html>" in page.body.lower(),
              "the page comes with its policy")
    wanted = re.findall(r'(?:src|href)="/assets/([^"]+)"', page.body.decode())
    seen = {}
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen[name] = get("/assets/" + name)
            wanted += re.findall(r'from "\./([^"]+)"',
                                 seen[name].body.decode())
    tap.check(len(seen) > least and all(
        reply.status == 200 and reply.headers["Content-Type"].startswith(
            "text/css" if name.endswith(".css") else "text/javascript")
        for name, reply in seen.items()),
        "every module that a page imports is served", list(seen))
    paths = re.findall(r'\["(/\w*)", "', seen["app.js"].body.decode())
    tap.check(len(paths) > 1 and all(get(path).body == page.body
                                     for path in paths),
              "every page of the frame has its path", paths)
    tap.equal({get(path).status for path in ("/opa", "/nothing")}, {404},
              "no other path is a page's")
