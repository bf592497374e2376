"""Checks that run episodes: seeds, tools, walls, replay, and that nothing depends on the order of files."""

from __future__ import annotations

import json
from typing import Any

from workgym.env import OfficeEnv, web
from workgym.package import TaskPackage, content_digest
from workgym.quality.suite.archives import turned
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome, Unmet
from workgym.quality.suite.inside import PROGRAM, Inventory, given_away
from workgym.replay import Divergence, replay
from workgym.sandbox.packs import manifest
from workgym.trajectory import CallEvent, EndEvent, ObservationEvent, Trajectory, VerdictEvent

_MOST = 12
_FIRST = ("mimetype", "[Content_Types].xml")
"""Parts whose place in an archive is prescribed or expected."""


def seeds(bench: Bench) -> Outcome:
    """The seed of a reset changes nothing of the task, and every reset gives the same observation."""
    _ = bench.rehearsal
    env = bench.environment()
    try:
        seen = [(seed, *env.reset(seed=seed), env.workspace) for seed in (0, 0, 1, 2**31 - 1)]
    finally:
        env.close()
    first = json.dumps(seen[0][1:], sort_keys=True, default=str)
    wrong = [
        f"reset(seed={seed}) differs from reset(seed=0): {_difference(seen[0][1:], (*rest,))}"
        for seed, *rest in seen[1:]
        if json.dumps(tuple(rest), sort_keys=True, default=str) != first
    ]
    return Outcome(tuple(dict.fromkeys(wrong)), numbers={"resets": len(seen)})


def _difference(one: tuple[Any, ...], two: tuple[Any, ...]) -> str:
    names = ("observation", "info", "workspace")
    return ", ".join(name for name, first, second in zip(names, one, two, strict=True) if first != second)


def offered(bench: Bench) -> Outcome:
    """The tools on offer are those of the declared packs, with a site the web's too, and the first text names each."""
    _ = bench.rehearsal
    env = bench.environment()
    try:
        observation, info = env.reset(seed=0)
        names = [spec.name for spec in env.tools]
        valid = env.observation_space.contains(observation)
    finally:
        env.close()
    declared = [tool.name for pack in bench.package.card.interfaces.tools for tool in manifest(pack).tools]
    declared += web.NAMES if bench.package.external else ()
    wrong = [f"{name} is declared and not offered" for name in declared if name not in names]
    wrong += [f"{name} is offered and not declared" for name in names if name not in (*declared, "submit")]
    wrong += [f"{name} is offered and not said" for name in names if f"{name}(" not in observation["text"]]
    if not valid:
        wrong.append("the observation is not in the observation space")
    if bench.package.request.strip() not in observation["text"] or info["request"] != bench.package.request:
        wrong.append("the observation does not hold the request")
    return Outcome(tuple(wrong), numbers={"tools": len(names)})


def contained(bench: Bench) -> Outcome:
    """From inside the sandbox nothing hidden can be found: no value, text, id, canary, host path; times say nothing."""
    seen = _looked_around(bench)
    wrong = list(dict.fromkeys(given_away(bench.package, seen)))
    return Outcome(tuple(wrong[:_MOST]), numbers={"found": len(wrong)})


def walled(bench: Bench) -> Outcome:
    """The sandbox has no network, and says of itself that files, processes and network are apart."""
    seen = _looked_around(bench)
    wrong = [f"there is a network interface {name}" for name in seen.links if name != "lo"]
    wrong += [f"a route goes by {name}" for name in seen.routes if name != "lo"]
    said = bench.new_sandbox().capabilities
    for name in ("isolated_files", "isolated_network", "isolated_processes"):
        if not getattr(said, name):
            wrong.append(f"the sandbox does not claim {name}")
    return Outcome(tuple(wrong))


