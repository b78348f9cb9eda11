#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A team's server for tests: the files of a folder, with ETag and 304.

Usage: server.py SITE TOKEN...
Prints its port.  TOKEN is the machine's; the kinds that are accepted come from
SITE/accepted when it is there.  The folder SITE has, beside v1/..., files that
say how to misbehave: fail (a status for every answer), cut (bytes after which a
/v1/o/ answer ends), swap (bytes that /v1/o/ answers with), date (a Date header),
plain (records that are packed are refused with 415).
"""
import gzip
import hashlib
import http.server
import json
import os
import sys

SITE = sys.argv[1]
TOKEN = sys.argv[2]


def note(name):
    path = os.path.join(SITE, name)
    return open(path, "rb").read().strip() if os.path.exists(path) else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        with open(os.path.join(SITE, "log"), "a") as log:
            log.write("%s %s\n" % (self.command, self.path))

    def date_time_string(self, timestamp=None):
        date = note("date")
        return date.decode() if date else super().date_time_string(timestamp)

    def answer(self, status, body=b"", headers=None, length=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length",
                         str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None and length != len(body):
            self.close_connection = True

    def refused(self):
        status = note("fail")
        if status:
            words = status.decode().split(" ", 1)
            body = json.dumps({"code": "x", "message": words[-1]}).encode()
            headers = {"Retry-After": "7"} if words[0] == "503" else {}
            self.answer(int(words[0]), body, headers)
            return True
        if self.path.startswith(("/v1/set", "/v1/o/", "/v1/records")) and \
                self.headers.get("Authorization") != "Bearer " + TOKEN:
            self.answer(401, b'{"code":"unauthenticated","message":"no"}')
            return True
        return False

    def do_GET(self):
        if self.refused():
            return
        path = os.path.join(SITE, self.path.lstrip("/"))
        if not os.path.isfile(path):
            self.answer(404, b'{"code":"not_found","message":"no such"}')
            return
        body = open(path, "rb").read()
        etag = '"%s"' % hashlib.sha256(body).hexdigest()
        if self.headers.get("If-None-Match") == etag:
            self.answer(304, b"", {"ETag": etag})
            return
        if "/v1/o/" in self.path and note("swap"):
            body = note("swap")
        cut = note("cut") if "/v1/o/" in self.path else None
        if cut:
            self.answer(200, body[:int(cut)], {"ETag": etag}, len(body))
            return
        self.answer(200, body, {"ETag": etag})

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        if self.refused():
            return
        if self.path == "/v1/records":
            coding = self.headers.get("Content-Encoding", "none")
            with open(os.path.join(SITE, "codings"), "a") as codings:
                codings.write(coding + "\n")
            if coding != "none" and note("plain"):
                self.answer(415, b"no")
                return
            if coding == "gzip":
                body = gzip.decompress(body)
            with open(os.path.join(SITE, "records"), "ab") as records:
                records.write(body)
            self.answer(200, b'{"accepted":1,"duplicates":0}')
        elif self.path == "/v1/enrol":
            self.enrol()
        elif self.path == "/v1/device":
            self.answer(200, json.dumps({
                "device_code": "d", "user_code": "BCDF-GHJK",
                "verification_uri": "http://127.0.0.1/device",
                "expires_in": 60, "interval": 1}).encode())
        elif self.path == "/v1/token":
            self.token()
        else:
            self.answer(404)

    def account(self, name):
        root = os.path.join(SITE, "v1/root/1")
        return json.dumps({
            name: TOKEN, "machine_id": "m1", "team_id": "acme",
            "root_sha256": hashlib.sha256(open(root, "rb").read()).hexdigest(),
            "labels": []}).encode()

    def enrol(self):
        used = os.path.join(SITE, "used")
        if os.path.exists(used):
            self.answer(409, b'{"code":"already_exists","message":"used"}')
            return
        open(used, "w").close()
        self.answer(200, self.account("machine_token"))

    def token(self):
        asked = os.path.join(SITE, "asked")
        if not os.path.exists(asked):
            open(asked, "w").close()
            self.answer(400, b'{"error":"authorization_pending"}')
            return
        self.answer(200, self.account("access_token"))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
