"""What processes have used so far, read from ``/proc``: limits in processor time hold alike on a busy machine."""

from __future__ import annotations

import os

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _USER, _SYSTEM, _WAITED_USER, _WAITED_SYSTEM = 1, 11, 12, 13, 14
"""Fields of ``/proc/PID/stat`` behind the name, counted from 0 (proc(5): 4, 14 to 17)."""


def cpu_seconds(pid: int) -> float:
    """Processor time of a process, of the children it has waited for, and of all its living descendants."""
    parents: dict[int, int] = {}
    spent: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parents[int(name)] = int(fields[_PARENT])
        spent[int(name)] = sum(int(fields[at]) for at in (_USER, _SYSTEM, _WAITED_USER, _WAITED_SYSTEM))
    total, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        total += spent.get(one, 0)
        waiting += [child for child, parent in parents.items() if parent == one]
    return total / _TICKS
