"""A local server of the OpenAI protocol (chat completions, not streamed) with scripted replies: real HTTP, no model.

It stands where an endpoint stands, for tests of what speaks to one: retries, limits, ledgers, harnesses, programs.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self

from workgym.model import ModelReply, Usage
from workgym.models.openai import wire_messages
from workgym.models.scripted import Entry, written_reply


class Failure(NamedTuple):
    """An answer that is an error."""

    status: int
    """HTTP status; 0 drops the connection without a word."""
    message: str = "no"
    """What the error says."""
    headers: Mapping[str, str] = {}
    """Headers, such as Retry-After."""
    code: str | None = None
    """OpenAI's error code, such as ``context_length_exceeded``."""


class Raw(NamedTuple):
    """A body that is sent as it is, with status 200."""

    body: bytes
    """The bytes."""


Script = Callable[[dict[str, Any], int], "Entry | Failure | Raw"]
"""Is given the request's body and its number from 1, and says what to answer."""


class Endpoint:
    """The server, on a port of its own of the loopback; use it as a context manager. Thread-safe."""

    def __init__(self, script: Script, *, delay: float = 0.0, usage: Usage | None = None) -> None:
        """``delay`` are seconds before each answer; ``usage`` what replies say that they took (None: nothing)."""
        self.script, self.delay, self.usage = script, delay, usage
        self.bodies: list[dict[str, Any]] = []
        """Every request's body so far, in the order of arrival."""
        self.keys: list[str] = []
        """The key that each request brought."""
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address, up to and with ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with endpoint.lock:
                endpoint.bodies.append(body)
                endpoint.keys.append(self.headers.get("authorization", "").removeprefix("Bearer "))
                number = len(endpoint.bodies)
                said = endpoint.script(body, number)
            time.sleep(endpoint.delay)
            if isinstance(said, Failure):
                self._fail(said)
            elif isinstance(said, Raw):
                self._send(200, said.body, {})
            else:
                reply = written_reply(said, number, where="endpoint")
                self._send(200, _completion(reply, body, endpoint.usage), {})

        def _fail(self, said: Failure) -> None:
            if said.status == 0:
                self.close_connection = True
                self.connection.close()
                return
            error = {"error": {"message": said.message, "code": said.code, "type": "error"}}
            self._send(said.status, json.dumps(error).encode(), said.headers)

        def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                self.close_connection = True  # the client is gone, perhaps killed

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    return Handler


def _completion(reply: ModelReply, body: dict[str, Any], usage: Usage | None) -> bytes:
    (message,) = wire_messages((reply.message(),))
    counted = reply.usage if reply.usage != Usage() else usage
    stops = {"end": "stop", "filter": "content_filter"}
    answer: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": stops.get(reply.stop, reply.stop), "message": message}],
    }
    if counted is not None:
        answer["usage"] = {
            "prompt_tokens": counted.prompt or 0,
            "completion_tokens": counted.completion or 0,
            "total_tokens": (counted.prompt or 0) + (counted.completion or 0),
            "prompt_tokens_details": {"cached_tokens": counted.cached or 0},
            "completion_tokens_details": {"reasoning_tokens": counted.reasoning or 0},
        }
    return json.dumps(answer).encode()
