# SPDX-License-Identifier: Apache-2.0
"""Rego, the policy language of the Open Policy Agent: compile once, ask often.

    from belay import rego

    policies = rego.compile({"authz.rego": '''
        package authz
        default allow := false
        allow if input.user == data.owner
    '''}, data={"owner": "ann"})
    query = policies.query("data.authz.allow")
    query.is_true({"user": "ann"})      # True

Inputs and results are what the module json reads and writes.  Whatever is raised
means "no".  Policies and queries may be used by many threads at once.
"""
from __future__ import annotations

import collections
import enum
import os

from ._rego import Asker, ffi, lib

# Annotations are not evaluated: what they alone need is not imported, nor what is
# needed only sometimes (json), since a tool is started for every single action.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping, Optional, Sequence, Union

    Text = Union[str, bytes]

#: No input, for Query.run.
NO_INPUT: Any = object()


class Status(enum.IntEnum):
    """Why a call failed."""

    USAGE = lib.REGO_USAGE
    SYNTAX = lib.REGO_SYNTAX
    INVALID = lib.REGO_INVALID
    NOT_FOUND = lib.REGO_NOT_FOUND
    EXISTS = lib.REGO_EXISTS
    UNSUPPORTED = lib.REGO_UNSUPPORTED
    NO_MEMORY = lib.REGO_NO_MEMORY
    SYSTEM = lib.REGO_SYSTEM
    LIMIT = lib.REGO_LIMIT
    TIMEOUT = lib.REGO_TIMEOUT


