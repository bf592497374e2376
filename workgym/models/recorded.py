"""Cassettes: replies that were recorded, by the digest of their requests. Any stage, harness or judge can be played.

A cassette is a folder with one file for each request, ``<digest>.json``::

    {"format": 1, "model": "openai:gpt-5.2", "request": {...}, "reply": {...}}

or a ledger (``workgym.models.ledger``), which is played as it stands. ``request`` is there for people and diffs; the
digest is over the request as the stage makes it, not over the model, so that a cassette plays without any endpoint.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from workgym.errors import ModelError, UsageError
from workgym.model import Model, ModelCard, ModelReply, ModelRequest, TextBlock, card
from workgym.models.ledger import Ledger
from workgym.records import Record, pretty
from workgym.records.whole import write_whole

FORMAT = 1


class Recording(Record):
    """One file of a cassette."""

    format: int = Field(default=FORMAT, ge=1, le=FORMAT)
    """Version of the file."""
    model: str
    """The model that gave the reply."""
    request: ModelRequest
    """What it was asked."""
    reply: ModelReply
    """What it said."""


class RecordedModel:
    """Plays a cassette; with a ``live`` model it records what the cassette does not hold yet. Thread-safe."""

    def __init__(
        self, path: Path | str, live: Model | None = None, name: str | None = None, known: ModelCard | None = None
    ) -> None:
        """Without ``live`` it is strict: a request that the cassette does not hold raises ModelError. ``known`` is then
        what was known about the model that was recorded: requests depend on it.

        Raises UsageError where there is no cassette to play, and for a ledger to record into (put the ledger before
        the live model instead: ``Ledgered``).
        """
        self.path = Path(path)
        self.live = live
        self._known = known or ModelCard()
        self.name = name or (live.name if live is not None else f"recorded:{self.path.name}")
        self._ledger = Ledger(self.path) if self.path.is_file() else None
        if self._ledger is not None and live is not None:
            raise UsageError(f"{path}: a ledger is played as it stands", fix="record into a folder")
        if live is None and not self.path.exists():
            raise UsageError(f"{path}: there is no cassette", fix="record one first: recorded:FOLDER?live=MODEL")

    @property
    def secrets(self) -> Sequence[str]:
        """The live model's."""
        return () if self.live is None else self.live.secrets

    @property
    def card(self) -> ModelCard:
        """The live model's, else what is known about the recorded one."""
        return self._known if self.live is None else card(self.live)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply. Raises ModelError for a request that the cassette does not hold, where it is strict."""
        key = request.key
        found = self._ledger.recorded(key) if self._ledger is not None else self._read(key)
        if found is not None:
            return found
        if self.live is None:
            raise ModelError(
                f"{self.path}: no reply is recorded for request {key[:16]} ({_about(request)})",
                fix="what is asked has changed since the recording: record anew, recorded:FOLDER?live=MODEL",
            )
        reply = self.live.complete(request)
        self._write(key, Recording(model=self.live.name, request=request, reply=reply))
        return reply

    def _read(self, key: str) -> ModelReply | None:
        file = self.path / f"{key}.json"
        if not file.is_file():
            return None
        try:
            return Recording.model_validate_json(file.read_bytes()).reply
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"{file}: {place}: {first['msg']}") from None

    def _write(self, key: str, recording: Recording) -> None:
        text = recording.model_dump_json()
        for secret in self.secrets:
            text = text.replace(secret, "[redacted]") if secret else text
        write_whole(self.path / f"{key}.json", pretty(json.loads(text)))


def _about(request: ModelRequest) -> str:
    """The end of a request, to know it by."""
    last = request.messages[-1] if request.messages else None
    texts = [block.text for block in last.blocks if isinstance(block, TextBlock)] if last is not None else []
    said = " ".join(" ".join(texts).split())
    role = "no message" if last is None else f"{len(request.messages)} messages, the last from {last.role}"
    return f"{role}: {said[:100]!r}" if said else role
