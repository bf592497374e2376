"""The values of one column of a unit in many rows: a column of a table that nobody has to look at cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from workgym.materialize.bound import Bound
from workgym.materialize.marks import Registry
from workgym.records import Cell, ColumnType, Value, unchecked

cell_of = unchecked(Cell)


class Strip(Sequence[Bound]):
    """Values of one type in their own form, in the order of their rows.

    Each becomes a :class:`Bound` where it is looked at; a writer that knows the type takes all ``values`` at once,
    which is several times as fast.
    """

    __slots__ = ("_keys", "_name", "_registry", "_unit", "type", "values")

    def __init__(
        self,
        registry: Registry,
        unit: str,
        name: str,
        type_: ColumnType,
        keys: Sequence[tuple[str, ...]],
        values: Sequence[Value],
    ) -> None:
        self._registry, self._unit, self._name, self._keys = registry, unit, name, keys
        self.type, self.values = type_, values

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, at: int) -> Bound: ...

    @overload
    def __getitem__(self, at: slice) -> Strip: ...

    def __getitem__(self, at: int | slice) -> Bound | Strip:
        if isinstance(at, slice):
            return Strip(self._registry, self._unit, self._name, self.type, self._keys[at], self.values[at])
        return Bound(self._registry, self.cells(at), self.type, self.values[at])

    def cells(self, at: int) -> tuple[Cell]:
        """What the value of one row is."""
        return (cell_of({"unit": self._unit, "key": self._keys[at], "column": self._name}),)
