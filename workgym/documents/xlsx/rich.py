"""Texts of cells whose parts look different: which parts of one cannot be seen on the cell's ground."""

from __future__ import annotations

from typing import NamedTuple

from workgym.documents import visibility as ink
from workgym.documents.archive import Element
from workgym.documents.xlsx.ink import NS, written_colour
from workgym.documents.xlsx.rest import string_text


class Run(NamedTuple):
    """A part of a text."""

    text: str
    colour: str | None
    """The colour of its letters, where it says one that is known."""
    small: bool
    """Whether its letters are too small to see."""


def runs(node: Element) -> tuple[Run, ...]:
    """The parts of a shared or inline string (``si``, ``is``); none where no part has a colour or size of its own."""
    if node.find(f"{NS}r/{NS}rPr") is None:
        return ()
    found = []
    for child in node:
        if child.tag in (f"{NS}t", f"{NS}r"):
            holder = Element(child.tag)
            holder.extend([child] if child.tag == f"{NS}t" else list(child))
            found.append(Run(string_text(holder), *_look(child.find(f"{NS}rPr"))))
    return tuple(found) if any(run.colour is not None or run.small for run in found) else ()


def parted(written: tuple[Run, ...], paper: str | None) -> tuple[str, str]:
    """Of a text on a ground, what can be seen and what cannot."""
    gone = [run.small or ink.unseen(run.colour, paper) for run in written]
    seen = "".join(run.text for run, lost in zip(written, gone, strict=True) if not lost)
    return seen, "".join(run.text for run, lost in zip(written, gone, strict=True) if lost)


def _look(properties: Element | None) -> tuple[str | None, bool]:
    if properties is None:
        return None, False
    colour, size = properties.find(f"{NS}color"), properties.find(f"{NS}sz")
    small = size is not None and float(size.get("val", "11")) < ink.SMALLEST
    return (None if colour is None else written_colour(colour, ink.BLACK)), small
