"""One step of planning: a first draft, then corrections until nothing is wrong or the budget is spent."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from workgym.authoring.planner.limits import over
from workgym.authoring.planner.records import Drop, Problem, Round, Stage, Wrong
from workgym.errors import ContextExceeded, Unstructured
from workgym.model import Message, Model, ModelRequest, Sampling
from workgym.models import Asker, Form

_Draft = TypeVar("_Draft")
_Result = TypeVar("_Result")
_ALIKE = 4
"""Problems told at once that differ in nothing but a row, a quotation or a figure."""
_VARYING = re.compile(r"\[[^\]]*\]|'[^']*'|\d+")
_TOLD = 40
"""Problems that are told at once."""
_LONGEST = 500
_SLIPS = 2
"""How often is asked again for a reply that does not fit its form: a draft is long, and a slip in it is no reason to
drop the intent."""


class Dropped(Exception):
    """The end of an intent that comes to no package."""

    def __init__(self, drop: Drop) -> None:
        self.drop = drop
        super().__init__(drop.detail)


@dataclass
class Talk:
    """A model that plans one intent, and what is left of its budget."""

    model: Model
    left: int
    """Corrections that may still be asked for."""
    sampling: Sampling
    progress: Callable[[str], None] | None
    rounds: list[Round] = field(default_factory=list, init=False)
    """What was wrong so far."""
    _askers: dict[type[Form], Asker[Form]] = field(default_factory=dict, init=False)

    def ask(self, stage: Stage, form: type[Form], messages: tuple[Message, ...]) -> Form:
        """A reply in a form. Raises Dropped where none fits or the conversation has become too long."""
        asker = self._askers.setdefault(form, Asker(self.model, form, corrections=_SLIPS))
        try:
            return asker.ask(ModelRequest(messages=messages, sampling=self.sampling)).value
        except Unstructured as error:
            raise Dropped(Drop(stage=stage, reason="form", detail=error.message[:_LONGEST])) from error
        except ContextExceeded as error:
            raise Dropped(Drop(stage=stage, reason="context", detail=error.message[:_LONGEST])) from error

    def spend(self, stage: Stage, problems: Sequence[Problem]) -> None:
        """Count one correction. Raises Dropped where none is left."""
        self.rounds.append(Round(stage=stage, problems=tuple(problems)))
        if self.progress is not None:
            self.progress(f"{stage}: {_number(problems)}, {self.left} corrections left")
        if self.left == 0:
            detail = f"{_number(problems)} after {len(self.rounds)} drafts: {problems[0]}"
            raise Dropped(Drop(stage=stage, reason=problems[0].code, detail=detail[: 2 * _LONGEST]))
        self.left -= 1

    def told(self, problems: Sequence[Problem]) -> str:
        """The problems as lines; those that were told in an earlier round say so."""
        before = {line for earlier in self.rounds[:-1] for line in earlier.lines}
        return "\n".join(lines(problems, before))


def _number(problems: Sequence[Problem]) -> str:
    return f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"


def lines(problems: Sequence[Problem], before: Iterable[str] = ()) -> list[str]:
    """One line for each problem, the first ones of those that differ in a row or figure alone; how many more below."""
    before = frozenset(before)
    alike: Counter[str] = Counter()
    left: Counter[str] = Counter()
    found: list[str] = []
    for problem in problems:
        text = " ".join(str(problem).split())
        shape = _VARYING.sub("", text)
        alike[shape] += 1
        if alike[shape] > _ALIKE or len(found) == _TOLD:
            left[problem.code] += 1
            continue
        cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
        found.append(f"- {cut}" + (" (as before)" if str(problem) in before else ""))
    more = [f"{count} more of {code}" for code, count in left.items()]
    return [*found, *([f"- and {', '.join(more)}"] if more else [])]


class Step(ABC, Generic[_Draft, _Result]):
    """What one step asks for, and how it looks at what it gets. Subclasses fill it in."""

    stage: Stage
    first: type[Form]
    """Form of the first draft."""
    change: type[Form]
    """Form of a correction."""

    @abstractmethod
    def opening(self, draft: _Draft | None) -> tuple[Message, ...]:
        """The messages that ask for the draft; once there is one, as they would ask for it now."""

    @abstractmethod
    def shown(self, draft: _Draft) -> str:
        """The draft as the model is to see it as its own."""

    @abstractmethod
    def correction(self, problems: str, *, kept: bool) -> str:
        """The question for a correction; not ``kept``, there is no draft and a whole one is wanted."""

    @abstractmethod
    def begun(self, reply: Form) -> _Draft:
        """The first draft from its reply."""

    @abstractmethod
    def changed(self, draft: _Draft, reply: Form) -> _Draft:
        """The draft with a correction."""

    @abstractmethod
    def parts(self, draft: _Draft) -> tuple[Form, ...]:
        """What is counted against the limits."""

    @abstractmethod
    def examined(self, draft: _Draft) -> _Result:
        """What the draft comes to. Raises Wrong."""


def work_out(step: Step[_Draft, _Result], talk: Talk) -> tuple[_Draft, _Result]:
    """Ask until a draft holds. A reply over the limits is not kept. Raises Dropped."""
    draft: _Draft | None = None
    problems: tuple[Problem, ...] = ()
    standing: tuple[Problem, ...] = ()
    while True:
        if draft is None:
            candidate = step.begun(talk.ask(step.stage, step.first, _messages(step, None, problems, talk)))
        else:
            candidate = step.changed(draft, talk.ask(step.stage, step.change, _messages(step, draft, problems, talk)))
        too_much = tuple(problem for part in step.parts(candidate) for problem in over(part))
        if too_much:
            problems, stage = (*too_much, *standing), step.stage
        else:
            draft = candidate
            try:
                return draft, step.examined(draft)
            except Wrong as wrong:
                if wrong.holds is not None and talk.left == 0:  # advice is no reason to drop an intent
                    return draft, cast("_Result", wrong.holds)
                problems = standing = wrong.problems
                stage = wrong.stage or step.stage
        talk.spend(stage, problems)


def _messages(
    step: Step[_Draft, _Result], draft: _Draft | None, problems: tuple[Problem, ...], talk: Talk
) -> tuple[Message, ...]:
    opening = step.opening(draft)
    if not problems:
        return opening
    told = talk.told(problems)
    said = () if draft is None else (Message.of("assistant", step.shown(draft)),)
    return (*opening, *said, Message.of("user", step.correction(told, kept=draft is not None)))
