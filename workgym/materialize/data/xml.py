"""XML data files: a tree whose keys are elements, ``@name`` attributes and ``#text`` text, and ``each`` for rows.

Written by ourselves; read by expat. White space at the ends of a text that would break its line is kept by
``xml:space``. Not written: document types, CDATA sections, instructions, text behind an element.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.forms import plain
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor

_LETTERS = "A-Za-z_À-ÖØ-öø-ıΑ-ΡΣ-Ωα-ωА-яぁ-ゔァ-ヺ一-龥가-힣"
_NAME = re.compile(rf"(?:([{_LETTERS}][{_LETTERS}0-9.-]*):)?[{_LETTERS}][{_LETTERS}0-9.-]*")
_BLANK = " \t\r\n"
_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


@dataclass
class _Element:
    name: str
    attributes: list[tuple[str, Marked]] = field(default_factory=list)
    text: Marked = field(default_factory=lambda: Marked(""))
    children: list[_Element] = field(default_factory=list)


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """An XML file from a tree with ``root``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("root", "namespaces", "declaration", "comment", "indent"))
        root = content.get("root")
        if not isinstance(root, Mapping) or len(root) != 1:
            raise Fault("root: a mapping with the name of the outermost element is needed")
        spaces = dict(content.get("namespaces", {}))
        step = content.get("indent", 2)
        if step not in range(9):
            raise Fault("indent is a whole number from 0 to 8")
    builder = _Builder(job, tree, set(spaces))
    ((name, spec),) = root.items()
    made = list(builder.elements(str(name), spec, f"root.{name}", {}))
    with located(job.path, f"root.{name}"):
        if len(made) != 1:
            raise Fault("there is one outermost element")
    declared = [(f"xmlns:{prefix}" if prefix else "xmlns", Marked(str(uri))) for prefix, uri in spaces.items()]
    made[0].attributes[:0] = [(name, uri.decorated(0, len(uri.text))) for name, uri in declared]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>'] if content.get("declaration", True) else []
    anchors: list[Anchor] = []
    comment = content.get("comment", ())
    for source in [comment] if isinstance(comment, str) else comment:
        text = tree.text(source, "comment").strip()
        with located(job.path, "comment"):
            if "--" in text.plain or "\n" in text.plain or any(span.cells for span in text.spans):
                raise Fault("a line of comment is one line without --, and holds no value of a unit")
        lines.append(f"<!-- {text.plain} -->")
        anchors += text.anchors(job.path, f"l{len(lines)}.comment")
    writer = _Writer(job.path, step, anchors)
    lines += writer.lines(made[0], f"/{made[0].name}", "")
    return rendered(job, "".join(f"{line}\n" for line in lines).encode(), anchors)


class _Builder:
    """The tree of the carrier to elements with their texts."""

    def __init__(self, job: Job, tree: Tree, prefixes: set[str]) -> None:
        self.job, self.tree, self.prefixes = job, tree, prefixes | {"xml"}

    def elements(self, name: str, spec: Any, where: str, names: Mapping[str, object]) -> Iterator[_Element]:
        """The elements of one name that ``spec`` gives: none, one or several."""
        if isinstance(spec, Mapping) and "each" in spec:
            with located(self.job.path, where):
                allow(spec, ("each", "as", "item"))
            for row in self.tree.rows(spec["each"], f"{where}.each", names):
                yield from self.elements(
                    name, spec.get("item"), f"{where}.item", {**names, str(spec.get("as", "row")): row}
                )
        elif isinstance(spec, list):
            for place, part in enumerate(spec):
                with located(self.job.path, where):
                    if isinstance(part, list):
                        raise Fault("a list in a list has no name for its elements")
                yield from self.elements(name, part, f"{where}[{place}]", names)
        else:
            yield self._element(name, spec, where, names)

    def _element(self, name: str, spec: Any, where: str, names: Mapping[str, object]) -> _Element:
        made = _Element(self._named(name, where))
        if not isinstance(spec, Mapping):
            made.text = self._text(spec, where, names)
            return made
        for key, value in spec.items():
            inner = f"{where}.{key}"
            if key == "#text":
                made.text = self._text(value, inner, names)
            elif str(key).startswith("@"):
                text = self._text(value, inner, names)
                if text:
                    made.attributes.append((self._named(str(key)[1:], inner), text))
            else:
                made.children += self.elements(str(key), value, inner, names)
        return made

    def _named(self, name: str, where: str) -> str:
        with located(self.job.path, where):
            match = _NAME.fullmatch(name)
            if match is None:
                raise Fault(f"{name!r} is no name for an element or attribute")
            if match[1] is not None and match[1] not in self.prefixes:
                raise Fault(f"the prefix {match[1]} stands for nothing: say it under `namespaces`")
        return name

    def _text(self, source: object, where: str, names: Mapping[str, object]) -> Marked:
        """A value in its exact form where no filter chose one; nothing for none."""
        content = self.tree.content(source, where, names)
        if isinstance(content, bool):
            return Marked("true" if content else "false")
        if isinstance(content, Bound) and content.printed is None and content.value is not None:
            content = content.formed(plain(content.value, content.type))
        if isinstance(content, Bound) and content.value is None:
            return Marked("")
        return self.tree.shown(content)


class _Writer:
    """Elements to lines, with the anchors."""

    def __init__(self, path: str, step: int, anchors: list[Anchor]) -> None:
        self.path, self.step, self.anchors = path, step, anchors

    def lines(self, element: _Element, at: str, margin: str) -> Iterator[str]:
        """The lines of an element; text beside elements keeps them all on one line."""
        body = element.text.plain
        tag = f"{margin}<{element.name}" + "".join(self._attributes(element, at))
        if not element.children:
            self.anchors += element.text.anchors(self.path, at)
            yield f"{tag}>{_written(body)}</{element.name}>" if body else f"{tag}/>"
            return
        if body.strip(_BLANK):
            self.anchors += element.text.anchors(self.path, f"{at}/text()[1]")
            flat = _Writer(self.path, 0, self.anchors)
            inner = "".join(line for child, place in _placed(element, at) for line in flat.lines(child, place, ""))
            yield f"{tag}>{_written(body)}{inner}</{element.name}>"
            return
        yield f"{tag}>"
        for child, place in _placed(element, at):
            yield from self.lines(child, place, margin + " " * self.step)
        yield f"{margin}</{element.name}>"

    def _attributes(self, element: _Element, at: str) -> Iterator[str]:
        for name, text in element.attributes:
            self.anchors += text.anchors(self.path, f"{at}/@{name}")
            yield f' {name}="{escape(text.plain, _IN_ATTRIBUTE)}"'
        body = element.text.plain
        ends = body[: len(body) - len(body.lstrip(_BLANK))] + body[len(body.rstrip(_BLANK)) :]
        if body.strip(_BLANK) and ("\n" in ends or "\r" in ends):
            yield ' xml:space="preserve"'


def _placed(element: _Element, at: str) -> Iterator[tuple[_Element, str]]:
    """The elements in one, each with its place."""
    counts = Counter(child.name for child in element.children)
    seen: Counter[str] = Counter()
    for child in element.children:
        seen[child.name] += 1
        yield child, f"{at}/{child.name}" + (f"[{seen[child.name]}]" if counts[child.name] > 1 else "")


def _written(text: str) -> str:
    return escape(text, _IN_TEXT)
