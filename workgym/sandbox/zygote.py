"""Warm starts: guests forked from one process in bubblewrap that has the tools' libraries loaded.

There is one such process for each host process and way of building a root, started with the first guest. It learns:
from the second guest on it loads, while nobody asks for one, what calls of its guests have needed so far, and nothing
else, since a fork copies the page tables of all that is loaded (0.5 ms of an interpreter, 3 with openpyxl and docx, 6
with pandas too). See ``guest_zygote``
for the other side, ``guest_walls`` for what stands between two guests. Where it cannot work, guests start cold.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import tempfile
import threading
from typing import IO, Any

from workgym.errors import SandboxError, SandboxUnavailable
from workgym.records import ToolCall
from workgym.sandbox import bwrap, cgroups, guest_root, guestenv, seccomp
from workgym.sandbox.contract import Limits
from workgym.sandbox.control import Control, Unfit
from workgym.sandbox.packs import Pack
from workgym.sandbox.piped import WORKSPACE, described, guest_modules
from workgym.sandbox.session import BOOT, boot_line
from workgym.sandbox.slots import Slot, Slots

_PLACE = "/tmp/zygote"
"""Where it finds what it makes roots of; no guest sees that folder."""
_GOING_SECONDS = 0.2
"""How long one that has hung up may take to be seen as ended."""
_guard = threading.Lock()
_living: dict[tuple[str, ...], Zygote] = {}
_retired: list[Zygote] = []
_unfit: str | None = None
_crashed = False


class Running:
    """A guest's first process, by a descriptor of it: no number can be mistaken."""

    def __init__(self, process: int, workspace: int, packs: list[str], zygote: Zygote, slot: Slot | None) -> None:
        """``process`` is a pidfd, ours from now on; ``packs`` are the names under which it knows its packs."""
        self._process, self.packs, self._zygote, self._slot = process, packs, zygote, slot
        self.workspace = workspace
        """A descriptor of its workspace, its taker's to close: until then the files stay, whoever has ended."""

    def enlarge(self, more: int) -> None:
        """Make room for so many bytes more in its workspace, for the host. Raises OSError, SandboxUnavailable."""
        self._zygote.enlarge(self.workspace, more)

    def used(self, pack: Pack, call: ToolCall) -> None:
        """It is going to make a call to a tool of ``pack``."""
        self._zygote.used(pack, call)

    def settled(self) -> None:
        """It has answered; nothing is to note: it ends with the zygote, which ends with this process."""

    def ended(self, seconds: float) -> bool:
        """Whether it has ended, and all of its namespace, or does within so long."""
        waiting = select.poll()
        waiting.register(self._process, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))

    def group(self) -> cgroups.Group | None:
        """Its control group; None where it has none."""
        return None if self._slot is None else self._slot.group

    def end(self) -> bool:
        """Kill every process of its namespace; False where they have not ended after a while."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)
        return self.ended(bwrap.PATIENCE_SECONDS)

    def release(self) -> None:
        """Nothing of it is left, neither processes nor files: its slot is free."""
        over = self.ended(0)
        os.close(self._process)
        if self._slot is not None:
            (self._zygote.slots.give_back if over else self._zygote.slots.drop)(self._slot)

    def let_go(self) -> None:
        """In a forked copy of the host, whose guest it is not."""
        os.close(self._process)


class Zygote:
    """The host's end of one."""

    def __init__(self, options: list[str]) -> None:
        """Start one. Raises Unfit where it cannot work here, SandboxUnavailable where there is no bubblewrap."""
        self._guard = threading.Lock()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in end
        self._packs: dict[int, tuple[str, Pack]] = {}
        self._lessons: dict[tuple[str, str], bool] = {}
        self._begun = self._told = 0
        self._control = Control()
        self.slots = Slots(self._forked)
        try:
            with self._control.theirs as theirs:
                python = f"{guestenv.GUEST_PATH}/bin/python"
                command = [python, "-s", "-P", "-B", "-c", BOOT]
                self._running = bwrap.launch_bare(_options(options), command, self._errors, theirs)
        except BaseException:
            self._control.close()
            self._errors.close()
            raise
        try:
            modules = guest_modules("guest_walls", "guest_zygote")
            self._control.say(boot_line("guest_zygote", _setup(), modules))
            self._control.answer()
            self._running.settled()
        except OSError as error:
            said = bwrap.said(self._errors) or str(error)
            self.end()
            raise Unfit(said) from None
        except BaseException:
            self.end()
            raise

    def begin(self, limits: Limits, errors: IO[bytes], packs: tuple[Pack, ...]) -> tuple[Running, int, int]:
        """A new guest with an empty workspace; the ends of its pipes to write to and to read from.

        Raises ConnectionError where the zygote or the slot has ended, TimeoutError where it does not answer, Unfit
        where it cannot fork, SandboxError where this process cannot have more descriptors, SandboxUnavailable where
        control groups do not work any more.
        """
        with self._guard:
            names = [self._named(pack) for pack in packs]
            self._begun += 1
            self._teach()
        if cgroups.reason():
            with self._guard:
                return self._begin(self._control, limits, errors, names, None)
        slot = self.slots.take(limits, self._told)
        try:
            assert slot.control is not None, "a slot that is taken has begun"
            return self._begin(slot.control, limits, errors, names, slot)
        except BaseException:
            self.slots.drop(slot)
            raise

    def _begin(
        self, control: Control, limits: Limits, errors: IO[bytes], packs: list[str], slot: Slot | None
    ) -> tuple[Running, int, int]:
        theirs_in, sink = os.pipe()
        source, theirs_out = os.pipe()
        found: list[int] = []
        try:
            control.send({"size": limits.workspace_mib << 20}, [theirs_in, theirs_out, errors.fileno()])
            _, found = control.answer()
            if len(found) < 2:
                # The pipes that are closed now end the guest.
                raise SandboxError("too many open files: a guest needs seven descriptors")
        except BaseException:
            for ours in (sink, source, *found):
                os.close(ours)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return Running(found[0], found[1], packs, self, slot), sink, source

    def _forked(self, control: Control) -> tuple[int, int]:
        """A copy of it that forks guests, for ``Slots``."""
        with self._guard, control.theirs as theirs:
            self._control.send({"slot": True}, [theirs.fileno()])
            message, found = self._control.answer()
        if not found:
            raise SandboxError("too many open files: a slot needs two descriptors")
        return found[0], int(message["knows"])

    def used(self, pack: Pack, call: ToolCall) -> None:
        """Keep in mind what a call needs: the guests to come find it loaded."""
        name, _ = self._packs[id(pack)]
        needed = [(name, library) for library in ("", *pack.libraries(call))]
        if all(lesson in self._lessons for lesson in needed):
            return
        with self._guard, contextlib.suppress(OSError):  # whoever asks it for a guest next will notice
            for lesson in needed:
                self._lessons.setdefault(lesson, False)
            self._teach()

    def enlarge(self, workspace: int, more: int) -> None:
        """See ``Running.enlarge``."""
        with self._guard:
            self._control.send({"more": more}, [workspace])
            self._control.answer()

    def settle(self) -> None:
        """Wait until it has loaded all that it is to load by now. Raises ConnectionError where it has ended."""
        with self._guard:
            self._control.send({"tell": True})
            self._control.answer()

    def end(self) -> None:
        """End it, and all guests that came from it."""
        self._control.close()
        self._running.end()
        self.slots.end()
        self._errors.close()

    def lives(self, seconds: float = 0) -> bool:
        """Whether it runs, and goes on for that long: one that was killed hangs up before it is gone."""
        return not self._running.ended(seconds)

    def let_go(self) -> None:
        """In a forked copy of the host, whose zygote it is not."""
        self._control.close()
        self.slots.let_go()
        self._running.let_go()
        self._errors.close()

    def _named(self, pack: Pack) -> str:
        """The name under which it and its guests know a pack from now on: a text of 130 kB is told once."""
        if id(pack) not in self._packs:
            name = f"{pack.manifest.name}-{len(self._packs)}"
            self._tell({"pack": described(pack), "as": name})
            self._packs[id(pack)] = (name, pack)  # as long as it is held, the number is its own
        return self._packs[id(pack)][0]

    def _teach(self) -> None:
        if self._begun < 2 or _crashed:
            return
        for lesson, told in self._lessons.items():
            if not told:
                self._lessons[lesson] = True
                self._tell({"learn": lesson[1], "of": lesson[0]})

    def _tell(self, message: dict[str, Any]) -> None:
        """Something that slots are to know, too: those that were forked before are forked again."""
        self._control.send(message)
        self._told += 1


