"""The default on Linux: namespaces of its own by bubblewrap, no daemon, no root, no network.

The root is a folder of ours, ``/etc`` in it; over it come ``/usr`` read-only, the guest environment, fresh ``/proc``,
``/dev`` and ``/tmp`` (``guest_root``). Root starts guests as another user. The tool server is process 1 of its
namespace: when it ends, the kernel ends all the rest, and it ends when the pipe from the host closes. Guests are forked
from a process that has the tools' libraries loaded (``zygote``), or where that cannot work here, started one by one
behind the same walls.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from workgym.errors import SandboxDied, SandboxError, SandboxUnavailable
from workgym.records import ToolCall, ToolResult
from workgym.sandbox import bwrap, cgroups, guest_root, guestenv, slots, zygote
from workgym.sandbox.collect import Workspace
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.control import Unfit
from workgym.sandbox.guest_root import HOME, SYSTEM, TMP_BYTES
from workgym.sandbox.own_places import covered
from workgym.sandbox.packs import Pack
from workgym.sandbox.piped import WORKSPACE, PipedSandbox
from workgym.sandbox.session import BOOT
from workgym.sandbox.usage import cpu_seconds


class Bubblewrap(PipedSandbox):
    """One guest in bubblewrap."""

    name = "bubblewrap"

    def __init__(self, limits: Limits | None = None, *, warm: bool = True) -> None:
        """``warm`` is False for a guest that is started for itself, and not forked."""
        super().__init__(limits)
        self.warm = warm
        self._owners: dict[str, Pack] = {}
        self._guest: bwrap.Running | zygote.Running | None = None
        self._group: cgroups.Group | None = None
        self._errors: IO[bytes] | None = None

    @functools.cached_property
    def capabilities(self) -> Capabilities:  # type: ignore[override]  # asked for, it is tried
        """What holds here: the kernel is asked for control groups, and for a guest that is forked."""
        return Capabilities(
            isolated_files=True,
            isolated_network=True,
            isolated_processes=True,
            total_memory=not cgroups.reason(),
            workspace_quota=self.warm and not zygote.reason(),
        )

    def call(self, call: ToolCall) -> ToolResult:
        guest = self._guest
        if isinstance(guest, zygote.Running) and (pack := self._owners.get(call.tool)) is not None:
            guest.used(pack, call)
        try:
            result = super().call(call)
        except SandboxDied as error:
            raise (SandboxDied(f"{error.message}; {self._too_much()}") if self._overrun() else error) from None
        if result.is_error and self._overrun():
            return ToolResult(text=f"{result.text.rstrip()}\n[killed: {self._too_much()}]", is_error=True)
        return result

    def memory(self) -> int:
        """Bytes that its processes and files take, by its control group; 0 where there is none."""
        group = self._counted()
        return 0 if group is None else group.used()

    def _too_much(self) -> str:
        return f"the processes of this sandbox had more than {self.limits.memory_mib} MiB of memory together"

    def _overrun(self) -> bool:
        """Whether processes of it were killed since the last question: together they had too much memory."""
        group = self._counted()
        return group is not None and group.overrun()

    def _counted(self) -> cgroups.Group | None:
        guest = self._guest
        return guest.group() if isinstance(guest, zygote.Running) else self._group

    def _begin(self, files: Mapping[str, bytes]) -> tuple[int, int]:
        self._owners = {tool.name: pack for pack in self._packs for tool in pack.manifest.tools}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        if self.warm:
            try:
                self._guest, sink, source = zygote.begin(self.limits, self._errors, self._packs)
            except Unfit:
                # Slower, with the same walls; ``workgym doctor`` tells why. Where bubblewrap itself fails, it says so.
                self.warm = False
                self.__dict__.pop("capabilities", None)
            else:
                self._workspace = self._workspace_in(self._guest.workspace, self._guest.enlarge)
                try:
                    self._workspace.fill(files)
                except BaseException:
                    os.close(sink)
                    os.close(source)
                    raise
                return sink, source
        return super()._begin(files)

    def _start(self, folder: Path) -> tuple[int, int]:
        options = [*guest_root.options(), "--bind", str(folder), WORKSPACE, "--remount-ro", "/", "--chdir", WORKSPACE]
        command = [f"{guestenv.GUEST_PATH}/bin/python", "-s", "-P", "-B", "-c", BOOT]
        assert self._errors is not None, "made in _begin"
        if not cgroups.reason():
            self._group = cgroups.make()
            self._group.bound(slots.memory_bytes(self.limits), self.limits.processes + 8)
        within = [] if self._group is None else self._group.entrances()
        self._guest, sink, source = bwrap.launch(options, command, self._errors, within)
        return sink, source

    def _modules(self) -> list[tuple[str, str]]:
        return [] if self.warm else super()._modules()

    def _described(self) -> list[Any]:
        return list(self._guest.packs) if isinstance(self._guest, zygote.Running) else super()._described()

    def _answered(self) -> None:
        if self._guest is not None:
            self._guest.settled()

    def _stop(self) -> None:
        ended = self._guest is None or self._guest.end()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if not ended:
            raise SandboxError(f"{self.name}: the guest's processes do not end, though they were killed")

    def _discard(self) -> None:
        if self._guest is not None:
            self._guest.release()
            self._guest = None
        if self._group is not None:
            self._group.remove()
            self._group = None

    def _abandon(self) -> None:
        super()._abandon()
        self._group = None
        if self._guest is not None:
            self._guest.let_go()
            self._guest = None
        if isinstance(self._workspace, Workspace) and not isinstance(self._workspace.folder, Path):
            self._workspace.discard()

    def _last_words(self) -> str:
        if self._guest is not None:
            self._guest.ended(2)
        return bwrap.said(self._errors) if self._errors is not None else ""

    def _explained(self, said: str) -> SandboxUnavailable:
        return _explained(said) if said.startswith("bwrap:") else super()._explained(said)


class Program:
    """A program of this machine in namespaces of its own: no network, and no files but ``/usr`` and those named."""

    def __init__(self, command: list[str], readable: Iterable[str]) -> None:
        """Start it, with a pipe each way. Raises SandboxUnavailable where there is no bubblewrap."""
        options = ["--unshare-all", "--new-session", "--as-pid-1", "--hostname", "sandbox", "--cap-drop", "ALL"]
        options += ["--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
        for name in SYSTEM:
            linked = os.path.islink(f"/{name}")
            options += ["--symlink", f"usr/{name}", f"/{name}"] if linked else ["--ro-bind-try", f"/{name}", f"/{name}"]
        options += covered()
        for path in readable:
            options += ["--ro-bind-try", path, path]
        options += ["--size", str(TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", HOME]
        options += ["--remount-ro", "/", "--clearenv", "--setenv", "HOME", HOME, "--setenv", "LANG", "C.UTF-8"]
        options += ["--setenv", "TZ", "UTC", "--setenv", "PATH", "/usr/bin:/bin"]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        self._running, self.sink, self.source = bwrap.launch(options, command, self._errors)

    def last_words(self) -> str:
        """The last line of what it said on standard error."""
        return bwrap.said(self._errors)

    def cpu_seconds(self) -> float:
        """Processor time that it and its children have used."""
        return cpu_seconds(self._running.process.pid)

    def stop(self) -> None:
        """End it and all its children."""
        for descriptor in (self.sink, self.source):
            os.close(descriptor)
        self._running.end()
        self._errors.close()


def reason() -> str:
    """Why this backend cannot work here, with the remedy; empty where it can. Runs a real sandbox."""
    try:
        probe()
    except SandboxUnavailable as error:
        return str(error)
    return "" if guestenv.ready() else "the guest environment is not built; run `workgym doctor --prepare`"


def probe() -> None:
    """Run ``true`` in a sandbox. Raises SandboxUnavailable with what is in the way and the remedy."""
    with tempfile.TemporaryFile() as errors:
        running, sink, source = bwrap.launch(guest_root.options(environment=False), ["/usr/bin/true"], errors)
        os.close(sink)
        os.close(source)
        running.ended(20)
        running.end()
        if running.process.returncode != 0:
            raise _explained(bwrap.said(errors))


def _explained(said: str) -> SandboxUnavailable:
    """What bubblewrap's complaint means here, and the way out."""
    said = said.removeprefix("bwrap: ").partition(". See ")[0] or "it says nothing"
    contained = any(os.path.exists(mark) for mark in ("/.dockerenv", "/run/.containerenv"))
    if contained:
        fix = "start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    elif _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        fix = "allow it for bwrap: apt-get install apparmor-profiles, then load bwrap-userns-restrict (AppArmor)"
    elif _setting("kernel/unprivileged_userns_clone") == "0":
        fix = "sysctl kernel.unprivileged_userns_clone=1"
    else:
        fix = "use --sandbox docker"
    return SandboxUnavailable(f"bubblewrap cannot make a sandbox here ({said})", fix=fix)


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""
