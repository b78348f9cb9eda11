#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py FOLDER [PORT SECONDS]: the receiver of tests/live/webhook/stories.

An HTTPS server with FOLDER/server.pem.  The path of a request says how it
behaves; what it saw goes to FOLDER/seen, one JSON object a line.  The port is
written to FOLDER/port once it listens.  With SECONDS, it begins to listen that
long after FOLDER/go is there.
"""
import gzip
import hashlib
import hmac
import http.server
import json
import os
import socket
import ssl
import sys
import time

FOLDER = sys.argv[1]
with open(os.path.join(FOLDER, "secret"), "rb") as file:
    SECRET = file.read().rstrip(b"\n")
WINDOW_S = 300


def check(headers, body):
    """What a receiver must check before it believes a word."""
    stamp = headers.get("X-Belay-Timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > WINDOW_S:
        return "stale"
    mac = hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256)
    given = headers.get("X-Belay-Signature", "")
    good = hmac.compare_digest("v1=" + mac.hexdigest(), given)
    return "good" if good else "wrong"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.note(b"")
        self.answer(b'{"permission":"allow"}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.verdict = self.note(body)
        story = self.path.split("?")[0].strip("/").replace("-", "_")
        getattr(self, "story_" + story)()

    def note(self, body):
        verdict = check(self.headers, body)
        line = {
            "method": self.command,
            "path": self.path,
            "signature": verdict,
            "headers": {k.lower(): v for k, v in self.headers.items()},
            "body": body.decode(),
            "peer": self.client_address[1],
        }
        with open(os.path.join(FOLDER, "seen"), "a") as out:
            out.write(json.dumps(line) + "\n")
        return verdict

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    # ---- one function for each path ----------------------------------

    def story_deny(self):
        self.answer(b'{"permission":"deny","user_message":"not today"}')

    def story_allow(self):
        self.answer(b'{"permission":"allow"}')

    def story_checked(self):
        if self.verdict == "good":
            self.answer(b'{"permission":"allow"}')
        else:
            self.answer(b"the signature is wrong", 401)

    def story_created(self):
        self.answer(b'{"permission":"deny"}', 201)

    def story_empty(self):
        self.answer(b"", 204)

    def story_block(self):
        self.answer(b'{"decision":"block","reason":"not in this house"}')

    def story_text(self):
        self.answer(b"all is well")

    def story_error(self):
        self.answer(b"the database is on fire", 500)

    def story_redirect(self):
        self.answer(b"", 307, [("Location", "/deny")])

    def story_slow(self):
        time.sleep(8)
        self.answer(b'{"permission":"allow"}')

    def story_drip(self):
        """One byte at a time, so that no single wait is long."""
        text = b'{"permission":"allow"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        try:
            for at in range(len(text)):
                self.wfile.write(text[at : at + 1])
                time.sleep(0.4)
        except OSError:
            pass
        self.close_connection = True

    def story_huge(self):
        """Without end, if nobody hangs up."""
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            for _ in range(10000):
                self.wfile.write(b" " * 16384)
        except OSError:
            with open(os.path.join(FOLDER, "hung-up"), "w"):
                pass

    def sized(self, size):
        text = b'{"permission":"deny"}'
        self.answer(text + b" " * (size - len(text)))

    def story_exactly(self):
        self.sized(65536)

    def story_one_more(self):
        self.sized(65537)

    def story_headers(self):
        self.send_response(200)
        try:
            for at in range(2000):
                self.send_header("X-Filler-%d" % at, "x" * 1000)
                self.flush_headers()
        except OSError:
            pass
        self.close_connection = True

    def story_die(self):
        """In the middle of the answer."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"permission":')
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def story_vanish(self):
        """After the request, before any answer."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def story_gzip(self):
        """2 MB of JSON in 2 KB, for whoever unpacks it."""
        text = b'{"permission":"deny"}' + b" " * 2000000
        self.answer(gzip.compress(text), 200, [("Content-Encoding", "gzip")])

    def story_garbage(self):
        self.wfile.write(b"\x00\xff\xfe this is no HTTP\r\n\r\n")
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def wait_to_go(seconds):
    with open(os.path.join(FOLDER, "ready"), "w"):
        pass
    while not os.path.exists(os.path.join(FOLDER, "go")):
        time.sleep(0.01)
    time.sleep(seconds)


def main():
    if len(sys.argv) > 3:
        wait_to_go(float(sys.argv[3]))
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    server = Server(("127.0.0.1", port), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(FOLDER, "server.pem"))
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    with open(os.path.join(FOLDER, "port.new"), "w") as out:
        out.write(str(server.server_address[1]))
    os.rename(os.path.join(FOLDER, "port.new"), os.path.join(FOLDER, "port"))
    server.serve_forever()


main()
