"""A folder as a model: requests are files, replies are files, and a person or any program is the model.

==========================  =========================================================================================
``ID.request.json``         what is asked: ``{"format": 1, "id", "model", "request": {messages, tools, ...}}``
``ID.request.md``           the same for reading
``ID.reply.json``           the answer as a program gives it: ``{"blocks": [...], "stop", "usage", "model"}``, a block
                            as in ``request.messages``; or short: ``{"say": "...", "calls": [{"tool", "arguments"}]}``
``ID.reply.md``             the answer as a person gives it: a text
``ID.error``                what is wrong with the reply that lies there; it goes when the reply is mended
==========================  =========================================================================================

``ID`` is the first half of the request's digest, so that whoever asks again finds the reply that lies there: that is
resuming. Files appear at once and whole (written aside, then renamed); who writes replies should do the same, and a
reply that is half written is only read again when it has changed. Nothing is ever removed but ``.error``.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from workgym.errors import ModelUnavailable, UsageError
from workgym.model import (
    Block,
    ImageBlock,
    Message,
    ModelCard,
    ModelReply,
    ModelRequest,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from workgym.models.scripted import written_reply
from workgym.models.wrapping import sound
from workgym.records import pretty
from workgym.records.tools import DEPTH, too_deep
from workgym.records.whole import write_whole

FORMAT = 1
LONGEST = 16 * 2**20
"""Bytes of a reply."""


class MailboxModel:
    """Asks by files in a folder. Thread-safe, and several processes may share a folder."""

    secrets: tuple[str, ...] = ()

    def __init__(
        self,
        folder: Path | str,
        *,
        timeout: float | None = None,
        poll: float = 0.2,
        context: int | None = None,
        name: str | None = None,
        tell: Callable[[str], None] = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``timeout`` are seconds for one reply (None: for ever), ``poll`` seconds between two looks; ``tell`` is told
        how many replies are waited for, whenever it waits for one more."""
        self.folder = Path(folder)
        self.name = name or f"mailbox:{self.folder.name}"
        self.card = ModelCard(context=context)
        self._timeout, self._poll, self._clock, self._sleep = timeout, poll, clock, sleep
        self._tell, self._waiting, self._guard = tell, 0, threading.Lock()

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply that is put into the folder. Raises ModelUnavailable where none comes in time."""
        name = request.key[:32]
        self._ask(name, request)
        begun = self._clock()
        refused: dict[Path, tuple[int, int]] = {}
        reply = self._look(name, refused)
        if reply is not None:
            return reply
        with self._told():
            while reply is None:
                if self._timeout is not None and self._clock() - begun >= self._timeout:
                    raise ModelUnavailable(
                        f"{self.folder / name}: no reply within {self._timeout:g} seconds",
                        fix="answer it and run again: a reply that lies there is taken at once",
                    )
                self._sleep(self._poll)
                reply = self._look(name, refused)
        return reply

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """While one more reply is waited for."""
        with self._guard:
            self._waiting += 1
            self._tell(f"waiting for {self._waiting} repl{'y' if self._waiting == 1 else 'ies'} in {self.folder}")
        try:
            yield
        finally:
            with self._guard:
                self._waiting -= 1

    def _ask(self, name: str, request: ModelRequest) -> None:
        asked = self.folder / f"{name}.request.json"
        if asked.is_file():
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            body = {"format": FORMAT, "id": name, "model": self.name, "request": request.model_dump(mode="json")}
            write_whole(self.folder / f"{name}.request.md", for_reading(request))
            write_whole(asked, pretty(body))  # last: who sees it finds everything
        except OSError as error:
            raise UsageError(f"{self.folder}: requests cannot be written here: {error.strerror}") from error

    def _look(self, name: str, refused: dict[Path, tuple[int, int]]) -> ModelReply | None:
        """The reply, if a good one lies there; ``refused`` are bad ones as they were, not to be read twice."""
        complaint = self.folder / f"{name}.error"
        for ending in ("json", "md", "txt"):
            file = self.folder / f"{name}.reply.{ending}"
            try:
                state = file.stat()
                seen = (state.st_mtime_ns, state.st_size)
                if refused.get(file) == seen:
                    return None
                reply = _read(file, state.st_size, name[:8])
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                refused[file] = seen
                write_whole(complaint, f"{file.name}: {error}\n")
                return None
            complaint.unlink(missing_ok=True)
            return reply
        return None


def _read(file: Path, size: int, name: str) -> ModelReply:
    """The reply in a file. Raises ValueError in words for who wrote it."""
    if size > LONGEST:
        raise ValueError(f"{size:,} bytes; a reply has {LONGEST:,} at most")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start})") from None
    if file.suffix != ".json":
        if not text.strip():
            raise ValueError("it is empty")
        return ModelReply(blocks=(TextBlock(text=text),), model="mailbox")
    try:
        data = sound(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if too_deep(data):
        raise ValueError(f"nested too deeply, {DEPTH} levels at most")
    if isinstance(data, dict) and "blocks" in data:
        return _blocks(data)
    try:
        return written_reply(data, name, where="the reply").model_copy(update={"model": "mailbox"})
    except UsageError as error:
        raise ValueError(f"{error.message}; or write {{blocks: [...]}}") from None


def _blocks(data: dict[str, Any]) -> ModelReply:
    try:
        reply = ModelReply.model_validate({"model": "mailbox"} | data)
    except ValidationError as error:
        said = [
            f"{'.'.join(str(part) for part in wrong['loc']) or 'reply'}: {wrong['msg']}"
            for wrong in error.errors(include_input=False, include_url=False)
        ]
        raise ValueError("; ".join(said)) from None
    if reply.calls and "stop" not in data:
        reply = reply.model_copy(update={"stop": "tool_calls"})
    return reply


def for_reading(request: ModelRequest) -> str:
    """A request as markdown."""
    parts = [f"## {message.role}\n\n{_shown(message)}" for message in request.messages]
    if request.tools:
        tools = "\n".join(
            f"- `{tool.name}`: {tool.description.strip()}\n\n  `{json.dumps(tool.input_schema, ensure_ascii=False)}`"
            for tool in request.tools
        )
        parts.append(f"## Tools\n\n{tools}")
    if request.reply_schema is not None:
        parts.append(f"## Form of the reply\n\n```json\n{pretty(request.reply_schema.definition)}```")
    return "\n\n".join(parts) + "\n"


def _shown(message: Message) -> str:
    return "\n\n".join(_block(block) for block in message.blocks)


def _block(block: Block) -> str:
    if isinstance(block, ToolCallBlock):
        arguments = block.malformed or json.dumps(block.arguments, ensure_ascii=False, indent=1)
        return f"**call {block.id}: {block.name}**\n\n```json\n{arguments}\n```"
    if isinstance(block, ToolResultBlock):
        return f"**{'error' if block.is_error else 'result'} of {block.id}**\n\n{block.text}"
    if isinstance(block, ImageBlock):
        return f"*(a picture, {block.media_type}; its bytes are in the JSON file)*"
    return block.text