def apart_from_others(bench: Bench) -> Outcome:
    """What one episode writes is not there in the next one, nor in one beside it."""
    _ = bench.rehearsal
    mark = "left_behind_by_another_episode.txt"
    env, beside = bench.environment(), bench.environment()
    try:
        env.reset(seed=0)
        beside.reset(seed=0)
        if "write_file" not in {spec.name for spec in env.tools}:
            raise NotApplicable("no tool writes a file by its name")
        env.step({"tool": "write_file", "arguments": {"path": mark, "content": "here"}})
        if not any(change.path == mark for change in env.changes):
            return Outcome(("writing a file changed nothing",))
        seen = {"the episode beside it": _look(beside)}
        env.reset(seed=0)
        seen["the next episode"] = _look(env)
    finally:
        env.close()
        beside.close()
    return Outcome(tuple(f"{who} sees {mark}" for who, text in seen.items() if mark in text))


def replayable(bench: Bench) -> Outcome:
    """The expert's recorded calls give the same observations, changes, workspace and verdict again."""
    report = bench.replayed
    wrong = () if report.exact else (str(report.divergence)[:400],)
    return Outcome(wrong, numbers={"calls": report.calls, "matched": report.matched})


def recorded(bench: Bench) -> Outcome:
    """The trajectory holds every call with its observation, the verdict with its evidence, and the end."""
    log = Trajectory.open(bench.expert.folder)
    calls = {event.index for event in log.of(CallEvent)}
    answers = {event.index for event in log.of(ObservationEvent)}
    wrong = [f"call {index} has no observation" for index in sorted(calls - answers)]
    verdict = next(log.of(VerdictEvent), None)
    if verdict is None or not verdict.record:
        wrong.append("there is no verdict with its evidence")
    if next(log.of(EndEvent), None) is None:
        wrong.append("there is no end")
    if len(calls) != bench.expert.run.turns:
        wrong.append(f"{len(calls)} calls are recorded, {bench.expert.run.turns} were made")
    return Outcome(tuple(wrong), numbers={"calls": len(calls)})


def order(bench: Bench) -> Outcome:
    """Files in another order, and parts of archives in another order: same digest, same observations, same verdict."""
    package = bench.package
    if not bench.replayed.exact:
        raise Unmet("episode.replay failed")
    other = shuffled(package)
    wrong = []
    if other.digest != package.digest:
        paths = [p for p in package.files if content_digest(p, package.files[p]) != content_digest(p, other.files[p])]
        wrong.append(f"the digest is another one: {', '.join(paths)}")
        return Outcome(tuple(wrong))
    report = replay(bench.expert.folder, package=other, sandbox=bench.sandbox, grade=bench.grade)
    if report.divergence is not None and not _bytes_alone(report.divergence, package):
        wrong.append(f"the expert's calls come out differently: {str(report.divergence)[:400]}")
    again = bench.grade(other, dict(reversed([*bench.work.items()])))
    if again.record != bench.graded(bench.work).record:
        wrong.append("the verdict is another one")
    archives = sum(package.files[path] != other.files[path] for path in package.files)
    return Outcome(tuple(wrong), numbers={"files": len(package.files), "archives": archives})


def _bytes_alone(divergence: Divergence, package: TaskPackage) -> bool:
    """Whether a replay differs only in that the same inputs were handed back as other bytes, as it must."""
    return divergence.what == "handed in" and set(divergence.expected) <= set(package.files)


def shuffled(package: TaskPackage) -> TaskPackage:
    """The same package with its files from last to first, and the parts of its archives so, too."""
    files = {path: turned(content, _FIRST) for path, content in reversed([*package.files.items()])}
    return package.with_files(files)


def _look(env: OfficeEnv) -> str:
    observation, *_ = env.step({"tool": "list_files", "arguments": {}})
    return str(observation["text"])


def _looked_around(bench: Bench) -> Inventory:
    """What a program in the guest finds; looked for once."""
    return Inventory.model_validate(bench.inside(PROGRAM))
