#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py FOLDER: what tests/live/rego-network/stories sends requests to.

Three servers on loopback: http, https with FOLDER/server.pem, and https that
wants a client certificate of FOLDER/ca.pem.  Their ports are written to
FOLDER/ports; each request adds a line to FOLDER/seen.
"""
import http.server
import json
import os
import ssl
import sys
import threading
import time

FOLDER = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="text/plain", more=()):
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        for name, value in more:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode("latin1")
        path, _, query = self.path.partition("?")
        with open(os.path.join(FOLDER, "seen"), "a", encoding="ascii") as file:
            file.write(self.command + " " + self.path + "\n")
        if path == "/echo":
            headers = {k.lower(): v for k, v in self.headers.items()}
            seen = {"method": self.command, "path": self.path,
                    "headers": headers, "body": body}
            self.answer(200, json.dumps(seen).encode(), "application/json")
        elif path == "/json":
            self.answer(200, b'{"a":[1,{"b":null}]}', "application/json",
                        [("X-Two", "1"), ("x-two", "2")])
        elif path == "/to":
            self.answer(int(query.split(",")[0]), b"", "text/plain",
                        [("Location", query.split(",")[1])])
        elif path == "/slow":
            time.sleep(5)
            self.answer(200, b"late")
        elif path == "/large":
            self.answer(200, b"x" * int(query))
        elif path == "/drop":
            self.close_connection = True
            self.connection.close()
        else:
            self.answer(404, b"none")

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_any


def serve(wants_client=None):
    """Starts a server, of TLS unless wants_client is None; its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if wants_client is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(FOLDER, "server.pem"))
        if wants_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(os.path.join(FOLDER, "ca.pem"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


PORTS = [serve(), serve(False), serve(True)]
with open(os.path.join(FOLDER, "ports.new"), "w", encoding="ascii") as out:
    out.write(" ".join(str(port) for port in PORTS) + "\n")
os.rename(os.path.join(FOLDER, "ports.new"), os.path.join(FOLDER, "ports"))
while True:
    time.sleep(1000)
