"""The loop that model harnesses with tools of their own share.

A harness gives it a system prompt, tools, and texts (``prompts/*.md`` beside the harness). The loop asks, makes the
calls in their order and gives back what they brought; it says what is wrong with calls that cannot be made; nudges a
model that says nothing, was cut off or was withheld, and gives up after three such replies in a row; tells what is left
of a budget; and replaces a conversation that fills its context by a summary (the trajectory then has a new segment).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from workgym import tool as tools
from workgym.errors import ContextExceeded, HarnessError
from workgym.harness.context import Context
from workgym.harness.contract import Answer, Episode
from workgym.model import (
    Block,
    Message,
    ModelReply,
    ModelRequest,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
    budget_share,
    card,
)
from workgym.records import ToolCall, ToolSpec
from workgym.records.prompts import Prompt

TURNS = 250
"""Replies of the model until the loop ends, whether they act or not."""
SILENT = 3
"""Replies in a row that neither act nor say anything, after which the loop gives up."""
SUMMARIES = 3
"""Replies that are waited for when a summary is asked; the last is asked without tools."""
SHARES = (0.5, 0.25, 0.1)
"""Shares of the budget at which the model is told what is left."""
EXCERPT = 2_000
"""Characters that are left of a tool's answer where the conversation has overrun its context."""

TEXTS = ("budget", "cut", "silent", "summarise", "summary", "withheld")
"""Prompts that every harness of this loop brings along: see ``prompts/`` of one of them."""


class Run(Protocol):
    """What a tool does: it is given arguments that fit its schema, and the call's id."""

    def __call__(self, arguments: dict[str, Any], call_id: str, /) -> Answer:
        """What the model reads."""


class Tool(NamedTuple):
    """A tool that a harness offers."""

    spec: ToolSpec
    """As the model sees it."""
    run: Run
    """What it does."""


