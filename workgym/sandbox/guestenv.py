"""The guest's own Python environment: the system's interpreter and a lock file, at a neutral path.

It is built once for each lock file and interpreter, by ``prepare`` (``workgym doctor --prepare``), for
all users under ``/opt`` by root and in the user's cache by anybody else; in a sandbox it always stands
at ``GUEST_PATH``. It holds office libraries and nothing of workgym.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from workgym.errors import SandboxUnavailable
from workgym.sandbox.trees import remove

GUEST_PATH = "/opt/guest"
"""Where the environment stands inside a sandbox."""

LOCK = Path(__file__).with_name("guest") / "requirements.lock"
_SYSTEM_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3", *(f"/usr/bin/python3.{n}" for n in (14, 13, 12, 11)))
_OLDEST = 11
_RECIPE = "1"
"""Changes when the way of building does, so that an environment built in the old way is not taken for the new one."""


def ready() -> bool:
    """Whether the environment is built; costs two look-ups."""
    return _built() is not None


def path() -> Path:
    """The environment's folder on the host. Raises SandboxUnavailable where it is not built yet."""
    built = _built()
    if built is None:
        raise SandboxUnavailable("the guest environment is not built", fix="run `workgym doctor --prepare`")
    return built


def prepare(progress: Callable[[str], None] = lambda line: None) -> Path:
    """Build the environment unless it is there; returns its folder.

    ``progress`` gets a line for each step. All or nothing: it is built aside and renamed at the end.
    Raises SandboxUnavailable in one clear line where Python, pip or the network is missing.
    """
    python = system_python()
    if (built := _built()) is not None:
        return built
    final = _places()[0]
    final.parent.mkdir(parents=True, exist_ok=True)
    with open(final.parent / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in final.parent.glob(".new-*"):
            remove(left)
        if (built := _built()) is not None:
            return built
        fresh = final.parent / f".new-{final.name}"
        try:
            _build(python, fresh, progress)
            fresh.rename(final)
        finally:
            remove(fresh)
    progress(f"guest environment ready: {final}")
    return final


@functools.cache
def system_python() -> str:
    """The interpreter of the system, under ``/usr``. Raises SandboxUnavailable where there is none new enough."""
    for candidate in _SYSTEM_PYTHONS:
        if os.access(candidate, os.X_OK) and _minor(candidate) >= _OLDEST:
            return candidate
    raise SandboxUnavailable(f"no Python 3.{_OLDEST} or newer in /usr/bin", fix="apt-get install python3")


@functools.cache
def _minor(python: str) -> int:
    named = re.search(r"python3\.(\d+)$", os.path.realpath(python))
    if named:
        return int(named[1])
    asked = subprocess.run([python, "-c", "import sys; print(sys.version_info[1])"], capture_output=True, text=True)
    return int(asked.stdout) if asked.returncode == 0 else 0


def _built() -> Path | None:
    for place in _places():
        if (place / "bin" / "python").exists():
            return place
    return None


@functools.cache
def _places() -> tuple[Path, ...]:
    recipe = f"{_RECIPE} 3.{_minor(system_python())} {os.path.realpath(system_python())}\n".encode()
    name = hashlib.sha256(recipe + LOCK.read_bytes()).hexdigest()[:12]
    shared = Path("/opt/workgym-guest") / name
    if os.getuid() == 0:
        return (shared,)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (cache / "workgym" / "guest" / name, shared)


def _build(python: str, folder: Path, progress: Callable[[str], None]) -> None:
    progress(f"guest environment: virtual environment of {python}")
    _step([python, "-m", "venv", "--without-pip", str(folder)], "apt-get install python3-venv")
    inside = str(folder / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", inside]
    if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
        _step([inside, "-m", "ensurepip"], "apt-get install python3-venv")
        pip = [inside, "-m", "pip"]
    progress("guest environment: office libraries (260 MB on disk, once)")
    options = ["--disable-pip-version-check", "--quiet", "--no-input"]
    strict = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
    _step([*pip, "install", *options, *strict, "-r", str(LOCK)], "check the network and PIP_INDEX_URL, then try again")
    progress("guest environment: moving to its neutral path")
    for script in (folder / "bin").iterdir():
        # Console scripts and activate scripts name the folder of the build.
        if not script.name.startswith("python"):
            remove(script)
    link = folder / "bin" / "python"
    link.unlink()
    link.symlink_to(os.path.realpath(python))
    for other in (folder / "bin").glob("python3*"):
        other.unlink()
        other.symlink_to("python")
    (folder / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(os.path.realpath(python))}\n"
        f"include-system-site-packages = false\nversion = 3.{_minor(python)}\n"
    )


def _step(command: list[str], fix: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, umask=0o022)
    if done.returncode != 0:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise SandboxUnavailable(f"the guest environment cannot be built: {said[-1] if said else command[2]}", fix=fix)
