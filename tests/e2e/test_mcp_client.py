"""The guest's tool server passes for an MCP server with the official Python client, which knows nothing of us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from workgym.sandbox.packs import load_all

HERE = Path(__file__).parent
CLIENT = "mcp==2.3.0"


@pytest.fixture(scope="module")
def client_python(root: Path) -> Path:
    """Python of an environment of the client's own, kept for the next run."""
    folder = root / ".bench" / CLIENT.replace("==", "-")
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=False, clear=True)
        install = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", CLIENT]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(
                f"SKIPPED, the official MCP client is not tried: {CLIENT} cannot be installed\n{done.stderr[-500:]}"
            )
        (folder / "ready").touch()
    return python


@pytest.fixture(scope="module")
def told(client_python: Path, root: Path) -> dict[str, Any]:
    """What the client was told."""
    libraries = os.pathsep.join([str(root), *(path for path in sys.path if path.endswith("-packages"))])
    variables = {"PATH": os.environ["PATH"], "BRIDGE_PATH": libraries}
    command = [client_python, HERE / "mcp_client.py", sys.executable, HERE / "mcp_bridge.py"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_it_shakes_hands_and_lists_its_tools(told: dict[str, Any]) -> None:
    assert told["hello"]["serverInfo"]["name"] == "guest-tools" and "tools" in told["hello"]["capabilities"]
    specs = [spec for pack in load_all(("files", "shell", "office")) for spec in pack.specs()]
    assert [tool["name"] for tool in told["tools"]] == [spec.name for spec in specs]
    assert [tool["inputSchema"] for tool in told["tools"]] == [spec.input_schema for spec in specs]
    assert all(tool["description"] for tool in told["tools"])


def test_its_calls_and_errors_are_understood(told: dict[str, Any]) -> None:
    listed, read, wrote, shown, made, sheet, failed, unknown, missing = told["answers"]
    assert listed[1:] == ["data/\ndata/orders.csv\nnotes.md", False]
    assert read[1:] == ["# Notes\n\nfirst\nsecond", False]
    assert not wrote[2] and shown[1:] == ["made by the client\ntwo\n", False]
    assert made[1:] == ["1\n", False] and "here" in sheet[1] and not sheet[2]
    assert failed[1:] == ["out\n[exit code 3]", True]
    assert unknown[2] and "notes.md" in unknown[1]
    assert missing[2] and "There is no tool 'no_such_tool'" in missing[1]


def test_calls_overlap(told: dict[str, Any]) -> None:
    assert told["overlapping"] == ["1\n", "2\n", "3\n", "4\n"]
