"""What a host has before and after: nothing of the guests may be left over once their sandboxes are closed.

Found by the token that stands in every name a probe makes, and by this process's own folder: other work on the machine
does not count.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from workgym.sandbox import state
from workgym.testing.abuse.scene import Bait


@dataclass(frozen=True)
class Had:
    """What there was before."""

    descriptors: int
    children: frozenset[int]
    folders: frozenset[str]
    """What lies in this process's own folder: the notes of helpers that run as long as it does."""
    groups: frozenset[str]
    """Control groups that carry this process's name: those of helpers, for the next sandboxes."""


def running(mark: str) -> list[int]:
    """Processes of this machine that have a word on their command line, whatever namespace they are in."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if any(mark.encode() in word and len(word) < 200 for word in words):
                found.append(int(entry.name))
    return found


def had(spare: int = 0) -> Had:
    """What this process has now, and how many more descriptors it may have afterwards."""
    return Had(
        len(os.listdir("/proc/self/fd")) + spare,
        frozenset(_children()),
        frozenset(os.listdir(state.own())),
        _groups(""),
    )


def left(before: Had, bait: Bait, patience: float = 5.0) -> list[str]:
    """What is left over, a line each; what is on its way out has ``patience`` seconds: the kernel takes its time."""
    end = time.monotonic() + patience
    while (found := _found(before, bait)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def _found(before: Had, bait: Bait) -> list[str]:
    own = state.own()
    found = [f"process {pid}" for pid in running(bait.token)]
    found += [f"child {pid}" for pid in sorted(frozenset(_children()) - before.children)]
    more = sorted(frozenset(os.listdir(own)) - before.folders)
    found += [f"folder {name}" for name in more if name.startswith(("work", "home", "process"))]
    found += [f"file {path}" for path in bait.strewn()]
    with open("/proc/self/mountinfo") as mounts:
        found += [f"mount {line.split()[4]}" for line in mounts if own.name in line or bait.token in line]
    found += [f"cgroup {path}" for path in sorted(_groups(bait.token) - before.groups)]
    found += [f"cgroup {path}: {number} processes" for path, number in _inside(_groups("")) if number > 1]
    with contextlib.suppress(FileNotFoundError), open("/proc/sysvipc/shm") as segments:
        found += ["shared memory" for line in segments.readlines()[1:] if int(line.split()[0]) == bait.key][1:]
    if len(os.listdir("/proc/self/fd")) > before.descriptors:
        found.append(f"{len(os.listdir('/proc/self/fd')) - before.descriptors} descriptors")
    return found


def _groups(token: str) -> frozenset[str]:
    """Control groups that carry the name of this process's folder, or the token where there is one."""
    found = set()
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        marks = [mark for mark in (state.own().name, token) if mark]
        found |= {f"{folder}/{name}" for name in names if any(mark in name for mark in marks)}
    return frozenset(found)


def _inside(groups: frozenset[str]) -> list[tuple[str, int]]:
    """How many processes each group within those has: a sandbox that is closed leaves the one that waits for others."""
    found = []
    for group in groups:
        for path in Path(group).glob("*/cgroup.procs"):
            with contextlib.suppress(OSError):
                found.append((str(path.parent), len(path.read_text().split())))
    return found


def _children() -> list[int]:
    """Processes that this one has started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return found
