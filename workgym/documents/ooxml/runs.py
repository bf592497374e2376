"""Texts that are made of runs: characters change inside the leaves that hold them, so that formatting stays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from workgym.documents.archive import Element
from workgym.documents.patches import Patch, Target
from workgym.documents.xmlpos import Positions
from workgym.errors import EditRefused

Leaf = tuple[Element | None, str]
"""A printing leaf and its text; None for the break between two paragraphs of a cell."""


class Kind(NamedTuple):
    """What the leaves of a format are like."""

    texts: Collection[str]
    """The tags of leaves that hold characters; others (a line break) only go as a whole."""
    written: Callable[[Element, str, Positions], Patch]
    """A leaf of text with other characters."""
    added: Callable[[Target, str], Patch]
    """New characters where no leaf can take them. May raise EditRefused."""


def changed(path: str, target: Target, leaves: Sequence[Leaf], positions: Positions, kind: Kind) -> list[Patch]:
    """The patches that make the leaves say what the target wants. Raises EditRefused."""
    start, end, new = target.change("".join(text for _, text in leaves))
    if any(mark in new for mark in "\t\n\r"):
        raise EditRefused(f"{path} {target.base}: tabs and line breaks cannot be added to a paragraph")
    if not new and start == end:
        return []
    patches: list[Patch] = []
    receiver = _receiver(leaves, start, end, kind.texts) if new else None
    at = 0
    for leaf, text in leaves:
        after = at + len(text)
        if leaf is receiver is not None or max(start, at) < min(end, after) or (target.whole and text):
            if leaf is not None and leaf.tag in kind.texts:
                kept = text[: max(0, start - at)] + (new if leaf is receiver else "") + text[max(0, end - at) :]
                patches.append(kind.written(leaf, kept, positions))
            elif leaf is not None:
                span = positions.span(leaf)
                patches.append(Patch(span.start, span.end, b""))
            elif not target.whole:
                raise EditRefused(f"{path} {target.base}: the edit goes over the end of a paragraph")
        at = after
    if new and receiver is None:
        patches.append(kind.added(target, new))
    return patches


def _receiver(leaves: Sequence[Leaf], start: int, end: int, tags: Collection[str]) -> Element | None:
    """The text leaf that takes the new characters: the first that loses some, else the first that touches the place."""
    touching, at = None, 0
    for leaf, text in leaves:
        after = at + len(text)
        if leaf is not None and leaf.tag in tags:
            if max(start, at) < min(end, after):
                return leaf
            if touching is None and at <= start <= after:
                touching = leaf
        at = after
    return touching
