# SPDX-License-Identifier: Apache-2.0
"""The hook service: engines, replies, and hooks that your own function runs.

Each object of C belongs to one object here, and is freed with it: by close(), at
the end of a with block, or when nobody has it any more.  An engine outlives its
replies, since each of them keeps it.
"""
from __future__ import annotations

import enum
import os

from ._belay import ffi, lib

# Annotations are not evaluated: what they alone need is not imported, nor what is
# needed only sometimes (json, asyncio), since a tool is started for every action.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping, Optional, Sequence, Union

    Payload = Union[str, bytes, Mapping[str, Any]]
    Path = Union[str, os.PathLike[str]]


class Status(enum.IntEnum):
    """Why a call failed: the exit statuses of belay(1)."""

    USAGE = lib.BELAY_USAGE
    SYNTAX = lib.BELAY_SYNTAX
    INVALID = lib.BELAY_INVALID
    NOT_FOUND = lib.BELAY_NOT_FOUND
    EXISTS = lib.BELAY_EXISTS
    UNSUPPORTED = lib.BELAY_UNSUPPORTED
    NO_MEMORY = lib.BELAY_NO_MEMORY
    SYSTEM = lib.BELAY_SYSTEM
    LIMIT = lib.BELAY_LIMIT
    TIMEOUT = lib.BELAY_TIMEOUT
    DENIED = lib.BELAY_DENIED
    CONFIG = lib.BELAY_CONFIG


class Verdict(enum.IntEnum):
    """What is to be enforced."""

    NONE = lib.BELAY_NONE  #: nobody said anything: go on
    ALLOW = lib.BELAY_ALLOW
    ASK = lib.BELAY_ASK  #: ask the user
    DENY = lib.BELAY_DENY


class Flag(enum.IntFlag):
    """Flags of an engine; belay.h says what each does."""

    LENIENT = lib.BELAY_LENIENT
    NO_PROJECT_GATE = lib.BELAY_NO_PROJECT_GATE
    TRUST_ALL = lib.BELAY_TRUST_ALL
    NO_LOG = lib.BELAY_NO_LOG
    LOG_PAYLOAD = lib.BELAY_LOG_PAYLOAD
    NO_POLICIES = lib.BELAY_NO_POLICIES
    WITH_HOOKS = lib.BELAY_WITH_HOOKS
    EXPLAIN = lib.BELAY_EXPLAIN


