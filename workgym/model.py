"""The model contract: messages as ordered blocks, one request, one reply.

Every provider dialect and every harness meets in these records. The order of blocks is kept, reasoning comes back
to its provider with the signature it came with, and a call whose arguments were no JSON object keeps what was
written, so that a harness can say so to the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from workgym.records import Record, ToolSpec, canonical


class TextBlock(Record):
    """Words."""

    type: Literal["text"] = "text"
    """Tells blocks apart."""
    text: str
    """The words."""


class ReasoningBlock(Record):
    """What a model thought before it spoke."""

    type: Literal["reasoning"] = "reasoning"
    """Tells blocks apart."""
    text: str = ""
    """The thoughts, or a summary of them; empty where the provider shows none."""
    signature: str | None = None
    """Opaque text that the provider wants back unchanged, or None where it gives none."""


class ToolCallBlock(Record):
    """A tool call that the model wants made."""

    type: Literal["tool_call"] = "tool_call"
    """Tells blocks apart."""
    id: str
    """The model's name for this call; its result carries the same."""
    name: str
    """Name of the tool."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The arguments; empty where ``malformed`` is set."""
    malformed: str | None = None
    """What the model wrote instead of a JSON object, or None where it wrote one."""


class ToolResultBlock(Record):
    """What a tool answered."""

    type: Literal["tool_result"] = "tool_result"
    """Tells blocks apart."""
    id: str
    """Id of the call that is answered."""
    text: str
    """The observation."""
    is_error: bool = False
    """Whether the call failed."""


class ImageBlock(Record):
    """A picture."""

    type: Literal["image"] = "image"
    """Tells blocks apart."""
    media_type: str
    """``image/png``, ``image/jpeg``, ..."""
    data: str
    """The file in base64."""


Block = Annotated[
    TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock | ImageBlock, Field(discriminator="type")
]


class Message(Record):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks; ``tool`` holds results only."""
    blocks: tuple[Block, ...]
    """What is said, in order."""

    @classmethod
    def of(cls, role: Literal["system", "user", "assistant"], text: str) -> Message:
        """A message of one text block."""
        return cls(role=role, blocks=(TextBlock(text=text),))


class Sampling(Record):
    """How a model draws its reply; None leaves the choice to the provider."""

    temperature: float | None = None
    """0 is greedy."""
    top_p: float | None = None
    """Probability mass that is drawn from."""
    max_tokens: int | None = None
    """Longest reply, reasoning included."""
    seed: int | None = None
    """For providers that can repeat a draw."""


class Usage(Record):
    """Tokens of one call as the provider counted them; None where it did not say."""

    prompt: int | None = None
    """Tokens read, cached ones included."""
    cached: int | None = None
    """Tokens of the prompt that came from the provider's cache."""
    completion: int | None = None
    """Tokens written, reasoning included."""
    reasoning: int | None = None
    """Tokens written that were reasoning."""

    def __add__(self, other: Usage) -> Usage:
        """Both together; a kind that neither counted stays None."""
        pairs = ((name, getattr(self, name), getattr(other, name)) for name in type(self).model_fields)
        return Usage(**{name: None if a is b is None else (a or 0) + (b or 0) for name, a, b in pairs})


class ReplySchema(Record):
    """The form that a reply is to have."""

    name: str
    """What the form is called; letters, digits, ``_`` and ``-``."""
    definition: dict[str, Any]
    """Its JSON Schema."""
    held: Literal["schema", "json"] = "schema"
    """What the endpoint is to hold the reply to: the schema, or JSON at least."""


class ModelRequest(Record):
    """All that one reply depends on."""

    messages: tuple[Message, ...]
    """The conversation so far."""
    tools: tuple[ToolSpec, ...] = ()
    """The tools on offer."""
    sampling: Sampling = Sampling()
    """How to draw."""
    reply_schema: ReplySchema | None = None
    """The form that the reply is to have, for endpoints that can hold a model to it; None for free text."""
    sample: int = 0
    """Which draw this is, of several of one request. It is not sent; it tells their stored replies apart."""

    @property
    def key(self) -> str:
        """sha256, in hexadecimal, of all of it: what a cassette and a mailbox know the request by."""
        return hashlib.sha256(canonical(self.model_dump(mode="json")).encode("utf-8", "surrogatepass")).hexdigest()


class ModelReply(Record):
    """What a model said."""

    blocks: tuple[Block, ...]
    """Its blocks, in order."""
    usage: Usage = Usage()
    """What it took."""
    stop: Literal["end", "tool_calls", "length", "filter"] = "end"
    """Why it stopped: done, waiting for tools, cut off, or withheld by the provider."""
    model: str = ""
    """The model that answered, as the provider names it."""
    attempts: int = Field(default=1, ge=0)
    """Requests that were sent for it, retries included."""

    @property
    def calls(self) -> tuple[ToolCallBlock, ...]:
        """The tool calls in it, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCallBlock))

    @property
    def text(self) -> str:
        """Its text blocks, joined by newlines."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    def message(self) -> Message:
        """The reply as a turn of the conversation."""
        return Message(role="assistant", blocks=self.blocks)


class Price(Record):
    """What a million tokens cost, in US dollars."""

    input: Decimal = Field(ge=0)
    """Tokens read."""
    output: Decimal = Field(ge=0)
    """Tokens written, reasoning included."""
    cached: Decimal | None = Field(default=None, ge=0)
    """Tokens of the prompt that came from the provider's cache; None where they cost what others do."""


class ModelCard(Record):
    """What is known about a model beside its name; every default is "not known"."""

    model: str | None = None
    """Its name at the provider."""
    base_url: str | None = None
    """Address of the endpoint; None is the provider's own."""
    context: int | None = None
    """Tokens that prompt and reply may have together."""
    structured: Literal["schema", "json", "text"] = "text"
    """How it can be held to a form: by JSON Schema, to JSON at least, or by being told."""
    sampling: Sampling = Sampling()
    """How it draws where a request leaves it open."""
    price: Price | None = None
    """What it costs, where its user says so; else price lists are asked."""


class Model(Protocol):
    """Something that answers. Thread-safe; a rollout calls it from one thread."""

    @property
    def name(self) -> str:
        """What a record calls it."""

    @property
    def secrets(self) -> Sequence[str]:
        """Values that no record may hold: keys, tokens."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to ``request``. Raises ModelError where none can be had; the rollout records it."""


def card(model: Model) -> ModelCard:
    """What is known about a model: its ``card``, which a model need not have."""
    found = getattr(model, "card", None)
    return found if isinstance(found, ModelCard) else ModelCard()


def drawn(model: Model, asked: Sampling) -> Sampling:
    """How a model really draws: as it is asked, else as its configuration says."""
    own, said = card(model).sampling.model_dump(exclude_none=True), asked.model_dump(exclude_none=True)
    return Sampling.model_validate(own | said)


def budget_share(model: Model, usage: Usage) -> float | None:
    """Share of the model's budget that so much is, 1 for all of it; None where it has none that should be told."""
    found = getattr(model, "budget_share", None)
    return None if found is None else found(usage)
