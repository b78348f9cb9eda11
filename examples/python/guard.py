# SPDX-License-Identifier: Apache-2.0
"""The guard of both loops: what belay says of a tool call before it is made."""
import subprocess

import belay


class Guard:
    def __init__(self, folder, ask, **options):
        self.engine = belay.Engine(agent="claude", policy_dir=folder, **options)
        self.ask = ask  # gets the question and the arguments, says whether to go on

    def run(self, tool, arguments):
        """Runs a tool call that is allowed, as it is allowed; else says why not."""
        try:
            reply = self.engine.dispatch("PreToolUse", {
                "hook_event_name": "PreToolUse", "tool_name": tool,
                "tool_input": arguments})
        except belay.Error as error:  # no decision is a refusal
            return f"refused: {error}"
        is_granted = reply.must_ask and self.ask(reply.user_text, arguments)
        if not reply.is_allowed and not is_granted:
            return f"refused: {reply.model_text or reply.user_text}"
        return self.call(**(reply.updated_input or arguments))

    @staticmethod
    def call(command):
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        return done.stdout + done.stderr