class Error(Exception):
    """A call failed; there is no decision.  status says why, for programs."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = Status(status)


def _text(pointer: Any) -> Optional[str]:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def _load(text: Union[str, bytes]) -> Any:
    import json

    return json.loads(text)


def _bytes(payload: Payload) -> bytes:
    if isinstance(payload, bytes):
        return payload
    if isinstance(payload, str):
        return payload.encode()
    import json

    return json.dumps(payload, separators=(",", ":")).encode()


def _path(path: Optional[Path]) -> Any:
    return ffi.NULL if path is None else ffi.new("char[]", os.fsencode(path))


def _word(text: Optional[str]) -> Any:
    return ffi.NULL if text is None else ffi.new("char[]", text.encode())


def _checked(call: Callable[..., int], *arguments: Any) -> None:
    error = ffi.new("belay_error *")
    error.struct_size = ffi.sizeof("belay_error")
    status = call(*arguments, error)
    if status:
        raise Error(status, ffi.string(error.message).decode(errors="replace"))


def _taken(call: Callable[..., int], *arguments: Any) -> Any:
    """What a function puts into its out_text, from JSON."""
    out = ffi.new("belay_text **")
    _checked(call, *arguments, out)
    try:
        return _load(ffi.buffer(lib.belay_text_data(out[0]),
                                     lib.belay_text_size(out[0]))[:])
    finally:
        lib.belay_text_free(out[0])


class Call:
    """One hook to run, given to your own executor; valid while that runs."""

    def __init__(self, call: Any) -> None:
        self._call = call

    @property
    def event(self) -> str:
        return _text(lib.belay_call_event(self._call)) or ""

    @property
    def command(self) -> str:
        return _text(lib.belay_call_command(self._call)) or ""

    @property
    def definition(self) -> Mapping[str, Any]:
        """The hook as `belay hooks list --json` shows it."""
        return _load(_text(lib.belay_call_definition_json(self._call)) or "{}")

    @property
    def payload(self) -> bytes:
        """What its standard input gets."""
        size = ffi.new("size_t *")
        data = lib.belay_call_payload(self._call, size)
        return bytes(ffi.buffer(data, size[0]))

    @property
    def folder(self) -> Optional[str]:
        return _text(lib.belay_call_dir(self._call))

    @property
    def timeout_ms(self) -> int:
        return lib.belay_call_timeout_ms(self._call)

    @property
    def is_over(self) -> bool:
        """Its time has passed, or the dispatch was given up: return soon."""
        return bool(lib.belay_call_is_over(self._call))

    def exit(self, code: int, output: bytes = b"", errors: bytes = b"") -> None:
        """It ended with this exit status, and wrote this."""
        out = ffi.new("belay_call_output *")
        out.struct_size = ffi.sizeof("belay_call_output")
        kept = ffi.from_buffer(output), ffi.from_buffer(errors)
        out.output, out.output_size = kept[0], len(output)
        out.errors, out.errors_size = kept[1], len(errors)
        lib.belay_call_exit(self._call, code, out)

    def fail(self, why: str) -> None:
        """It could not be run."""
        lib.belay_call_fail(self._call, why.encode())


@ffi.def_extern()
def belay_py_run(context: Any, call: Any) -> None:
    one = Call(call)
    try:
        ffi.from_handle(context)(one)
    except Exception as failure:  # a hook that fails must not look like one that answered
        one.fail(f"{type(failure).__name__}: {failure}")


class Reply:
    """The decision about one event."""

    def __init__(self, engine: "Engine", reply: Any) -> None:
        self._reply = ffi.gc(reply, lib.belay_reply_free)
        self._engine = engine  # behind it: attributes are let go in this order

    def close(self) -> None:
        """Frees it; nothing of it may be used afterwards."""
        ffi.release(self._reply)
        self._reply = ffi.NULL

    def __enter__(self) -> "Reply":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def verdict(self) -> Verdict:
        return Verdict(lib.belay_reply_verdict(self._reply))

    @property
    def is_allowed(self) -> bool:
        """Go on: nobody refused, and nobody has to be asked."""
        return lib.belay_reply_verdict(self._reply) in (lib.BELAY_NONE, lib.BELAY_ALLOW)

    @property
    def must_ask(self) -> bool:
        return lib.belay_reply_verdict(self._reply) == lib.BELAY_ASK

    @property
    def user_text(self) -> str:
        return _text(lib.belay_reply_user_text(self._reply)) or ""

    @property
    def model_text(self) -> str:
        return _text(lib.belay_reply_model_text(self._reply)) or ""

    @property
    def error_text(self) -> str:
        return _text(lib.belay_reply_error_text(self._reply)) or ""

    @property
    def followup(self) -> Optional[str]:
        """The prompt to submit next."""
        return _text(lib.belay_reply_followup(self._reply))

    @property
    def code(self) -> Optional[str]:
        """Of a refusal: a word for programs."""
        return _text(lib.belay_reply_code(self._reply))

    @property
    def result(self) -> Mapping[str, Any]:
        """The whole result: docs/formats/result.md."""
        return _load(_text(lib.belay_reply_json(self._reply)) or "{}")

    @property
    def answer(self) -> Mapping[str, Any]:
        """The answer in the agent's own format; {} when there is nothing to say."""
        return _load(_text(lib.belay_reply_answer_json(self._reply)) or "{}")

    @property
    def updated_input(self) -> Optional[Mapping[str, Any]]:
        """The input of the tool to use in place of yours; None: yours.

        With agents that take a patch (factory, crush, opencode), its changed fields.
        """
        answer = self.answer
        own = answer.get("hookSpecificOutput") or {}
        for place, name in ((answer, "updated_input"), (own, "updatedInput"),
                            (own, "tool_input"), (answer, "overrideInput"),
                            (answer, "args"), (answer, "arguments")):
            if name in place:
                return place[name]
        return None

    @property
    def exit_code(self) -> int:
        """With an agent: the exit status of its hook."""
        return lib.belay_reply_exit_code(self._reply)

    @property
    def exit_errors(self) -> str:
        return _text(lib.belay_reply_exit_errors(self._reply)) or ""

    @property
    def notices(self) -> Sequence[str]:
        return [_text(lib.belay_reply_notice(self._reply, i)) or ""
                for i in range(lib.belay_reply_notice_count(self._reply))]

    @property
    def is_recorded(self) -> bool:
        return bool(lib.belay_reply_recorded(self._reply))

    def explanation(self) -> Mapping[str, Any]:
        """Why, in full; with Flag.EXPLAIN what made each rule fire."""
        return _taken(lib.belay_reply_explanation, self._reply)

    def __repr__(self) -> str:
        if self._reply == ffi.NULL:
            return "<belay.Reply, closed>"
        return f"<belay.Reply {self.verdict.name}: {self.user_text!r}>"


