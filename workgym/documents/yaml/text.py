"""Scalars as YAML writes them, so that every reader of YAML 1.1 or 1.2 takes a text for the same text.

Texts that one of them takes for something else (``NO``, ``on``, ``12:30``, ``0x1F``, ``1_000``, ``2026-03-01``, ``~``)
stand in quotes: plain are only texts that begin with a letter and are none of the words.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal

_PLAIN = re.compile(r"[^\W\d_](?:[\w .,;/()+@%&'’–—€$°!?=*-]|:(?=[\w/]))*(?<! )")
_WORDS = frozenset("y n yes no on off true false null none".split())
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LINE = re.compile(r"(?:[^\s](?:.*[^\s])?)?", re.S)
_INSIDE = re.compile(r"[,\[\]{}:?]")


def quoted(text: str) -> str:
    """A text between double quotes, on one line."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def scalar(text: str, *, flow: bool = False) -> str:
    """A text, plain where that is safe everywhere; ``flow`` says that it stands between brackets."""
    if not _PLAIN.fullmatch(text) or text.casefold() in _WORDS or (flow and _INSIDE.search(text)):
        return quoted(text)
    return text


def literal(text: str, indent: int) -> str | None:
    """A text of several lines as a literal block whose lines are indented so far; None where it cannot be one."""
    ending = text[len(text.rstrip("\n")) :]
    lines = text.rstrip("\n").split("\n")
    if len(lines) + len(ending) < 2 or len(ending) > 1 or not lines[0]:
        return None
    if _ESCAPED.search(text) or "\r" in text or "\t" in text or not all(map(_LINE.fullmatch, lines)):
        return None
    body = "\n".join(" " * indent + line if line else "" for line in lines)
    return f"|{'' if ending else '-'}\n{body}"


def figure(number: int | float) -> str:
    """A number with all its digits, in a form that is a number for every reader."""
    written = repr(number)
    if "e" not in written:
        return written
    fixed = format(Decimal(written), "f")
    if len(fixed) <= 24:
        return fixed if "." in fixed else f"{fixed}.0"
    mantissa, _, exponent = written.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent):+d}"
