"""A sandbox without walls or processes: files in a dictionary, tools as functions. For tests and dry runs only."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from workgym.errors import SandboxDied, SandboxError, WorkspaceOverLimit
from workgym.records import FileChange, ToolCall, ToolResult, ToolSpec
from workgym.sandbox.contract import Capabilities, Limits, Sandbox

Tool = Callable[[dict[str, bytes], dict[str, Any]], str]
"""A tool of the double: the workspace, which it may change, and its arguments; ValueError is a failing tool."""


def _spec(name: str, description: str, required: Mapping[str, str], **optional: str) -> ToolSpec:
    properties = {key: {"type": kind} for key, kind in {**required, **optional}.items()}
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return ToolSpec(name=name, description=description, input_schema=schema)


def _list(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    return "\n".join(sorted(files)) or "The folder is empty."


def _glob(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    pattern = arguments["pattern"].removeprefix("**/")
    return "\n".join(fnmatch.filter(sorted(files), pattern)) or f"No file fits {arguments['pattern']}."


def _read(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    if arguments["path"] not in files:
        raise ValueError(f"There is no file {arguments['path']}; list_files shows what there is.")
    return files[arguments["path"]].decode().rstrip("\n") or "The file is empty."


def _write(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    files[arguments["path"]] = arguments["content"].encode()
    return f"Wrote {arguments['path']}."


TOOLS: dict[str, tuple[ToolSpec, Tool]] = {
    "list_files": (_spec("list_files", "List the files of the workspace.", {}), _list),
    "glob": (_spec("glob", "Find files by a pattern.", {"pattern": "string"}), _glob),
    "read_file": (_spec("read_file", "Read a text file.", {"path": "string"}, offset="integer"), _read),
    "write_file": (_spec("write_file", "Write a text file.", {"path": "string", "content": "string"}), _write),
}
"""What the double offers, whatever packs are asked for."""


class DummySandbox(Sandbox):
    """Keeps the contract in memory. ``extra`` tools are added; a tool that raises SandboxDied takes the guest along."""

    name = "dummy"
    capabilities = Capabilities(
        isolated_files=False,
        isolated_network=False,
        isolated_processes=False,
        total_memory=False,
        workspace_quota=False,
    )

    def __init__(self, limits: Limits | None = None, extra: Mapping[str, tuple[ToolSpec, Tool]] | None = None) -> None:
        self._limits = limits or Limits()
        self._tools = TOOLS | dict(extra or {})
        self._files: dict[str, bytes] = {}
        self._seen: dict[str, str] = {}
        self._lock = threading.RLock()
        self.state = "new"
        """``new``, ``open``, ``dead``, ``halted`` or ``closed``: for tests to look at."""

    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        """Take the files; the packs are not looked at."""
        if self.state != "new":
            raise SandboxError("a sandbox is used once")
        self._files = dict(files)
        self._seen = self._digests()
        self.state = "open"

    def tools(self) -> tuple[ToolSpec, ...]:
        """The double's tools, in a fixed order."""
        return tuple(spec for spec, _ in self._tools.values())

    def call(self, call: ToolCall) -> ToolResult:
        """Run a tool in this process."""
        with self._lock:
            if self.state != "open":
                raise SandboxDied(f"the dummy guest is {self.state}")
            if call.tool not in self._tools:
                return ToolResult(text=f"there is no tool {call.tool}", is_error=True)
            try:
                text = self._tools[call.tool][1](self._files, call.arguments)
            except SandboxDied:
                self.state = "dead"
                raise
            except ValueError as error:
                return ToolResult(text=str(error), is_error=True)
            return ToolResult(text=text[: self._limits.output_chars])

    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        """Run the program in this process."""

        def call(tool: str, /, **arguments: Any) -> tuple[str, bool]:
            result = act(ToolCall(tool=tool, arguments=arguments))
            return result.text, result.is_error

        scope: dict[str, Any] = {"__name__": "script"}
        try:
            exec(compile(source, "script.py", "exec"), scope)  # trusted by the contract, and this double has no walls
            return json.dumps(scope["main"](call))
        except Exception as error:
            raise SandboxError(f"the program failed:\n{traceback.format_exc()}") from error

    def put(self, path: str, content: bytes | None) -> None:
        """Write or remove a file; one that stands in the way goes."""
        with self._lock:
            if content is None:
                self._files.pop(path, None)
                return
            above = {str(folder) for folder in PurePosixPath(path).parents}
            for other in [other for other in self._files if other.startswith(f"{path}/") or other in above]:
                del self._files[other]
            self._files[path] = content

    def collect(self) -> dict[str, bytes]:
        """A copy of all files."""
        with self._lock:
            if sum(map(len, self._files.values())) > self._limits.workspace_mib * 2**20:
                raise WorkspaceOverLimit(f"the workspace holds more than {self._limits.workspace_mib} MiB")
            return dict(self._files)

    def changed(self) -> tuple[FileChange, ...]:
        """What differs from the last time."""
        with self._lock:
            before, self._seen = self._seen, self._digests()
            changes = []
            for path in sorted({*before, *self._seen}):
                old, new = before.get(path), self._seen.get(path)
                if new is None:
                    changes.append(FileChange(path=path, change="removed", digest=None, size=0))
                elif new != old:
                    kind: Literal["added", "modified"] = "added" if old is None else "modified"
                    changes.append(FileChange(path=path, change=kind, digest=new, size=len(self._files[path])))
            return tuple(changes)

    def halt(self) -> None:
        """Refuse calls from now on; there are no processes to end."""
        with self._lock:
            if self.state in ("open", "dead"):
                self.state = "halted"

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self.state = "closed"
            self._files = {}

    def _digests(self) -> dict[str, str]:
        return {path: hashlib.sha256(content).hexdigest() for path, content in self._files.items()}
