"""A conversation in which a model writes a script, and is told what came of it."""

from __future__ import annotations

import re

from workgym.check.independent.showing import PROMPTS, desk, task
from workgym.model import Message, Model, ModelRequest
from workgym.package import SolverView

SCRIPT = 100_000
"""Characters of the longest script that is run."""
SAID = 4_000
"""Characters of a traceback that are told; its end says what went wrong."""
_BLOCK = re.compile(r"^[ \t]*```[ \t]*(?:python|py)?[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)


class Writer:
    """One author at work on one script."""

    def __init__(self, view: SolverView, model: Model, *, role: str, entry: str, sample: int) -> None:
        """``role`` names the prompt that says what is wanted, ``entry`` the function that the script has to define;
        ``sample`` tells authors apart that are asked alike."""
        self._model, self._entry, self._sample = model, entry, sample
        shown = PROMPTS[role].render(desk=desk(view))
        self._messages: tuple[Message, ...] = (Message.of("system", shown), Message.of("user", task(view)))

    def script(self, rounds: int) -> tuple[str | None, str]:
        """The script in the next reply, and why there is none; one that cannot be used is asked for again.

        ``rounds`` are the replies that are left, this one included. Raises what the model raises.
        """
        reply = self._model.complete(ModelRequest(messages=self._messages, sample=self._sample))
        if reply.blocks:
            self._messages = (*self._messages, reply.message())
        found = script(reply.text, self._entry)
        if isinstance(found, _Unusable):
            self.tell("unread", found.why, rounds - 1)
            return None, found.why
        return found, ""

    def remind(self, script: str) -> None:
        """Put a script of the author's, from another conversation, before what is told of it."""
        self._messages = (*self._messages, Message.of("assistant", f"```python\n{script.rstrip()}\n```"))

    def tell(self, prompt: str, said: str, left: int) -> None:
        """Tell the author what came of the script; ``left`` replies are left."""
        kept = said if len(said) <= SAID else f"[...]\n{said[-SAID:]}"
        quoted = "\n".join(f"    {line}" for line in kept.splitlines())
        runs = "This is the last run." if left == 1 else f"{left} runs are left."
        self._messages = (
            *self._messages,
            Message.of("user", PROMPTS[prompt].render(said=quoted if prompt != "unread" else said, left=runs)),
        )


class _Unusable:
    def __init__(self, why: str) -> None:
        self.why = why


def script(text: str, entry: str) -> str | _Unusable:
    """The script in a reply: its last block that defines ``entry``. It is not looked at any further on the host."""
    defines = re.compile(rf"^def {entry}\(", re.MULTILINE)
    blocks = [block for block in _BLOCK.findall(text) if defines.search(block)]
    if not blocks and defines.search(text) and "```" not in text:
        blocks = [text]
    if not blocks:
        return _Unusable(f"there is no ```python block in it that defines {entry}(desk).")
    source = str(blocks[-1]).replace("\r\n", "\n")
    if len(source) > SCRIPT:
        return _Unusable(f"the script is longer than {SCRIPT:,} characters.")
    if "\0" in source or not _encodable(source):
        return _Unusable("there are characters in the script that are no text.")
    return source


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
