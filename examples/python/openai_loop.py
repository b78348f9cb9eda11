# SPDX-License-Identifier: Apache-2.0
"""A tool-calling loop in the shape of OpenAI's client, guarded by belay.

    python3 openai_loop.py FOLDER        (FOLDER has .belay)

In place of openai.OpenAI() there is a mock, so that this runs anywhere.
"""
import json
import sys

from guard import Guard
from mock_model import OpenAI

TOOLS = [{"type": "function", "function": {
    "name": "Bash", "description": "Runs a command line",
    "parameters": {"type": "object", "properties": {"command": {"type": "string"}},
                   "required": ["command"]}}}]


def loop(client, guard, task):
    messages = [{"role": "user", "content": task}]
    while True:
        answer = client.chat.completions.create(
            model="mock", messages=messages, tools=TOOLS).choices[0].message
        messages.append(answer)
        if not answer.tool_calls:
            return answer.content
        for call in answer.tool_calls:
            result = guard.run(call.function.name, json.loads(call.function.arguments))
            print(result.strip().splitlines()[0])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def ask(question, arguments):
    print("asked:", question)
    return arguments["command"] == "echo deploy to staging"


print(loop(OpenAI(), Guard(sys.argv[1], ask), "Try what you may."))