def begin(limits: Limits, errors: IO[bytes], packs: tuple[Pack, ...]) -> tuple[Running, int, int]:
    """A new warm guest; see ``Zygote.begin``. Raises SandboxUnavailable where guests have to start cold."""
    global _crashed
    for _ in range(3):
        zygote = _taken()
        try:
            return zygote.begin(limits, errors, packs)
        except ConnectionError:
            if zygote.lives(_GOING_SECONDS):
                continue  # only the slot has ended, and it is dropped
            # Killed from outside, or by a library that it loaded: the next one loads none beforehand.
            _crashed = True
            _dropped(zygote)
            zygote.end()
        except TimeoutError:
            # Its guests may be well: it ends with this process.
            _dropped(zygote)
            _retired.append(zygote)
    raise Unfit("the process that forks them ends each time")


def settle() -> None:
    """Wait until what has been used so far is loaded. Raises SandboxUnavailable where guests start cold."""
    _taken().settle()


def reason() -> str:
    """Why guests start cold here; empty where they start warm. Starts a zygote."""
    try:
        _taken()
    except SandboxUnavailable as error:
        return str(error)
    return ""


def _taken() -> Zygote:
    global _unfit
    options = guest_root.options()
    with _guard:
        if _unfit is not None:
            raise Unfit(_unfit)
        if (found := _living.get(tuple(options))) is None:
            try:
                found = _living[tuple(options)] = Zygote(options)
            except Unfit as error:
                _unfit = str(error)
                raise
        return found


