"""The default on Linux: namespaces of its own by bubblewrap, no daemon, no root, no network.

The root is a folder of ours, ``/etc`` in it; over it come ``/usr`` read-only, the guest environment, fresh ``/proc``,
``/dev`` and ``/tmp``. The host's ``/`` is never bound: as root that hands out ``/etc/shadow``. Root starts guests
as another user. The tool server is process 1 of its namespace: when it ends, the kernel ends all the rest, and it
ends when the pipe from the host closes. Not ``--die-with-parent``: that parent is the *thread* that started the guest.
And bubblewrap tells the number of process 1 into a file, not a pipe: killed by SIGPIPE while it sets up, it leaves a
child that waits for it for ever (found with 0.8 and hosts killed at random moments: 2 of 30).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from workgym.errors import SandboxError, SandboxUnavailable
from workgym.sandbox import guestenv, seccomp, state
from workgym.sandbox.collect import MTIME
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.own_places import covered
from workgym.sandbox.piped import GUEST_USER, WORKSPACE, PipedSandbox, guest_environment, start_piped
from workgym.sandbox.session import BOOT
from workgym.sandbox.usage import cpu_seconds

_SHM_BYTES, _TMP_BYTES = 16 << 20, 128 << 20
_PATIENCE_SECONDS = 300.0
_HOME = "/tmp/home"
_SYSTEM = ("bin", "sbin", "lib", "lib64")
_SETTINGS = ("alternatives", "fonts", "libreoffice")
"""Folders of ``/etc`` that programs below ``/usr`` cannot do without: Debian's awk and 200 others are links that lead
through the first, and LibreOffice's registry lies in the last. Bound, because copying takes 10 ms."""
_guard = threading.Lock()
_base: tuple[int, Path] | None = None


class Bubblewrap(PipedSandbox):
    """One guest in bubblewrap."""

    name = "bubblewrap"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.capabilities = Capabilities(
            isolated_files=True,
            isolated_network=True,
            isolated_processes=True,
            total_memory=False,
            workspace_quota=False,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._note: Path | None = None
        self._errors: IO[bytes] | None = None
        self._info: IO[bytes] | None = None

    def _start(self, folder: Path) -> tuple[int, int]:
        python = f"{guestenv.GUEST_PATH}/bin/python"
        options = [*_root(), "--bind", str(folder), WORKSPACE, "--remount-ro", "/", "--chdir", WORKSPACE]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        self._info = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        command = [python, "-s", "-P", "-B", "-c", BOOT]
        self._process, sink, source = _launch(options, command, self._errors, self._info)
        return sink, source

    def _answered(self) -> None:
        if self._info is not None and (first := _first(self._info)) is not None:
            self._note = state.note(first)

    def _stop(self) -> None:
        ended = self._process is None or _end(self._process, self._info)
        self._process = None
        if self._note is not None:
            self._note.unlink(missing_ok=True)
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if self._info is not None:
            self._info.close()
            self._info = None
        if not ended:
            raise SandboxError(f"{self.name}: the guest's processes do not end, though they were killed")

    def _last_words(self) -> str:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
        return _said(self._errors) if self._errors is not None else ""

    def _explained(self, said: str) -> SandboxUnavailable:
        return _explained(said) if said.startswith("bwrap:") else super()._explained(said)


class Program:
    """A program of this machine in namespaces of its own: no network, and no files but ``/usr`` and those named."""

    def __init__(self, command: list[str], readable: Iterable[str]) -> None:
        """Start it, with a pipe each way. Raises SandboxUnavailable where there is no bubblewrap."""
        options = ["--unshare-all", "--new-session", "--as-pid-1", "--hostname", "sandbox", "--cap-drop", "ALL"]
        options += ["--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
        for name in _SYSTEM:
            linked = os.path.islink(f"/{name}")
            options += ["--symlink", f"usr/{name}", f"/{name}"] if linked else ["--ro-bind-try", f"/{name}", f"/{name}"]
        options += covered()
        for path in readable:
            options += ["--ro-bind-try", path, path]
        options += ["--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", _HOME]
        options += ["--remount-ro", "/", "--clearenv", "--setenv", "HOME", _HOME, "--setenv", "LANG", "C.UTF-8"]
        options += ["--setenv", "TZ", "UTC", "--setenv", "PATH", "/usr/bin:/bin"]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        self._info = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        self._process, self.sink, self.source = _launch(options, command, self._errors, self._info)

    def last_words(self) -> str:
        """The last line of what it said on standard error."""
        return _said(self._errors)

    def cpu_seconds(self) -> float:
        """Processor time that it and its children have used."""
        return cpu_seconds(self._process.pid)

    def stop(self) -> None:
        """End it and all its children."""
        for descriptor in (self.sink, self.source):
            os.close(descriptor)
        _end(self._process, self._info)
        self._errors.close()
        self._info.close()


def reason() -> str:
    """Why this backend cannot work here, with the remedy; empty where it can. Runs a real sandbox."""
    try:
        probe()
    except SandboxUnavailable as error:
        return str(error)
    return "" if guestenv.ready() else "the guest environment is not built; run `workgym doctor --prepare`"


def probe() -> None:
    """Run ``true`` in a sandbox. Raises SandboxUnavailable with what is in the way and the remedy."""
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as info:
        process, sink, source = _launch(_root(environment=False), ["/usr/bin/true"], errors, info)
        os.close(sink)
        os.close(source)
        if process.wait(timeout=20) != 0:
            raise _explained(_said(errors))


def _launch(
    options: list[str], command: list[str], errors: IO[bytes], info: IO[bytes]
) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start a guest; the bubblewrap process, the ends of its pipes to write to and to read from."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap is not installed", fix="apt-get install bubblewrap")
    if not seccomp.supported():
        raise SandboxUnavailable("there is no system call filter for this processor", fix="use --sandbox docker")
    with tempfile.TemporaryFile() as filtering, tempfile.TemporaryFile() as arguments:
        filtering.write(seccomp.guest())
        # Options go over a descriptor, so that no command line shows a path of the host.
        written = [*options, "--seccomp", str(filtering.fileno()), "--info-fd", str(info.fileno())]
        arguments.write(b"".join(option.encode() + b"\0" for option in written))
        for file in (filtering, arguments):
            file.seek(0)
        passed = (arguments.fileno(), filtering.fileno(), info.fileno())
        line = [*_as_guest(), bwrap, "--args", str(arguments.fileno()), "--", *command]
        return start_piped(line, errors=errors, folder="/", variables={}, passed=passed)


def _first(info: IO[bytes]) -> int | None:
    """The number of the guest's process 1 on the host, by what bubblewrap said of it; None where it did not start."""
    try:
        return int(json.loads(os.pread(info.fileno(), 4096, 0))["child-pid"])
    except (ValueError, KeyError):
        return None


def _end(process: subprocess.Popen[bytes], info: IO[bytes] | None) -> bool:
    """Kill process 1 and wait for bubblewrap: it ends when the kernel has ended all others of the namespace.

    False where that has not come to pass after five minutes: what is killed runs no instruction of its own any more,
    but may wait in the kernel, for a disk to write what it left, say.
    """
    first = _first(info) if info is not None else None
    if first is not None and process.poll() is None and _parent(first) == process.pid:
        # As long as bubblewrap is its parent, the number is its own.
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)
    # Where it is not known yet, the closed pipe ends it: killing bubblewrap in the middle of its work would strand it.
    try:
        process.wait(timeout=_PATIENCE_SECONDS)
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


