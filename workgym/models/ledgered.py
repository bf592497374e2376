"""A model behind a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN

from workgym.errors import ModelError
from workgym.model import Model, ModelReply, ModelRequest, Usage, card, drawn
from workgym.models.budget import NANO, Budget, Spent
from workgym.models.ledger import Entry, Ledger
from workgym.models.prices import needed_rate, rate
from workgym.models.wrapping import Wrapped, length
from workgym.records import digest

MARK = "[redacted]"
"""What stands in the ledger in place of a secret."""


class Ledgered(Wrapped):
    """Gives stored replies, and stores new ones with what they took. Thread-safe where the inner model is."""

    def __init__(self, inner: Model, ledger: Ledger, *, stage: str = "", budget: Budget | None = None) -> None:
        """``stage`` is what its calls are booked under; ``budget`` what may be spent in the whole ledger, by all stages
        and earlier runs too. Raises UsageError where it is of money and nobody knows the model's price.
        """
        super().__init__(inner)
        self.ledger = ledger
        self._stage, self._budget = stage, budget
        money = budget is not None and budget.money is not None
        self._rate = needed_rate(inner) if money else rate(card(inner))

    def budget_share(self, usage: Usage) -> float | None:
        """Share of the budget that so much is; None where there is none, or it is not to be told.

        It looks at what it is asked about alone, not into the ledger, so that a run that is run again says the same.
        """
        if self._budget is None or not self._budget.tell:
            return None
        money = None if self._rate is None else self._rate(usage)
        return self._budget.share((usage.prompt or 0) + (usage.completion or 0), money)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The stored reply, or the inner model's. Raises BudgetSpent, and what the inner model raises."""
        secrets = tuple(self.secrets)  # before the call is claimed: a key that is missing is told here
        full = request.model_copy(update={"sampling": drawn(self.inner, request.sampling)})
        key = digest({"model": self.name, "request": full.key})
        entry = Entry(key, request.key, self.name, self._stage)
        stored = self.ledger.claim(entry, self._budget)
        if stored is not None:
            return stored
        try:
            reply = self.inner.complete(request)
            written = _clean(reply.model_dump_json(), secrets)
            took = self._took(request, reply)
            self.ledger.keep(entry, written, took, None if took.unpriced else took.nano)
        except BaseException as error:  # whatever ends it: a mark that stays would be waited for
            sent = error.attempts if isinstance(error, ModelError) else 1
            self.ledger.fail(entry, _clean(f"{type(error).__name__}: {error}", secrets), sent)
            raise
        return ModelReply.model_validate_json(written)  # as whoever asks again will have it

    def _took(self, request: ModelRequest, reply: ModelReply) -> Spent:
        usage, reckoned = reply.usage, _tokens(request, reply)
        nano = self._nano(usage)
        return Spent(
            calls=1,
            retries=max(0, reply.attempts - 1),
            prompt=usage.prompt or 0,
            cached=usage.cached or 0,
            completion=usage.completion or 0,
            reasoning=usage.reasoning or 0,
            reckoned=(reckoned.prompt or 0) + (reckoned.completion or 0),
            uncounted=int(usage.prompt is None or usage.completion is None),
            unpriced=int(nano is None),
            nano=nano or 0,
            reckoned_nano=self._nano(reckoned) or 0,
        )

    def _nano(self, usage: Usage) -> int | None:
        money = None if self._rate is None else self._rate(usage)
        return None if money is None else int((money * NANO).to_integral_value(ROUND_HALF_EVEN))


def _tokens(request: ModelRequest, reply: ModelReply) -> Usage:
    """Tokens read and written; by length where the provider did not say."""
    written = sum(len(block.model_dump_json()) for block in reply.blocks)
    said = reply.usage
    return Usage(
        prompt=length(request) if said.prompt is None else said.prompt,
        cached=said.cached,
        completion=-(-written // 4) if said.completion is None else said.completion,
    )


def _clean(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MARK) if secret else text
    return text
