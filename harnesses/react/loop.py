"""The plain tool-calling loop: ask the model, make its calls in order, give back what they brought.

Source of the form: Yao et al., ReAct (arXiv 2210.03629), with native tool calls in place of parsed text.
"""

from __future__ import annotations

from workgym.harness import Episode
from workgym.model import Message, ModelReply, ModelRequest, ToolCallBlock, ToolResultBlock

SYSTEM = (
    "You do office work for a user, in a folder of files, through tools. Read what you need, work out what is asked, "
    "and write the files that the user wants, with the names and in the form that the user gives. Do not guess what a "
    "file can tell you. Leave the files that you were given as they are unless you are asked to change them. When the "
    "work is done, call submit with a short word about what you did."
)
NUDGE = "You said nothing and called no tool. Go on with the work; when it is done, call submit."
CUT = "Your reply was cut off at its length limit. Go on in smaller steps."
NUDGES = 3
"""Replies in a row that neither call nor say anything, after which the loop gives up."""


def run(episode: Episode) -> None:
    """Act until the episode is over, or the model has fallen silent."""
    messages = [Message.of("system", SYSTEM), Message.of("user", episode.request)]
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
            messages.append(Message.of("user", CUT if reply.stop == "length" else NUDGE))
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
