"""The event log on disk: ``events.jsonl``, append-only, beside ``blobs/``, named by what they hold.

An event is acknowledged when ``append`` returns: its blobs and its line are on disk (fsync), so that ``kill -9`` loses
at most the event that was being written. Its torn line is dropped when the log is read, and cut off when it is
continued. A field that is longer than ``INLINE`` bytes of JSON stands in the line as ``{"$blob": sha256, "size": n}``
(JSON) or ``{"$text": sha256, "size": n}`` (text).
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from workgym.errors import ReplayError, UsageError
from workgym.records import canonical
from workgym.trajectory.events import FORMAT, Call, CallEvent, EpisodeEvent, Event, ObservationEvent, WorkspaceEvent
from workgym.trajectory.redact import Redactor

INLINE = 2048
"""Bytes of JSON that a field may take in the log itself."""

EVENTS, BLOBS = "events.jsonl", "blobs"
_REFERENCES = ("$blob", "$text")
_ANY_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_E = TypeVar("_E")


class TrajectoryWriter:
    """Appends events to one log. Thread-safe."""

    def __init__(self, folder: Path | str, *, redactor: Redactor | None = None, durable: bool = True) -> None:
        """Start a log in ``folder``, or go on with the one that is there.

        ``durable=False`` leaves the syncing to the system: faster, and a power cut may lose acknowledged events.
        """
        self.folder = Path(folder)
        self._redactor = Redactor() if redactor is None else redactor
        self._durable = durable
        self._lock = threading.Lock()
        (self.folder / BLOBS).mkdir(parents=True, exist_ok=True)
        path = self.folder / EVENTS
        _cut_torn_line(path)
        self._log = open(path, "ab")  # noqa: SIM115 - closed by close()
        self._sync_folder(self.folder)

    def append(self, event: Event) -> None:
        """Write one event; when this returns it is on disk."""
        line: dict[str, Any] = {"event": event.event}
        for name, field in type(event).model_fields.items():
            value = getattr(event, name)
            if name != "event" and (field.is_required() or value != field.default):
                line[name] = self._shorten(self._redactor.json(_plain(value)))
        with self._lock:
            self._log.write(_line(line))
            self._log.flush()
            if self._durable:
                os.fsync(self._log.fileno())

    def blob(self, content: bytes) -> str:
        """Keep ``content`` and return its sha256 in hexadecimal."""
        name = hashlib.sha256(content).hexdigest()
        path = self.folder / BLOBS / name
        if path.exists():
            return name
        torn = path.with_name(f"{name}.{threading.get_ident()}.part")
        with open(torn, "wb") as file:
            file.write(content)
            file.flush()
            if self._durable:
                os.fsync(file.fileno())
        os.replace(torn, path)
        self._sync_folder(path.parent)
        return name

    def close(self) -> None:
        """Close the log. Calling it again does nothing."""
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _shorten(self, value: Any) -> Any:
        if isinstance(value, str):
            data = value.encode("utf-8", "surrogatepass")
            return value if len(data) <= INLINE else {"$text": self.blob(data), "size": len(data)}
        if not isinstance(value, dict | list):
            return value
        written = canonical(value).encode("utf-8", "surrogatepass")
        if len(written) <= INLINE and not _is_reference(value):
            return value
        return {"$blob": self.blob(written), "size": len(written)}

    def _sync_folder(self, folder: Path) -> None:
        if not self._durable:
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Trajectory:
    """A log that is read. Events are decoded one at a time, and blobs when their event is."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    @classmethod
    def open(cls, folder: Path | str) -> Trajectory:
        """The log in ``folder``.

        Raises UsageError where there is none or it has no first event, and ReplayError where its format is newer.
        """
        trajectory = cls(folder)
        if not (trajectory.folder / EVENTS).is_file():
            raise UsageError(f"{folder}: no trajectory is there")
        first = next(trajectory.lines(), None)
        if first is None or first.get("event") != "episode":
            raise UsageError(f"{folder}: the trajectory does not begin with an episode")
        if first.get("format", FORMAT) > FORMAT:
            raise ReplayError(f"{folder}: format {first['format']} is newer than {FORMAT}", fix="upgrade workgym")
        return trajectory

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines as they stand, blobs not resolved; a torn last one is left out."""
        with open(self.folder / EVENTS, "rb") as log:
            for number, line in enumerate(log, 1):
                try:
                    if not line.endswith(b"\n"):
                        return
                    yield json.loads(line)
                except ValueError as error:
                    raise ReplayError(f"{self.folder / EVENTS}:{number}: not an event: {error}") from error

    def events(self) -> Iterator[Event]:
        """All events, in order. Raises ReplayError for one that is damaged."""
        for number, line in enumerate(self.lines(), 1):
            try:
                yield _ANY_EVENT.validate_python({name: self._lengthen(value) for name, value in line.items()})
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(str(part) for part in first["loc"])
                raise ReplayError(f"{self.folder / EVENTS}:{number}: {key}: {first['msg']}") from error

    @property
    def episode(self) -> EpisodeEvent:
        """The first event."""
        first = next(self.events())
        assert isinstance(first, EpisodeEvent)  # ``open`` has looked
        return first

    def of(self, kind: type[_E]) -> Iterator[_E]:
        """The events of one kind, in order."""
        return (event for event in self.events() if isinstance(event, kind))

    def calls(self) -> Iterator[Call]:
        """Calls with their answers, in order."""
        waiting: CallEvent | None = None
        for event in self.events():
            if isinstance(event, CallEvent):
                if waiting is not None:
                    yield Call(waiting, None)
                waiting = event
            elif isinstance(event, ObservationEvent) and waiting is not None:
                yield Call(waiting, event)
                waiting = None
        if waiting is not None:
            yield Call(waiting, None)

    def handed_in(self, given: dict[str, bytes]) -> dict[str, bytes]:
        """The workspace that was graded; ``given`` are the files of the task as it was last revised.

        Raises ReplayError where the episode ended before it handed anything in, or ``given`` are not those files.
        """
        last = None
        for event in self.of(WorkspaceEvent):
            last = event
        if last is None:
            raise ReplayError(f"{self.folder}: the episode ended before anything was handed in")
        files = {}
        for path, wanted in last.digests.items():
            content = self.blob(last.kept[path]) if path in last.kept else given.get(path, b"")
            if hashlib.sha256(content).hexdigest() != wanted:
                raise ReplayError(f"{self.folder}: {path} is not the file that the episode was given")
            files[path] = content
        return files

    def blob(self, name: str) -> bytes:
        """The content of one blob. Raises ReplayError where it is missing or is not what its name says."""
        try:
            content = (self.folder / BLOBS / name).read_bytes()
        except OSError as error:
            raise ReplayError(f"{self.folder}: blob {name} cannot be read: {error.strerror}") from error
        if hashlib.sha256(content).hexdigest() != name:
            raise ReplayError(f"{self.folder}: blob {name} is damaged")
        return content

    def _lengthen(self, value: Any) -> Any:
        if not _is_reference(value):
            return value
        if "$text" in value:
            return self.blob(value["$text"]).decode("utf-8", "surrogatepass")
        return json.loads(self.blob(value["$blob"]).decode("utf-8", "surrogatepass"))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _line(data: dict[str, Any]) -> bytes:
    """One line of the log: compact JSON in ASCII, so that any text at all survives, keys in their given order."""
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 2 and "size" in value and any(key in value for key in _REFERENCES)


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with open(path, "r+b") as log:
        content = log.read()
        log.truncate(content.rfind(b"\n") + 1)
