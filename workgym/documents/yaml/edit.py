"""YAML: one scalar changes, in its own way of writing; comments, order and all other text stay.

After the edits the file is read again: what the edits do not name must be there as it was, else they are refused.
Not edited: what an anchor or alias makes stand in several places.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import yaml

from workgym.documents.decoding import Text, decode
from workgym.documents.patches import Patch, Target, apply, said
from workgym.documents.records import columns, new_values
from workgym.documents.yaml.places import NUMBER, Node, scan
from workgym.documents.yaml.read import plain, read
from workgym.documents.yaml.rows import Edges, addition, removals
from workgym.documents.yaml.text import figure, literal, quoted, scalar
from workgym.errors import EditRefused, Unreadable
from workgym.records import Scalar

_SHORT = re.compile(r"\w[\w./+-]*(?::[\w./+-]+)*")
_WORDS = ("true", "false", "null")
_RESOLVER = yaml.resolver.Resolver()


class _At(NamedTuple):
    """A node and where it belongs."""

    node: Node
    parent: Node | None
    number: int
    flow: bool
    shared: bool


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change scalars (``clear`` makes them null), remove the list element or record around them, or add another."""
    text = decode(path, content)
    document = read(path, content)
    tree = scan(path, text.body)
    root = tree.roots[0] if len(tree.roots) == 1 else Node(0, 0, "seq", style="...")
    nodes = _index(path, root, tree.roots)
    edges = Edges(path, text.body, tree.comments)
    expected = _Expected(root, tree.roots)
    patches: list[Patch] = []
    added: list[Patch] = []
    gone: dict[str, set[int]] = {}
    for target in targets:
        place = nodes.get(target.base)
        rows = target.edit.mode in ("remove_row", "insert_row")
        if place is None or (place.node.kind in ("map", "seq") and not rows):
            raise EditRefused(f"{path} has no value at {target.base!r}")
        if place.shared:
            raise EditRefused(f"{path} {target.base}: an anchor makes it stand in several places: it is not edited")
        old = place.node.leaf.text if place.node.kind not in ("map", "seq") else target.edit.expected
        target.check(path, old)
        if target.edit.mode == "remove_row":
            row = _row(path, nodes, target.base, "map", "seq")
            gone.setdefault(row.rpartition("/")[0], set()).add(nodes[row].number)
            expected.remove(row)
        elif target.edit.mode == "insert_row":
            row = _row(path, nodes, target.base, "seq")
            known = columns(document, row.rpartition("/")[0])
            values = new_values(path, target, row, _leaves(nodes, row), known)
            changes, said_there = _copy(edges, nodes, row, values)
            added.append(addition(edges, _parent(nodes[row]), nodes[row].number, changes))
            expected.insert(row, said_there)
        else:
            new, value = ("null", None) if target.whole else (target.new_text(old), target.edit.value)
            written = "null" if target.whole else _written(edges, place, new, value)
            patches.append(edges.exchange(place.node, written))
            if isinstance(value, (bool, int, float)):
                new = json.dumps(value) if isinstance(value, bool) else figure(value)
            expected.set(target.base, new)
    for holder, numbers in gone.items():
        patches += removals(edges, nodes[holder].node, numbers)
    made = apply(path, text.body, [*dict.fromkeys(patches), *added])
    return _proved(path, text, made, expected)


def _proved(path: str, text: Text, made: str, expected: _Expected) -> bytes:
    """The file, read again and compared. Raises :class:`EditRefused` where it says anything else than it should."""
    content = text.encode(made)
    try:
        roots = scan(path, made).roots
    except Unreadable as error:
        raise EditRefused(f"{path}: the edit does not fit the way the file is written ({error.detail})") from error
    found = _texts([plain(root, {}) for root in roots] if len(roots) > 1 else plain(roots[0], {}))
    if found != expected.done():
        raise EditRefused(f"{path}: the edit would change more than it says, as the file is written")
    return content


def _texts(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _texts(value) for key, value in data.items()}
    return [_texts(value) for value in data] if isinstance(data, list) else data.text


def _index(path: str, root: Node, roots: list[Node]) -> dict[str, _At]:
    """Every node by its pointer."""
    nodes = {"": _At(root, None, 0, False, root.anchored)}

    def walk(node: Node, at: str, flow: bool, shared: bool) -> None:
        for index, member in enumerate(node.members):
            part = str(index) if member.key is None else member.key.text.replace("~", "~0").replace("/", "~1")
            here = _At(
                member.node, node, index, flow or node.style == "{", shared or member.lent or member.node.anchored
            )
            nodes[f"{at}/{part}"] = here
            walk(member.node, f"{at}/{part}", here.flow, here.shared)

    if len(roots) > 1:
        for index, one in enumerate(roots):
            nodes[f"/{index}"] = _At(one, None, index, False, one.anchored)
            walk(one, f"/{index}", False, one.anchored)
    else:
        walk(root, "", False, root.anchored)
    return nodes


def _parent(place: _At) -> Node:
    assert place.parent is not None  # rows are members of something
    return place.parent


def _row(path: str, nodes: dict[str, _At], at: str, *kinds: str) -> str:
    """The nearest member of a list, or of a mapping of mappings, around a place; of one of these kinds."""
    while at and nodes[at].parent is not None:
        parent = _parent(nodes[at])
        records = parent.kind == "map" and all(member.node.kind == "map" for member in parent.members)
        if parent.kind == "seq" or (records and ("map" in kinds or len(parent.members) > 1)):
            if parent.kind not in kinds:
                break
            return at
        at = at.rpartition("/")[0]
    raise EditRefused(f"{path}: no list{' or record' if 'map' in kinds else ''} stands around the place")


