"""Running Python as an ordinary user where the tests run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parents[3]
USER = 65_534
_BECOME = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]


@contextmanager
def ordinary_user() -> Iterator[tuple[list[str], dict[str, str]]]:
    """How a command line for Python begins, and its variables; skips where an ordinary user cannot run it.

    Root's own Python may lie in a closed home: then the system's of the same version does, with the same libraries.
    """
    if os.getuid() != 0:
        pytest.skip("this run is an ordinary user's already: all other tests show it")
    if shutil.which("setpriv") is None:
        pytest.skip("SKIPPED, no ordinary user is tested here: setpriv is not installed")
    folder = tempfile.mkdtemp(prefix="state-")
    os.chown(folder, USER, USER)
    libraries = os.pathsep.join([str(HERE), *(path for path in sys.path if path.endswith("-packages"))])
    variables = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": libraries, "WORKGYM_STATE": folder}
    try:
        yield [*_BECOME, _python(variables)], variables
    finally:
        shutil.rmtree(folder)


def _python(variables: dict[str, str]) -> str:
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        command = [*_BECOME, python, "-c", "import workgym, pydantic"]
        if subprocess.run(command, env=variables, cwd="/", check=False, capture_output=True).returncode == 0:
            return python
    pytest.skip(f"SKIPPED, no ordinary user is tested here: none can run {sys.executable} with its libraries")
