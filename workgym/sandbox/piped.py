"""What every backend with our own tool server shares: all of a sandbox but how the guest is started and ended."""

from __future__ import annotations

import atexit
import base64
import os
import platform
import subprocess
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from workgym.errors import SandboxDied, SandboxError, SandboxUnavailable
from workgym.records import FileChange, ToolCall, ToolResult, ToolSpec, digest
from workgym.sandbox import packs as shelf
from workgym.sandbox import seccomp, state
from workgym.sandbox.archived import Archived
from workgym.sandbox.collect import Workspace
from workgym.sandbox.contract import Limits, Sandbox, Snapshot
from workgym.sandbox.schema import refusal
from workgym.sandbox.session import Session

WORKSPACE = "/work"
"""Where the workspace stands in the guest."""
GUEST_USER = 64_000
"""User and group on the host of guests that root starts: nobody's, and no user of a distribution (systemd, Debian)."""
_MODULES = ("guest_view", "guest_process", "guest_packs", "server")
_GUEST = Path(__file__).with_name("guest")
_open: weakref.WeakSet[PipedSandbox] = weakref.WeakSet()


class PipedSandbox(Sandbox):
    """A sandbox whose workspace is a folder of the host and whose tools run behind a pipe."""

    counts_processes = True
    """Whether the number of processes can be limited for this guest alone."""
    filters_itself = False
    """Whether the tool server installs our system call filter; False where the backend did, or there is no wall."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._guard = threading.Lock()
        self._session: Session | None = None
        self._workspace: Workspace | Archived | None = None
        self._specs: tuple[ToolSpec, ...] = ()
        self._packs: tuple[shelf.Pack, ...] = ()
        self._state = "new"

    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        with self._guard:
            if self._state != "new":
                raise SandboxError("a sandbox is used once; make another one")
            self._state = "open"
        _open.add(self)
        try:
            self._packs = shelf.load_all(packs)
            self._specs = tuple(spec for pack in self._packs for spec in pack.specs())
            sink, source = self._begin(files)
            self._session = Session(sink, source, name=self.name, call_seconds=self.limits.call_seconds)
            self._session.start(self._setup(), self._modules())
            self._answered()
        except SandboxDied:
            unavailable = self._explained(self._last_words() or "it says nothing")
            self.close()
            raise unavailable from None
        except BaseException:
            self.close()
            raise

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._specs

    def call(self, call: ToolCall) -> ToolResult:
        wrong = refusal(call, self._specs)
        if wrong is not None:
            return ToolResult(text=wrong, is_error=True)
        return self._talk().call(call)

    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        return self._talk().script(source, act)

    def put(self, path: str, content: bytes | None) -> None:
        self._files().put(path, content)

    def collect(self) -> dict[str, bytes]:
        return self._files().collect()

    def changed(self) -> tuple[FileChange, ...]:
        return self._files().changed()

    def answers(self) -> bool:
        try:
            return self._talk().request("ping", {}) == {}
        except SandboxError:
            return False

    def digest(self) -> str:
        return digest(self._files().digests())

    def restore(self, snapshot: Snapshot) -> None:
        self._files().restore(snapshot.files)

    def halt(self) -> None:
        with self._guard:
            if self._state != "open":
                return
            self._state = "halted"
        if self._session is not None:
            self._session.close()
        self._stop()

    def close(self) -> None:
        with self._guard:
            if self._state == "closed":
                return
            self._state = "closed"
        if self._session is not None:
            self._session.close()
        try:
            self._stop()
        finally:
            if self._session is not None:
                self._session.join()
            if self._workspace is not None:
                self._workspace.discard()
            self._discard()
            _open.discard(self)

    def _abandon(self) -> None:
        """In a forked copy of the host: let go of the guest."""
        self._state = "closed"
        if self._session is not None:
            self._session.abandon()

    def _begin(self, files: Mapping[str, bytes]) -> tuple[int, int]:
        """Start the guest over a workspace with ``files``; descriptors to write to it and to read from it."""
        folder = self._make_folder()
        self._workspace = self._workspace_in(folder)
        self._workspace.fill(files)
        return self._start(folder)

    @abstractmethod
    def _start(self, folder: Path) -> tuple[int, int]:
        """Start the guest over the workspace ``folder``; descriptors to write to it and to read from it."""

    def _modules(self) -> list[tuple[str, str]]:
        """Names and texts of the modules that the guest lacks, in the order in which they are loaded."""
        return guest_modules()

    def _answered(self) -> None:
        """What is to do once the guest has answered for the first time."""

    @abstractmethod
    def _stop(self) -> None:
        """End every process of the guest, now; also where ``_start`` failed or never ran.

        None of them writes any more when this returns: what is graded is collected next. Raises SandboxError where
        that cannot be had.
        """

    def _discard(self) -> None:
        """What is to do when the guest has ended and its workspace is removed."""

    def _last_words(self) -> str:
        """The last line that the guest complained of, or nothing."""
        return ""

    def _explained(self, said: str) -> SandboxUnavailable:
        """Why the guest did not start, by its last words, and the way out where one is known."""
        return SandboxUnavailable(f"{self.name}: the guest does not start: {said}")

    def _guest_workspace(self) -> str:
        """Path of the workspace as the guest's processes see it."""
        return WORKSPACE

    def _owner(self) -> int | None:
        return GUEST_USER if os.getuid() == 0 else None

    def _make_folder(self) -> Path:
        """A new folder of the host for the workspace."""
        folder = state.folder("work")
        if (owner := self._owner()) is not None:
            os.chown(folder, owner, owner)
        return folder

    def _workspace_in(self, folder: Path | int, enlarge: Callable[[int], None] | None = None) -> Workspace:
        """The workspace in a folder, by its path or a descriptor."""
        files, total = self.limits.file_mib << 20, self.limits.workspace_mib << 20
        return Workspace(folder, owner=self._owner(), file_bytes=files, total_bytes=total, enlarge=enlarge)

    def _described(self) -> list[Any]:
        """The packs, for the guest."""
        return [described(pack) for pack in self._packs]

    def _setup(self) -> dict[str, Any]:
        # Where the backend has no filter of ours, the server takes it upon itself before any tool runs.
        program = seccomp.guest() if self.filters_itself and seccomp.supported() else b""
        limits = {
            **self.limits.model_dump(),
            "count_processes": self.counts_processes,
            "filter": base64.b64encode(program).decode(),
            "machine": platform.machine(),
        }
        return {"packs": self._described(), "limits": limits, "workspace": self._guest_workspace()}

    def _talk(self) -> Session:
        if self._session is None or self._state != "open":
            raise SandboxError(f"the sandbox is {self._state}, not open")
        return self._session

    def _files(self) -> Workspace | Archived:
        if self._workspace is None or self._state not in ("open", "halted"):
            raise SandboxError(f"the sandbox is {self._state}, not open")
        return self._workspace


