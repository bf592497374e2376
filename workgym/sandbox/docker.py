"""Containers of a docker daemon that answers, hardened; the same tool server behind one attached stream.

The server is the container's first process and ends when the stream to it closes, and the daemon removes
the container then: a host that is killed leaves nothing. ``python -m workgym.sandbox.docker`` builds the image, and
with ``--office`` the larger one, which has LibreOffice.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.types import LogConfig, Mount, Ulimit

from workgym.errors import SandboxError, SandboxUnavailable
from workgym.sandbox import archived, guestenv, state
from workgym.sandbox.archived import Archived
from workgym.sandbox.contract import Capabilities, Limits
from workgym.sandbox.piped import WORKSPACE, PipedSandbox, guest_environment
from workgym.sandbox.session import BOOT

_IMAGES = Path(__file__).with_name("images")
_LABEL, _HOST, _OWNER = "org.workgym.sandbox", "org.workgym.host", "org.workgym.owner"
_TMP_BYTES = 128 << 20
_TRIES = 30
"""How often the daemon is asked to end a container that still runs."""


class Docker(PipedSandbox):
    """One guest in a container."""

    name = "docker"
    # The kernel counts processes by user, over all containers; the daemon's own limit is for one.
    counts_processes = False
    filters_itself = True

    def __init__(self, limits: Limits | None = None, *, runtime: str | None = None, office: bool = False) -> None:
        """``runtime`` is a runtime that the daemon knows, such as ``runsc`` (gVisor); None for its default.

        ``office`` is for the image with LibreOffice.
        """
        super().__init__(limits)
        self.runtime, self.office = runtime, office
        self.capabilities = Capabilities(
            isolated_files=True,
            isolated_network=True,
            isolated_processes=True,
            total_memory=True,
            workspace_quota=False,
        )
        self._container: Any = None
        self._keeper: Any = None
        self._attached: Any = None
        self._stream: socket.socket | None = None
        self._errors = bytearray()

    def _begin(self, files: Mapping[str, bytes]) -> tuple[int, int]:
        if not self._far:
            return super()._begin(files)
        # The daemon has none of our folders: a volume, and by a container that never runs it is filled and read.
        held = {"mounts": [Mount(archived.KEPT, None, type="volume")], "network_mode": "none", "labels": _labels()}
        self._keeper = self._created({"command": ["true"], **held})
        self._keeper.reload()
        bounds = {"file_bytes": self.limits.file_mib << 20, "total_bytes": self.limits.workspace_mib << 20}
        volume = archived.Volume(self._keeper, lambda: self._container, WORKSPACE)
        self._workspace = Archived(volume, owner=self._user(), **bounds)
        self._workspace.fill(files)
        name = self._keeper.attrs["Mounts"][0]["Name"]
        return self._run(Mount(WORKSPACE, name, type="volume", no_copy=True))

    def _start(self, folder: Path) -> tuple[int, int]:
        return self._run(Mount(WORKSPACE, str(folder), type="bind"))

    def _created(self, options: dict[str, Any]) -> Any:
        try:
            return _client().containers.create(image_name(self.office), **options)
        except ImageNotFound:
            raise _not_built(self.office) from None
        except APIError as error:
            raise SandboxUnavailable(f"docker: {error.explanation or error}") from None

    def _run(self, workspace: Mount) -> tuple[int, int]:
        """Start the guest over a workspace; descriptors to write to it and to read from it."""
        self._container = self._created(self._options(workspace))
        try:
            attached = self._container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
            self._container.start()
        except APIError as error:
            raise SandboxUnavailable(f"docker: {error.explanation or error}") from None
        stream: socket.socket = attached._sock
        stream.settimeout(None)
        self._attached, self._stream = attached, stream
        source, pump = os.pipe()
        threading.Thread(target=_split, args=(stream, pump, self._errors), name="docker-stream", daemon=True).start()
        return os.dup(stream.fileno()), source

    def _stop(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.shutdown(socket.SHUT_RDWR)
            # The SDK's response and wrapper hold the descriptor open until they are closed as well.
            self._attached._response.close()
            self._attached.close()
            self._stream.close()
            self._stream = None
        if self._container is not None:
            _discard(self._container)
            self._container = None

    def _discard(self) -> None:
        if self._keeper is not None:
            _discard(self._keeper)
            self._keeper = None

    def _abandon(self) -> None:
        super()._abandon()
        if self._stream is not None:
            # Closing, not shutting down: the connection is the parent's.
            self._attached._response.close()
            self._attached.close()
            self._stream.close()
            self._stream = None

    def _last_words(self) -> str:
        lines = bytes(self._errors).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    @functools.cached_property
    def _far(self) -> bool:
        """Whether the daemon is another machine's, and reaches none of our folders."""
        return _elsewhere(os.getpid(), _host())

    def _user(self) -> int:
        return self._owner() or os.getuid()

    def _options(self, workspace: Mount) -> dict[str, Any]:
        user = self._user()
        memory = self.limits.memory_mib << 20
        file_bytes = self.limits.file_mib << 20
        return {
            "command": [f"{guestenv.GUEST_PATH}/bin/python", "-s", "-P", "-B", "-c", BOOT],
            "environment": guest_environment("/tmp", f"{guestenv.GUEST_PATH}/bin"),
            "working_dir": WORKSPACE,
            "hostname": "sandbox",
            "user": f"{user}:{user}",
            "stdin_open": True,
            "auto_remove": True,
            "network_mode": "none",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            # gVisor counts the threads of its own in the host's limit: 64 kills it at random.
            "pids_limit": max(self.limits.processes + 2, 1024 if self.runtime == "runsc" else 0),
            "mem_limit": memory,
            "memswap_limit": memory,
            "shm_size": 16 << 20,
            "tmpfs": {"/tmp": f"size={_TMP_BYTES},mode=1777,nosuid,nodev"},
            "mounts": [workspace],
            "ulimits": [Ulimit(name="fsize", soft=file_bytes, hard=file_bytes), Ulimit(name="core", soft=1, hard=1)],
            "log_config": LogConfig(type="none"),
            "labels": _labels(),
            **({"runtime": self.runtime} if self.runtime else {}),
        }


