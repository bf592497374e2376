"""What the suite does with a package's queries, templates and deliverables, in a limited child process.

They may be a stranger's: here they use up no more than the child's limits and reach nothing of the host. The functions
that end in ``_job`` run in the child; the others call them and raise ChildFailed where it comes to its end.
"""

from __future__ import annotations

import base64
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from workgym.errors import MutationError
from workgym.materialize import modules
from workgym.mutation import Revision, apply
from workgym.package import TaskPackage, load, members
from workgym.package.apart import QUERIES
from workgym.quality import premises
from workgym.quality.attribution import Cause, attribute
from workgym.quality.equivalents import OFFICE, Equivalent, equivalents
from workgym.quality.mutants import Mutant, mutants
from workgym.quality.sound import Sound
from workgym.quality.suite.reach import needs
from workgym.records import Record
from workgym.sandbox.child import JobLimits, run
from workgym.verify import Verdict, answer_sets
from workgym.verify.truth import truths

_LIMITS = JobLimits(memory_mib=1536, cpu_seconds=240, wall_seconds=1200.0, output_mib=512)
_HERE = "workgym.quality.suite.apart"
_PRELOAD = ("workgym.check", "workgym.documents.xlsx.read", "workgym.documents.docx.read")
Files = Mapping[str, bytes]
_Made = TypeVar("_Made", Mutant, Equivalent)


class Rehearsal(Record):
    """What the graph says of the task, worked out in the child."""

    needs: Mapping[str, Mapping[str, bool]]
    """By carrier and ``deliverable: unit``: whether the unit rests on what stands in that carrier alone."""
    answers: int
    """Number of distinct admissible answers: sets of values that a deliverable may state."""
    free: tuple[str, ...]
    """Rule units that are printed nowhere, so that the solver chooses."""


def rehearse(package: TaskPackage) -> Rehearsal:
    """Evaluate once, within limits, all that later checks evaluate without: traps, conventions, exact answers."""
    return Rehearsal.model_validate(_run("rehearse_job", package, {}))


def rehearse_job(payload: dict[str, Any]) -> dict[str, Any]:
    package = _unpacked(payload)
    admissible = truths(package, package.digest)
    for premise in (*premises.stale(package), *premises.traps(package), *premises.conventions(package)):
        premises.outcome(package, premise)
    free = sorted({name for truth in admissible for name in truth.conventions})
    return {"needs": needs(package), "answers": answer_sets(package), "free": free}


def mutants_apart(sound: Sound, most: int | None) -> tuple[Mutant, ...]:
    """The task's mutants, the first ``most`` of each kind."""
    answer = _run("mutants_job", sound.package, {"most": most}, sound)
    return tuple(
        Mutant(one["kind"], one["deliverable"], one["what"], _merged(sound, one), tuple(map(tuple, one["concerns"])))
        for one in answer
    )


def mutants_job(payload: dict[str, Any]) -> list[dict[str, Any]]:
    sound = _sound(payload)
    return [{**_about(sound, one), "concerns": one.concerns} for one in _first(mutants(sound), payload["most"])]


def equivalents_apart(sound: Sound, most: int | None) -> tuple[Equivalent, ...]:
    """The first ``most`` of each kind of the task's equivalents, but for those that LibreOffice makes: the child starts
    no programs."""
    answer = _run("equivalents_job", sound.package, {"most": most}, sound)
    return tuple(Equivalent(one["kind"], one["deliverable"], one["what"], _merged(sound, one)) for one in answer)


def equivalents_job(payload: dict[str, Any]) -> list[dict[str, Any]]:
    sound = _sound(payload)
    return [_about(sound, one) for one in _first(equivalents(sound, left_out=(OFFICE,)), payload["most"])]


def _first(made: Iterable[_Made], most: int | None) -> Iterator[_Made]:
    """The first so many of each kind."""
    seen: Counter[str] = Counter()
    for one in made:
        seen[one.kind] += 1
        if most is None or seen[one.kind] <= most:
            yield one


def _about(sound: Sound, one: Mutant | Equivalent) -> dict[str, Any]:
    changed = _coded({path: content for path, content in one.files.items() if sound.files.get(path) != content})
    gone = dict.fromkeys(sound.files.keys() - one.files.keys())
    return {"kind": one.kind, "deliverable": one.deliverable, "what": one.what, "changed": {**changed, **gone}}


def causes_apart(package: TaskPackage, verdicts: list[Verdict]) -> list[tuple[Cause, ...]]:
    """The causes of each verdict's wrong values."""
    answer = _run("causes_job", package, {"verdicts": [verdict.record for verdict in verdicts]})
    return [tuple(Cause.model_validate(cause) for cause in causes) for causes in answer]


def causes_job(payload: dict[str, Any]) -> list[list[dict[str, Any]]]:
    package = _unpacked(payload)
    return [
        [cause.model_dump(mode="json") for cause in attribute(package, Verdict.model_validate(one))]
        for one in payload["verdicts"]
    ]


def revise_apart(package: TaskPackage, revision: Revision) -> TaskPackage:
    """A revision applied. Raises MutationError where its contract refuses it."""
    answer = _run("revise_job", package, {"revision": revision.model_dump(mode="json")})
    if "refused" in answer:
        raise MutationError(answer["refused"])
    return _unpacked(answer)


def revise_job(payload: dict[str, Any]) -> dict[str, Any]:
    try:
        changed = apply(_unpacked(payload), Revision.model_validate(payload["revision"]))
    except MutationError as error:
        return {"refused": str(error)}
    return _packed(changed)


def _run(job: str, package: TaskPackage, more: dict[str, Any], sound: Sound | None = None) -> Any:
    payload = _packed(package) | more
    if sound is not None:
        handed = {path: sound.files[path] for path in sound.files if sound.files[path] != package.files.get(path)}
        payload |= {"handed": _coded(handed), "verdict": sound.verdict.record}
    needs = (*_PRELOAD, *QUERIES, *modules(package.files))
    return run(f"{_HERE}:{job}", payload, preload=needs, limits=_LIMITS)


def _packed(package: TaskPackage) -> dict[str, Any]:
    return {"files": _coded(members(package.with_hidden(qa=None)))}


def _unpacked(payload: dict[str, Any]) -> TaskPackage:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "package"
        for path, content in _decoded(payload["files"]).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return load(folder)


def _sound(payload: dict[str, Any]) -> Sound:
    package = _unpacked(payload)
    return Sound(package, {**package.files, **_decoded(payload["handed"])}, Verdict.model_validate(payload["verdict"]))


def _merged(sound: Sound, one: dict[str, Any]) -> dict[str, bytes]:
    gone = {path for path, content in one["changed"].items() if content is None}
    changed = _decoded({path: content for path, content in one["changed"].items() if content is not None})
    return {path: content for path, content in {**sound.files, **changed}.items() if path not in gone}


def _coded(files: Files) -> dict[str, str]:
    return {path: base64.b64encode(content).decode() for path, content in files.items()}


def _decoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: base64.b64decode(content) for path, content in files.items()}
