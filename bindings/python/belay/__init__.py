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
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._engine import (Call, Engine, Error, Flag, Reply, Status, Verdict, profile,
                          profiles, validate_hooks, validate_output, version)

__all__ = ["Call", "Engine", "Error", "Flag", "Reply", "Status", "Verdict", "profile",
           "profiles", "validate_hooks", "validate_output", "version"]


def __getattr__(name: str) -> object:
    """The hook service is loaded when it is first named: belay.rego does without."""
    if name == "__version__":
        return __getattr__("version")()
    if name not in __all__:
        raise AttributeError(f"module 'belay' has no attribute {name!r}")
    from . import _engine

    globals().update((one, getattr(_engine, one)) for one in __all__)
    return globals()[name]


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__, "__version__"})
