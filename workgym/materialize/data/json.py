"""JSON files: a tree whose strings are templates, and ``each`` for lists of rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.scope import Fault, Row
from workgym.materialize.strip import Strip
from workgym.materialize.table import exact
from workgym.materialize.template import column_of, located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor, Value, anchored

_Anchors = Callable[[str], list[Anchor]]
"""What gives the anchors of a leaf at its pointer."""
_Column = tuple[list[Any], Callable[[int, str], list[Anchor]]]
"""The data of a key in each of many records, and what gives the anchors of one of them at its pointer."""


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A JSON file from a tree with ``data``. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, ("data", "indent"))
        if "data" not in content:
            raise Fault("data: the tree to write is needed")
    writer = Data(job, json.dumps)
    data = writer.node(content["data"], "", "data", {})
    text = json.dumps(data, indent=content.get("indent", 2), ensure_ascii=False) + "\n"
    return Rendered(job.path, text.encode(), writer.anchors)


class Data:
    """Walks a tree of data and notes what it prints, at JSON pointers; ``figure`` says how a number is printed."""

    def __init__(self, job: Job, figure: Callable[[int | float], str]) -> None:
        self.job, self.tree, self.figure = job, Tree(job.path, job.view), figure
        self._noted: list[Callable[[], Iterator[Anchor] | list[Anchor]]] = []

    def anchors(self) -> Iterator[Anchor]:
        """Where its values came to stand."""
        for noted in self._noted:
            yield from noted()

    def node(self, node: object, at: str, where: str, names: Mapping[str, object]) -> Any:
        """The data of one node; ``at`` is its pointer, ``where`` its place in the tree."""
        if isinstance(node, Mapping):
            if "each" in node:
                return self._each(node, at, where, names)
            return {
                key: self.node(value, f"{at}/{_escaped(str(key))}", f"{where}.{key}", names)
                for key, value in node.items()
            }
        if isinstance(node, list):
            return [self.node(value, f"{at}/{place}", f"{where}[{place}]", names) for place, value in enumerate(node)]
        data, anchors = self._leaf(node, where, names)
        self._noted.append(partial(anchors, at))
        return data

    def _each(self, node: Mapping[str, Any], at: str, where: str, names: Mapping[str, object]) -> list[Any]:
        with located(self.job.path, where):
            allow(node, ("each", "as", "item"))
        name, item, within = str(node.get("as", "row")), node.get("item"), f"{where}.item"
        rows = self.tree.rows(node["each"], f"{where}.each", names)
        if rows and isinstance(item, Mapping) and item and "each" not in item and not any(map(_nested, item.values())):
            return self._records(item, rows, at, within, name, names)
        return [self.node(item, f"{at}/{place}", within, {**names, name: row}) for place, row in enumerate(rows)]

    def _records(
        self, item: Mapping[Any, object], rows: list[Row], at: str, where: str, name: str, names: Mapping[str, object]
    ) -> list[dict[Any, Any]]:
        """A mapping for each of ``rows``, made key by key."""
        strips = rows[0].unit.strips(rows)
        columns: list[_Column] = []
        for key, leaf in item.items():
            place, column = f"{where}.{key}", column_of(leaf) if isinstance(leaf, str) else None
            if column is not None and column[0] == name and column[1] in rows[0].unit.relation.index:
                with located(self.job.path, place):
                    columns.append(self._column(strips(column[1])))
            else:
                columns.append(_leaves([self._leaf(leaf, place, {**names, name: row}) for row in rows]))
        ends = [f"/{_escaped(str(key))}" for key in item]

        def noted() -> Iterator[Anchor]:
            for row in range(len(rows)):
                for end, (_, anchors) in zip(ends, columns, strict=True):
                    yield from anchors(row, f"{at}/{row}{end}")

        self._noted.append(noted)
        keys = list(item)
        return [dict(zip(keys, record, strict=True)) for record in zip(*(data for data, _ in columns), strict=True)]

    def _column(self, strip: Strip) -> _Column:
        """Values as JSON has them."""
        data = [_native(value) for value in strip.values]

        def anchors(row: int, at: str) -> list[Anchor]:
            if data[row] is None:
                return []
            return anchored(self.job.path, at, "value", strip.cells(row), self._printed(data[row]))

        return data, anchors

    def _leaf(self, node: object, where: str, names: Mapping[str, object]) -> tuple[Any, _Anchors]:
        """The data of a leaf, and its anchors."""
        content, path = self.tree.content(node, where, names), self.job.path
        if isinstance(content, Bound) and content.printed is None and (content.cells or content.type.numeric):
            with located(path, where):
                return self._value(content)
        if isinstance(content, Bound) and content.value is None:
            return None, _nothing
        if content is None or isinstance(content, bool):
            return content, _nothing
        if isinstance(content, (int, float)):
            return content, lambda at: anchored(path, at, "decor", (), self.figure(content))
        text = self.tree.shown(content)
        return text.plain, partial(text.anchors, path)

    def _value(self, content: Bound) -> tuple[Any, _Anchors]:
        data, path = _native(content.value), self.job.path
        if data is None:
            return None, _nothing
        return data, lambda at: anchored(path, at, content.kind, content.cells, self._printed(data))

    def _printed(self, data: object) -> str:
        return self.figure(data) if isinstance(data, (int, float)) else str(data)


def _leaves(leaves: Sequence[tuple[Any, _Anchors]]) -> _Column:
    return [data for data, _ in leaves], lambda row, at: leaves[row][1](at)


def _nested(part: object) -> bool:
    return isinstance(part, (Mapping, list))


def _nothing(_: str) -> list[Anchor]:
    return []


def _native(value: Value) -> Any:
    """A value as JSON has it: numbers as numbers, dates and times as ISO text, none as null. Raises Fault."""
    if isinstance(value, Decimal):
        double = exact(value)
        return int(double) if double.is_integer() else double
    return value if isinstance(value, (str, int)) else isoformat(value)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
