#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OPA's control plane for tests: bundles with ETag, 304 and long polling, status, logs.

Usage: server.py SITE TOKEN
Prints its port.  GET /bundles/NAME serves SITE/bundles/NAME; POST /status... and
/logs... add to SITE/statuses and SITE/decisions, one JSON text a line.  Every
request's method, path and headers go to SITE/requests.  Files that say how to
misbehave: fail (a status for GETs), fail-post (for POSTs), refuse (a text: logs with
it in them are refused with 400), cut (bytes after which a bundle ends), no-etag,
long (the long polling type, and requests are held).
"""
import gzip
import hashlib
import http.server
import json
import os
import re
import sys
import time

SITE = sys.argv[1]
TOKEN = sys.argv[2]
LONG = "application/vnd.openpolicyagent.bundles"


def path_of(name):
    return os.path.join(SITE, name)


def note(name):
    try:
        with open(path_of(name), "rb") as file:
            return file.read()
    except OSError:
        return None


def add(name, text):
    with open(path_of(name), "a") as file:
        file.write(text + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def note_request(self):
        add("requests", json.dumps([self.command, self.path,
                                    dict(self.headers)]))

    def answer(self, status, body=b"", headers=None, length=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length",
                         str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None:
            self.close_connection = True

    def is_refused(self, name):
        if self.headers.get("Authorization") != "Bearer " + TOKEN:
            self.answer(401)
            return True
        status = note(name)
        if status:
            self.answer(int(status))
        return bool(status)

    def find(self):
        body = note(self.path.lstrip("/"))
        etag = '"%s"' % hashlib.sha256(body or b"").hexdigest()[:16]
        return body, etag

    def do_GET(self):
        self.note_request()
        if self.is_refused("fail"):
            return
        body, etag = self.find()
        if body is None:
            self.answer(404)
            return
        headers = {"Content-Type": "application/gzip"}
        if not note("no-etag"):
            headers["ETag"] = etag
        wait = re.search(r"wait=(\d+)", self.headers.get("Prefer", ""))
        if note("long"):
            headers["Content-Type"] = LONG
            end = time.monotonic() + (int(wait.group(1)) if wait else 0)
            while self.headers.get("If-None-Match") == etag and \
                    time.monotonic() < end:
                time.sleep(0.1)
                body, etag = self.find()
                headers["ETag"] = etag
        if self.headers.get("If-None-Match") == etag:
            self.answer(304, headers=headers)
            return
        cut = note("cut")
        if cut:
            self.answer(200, body[:int(cut)], headers, len(body))
            return
        self.answer(200, body, headers)

    def do_POST(self):
        self.note_request()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.is_refused("fail-post"):
            return
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        refused = note("refuse")
        if self.path.startswith("/logs") and refused and \
                refused.strip() in body:
            self.answer(400)
            return
        value = json.loads(body)
        if self.path.startswith("/status"):
            add("statuses", json.dumps(value))
        else:
            for event in value:
                add("decisions", json.dumps(event))
        self.answer(204 if self.path.startswith("/status") else 200)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        pass  # clients that have had enough hang up


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