def start_piped(
    command: list[str], *, errors: IO[bytes], folder: str, variables: dict[str, str], passed: tuple[int, ...] = ()
) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start a process with pipes that nobody else holds; it, our end to write to, our end to read from."""
    theirs_in, sink = os.pipe()
    source, theirs_out = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=theirs_in,
            stdout=theirs_out,
            stderr=errors,
            pass_fds=passed,
            cwd=folder,
            env=variables,
            start_new_session=True,
        )
    except BaseException:
        os.close(sink)
        os.close(source)
        raise
    finally:
        os.close(theirs_in)
        os.close(theirs_out)
    return process, sink, source


def guest_environment(home: str, python_bin: str) -> dict[str, str]:
    """The environment variables of the guest's processes; nothing of the host's own."""
    return {
        "PATH": f"{python_bin}:/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "USER": "user",
        "LOGNAME": "user",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        # Same observations each time: no hash seeds; and no stray files in the workspace.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        # Threads do not survive a fork, and their stacks count as memory.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def described(pack: shelf.Pack) -> dict[str, Any]:
    """All that a tool server needs to know of a pack."""
    return {
        "name": pack.manifest.name,
        "sources": {file.removesuffix(".py"): text for file, text in pack.sources.items()},
        "tools": [
            {
                **tool.model_dump(exclude={"input_schema"}),
                "inputSchema": tool.input_schema,
                "module": pack.manifest.home(tool).removesuffix(".py"),
            }
            for tool in pack.manifest.tools
        ],
    }


def guest_modules(*more: str) -> list[tuple[str, str]]:
    """Names and texts of the tool server's modules, and of ``more`` that lie beside it."""
    return [(name, (_GUEST / f"{name}.py").read_text(encoding="utf-8")) for name in (*_MODULES, *more)]


def _close_all() -> None:
    for sandbox in list(_open):
        sandbox.close()


def _forget() -> None:
    # A forked copy of the host must neither end its parent's guests nor keep them from ending with the parent.
    for sandbox in list(_open):
        sandbox._abandon()
    _open.clear()


os.register_at_fork(after_in_child=_forget)
atexit.register(_close_all)