def _root(*, environment: bool = True) -> list[str]:
    """Options that build the guest's root, all but the workspace."""
    options = ["--unshare-all", "--new-session", "--as-pid-1", "--hostname", "sandbox"]
    options += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000"]
    options += ["--ro-bind", str(_base_folder()), "/", "--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        if os.path.isdir(f"/{name}") and not os.path.islink(f"/{name}"):
            options += ["--ro-bind", f"/{name}", f"/{name}"]
    options += covered()
    for name in _SETTINGS:
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += ["--size", str(_SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    options += ["--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", _HOME]
    options += ["--clearenv"]
    for name, value in guest_environment(_HOME, f"{guestenv.GUEST_PATH}/bin").items():
        options += ["--setenv", name, value]
    if environment:
        options += ["--ro-bind", str(guestenv.path()), guestenv.GUEST_PATH]
    return options


def _base_folder() -> Path:
    """What stands at ``/`` before anything is bound there, made once for each host process."""
    global _base
    with _guard:
        if _base is None or _base[0] != os.getpid() or not _base[1].is_dir():
            _base = (os.getpid(), _make_base())
        return _base[1]


def _make_base() -> Path:
    base = state.folder("base")
    for name in ("usr", "proc", "dev", "tmp", WORKSPACE[1:], guestenv.GUEST_PATH[1:]):
        (base / name).mkdir(parents=True)
    for name in _SYSTEM:
        if os.path.islink(f"/{name}"):
            (base / name).symlink_to(f"usr/{name}")
        elif os.path.isdir(f"/{name}"):
            (base / name).mkdir()
    _make_etc(base / "etc")
    # ``ls -la`` in the workspace shows the hour of ``..`` too, and has to say the same when it is replayed.
    for place in (*base.rglob("*"), base):
        if not place.is_symlink():
            place.chmod(0o755 if place.is_dir() else 0o644)
        os.utime(place, (MTIME, MTIME), follow_symlinks=False)
    return base


def _make_etc(folder: Path) -> None:
    folder.mkdir()
    path = guest_environment(_HOME, f"{guestenv.GUEST_PATH}/bin")["PATH"]
    texts = {
        "passwd": f"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:{_HOME}:/bin/bash\n",
        "group": "root:x:0:\nuser:x:1000:\n",
        "hosts": "127.0.0.1 localhost sandbox\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        # Login shells reset PATH: the guest environment comes first there too.
        "profile": f"export PATH={path}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    if os.path.isfile("/etc/ld.so.cache"):
        shutil.copyfile("/etc/ld.so.cache", folder / "ld.so.cache")
    for name in _SETTINGS:
        (folder / name).mkdir()


def _said(errors: IO[bytes]) -> str:
    text = os.pread(errors.fileno(), 8192, 0).decode(errors="replace").strip()
    return text.splitlines()[-1] if text else ""


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
