# SPDX-License-Identifier: Apache-2.0
"""A tool-using loop in the shape of Anthropic's client, guarded by belay.

    python3 anthropic_loop.py FOLDER     (FOLDER has .belay)

In place of anthropic.Anthropic() there is a mock, so that this runs anywhere.
"""
import sys

from guard import Guard
from mock_model import Anthropic

TOOLS = [{"name": "Bash", "description": "Runs a command line",
          "input_schema": {"type": "object", "properties": {"command": {"type": "string"}},
                           "required": ["command"]}}]


def loop(client, guard, task):
    messages = [{"role": "user", "content": task}]
    while True:
        answer = client.messages.create(
            model="mock", max_tokens=1000, messages=messages, tools=TOOLS)
        messages.append({"role": "assistant", "content": answer.content})
        results = []
        for block in answer.content:
            if block.type == "tool_use":
                result = guard.run(block.name, block.input)
                print(result.strip().splitlines()[0])
                results.append({"type": "tool_result", "tool_use_id": block.id,
                                "content": result, "is_error": result.startswith("refused")})
        if answer.stop_reason != "tool_use":
            return answer.content[0].text
        messages.append({"role": "user", "content": results})


def ask(question, arguments):
    print("asked:", question)
    return arguments["command"] == "echo deploy to staging"


print(loop(Anthropic(), Guard(sys.argv[1], ask), "Try what you may."))
