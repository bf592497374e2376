"""CSV files of our own expert written again in another way."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def _rows(content: bytes) -> tuple[str, list[list[str]]]:
    text = content.decode("utf-8-sig")
    head = text.partition("\n")[0]
    mark = max((",", ";", "\t"), key=head.count)
    return mark, list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))


def _written(mark: str, rows: Iterable[Sequence[str]], end: str = "\n", quoting: int = csv.QUOTE_MINIMAL) -> bytes:
    made = io.StringIO(newline="")
    csv.writer(made, delimiter=mark, lineterminator=end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return made.getvalue().encode()


def mirrored(content: bytes) -> bytes:
    """The columns in reverse order."""
    mark, rows = _rows(content)
    return _written(mark, [row[::-1] for row in rows])


def upended(content: bytes) -> bytes:
    """The records from the last one up, the head in its place."""
    mark, (head, *rows) = _rows(content)
    return _written(mark, [head, *rows[::-1]])


def remarked(content: bytes) -> bytes:
    """A further column that says something about each row."""
    mark, (head, *rows) = _rows(content)
    return _written(mark, [[*head, "Remark"], *([*row, "checked"] for row in rows)])


def quoted(content: bytes) -> bytes:
    """The same records as another program writes them."""
    mark, rows = _rows(content)
    return "\ufeff".encode() + _written(mark, rows, "\r\n", csv.QUOTE_ALL)
