"""Folders that this process owns while it lives, and that anybody may remove once it is dead.

Each process has one folder under ``root()`` with a lock file that it holds (flock): the kernel
lets go of it when the process dies, however it dies, and no process number can be mistaken.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import secrets
import signal
import stat
import tempfile
import threading
import time
from pathlib import Path

from workgym.errors import SandboxError
from workgym.sandbox.trees import remove

_HALF_MADE_SECONDS = 3600.0
_guard = threading.Lock()
_own: tuple[Path, int] | None = None


def root() -> Path:
    """The folder of all processes of this user: ``WORKGYM_STATE``, else in the system's temporary folder.

    Raises SandboxError where somebody else made it.
    """
    named = os.environ.get("WORKGYM_STATE")
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"workgym-{os.getuid()}"
    # As root the guest runs as another user and must be able to pass through, not to look around.
    mode = 0o711 if os.getuid() == 0 else 0o700
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise SandboxError(f"{folder} belongs to somebody else", fix="set WORKGYM_STATE to a folder of your own")
    if stat.S_IMODE(found.st_mode) != mode:
        os.chmod(folder, mode)
    return folder


def folder(prefix: str, within: Path | None = None) -> Path:
    """A new empty folder of this process; its maker removes it with ``remove``, ``clean`` after a crash.

    ``within`` is another such folder that it is to lie in.
    """
    made = (within or _mine()) / f"{prefix}-{secrets.token_hex(4)}"
    made.mkdir(mode=0o700)
    return made


def note(pid: int) -> Path:
    """Note a process that must not outlive this one; its maker removes the note, ``clean`` the process."""
    path = _mine() / f"process-{pid}-{_started(pid)}"
    path.touch()
    return path


def own() -> Path:
    """This process's folder: a name for it that others can ask ``alive`` about."""
    return _mine()


def alive(path: Path) -> bool:
    """Whether the process that owns the folder ``path`` still runs."""
    try:
        lock = os.open(path / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def dead() -> list[Path]:
    """Folders of processes that are dead, and those that were never finished."""
    found = []
    for name in sorted(os.listdir(root())):
        path = root() / name
        if name.startswith(".new-"):
            if time.time() - os.lstat(path).st_mtime >= _HALF_MADE_SECONDS:
                found.append(path)
        elif not alive(path):
            found.append(path)
    return found


def clean() -> list[str]:
    """Remove what dead processes left; returns the names of their folders."""
    removed = []
    for path in dead():
        for noted in path.glob("process-*"):
            _, pid, started = noted.name.split("-")
            # The same number with another start is another process.
            if _started(int(pid)) == started:
                os.kill(int(pid), signal.SIGKILL)
        remove(path)
        removed.append(path.name)
    return removed


def leave() -> None:
    """Remove this process's folder: the last thing at its regular end."""
    global _own
    with _guard:
        if _own is not None:
            remove(_own[0])
            os.close(_own[1])
            _own = None


def _mine() -> Path:
    global _own
    with _guard:
        if _own is None or not _own[0].is_dir():
            token = f"{os.getpid()}-{secrets.token_hex(4)}"
            fresh, path = root() / f".new-{token}", root() / token
            fresh.mkdir(mode=0o711 if os.getuid() == 0 else 0o700)
            lock = os.open(fresh / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            fresh.rename(path)
            _own = (path, lock)
        return _own[0]


def _started(pid: int) -> str:
    """When a process started, in clock ticks since boot; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _forget() -> None:
    # A forked child owns nothing of its parent's; closing its copy does not let go of the lock.
    global _own, _guard
    _guard = threading.Lock()
    if _own is not None:
        os.close(_own[1])
        _own = None


os.register_at_fork(after_in_child=_forget)
atexit.register(leave)
