"""How much a run may cost, and what it has cost so far."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from workgym.records import Record

NANO = Decimal(1_000_000_000)
"""Money is summed in whole billionths of a US dollar: sums are exact, in any order."""


class Budget(Record):
    """The most that may be spent; None is without limit."""

    tokens: int | None = Field(default=None, ge=0)
    """Tokens read and written. A reply whose tokens nobody counted counts by its length, four characters each."""
    money: Decimal | None = Field(default=None, ge=0)
    """US dollars; a model whose price nobody knows is then refused beforehand. Tokens count as above."""
    tell: bool = False
    """Whether harnesses tell the model what is left, as far as its own conversation has used it up. What is told is a
    part of the requests: with another budget they are others, and their replies are not stored yet."""

    def share(self, tokens: int, money: Decimal | None) -> float:
        """Share that so much is, 1 for all of it; of two limits the one that is nearer to its end."""
        shares = [0.0]
        if self.tokens is not None:
            shares.append(tokens / self.tokens if self.tokens else 1.0)
        if self.money is not None and money is not None:
            shares.append(float(money / self.money) if self.money else 1.0)
        return max(shares)

    def over(self, spent: Spent) -> str:
        """What is used up, in words; empty where both limits allow another call."""
        if self.tokens is not None and spent.reckoned >= self.tokens:
            return f"{spent.reckoned:,} of {self.tokens:,} tokens are spent"
        if self.money is not None and spent.reckoned_nano >= self.money * NANO:
            return f"${spent.reckoned_nano / NANO:.4f} of ${self.money:.2f} are spent"
        return ""


class Spent(Record):
    """What calls have taken. Only calls that were paid for count, except in ``hits``."""

    calls: int = 0
    """Replies that were had."""
    hits: int = 0
    """Times that a stored reply was given in place of a call."""
    retries: int = 0
    """Further requests after a first one that failed."""
    failures: int = 0
    """Calls that ended in an error."""
    repeats: int = 0
    """Calls made again because the process that made them before was killed."""
    prompt: int = 0
    """Tokens read, cached ones included."""
    cached: int = 0
    """Tokens of the prompts that came from a provider's cache."""
    completion: int = 0
    """Tokens written, reasoning included."""
    reasoning: int = 0
    """Tokens written that were reasoning."""
    reckoned: int = 0
    """Tokens read and written as budgets count them: by length where the provider did not say."""
    uncounted: int = 0
    """Replies whose tokens the provider did not count."""
    unpriced: int = 0
    """Replies whose price nobody knows."""
    nano: int = 0
    """Billionths of a US dollar that the priced replies cost."""
    reckoned_nano: int = 0
    """The same as budgets count them: of replies whose tokens nobody counted, too, by length."""

    @property
    def money(self) -> Decimal:
        """US dollars of the priced replies."""
        return self.nano / NANO

    @property
    def cost(self) -> Decimal | None:
        """US dollars of all replies; None where one of them has no price."""
        return None if self.unpriced else self.money