def _inside(nodes: dict[str, _At], row: str) -> dict[str, _At]:
    found = {at: place for at, place in nodes.items() if at == row or at.startswith(f"{row}/")}
    if any(place.shared for place in found.values()):
        raise EditRefused(f"{row}: anchors or aliases stand in the row, so that it is not copied")
    return found


def _emptied(nodes: dict[str, _At], row: str) -> list[str]:
    """Lists of records within a row: those of another row are not its own."""
    found: list[str] = []
    for at, place in _inside(nodes, row).items():
        members = place.node.members
        records = place.node.kind == "seq" and members and all(one.node.kind in ("map", "seq") for one in members)
        if records and at != row and not any(at.startswith(f"{outer}/") for outer in found):
            found.append(at)
    return found


def _leaves(nodes: dict[str, _At], row: str) -> dict[str, str]:
    """The scalars of a row with their paths within it, but for those of lists of records."""
    emptied = _emptied(nodes, row)
    return {
        at: at[len(row) :]
        for at, place in _inside(nodes, row).items()
        if place.node.kind not in ("map", "seq") and not any(at.startswith(f"{outer}/") for outer in emptied)
    }


def _copy(
    edges: Edges, nodes: dict[str, _At], row: str, values: dict[str, Scalar]
) -> tuple[list[Patch], dict[str, str | None]]:
    """The changes that make a copy of a row a new one, and what it then says by place; None for an empty list."""
    changes: list[Patch] = []
    says: dict[str, str | None] = {}
    for at, value in values.items():
        if value is None:
            written, says[at] = "null", "null"
        elif isinstance(value, str):
            written, says[at] = _written(edges, nodes[at], value, None), value
        else:
            written = says[at] = said(value) if isinstance(value, bool) else figure(value)
        changes.append(edges.exchange(nodes[at].node, written))
    for at in _emptied(nodes, row):
        changes.append(edges.emptied(nodes[at].node))
        says[at] = None
    return changes, says


def _written(edges: Edges, place: _At, new: str, value: Scalar) -> str:
    """A new value, written as the old one is where that says the same to every reader."""
    node = place.node
    if isinstance(value, (bool, int, float)):
        return said(value) if isinstance(value, bool) else figure(value)
    typed = node.kind in ("number", "bool", "null") or (isinstance(value, str) and NUMBER.fullmatch(value))
    if typed and (NUMBER.fullmatch(new) or new in _WORDS):
        return new
    if node.style == "'" and new.isprintable():
        return "'" + new.replace("'", "''") + "'"
    if node.style == "|":
        block = literal(new, edges.indent(node))
        if block is not None:
            return block.replace("\n", edges.newline)
    if node.style:
        return quoted(new)
    return new if node.kind == "text" and not place.flow and _alike(node.text, new) else scalar(new, flow=place.flow)


def _alike(old: str, new: str) -> bool:
    """Whether a text may stand plain since the old one did, and YAML 1.1 takes both for the same (a date, a time)."""
    if not _SHORT.fullmatch(new) or NUMBER.fullmatch(new) or new.casefold() in _WORDS:
        return False
    tags = {_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) for text in (old, new)}  # type: ignore[no-untyped-call]
    return len(tags) == 1


class _Expected:
    """What the file must say after the edits."""

    def __init__(self, root: Node, roots: list[Node]) -> None:
        self._data = _texts([plain(one, {}) for one in roots] if len(roots) > 1 else plain(root, {}))
        self._rows: list[tuple[int, int, bool, Any, Any]] = []
        self._gone: set[str] = set()

    def _holder(self, at: str) -> tuple[Any, Any]:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1:])
        here = self._data
        for part in way:
            here = here[int(part)] if isinstance(here, list) else here[part]
        return here, int(last) if isinstance(here, list) else last

    def set(self, at: str, text: str) -> None:
        """A scalar says something else."""
        if not at:
            self._data = text
            return
        here, last = self._holder(at)
        here[last] = text

    def remove(self, at: str) -> None:
        """A member is gone."""
        if at not in self._gone:
            self._gone.add(at)
            here, last = self._holder(at)
            self._rows.append((last if isinstance(here, list) else 0, 0, False, here, last))

    def insert(self, row: str, says: dict[str, str | None]) -> None:
        """A copy of a row stands behind it and says this."""
        here, last = self._holder(row)
        self._rows.append((last, len(self._rows) + 1, True, here, self._copied(here[last], row, says)))

    def _copied(self, data: Any, at: str, says: dict[str, str | None]) -> Any:
        if at in says:
            return [] if says[at] is None else says[at]
        if isinstance(data, dict):
            return {
                key: self._copied(value, f"{at}/{key.replace('~', '~0').replace('/', '~1')}", says)
                for key, value in data.items()
            }
        return [self._copied(value, f"{at}/{index}", says) for index, value in enumerate(data)]

    def done(self) -> Any:
        """The data after all edits."""
        for index, _, adds, here, what in sorted(self._rows, key=lambda row: (-row[0], -row[1])):
            if adds:
                here.insert(index + 1, what)
            else:
                del here[what]
        return self._data
