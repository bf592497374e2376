"""The default on Linux: namespaces of its own by bubblewrap, no daemon, no root, no network.

The root is built from nothing: ``/usr`` read-only, an ``/etc`` of ours, the guest environment, fresh ``/proc``,
``/dev`` and ``/tmp``. The host's ``/`` is never bound: as root that hands out ``/etc/shadow``. Root starts guests
as another user. The tool server is process 1 of its namespace: when it ends, the kernel ends all the rest.
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
import threading
from pathlib import Path

from workgym import shelves
from workgym.errors import SandboxUnavailable
from workgym.sandbox import guestenv, seccomp, state
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.piped import GUEST_USER, WORKSPACE, PipedSandbox, guest_environment
from workgym.sandbox.session import BOOT
from workgym.sandbox.spawn import spawn

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
        self._first: int | None = None
        self._errors: int | None = None

    def _start(self, folder: Path) -> tuple[int, int]:
        python = f"{guestenv.GUEST_PATH}/bin/python"
        options = [*_root(), "--bind", str(folder), WORKSPACE, "--remount-ro", "/", "--chdir", WORKSPACE]
        self._errors = os.memfd_create("stderr")
        self._process, self._first = _launch(options, [python, "-s", "-P", "-B", "-c", BOOT], self._errors)
        assert self._process.stdin is not None and self._process.stdout is not None
        return os.dup(self._process.stdin.fileno()), os.dup(self._process.stdout.fileno())

    def _stop(self) -> None:
        if self._process is not None:
            _end(self._process, self._first)
            self._process, self._first = None, None
        if self._errors is not None:
            os.close(self._errors)
            self._errors = None

    def _last_words(self) -> str:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
        return _said(self._errors) if self._errors is not None else ""


def reason() -> str:
    """Why this backend cannot work here, with the remedy; empty where it can. Runs a real sandbox."""
    try:
        probe()
    except SandboxUnavailable as error:
        return str(error)
    return "" if guestenv.ready() else "the guest environment is not built; run `workgym doctor --prepare`"


def probe() -> None:
    """Run ``true`` in a sandbox. Raises SandboxUnavailable with what is in the way and the remedy."""
    errors = os.memfd_create("stderr")
    try:
        process, first = _launch(_root(environment=False), ["/usr/bin/true"], errors)
        code = process.wait(timeout=20)
        _end(process, first)
        if code != 0:
            raise _explained(_said(errors))
    finally:
        os.close(errors)


def _launch(options: list[str], command: list[str], errors: int) -> tuple[subprocess.Popen[bytes], int | None]:
    """Start a guest; the bubblewrap process, and a pidfd of the guest's process 1."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap is not installed", fix="apt-get install bubblewrap")
    if not seccomp.supported():
        raise SandboxUnavailable("there is no system call filter for this processor", fix="use --sandbox docker")
    told, tell = os.pipe()
    filtering = _memory(seccomp.guest())
    # Options go over a descriptor, so that no command line shows a path of the host.
    written = [*options, "--seccomp", str(filtering), "--info-fd", str(tell)]
    arguments = _memory(b"".join(option.encode() + b"\0" for option in written))
    line = [*_as_guest(), bwrap, "--args", str(arguments), "--", *command]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=(arguments, filtering, tell),
            cwd="/",
            env={},
            start_new_session=True,
        )

    try:
        process = spawn(start)
    finally:
        for descriptor in (arguments, filtering, tell):
            os.close(descriptor)
    with open(told, "rb") as answer:
        return process, _pidfd(answer.read())


def _pidfd(info: bytes) -> int | None:
    """A descriptor of the guest's process 1, by what bubblewrap said of it; None where it did not start."""
    try:
        return os.pidfd_open(int(json.loads(info)["child-pid"]))
    except (ValueError, KeyError, OSError):
        return None


def _end(process: subprocess.Popen[bytes], first: int | None) -> None:
    """Kill process 1 and wait: the kernel kills all others of its namespace before that wait returns."""
    if first is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        select.select([first], [], [], 10)
        os.close(first)
    else:
        process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


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
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "sandbox"]
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


def _memory(content: bytes) -> int:
    """A descriptor that reads ``content`` from its beginning."""
    descriptor = os.memfd_create("options", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _said(errors: int) -> str:
    text = os.pread(errors, 8192, 0).decode(errors="replace").strip()
    return text.splitlines()[-1] if text else ""


def _explained(said: str) -> SandboxUnavailable:
    """What bubblewrap's complaint means here, and the way out."""
    contained = any(os.path.exists(mark) for mark in ("/.dockerenv", "/run/.containerenv"))
    if contained:
        fix = "start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    elif _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        fix = "allow it for bwrap: apt-get install apparmor-profiles, then load bwrap-userns-restrict (AppArmor)"
    elif _setting("kernel/unprivileged_userns_clone") == "0":
        fix = "sysctl kernel.unprivileged_userns_clone=1"
    else:
        fix = "use --sandbox docker"
    return SandboxUnavailable(f"bubblewrap cannot make a sandbox here ({said or 'it says nothing'})", fix=fix)


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""
