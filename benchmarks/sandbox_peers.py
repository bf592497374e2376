"""SWE-ReX and inspect-ai, each in an environment of its own under ``.bench/``, which the first run makes.

Each runs as a program of ``peers/`` there, which measures itself: what it takes to talk to it does not count. In docker
they get the guest image that our own backend uses; SWE-ReX's has its server on top, as it asks for. Its deployment maps
a port of the machine, for which the daemon needs a bridge. inspect-ai's docker sandbox is made by ``docker compose``,
version 2. Where one of them does not start, the reason is printed. Both also have a local sandbox without any wall: a
process on the host, which is no sandbox but the floor of what their own code takes.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import venv
from pathlib import Path
from typing import Any

from benchmarks.sandbox_ways import FILES, SCRIPTS, Way, docker
from workgym.sandbox import guestenv

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(__file__).with_name("peers")
PACKAGES = {
    "swe-rex": ("swerex.runtime.remote", "swe-rex", "aiohttp"),  # which it needs and does not name
    "inspect-ai": ("inspect_ai", "inspect-ai"),
}
"""For each environment what it must be able to import, and what is installed for that."""
_REX = """FROM {image}
COPY libraries /opt/rex
RUN printf '#!/bin/sh\\nPYTHONPATH=/opt/rex exec python3 -m swerex "$@"\\n' > /usr/local/bin/swerex-remote \\
 && chmod 755 /usr/local/bin/swerex-remote
"""
_COMPOSE = """services:
  default:
    image: {image}
    x-local: true
    command: sleep infinity
    init: true
    network_mode: none
    working_dir: /work
"""


class Peer:
    """One of their sandboxes."""

    remembers = False

    def __init__(self, python: Path, program: str, told: dict[str, Any]) -> None:
        """Start its program. Raises RuntimeError with what it says where it cannot."""
        self.asked = (python, program, told)
        command = [str(python), str(PROGRAMS / program)]
        pipe = subprocess.PIPE
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.errors, text=True)
        self._say(told)

    def _say(self, message: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise RuntimeError((self.errors.read().decode(errors="replace").strip() or "it ended").splitlines()[-1])
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{message}: {answer['error']}")
        return answer

    def act(self, name: str) -> float:
        return float(self._say(name)["milliseconds"])

    def start(self) -> float:
        return self.act("start")

    def echo(self) -> float:
        return self.act("echo")

    def workbook(self) -> float:
        return self.act("workbook")

    def python(self) -> float:
        return self.act("python")

    def write(self) -> float:
        return self.act("write")

    def stop(self) -> float:
        return self.act("stop")

    def again(self) -> Peer:
        return Peer(*self.asked)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.errors.close()


def peers(image: str | None) -> dict[str, Way]:
    """Those that start here; a line for each that does not. ``image`` is the guest image, None without a daemon."""
    files, compose = ROOT / ".bench" / "files", ROOT / ".bench" / "compose.yaml"
    files.mkdir(parents=True, exist_ok=True)
    for path, content in FILES.items():
        (files / Path(path).name).write_bytes(content)
    compose.write_text(_COMPOSE.format(image=image))
    told = {"files": str(files), "scripts": SCRIPTS}
    local = {**told, "python": f"{guestenv.path()}/bin/python", "image": "", "config": ""}
    inside = {**told, "python": "/opt/guest/bin/python", "config": str(compose)}
    found: dict[str, Way] = {}
    for name, package, program in (("SWE-ReX", "swe-rex", "rex.py"), ("inspect-ai", "inspect-ai", "inspected.py")):
        python = environment(package)
        if python is None:
            print(f"{name} is not measured: it cannot be installed here")
            continue
        wanted = {f"{name}, no wall": local}
        if image is not None:
            wanted = {f"{name} in docker": {**inside, "image": with_rex(image) if program == "rex.py" else ""}} | wanted
        for title, settings in wanted.items():
            try:
                peer = Peer(python, program, settings)
                peer.start()
                peer.stop()
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{title} is not measured, `docker exec` is its floor: {error}"[:300])
            else:
                found[title] = peer
    return found


def environment(package: str) -> Path | None:
    """The Python of an environment with a package, made where it is missing; None where that cannot be done."""
    home = ROOT / ".bench" / package
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    needed, *wanted = PACKAGES[package]
    if subprocess.run([python, "-c", f"import {needed}"], capture_output=True).returncode == 0:
        return python
    done = subprocess.run([python, "-m", "pip", "install", "-q", *wanted], capture_output=True)
    return python if done.returncode == 0 else None


def with_rex(image: str) -> str:
    """The guest image with SWE-ReX's server for its Python; its name."""
    name = f"workgym-bench-rex:{image.rpartition(':')[2]}"
    if docker("images", "-q", name).strip():
        return name
    python = ROOT / ".bench" / "swe-rex" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        version = docker("run", "--rm", image, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
        wheels = ["--only-binary", ":all:", "--python-version", version.decode().strip()]
        install = [python, "-m", "pip", "install", "-q", "--target", f"{folder}/libraries", *wheels]
        subprocess.run([*install, *PACKAGES["swe-rex"][1:]], check=True, capture_output=True)
        (Path(folder) / "Dockerfile").write_text(_REX.format(image=image))
        docker("build", "--quiet", "--tag", name, folder)
    return name
