"""A model reports what is wrong with a task; another question tells defects from mistakes and choices.

Both are asked on the solver's side alone: a ``SolverView`` and the transcript of a run. Neither is told how the run was
graded, and the second is not told which model reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from workgym.model import Message, Model, ModelRequest
from workgym.models import Asker, Form
from workgym.package import SolverView
from workgym.probe.evidence import Evidence
from workgym.probe.model import Ground, Judged, Problem, Rejected
from workgym.probe.transcript import Told, fenced, task, unopened
from workgym.records import DefectClass, digest
from workgym.records.prompts import prompts

PROMPTS = prompts(Path(__file__).with_name("prompts"))
MOST = 12
"""Problems of one diagnosis."""


class Shown(Form):
    """One ground, as it is reported."""

    call: int = Field(ge=0)
    """Number of the call in whose answer the quote stands; 0 for the request."""
    source: str = Field(min_length=1)
    """Path of the file that this call opened; request.md for the request."""
    quote: str = Field(min_length=1, max_length=2_000)
    """Words of that answer, copied letter by letter from one place."""
    missing: str = ""
    """Words that would stand together on one line if what is missing were there; empty where nothing is missing."""


class Reported(Form):
    """One problem, as it is reported."""

    seen: str
    """What in the transcript shows it, with the numbers of the calls, and where you looked for what would settle it."""
    defect: DefectClass
    """The class."""
    what: str = Field(min_length=1)
    """What is wrong with the task, in one or two sentences."""
    blocks: str = Field(min_length=1)
    """Which part of the work cannot be done rightly because of it."""
    grounds: tuple[Shown, ...] = Field(max_length=8)
    """What it rests on."""


class Diagnosis(Form):
    """What is wrong with a task."""

    seen: str
    """The work gone through step by step: what each result rests on, and where that was found or not."""
    problems: tuple[Reported, ...] = Field(max_length=MOST)
    """The problems, the most serious first; empty where the task is sound."""


class Regrounded(Form):
    """What one problem rests on, after its grounds were found wanting."""

    problem: int
    """Its number."""
    grounds: tuple[Shown, ...] = Field(max_length=8)
    """All its grounds, corrected; empty where it is withdrawn."""


class Ruling(Form):
    """What one reported problem is."""

    problem: int
    """Its number."""
    why: str = Field(min_length=1)
    """The reasons: what would settle the matter, where it was looked for, and what was found there."""
    verdict: Judged
    """defect, mistake or choice."""
    severity: Literal["hard", "soft"]
    """hard where the work cannot be done rightly because of it."""


def prompt_digests() -> Mapping[str, str]:
    """sha256 of each prompt, in hexadecimal, by name."""
    return {name: digest(prompt.text) for name, prompt in PROMPTS.items()}


def diagnose(model: Model, view: SolverView, told: Told, *, sample: int = 0) -> tuple[Problem, ...]:
    """The problems that a model reports, unchecked. Raises Unstructured, and what the model raises."""
    request = _request(("diagnose_system", "diagnose"), view, told, sample)
    found = Asker[Diagnosis](model, Diagnosis).ask(request).value
    return tuple(
        Problem(defect=one.defect, what=one.what, blocks=one.blocks, grounds=_grounds(one.grounds))
        for one in found.problems
    )


def regrounded(
    model: Model, view: SolverView, told: Told, rejected: Sequence[Rejected], *, sample: int = 0
) -> tuple[Problem, ...]:
    """The rejected problems with other grounds, unchecked; without grounds where they are withdrawn.

    What they claim stays as it was. Raises Unstructured, and what the model raises.
    """
    if not rejected:
        return ()
    listed = (f"{_listed(number, one.problem)}\nIt does not hold: {one.why}." for number, one in enumerate(rejected, 1))
    values = {"problems": "\n\n".join(listed), "count": len(rejected)}
    request = _request(("diagnose_system", "reground"), view, told, sample, **values)
    form = _numbered(Regrounded, len(rejected))
    found = Asker[tuple[Regrounded, ...]](model, form, name="Regrounded").ask(request).value
    return tuple(
        one.problem.model_copy(update={"grounds": _grounds(said.grounds)})
        for one, said in zip(rejected, found, strict=True)
    )


def judged(
    model: Model, evidence: Evidence, told: Told, problems: Sequence[Problem], *, sample: int = 0
) -> tuple[Problem, ...]:
    """The problems with verdict, severity and reasons. Raises Unstructured, and what the model raises."""
    if not problems:
        return ()
    listed = "\n\n".join(_listed(number, problem) for number, problem in enumerate(problems, 1))
    values = {"problems": listed, "count": len(problems), "unopened": unopened(evidence).text}
    request = _request(("judge_system", "judge"), evidence.view, told, sample, **values)
    form = _numbered(Ruling, len(problems))
    rulings = Asker[tuple[Ruling, ...]](model, form, name="Rulings").ask(request).value
    return tuple(
        problem.model_copy(update={"verdict": said.verdict, "severity": said.severity, "why": said.why})
        for problem, said in zip(problems, rulings, strict=True)
    )


def _numbered(form: type[Ruling] | type[Regrounded], count: int) -> Any:
    """The form of a list with an entry for each problem, in order."""

    def in_order(entries: tuple[Ruling | Regrounded, ...]) -> tuple[Ruling | Regrounded, ...]:
        if [entry.problem for entry in entries] != list(range(1, count + 1)):
            raise ValueError(f"one entry for each problem is wanted, numbered 1 to {count} in this order")
        return entries

    entries: Any = tuple[form, ...]  # type: ignore[valid-type]
    return Annotated[entries, Field(min_length=count, max_length=count), AfterValidator(in_order)]


def _grounds(shown: Sequence[Shown]) -> tuple[Ground, ...]:
    return tuple(Ground(**one.model_dump()) for one in shown)


def _listed(number: int, problem: Problem) -> str:
    grounds = "\n".join(f"- {ground}" for ground in problem.grounds)
    said = f"class: {problem.defect}\nwhat is wrong: {problem.what}\nwhat it blocks: {problem.blocks}\n{grounds}"
    return f"Problem {number}\n{fenced(said)}"


def _request(names: tuple[str, str], view: SolverView, told: Told, sample: int, **values: object) -> ModelRequest:
    """A question about a run: a system prompt and a prompt with the run in it, by their names."""
    shown = told.note[0].upper() + told.note[1:]
    system, question = (PROMPTS[name] for name in names)
    asked = question.render(task=task(view).text, shown=shown, transcript=told.text, **values)
    return ModelRequest(messages=(Message.of("system", system.render()), Message.of("user", asked)), sample=sample)
