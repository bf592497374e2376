"""The other side of ``child``: a process with the libraries imported that forks a limited child for each job.

It never touches untrusted data itself. It reads requests (one JSON line and two descriptors each) from
one socket and ends, with all its children, when that socket is closed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import selectors
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from workgym.sandbox import confine, seccomp
from workgym.sandbox.trees import remove

_SPARE = 64 << 20
"""Address space that is kept for reporting that there was none left."""
_MEMORY_WORDS = ("memory allocation of", "bad_alloc", "out of memory", "cannot allocate memory", "memoryerror")

_MACHINE = ("/proc/self", "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu")
"""What duckdb and numpy read about the machine; duckdb fails where it cannot."""


@dataclass
class _Job:
    status: int
    """Descriptor on which the host waits for how the job ended."""
    folder: Path
    """Its temporary folder; standard error goes to the file ``stderr`` beside what it writes."""
    deadline: float
    """Monotonic time at which it is killed."""
    request: dict[str, Any]
    """Its limits, task and modules."""
    late: bool = False
    """Whether it was killed for its deadline."""


def serve(control_fd: int, folder: str) -> None:
    """Fork a child for every request until the host closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    confine.hide()
    with socket.socket(fileno=control_fd) as control, selectors.DefaultSelector() as selector:
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        selector.register(control, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        _Server(control, Path(folder)).loop(selector, wake_read)


class _Server:
    def __init__(self, control: socket.socket, folder: Path) -> None:
        self.control, self.folder = control, folder
        self.jobs: dict[int, _Job] = {}
        self.pending, self.descriptors = b"", list[int]()
        self.made = 0

    def loop(self, selector: selectors.BaseSelector, wake: int) -> None:
        while True:
            now = time.monotonic()
            waits = [job.deadline - now for job in self.jobs.values() if not job.late]
            for key, _ in selector.select(max(0.0, min(waits)) if waits else None):
                if key.fileobj is self.control:
                    if not self.receive():
                        self.end()
                        return
                else:
                    os.read(wake, 4096)
            self.reap()
            self.expire()

    def receive(self) -> bool:
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, 65536, 16)
        except ConnectionResetError:
            return False
        if not data:
            return False
        self.pending += data
        self.descriptors += descriptors
        *lines, self.pending = self.pending.split(b"\n")
        for line in lines:
            conversation, status = self.descriptors[:2]
            del self.descriptors[:2]
            self.start(json.loads(line), conversation, status)
        return True

    def start(self, request: dict[str, Any], conversation: int, status: int) -> None:
        try:
            _import(request["modules"])
            self.made += 1
            folder = self.folder / str(self.made)
            folder.mkdir(mode=0o700)
            pid = os.fork()
        except Exception as error:  # noqa: BLE001 - imports raise anything; the host is told
            _report(status, "error", f"{type(error).__name__}: {error}")
            os.close(conversation)
            return
        if pid == 0:
            _child(request, conversation, folder)
        os.close(conversation)
        self.jobs[pid] = _Job(status, folder, time.monotonic() + request["wall_seconds"], request)

    def expire(self) -> None:
        now = time.monotonic()
        for pid, job in self.jobs.items():
            if job.deadline <= now and not job.late:
                job.late = True
                os.kill(pid, signal.SIGKILL)

    def reap(self) -> None:
        while self.jobs:
            pid, code, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            job = self.jobs.pop(pid)
            _report(job.status, *_cause(job, code, used.ru_utime + used.ru_stime))
            remove(job.folder)

    def end(self) -> None:
        for pid in self.jobs:
            os.kill(pid, signal.SIGKILL)
        for pid in self.jobs:
            os.waitpid(pid, 0)
        remove(self.folder)


def _import(modules: list[str]) -> None:
    fresh = [name for name in modules if name not in sys.modules]
    for name in fresh:
        importlib.import_module(name)
    if fresh:
        # What is frozen is never scanned again, and so its pages stay shared with the children.
        gc.collect()
        gc.freeze()


def _report(status: int, kind: str | None, detail: str) -> None:
    try:
        os.write(status, json.dumps({"kind": kind, "detail": detail[:2000]}).encode())
    except BrokenPipeError:
        pass
    finally:
        os.close(status)


