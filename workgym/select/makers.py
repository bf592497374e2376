"""The models of teachers, behind one ledger."""

from __future__ import annotations

from collections.abc import Callable

from workgym import models
from workgym.model import Model
from workgym.models import Budget, Ledger, Ledgered, ScriptedModel
from workgym.select.teachers import Teachers

STAGE = "rollout"
"""What the ledger books their calls under."""
ModelMaker = Callable[[], "Model | None"]
"""Gives a teacher's model for one rollout."""


def makers(teachers: Teachers, ledger: Ledger, budget: Budget | None = None) -> dict[str, ModelMaker]:
    """How each teacher comes by its model: one for all its rollouts, behind the ledger.

    A script begins anew for each rollout, and needs no ledger: stored replies would shift what it says next. Raises
    UsageError for a SPEC that names no model, and for a budget of money where nobody knows the price.
    """
    return {one.name: _maker(one.model, ledger, budget) for one in teachers.teachers}


def _maker(spec: str | None, ledger: Ledger, budget: Budget | None) -> ModelMaker:
    if spec is None:
        return lambda: None
    made = models.create(spec)
    if isinstance(made, ScriptedModel):
        return lambda: models.create(spec)
    shared = Ledgered(made, ledger, stage=STAGE, budget=budget)
    return lambda: shared
