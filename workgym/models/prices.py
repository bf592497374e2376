"""What a call costs: by the user's own price, else by the price list of ``genai-prices`` (extra ``prices``).

The list comes with the library and is read offline. What it does not know has no price: never a guess.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from decimal import Decimal

from workgym.errors import MissingExtra, UsageError
from workgym.model import Model, ModelCard, Price, Usage, card

Rate = Callable[[Usage], Decimal | None]
"""US dollars of one call; None where its tokens are not known."""

_MILLION = Decimal(1_000_000)


def rate(known: ModelCard) -> Rate | None:
    """The price of a model, or None where nobody knows it."""
    if known.price is not None:
        own = known.price
        return lambda usage: _own(own, usage)
    if known.model is None or importlib.util.find_spec("genai_prices") is None:
        return None
    name, address = known.model, known.base_url
    if _listed(name, address, Usage(prompt=1, completion=1)) is None:
        return None
    return lambda usage: _listed(name, address, usage)


def needed_rate(model: Model) -> Rate:
    """The price of a model that must have one. Raises UsageError where nobody knows it."""
    known = card(model)
    found = rate(known)
    if found is not None:
        return found
    if known.model is not None and importlib.util.find_spec("genai_prices") is None:
        raise MissingExtra("genai-prices, which knows prices,", "prices")
    raise UsageError(
        f"nobody knows the price of {model.name}, so that a budget of money cannot be kept",
        fix="write its price into its configuration (price: {input: ..., output: ...}), or give a budget of tokens",
    )


def _own(price: Price, usage: Usage) -> Decimal | None:
    if usage.prompt is None or usage.completion is None:
        return None
    cached = min(usage.cached or 0, usage.prompt)
    cheap = price.input if price.cached is None else price.cached
    return ((usage.prompt - cached) * price.input + cached * cheap + usage.completion * price.output) / _MILLION


def _listed(name: str, address: str | None, usage: Usage) -> Decimal | None:
    if usage.prompt is None or usage.completion is None:
        return None
    import genai_prices

    tokens = genai_prices.Usage(
        input_tokens=usage.prompt, cache_read_tokens=usage.cached or 0, output_tokens=usage.completion
    )
    try:
        if address is None:
            return genai_prices.calc_price(tokens, name, provider_id="openai").total_price
        return genai_prices.calc_price(tokens, name, provider_api_url=address).total_price
    except (LookupError, ValueError):  # an unknown model, or one that is not billed by these tokens
        return None