def _cause(job: _Job, code: int, seconds: float) -> tuple[str | None, str]:
    """Which limit ended a job, as far as its signal and its last words tell."""
    killed = os.WTERMSIG(code) if os.WIFSIGNALED(code) else 0
    if code == 0:
        return None, ""
    if job.late:
        return "wall", f"more than {job.request['wall_seconds']:g} s"
    name = signal.Signals(killed).name if killed in set(signal.Signals) else str(killed)
    if killed == signal.SIGXCPU or (killed == signal.SIGKILL and seconds >= job.request["cpu_seconds"]):
        return "cpu", f"more than {job.request['cpu_seconds']} s of processor time"
    words = _last_words(job.folder / "stderr")
    if killed == signal.SIGKILL or any(word in words.lower() for word in _MEMORY_WORDS):
        return "memory", f"more than {job.request['memory_mib']} MiB"
    how = f"killed by {name}" if killed else f"it left with exit code {os.waitstatus_to_exitcode(code)}"
    return "crash", how + (f": {words.splitlines()[-1]}" if words else "")


def _last_words(file: Path) -> str:
    try:
        with open(file, "rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - 2000))
            return opened.read().decode(errors="replace").strip()
    except FileNotFoundError:
        return ""


def _child(request: dict[str, Any], conversation: int, folder: Path) -> NoReturn:
    """The job itself: read, confine, call, answer. Never returns."""
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        confine.die_with_parent()
        os.setsid()
        conversation = _only_descriptor(conversation, folder)
        arguments = _arguments(conversation)
        module, _, function = request["task"].partition(":")
        called: Callable[..., Any] = getattr(importlib.import_module(module), function)
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        os.chdir(folder)
        _limit(request)
        _confine(folder)
        _write(conversation, _answer(called, arguments))
        code = 0
    except BrokenPipeError:
        code = 0
    except BaseException:  # noqa: BLE001 - the last line of it is reported as the cause
        traceback.print_exc()
    finally:
        os._exit(code)


def _answer(called: Callable[..., Any], arguments: list[Any]) -> bytes:
    try:
        return json.dumps({"result": called(*arguments)}).encode()
    except BaseException as error:  # noqa: BLE001 - the host is told
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        text = f"{type(error).__name__}: {error}"[:2000]
        short = isinstance(error, MemoryError) or "out of memory" in text.lower()
        return json.dumps({"error": text, "kind": "memory" if short else "error"}).encode()


def _only_descriptor(conversation: int, folder: Path) -> int:
    """Keep the conversation as descriptor 3 and close every other one; errors go to a file."""
    null = os.open("/dev/null", os.O_RDWR)
    errors = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for old, new in ((null, 0), (null, 1), (errors, 2)):
        os.dup2(old, new)
    if conversation != 3:
        os.dup2(conversation, 3)
    os.closerange(4, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65536))
    return 3


def _arguments(conversation: int) -> list[Any]:
    """What the function is called with: the payload, and the contents of files by path where any were given."""
    head = json.loads(_exactly(conversation, int.from_bytes(_exactly(conversation, 8), "big")))
    if head["files"] is None:
        return [head["payload"]]
    return [head["payload"], {path: _exactly(conversation, size) for path, size in head["files"].items()}]


def _exactly(conversation: int, size: int) -> bytes:
    """So many bytes. Raises BrokenPipeError where the host has gone."""
    with open(conversation, "rb", buffering=0, closefd=False) as opened:
        content = bytearray(size)
        room = memoryview(content)
        while room:
            count = opened.readinto(room)
            if not count:
                raise BrokenPipeError
            room = room[count:]
    return bytes(content)


def _write(conversation: int, answer: bytes) -> None:
    view = memoryview(answer)
    while view:
        view = view[os.write(conversation, view) :]


def _limit(request: dict[str, Any]) -> None:
    memory = request["memory_mib"] << 20
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            memory += int(file.read().split()[0]) * resource.getpagesize()
    cpu, file_size = request["cpu_seconds"], request["file_mib"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory + _SPARE))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    # 1 byte, not 0: the kernel starts a core handler behind a pipe in spite of 0.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    least = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (least, least))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def _confine(folder: Path) -> None:
    confine.limited = True
    confine.hide()
    package = Path(__file__).resolve().parents[1]
    libraries = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    readable = {"/usr", "/lib", "/lib64", sys.prefix, sys.base_prefix, str(package), *libraries, *_MACHINE} - {"/"}
    confine.only_files(sorted(readable), [str(folder), "/dev/null", "/dev/zero", "/dev/urandom"])
    if sys.platform == "linux" and seccomp.supported():
        confine.filter_calls(seccomp.reader(os.getpid()))
