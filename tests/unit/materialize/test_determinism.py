"""The same world gives the same bytes: in two processes, two directories, under two hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import hashlib, importlib.util, json, sys
def load(name):
    spec = importlib.util.spec_from_file_location(name, sys.argv[1] + "/" + name + ".py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
world, writers = load("conftest"), load("test_writers")
data = [["Nordpak GmbH", "a note", "12.50"], ["Brüder Köhler", "another", "-3.25"], ["Čáp", "ž", "0.00"]]
made = {}
for ending in ("xlsx", "csv", "json", "ics", "md", "txt", "eml", "docx", "pdf"):
    carrier = writers.made(world.world, world.relation, "a/b." + ending, data)
    anchors = json.dumps([anchor.model_dump(mode="json") for anchor in carrier.anchors])
    made[ending] = [hashlib.sha256(carrier.content).hexdigest(), hashlib.sha256(anchors.encode()).hexdigest()]
print(json.dumps(made))
"""


def test_two_processes_write_the_same_bytes(root: Path, tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    outputs = []
    for seed in ("1", "77"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root), "TZ": f"Etc/GMT+{len(seed)}"}
        command = [sys.executable, "-c", _PROGRAM, here]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count('"') > 20
