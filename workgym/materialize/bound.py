"""A value of a unit inside a template: it prints with its mark, compares and sorts, and refuses to be computed with."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

from workgym.materialize.marks import DECOR, Marked, Registry, printed, shield, wrap
from workgym.records import AnchorKind, Cell, ColumnType, Value

TEXT, WHOLE = ColumnType(kind="text"), ColumnType(kind="integer")


class Bound:
    """One value, what it is, and how it is to be printed.

    ``cells`` is empty for decor. ``printed`` is None as long as no filter chose a form.
    """

    __slots__ = ("cells", "printed", "registry", "state", "type", "value")

    def __init__(
        self,
        registry: Registry | None,
        cells: tuple[Cell, ...],
        type_: ColumnType,
        value: Value,
        printed: str | None = None,
        state: bool = False,
    ) -> None:
        self.registry, self.cells, self.type = registry, cells, type_
        self.value, self.printed, self.state = value, printed, state

    @property
    def kind(self) -> AnchorKind:
        """Which kind of anchor it makes."""
        return "decor" if not self.cells else "state" if self.state else "value"

    @property
    def shown(self) -> str:
        """The printed form, without a mark."""
        return self.type.show(self.value) if self.printed is None else self.printed

    @property
    def marked(self) -> Marked:
        """The printed form with its mark, for a place where it stands alone. Raises MarkError."""
        return printed(self.shown, self.kind, self.cells)

    def formed(self, printed: str, state: bool = False) -> Bound:
        """The same value in a chosen form."""
        return Bound(self.registry, self.cells, self.type, self.value, printed, state or self.state)

    def wrap(self, text: str) -> str:
        """``text``, which is shielded, inside this value's mark."""
        opening = DECOR if self.registry is None or not self.cells else self.registry.opening(self.kind, self.cells)
        return wrap(opening, text)

    def __str__(self) -> str:
        return self.wrap(shield(self.shown))

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        try:
            padded = format(self.shown, spec)
        except ValueError:
            self._refuse(f"the number format {spec!r}", "choose the form with a filter: money, amount, percent, date")
        inner = padded.strip()
        start = padded.index(inner)
        return padded[:start] + self.wrap(shield(inner)) + padded[start + len(inner) :]

    def __repr__(self) -> str:
        return f"<{' '.join(map(str, self.cells)) or 'decor'}: {self.shown}>"

    @property
    def name(self) -> str:
        """What it is, for messages."""
        return str(self.cells[0]) if self.cells else repr(self.shown)

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise TypeError(f"{what} is not for {self.name}: {instead}")

    def _comparable(self, other: object) -> Any:
        if isinstance(other, Bound):
            return other.value
        if other is None:
            return None
        if self.type.numeric:
            if isinstance(other, bool) or not isinstance(other, (int, float, Decimal)):
                self._refuse(f"a comparison with {other!r}", "compare it with a number")
            return Decimal(str(other))
        try:
            return self.type.load(other)
        except ValueError:
            self._refuse(f"a comparison with {other!r}", f"it is {self.type}")

    def __eq__(self, other: object) -> bool:
        return bool(self.value == self._comparable(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)

    def _ordered(self, other: object) -> tuple[Any, Any]:
        mine, theirs = self.value, self._comparable(other)
        number = (int, Decimal)
        fits = (isinstance(mine, number) and isinstance(theirs, number)) or type(mine) is type(theirs)
        if not fits or mine is None:
            self._refuse(f"an order with {other!r}", "compare values of one kind, and ask `is absent` first")
        return mine, theirs

    def __lt__(self, other: object) -> bool:
        mine, theirs = self._ordered(other)
        return bool(mine < theirs)

    def __le__(self, other: object) -> bool:
        mine, theirs = self._ordered(other)
        return bool(mine <= theirs)

    def __gt__(self, other: object) -> bool:
        mine, theirs = self._ordered(other)
        return bool(mine > theirs)

    def __ge__(self, other: object) -> bool:
        mine, theirs = self._ordered(other)
        return bool(mine >= theirs)

    def __bool__(self) -> bool:
        if self.value is not None and self.type.numeric:
            self._refuse("a test for truth", "compare it with a number, or ask `is absent`")
        return self.value is not None and self.value != ""

    def __len__(self) -> int:
        self._refuse("a length", "it is printed as it is")

    def __iter__(self) -> NoReturn:
        self._refuse("iteration", "it is one value; its unit has the rows")

    def __contains__(self, _: object) -> bool:
        self._refuse("`in`", "compare it with ==")

    def __getitem__(self, _: object) -> NoReturn:
        self._refuse("slicing", "print it as it is, or choose a form with a filter")


def _refusal(what: str, instead: str) -> Callable[..., NoReturn]:
    def refuse(self: Bound, *_: object) -> NoReturn:
        self._refuse(what, instead)

    return refuse


_COMPUTE = "templates do not compute: make what you need a derived unit"
for _name in "add sub mul truediv floordiv mod pow divmod matmul".split():
    for _side in ("", "r"):
        setattr(Bound, f"__{_side}{_name}__", _refusal("arithmetic", _COMPUTE))
for _name in "neg pos abs round trunc floor ceil".split():
    setattr(Bound, f"__{_name}__", _refusal("arithmetic", _COMPUTE))
for _name in "int float index complex".split():
    setattr(
        Bound, f"__{_name}__", _refusal("conversion", "choose the form with a filter: money, amount, percent, plain")
    )


def decor(value: object) -> Bound:
    """A declared number, date or text of no unit; a whole number stays one, for comparisons and forms."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Bound(None, (), WHOLE, value)
    return Bound(None, (), TEXT, str(value))


def isoformat(value: Value) -> Value:
    """Dates and times as ISO text, times without seconds where they have none."""
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")
    return value.isoformat() if isinstance(value, datetime.date) else value