def _dropped(zygote: Zygote) -> None:
    with _guard:
        for key in [key for key, found in _living.items() if found is zygote]:
            del _living[key]


def _options(options: list[str]) -> list[str]:
    places = ["--ro-bind", str(guest_root.base_folder()), f"{_PLACE}/base", "--dir", f"{_PLACE}/new"]
    return [*options, *places, "--remount-ro", "/", "--chdir", WORKSPACE]


def _setup() -> dict[str, Any]:
    return {
        "base": f"{_PLACE}/base",
        "new": f"{_PLACE}/new",
        "binds": guest_root.bound(),
        "last": [guestenv.GUEST_PATH],
        "home": guest_root.HOME,
        "workspace": WORKSPACE,
        "hostname": guest_root.HOSTNAME,
        "shm_bytes": guest_root.SHM_BYTES,
        "tmp_bytes": guest_root.TMP_BYTES,
        "filter": seccomp.guest().hex(),
    }


def _end_all() -> None:
    with _guard:
        for zygote in (*_living.values(), *_retired):
            zygote.end()
        _living.clear()
        _retired.clear()


def _forget() -> None:
    # A forked copy of the host owns no zygote: the descriptors that keep it alive must go.
    global _guard
    _guard = threading.Lock()
    for zygote in (*_living.values(), *_retired):
        zygote.let_go()
    _living.clear()
    _retired.clear()


os.register_at_fork(after_in_child=_forget)
atexit.register(_end_all)
