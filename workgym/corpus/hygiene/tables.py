"""Requests in evaluation sets: the rows of JSON lines, JSON, CSV and parquet files, and whole texts.

What evaluation sets look like: one table with a column ``prompt`` (or ``task``, ``question``, ``messages``, ...), or a
folder of texts. Both are a stranger's: they are read in a limited child process.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workgym.corpus.hygiene.held import Held
from workgym.errors import ChildFailed
from workgym.records import Record
from workgym.sandbox import child

FIELDS = tuple(
    "prompt request instruction instructions task question query problem user_request messages input".split()
)
"""Columns whose texts are requests, letter case aside."""
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


def requests(files: Iterable[Held]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """(place, text) of every request in some files, and by path why a table could not be read.

    A table without a column of requests is only a file, and says nothing here.
    """
    found: list[tuple[str, str]] = []
    refused: dict[str, str] = {}
    for batch in _batches(files, refused):
        answer = _read(batch)
        for path in batch:
            said = answer[path]
            if isinstance(said, str):
                refused[path] = said
            else:
                found += [(f"{path}#{row}" if row else path, text) for row, text in said]
    return found, refused


def _batches(files: Iterable[Held], refused: dict[str, str]) -> Iterator[dict[str, bytes]]:
    batch: dict[str, bytes] = {}
    room = LIMITS.batch_bytes
    for file in files:
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


def _read(batch: Mapping[str, bytes]) -> dict[str, list[tuple[int, str]] | str]:
    try:
        answer: dict[str, Any] = child.run(_CHILD, None, files=batch, preload=_libraries(batch), limits=_JOB)
    except ChildFailed as error:
        if len(batch) > 1:  # one of them brings the child down: each in one of its own
            return {path: _read({path: content})[path] for path, content in batch.items()}
        return dict.fromkeys(batch, f"reading it ended its process: {error.kind}, {error.detail}")
    return answer


def _libraries(batch: Mapping[str, bytes]) -> tuple[str, ...]:
    """What the child must have loaded, since it opens no library itself once it is limited."""
    wanted = any(_ending(path) == "parquet" for path in batch) and importlib.util.find_spec("pyarrow") is not None
    return ("pyarrow.parquet",) if wanted else ()


def read_json(_: None, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the child runs: by path a list of (row from 1, text), or why it cannot be read."""
    return {path: _requests(path, content) for path, content in files.items()}


def _requests(path: str, content: bytes) -> list[tuple[int, str]] | str:
    ending = _ending(path)
    if ending in TEXTS:
        return [(0, content[: 4 * LIMITS.characters].decode("utf-8", "replace")[: LIMITS.characters])]
    try:
        rows = _parquet(content) if ending == "parquet" else _rows(ending, content.decode("utf-8-sig"))
        found = []
        for number, row in enumerate(rows, 1):
            if number > LIMITS.rows:
                return f"more than {LIMITS.rows:,} rows"
            found += [(number, text) for text in _asked(row)]
        return found
    except ImportError:
        return "parquet cannot be read without workgym[parquet]: pip install 'workgym[parquet]'"
    except RecursionError:
        return "it is nested too deeply"
    except (ValueError, csv.Error, OSError) as error:
        return f"not {ending}: {str(error).splitlines()[0][:200]}"


def _rows(ending: str, text: str) -> Iterator[Any]:
    if ending in ("csv", "tsv"):
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        yield from csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if ending == "tsv" else ",")
    elif ending == "json":
        data = json.loads(text)
        rows = data if isinstance(data, list) else _longest(data)
        yield from rows
    else:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())


def _longest(data: Any) -> list[Any]:
    """The rows in an object around them, as ``{"data": [...]}``; the object itself where it holds none."""
    lists = [value for value in data.values() if isinstance(value, list)] if isinstance(data, dict) else []
    rows = [found for found in lists if found and all(isinstance(row, dict) for row in found)]
    return max(rows, key=len, default=[data]) if not (isinstance(data, dict) and "messages" in data) else [data]


def _parquet(content: bytes) -> Iterator[Any]:
    from pyarrow import parquet

    table = parquet.ParquetFile(io.BytesIO(content))
    wanted = [name for name in table.schema_arrow.names if name.lower() in FIELDS]
    for batch in table.iter_batches(columns=wanted) if wanted else ():
        yield from batch.to_pylist()


def _asked(row: Any) -> Iterator[str]:
    """The texts of a row that are requests."""
    if not isinstance(row, dict):
        return
    for name, value in row.items():
        if isinstance(name, str) and name.lower() in FIELDS:
            text = value if isinstance(value, str) else _conversation(value)
            if text.strip():
                yield text[: LIMITS.characters]


def _conversation(value: Any) -> str:
    """What the user says in a list of messages."""
    said = [one for one in value if isinstance(one, dict) and one.get("role", "user") == "user"] if value else []
    texts = [one.get("content") for one in said] if isinstance(value, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()
