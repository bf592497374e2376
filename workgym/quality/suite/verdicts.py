"""Checks of the grader as a function: the same files give the same verdict, here, again, and in another process."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys

from workgym.package import save
from workgym.quality.suite.bench import Bench, Outcome

REPEATS = 3
"""How often the expert's files are graded in this process."""
_SECONDS = 600
_PROGRAM = """
import hashlib, json, sys
from pathlib import Path
from workgym.package import load
from workgym.verify import grade, workspace_files
verdict = grade(load(Path(sys.argv[1])), workspace_files(Path(sys.argv[2])))
print(json.dumps({"digest": hashlib.sha256(verdict.dump().encode()).hexdigest(), "reward": verdict.reward}))
"""


def repeated(bench: Bench) -> Outcome:
    """The expert's files, and those of nobody, get the same verdict every time, whatever their order."""
    wrong = []
    for what, files in (("the expert's files", bench.work), ("the inputs alone", dict(bench.package.files))):
        verdicts = [bench.graded(dict(sorted(files.items(), reverse=turn % 2 == 1))) for turn in range(REPEATS)]
        if len({verdict.dump() for verdict in verdicts}) > 1:
            rewards = ", ".join(f"{verdict.reward:g}" for verdict in verdicts)
            wrong.append(f"{what} get different verdicts: rewards {rewards}")
    return Outcome(tuple(wrong), numbers={"repetitions": REPEATS})


def elsewhere(bench: Bench) -> Outcome:
    """Another process, with another hash seed, locale and time zone, comes to the same verdict, byte for byte."""
    here = bench.graded(bench.work)
    folder = save(bench.package, bench.folder / "package")
    workspace = bench.folder / "workspace"
    for path, content in bench.work.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    other = {"PYTHONHASHSEED": "1729", "TZ": "Pacific/Apia", "LC_ALL": "C.UTF-8"}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(folder), str(workspace)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
        env={**os.environ, **other, "PYTHONPATH": path},
    )
    if done.returncode != 0:
        return Outcome((f"grading there failed: {done.stderr.strip().splitlines()[-1:]}",))
    there = json.loads(done.stdout)
    same = there["digest"] == hashlib.sha256(here.dump().encode()).hexdigest()
    wrong = () if same else (f"reward {here.reward:g} here, {there['reward']:g} there, and the evidence differs",)
    return Outcome(wrong)


def well_formed(bench: Bench) -> Outcome:
    """Verdicts are whole: rewards are finite, from 0 to 1, states are known, every check has its evidence, weights are
    shares."""
    wrong = []
    for what, verdict in (("the expert's", bench.graded(bench.work)), ("the empty", bench.handed_in({}))):
        if not (math.isfinite(verdict.reward) and 0.0 <= verdict.reward <= 1.0):
            wrong.append(f"{what} reward is {verdict.reward}")
        share = sum(check.weight for check in verdict.checks)
        if not math.isclose(share, 1.0, abs_tol=1e-6):
            wrong.append(f"{what} weights add up to {share:g}")
        names = [check.name for check in verdict.checks]
        wrong += [
            f"{what}: {name} is checked twice" for name in sorted({name for name in names if names.count(name) > 1})
        ]
        bare = [
            check.name for check in verdict.checks if check.state == "failed" and not (check.message or check.expected)
        ]
        wrong += [f"{what}: {name} fails without evidence" for name in bare[:3]]
        if verdict.package != bench.package.digest or verdict.task != bench.package.id:
            wrong.append(f"{what} verdict is about another package")
    facts = sum(check.kind in ("fact", "structure") and check.weight > 0 for check in bench.handed_in({}).checks)
    if not facts:
        wrong.append("no fact is checked")
    return Outcome(tuple(wrong), numbers={"facts": facts})
