"""Tracked changes and remarks in prose, written in CriticMarkup (criticmarkup.com).

``{++added++}``, ``{--struck--}``, ``{~~old~>new~~}``, ``{>>a remark<<}`` at a point, ``{==words==}{>>a remark<<}`` on
words. Each may begin with its author: ``{++@Ines Roth: added++}``. What stays is the text with all changes accepted;
so a format that has no tracked changes shows just that. In struck text a value is no more than a state: what is
struck is not said, but it depends on the value all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from workgym.materialize.marks import Marked, Span

_FORMS = re.compile(
    r"\{\+\+(?P<added>.+?)\+\+\}|\{--(?P<struck>.+?)--\}|\{~~(?P<old>.+?)~>(?P<new>.+?)~~\}"
    r"|(?:\{==(?P<words>.+?)==\}\s?)?\{>>(?P<remark>.+?)<<\}",
    re.DOTALL,
)
_AUTHOR = re.compile(r"@([^:\n@]{1,80}):\s+")


@dataclass(frozen=True, slots=True)
class Change:
    """A tracked change or a remark in a text."""

    kind: Literal["added", "struck", "remark"]
    """What it is."""
    start: int
    """The first character of the accepted text that was added or is remarked on; where struck text stood."""
    end: int
    """One past the last one; equal to ``start`` for struck text and for a remark at a point."""
    text: Marked
    """The struck text, or what the remark says; empty for an addition."""
    author: str
    """Who made it; empty where the text does not say."""


def accepted(text: Marked) -> tuple[Marked, tuple[Change, ...]]:
    """The text with all changes accepted, and the changes in the order in which they begin."""
    if "{" not in text.text:
        return text, ()
    parts, changes, last = Marked(""), list[Change](), 0
    for match in _FORMS.finditer(text.text):
        parts, last = parts + text.slice(last, match.start()), match.end()
        form = match.lastgroup
        if form == "struck":
            author, words = _signed(text.slice(*match.span("struck")))
            changes.append(_struck(words, len(parts.text), author))
        elif form == "new":
            author, words = _signed(text.slice(*match.span("old")))
            changes.append(_struck(words, len(parts.text), author))
            parts = _added(parts, text.slice(*match.span("new")), author, changes)
        elif form == "added":
            author, words = _signed(text.slice(*match.span("added")))
            parts = _added(parts, words, author, changes)
        else:
            author, said = _signed(text.slice(*match.span("remark")).strip())
            inner, own = accepted(text.slice(*match.span("words"))) if match["words"] else (Marked(""), ())
            start = len(parts.text)
            changes.append(Change("remark", start, start + len(inner.text), said, author))
            changes += _moved(own, start)
            parts = parts + inner
    return parts + text.slice(last, len(text.text)), tuple(changes)


def _added(parts: Marked, words: Marked, author: str, changes: list[Change]) -> Marked:
    inner, own = accepted(words)
    start = len(parts.text)
    changes.append(Change("added", start, start + len(inner.text), Marked(""), author))
    changes += _moved(own, start)
    return parts + inner


def _moved(changes: tuple[Change, ...], by: int) -> list[Change]:
    return [replace(change, start=change.start + by, end=change.end + by) for change in changes]


def _signed(text: Marked) -> tuple[str, Marked]:
    match = _AUTHOR.match(text.text)
    if match is None:
        return "", text
    return text.slice(*match.span(1)).plain.strip(), text.slice(match.end(), len(text.text))


def _struck(words: Marked, at: int, author: str) -> Change:
    spans = tuple(Span(span.start, span.end, "state" if span.cells else span.kind, span.cells) for span in words.spans)
    return Change("struck", at, at, Marked(words.text, spans), author)
