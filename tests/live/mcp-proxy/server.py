#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py LOG: an MCP server for the tests: one tool, `do`, that says what
its argument `text` says; some words do other things.  Every line that it gets
goes into LOG, byte for byte."""
import json
import os
import sys
import time

log = open(sys.argv[1], "ab", buffering=0)


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(message):
    if message.get("method") != "tools/call":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"v": 1.50}}
    text = message["params"].get("arguments", {}).get("text", "")
    if text == "die":
        os.kill(os.getpid(), 9)
    if text == "exit":
        sys.exit(7)
    if text == "print":
        say("a line of the server's log")
    if text == "large":
        text = "x" * 3000000
    return {"jsonrpc": "2.0", "id": message["id"],
            "result": {"content": [{"type": "text", "text": text}]}}


for line in sys.stdin.buffer:
    log.write(line)
    message = json.loads(line)
    if isinstance(message, dict) and "id" in message:
        say(json.dumps(answer(message)))
if len(sys.argv) > 2:
    time.sleep(600)  # does not end with its input
