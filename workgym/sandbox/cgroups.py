"""Control groups: limits that hold for all processes of a sandbox together, where this process may set them.

A group is a folder of the kernel's in each hierarchy that counts: *memory* and *pids* of version 1, or the one of
version 2 where its controllers are handed to us (root, or an ordinary user to whom systemd delegates). Whether that is
so is tried, not guessed. All groups of this process lie below one of its own, whose name has the name of its folder
(``state``): nobody else's is ever touched, and ``clean`` finds what a killed process left.

Entering one costs 12 ms under version 1, where the kernel waits for all processors; to be forked inside costs nothing.
Source: cgroup-v1/memory, cgroup-v1/pids and cgroup-v2 in the kernel's documentation; cgroups(7), proc_pid_mountinfo(5).
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from workgym.errors import SandboxUnavailable
from workgym.sandbox import state

_NOTE = "groups"
"""File of this process's folder that names its groups, a path a line."""
_MEMORY = {1: "memory.limit_in_bytes", 2: "memory.max"}
_KILLS = {1: "memory.oom_control", 2: "memory.events"}
_NO_SWAP = {1: "memory.swappiness", 2: "memory.swap.max"}
_PATIENCE_SECONDS = 5.0
"""How long killed processes may take to leave a group."""
_guard = threading.Lock()
_numbers = itertools.count(1)
_own: Group | None = None
_reason: str | None = None


