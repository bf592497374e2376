"""Requests in evaluation sets: the rows of JSON lines, JSON, CSV and parquet files, and whole texts.

What evaluation sets look like: one table with a column ``prompt`` (or ``task``, ``question``, ``messages``, ...: see
:mod:`.asked`), or a folder of texts. Both are a stranger's: they are read in a limited child process.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workgym.corpus.hygiene.asked import Reading, is_chat, is_records, plain
from workgym.corpus.hygiene.held import Held
from workgym.errors import ChildFailed
from workgym.records import Record
from workgym.sandbox import child

TEXTS = ("md", "txt")
"""Endings of files that are one request as a whole."""


class TableLimits(Record):
    """What one file of requests may be."""

    file_bytes: int = 256 * 2**20
    """Its size."""
    rows: int = 1_000_000
    """Its rows."""
    characters: int = 20_000
    """Of one text as much is compared; what follows is left out."""
    batch_bytes: int = 32 * 2**20
    """Files that are read by one child, together; a larger one has a child of its own."""


LIMITS = TableLimits()
_JOB = child.JobLimits(memory_mib=2048, cpu_seconds=600, wall_seconds=3600.0, output_mib=1024)
_CHILD = "workgym.corpus.hygiene.tables:read_json"
_READERS = ("jsonl", "ndjson", "json", "csv", "tsv", "parquet")
_CLOSED = re.compile(
    r"\.(arrow|feather|avro|orc|(jsonl|ndjson|json|csv|tsv|parquet)\.(gz|bz2|xz|zst|zip))$", re.IGNORECASE
)
_AT_ONCE = 1024


@dataclass
class Asked:
    """What some files ask for."""

    found: list[tuple[str, str]] = field(default_factory=list)
    """Place and text of every request."""
    unread: dict[str, str] = field(default_factory=dict)
    """By path why it is not known, or not of the whole file, what it asks for."""
    met: set[str] = field(default_factory=set)
    """Columns that were named and are there."""


def requests(files: Iterable[Held], columns: Iterable[str] = ()) -> Asked:
    """The requests in some files. ``columns`` are names of such as hold requests, beside those that are known."""
    named = {plain(name): name for name in columns}
    asked = Asked()
    for batch in _batches(files, asked.unread):
        answer = _read(batch, sorted(named))
        for path in batch:
            said = answer[path]
            if isinstance(said, str):
                asked.unread[path] = said
                continue
            asked.found += [(f"{path}#{row}" if row else path, text) for row, text in said["found"]]
            asked.met |= {named[name] for name in said["met"]}
            if said["unread"]:
                asked.unread[path] = said["unread"]
    return asked


def _batches(files: Iterable[Held], refused: dict[str, str]) -> Iterator[dict[str, bytes]]:
    batch: dict[str, bytes] = {}
    room = LIMITS.batch_bytes
    for file in files:
        if _CLOSED.search(file.path):
            refused[file.path] = "a table in a form that is not read: unpack it, or write it as JSON lines"
        if _ending(file.path) not in (*_READERS, *TEXTS):
            continue
        if file.size > LIMITS.file_bytes:
            refused[file.path] = f"more than {LIMITS.file_bytes >> 20} MiB"
            continue
        if batch and file.size > room:
            yield batch
            batch, room = {}, LIMITS.batch_bytes
        try:
            batch[file.path] = file.read()
        except OSError as error:
            refused[file.path] = str(error.strerror or error)
            continue
        room -= file.size
    if batch:
        yield batch


def _read(batch: Mapping[str, bytes], columns: list[str]) -> dict[str, dict[str, Any] | str]:
    try:
        answer: dict[str, Any] = child.run(_CHILD, columns, files=batch, preload=_libraries(batch), limits=_JOB)
    except ChildFailed as error:
        if len(batch) > 1:  # one of them brings the child down: each in one of its own
            return {path: _read({path: content}, columns)[path] for path, content in batch.items()}
        return dict.fromkeys(batch, f"reading it ended its process: {error.kind}, {error.detail}")
    return answer


def _libraries(batch: Mapping[str, bytes]) -> tuple[str, ...]:
    """What the child must have loaded, since it opens no library itself once it is limited."""
    wanted = any(_ending(path) == "parquet" for path in batch) and importlib.util.find_spec("pyarrow") is not None
    return ("pyarrow.parquet",) if wanted else ()


def read_json(columns: list[str], files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs: by path what a :class:`.asked.Reading` found, or why it cannot be read."""
    return {path: _requests(path, content, frozenset(columns)) for path, content in files.items()}


def _requests(path: str, content: bytes, columns: Collection[str]) -> dict[str, Any] | str:
    ending = _ending(path)
    if ending in TEXTS:
        text = content[: 4 * LIMITS.characters].decode("utf-8", "replace")[: LIMITS.characters]
        return {"found": [("", text)], "met": [], "unread": ""}
    reading = Reading(columns, LIMITS.characters)
    try:
        for place, row in _parquet(content, reading) if ending == "parquet" else _rows(ending, content):
            reading.take(place, row, around=not place)
            if max(reading.rows, len(reading.found)) > LIMITS.rows:
                return f"more than {LIMITS.rows:,} rows"
    except ImportError:
        return "parquet cannot be read without workgym[parquet]: pip install 'workgym[parquet]'"
    except RecursionError:
        return "it is nested too deeply"
    except (ValueError, csv.Error, OSError) as error:
        return f"not {ending}: {str(error).splitlines()[0][:200]}"
    return {"found": reading.found, "met": sorted(reading.met), "unread": reading.unread}


def _rows(ending: str, content: bytes) -> Iterator[tuple[str, Any]]:
    """Rows with their places, from 1; what stands around them comes last, without a place."""
    text = content.decode("utf-8-sig")
    if ending in ("csv", "tsv"):
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if ending == "tsv" else ",")
        yield from _numbered(rows)
    elif ending == "json":
        yield from _tables(json.loads(text))
    else:
        yield from _numbered(json.loads(line) for line in text.splitlines() if line.strip())


def _numbered(rows: Iterable[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    return ((f"{before}{number}", row) for number, row in enumerate(rows, 1))


def _tables(data: Any) -> Iterator[tuple[str, Any]]:
    """The records of a list, or of the lists in an object around them, as ``{"train": [...], "test": [...]}``."""
    if isinstance(data, list) and not is_chat(data):
        yield from _numbered(data)
    elif isinstance(data, dict):
        lists = {name: value for name, value in data.items() if is_records(value)}
        for name, rows in lists.items():
            yield from _numbered(rows, f"{name}.")
        if len(lists) < len(data):
            yield "", {name: value for name, value in data.items() if name not in lists}
    else:
        yield "", data


def _parquet(content: bytes, reading: Reading) -> Iterator[tuple[str, Any]]:
    """Rows with their texts alone: bytes count where their name is known."""
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(content))
    leaves = [file.schema.column(number) for number in range(len(file.schema))]
    wanted = [
        leaf.path
        for leaf in leaves
        if leaf.physical_type == "BYTE_ARRAY" and (leaf.logical_type.type == "STRING" or reading.knows(leaf.path))
    ]
    batches = file.iter_batches(batch_size=_AT_ONCE, columns=wanted) if wanted else ()
    yield from _numbered(row for batch in batches for row in batch.to_pylist())


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()