class Loop:
    """One run of a harness on an episode. A harness overrides ``spoke``, and ``before`` where it has more to say."""

    def __init__(
        self, episode: Episode, texts: Mapping[str, Prompt], system: str, offered: Sequence[Tool], *, compact_at: float
    ) -> None:
        """``compact_at`` is the share of the context at which a summary replaces the conversation.

        Raises HarnessError where one of ``TEXTS`` is missing.
        """
        missing = [name for name in TEXTS if name not in texts]
        if missing:
            raise HarnessError(f"the harness brings no prompts/{missing[0]}.md along")
        self.episode = episode
        self.texts = texts
        self.offered = {tool.spec.name: tool for tool in offered}
        self.turns = 0
        """Replies of the model so far."""
        self.messages = [Message.of("system", system), Message.of("user", episode.request)]
        self._opening = tuple(self.messages)
        self._compact_at = compact_at
        self._context = Context(card(episode.model).context)
        self._silent = 0
        self._used = Usage()
        self._told = 1.0

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as the model sees them."""
        return tuple(tool.spec for tool in self.offered.values())

    @property
    def turns_left(self) -> int:
        """Turns that are left: of the loop's own and of the episode's, the fewer."""
        return min(TURNS - self.turns, self.episode.turns_left)

    def run(self) -> None:
        """Act until the episode is over, the turns are used up, or the model has fallen silent."""
        while not self.episode.done and self.turns < TURNS and self._silent < SILENT:
            self._tell_budget()
            self.before()
            reply = self._ask()
            self.turns += 1
            if reply is None:
                return
            if reply.calls:
                self._silent = 0
                self._add(Message(role="tool", blocks=self.make(reply.calls)))
            elif reply.stop in ("length", "filter") or not reply.text.strip():
                self._silent += 1
                why = {"length": "cut", "filter": "withheld"}.get(reply.stop, "silent")
                self.tell(self.texts[why].render())
            else:
                self._silent = 0
                self.spoke(reply.text)

    def before(self) -> None:
        """Called before each question; what it has to say goes through ``note``."""

    def spoke(self, text: str) -> None:
        """The model spoke and made no call: the work is handed over."""
        self.tell(self.episode.act({"reply": text}).text)

    def make(self, calls: Sequence[ToolCallBlock]) -> tuple[ToolResultBlock, ...]:
        """Make the calls of one reply, in their order."""
        return tuple(self.result(call) for call in calls)

    def result(self, call: ToolCallBlock) -> ToolResultBlock:
        """Make one call, or say why it cannot be made."""
        if self.episode.done:
            return answered(call, "The episode is over; this call was not made.", is_error=True)
        if call.malformed is not None:
            written = call.malformed if len(call.malformed) <= 200 else f"{call.malformed[:200]} [...]"
            return answered(call, f"The arguments of {call.name} are no JSON object: {written}", is_error=True)
        wrong = tools.refusal(ToolCall(tool=call.name, arguments=call.arguments), self.specs)
        if wrong is not None:
            return answered(call, wrong, is_error=True)
        answer = self.offered[call.name].run(call.arguments, call.id)
        return answered(call, answer.text, is_error=answer.is_error)

    def tell(self, text: str) -> None:
        """Say something to the model, as the user."""
        self._add(Message.of("user", text))

    def note(self, text: str) -> None:
        """Put a word behind what the model is about to read."""
        block = TextBlock(text=text)
        last = self.messages[-1]
        self.messages[-1] = last.model_copy(update={"blocks": (*last.blocks, block)})
        self._context.added([block])

    def remember(self) -> str:
        """What a summary must not lose, in the harness's own words; empty for nothing."""
        return ""

    def _tell_budget(self) -> None:
        used = budget_share(self.episode.model, self._used)
        if used is None:
            return
        left = max(0.0, 1 - used)
        passed = [share for share in SHARES if left <= share < self._told]
        if passed:
            self._told = min(passed)
            self.note(self.texts["budget"].render(percent=round(left * 100)))

    def _add(self, message: Message) -> None:
        self.messages.append(message)
        self._context.added(message.blocks)

    def _ask(self) -> ModelReply | None:
        """The next reply, which is a part of the conversation now; None where no summary could be had."""
        if self._context.share >= self._compact_at and len(self.messages) > 4 and not self._compact():
            return None
        try:
            return self._complete(self.messages, self.specs)
        except ContextExceeded:
            self._shorten()
            return self._complete(self.messages, self.specs) if self._compact() else None

    def _complete(self, messages: list[Message], specs: Sequence[ToolSpec]) -> ModelReply:
        reply = self.episode.model.complete(ModelRequest(messages=tuple(messages), tools=tuple(specs)))
        self._context.replied(messages, specs, reply)
        self._used += reply.usage
        if reply.blocks:
            messages.append(reply.message())
        return reply

    def _compact(self) -> bool:
        """Go on from a summary of the conversation; False where the model writes none."""
        talk = list(self.messages)
        for number in range(1, SUMMARIES + 1):
            talk.append(Message.of("user", self.texts["summarise"].render()))
            reply = self._complete(talk, () if number == SUMMARIES else self.specs)
            if reply.text.strip() and not reply.calls:
                break
            if reply.calls:
                said = [answered(call, "Not made: a summary is wanted now.", is_error=True) for call in reply.calls]
                talk.append(Message(role="tool", blocks=tuple(said)))
        else:
            return False
        system, first = self._opening
        summary = self.texts["summary"].render(summary=reply.text.strip(), remember=self.remember())
        self.messages = [system, first.model_copy(update={"blocks": (*first.blocks, TextBlock(text=summary))})]
        self._context.used = 0
        for message in self.messages:
            self._context.added(message.blocks)
        return True

    def _shorten(self) -> None:
        """Leave of the last answers so much that the summary can be asked for."""
        last = self.messages[-1]
        blocks: list[Block] = []
        for block in last.blocks:
            if isinstance(block, ToolResultBlock) and len(block.text) > EXCERPT:
                block = block.model_copy(update={"text": f"{block.text[:EXCERPT]} [... too long, and left out]"})
            blocks.append(block)
        self.messages[-1] = last.model_copy(update={"blocks": tuple(blocks)})


def answered(call: ToolCallBlock, text: str, *, is_error: bool = False) -> ToolResultBlock:
    """The result of a call."""
    return ToolResultBlock(id=call.id, text=text, is_error=is_error)


def passed_on(episode: Episode, tool: str, names: Mapping[str, str] | None = None) -> Run:
    """A tool that is one of the environment's; ``names`` are its arguments' names there, where they differ."""

    def run(arguments: dict[str, Any], call_id: str, /) -> Answer:
        there = {(names or {}).get(name, name): value for name, value in arguments.items()}
        return episode.act({"tool": tool, "arguments": there, "id": call_id})

    return run
