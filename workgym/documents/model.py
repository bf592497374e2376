"""What every reader gives back: a document as a flat list of fragments, each with its place.

A fragment is the smallest piece that a person would point at: a cell, a paragraph, a line, a
header, a value in a JSON tree. ``at`` follows ``workgym.records.places``, without spans; what lies
outside that table has a form of its own (``Demand!B7.thread1``, ``property.title``, ``xl/tables/table1.xml#2``).
Empty cells, paragraphs and lines are no fragments, but they are counted. Fragments that belong to a
grid say so, so that a label and a key can be found beside a value.

A record for each cell takes ten times as long and as much memory as the cells: formats that are nothing but data
(csv, tsv, json) keep what was parsed, workbooks a row of plain values for each cell, and their fragments are made when
somebody looks at one (:class:`Pieces`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import starmap
from typing import Annotated, Any, overload

from pydantic import WrapSerializer, WrapValidator

from workgym.records import FORMATS, Format, FormatName, Record, Scalar, unchecked


class Fragment(Record):
    """One piece of a document."""

    at: str
    """Its place, in the form of its format."""
    text: str
    """What a person reads there; for a cell as displayed by its number format."""
    value: Scalar = None
    """The typed content where the format has one (a number in a cell or in JSON), else None.
    Decimals are given as text that ``Decimal`` reads back exactly; dates as ISO text."""
    formula: str | None = None
    """The formula without its ``=``, or None."""
    table: str | None = None
    """The grid that it belongs to: a sheet's name, ``t1``, ``p1`` (a page), ``csv``, a JSON pointer; or None."""
    row: int | None = None
    """Row in the grid, from 1; None outside a grid."""
    column: int | None = None
    """Column in the grid, from 1; None outside a grid."""
    label: str | None = None
    """A name that the format itself gives it (JSON key, mail header, property), else None."""
    format: str | None = None
    """Number format of a cell (``#,##0.00``); None for General, and where the format has none."""
    merged: tuple[int, int] = (1, 1)
    """Rows and columns that a cell takes: more than one each where it is merged with others."""
    hidden: bool = False
    """Whether a reader of the file would have to look for it: a hidden sheet or row, a comment, metadata."""
    edges: tuple[tuple[float, float], ...] = ()
    """Left and right edge, in points, of each part of a line of a page (the text joins them by two spaces)."""

    def model_post_init(self, _: object, /) -> None:
        """Share the set of fields that were given: it is half of what a fragment takes, and nobody asks for it."""
        object.__setattr__(self, "__pydantic_fields_set__", _GIVEN)


_GIVEN = set(Fragment.model_fields)
_fragment = unchecked(Fragment)


ROW = ("at", "text", "table", "row", "column", "value", "label", "formula", "format", "merged", "hidden", "edges")
"""The arguments of :func:`piece`, in their order."""


def piece(
    at: str,
    text: str,
    table: str | None,
    row: int | None,
    column: int | None,
    value: Scalar = None,
    label: str | None = None,
    formula: str | None = None,
    format: str | None = None,
    merged: tuple[int, int] = (1, 1),
    hidden: bool = False,
    edges: tuple[tuple[float, float], ...] = (),
) -> Fragment:
    """A fragment out of typed parts, which are not checked: a file has as many as cells."""
    return _fragment(
        {
            "at": at, "text": text, "value": value, "formula": formula, "table": table, "row": row, "column": column,
            "label": label, "format": format, "merged": merged, "hidden": hidden, "edges": edges,
        }
    )  # fmt: skip


def row_of(fragment: Fragment) -> tuple[Any, ...]:
    """What :func:`piece` makes that fragment of."""
    return tuple(getattr(fragment, field) for field in ROW)