class Engine:
    """Loads hooks and policies, and decides events by them.

    It may be used by many threads at once; close() must be the last call.
    """

    def __init__(self, *, workspaces: Sequence[Path] = (), profile: Optional[str] = None,
                 agent: Optional[str] = None, home: Optional[Path] = None,
                 state_dir: Optional[Path] = None, system_root: Optional[Path] = None,
                 plugins: Sequence[Path] = (), policy_dir: Optional[Path] = None,
                 global_config: Optional[Path] = None, agent_version: Optional[str] = None,
                 least_sandbox: Optional[str] = None, policy_timeout_ms: int = 0,
                 flags: Flag = Flag(0), run: Optional[Callable[[Call], None]] = None) -> None:
        self._engine = ffi.NULL
        options = ffi.new("belay_engine_options *")
        options.struct_size = ffi.sizeof("belay_engine_options")
        kept: list[Any] = []

        def keep(value: Any) -> Any:
            kept.append(value)
            return value

        def folders(paths: Sequence[Path]) -> Any:
            return keep(ffi.new("char *[]", [keep(_path(path)) for path in paths]))

        options.flags = int(flags)
        options.workspaces, options.workspace_count = folders(workspaces), len(workspaces)
        options.plugins, options.plugin_count = folders(plugins), len(plugins)
        for name, path in (("home", home), ("state_dir", state_dir),
                           ("system_root", system_root), ("policy_dir", policy_dir),
                           ("global_config", global_config)):
            setattr(options, name, keep(_path(path)))
        for name, word in (("profile", profile), ("agent", agent),
                           ("agent_version", agent_version), ("least_sandbox", least_sandbox)):
            setattr(options, name, keep(_word(word)))
        options.policy_timeout_ms = policy_timeout_ms
        self._run = None
        if run is not None:
            self._run = ffi.new_handle(run)
            options.run, options.run_context = lib.belay_py_run, self._run
        out = ffi.new("belay_engine **")
        _checked(lib.belay_engine_new, options, out)
        self._engine = ffi.gc(out[0], lib.belay_engine_free)

    def close(self) -> None:
        """Lets go of the engine, which is freed with the last of its replies."""
        self._engine = ffi.NULL

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _open(self) -> Any:
        if self._engine == ffi.NULL:
            raise ValueError("the engine is closed")
        return self._engine

    def dispatch(self, event: Optional[str], payload: Payload, *,
                 timeout_ms: int = 0) -> Reply:
        """Decides one event; other threads run meanwhile.

        event None: the payload's hook_event_name says which.
        """
        engine, data = self._open(), _bytes(payload)
        out = ffi.new("belay_reply **")
        options, _kept = _dispatch_options(event, timeout_ms)
        _checked(lib.belay_engine_dispatch_with, engine, options, ffi.from_buffer(data),
                 len(data), out)
        return Reply(_Owner(engine, self._run), out[0])

    async def dispatch_async(self, event: Optional[str], payload: Payload, *,
                             timeout_ms: int = 0) -> Reply:
        """As dispatch, for a program with asyncio: no thread of Python waits.

        A task that is cancelled gives the dispatch up, and its hooks are ended.
        Error LIMIT when belay has lib.BELAY_MAX_OPERATIONS of them already.
        """
        engine, data = self._open(), _bytes(payload)
        out = ffi.new("belay_operation **")
        options, _kept = _dispatch_options(event, timeout_ms)
        _checked(lib.belay_dispatch_start, engine, options, ffi.from_buffer(data),
                 len(data), out)
        operation = out[0]
        try:
            await _until_readable(lib.belay_operation_fd(operation))
            reply = ffi.new("belay_reply **")
            _checked(lib.belay_operation_collect, operation, reply)
            return Reply(_Owner(engine, self._run), reply[0])
        finally:
            lib.belay_operation_free(operation)  # gives up what is not done

    def reload(self) -> None:
        """Reads every source again; on failure the old set stays."""
        _checked(lib.belay_engine_reload, self._open())

    def reload_if_changed(self) -> bool:
        changed = ffi.new("int32_t *")
        _checked(lib.belay_engine_reload_if_changed, self._open(), changed)
        return bool(changed[0])

    def has_hook(self, event: str) -> bool:
        """May an event of this name concern a hook?"""
        return bool(lib.belay_engine_has_hook(self._open(), event.encode()))

    def add_workspace(self, path: Path) -> None:
        _checked(lib.belay_engine_add_workspace, self._open(), _path(path))

    def remove_workspace(self, path: Path) -> None:
        _checked(lib.belay_engine_remove_workspace, self._open(), _path(path))

    def trust(self, path: Path, *, whole: bool = False) -> None:
        """As `belay trust add`; ask the user before."""
        _checked(lib.belay_engine_trust, self._open(), _path(path), whole)

    def untrust(self, path: Path) -> None:
        _checked(lib.belay_engine_untrust, self._open(), _path(path))

    def hooks(self) -> Mapping[str, Any]:
        """What `belay hooks list --json` prints."""
        return _taken(lib.belay_engine_hooks_json, self._open())

    def log(self, most: int = 100) -> Sequence[Mapping[str, Any]]:
        """The last records of the log, oldest first."""
        return _taken(lib.belay_engine_log_json, self._open(), most)

    def explain(self, event: Optional[str], payload: Payload) -> Mapping[str, Any]:
        """Which hooks would run on this payload; none is run."""
        data = _bytes(payload)
        return _taken(lib.belay_engine_explain_json, self._open(), _word(event),
                      ffi.from_buffer(data), len(data))


