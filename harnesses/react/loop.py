"""The plain tool-calling loop: ask the model, make its calls in order, give back what they brought.

Source of the form: Yao et al., ReAct (arXiv 2210.03629), with native tool calls in place of parsed text.
"""

from __future__ import annotations

from pathlib import Path

from workgym.harness import Episode
from workgym.model import Message, ModelReply, ModelRequest, ToolCallBlock, ToolResultBlock
from workgym.records.prompts import prompts

TEXTS = prompts(Path(__file__).with_name("prompts"))
NUDGES = 3
"""Replies in a row that neither call nor say anything, after which the loop gives up."""


def run(episode: Episode) -> None:
    """Act until the episode is over, or the model has fallen silent."""
    messages = [Message.of("system", TEXTS["system"].render()), Message.of("user", episode.request)]
    silent = 0
    while not episode.done and silent < NUDGES:
        reply = episode.model.complete(ModelRequest(messages=tuple(messages), tools=episode.tools))
        if reply.blocks:
            messages.append(reply.message())
        if reply.calls:
            silent = 0
            messages.append(Message(role="tool", blocks=_make(episode, reply)))
        elif reply.stop == "length" or not reply.text.strip():
            silent += 1
            messages.append(Message.of("user", TEXTS["cut" if reply.stop == "length" else "silent"].render()))
        else:
            silent = 0
            messages.append(Message.of("user", episode.act({"reply": reply.text}).text))


def _make(episode: Episode, reply: ModelReply) -> tuple[ToolResultBlock, ...]:
    return tuple(_result(episode, call) for call in reply.calls)


def _result(episode: Episode, call: ToolCallBlock) -> ToolResultBlock:
    if episode.done:
        return ToolResultBlock(id=call.id, text="The episode is over; this call was not made.", is_error=True)
    arguments = call.arguments if call.malformed is None else call.malformed
    answer = episode.act({"tool": call.name, "arguments": arguments, "id": call.id})
    return ToolResultBlock(id=call.id, text=answer.text, is_error=answer.is_error)
