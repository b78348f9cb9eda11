# SPDX-License-Identifier: Apache-2.0
"""Clients in the shape of OpenAI's and Anthropic's, whose model calls one tool
after the other and then says what it was told."""
import json
from types import SimpleNamespace as Object

COMMANDS = ["echo hello", "echo test", "echo deploy to staging", "echo deploy to production",
            "rm -rf ~"]


class OpenAI:
    def __init__(self):
        self.chat = Object(completions=Object(create=self._create))

    def _create(self, model, messages, tools):
        results = [m["content"] for m in messages
                   if isinstance(m, dict) and m["role"] == "tool"]
        if len(results) == len(COMMANDS):
            refused = sum(text.startswith("refused") for text in results)
            message = Object(content=f"{refused} refused", tool_calls=None)
        else:
            call = Object(id=f"call_{len(results)}", function=Object(
                name=tools[0]["function"]["name"],
                arguments=json.dumps({"command": COMMANDS[len(results)]})))
            message = Object(content=None, tool_calls=[call])
        return Object(choices=[Object(message=message)])


class Anthropic:
    def __init__(self):
        self.messages = Object(create=self._create)

    def _create(self, model, max_tokens, messages, tools):
        results = [block for m in messages if isinstance(m["content"], list)
                   for block in m["content"] if isinstance(block, dict)]
        if len(results) == len(COMMANDS):
            refused = sum(block["is_error"] for block in results)
            return Object(stop_reason="end_turn",
                          content=[Object(type="text", text=f"{refused} refused")])
        return Object(stop_reason="tool_use", content=[Object(
            type="tool_use", id=f"toolu_{len(results)}", name=tools[0]["name"],
            input={"command": COMMANDS[len(results)]})])