class _Owner:
    """What a reply keeps, so that its engine is freed after it."""

    def __init__(self, engine: Any, run: Any) -> None:
        self.engine, self.run = engine, run


def _dispatch_options(event: Optional[str], timeout_ms: int) -> Any:
    options = ffi.new("belay_dispatch_options *")
    options.struct_size = ffi.sizeof("belay_dispatch_options")
    name = _word(event)
    options.event, options.timeout_ms = name, timeout_ms
    return options, name


async def _until_readable(descriptor: int) -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(descriptor, wake)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


def version() -> str:
    return _text(lib.belay_version()) or ""


def profiles() -> Sequence[str]:
    """The names of all profiles, the default first."""
    names: list[str] = []
    while (name := _text(lib.belay_profile_name(len(names)))) is not None:
        names.append(name)
    return names


def profile(name: Optional[str] = None) -> Mapping[str, Any]:
    """The events of a profile, and what each can do."""
    return _taken(lib.belay_profile_json, _word(name))


def validate_hooks(text: Union[str, bytes], *, profile: Optional[str] = None,
                   source: Optional[str] = None) -> Mapping[str, Any]:
    """Checks the text of a hook file: "valid" and "diagnostics"."""
    data = _bytes(text)
    return _taken(lib.belay_hooks_validate, _word(profile), _word(source),
                  ffi.from_buffer(data), len(data))


def validate_output(event: str, output: Union[str, bytes], *,
                    profile: Optional[str] = None) -> Mapping[str, Any]:
    """Checks what a hook printed at an event: "valid", "outcome", "verdict"."""
    data = _bytes(output)
    return _taken(lib.belay_output_validate, _word(profile), _word(event),
                  ffi.from_buffer(data), len(data))
