"""How many sandboxes this machine carries at once: by memory, cores and open files."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

from workgym.records import Record
from workgym.sandbox import cgroups
from workgym.sandbox.contract import Limits

_OF_MEMORY = 0.75
"""The part of the free memory that sandboxes may have."""
_TYPICAL = 4
"""Episodes of office work use less than this part of what they may (a workbook of 2,000 rows takes 60 MiB of 1,280):
where each took all, memory would end at that many, and the kernel would stop one of them."""
_LEAST_MIB = 64
"""What a sandbox in use takes at least."""
_PER_CORE = 16
"""Sandboxes on one core whose agents wait for a model most of the time; a scripted agent keeps a core busy alone."""
_DESCRIPTORS, _OWN_DESCRIPTORS = 8, 128
"""Descriptors that one sandbox takes, and what the process needs beside them."""


class Capacity(Record):
    """What the machine carries."""

    memory_mib: int
    """Memory that is free for this process, within its control group."""
    cores: int
    """Processor cores that this process may use."""
    by_memory: int
    """Sandboxes by memory."""
    by_cores: int
    """Sandboxes by cores."""
    by_descriptors: int
    """Sandboxes by open files (``ulimit -n``)."""

    @property
    def at_once(self) -> int:
        """Sandboxes at once: the smallest of the three, at least one."""
        return max(1, min(self.by_memory, self.by_cores, self.by_descriptors))

    def said(self) -> str:
        """In a few words."""
        return (
            f"{self.at_once} (memory for {self.by_memory}, cores for {self.by_cores}, "
            f"open files for {self.by_descriptors})"
        )


def capacity(limits: Limits | None = None) -> Capacity:
    """What this machine carries now, of sandboxes with these limits."""
    asked = limits or Limits()
    free = _free() >> 20
    each = max(_LEAST_MIB, (asked.memory_mib + asked.workspace_mib) // _TYPICAL)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return Capacity(
        memory_mib=free,
        cores=cores,
        by_memory=int(free * _OF_MEMORY) // each,
        by_cores=_PER_CORE * cores,
        by_descriptors=max(0, open_files - _OWN_DESCRIPTORS) // _DESCRIPTORS,
    )


def _free() -> int:
    """Bytes that this process and its children may still take."""
    found = [_available()]
    for version, (memory, *_) in cgroups.places():
        with contextlib.suppress(OSError, ValueError):
            found.append(_left(version, memory))
    return max(0, min(found))


def _available() -> int:
    with contextlib.suppress(OSError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _left(version: int, group: Path) -> int:
    """What a control group has left. Raises ValueError where it has no limit, OSError where it does not tell."""
    limit, used = (("memory.limit_in_bytes", "memory.usage_in_bytes"), ("memory.max", "memory.current"))[version - 1]
    # What is kept of files counts as used, but goes when it is needed.
    kept = ("total_inactive_file", "inactive_file")[version - 1]
    lines = (group / "memory.stat").read_text().splitlines()
    cached = next((int(line.split()[1]) for line in lines if line.split()[0] == kept), 0)
    return int((group / limit).read_text()) - int((group / used).read_text()) + cached
