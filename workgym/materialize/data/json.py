"""JSON files: a tree whose strings are templates, and ``each`` for lists of rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow, exact
from workgym.records import Anchor, anchored


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A JSON file from a tree with ``data``. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, ("data", "indent"))
        if "data" not in content:
            raise Fault("data: the tree to write is needed")
    writer = Data(job, json.dumps)
    data = writer.node(content["data"], "", "data", {})
    text = json.dumps(data, indent=content.get("indent", 2), ensure_ascii=False) + "\n"
    return rendered(job, text.encode(), writer.anchors)


class Data:
    """Walks a tree of data and keeps the anchors, at JSON pointers; ``figure`` says how a number is printed."""

    def __init__(self, job: Job, figure: Callable[[int | float], str]) -> None:
        self.job, self.tree, self.figure = job, Tree(job.path, job.view), figure
        self.anchors: list[Anchor] = []

    def node(self, node: object, at: str, where: str, names: Mapping[str, object]) -> Any:
        """The data of one node; ``at`` is its pointer, ``where`` its place in the tree."""
        if isinstance(node, str):
            return self._leaf(node, at, where, names)
        if isinstance(node, Mapping):
            if "each" in node:
                return self._each(node, at, where, names)
            return {
                key: self.node(value, f"{at}/{_escaped(str(key))}", f"{where}.{key}", names)
                for key, value in node.items()
            }
        if isinstance(node, list):
            return [self.node(value, f"{at}/{place}", f"{where}[{place}]", names) for place, value in enumerate(node)]
        return self._leaf(node, at, where, names)

    def _each(self, node: Mapping[str, Any], at: str, where: str, names: Mapping[str, object]) -> list[Any]:
        with located(self.job.path, where):
            allow(node, ("each", "as", "item"))
        name = str(node.get("as", "row"))
        rows = self.tree.rows(node["each"], f"{where}.each", names)
        return [
            self.node(node.get("item"), f"{at}/{place}", f"{where}.item", {**names, name: row})
            for place, row in enumerate(rows)
        ]

    def _leaf(self, node: object, at: str, where: str, names: Mapping[str, object]) -> Any:
        content = self.tree.content(node, where, names)
        if isinstance(content, Bound) and content.printed is None and (content.cells or content.type.numeric):
            with located(self.job.path, where):
                return self._native(content, at)
        if isinstance(content, Bound) and content.value is None:
            return None
        if content is None or isinstance(content, (bool, int, float)):
            if isinstance(content, (int, float)) and not isinstance(content, bool):
                self.anchors += anchored(self.job.path, at, "decor", (), self.figure(content))
            return content
        text: Marked = self.tree.shown(content)
        self.anchors += text.anchors(self.job.path, at)
        return text.plain

    def _native(self, content: Bound, at: str) -> Any:
        """A value as JSON has it: numbers as numbers, dates and times as ISO text, none as null."""
        value = isoformat(content.value)
        if value is None:
            return None
        data = exact(value) if isinstance(value, Decimal) else value
        if isinstance(data, float) and data.is_integer():
            data = int(data)
        printed = self.figure(data) if isinstance(data, (int, float)) else str(data)
        self.anchors += anchored(self.job.path, at, content.kind, content.cells, printed)
        return data


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