class Diagnostic(collections.namedtuple(
        "Diagnostic", "severity code file line column message")):
    """A finding of the compiler, with its place."""

    __slots__ = ()
    severity: str
    code: str
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class Error(Exception):
    """A call failed.  diagnostics has every finding of a compiler that refused."""

    def __init__(self, status: int, message: str,
                 diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__("\n".join(map(str, diagnostics)) or message)
        self.status = Status(status)
        self.diagnostics = tuple(diagnostics)


def _bytes(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _dump(value: Any) -> bytes:
    """Its JSON; TypeError, ValueError."""
    import json

    return json.dumps(value, separators=(",", ":")).encode()


def _load(text: bytes) -> Any:
    import json

    return json.loads(text)


def _new_error() -> Any:
    error = ffi.new("rego_error *")
    error.struct_size = ffi.sizeof("rego_error")
    return error


def _raise(status: int, error: Any, diagnostics: Sequence[Diagnostic] = ()) -> None:
    raise Error(status, ffi.string(error.message).decode(errors="replace"), diagnostics)


def _refuse(status: int, message: bytes) -> None:
    raise Error(status, message.decode(errors="replace"))


def _checked(call: Callable[..., int], *arguments: Any) -> None:
    error = _new_error()
    status = call(*arguments, error)
    if status:
        _raise(status, error)


def _take(text: Any) -> bytes:
    """The bytes of a text of C, which is freed."""
    try:
        return bytes(ffi.buffer(lib.rego_text_data(text), lib.rego_text_size(text)))
    finally:
        lib.rego_text_free(text)


def _compiled(call: Callable[..., int], out: Any, *arguments: Any) -> Any:
    """What a compiler makes, or its diagnostics as an exception."""
    found, error = ffi.new("rego_text **"), _new_error()
    status = call(*arguments, out, found, error)
    diagnostics = [] if found[0] == ffi.NULL else [
        Diagnostic(*map(one.get, Diagnostic._fields)) for one in _load(_take(found[0]))]
    if status:
        _raise(status, error, diagnostics)
    return out[0]


class Function:
    """A function of yours that policies may call: rego.compile(functions=...).

    call gets its operands as values of json and returns one, or None for
    undefined.  args and result are types as OPA's capabilities.json has them.
    """

    __slots__ = ("call", "args", "result", "is_nondeterministic")

    def __init__(self, call: Callable[..., Any], args: Sequence[Mapping[str, Any]],
                 result: Optional[Mapping[str, Any]] = None,
                 is_nondeterministic: bool = False) -> None:
        self.call, self.args = call, args
        self.result = {"type": "any"} if result is None else result
        self.is_nondeterministic = is_nondeterministic


@ffi.def_extern(error=lib.REGO_INVALID)
def rego_py_call(context: Any, call: Any) -> int:
    try:
        operands = [_load(ffi.string(lib.rego_call_operand(call, i)))
                    for i in range(lib.rego_call_count(call))]
        result = ffi.from_handle(context)(*operands)
        if result is not None:
            text = _dump(result)
            return lib.rego_call_return(call, text, len(text))
        return lib.REGO_OK
    except Exception as failure:
        lib.rego_call_fail(call, f"{type(failure).__name__}: {failure}".encode())
        return lib.REGO_INVALID


@ffi.def_extern()
def rego_py_print(context: Any, text: Any, size: int) -> None:
    ffi.from_handle(context)(bytes(ffi.buffer(text, size)).decode(errors="replace"))


class Result:
    """What a query came to for one input."""

    def __init__(self, result: Any) -> None:
        self._result = ffi.gc(result, lib.rego_result_free)

    def _json(self, text: Any) -> Any:
        return None if text == ffi.NULL else _load(ffi.string(text))

    @property
    def is_defined(self) -> bool:
        return lib.rego_result_value(self._result) != ffi.NULL

    @property
    def is_true(self) -> bool:
        return bool(lib.rego_result_is_true(self._result))

    @property
    def value(self) -> Any:
        """The first value; None also when it is undefined (is_defined)."""
        return self._json(lib.rego_result_value(self._result))

    @property
    def solutions(self) -> Sequence[Mapping[str, Any]]:
        """All of them, each with "expressions" and "bindings"."""
        return self._json(lib.rego_result_solutions(self._result)) or []

    @property
    def explanation(self) -> Any:
        """Why, when it was run with explain=True; else None."""
        return self._json(lib.rego_result_explanation(self._result))


class Query(Asker):
    """A query that was compiled; it keeps its policies.

    Of its base are the quickest ways to ask: is_true(input=NO_INPUT), is the value
    true?, and value(input=NO_INPUT, default=None), the first value, or default when it
    is undefined.  The input is a value of json, or bytes that are JSON.
    """

    def __new__(cls, query: Any, kept: Any) -> "Query":
        return super().__new__(cls, int(ffi.cast("uintptr_t", query)), _dump, _refuse,
                               NO_INPUT)

    def __init__(self, query: Any, kept: Any) -> None:
        self._query = ffi.gc(query, lib.rego_query_free)
        self._kept = kept

    def _run(self, input: Any, options: Any) -> Any:
        if input is NO_INPUT:
            text, size = ffi.NULL, 0
        else:
            text = input if isinstance(input, bytes) else _dump(input)
            size = len(text)
        out = ffi.new("rego_result **")
        _checked(lib.rego_query_run, self._query, options, text, size, out)
        return out[0]

    def run(self, input: Any = NO_INPUT, *, timeout_ms: int = 0, max_steps: int = 0,
            max_bytes: int = 0, now_ns: int = 0, strict_errors: bool = False,
            explain: bool = False, print: Optional[Callable[[str], None]] = None) -> Result:
        """Answers it for an input: a value of json, or bytes that are JSON.

        Error INVALID when the evaluation fails, LIMIT, or TIMEOUT.
        """
        options = ffi.new("rego_run_options *")
        options.struct_size = ffi.sizeof("rego_run_options")
        options.flags = (strict_errors and lib.REGO_STRICT_ERRORS) | (
            explain and lib.REGO_EXPLAIN)
        options.timeout_ms, options.max_steps = timeout_ms, max_steps
        options.max_bytes, options.now_ns = max_bytes, now_ns
        handle = print and ffi.new_handle(print)
        if handle:
            options.print_context, options.print = handle, lib.rego_py_print
        return Result(self._run(input, options))


class Policies:
    """Policies that were compiled, with their data."""

    def __init__(self, policies: Any, kept: Any = None) -> None:
        self._policies = ffi.gc(policies, lib.rego_policies_free)
        self._kept = kept  # handles of functions

    def query(self, text: str) -> Query:
        """Compiles a query: "data.authz.allow", or "data.a.b[x]; x > 1"."""
        query = _compiled(lib.rego_query_new, ffi.new("rego_query **"), self._policies,
                          text.encode())
        return Query(query, (self, self._kept))

    def with_data(self, data: Mapping[str, Any]) -> "Policies":
        """These policies with other data; nothing is compiled."""
        out, text = ffi.new("rego_policies **"), _dump(data)
        _checked(lib.rego_policies_with_data, self._policies, text, len(text), out)
        return Policies(out[0], self._kept)

    def image(self) -> bytes:
        """For rego.open, with the same version on the same kind of machine."""
        out = ffi.new("rego_text **")
        _checked(lib.rego_policies_image, self._policies, out)
        return _take(out[0])


def compile(modules: Mapping[str, Text] = {}, *, data: Optional[Mapping[str, Any]] = None,
            bundles: Sequence[Union[str, "os.PathLike[str]"]] = (),
            functions: Mapping[str, Function] = {}, v0: bool = False, strict: bool = False,
            keep_print: bool = False, explainable: bool = False, max_bytes: int = 0,
            capabilities: Optional[Text] = None, schemas: Optional[Text] = None) -> Policies:
    """Compiles modules by name, data, and bundles of OPA.

    Error INVALID when policies are wrong: its diagnostics say where.
    """
    options = ffi.new("rego_compiler_options *")
    options.struct_size = ffi.sizeof("rego_compiler_options")
    options.flags = ((v0 and lib.REGO_V0) | (strict and lib.REGO_STRICT) |
                     (keep_print and lib.REGO_KEEP_PRINT) |
                     (explainable and lib.REGO_EXPLAINABLE))
    options.max_bytes = max_bytes
    kept: list[Any] = []
    for name, text in (("capabilities", capabilities), ("schemas", schemas)):
        if text is not None:
            kept.append(ffi.new("char[]", _bytes(text)))
            setattr(options, name, kept[-1])
    out = ffi.new("rego_compiler **")
    _checked(lib.rego_compiler_new, options, out)
    compiler = ffi.gc(out[0], lib.rego_compiler_free)
    for name, text in modules.items():
        text = _bytes(text)
        _checked(lib.rego_compiler_add_module, compiler, name.encode(), text, len(text))
    if data is not None:
        text = _dump(data)
        _checked(lib.rego_compiler_add_data, compiler, text, len(text))
    for path in bundles:
        _checked(lib.rego_compiler_add_bundle, compiler, os.fsencode(path))
    for name, function in functions.items():
        kept.append(_add_function(compiler, name, function))
    policies = _compiled(lib.rego_compile, ffi.new("rego_policies **"), compiler)
    return Policies(policies, kept)


def _add_function(compiler: Any, name: str, function: Function) -> Any:
    row = ffi.new("rego_function *")
    row.struct_size = ffi.sizeof("rego_function")
    handle = ffi.new_handle(function.call)
    texts = (ffi.new("char[]", name.encode()),
             ffi.new("char[]", _dump({"type": "function", "args": list(function.args),
                                      "result": function.result})))
    row.name, row.declaration = texts
    row.is_nondeterministic = function.is_nondeterministic
    row.context, row.call = handle, lib.rego_py_call
    _checked(lib.rego_compiler_add_function, compiler, row)
    return handle


def open(image: bytes) -> Policies:
    """Opens what Policies.image() or `belay rego build -t image` wrote."""
    out = ffi.new("rego_policies **")
    _checked(lib.rego_policies_open, ffi.from_buffer(image), len(image), out)
    return Policies(out[0])


def format(text: Text, name: str = "policy.rego", *, v0: bool = False) -> str:
    """The module as `opa fmt` lays it out."""
    out, data = ffi.new("rego_text **"), _bytes(text)
    _checked(lib.rego_format, name.encode(), data, len(data), v0 and lib.REGO_V0, out)
    return _take(out[0]).decode()


def parse(text: Text, name: str = "policy.rego", *, v0: bool = False) -> Any:
    """Its syntax tree, as `opa parse -f json` prints it."""
    out, data = ffi.new("rego_text **"), _bytes(text)
    _checked(lib.rego_parse, name.encode(), data, len(data), v0 and lib.REGO_V0, out)
    return _load(_take(out[0]))


def version() -> str:
    return ffi.string(lib.rego_version()).decode()
