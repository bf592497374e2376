"""Where probes run: a sandbox, another episode beside it, and bait on the host that would be found."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import secrets
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workgym.sandbox import state
from workgym.sandbox.contract import Limits, Sandbox
from workgym.testing.sandbox_kit import FILES, Factory, opened, say

_SETTINGS = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe")
_SUPERUSER = pwd.getpwuid(0).pw_dir
"""Home of the superuser of this machine."""
_PLACES = ("/", "/usr", "/usr/bin", "/etc", "/tmp", "/var/tmp", "/dev/shm", _SUPERUSER, "/opt")
_CREATE, _REMOVE = 0o1666, 0
_NEIGHBOUR = """
import ctypes, os, socket, subprocess, time
name, key = {token!r}, {key}
open("neighbour-secret.txt", "w").write({secret!r})
for folder in ("/tmp", "/dev/shm") if {walled} else ():
    try:
        open(folder + "/" + name + "-neighbour", "w").write({secret!r})
    except OSError:
        pass
if {walled}:
    libc = ctypes.CDLL(None)
    libc.shmget(key, 4096, 0o1666)
    libc.semget(key, 1, 0o1666)
    libc.msgget(key, 0o1666)
source = '''
import socket, time
kept = socket.socket(socket.AF_UNIX)
kept.bind(chr(0) + "''' + name + '''-neighbour")
kept.listen()
port = socket.socket()
port.bind(("127.0.0.1", 0))
port.listen()
open("port", "w").write(str(port.getsockname()[1]))
time.sleep(600)
'''
subprocess.Popen(["python", "-c", source, name + "-neighbour"], start_new_session=True)
while not os.path.exists("port") or not open("port").read():
    time.sleep(0.01)
print(open("port").read())
"""


@dataclass
class Bait:
    """Things of the host and of another episode that a guest must not reach; each probe is told of them."""

    token: str
    """Word that stands in every name that probes make, so that what is left over can be found."""
    secret: str
    """What must never come out of a sandbox."""
    neighbour_secret: str
    """The same of the other episode."""
    folder: str
    """A folder of the host that holds ``hidden-plan.txt``."""
    port: int
    """Port on the host's loopback that answers."""
    victim: subprocess.Popen[bytes]
    """A process of the host."""
    state: str = ""
    """Where this process keeps its sandboxes' folders."""
    neighbour_port: int = 0
    """Port on the other episode's loopback."""
    neighbour_files: list[str] = field(default_factory=list)
    """Paths on the host of the other episode's secret."""
    settings: dict[str, str] = field(default_factory=dict)
    """Kernel settings as they were."""

    @property
    def key(self) -> int:
        """Key of System V objects."""
        return int(self.token[2:9], 16)

    def told(self) -> dict[str, Any]:
        """What guest programs are told."""
        return {
            "token": self.token,
            "folder": self.folder,
            "plan": f"{self.folder}/hidden-plan.txt",
            "port": self.port,
            "victim": self.victim.pid,
            "state": self.state,
            "key": self.key,
            "neighbour_port": self.neighbour_port,
            "neighbour_files": self.neighbour_files,
            "user": _user(),
            "home": os.path.expanduser("~") if os.getuid() else _SUPERUSER,
            "superuser": _SUPERUSER,
            "host": socket.gethostname(),
        }

    def harmed(self) -> str:
        """What of the host is not as it was; empty where all is."""
        if self.victim.poll() is not None:
            return "a process of the host was ended"
        plan = Path(self.folder, "hidden-plan.txt")
        if not plan.is_file() or plan.read_text() != self.secret:
            return "a file of the host was changed"
        if _settings() != self.settings:
            return "a setting of the kernel was changed"
        if found := self.strewn():
            return f"files of the guest lie on the host: {', '.join(found)}"
        return ""

    def strewn(self) -> list[str]:
        """Files outside the sandboxes' folders that carry the token and are not ours."""
        found: list[str] = []
        for place in (*_PLACES, os.path.expanduser("~"), tempfile.gettempdir()):
            with contextlib.suppress(OSError):
                found += [f"{place}/{name}" for name in os.listdir(place) if self.token in name]
        return sorted({path for path in found if path not in (self.folder, f"/dev/shm/{self.token}-host")})


@dataclass
class Scene:
    """What an act gets."""

    sandbox: Sandbox
    """The sandbox to break out of."""
    neighbour: Sandbox
    """Another episode of the same backend."""
    bait: Bait
    factory: Factory
    limits: Limits
    own_kernel: bool = False
    """Whether the guest runs on a kernel of its own."""

    def fresh(self, **changed: Any) -> Sandbox:
        """One more sandbox, open; the act closes it."""
        return opened(self.factory, FILES, self.limits.model_copy(update=changed))


@contextlib.contextmanager
def baited() -> Iterator[Bait]:
    """Lay the bait; take it away at the end."""
    token = f"wg{secrets.token_hex(6)}"
    secret, neighbour_secret = f"plan-{secrets.token_hex(8)}", f"other-{secrets.token_hex(8)}"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=f"hidden-{token}-"))
        Path(folder, "hidden-plan.txt").write_text(secret)
        port = stack.enter_context(socket.socket())
        port.bind(("127.0.0.1", 0))
        port.listen()
        for address in (f"\0{token}-host", f"{folder}/socket"):
            talk = stack.enter_context(socket.socket(socket.AF_UNIX))
            talk.bind(address)
            talk.listen()
        # A descriptor that a careless start hands on, and a variable that a careless start lets through.
        kept = stack.enter_context(open(f"{folder}/hidden-plan.txt"))
        os.set_inheritable(kept.fileno(), True)
        os.environ["WORKGYM_PROBE_SECRET"] = secret
        stack.callback(os.environ.pop, "WORKGYM_PROBE_SECRET")
        victim = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        stack.callback(_ended, victim)
        bait = Bait(token, secret, neighbour_secret, folder, int(port.getsockname()[1]), victim)
        stack.enter_context(_shared(bait))
        bait.settings = _settings()
        yield bait


@contextlib.contextmanager
def beside(factory: Factory, bait: Bait, limits: Limits) -> Iterator[Sandbox]:
    """Another episode, with files, a process, sockets and shared memory of its own."""
    with opened(factory, FILES, limits) as neighbour:
        # Where there is no wall this would lie on the host itself.
        walled = neighbour.capabilities.isolated_files and neighbour.capabilities.isolated_processes
        code = _NEIGHBOUR.format(token=bait.token, key=bait.key, secret=bait.neighbour_secret, walled=walled)
        bait.neighbour_port = int(say(neighbour, "python", code=code).text)
        bait.state = str(state.root())
        bait.neighbour_files = sorted(str(path) for path in state.own().rglob("neighbour-secret.txt"))
        yield neighbour


@contextlib.contextmanager
def _shared(bait: Bait) -> Iterator[None]:
    """Shared memory of the host, both kinds."""
    libc = ctypes.CDLL(None)
    segment = libc.shmget(bait.key, 4096, _CREATE)
    file = Path(f"/dev/shm/{bait.token}-host")
    with contextlib.suppress(OSError):
        file.write_text(bait.secret)
    try:
        yield
    finally:
        libc.shmctl(segment, _REMOVE, None)
        file.unlink(missing_ok=True)


def _settings() -> dict[str, str]:
    found = {}
    for path in _SETTINGS:
        with contextlib.suppress(OSError):
            found[path] = Path(path).read_text()
    return found


def _user() -> str:
    """This user's name, or his number where he has none."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
