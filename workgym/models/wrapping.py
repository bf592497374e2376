"""A model around another: it says of itself what the inner one says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workgym.model import Model, ModelCard, ModelReply, ModelRequest, card
from workgym.records import canonical


class Wrapped:
    """Passes everything on; what waits, counts or remembers overrides ``complete``."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        """The inner model's."""
        return self.inner.name

    @property
    def secrets(self) -> Sequence[str]:
        """The inner model's."""
        return self.inner.secrets

    @property
    def card(self) -> ModelCard:
        """The inner model's."""
        return card(self.inner)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The inner model's reply."""
        return self.inner.complete(request)


def length(request: ModelRequest) -> int:
    """Tokens of a request where nobody counts them: four characters each, which is too many for English prose."""
    written = sum(len(block.model_dump_json()) for message in request.messages for block in message.blocks)
    offered = sum(len(tool.model_dump_json()) for tool in request.tools)
    return -(-(written + offered) // 4)


def sound(data: Any) -> Any:
    """JSON in which every text can be written as UTF-8: half a surrogate pair becomes U+FFFD.

    Models write such halves where a reply is cut inside of an emoji; neither a request nor a database takes them.
    """
    try:
        canonical(data).encode()
    except UnicodeEncodeError:
        return _sound(data)
    return data


def _sound(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, dict):
        return {_sound(key): _sound(value) for key, value in data.items()}
    return [_sound(item) for item in data] if isinstance(data, list | tuple) else data
