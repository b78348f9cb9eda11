# SPDX-License-Identifier: Apache-2.0
"""belay: hooks and policies of AI coding agents, for agents in Python.

    import belay

    with belay.Engine(workspaces=["."]) as engine:
        reply = engine.dispatch("beforeShellExecution", {"command": "git push --force"})
        if reply.is_allowed:
            ...                      # do it
        else:
            print(reply.user_text)   # do not

Whatever is raised means that there is no decision: do not do what you asked
about.  belay.rego is the policy language alone.
"""
from ._engine import (Call, Engine, Error, Flag, Reply, Status, Verdict, profile,
                      profiles, validate_hooks, validate_output, version)

__all__ = ["Call", "Engine", "Error", "Flag", "Reply", "Status", "Verdict", "profile",
           "profiles", "validate_hooks", "validate_output", "version"]
__version__ = version()
