"""``unsafe-local``: the same tools with no wall at all, for machines where nothing else works. Only by name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import IO

from workgym.sandbox import guestenv, state
from workgym.sandbox.collect import Workspace
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.piped import PipedSandbox, guest_environment, start_piped
from workgym.sandbox.session import BOOT
from workgym.sandbox.trees import remove


class UnsafeSandboxWarning(UserWarning):
    """The agent's code runs as you, with your files and your network."""


class UnsafeLocal(PipedSandbox):
    """Ordinary processes of this user. Warns each time that it is opened."""

    name = "unsafe-local"
    counts_processes = False

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.capabilities = Capabilities(
            isolated_files=False,
            isolated_network=False,
            isolated_processes=False,
            total_memory=False,
            workspace_quota=False,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._home: Path | None = None

    def _start(self, folder: Path) -> tuple[int, int]:
        warnings.warn(
            "unsafe-local: the agent's code runs as this user, with all your files and your network",
            UnsafeSandboxWarning,
            stacklevel=4,
        )
        environment = guestenv.path()
        self._home = state.folder("home")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        variables = guest_environment(str(self._home), f"{environment}/bin")
        # Login shells reset PATH: the guest environment comes first there too.
        (self._home / ".bash_profile").write_text(f"export PATH={variables['PATH']}\n")
        line = [f"{environment}/bin/python", "-s", "-P", "-B", "-c", BOOT]
        self._process, sink, source = start_piped(line, errors=self._errors, folder=str(folder), variables=variables)
        return sink, source

    def _stop(self) -> None:
        if self._process is not None:
            # The server ends all that it started once the pipe is closed; it is the only one who can find them.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)
            self._process.kill()
            self._process.wait()
            self._process = None
            if self._home is not None:
                _sweep(f"HOME={self._home}".encode())
        if self._errors is not None:
            self._errors.close()
        if self._home is not None:
            remove(self._home)

    def _last_words(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        lines = self._errors.read(8192).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _guest_workspace(self) -> str:
        files = self._files()
        assert isinstance(files, Workspace), "a folder of this machine"
        return str(files.folder)

    def _owner(self) -> int | None:
        return None


def _sweep(mark: bytes) -> None:
    """Kill what has ``mark`` in its environment: the server may have been killed before it could end what it started.

    Whoever empties his environment escapes this; nothing on this backend is a wall.
    """
    for _ in range(200):
        found = [pid for pid in _processes() if mark in _environment(pid)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:  # not Linux
        return []


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
