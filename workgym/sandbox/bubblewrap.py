"""The default on Linux: namespaces of its own by bubblewrap, no daemon, no root, no network.

The root is built from nothing: ``/usr`` read-only, an ``/etc`` of ours, the guest environment, fresh ``/proc``,
``/dev`` and ``/tmp``. The host's ``/`` is never bound: as root that hands out ``/etc/shadow``. Root starts guests
as another user. The tool server is process 1 of its namespace: when it ends, the kernel ends all the rest, and it
ends when the pipe from the host closes. Not ``--die-with-parent``: the parent is the *thread* that started the guest,
and where bubblewrap is killed while it still sets up, its child waits for it for ever (found with 0.8, SIGKILL of the
host at random moments: 2 of 30).
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workgym import shelves
from workgym.errors import SandboxUnavailable
from workgym.sandbox import guestenv, seccomp, state
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.piped import GUEST_USER, WORKSPACE, PipedSandbox, guest_environment, start_piped
from workgym.sandbox.session import BOOT

_SHM_BYTES, _TMP_BYTES = 16 << 20, 128 << 20
_HOME = "/tmp/home"
_guard = threading.Lock()
_etc: tuple[int, Path] | None = None


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
        self._first: _First | None = None
        self._note: Path | None = None
        self._errors: IO[bytes] | None = None

    def _start(self, folder: Path) -> tuple[int, int]:
        python = f"{guestenv.GUEST_PATH}/bin/python"
        options = [*_root(), "--bind", str(folder), WORKSPACE, "--remount-ro", "/", "--chdir", WORKSPACE]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        launched = _launch(options, [python, "-s", "-P", "-B", "-c", BOOT], self._errors)
        self._process, self._first, sink, source = launched
        if self._first is not None:
            self._note = state.note(self._first.pid)
        return sink, source

    def _stop(self) -> None:
        if self._process is not None:
            _end(self._process, self._first)
            self._process, self._first = None, None
        if self._note is not None:
            self._note.unlink(missing_ok=True)
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _last_words(self) -> str:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
        return _said(self._errors) if self._errors is not None else ""

    def _explained(self, said: str) -> SandboxUnavailable:
        return _explained(said) if said.startswith("bwrap:") else super()._explained(said)


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
        process, first, sink, source = _launch(_root(environment=False), ["/usr/bin/true"], errors)
        os.close(sink)
        os.close(source)
        code = process.wait(timeout=20)
        _end(process, first)
        if code != 0:
            raise _explained(_said(errors))


@dataclass
class _First:
    """The guest's process 1, as the host sees it."""

    pid: int
    """Its number."""
    descriptor: int | None
    """A pidfd of it; None where this Python was built without them."""


def _launch(
    options: list[str], command: list[str], errors: IO[bytes]
) -> tuple[subprocess.Popen[bytes], _First | None, int, int]:
    """Start a guest; the bubblewrap process, the guest's process 1, the ends of its pipes to write to and to read."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap is not installed", fix="apt-get install bubblewrap")
    if not seccomp.supported():
        raise SandboxUnavailable("there is no system call filter for this processor", fix="use --sandbox docker")
    told, tell = os.pipe()
    filtering = _file(seccomp.guest())
    # Options go over a descriptor, so that no command line shows a path of the host.
    written = [*options, "--seccomp", str(filtering.fileno()), "--info-fd", str(tell)]
    arguments = _file(b"".join(option.encode() + b"\0" for option in written))
    line = [*_as_guest(), bwrap, "--args", str(arguments.fileno()), "--", *command]
    try:
        passed = (arguments.fileno(), filtering.fileno(), tell)
        process, sink, source = start_piped(line, errors=errors, folder="/", variables={}, passed=passed)
    finally:
        arguments.close()
        filtering.close()
        os.close(tell)
    with open(told, "rb") as answer:
        return process, _found(answer.read()), sink, source


def _found(info: bytes) -> _First | None:
    """The guest's process 1, by what bubblewrap said of it; None where it did not start."""
    try:
        pid = int(json.loads(info)["child-pid"])
        return _First(pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None)
    except (ValueError, KeyError, OSError):
        return None


def _end(process: subprocess.Popen[bytes], first: _First | None) -> None:
    """Kill process 1 and wait: the kernel kills all others of its namespace before that wait returns."""
    if first is None:
        process.kill()
    elif first.descriptor is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first.descriptor, signal.SIGKILL)
        select.select([first.descriptor], [], [], 10)
        os.close(first.descriptor)
    elif _parent(first.pid) == process.pid:
        # Bubblewrap has not taken leave of it yet, so the number is still its own; bubblewrap ends when it has.
        os.kill(first.pid, signal.SIGKILL)
    process.wait()


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
    options += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.islink(f"/{name}"):
            options += ["--symlink", f"usr/{name}", f"/{name}"]
        elif os.path.isdir(f"/{name}"):
            options += ["--ro-bind", f"/{name}", f"/{name}"]
    for hidden in _own_folders():
        options += ["--tmpfs", hidden, "--remount-ro", hidden]
    options += ["--ro-bind", str(_etc_folder()), "/etc", "--proc", "/proc", "--dev", "/dev"]
    options += ["--size", str(_SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    options += ["--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", _HOME]
    options += ["--clearenv"]
    for name, value in guest_environment(_HOME, f"{guestenv.GUEST_PATH}/bin").items():
        options += ["--setenv", name, value]
    if environment:
        options += ["--ro-bind", str(guestenv.path()), guestenv.GUEST_PATH]
    return options


@functools.cache
def _own_folders() -> tuple[str, ...]:
    """Folders under ``/usr`` that hold workgym or its shelves: a family and a seed rebuild what is hidden."""
    mine = [
        Path(__file__).resolve().parents[1],
        *(root / kind for root in shelves.roots() for kind in ("envs", "tests")),
    ]
    return tuple(str(folder) for folder in mine if folder.is_relative_to("/usr") and folder.is_dir())


def _etc_folder() -> Path:
    """An ``/etc`` of ours, made once for each host process."""
    global _etc
    with _guard:
        if _etc is None or _etc[0] != os.getpid() or not _etc[1].is_dir():
            _etc = (os.getpid(), _make_etc())
        return _etc[1]


def _make_etc() -> Path:
    folder = state.folder("etc")
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
    if os.path.isdir("/etc/alternatives"):
        shutil.copytree("/etc/alternatives", folder / "alternatives", symlinks=True)
    folder.chmod(0o755)
    return folder


def _file(content: bytes) -> IO[bytes]:
    """A file without a name that reads ``content`` from its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed once the guest has started
    file.write(content)
    file.seek(0)
    return file


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
