# SPDX-License-Identifier: Apache-2.0
"""A model that wants one command run, and then says that it is done.

It listens on 127.0.0.1 and speaks what coding agents speak: Anthropic's
Messages, OpenAI's Chat and Responses, Gemini's generateContent, as a stream of
events or not.  A request that offers a tool for shell commands and does not have
its result yet is answered by a call of that tool; every other one by "done".
What is new in a request since the model last spoke is kept in `heard`: that is
what the agent told the model.
"""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Tools for shell commands, and the input that runs COMMAND.
SHELLS = {
    "Bash": lambda line: {"command": line, "description": "run it"},
    "bash": lambda line: {"command": line, "description": "run it"},
    "Execute": lambda line: {"command": line, "riskLevel": "low",
                             "riskLevelReason": "a test"},
    "run_shell_command": lambda line: {"command": line},
    "exec_command": lambda line: {"cmd": line},
    "shell_command": lambda line: {"command": line},
    "execute_command": lambda line: {"command": line},
    "run_commands": lambda line: {"commands": [line]},
    "shell": lambda line: {"command": ["bash", "-lc", line]},
}
DONE = "done"


def plain(content):
    """All texts of a message's content, whatever they are wrapped in."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(plain(part) for part in content)
    if isinstance(content, dict):
        return "\n".join(plain(value) for key, value in content.items()
                         if key not in ("type", "role", "id", "call_id",
                                        "name"))
    return ""


class Request:
    """What a request holds, in words that are the same for all four."""

    def __init__(self, body):
        self.model = body.get("model") or "mock"
        self.stream = bool(body.get("stream"))
        self.tools = {}     # name: required members of its input
        self.called = False  # the model has called a tool already
        self.news = []      # said since the model last spoke

    def offer(self, name, schema):
        self.tools[name] = schema or {}

    def spoken(self, calls):
        self.called = self.called or calls
        self.news = []

    def told(self, text):
        self.news.append(text)


def read_anthropic(body):
    request = Request(body)
    for tool in body.get("tools") or ():
        request.offer(tool["name"], tool.get("input_schema"))
    for message in body.get("messages") or ():
        content = message.get("content")
        if message.get("role") == "assistant":
            request.spoken(any(isinstance(part, dict)
                               and part.get("type") == "tool_use"
                               for part in content))
        else:
            request.told(plain(content))
    return request


def read_chat(body):
    request = Request(body)
    for tool in body.get("tools") or ():
        function = tool.get("function") or tool
        request.offer(function.get("name"), function.get("parameters"))
    for message in body.get("messages") or ():
        if message.get("role") == "assistant":
            request.spoken(bool(message.get("tool_calls")))
        elif message.get("role") != "system":
            request.told(plain(message.get("content")))
    return request


def read_responses(body):
    request = Request(body)
    for tool in body.get("tools") or ():
        request.offer(tool.get("name") or tool.get("type"),
                      tool.get("parameters"))
    items = body.get("input") or []
    for item in items if isinstance(items, list) else [items]:
        kind = item.get("type", "message") if isinstance(item, dict) else ""
        if kind.endswith("_call") or kind == "reasoning" or (
                kind == "message" and item.get("role") == "assistant"):
            request.spoken(kind.endswith("_call"))
        else:
            request.told(plain(item))
    return request


def read_gemini(body, path):
    request = Request(body)
    request.stream = "streamGenerateContent" in path
    for tool in body.get("tools") or ():
        for function in tool.get("functionDeclarations") or ():
            request.offer(function["name"],
                          function.get("parametersJsonSchema")
                          or function.get("parameters"))
    for content in body.get("contents") or ():
        parts = content.get("parts") or ()
        if content.get("role") == "model":
            request.spoken(any("functionCall" in part for part in parts))
        else:
            request.told(plain(list(parts)))
    return request


def events(pairs):
    """Server-sent events of (name or None, object or text)."""
    text = ""
    for name, data in pairs:
        text += "event: %s\n" % name if name else ""
        text += "data: %s\n\n" % (data if isinstance(data, str)
                                  else json.dumps(data))
    return text


def write_anthropic(request, call):
    block = ({"type": "tool_use", "id": "toolu_1", "name": call[0],
              "input": call[1]} if call else {"type": "text", "text": DONE})
    reason = "tool_use" if call else "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant",
               "model": request.model, "content": [block],
               "stop_reason": reason, "stop_sequence": None,
               "usage": {"input_tokens": 1, "output_tokens": 1}}
    if not request.stream:
        return message
    if call:
        start = dict(block, input={})
        delta = {"type": "input_json_delta",
                 "partial_json": json.dumps(call[1])}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": DONE}
    return events([
        ("message_start", {"type": "message_start", "message": dict(
            message, content=[], stop_reason=None)}),
        ("content_block_start", {"type": "content_block_start", "index": 0,
                                 "content_block": start}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0,
                                 "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta",
                           "delta": {"stop_reason": reason,
                                     "stop_sequence": None},
                           "usage": {"output_tokens": 1}}),
        ("message_stop", {"type": "message_stop"})])


def write_chat(request, call):
    head = {"id": "chat-1", "created": 1, "model": request.model}
    reason = "tool_calls" if call else "stop"
    said = {"role": "assistant", "content": None if call else DONE}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if call:
        said["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function",
                               "function": {"name": call[0], "arguments":
                                            json.dumps(call[1])}}]
    if not request.stream:
        return dict(head, object="chat.completion", usage=usage, choices=[
            {"index": 0, "message": said, "finish_reason": reason}])
    head["object"] = "chat.completion.chunk"
    return events([
        (None, dict(head, choices=[{"index": 0, "delta": said,
                                    "finish_reason": None}])),
        (None, dict(head, choices=[{"index": 0, "delta": {},
                                    "finish_reason": reason}])),
        (None, dict(head, choices=[], usage=usage)),
        (None, "[DONE]")])


def write_responses(request, call):
    if call:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1",
                "name": call[0], "status": "completed",
                "arguments": json.dumps(call[1])}
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": DONE,
                             "annotations": []}]}
    response = {"id": "resp_1", "object": "response", "created_at": 1,
                "model": request.model, "status": "completed",
                "output": [item], "error": None, "tools": [],
                "parallel_tool_calls": False, "tool_choice": "auto",
                "usage": {"input_tokens": 1, "output_tokens": 1,
                          "input_tokens_details": {"cached_tokens": 0},
                          "output_tokens_details": {"reasoning_tokens": 0},
                          "total_tokens": 2}}
    if not request.stream:
        return response
    pairs = [("response.created", {"response": dict(
        response, status="in_progress", output=[], usage=None)}),
        ("response.output_item.added", {"output_index": 0, "item": dict(
            item, status="in_progress",
            **({"arguments": ""} if call else {"content": []}))})]
    if call:
        where = {"item_id": "fc_1", "output_index": 0}
        pairs += [
            ("response.function_call_arguments.delta",
             dict(where, delta=item["arguments"])),
            ("response.function_call_arguments.done",
             dict(where, arguments=item["arguments"]))]
    else:
        where = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        pairs += [
            ("response.content_part.added", dict(where, part={
                "type": "output_text", "text": "", "annotations": []})),
            ("response.output_text.delta", dict(where, delta=DONE)),
            ("response.output_text.done", dict(where, text=DONE)),
            ("response.content_part.done",
             dict(where, part=item["content"][0]))]
    pairs += [("response.output_item.done", {"output_index": 0,
                                             "item": item}),
              ("response.completed", {"response": response})]
    return events((name, dict(data, type=name)) for name, data in pairs)


def write_gemini(request, call):
    part = ({"functionCall": {"name": call[0], "args": call[1],
                              "id": "call_1"}} if call else {"text": DONE})
    answer = {"candidates": [{"index": 0, "finishReason": "STOP", "content": {
        "role": "model", "parts": [part]}}], "modelVersion": request.model,
        "responseId": "resp_1", "usageMetadata": {
            "promptTokenCount": 1, "candidatesTokenCount": 1,
            "totalTokenCount": 2}}
    return events([(None, answer)]) if request.stream else answer


# The end of a path: how its requests are read and answered.
WIRES = (
    ("/messages", lambda body, path: read_anthropic(body), write_anthropic),
    ("/chat/completions", lambda body, path: read_chat(body), write_chat),
    ("/responses", lambda body, path: read_responses(body), write_responses),
    ("enerateContent", read_gemini, write_gemini),
)


class Model:
    """The server; heard is a list of texts, one for each request."""

    def __init__(self, command):
        self.command = command
        self.heard = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send({"object": "list", "data": [
                    {"id": "mock", "object": "model", "owned_by": "mock"}]}
                    if self.path.split("?")[0].endswith("/models") else None)

            def do_POST(self):
                self.send(model.answer(self.path.split("?")[0],
                                       self.body()))

            def body(self):
                if self.headers.get("Transfer-Encoding") == "chunked":
                    data = b""
                    while True:
                        size = int(self.rfile.readline().split(b";")[0], 16)
                        data += self.rfile.read(size)
                        self.rfile.readline()
                        if not size:
                            break
                else:
                    data = self.rfile.read(
                        int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Content-Encoding") == "gzip":
                    import gzip
                    data = gzip.decompress(data)
                try:
                    return json.loads(data)
                except ValueError:
                    return {}

            def send(self, answer):
                stream = isinstance(answer, str)
                data = (answer if stream else
                        json.dumps(answer or {})).encode()
                self.send_response(200 if answer is not None else 404)
                self.send_header("Content-Type", "text/event-stream"
                                 if stream else "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass  # the agent has gone

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def call(self, request):
        """The call of the tool for shell commands; None: there is no such."""
        for name, make in SHELLS.items():
            if name in request.tools:
                given = make(self.command)
                known = request.tools[name].get("properties")
                if known:
                    given = {key: value for key, value in given.items()
                             if key in known}
                return name, given
        return None

    def answer(self, path, body):
        if path.endswith(("count_tokens", "countTokens")):
            return {"input_tokens": 1, "totalTokens": 1}
        for end, read, write in WIRES:
            if not path.endswith(end):
                continue
            request = read(body, path)
            call = None if request.called else self.call(request)
            if request.tools:
                self.heard.append("\n".join(request.news))
            return write(request, call)
        return None

    def close(self):
        self.server.shutdown()
        self.server.server_close()
