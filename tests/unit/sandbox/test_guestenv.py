"""The guest environment: what it is built from, where it stands, what a machine without it is told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from workgym.sandbox import guestenv

HERE = Path(__file__).parents[3]


def test_lock_pins_every_file() -> None:
    text = guestenv.LOCK.read_text()
    requirements = re.split(r"\n(?=[a-z])", re.sub(r"^\s+#.*\n", "", text, flags=re.M).strip())
    assert len(requirements) > 15
    for requirement in requirements:
        assert re.match(r"^[a-z0-9-]+==[\w.]+( ;[^\\]*)? \\\n", requirement), requirement
        assert "--hash=sha256:" in requirement
    named = {line.strip() for line in LOCK_INPUT.read_text().splitlines() if line.strip() and not line.startswith("#")}
    assert named <= {requirement.partition("==")[0] for requirement in requirements}


LOCK_INPUT = guestenv.LOCK.with_name("requirements.in")


def test_interpreter_is_the_systems() -> None:
    assert guestenv.system_python().startswith("/usr/")


def test_built_environment_is_neutral() -> None:
    folder = guestenv.prepare()
    assert guestenv.ready() and guestenv.path() == folder
    assert (folder / "bin" / "python").resolve() == Path(guestenv.system_python()).resolve()
    assert not [name for name in os.listdir(folder / "bin") if not name.startswith("python")]
    packages = next((folder / "lib").glob("python3*/site-packages"))
    assert not [name for name in os.listdir(packages) if "workgym" in name or name.startswith(("pip", "setuptools"))]
    assert str(folder) not in (folder / "pyvenv.cfg").read_text()


def test_machine_without_it_is_told_what_to_do(tmp_path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root's place is fixed; an ordinary user's is in the cache folder")
    if Path("/opt/workgym-guest").exists():
        pytest.skip("root has built it for everybody on this machine")
    code = "from workgym.sandbox import create\ncreate('bubblewrap').open({}, ('files',))"
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=variables, cwd=HERE, check=False
    )
    assert "the guest environment is not built; run `workgym doctor --prepare`" in done.stderr
