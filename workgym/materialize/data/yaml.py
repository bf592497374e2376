"""YAML files: the tree of a JSON file in block style, in scalars that every reader takes for the same.

Written by ourselves; read by PyYAML's scanner. Comments stand above the data only and hold no value of a unit; anchors,
tags and several documents are not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workgym.documents.yaml.text import figure, literal, quoted, scalar
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.data.json import Data
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import allow
from workgym.records import Anchor

_LONGEST_KEY = 500


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A YAML file from a tree with ``data``, and lines of ``comment`` above it. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, ("data", "comment", "indent"))
        if "data" not in content:
            raise Fault("data: the tree to write is needed")
        step = content.get("indent", 2)
        if step not in range(2, 9):
            raise Fault("indent is a whole number from 2 to 8")
    writer = Data(job, figure)
    data = writer.node(content["data"], "", "data", {})
    head, anchors = _comment(writer, content.get("comment", ()))
    with located(job.path, "data"):
        lines = list(_block(data, "", step))
    text = "".join(f"{line}\n" for line in (*head, *lines))
    return rendered(job, text.encode(), [*anchors, *writer.anchors()])


def _comment(writer: Data, spec: Any) -> tuple[list[str], list[Anchor]]:
    lines: list[str] = []
    anchors: list[Anchor] = []
    for number, source in enumerate([spec] if isinstance(spec, str) else spec, 1):
        text = writer.tree.text(source, "comment").strip()
        with located(writer.job.path, "comment"):
            if "\n" in text.plain or any(span.cells for span in text.spans):
                raise Fault("a line of comment is one line, and holds no value of a unit")
        lines.append(f"# {text.plain}".rstrip())
        anchors += text.anchors(writer.job.path, f"l{number}.comment")
    return lines, anchors


def _block(node: Any, margin: str, step: int) -> Iterator[str]:
    """The lines of a node; those of a scalar or an empty collection are one, without a margin."""
    if isinstance(node, dict) and node:
        for key, value in node.items():
            if len(key) > _LONGEST_KEY:
                raise Fault(f"a key has at most {_LONGEST_KEY} characters")
            yield from _member(f"{margin}{scalar(key)}:", value, margin, step)
    elif isinstance(node, list) and node:
        for value in node:
            if isinstance(value, (dict, list)) and value:
                first, *rest = _block(value, margin + "  ", step)
                yield f"{margin}- {first.lstrip(' ')}"
                yield from rest
            else:
                yield from _member(f"{margin}-", value, margin, step)
    else:
        yield _leaf(node)


def _member(head: str, value: Any, margin: str, step: int) -> Iterator[str]:
    """A key or dash with its value: on its line, or on the lines below."""
    inner = margin + " " * step
    if isinstance(value, (dict, list)) and value:
        yield head
        yield from _block(value, inner, step)
        return
    block = literal(value, len(inner)) if isinstance(value, str) and "\n" in value else None
    yield f"{head} {_leaf(value) if block is None else block}"


def _leaf(node: Any) -> str:
    if isinstance(node, str):
        return scalar(node) if "\n" not in node else quoted(node)
    if isinstance(node, bool) or node is None:
        return {True: "true", False: "false", None: "null"}[node]
    if isinstance(node, (dict, list)):
        return "{}" if isinstance(node, dict) else "[]"
    if node != node or node in (float("inf"), float("-inf")):
        raise Fault(f"{node} is no number that data can hold")
    return figure(node)