def _labels() -> dict[str, str]:
    return {_LABEL: "1", _HOST: socket.gethostname(), _OWNER: str(state.own())}


def reason(office: bool = False) -> str:
    """Why this backend cannot work here, with the remedy; empty where it can."""
    try:
        client = _client()
        client.images.get(image_name(office))
    except SandboxUnavailable as error:
        return str(error)
    except ImageNotFound:
        return str(_not_built(office))
    return ""


def clean() -> list[str]:
    """Remove containers whose host process is dead; their names. Raises SandboxUnavailable where no daemon answers."""
    removed = []
    for container in _client().containers.list(all=True, filters={"label": _LABEL}):
        if container.labels.get(_HOST) == socket.gethostname() and not state.alive(Path(container.labels[_OWNER])):
            _discard(container)
            removed.append(str(container.name))
    return removed


def image_name(office: bool = False) -> str:
    """The image's name: it changes when what it is built from does."""
    parts = [guestenv.LOCK, _IMAGES / "Dockerfile", _IMAGES / "build.sh"]
    parts += [_IMAGES / "Dockerfile.office"] if office else []
    made = hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:12]
    return f"workgym-guest{'-office' if office else ''}:{made}"


def prepare(progress: Callable[[str], None] = lambda line: None, office: bool = False) -> str:
    """Build an image unless the daemon has it; its name. Raises SandboxUnavailable in one clear line."""
    client, name = _client(), image_name(office)
    with contextlib.suppress(ImageNotFound):
        client.images.get(name)
        return name
    source = ["--office", prepare(progress)] if office else [str(guestenv.prepare(progress))]
    progress(f"{'image with LibreOffice' if office else 'guest image'}: building (a minute or two, once)")
    done = subprocess.run(["sh", str(_IMAGES / "build.sh"), name, *source], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1]
        raise SandboxUnavailable(f"the guest image cannot be built: {said}")
    progress(done.stdout.strip())
    return name


