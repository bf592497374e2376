"""The model that a command asks, with its ledger and budget, and what it has cost."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.errors import UsageError

if TYPE_CHECKING:
    from workgym.model import Model
    from workgym.models import Budget, Spent


def model(arguments: Namespace, stage: str, tell: Callable[[str], None] = lambda line: None) -> Model | None:
    """The model of ``--model``, behind the ledger where ``--ledger`` or a budget asks for one; None for none.

    Raises UsageError for what names no model, and for a budget that cannot be kept.
    """
    limits = budget(arguments)
    if arguments.model is None:
        if limits is not None or (arguments.ledger and arguments.judge is None):
            raise UsageError("a ledger and a budget are for a model", fix="give one (--model)")
        return None
    from workgym import models

    made = models.create(arguments.model, tell=tell)
    if limits is None and not arguments.ledger:
        return made
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else ":memory:")
    return models.Ledgered(made, ledger, stage=stage, budget=limits)


def spent(asked: Model | None) -> Spent | None:
    """What is in the model's ledger; None where it has none."""
    from workgym.models import Ledgered

    return asked.ledger.spent() if isinstance(asked, Ledgered) else None


def told(took: Spent) -> str:
    """What was spent, in one line."""
    cost = "price unknown" if took.cost is None else f"${took.cost:.4f}"
    tokens = took.prompt + took.completion
    return (
        f"in the ledger: {took.calls} calls, {took.hits} times a stored reply, {tokens:,} tokens, {cost}; "
        f"{took.retries} retries, {took.failures} failures"
    )


def between(arguments: Namespace, name: str, least: int, most: int) -> None:
    """Raises UsageError where the option is given, and is no such number."""
    given = getattr(arguments, name)
    if given is not None and not least <= given <= most:
        option = "--" + name.replace("_", "-")
        raise UsageError(f"{option} {given}", fix=f"give a number from {least} to {most:,}")


def budget(arguments: Namespace) -> Budget | None:
    """What may be spent, as the options say; None where they do not. Raises UsageError for what is no budget."""
    tokens, money = arguments.budget_tokens, arguments.budget_usd
    if tokens is None and money is None:
        return None
    from pydantic import ValidationError

    from workgym.models import Budget

    try:
        return Budget(tokens=tokens, money=None if money is None else Decimal(money), tell=True)
    except (ValidationError, InvalidOperation):
        raise UsageError(
            "a budget is a number, not below zero", fix="--budget-tokens 200000, --budget-usd 1.50"
        ) from None
