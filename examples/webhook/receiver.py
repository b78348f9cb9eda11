#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of belay's webhooks: checks who is asking, then answers.

Usage: receiver.py SECRET_FILE [PORT]

It listens on this machine only, without TLS: put a web server with a
certificate before it.  docs/formats/webhook.md explains every check.
"""
import hashlib
import hmac
import http.server
import json
import sys
import threading
import time

WINDOW_S = 300  # how old, or how far ahead, an event may be
MAX_BODY_BYTES = 1 << 20


def decide(event):
    """What we came for: yes or no to an event of the agent."""
    if "--force" in event.get("command", ""):
        return {"permission": "deny", "user_message": "no forced pushes"}
    return {"permission": "allow"}


def problem_with(secret, headers, body, now):
    """Why a request must not be believed; None when it may be."""
    stamp = headers.get("X-Belay-Timestamp", "")
    if not (stamp.isascii() and stamp.isdigit()):
        return "no timestamp"
    if abs(now - int(stamp)) > WINDOW_S:
        return "the timestamp is too old, or our clocks differ"
    signed = stamp.encode() + b"." + body
    mac = "v1=" + hmac.new(secret, signed, hashlib.sha256).hexdigest()
    given = headers.get("X-Belay-Signature", "")
    # Not ==, whose time would tell how many digits were right.
    if not hmac.compare_digest(mac.encode(), given.encode()):
        return "the signature is wrong"
    return None


class Answers:
    """What was answered in the window: a request that comes again (somebody
    has recorded it, or a network has doubled it) gets the same answer, and
    changes nothing."""

    def __init__(self):
        self.lock = threading.Lock()
        self.by_signature = {}

    def answer(self, signature, event, now):
        with self.lock:
            for known, (when, _) in list(self.by_signature.items()):
                if now - when > 2 * WINDOW_S:
                    del self.by_signature[known]
            if signature not in self.by_signature:
                self.by_signature[signature] = (now, decide(event))
            return self.by_signature[signature][1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    disable_nagle_algorithm = True  # an agent waits for the answer
    secret = b""
    answers = Answers()

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.reply(413, "too long")
        body = self.rfile.read(int(length))
        problem = problem_with(self.secret, self.headers, body, time.time())
        if problem:
            return self.reply(401, problem)
        signature = self.headers["X-Belay-Signature"]
        answer = self.answers.answer(signature, json.loads(body), time.time())
        return self.reply(200, json.dumps(answer))

    def reply(self, status, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *args):
        delivery = self.headers.get("X-Belay-Delivery", "-")
        print(delivery, format % args, file=sys.stderr, flush=True)


def main():
    with open(sys.argv[1], "rb") as file:
        Handler.secret = file.read().rstrip(b"\r\n")
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8930
    address = ("127.0.0.1", port)
    http.server.ThreadingHTTPServer(address, Handler).serve_forever()


if __name__ == "__main__":
    main()