class Pieces(Sequence[Fragment]):
    """Fragments that are made, all at once and once, when somebody looks at one: as a tuple of them in all else.

    How many there are, their text and what stands at a place is known without them.
    """

    @abstractmethod
    def rows(self) -> Iterable[tuple[Any, ...]]:
        """What :func:`piece` makes each of them of, in reading order; the first five are always there."""

    @abstractmethod
    def __len__(self) -> int:
        """How many fragments there are."""

    @abstractmethod
    def text_at(self, at: str) -> str | None:
        """The text of the fragment at ``at``, or None where there is none."""

    @abstractmethod
    def packed(self) -> Any:
        """JSON from which its format makes the same pieces again; None where its rows are shorter."""

    @abstractmethod
    def __reduce__(self) -> tuple[Any, ...]:
        """It travels without its fragments."""

    @property
    def text(self) -> str:
        """All text, see :attr:`Document.text`."""
        return _text((row[1], row[2], row[3]) for row in self.rows())

    def known(self) -> tuple[Fragment, ...]:
        """All fragments, always the same ones."""
        own: dict[str, Any] = vars(self)
        found: tuple[Fragment, ...] | None = own.get("_known")
        if found is None:
            found = own.setdefault("_known", tuple(self._made()))
        return found

    def _made(self) -> Iterable[Fragment]:
        return starmap(piece, self.rows())

    def __iter__(self) -> Iterator[Fragment]:
        return iter(self.known())

    @overload
    def __getitem__(self, index: int) -> Fragment: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Fragment, ...]: ...

    def __getitem__(self, index: int | slice) -> Fragment | tuple[Fragment, ...]:
        return self.known()[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Pieces, tuple)):
            return NotImplemented
        return self is other or (len(self) == len(other) and self.known() == tuple(other))

    def __hash__(self) -> int:
        return hash(self.known())

    def __repr__(self) -> str:
        return repr(self.known())

    def __copy__(self) -> Pieces:
        return self

    def __deepcopy__(self, _: object) -> Pieces:
        return self


class Listed(Pieces):
    """Fragments of which each is a row of what it is made of, or one already."""

    def __init__(self, found: list[tuple[Any, ...] | Fragment]) -> None:
        self.found = found

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, of fragments too."""
        return (one if isinstance(one, tuple) else row_of(one) for one in self.found)

    def __len__(self) -> int:
        return len(self.found)

    def text_at(self, at: str) -> str | None:
        """The text of the first one at ``at``, or None."""
        return next((row[1] for row in self.rows() if row[0] == at), None)

    def _made(self) -> Iterator[Fragment]:
        return (piece(*one) if isinstance(one, tuple) else one for one in self.found)

    def packed(self) -> None:
        """Its rows are as short as it gets."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Listed, (self.found,)


def _text(pieces: Iterable[tuple[str, str | None, int | None]]) -> str:
    """Text, table and row of each piece as lines."""
    lines: list[str] = []
    last: tuple[str | None, int | None] = (None, None)
    for text, table, row in pieces:
        here = (table, row)
        if here != (None, None) and here == last:
            lines[-1] += "\t" + text
        else:
            lines.append(text)
        last = here
    return "\n".join(lines)


def _taken(given: object, check: Callable[[object], Sequence[Fragment]]) -> Sequence[Fragment]:
    """Pieces as they are, and of anything else a tuple of fragments."""
    return given if isinstance(given, Pieces) else tuple(check(given))


def _written(fragments: Sequence[Fragment], write: Callable[[Sequence[Fragment]], Any]) -> Any:
    return write(tuple(fragments))


class Refusal(Record):
    """A file within a file that cannot be read."""

    path: str
    """Its path: ``march.zip//ledger.csv``."""
    reason: str
    """One of ``Unreadable.REASONS``."""
    detail: str
    """What is wrong with it."""


class Document(Record):
    """A file that was read."""

    path: str
    """Path from the solver's root."""
    format: FormatName
    """Format, by the file's name."""
    fragments: Annotated[Sequence[Fragment], WrapValidator(_taken), WrapSerializer(_written)]
    """All pieces, in reading order: a tuple, or :class:`Pieces`, which equals the tuple of them."""
    uncached: tuple[str, ...] = ()
    """Places of formulas that carry no cached value: a recalculation is needed before they can be graded."""
    pictures: tuple[str, ...] = ()
    """Pages (``p1``) whose text stands in a picture alone and was not looked at: recognition is a step of its own."""
    recognised: tuple[str, ...] = ()
    """Pages whose text was recognised in a picture: signs and blanks of it may be wrong."""
    members: tuple[Document, ...] = ()
    """The files that it holds (of an archive, the attachments of a mail), each with a path of its own:
    ``march.zip//ledger.csv``."""
    refused: tuple[Refusal, ...] = ()
    """Members that cannot be read."""

    @property
    def kind(self) -> Format:
        """What its format is like."""
        return FORMATS[self.format]

    def whole(self) -> Iterator[Document]:
        """The document, and all that it holds, however deep."""
        yield self
        for member in self.members:
            yield from member.whole()

    def text_at(self, at: str) -> str | None:
        """The text of the fragment at ``at`` (no span), or None where there is none."""
        if isinstance(self.fragments, Pieces):
            return self.fragments.text_at(at)
        return next((fragment.text for fragment in self.fragments if fragment.at == at), None)

    @property
    def text(self) -> str:
        """All text, a line for each fragment outside grids and for each row of a grid."""
        if isinstance(self.fragments, Pieces):
            return self.fragments.text
        return _text((fragment.text, fragment.table, fragment.row) for fragment in self.fragments)