def _not_built(office: bool) -> SandboxUnavailable:
    if office:
        return SandboxUnavailable(
            "the image with LibreOffice is not built", fix="run `python -m workgym.sandbox.docker --office`"
        )
    return SandboxUnavailable("the guest image is not built", fix="run `python -m workgym.sandbox.docker`")


@functools.lru_cache(maxsize=4)
def _connected(process: int, host: str) -> Any:
    silent = SandboxUnavailable("no docker daemon answers", fix="start one, or set DOCKER_HOST")
    if host.startswith("unix://") and not _answers(host.removeprefix("unix://")):
        raise silent
    try:
        client = docker.from_env(timeout=60)
        client.ping()
    except DockerException:
        raise silent from None
    if not client.api.base_url.startswith(("http+docker://localhost", "http://")):
        client.close()
        forward = "ssh -L /tmp/docker.sock:/var/run/docker.sock MACHINE, then DOCKER_HOST=unix:///tmp/docker.sock"
        raise SandboxUnavailable(f"docker by {host.partition(':')[0]} is not spoken here", fix=f"forward it: {forward}")
    atexit.register(client.close)
    return client


def _answers(path: str) -> bool:
    # Asked first, because the SDK forgets to close its socket where nobody does.
    with socket.socket(socket.AF_UNIX) as talk:
        try:
            talk.connect(path)
        except OSError:
            return False
    return True


def _client() -> Any:
    return _connected(os.getpid(), _host())


def _host() -> str:
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


@functools.lru_cache(maxsize=4)
def _elsewhere(process: int, host: str) -> bool:
    # A socket may be another machine's as well, forwarded here.
    return not host.startswith("unix://") or bool(_client().info()["Name"] != socket.gethostname())


def _discard(container: Any) -> None:
    """Kill a container and have it removed. Raises SandboxError where the daemon does not do it."""
    for _ in range(_TRIES):
        try:
            _removed(container)
            return
        except APIError as error:
            # The daemon gives up after ten seconds on what waits in the kernel, for a slow disk, say.
            if not _runs(container):
                raise SandboxError(f"docker: {error.explanation or error}") from None
            time.sleep(1)
        except OSError as error:
            raise SandboxError(f"docker: the daemon does not answer ({error})") from None
    raise SandboxError("docker: the container does not end, though it was killed")


def _removed(container: Any) -> None:
    """Have it removed; also where its first process ended, and the daemon is about to remove it itself."""
    with contextlib.suppress(NotFound):
        try:
            container.remove(force=True, v=True)
        except APIError as error:
            if error.status_code != 409:
                raise
            container.wait(timeout=60, condition="removed")


def _runs(container: Any) -> bool:
    try:
        container.reload()
    except OSError:  # of requests: NotFound is among them
        return False
    return bool(container.status == "running")


def _split(stream: socket.socket, output: int, errors: bytearray) -> None:
    """Copy the container's standard output out of the attached stream; keep the end of its standard error.

    The stream holds frames: a byte for which of the two, three of nothing, four of length, the bytes.
    """
    pending = bytearray()
    try:
        while part := stream.recv(1 << 18):
            pending += part
            while len(pending) >= 8 and len(pending) >= 8 + (size := struct.unpack(">I", pending[4:8])[0]):
                frame = memoryview(bytes(pending[8 : 8 + size]))
                kind = pending[0]
                del pending[: 8 + size]
                if kind == 2:
                    errors += frame
                    del errors[:-4096]
                    continue
                while frame:
                    frame = frame[os.write(output, frame) :]
    except OSError:
        # The sandbox was closed on our side, or the daemon is gone.
        pass
    finally:
        os.close(output)


if __name__ == "__main__":
    try:
        print(prepare(print, office=sys.argv[1:] == ["--office"]))
    except SandboxUnavailable as unavailable:
        raise SystemExit(f"{unavailable}") from None
