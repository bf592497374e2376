"""What a file says, for comparisons: a digest of its words and its table rows; read once, and kept by digest.

Every file is taken for a stranger's: it is read in the limited child of :mod:`workgym.documents`. What was read stands
in a cache (sqlite) under the sha256 of the bytes, so that a run that was killed goes on where it was, and the next one
reads new files alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from workgym.corpus.hygiene.held import Held
from workgym.corpus.hygiene.words import text_digest
from workgym.documents import Document, grids, read_all
from workgym.documents.limits import LIMITS
from workgym.documents.reading import format_of
from workgym.errors import Unreadable, UsageError
from workgym.intents.dedup.words import exact, words
from workgym.records.surface import parse_number

VERSION = 1
"""Raised whenever a file gives another extract."""
CELLS, LONG, DIGITS = 3, 10, 3
"""A row is distinctive from three filled cells on, with a text of ten signs or a number of three digits among them,
and three different cells."""
_BATCH_FILES, _BATCH_BYTES = 48, 16 * 2**20
_TABLE = "create table if not exists extracts (key text primary key, body blob not null) without rowid"


class Extract(NamedTuple):
    """What a file says."""

    digest: str
    """sha256 of its bytes."""
    text: str = ""
    """Digest of its words; empty where it has none, or cannot be read."""
    words: int = 0
    """How many words it has."""
    rows: tuple[str, ...] = ()
    """Its distinctive rows, each once: folded cells, sorted, so that moved columns and other formats are no escape."""
    refused: str = ""
    """Why it cannot be read; empty where it was, or where its format is none that is read."""


class Extracts:
    """Extracts of many files, with their cache."""

    def __init__(self, cache: Path | str = ":memory:") -> None:
        """Open or make the cache. Raises UsageError where it is something else."""
        try:
            if str(cache) != ":memory:":
                Path(cache).parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(cache, timeout=60)
            with contextlib.ExitStack() as opened:
                opened.callback(self._base.close)
                self._base.execute("pragma journal_mode = wal")
                self._base.execute(_TABLE)
                opened.pop_all()
        except (sqlite3.Error, OSError) as error:
            raise UsageError(
                f"{cache}: no cache of texts can be kept here: {error}", fix="name another file"
            ) from error
        self.kept = self.read = 0
        """Files that the cache knew, and files that were read now."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def of(
        self, files: Sequence[Held], progress: Callable[[str], None] = lambda line: None
    ) -> Iterator[tuple[Held, Extract]]:
        """The extract of each file, in order of batches; a file that cannot even be opened says so."""
        done, before = 0, self.kept
        for batch in _batches(files):
            yield from self._batch(batch)
            done += len(batch)
            progress(f"{done:,} of {len(files):,} files read ({self.kept - before:,} of them known before)")

    def _batch(self, batch: Sequence[tuple[Held, str, bytes | None]]) -> Iterator[tuple[Held, Extract]]:
        keys = [_key(digest, file.path) for file, digest, _ in batch]
        known = self._known(keys)
        self.kept += sum(key in known for key in keys)
        fresh: dict[str, tuple[str, str, bytes]] = {}
        for number, ((file, digest, content), key) in enumerate(zip(batch, keys, strict=True)):
            if key not in known and content is not None and digest:
                fresh.setdefault(key, (f"{number}/{file.path}", digest, content))
        made = _extracts(fresh)
        self.read += len(made)
        self._keep(made)
        known |= made
        for (file, digest, content), key in zip(batch, keys, strict=True):
            refused = "" if digest and content is not None else "it cannot be opened" if not digest else _too_large()
            yield file, known.get(key) or Extract(digest, refused=refused)

    def _known(self, keys: Iterable[str]) -> dict[str, Extract]:
        wanted = list(dict.fromkeys(keys))
        marks = ", ".join("?" * len(wanted))
        rows = self._base.execute(f"select key, body from extracts where key in ({marks})", wanted).fetchall()
        return {key: _loaded(body) for key, body in rows}

    def _keep(self, made: dict[str, Extract]) -> None:
        rows = [(key, zlib.compress(json.dumps(extract).encode())) for key, extract in made.items()]
        with contextlib.suppress(sqlite3.OperationalError), self._base:  # a full disk costs the cache, not the result
            self._base.executemany("insert or ignore into extracts values (?, ?)", rows)


def _loaded(body: bytes) -> Extract:
    digest, text, count, rows, refused = json.loads(zlib.decompress(body))
    return Extract(digest, text, count, tuple(rows), refused)


def _key(digest: str, path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return f"{VERSION}/{digest}.{ending[:12]}"


def _too_large() -> str:
    return f"more than {LIMITS.file_bytes >> 20} MiB: only its bytes are compared"


def _batches(files: Iterable[Held]) -> Iterator[list[tuple[Held, str, bytes | None]]]:
    """Files with digest and content; the digest is empty for one that cannot be opened, the content None for one that
    is too large to be read, or that has no text for a reader."""
    batch: list[tuple[Held, str, bytes | None]] = []
    size = 0
    for file in files:
        try:
            content = file.read() if file.size <= LIMITS.file_bytes else None
            digest = file.digest() if content is None else hashlib.sha256(content).hexdigest()
        except OSError:
            content, digest = None, ""
        batch.append((file, digest, content))
        size += len(content or b"")
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _extracts(fresh: dict[str, tuple[str, str, bytes]]) -> dict[str, Extract]:
    """By key, what new files say."""
    readable = {path: content for path, _, content in fresh.values() if content and _readable(path)}
    documents = read_all(readable)
    return {key: _extract(digest, documents.get(path)) for key, (path, digest, _) in fresh.items()}


def _readable(path: str) -> bool:
    try:
        return bool(format_of(path))
    except Unreadable:
        return False


def _extract(digest: str, document: Document | Unreadable | None) -> Extract:
    if document is None:
        return Extract(digest)
    if isinstance(document, Unreadable):
        return Extract(digest, refused=f"{document.reason}: {document.detail}"[:300])
    text = "\n".join(part.text for part in document.whole())
    rows = dict.fromkeys(row for part in document.whole() for row in _rows(part))
    return Extract(digest, text_digest(text) if exact(text) else "", len(words(text)), tuple(rows))


def _rows(document: Document) -> Iterator[str]:
    for grid in grids(document):
        for row in grid.rows:
            cells = [_cell(cell.text) for cell in row]
            if _distinctive(cells):
                yield " | ".join(sorted(filter(None, cells)))


def _cell(text: str) -> str:
    """A cell as it is compared: a number as its value, a text as its words."""
    number = parse_number(text)
    return exact(text) if number is None else f"{number.normalize():f}"


def _distinctive(cells: list[str]) -> bool:
    telling = any(
        len(cell) >= LONG or sum(sign.isdigit() for sign in cell.strip("0.-")) >= DIGITS for cell in cells if cell
    )
    return telling and len({cell for cell in cells if cell}) >= CELLS
