"""Starting a process in bubblewrap, and ending it with all that came of it.

The first process of a namespace ends when the pipe from the host closes, and the kernel ends all the rest with it. Not
``--die-with-parent``: that parent is the *thread* that started it. And bubblewrap tells the number of process 1 into a
file, not a pipe: killed by SIGPIPE while it sets up, it leaves a child that waits for it for ever (found with 0.8 and
hosts killed at random moments: 2 of 30).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from workgym.errors import SandboxUnavailable
from workgym.sandbox import seccomp, state
from workgym.sandbox.piped import GUEST_USER, start_piped

PATIENCE_SECONDS = 300.0
"""How long killed processes may take to end."""
_ENTERING = 'until [ "$1" = -- ]; do echo 0 > "$1" || exit; shift; done; shift; exec "$@"'


class Running:
    """A process in bubblewrap."""

    def __init__(self, process: subprocess.Popen[bytes], info: IO[bytes]) -> None:
        """``info`` is the file into which bubblewrap tells the number of process 1; both are ours from now on."""
        self.process, self._info = process, info
        self._note: Path | None = None

    def settled(self) -> None:
        """It has answered: note it for ``clean``, should this process die and it not notice."""
        if (number := first(self._info)) is not None:
            self._note = state.note(number)

    def ended(self, seconds: float) -> bool:
        """Whether it has ended, or does within so long."""
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> bool:
        """End every process of the namespace; False where that has not come to pass."""
        over = end(self.process, self._info)
        if self._note is not None:
            self._note.unlink(missing_ok=True)
        self._info.close()
        return over

    def release(self) -> None:
        """Nothing of it is left, neither processes nor files, and nothing more is to do."""

    def let_go(self) -> None:
        """In a forked copy of the host, whose child it is not."""
        self.process.returncode = 0
        self._info.close()


def launch(
    options: list[str], command: list[str], errors: IO[bytes], within: Sequence[str] = ()
) -> tuple[Running, int, int]:
    """Start a guest under our system call filter; it, the ends of its pipes to write to and to read from.

    ``within`` names the entrances of a control group, which it goes through first.
    """
    with tempfile.TemporaryFile() as filtering:
        filtering.write(seccomp.guest())
        filtering.seek(0)
        options = [*options, "--seccomp", str(filtering.fileno())]
        with _prepared(options, command) as (line, passed, info):
            entering = ["/bin/sh", "-c", _ENTERING, "sh", *within, "--"] if within else []
            process, sink, source = start_piped(
                [*entering, *line], errors=errors, folder="/", variables={}, passed=(*passed, filtering.fileno())
            )
            return Running(process, info), sink, source


def launch_bare(options: list[str], command: list[str], errors: IO[bytes], source: socket.socket) -> Running:
    """Start a process of ours without the filter, which reads from ``source``."""
    with _prepared(options, command) as (line, passed, info):
        process = subprocess.Popen(
            line,
            stdin=source.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=passed,
            cwd="/",
            env={},
            start_new_session=True,
        )
        return Running(process, info)


@contextlib.contextmanager
def _prepared(options: list[str], command: list[str]) -> Iterator[tuple[list[str], tuple[int, ...], IO[bytes]]]:
    """A command line, the descriptors that it needs, and the file that tells of process 1: closed in case of failure.

    Raises SandboxUnavailable where something is not installed.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap is not installed", fix="apt-get install bubblewrap")
    if not seccomp.supported():
        raise SandboxUnavailable("there is no system call filter for this processor", fix="use --sandbox docker")
    before = _as_guest()
    info = tempfile.TemporaryFile()  # noqa: SIM115 - its taker closes it
    try:
        with tempfile.TemporaryFile() as arguments:
            # Options go over a descriptor, so that no command line shows a path of the host.
            written = [*options, "--info-fd", str(info.fileno())]
            arguments.write(b"".join(option.encode() + b"\0" for option in written))
            arguments.seek(0)
            line = [*before, bwrap, "--args", str(arguments.fileno()), "--", *command]
            yield line, (arguments.fileno(), info.fileno()), info
    except BaseException:
        info.close()
        raise


def first(info: IO[bytes]) -> int | None:
    """The number of the guest's process 1 on the host, by what bubblewrap said of it; None where it did not start."""
    try:
        return int(json.loads(os.pread(info.fileno(), 4096, 0))["child-pid"])
    except (ValueError, KeyError):
        return None


def end(process: subprocess.Popen[bytes], info: IO[bytes] | None) -> bool:
    """Kill process 1 and wait for bubblewrap: it ends when the kernel has ended all others of the namespace.

    False where that has not come to pass after five minutes: what is killed runs no instruction of its own any more,
    but may wait in the kernel, for a disk to write what it left, say.
    """
    number = first(info) if info is not None else None
    if number is not None and process.poll() is None and _parent(number) == process.pid:
        # As long as bubblewrap is its parent, the number is its own.
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    # Where it is not known yet, the closed pipe ends it: killing bubblewrap in the middle of its work would strand it.
    try:
        process.wait(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _as_guest() -> list[str]:
    """What comes before bubblewrap on the command line: as root, becoming somebody else."""
    if os.getuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise SandboxUnavailable("setpriv is not installed", fix="apt-get install util-linux")
    user = str(GUEST_USER)
    return [setpriv, "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all"]


def said(errors: IO[bytes]) -> str:
    text = os.pread(errors.fileno(), 8192, 0).decode(errors="replace").strip()
    return text.splitlines()[-1] if text else ""
