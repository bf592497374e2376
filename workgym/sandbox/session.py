"""The host's end of the pipe to a guest's tool server: requests with ids, answers by one reader thread.

The server speaks MCP, a message a line. Whatever it says is data from a stranger: lines have a
length limit, and an answer that is not understood ends the session rather than the host.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

from workgym.errors import SandboxDied, SandboxError
from workgym.records import ToolCall, ToolResult

_LONGEST_LINE = 64 << 20
_GRACE_SECONDS = 20.0
"""How much longer than the guest's own limit the host waits before it gives the guest up."""
_DEAD: dict[str, Any] = {"dead": True}

BOOT = """
import json, os, sys, types
def boot():
    data = b""
    while b"\\n" not in data:
        part = os.read(0, 1 << 20)
        if not part:
            os._exit(0)
        data += part
    line, _, rest = data.partition(b"\\n")
    told = json.loads(line)
    for name, text in told["modules"]:
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(text, "<" + name + ">", "exec"), module.__dict__)
    sys.modules[told["start"]].main(told["setup"], rest)
boot()
"""
"""What ``python -c`` runs in the guest: it takes the server's text from the pipe and becomes it."""


def boot_line(start: str, setup: dict[str, Any], modules: list[tuple[str, str]]) -> str:
    """What it waits for: the names and texts of modules, which of them to start, and its settings."""
    return json.dumps({"modules": modules, "start": start, "setup": setup}) + "\n"


class Session:
    """One conversation with one tool server; thread-safe."""

    def __init__(self, sink: int, source: int, *, name: str, call_seconds: float) -> None:
        """``sink`` and ``source`` are descriptors, ours from now on; ``name`` is for error messages."""
        self._sink, self._source, self._name = sink, source, name
        self._patience = call_seconds + _GRACE_SECONDS
        self._numbers = itertools.count(1)
        self._writing, self._guard, self._script = threading.Lock(), threading.Lock(), threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._acts: queue.SimpleQueue[dict[str, Any]] | None = None
        self._dead = False
        self._reader = threading.Thread(target=self._read, name=f"{name}-reader", daemon=True)
        try:
            self._reader.start()
        except RuntimeError:
            os.close(sink)
            os.close(source)
            raise SandboxError(f"{name}: no more threads can be started") from None

    def start(self, setup: dict[str, Any], modules: list[tuple[str, str]]) -> None:
        """Send the server's text and shake hands. Raises SandboxDied where nobody answers."""
        self._send_raw(boot_line("server", setup, modules))
        about = {"name": "workgym", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        self.request("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request. Raises SandboxDied where none comes, SandboxError for an error answer."""
        return self._result(self._exchange(method, params, None))

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool of the guest. Raises SandboxDied."""
        result = self.request("tools/call", {"name": call.tool, "arguments": call.arguments})
        try:
            text = "\n".join(str(part["text"]) for part in result["content"] if part["type"] == "text")
            return ToolResult(text=text, is_error=bool(result["isError"]))
        except (KeyError, TypeError):
            raise SandboxDied(f"{self._name}: the guest's answer cannot be understood") from None

    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        """Run a trusted program in the guest; see ``Sandbox.script``."""
        with self._script:
            result = self._result(self._exchange("workgym/script", {"source": source}, act))
        return str(result.get("json"))

    def close(self) -> None:
        """Close the pipe: the server ends when it sees that."""
        with self._writing:
            self._dead = True
            if self._sink >= 0:
                os.close(self._sink)
                self._sink = -1

    def abandon(self) -> None:
        """In a forked copy of the host, which has no reader: close both ends and nothing more."""
        self._dead = True
        for descriptor in (self._sink, self._source):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._sink = -1

    def join(self) -> None:
        """Wait for the reader, which ends when the guest has let go of its end."""
        if threading.current_thread() is not self._reader:
            self._reader.join(timeout=5)

    def _exchange(
        self, method: str, params: dict[str, Any], act: Callable[[ToolCall], ToolResult] | None
    ) -> dict[str, Any]:
        answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        number = next(self._numbers)
        failure: BaseException | None = None
        with self._guard:
            if self._dead:
                raise self._died()
            self._waiting[number] = answers
            if act is not None:
                self._acts = answers
        try:
            self._send({"id": number, "method": method, "params": params})
            while True:
                message = answers.get(timeout=self._patience)
                if act is None or message.get("method") != "workgym/act":
                    break
                failure = self._act(message, act) or failure
        except queue.Empty:
            raise SandboxDied(f"{self._name}: the guest does not answer any more") from None
        finally:
            with self._guard:
                self._waiting.pop(number, None)
                if act is not None:
                    self._acts = None
        if failure is not None:
            raise failure
        return message

    def _act(self, message: dict[str, Any], act: Callable[[ToolCall], ToolResult]) -> BaseException | None:
        """Answer one call of the script. What ``act`` raises is kept until the script has ended, and returned."""
        try:
            asked = message["params"]
            result = act(ToolCall(tool=asked["tool"], arguments=asked["arguments"]))
        except BaseException as error:  # noqa: BLE001 - raised again when the script has ended
            self._send({"id": message["id"], "error": {"code": -32000, "message": "no answer"}})
            return error
        self._send({"id": message["id"], "result": {"text": result.text, "is_error": result.is_error}})
        return None

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        if message is _DEAD:
            raise self._died()
        if isinstance(error := message.get("error"), dict):
            raise SandboxError(str(error.get("message")))
        result = message.get("result")
        if not isinstance(result, dict):
            raise SandboxDied(f"{self._name}: the guest's answer cannot be understood")
        return result

    def _died(self) -> SandboxDied:
        return SandboxDied(f"{self._name}: the guest is gone")

    def _send(self, message: dict[str, Any]) -> None:
        self._send_raw(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def _send_raw(self, text: str) -> None:
        data = memoryview(text.encode())
        with self._writing:
            if self._sink < 0:
                raise self._died()
            try:
                while data:
                    data = data[os.write(self._sink, data) :]
            except BrokenPipeError:
                raise self._died() from None

    def _read(self) -> None:
        pending = bytearray()
        try:
            while part := os.read(self._source, 1 << 18):
                pending += part
                if b"\n" in part:
                    *lines, rest = pending.split(b"\n")
                    pending = bytearray(rest)
                    for line in lines:
                        self._receive(line)
                elif len(pending) > _LONGEST_LINE:
                    break
        except (OSError, ValueError, RecursionError):
            pass
        finally:
            with contextlib.suppress(OSError):
                os.close(self._source)
            with self._guard:
                self._dead = True
                for answers in self._waiting.values():
                    answers.put(_DEAD)

    def _receive(self, line: bytes | bytearray) -> None:
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("a message is an object")
        with self._guard:
            if message.get("method") == "workgym/act":
                if self._acts is not None:
                    self._acts.put(message)
            elif isinstance(message.get("id"), int) and (answers := self._waiting.get(message["id"])) is not None:
                answers.put(message)