class Group:
    """A folder in each hierarchy that counts for us."""

    def __init__(self, version: int, folders: tuple[Path, ...]) -> None:
        """Make it; ``folders`` begins with the one that counts memory. Raises OSError where that is not allowed."""
        self.version, self.folders = version, folders
        self._bounds: tuple[int, int] | None = None
        self._seen = 0
        made: list[Path] = []
        try:
            for folder in folders:
                folder.mkdir()
                made.append(folder)
        except OSError:
            _remove(made)
            raise

    def below(self, name: str) -> Group:
        """A new group within."""
        return Group(self.version, tuple(folder / name for folder in self.folders))

    def bound(self, memory_bytes: int, processes: int) -> None:
        """Limit it, without swap. Raises OSError where more is in use than that, or it is not allowed."""
        if self._bounds == (memory_bytes, processes):
            return
        memory = self.folders[0]
        (memory / _MEMORY[self.version]).write_text(str(memory_bytes))
        if self._bounds is None and (memory / _NO_SWAP[self.version]).exists():
            (memory / _NO_SWAP[self.version]).write_text("0")
        counting = self.folders[-1] / "pids.max"
        if counting.exists():
            counting.write_text(str(processes))
        self._bounds = (memory_bytes, processes)

    def entrances(self) -> list[str]:
        """Files into which a process is written that is to enter."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    def enter(self, pid: int) -> None:
        """Put a process in; its children to come are in, too. Raises OSError."""
        for entrance in self.entrances():
            Path(entrance).write_text(str(pid))

    def overrun(self) -> bool:
        """Whether the kernel has killed a process in it for its memory since this was last asked."""
        try:
            text = (self.folders[0] / _KILLS[self.version]).read_text()
        except OSError:
            return False
        kills = next((int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill ")), 0)
        before, self._seen = self._seen, kills
        return kills > before

    def used(self) -> int:
        """Bytes that are counted now. Raises OSError."""
        return int((self.folders[0] / ("memory.usage_in_bytes", "memory.current")[self.version - 1]).read_text())

    def remove(self) -> None:
        """Remove it with all below; whoever is still inside is killed."""
        _remove(self.folders)


def make() -> Group:
    """A new group of this process. Raises SandboxUnavailable where there can be none."""
    try:
        return _mine().below(f"slot-{next(_numbers)}")
    except OSError as error:
        raise SandboxUnavailable(f"no control group can be made ({error})") from None


def reason() -> str:
    """Why the memory of all together cannot be limited here; empty where it can. Tries it once."""
    global _reason
    if _reason is None:
        try:
            group = make()
            try:
                group.bound(64 << 20, 16)
                group.overrun()
            finally:
                group.remove()
            _reason = ""
        except (OSError, SandboxUnavailable) as error:
            _reason = str(error)
    return _reason


def clean(dead: Iterable[Path]) -> list[str]:
    """Remove the groups that processes left whose folders are ``dead``; their names."""
    removed = []
    for path in dead:
        with contextlib.suppress(OSError):
            for line in (path / _NOTE).read_text().splitlines():
                folder = Path(line)
                if folder.name == _name(path) and folder.is_dir():
                    _remove([folder])
                    removed.append(line)
    return removed


def leave() -> None:
    """Remove all groups of this process: the last thing at its regular end, when no sandbox is open any more."""
    global _own
    with _guard:
        if _own is not None:
            _own.remove()
            _own = None


def _mine() -> Group:
    global _own
    with _guard:
        if _own is None:
            wrong = "no hierarchy of control groups counts memory here"
            for version, parents in places():
                folder = state.own()
                folders = tuple(parent / _name(folder) for parent in parents)
                with open(folder / _NOTE, "a") as note:
                    note.write("".join(f"{each}\n" for each in folders))
                try:
                    _own = _opened(version, folders)
                    break
                except OSError as error:
                    none = f"{folders[0].parent} hands on no memory controller"
                    wrong = f"{error.strerror}: {error.filename or none}"
            else:
                raise SandboxUnavailable(wrong)
        return _own


def _opened(version: int, folders: tuple[Path, ...]) -> Group:
    """A group in which others can be made that are limited. Raises OSError where that is not allowed."""
    group = Group(version, folders)
    try:
        if version == 2:
            (folders[0] / "cgroup.subtree_control").write_text("+memory")
            with contextlib.suppress(OSError):
                (folders[0] / "cgroup.subtree_control").write_text("+pids")
        return group
    except OSError:
        group.remove()
        raise


def _name(folder: Path) -> str:
    return f"workgym-{folder.name}"


def places() -> Iterator[tuple[int, tuple[Path, ...]]]:
    """Where groups may be made, best first: the version, and the folder of each hierarchy.

    Under version 2 a group that holds processes cannot have others below it that are limited: so the ones above ours
    are tried, too. They are given to us where we may make folders in them.
    """
    mounts = list(_mounts())
    memory, pids = _first_version("memory", mounts), _first_version("pids", mounts)
    if memory is not None:
        yield 1, (memory,) if pids is None else (memory, pids)
        return
    for kind, root, mounted, _ in mounts:
        if kind == "cgroup2" and (own := _below(root, _path(""))) is not None:
            for above in (own, *own.parents):
                yield 2, (mounted / above,)


def _first_version(controller: str, mounts: list[tuple[str, str, Path, str]]) -> Path | None:
    for kind, root, mounted, options in mounts:
        if kind == "cgroup" and controller in options.split(",") and (own := _below(root, _path(controller))):
            return mounted / own
    return None


def _mounts() -> Iterator[tuple[str, str, Path, str]]:
    """Kind, root, place and options of each mounted hierarchy."""
    with contextlib.suppress(OSError), open("/proc/self/mountinfo") as lines:
        for line in lines:
            before, _, after = line.partition(" - ")
            kind, _, options = after.split()[:3]
            if kind in ("cgroup", "cgroup2"):
                fields = before.split()
                yield kind, fields[3], Path(fields[4]), options


def _path(controller: str) -> str:
    """Where this process is in the hierarchy of a controller, or in that of version 2."""
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as lines:
        for line in lines:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            if controller in controllers.split(",") if controller else not controllers:
                return path
    return "/"


def _below(root: str, path: str) -> Path | None:
    """``path`` as it counts from ``root``; None where it does not lie below."""
    inside = Path(path)
    return inside.relative_to(root) if inside.is_relative_to(root) and ".." not in inside.parts else None


def _remove(folders: Iterable[Path]) -> None:
    """Remove groups of ours, the inner ones first; who is inside is killed, and what does not go is left."""
    for top in folders:
        end = time.monotonic() + _PATIENCE_SECONDS
        for folder, _, _ in os.walk(top, topdown=False):
            while not _removed(Path(folder)) and time.monotonic() < end:
                time.sleep(0.005)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        with contextlib.suppress(OSError):
            for pid in (folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        return False
    return True


def _forget() -> None:
    # A forked copy of the host has its parent's groups neither to use nor to remove.
    global _own, _guard, _reason
    _guard, _own, _reason = threading.Lock(), None, None


os.register_at_fork(after_in_child=_forget)
atexit.register(leave)
