"""The wall between host and guest: one small contract that every backend keeps.

Synchronous and thread-safe. A sandbox is used once: ``open``, calls, ``close``. Whatever the
guest says is data, never evidence for grading: files are taken with ``collect``, on the host's side.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from workgym.records import FileChange, Record, ToolCall, ToolResult, ToolSpec, digest


class Limits(Record):
    """What one sandbox may use."""

    memory_mib: int = 1024
    """Memory of all processes together where the backend can enforce it, else of each process; the files of a workspace
    that lies in memory count beside it."""
    processes: int = 64
    """Processes and threads at one time."""
    file_mib: int = 64
    """Largest single file."""
    workspace_mib: int = 256
    """Bytes of the whole workspace: for the guest where the backend can enforce it, and always when files are
    collected. The host's own writes find room all the same."""
    call_seconds: float = 60.0
    """Wall time of one tool call; after it the call is killed with its children."""
    output_chars: int = 20_000
    """Characters of one observation; the rest is cut in the middle, with a note saying how much."""


class Capabilities(Record):
    """What a backend guarantees on this machine; False means that it does not."""

    isolated_files: bool
    """The guest cannot read or write files of the host."""
    isolated_network: bool
    """The guest cannot reach any network."""
    isolated_processes: bool
    """The guest can neither see nor signal other processes."""
    total_memory: bool
    """The memory limit holds for the sandbox as a whole."""
    workspace_quota: bool
    """The guest cannot fill its workspace with more than ``workspace_mib``."""


def files_digest(files: Mapping[str, bytes]) -> str:
    """The digest of a workspace with these files; see ``Sandbox.digest``."""
    return digest({path: hashlib.sha256(content).hexdigest() for path, content in files.items()})


class Snapshot(Record):
    """What a workspace held at one moment, by content: regular files, no links, times or empty folders."""

    files: dict[str, bytes]
    """Content by path."""
    digest: str
    """What ``Sandbox.digest`` said of it."""


class Sandbox(ABC):
    """One episode's sandbox."""

    name: str
    """Name of the backend: ``bubblewrap``, ``docker``, ``unsafe-local``."""
    capabilities: Capabilities

    @abstractmethod
    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        """Start the guest with ``files`` in its workspace and the named guest tool packs.

        Raises SandboxUnavailable where the backend cannot work here, with the remedy.
        """

    @abstractmethod
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the guest offers, in a fixed order."""

    @abstractmethod
    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool. A failing tool is a result with ``is_error``; raises SandboxDied when the guest is gone."""

    @abstractmethod
    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        """Run a Python program in the guest, outside the workspace, whose tool calls are answered by ``act``.

        It is as free as a tool and held to the same limits, so that a model may have written it. ``call_seconds``
        limits each stretch of its own computing; the time of its calls does not count.

        The program defines ``main(call)``; ``call(tool, **arguments)`` returns ``(text, is_error)``.
        Returns the JSON text of what ``main`` returned. Raises SandboxError with the program's traceback on failure.
        """

    @abstractmethod
    def put(self, path: str, content: bytes | None) -> None:
        """Write a file of the workspace from the host's side, or remove it where ``content`` is None.

        Whatever the guest has put in the way goes: a folder, a link, a file where a folder is needed.
        """

    @abstractmethod
    def collect(self) -> dict[str, bytes]:
        """All regular files of the workspace, by path; links, devices and oversized files are left out.

        Raises WorkspaceOverLimit where the workspace is beyond its limits, which counts as failed work, and another
        SandboxError where the host fails, which leaves the work unscored.
        """

    @abstractmethod
    def changed(self) -> tuple[FileChange, ...]:
        """What changed in the workspace since the last time this was asked, or since ``open``; sorted by path."""

    def digest(self) -> str:
        """sha256, in hexadecimal, of the paths and contents of all files that ``collect`` takes.

        Equal workspaces have equal digests, on every backend. Asking does not count as a look at what ``changed``.
        """
        return files_digest(self.collect())

    def snapshot(self) -> Snapshot:
        """What the workspace holds now. Raises as ``collect``."""
        files = self.collect()
        return Snapshot(files=files, digest=files_digest(files))

    def restore(self, snapshot: Snapshot) -> None:
        """Have the workspace hold what it held then, in this sandbox or another one; whatever else is there goes.

        Processes of the guest go on, and see it change. ``changed`` tells of it as of the host's own writes.
        """
        for path in self.collect():
            if path not in snapshot.files:
                self.put(path, None)
        for path, content in snapshot.files.items():
            self.put(path, content)

    def answers(self) -> bool:
        """Whether an open sandbox's guest still answers; True where only a call would tell."""
        return True

    def halt(self) -> None:  # noqa: B027 - where nothing runs there is nothing to end
        """End every process of the guest: calls are refused from now on with SandboxError.

        What it left can still be collected, and does not change any more. Calling it again does nothing.
        """

    @abstractmethod
    def close(self) -> None:
        """End every process of the guest and remove everything. Calling it again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
