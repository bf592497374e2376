"""How full a model's context is: as the provider counts, else by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workgym.model import Block, ImageBlock, Message, ModelReply
from workgym.records import ToolSpec

WINDOW = 128_000
"""Tokens of a context whose size nobody said."""
CHARACTERS = 3
"""Characters of a token where nobody counts: few, because tables and code have more tokens than prose."""
PICTURE = 1_500
"""Tokens of a picture where nobody counts."""


class Context:
    """The estimate of one conversation's length in tokens."""

    def __init__(self, window: int | None) -> None:
        self.window = window or WINDOW
        self.used = 0
        """Tokens that the next request will have, at least."""

    @property
    def share(self) -> float:
        """How much of the window is full; more than 1 where it is overrun."""
        return self.used / self.window

    def replied(self, sent: Sequence[Message], tools: Sequence[ToolSpec], reply: ModelReply) -> None:
        """A reply came: where the provider counted, its count replaces the estimate."""
        usage = reply.usage
        if usage.prompt is None:
            offered = sum(len(tool.model_dump_json()) for tool in tools) // CHARACTERS
            self.used = offered + estimate(sent) + estimate([reply.message()])
        else:
            written = estimate([reply.message()]) if usage.completion is None else usage.completion
            self.used = usage.prompt + written

    def added(self, blocks: Iterable[Block]) -> None:
        """Something was put behind the last reply."""
        self.used += sum(map(_tokens, blocks))


def estimate(messages: Iterable[Message]) -> int:
    """Tokens of messages by their length."""
    return sum(_tokens(block) for message in messages for block in message.blocks)


def _tokens(block: Block) -> int:
    if isinstance(block, ImageBlock):
        return PICTURE
    return len(block.model_dump_json(exclude_defaults=True)) // CHARACTERS + 1
