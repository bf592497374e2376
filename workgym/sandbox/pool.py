"""Many sandboxes: a bounded number at once, opened ahead while others work.

::

    with Pool(Bubblewrap, packs=("files", "shell", "office")) as pool:
        env = gym.make("workfactory/supplier-selection-7", sandbox=pool.sandbox)

``pool.sandbox()`` is a sandbox like any other, not open yet. Its ``open`` waits for a place, first come, first served;
it finds a guest that was opened ahead where one with these packs is ready, and that has been asked whether it still
answers. Its ``close`` gives the place back.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from workgym.errors import SandboxError
from workgym.records import FileChange, ToolCall, ToolResult, ToolSpec
from workgym.sandbox.capacity import capacity
from workgym.sandbox.contract import Capabilities, Limits, Sandbox, Snapshot


class Pool:
    """Sandboxes of one kind; thread-safe. ``close`` it, or use it in a ``with``."""

    def __init__(
        self,
        make: Callable[[Limits], Sandbox],
        packs: tuple[str, ...],
        limits: Limits | None = None,
        *,
        at_once: int | None = None,
        ahead: int | None = None,
    ) -> None:
        """``make`` makes a sandbox that is not open; ``packs`` are those of guests that are opened ahead.

        ``at_once`` bounds how many there are, those that wait ready included: by default what the machine carries
        (``capacity``). ``ahead`` is how many wait ready: by default a quarter of them, eight at most; 0 for none.
        """
        self.limits = limits or Limits()
        self.packs = packs
        self.at_once = max(1, at_once if at_once is not None else capacity(self.limits).at_once)
        self.ahead = ahead if ahead is not None else min(8, self.at_once // 4)
        self._make = make
        self._change = threading.Condition()
        self._ready: deque[Sandbox] = deque()
        self._waiting: deque[object] = deque()
        self._lent, self._opening, self._failed, self._closed = 0, 0, False, False
        self._opener = threading.Thread(target=self._open_ahead, name="sandbox-pool", daemon=True)
        self._opener.start()

    def sandbox(self) -> Sandbox:
        """A sandbox of the pool, not open yet."""
        return Pooled(self)

    def close(self) -> None:
        """Close what is ready, and lend no more: who waits gets SandboxError. What is lent lives until its close."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._opener.join()
        for sandbox in self._ready:
            sandbox.close()
        self._ready.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def take(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> Sandbox:
        """An open sandbox with these files; waits until there is a place. The taker gives it back."""
        sandbox = self._placed(packs)
        try:
            if sandbox is not None and sandbox.answers():
                for path, content in files.items():
                    sandbox.put(path, content)
                sandbox.changed()
                return sandbox
            if sandbox is not None:
                sandbox.close()  # it died while it waited
            sandbox = self.fresh()
            sandbox.open(files, packs)
        except BaseException:
            if sandbox is not None:
                sandbox.close()
            self._left()
            raise
        with self._change:
            self._failed = False
        return sandbox

    def give_back(self, sandbox: Sandbox) -> None:
        """Close it; its place is free."""
        try:
            sandbox.close()
        finally:
            self._left()

    def fresh(self) -> Sandbox:
        """A sandbox of this kind that counts nowhere."""
        return self._make(self.limits)

    def _placed(self, packs: tuple[str, ...]) -> Sandbox | None:
        """Wait for a place; with it comes a guest that is ready, where one is and has these packs."""
        ticket = object()
        with self._change:
            self._waiting.append(ticket)
            try:
                while not self._closed and not (self._waiting[0] is ticket and (self._ready or self._room())):
                    self._change.wait()
                if self._closed:
                    raise SandboxError("the pool of sandboxes is closed")
                ready = self._ready.popleft() if self._ready else None
                self._lent += 1
            finally:
                self._waiting.remove(ticket)
                self._change.notify_all()
        if ready is not None and packs != self.packs:
            ready.close()  # its place is needed
            return None
        return ready

    def _left(self) -> None:
        with self._change:
            self._lent -= 1
            self._change.notify_all()

    def _room(self) -> bool:
        return self._lent + self._opening + len(self._ready) < self.at_once

    def _open_ahead(self) -> None:
        while True:
            with self._change:
                while not self._closed and (self._failed or len(self._ready) >= self.ahead or not self._room()):
                    self._change.wait()
                if self._closed:
                    return
                self._opening += 1
            sandbox: Sandbox | None = None
            try:
                sandbox = self.fresh()
                sandbox.open({}, self.packs)
            except Exception:  # noqa: BLE001 - whoever opens one himself next hears what is wrong
                if sandbox is not None:
                    with contextlib.suppress(SandboxError):
                        sandbox.close()
                sandbox = None
            with self._change:
                self._opening -= 1
                if sandbox is None:
                    self._failed = True
                else:
                    self._ready.append(sandbox)
                self._change.notify_all()


class Pooled(Sandbox):
    """A sandbox that a pool lends from ``open`` to ``close``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._inner = pool.fresh()
        self._lent = self._over = False
        self._guard = threading.Lock()
        self.name = self._inner.name

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override]  # some backends find out when they are asked
        """Those of the backend."""
        return self._inner.capabilities

    def open(self, files: Mapping[str, bytes], packs: tuple[str, ...]) -> None:
        if self._lent or self._over:
            raise SandboxError("a sandbox is used once; make another one")
        self._inner = self._pool.take(files, packs)
        self._lent = True

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._inner.tools()

    def call(self, call: ToolCall) -> ToolResult:
        return self._inner.call(call)

    def script(self, source: str, act: Callable[[ToolCall], ToolResult]) -> str:
        return self._inner.script(source, act)

    def put(self, path: str, content: bytes | None) -> None:
        self._inner.put(path, content)

    def collect(self) -> dict[str, bytes]:
        return self._inner.collect()

    def changed(self) -> tuple[FileChange, ...]:
        return self._inner.changed()

    def digest(self) -> str:
        return self._inner.digest()

    def snapshot(self) -> Snapshot:
        return self._inner.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        self._inner.restore(snapshot)

    def answers(self) -> bool:
        return self._inner.answers()

    def halt(self) -> None:
        self._inner.halt()

    def close(self) -> None:
        with self._guard:
            if self._over:
                return
            self._over = True
        if self._lent:
            self._pool.give_back(self._inner)
        else:
            self._inner.close()
