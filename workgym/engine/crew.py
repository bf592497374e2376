"""Which model does what, and what each of its replies took."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN
from typing import Literal, get_args

from workgym.errors import BudgetSpent, ModelError, ModelUnavailable, UsageError
from workgym.model import Model, ModelReply, ModelRequest, card
from workgym.models import Budget, Ledger, Ledgered
from workgym.models.budget import NANO
from workgym.models.prices import needed_rate, rate
from workgym.models.wrapping import Wrapped
from workgym.records.factory import STAGES, Stage, Taken

Role = Literal["judge", "builder", "solver", "verifier", "prober", "diagnoser", "reviser", "reviewer"]
"""Who a model is: it reviews intents; plans tasks; writes the independent solution; says what deliverables must come
to; attempts a task; says what stood in the way; proposes repairs; reviews whether a repair kept the work."""
ROLES: tuple[Role, ...] = get_args(Role)


UNAVAILABLE = "model unavailable"
"""Why a task or a run stops whose model cannot be reached."""


class Halted(ModelError):
    """The run is ending: nobody is asked any more."""


class Ending:
    """Whether a run is ending, and why. Thread-safe."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.why = ""
        """In a word, by which stopped tasks are counted; empty where it is not."""

    def begin(self, why: str) -> None:
        """From now on nobody is asked. The first reason stays."""
        self.why = self.why or why
        self._event.set()

    @property
    def begun(self) -> bool:
        """Whether it is."""
        return self._event.is_set()


class Tally:
    """What the replies of one task took, by stage and model."""

    def __init__(self) -> None:
        self._taken: dict[tuple[Stage, str], Taken] = {}
        self.cut: str = ""
        """Why a reply was not had, for a reason that may pass; what was made without it does not count."""
        self.cause: str = ""
        """What the model's side said then, on one line; empty where the reason says all."""

    def stop(self, why: str, cause: str = "") -> None:
        """A reply was not had. The first reason stays."""
        if not self.cut:
            self.cut, self.cause = why, " ".join(cause.split())

    def add(self, stage: Stage, model: Model, reply: ModelReply) -> None:
        """Count one reply."""
        usage, price = reply.usage, rate(card(model))
        money = None if price is None else price(usage)
        before = self._taken.get((stage, model.name)) or Taken(stage=stage, model=model.name, calls=0, nano=0)
        cost = None if money is None else int((money * NANO).to_integral_value(ROUND_HALF_EVEN))
        self._taken[stage, model.name] = Taken(
            stage=stage,
            model=model.name,
            calls=before.calls + 1,
            prompt=before.prompt + (usage.prompt or 0),
            completion=before.completion + (usage.completion or 0),
            uncounted=before.uncounted + int(usage.prompt is None or usage.completion is None),
            nano=None if cost is None or before.nano is None else before.nano + cost,
        )

    @property
    def taken(self) -> tuple[Taken, ...]:
        """All of it, in the order of the stages."""
        return tuple(sorted(self._taken.values(), key=lambda one: (STAGES.index(one.stage), one.model)))


class Metered(Wrapped):
    """A model whose replies are counted for one task, and which is not asked once the run is ending."""

    def __init__(self, inner: Model, stage: Stage, tally: Tally, ending: Ending) -> None:
        super().__init__(inner)
        self._stage, self._tally, self._ending = stage, tally, ending

    def complete(self, request: ModelRequest) -> ModelReply:
        """The inner model's reply. Raises Halted where the run is ending, and what the inner model raises; that a
        budget is spent ends the run."""
        try:
            if self._ending.begun:
                raise Halted("the run is ending")
            reply = self.inner.complete(request)
        except BudgetSpent:
            self._ending.begin("budget spent")
            self._tally.stop(self._ending.why)
            raise
        except Halted:
            self._tally.stop(self._ending.why)
            raise
        except ModelUnavailable as error:
            self._tally.stop(UNAVAILABLE, str(error))
            raise
        self._tally.add(self._stage, self.inner, reply)
        return reply


class Crew:
    """A model for each role, all behind one ledger and one budget."""

    def __init__(self, models: Mapping[Role, Model] | Model, ledger: Ledger, *, budget: Budget | None = None) -> None:
        """``models`` by role, or one for all. Raises UsageError where a role is missing, or nobody knows a price that a
        budget of money needs."""
        by_role = models if isinstance(models, Mapping) else dict.fromkeys(ROLES, models)
        missing = [role for role in ROLES if role not in by_role]
        if missing:
            raise UsageError(f"no model is the {missing[0]}", fix=f"name one for each of {', '.join(ROLES)}")
        self.models: Mapping[Role, Model] = dict(by_role)
        self.ledger, self.budget = ledger, budget
        self.ending = Ending()
        """Whether the run is ending."""
        for model in self.models.values() if budget is not None and budget.money is not None else ():
            needed_rate(model)  # before anything is asked, not when a stage is reached

    def member(self, role: Role, stage: Stage, tally: Tally) -> Model:
        """The model of a role at work for one task in one stage."""
        booked = Ledgered(self.models[role], self.ledger, stage=stage, budget=self.budget)
        return Metered(booked, stage, tally, self.ending)
