"""Slots: processes in control groups of their own, from which guests are forked that are to be counted together.

A guest belongs to the group of the process that forked it. To put each new guest into one costs 12 ms under version 1;
a slot is put there once, and used by one guest after another. It is itself forked from the zygote, with what that had
loaded by then, and forked anew when the zygote has learnt more.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from workgym.errors import SandboxUnavailable
from workgym.sandbox import cgroups
from workgym.sandbox.contract import Limits
from workgym.sandbox.control import Control

_SPARE_PROCESSES = 2
"""The slot's own process, and the guest's first one."""
_OVERHEAD_BYTES = 32 << 20
"""What is counted beside the agent's work: page tables, and what two processes of ours write in memory they share."""
_KEPT = 64
"""Slots that wait for another guest; more than that are removed."""

Fork = Callable[[Control], tuple[int, int]]
"""Forks a slot's process, with the other end of a conversation; a descriptor of it, and how much it knows."""


class Slot:
    """One of them."""

    def __init__(self) -> None:
        """Raises SandboxUnavailable where no group can be made."""
        self.group = cgroups.make()
        self.control: Control | None = None
        self._process, self.knows = -1, -1

    def begin(self, fork: Fork) -> None:
        """Start its process, in place of the one that it had. Raises what ``fork`` raises, SandboxUnavailable."""
        self._stop()
        control = Control()
        try:
            self._process, self.knows = fork(control)
            self.group.enter(_number(self._process))
        except OSError as error:
            control.close()
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            raise SandboxUnavailable(f"a process cannot be put into a control group ({error})") from None
        except BaseException:
            control.close()
            raise
        self.control = control

    def lives(self) -> bool:
        """Whether its process runs: where a guest has made the kernel run out of victims, it was killed, too."""
        if self._process < 0:
            return False
        waiting = select.poll()
        waiting.register(self._process, select.POLLIN)
        return not waiting.poll(0)

    def bound(self, limits: Limits) -> None:
        """Set what a guest may use: its memory, its workspace, which is memory too, and its processes."""
        self.group.bound(memory_bytes(limits), limits.processes + _SPARE_PROCESSES)

    def remove(self) -> None:
        """End it, with a guest that is still inside."""
        self._stop()
        self.group.remove()

    def let_go(self) -> None:
        """In a forked copy of the host, whose slot it is not."""
        if self.control is not None:
            self.control.close()
        if self._process >= 0:
            os.close(self._process)

    def _stop(self) -> None:
        if self._process >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
        self.let_go()
        self.control, self._process = None, -1


class Slots:
    """All slots of one zygote; thread-safe."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._guard = threading.Lock()
        self._free: list[Slot] = []
        self._all: set[Slot] = set()
        self._over = False

    def take(self, limits: Limits, needed: int) -> Slot:
        """A slot with these limits whose process knows as much as is needed; the taker gives it back or drops it.

        Raises what forking one raises, and SandboxUnavailable where groups cannot be made or set any more.
        """
        slot = self._found() or self._made()
        try:
            if slot.control is None or slot.knows < needed:
                slot.begin(self._fork)
            slot.bound(limits)
        except OSError as error:
            self.drop(slot)
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            raise SandboxUnavailable(f"a control group cannot be limited ({error})") from None
        except BaseException:
            self.drop(slot)
            raise
        return slot

    def give_back(self, slot: Slot) -> None:
        """Its guest has ended, and what it wrote is gone."""
        with self._guard:
            keep = not self._over and len(self._free) < _KEPT and slot.lives()
            if keep:
                self._free.append(slot)
        if not keep:
            self.drop(slot)

    def drop(self, slot: Slot) -> None:
        """It is of no use any more."""
        with self._guard:
            self._all.discard(slot)
        slot.remove()

    def end(self) -> None:
        """Remove all of them; the zygote has ended, and so have their processes."""
        with self._guard:
            self._over = True
            every, self._all, self._free = list(self._all), set(), []
        for slot in every:
            slot.remove()

    def let_go(self) -> None:
        """In a forked copy of the host."""
        self._over = True
        for slot in self._all:
            slot.let_go()

    def _found(self) -> Slot | None:
        with self._guard:
            return self._free.pop() if self._free else None

    def _made(self) -> Slot:
        slot = Slot()
        with self._guard:
            self._all.add(slot)
        return slot


def memory_bytes(limits: Limits) -> int:
    """What all of one sandbox may have in memory: its processes' memory, and the files of its workspace."""
    return (limits.memory_mib + limits.workspace_mib << 20) + _OVERHEAD_BYTES


def _number(process: int) -> int:
    """The number here of the process of a descriptor. Raises ConnectionError where it has ended."""
    lines = Path(f"/proc/self/fdinfo/{process}").read_text().splitlines()
    number = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
    if number <= 0:
        raise ConnectionResetError("it has ended")
    return number
