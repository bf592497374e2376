"""Work on untrusted data, in a limited child process: ``run("package.module:function", payload)``.

One warm process for each host process, started at the first use, has the libraries imported and
forks a child for every job. The child has limits on memory, time, files and output, no sockets,
no programs and no files but the libraries and a temporary folder of its own (seccomp and Landlock,
where the kernel has them), and an environment without the host's variables. JSON goes in and comes
out, never pickle; contents of files go in beside it as they are, so that no copy of them is made here.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workgym.errors import ChildFailed, SandboxError
from workgym.records import Record
from workgym.sandbox import confine, state
from workgym.sandbox.trees import remove


class JobLimits(Record):
    """What one job may use."""

    memory_mib: int = 512
    """Address space beyond what the warm libraries and the payload take."""
    cpu_seconds: int = 30
    """Processor time."""
    wall_seconds: float = 300.0
    """Time on the clock; the backstop for a job that waits for ever."""
    file_mib: int = 128
    """Largest file that it may write in its temporary folder."""
    output_mib: int = 64
    """Size of its answer as JSON."""


@dataclass
class _Warm:
    """The warm process and the one socket by which jobs reach it; it ends when that socket is closed."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    folder: Path


_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from workgym.sandbox.warm import serve; serve(int(sys.argv[1]), sys.argv[3])"
)
_guard = threading.Lock()
_slots = threading.BoundedSemaphore(max(4, 2 * (os.cpu_count() or 1)))
_warm: _Warm | None = None


def run(
    task: str,
    payload: Any,
    *,
    files: Mapping[str, bytes] | None = None,
    preload: Iterable[str] = (),
    limits: JobLimits | None = None,
) -> Any:
    """Call ``task`` (``package.module:function``) with ``payload`` in a limited child; its result.

    Both are JSON; ``files``, where they are given, are the function's second argument. Its module and those of
    ``preload`` are imported in the warm process, once. Raises ChildFailed, whose ``kind`` says which limit was met:
    ``memory``, ``cpu``, ``wall``, ``output``; ``crash`` where the process died, ``error`` where the function raised.
    """
    limits = limits or JobLimits()
    sizes = None if files is None else {path: len(content) for path, content in files.items()}
    head = json.dumps({"payload": payload, "files": sizes}).encode()
    pieces = [len(head).to_bytes(8, "big"), head, *(files or {}).values()]
    request = json.dumps({"modules": [task.partition(":")[0], *preload], "task": task, **limits.model_dump()}) + "\n"
    with _slots:
        data, child_data = socket.socketpair()
        status, child_status = os.pipe()
        with data, open(status, "rb") as ending:
            try:
                _send(request.encode(), [child_data.fileno(), child_status])
            finally:
                child_data.close()
                os.close(child_status)
            answer, over = _converse(data, pieces, limits)
            data.close()
            ended = ending.read()
    return _outcome(task, answer, over, ended, limits)


def inside() -> bool:
    """Whether this process is a limited child, which can have none of its own."""
    return confine.limited


def stop() -> None:
    """End the warm process; the next job starts another one."""
    global _warm
    with _guard:
        if _warm is not None:
            _warm.control.close()
            _warm.process.wait()
            remove(_warm.folder)
            _warm = None


def _converse(data: socket.socket, pieces: Iterable[bytes], limits: JobLimits) -> tuple[bytearray, str | None]:
    """Send the pieces, read the answer to its end; with the name of the limit that ended it early."""
    data.settimeout(limits.wall_seconds + 5)
    room = limits.output_mib << 20
    answer = bytearray()
    try:
        # A child that died early has closed its end: what it died of stands in its status.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                data.sendall(piece)
            data.shutdown(socket.SHUT_WR)
        while part := data.recv(1 << 20):
            room -= len(part)
            if room < 0:
                return bytearray(), "output"
            answer += part
    except TimeoutError:
        return bytearray(), "wall"
    except ConnectionResetError:
        pass
    return answer, None


def _outcome(task: str, answer: bytearray, over: str | None, ended: bytes, limits: JobLimits) -> Any:
    if over is not None:
        limit = f"{limits.output_mib} MiB" if over == "output" else f"{limits.wall_seconds:g} s"
        raise ChildFailed(task, over, f"more than {limit}")
    try:
        status = json.loads(ended) if ended else {"kind": "crash", "detail": "the warm process ended"}
        if status["kind"] is not None:
            raise ChildFailed(task, status["kind"], status["detail"])
        reply = json.loads(answer)
        if "error" in reply:
            raise ChildFailed(task, str(reply["kind"]), str(reply["error"]))
        return reply["result"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ChildFailed(task, "crash", f"its answer cannot be read ({type(error).__name__})") from None


def _send(request: bytes, descriptors: list[int]) -> None:
    global _warm
    with _guard:
        for _ in range(2):
            if _warm is None:
                _warm = _start()
            try:
                socket.send_fds(_warm.control, [request], descriptors)
                return
            except OSError:
                # It was killed from outside; one fresh start, and if that fails too, this machine is the cause.
                _warm.control.close()
                _warm.process.kill()
                _warm.process.wait()
                remove(_warm.folder)
                _warm = None
    raise SandboxError("the process for work on untrusted files does not start", fix="try `workgym doctor`")


def _start() -> _Warm:
    ours, theirs = socket.socketpair()
    folder = state.folder("jobs")
    package = Path(__file__).resolve().parents[2]
    paths = [str(package), *(entry for entry in sys.path if os.path.isabs(entry))]
    variables = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TMPDIR": str(folder),
        # Threads do not survive a fork, and their stacks count as memory.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    if "LD_LIBRARY_PATH" in os.environ:
        variables["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, str(theirs.fileno()), json.dumps(paths), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=variables,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return _Warm(process, ours, folder)


def _forget() -> None:
    # A forked copy of the host starts a warm process of its own.
    global _warm, _guard
    _guard = threading.Lock()
    if _warm is not None:
        _warm.control.close()
        _warm = None


os.register_at_fork(after_in_child=_forget)
atexit.register(stop)
