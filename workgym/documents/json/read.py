"""JSON: a fragment for each scalar, at its pointer (RFC 6901), labelled with its last key.

Numbers keep the digits that they are written with. For grids see :mod:`workgym.documents.json.walk`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from workgym.documents.decoding import decode, unlooked
from workgym.documents.json.tree import HALF, Tree, members, quick
from workgym.documents.json.walk import MOST, Digits, Walk
from workgym.documents.limits import check
from workgym.documents.model import Document
from workgym.errors import Unreadable

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.S)


def load(path: str, body: str) -> Any:
    """Parse it, numbers as they are written. Raises :class:`Unreadable`."""

    def refuse(word: str) -> object:
        raise Unreadable(path, "corrupt", f"{word} is not JSON")

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) != len(members):
            raise Unreadable(path, "corrupt", "an object has the same key twice")
        return made

    if members(body) > MOST:
        check(path, members(_STRING.sub("", body)), MOST, "values, lists and objects")
    try:
        data = json.loads(body, parse_float=Digits, parse_int=Digits, parse_constant=refuse, object_pairs_hook=unique)
        if HALF.search(body):
            json.dumps(data, ensure_ascii=False).encode()
        return data
    except UnicodeEncodeError as error:
        raise Unreadable(path, "corrupt", "a text holds half a character (a lone surrogate)") from error
    except RecursionError as error:
        raise Unreadable(path, "over-limit", "it is nested too deep") from error
    except ValueError as error:
        raise Unreadable(path, "corrupt" if body.strip() else "truncated", f"it is not JSON ({error})") from error


def tree(path: str, body: str) -> Tree:
    """The values of a text, within all limits. Raises :class:`Unreadable`."""
    data = load(path, body)
    walk = Walk(path)
    walk.walk(data, "", None, None, "", 0)
    return Tree(body, data, len(walk.rows))


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    found = quick(unlooked(path, content).body)
    if found is None:
        found = tree(path, decode(path, content).body)
    return Document(path=path, format="json", fragments=found)


def unpacked(path: str, _: str, packed: object) -> Tree:
    """What :meth:`Tree.packed` gave. Raises :class:`Unreadable` where it is none."""
    if not isinstance(packed, str):
        raise Unreadable(path, "corrupt", "it is not text")
    found = quick(packed)
    return tree(path, packed) if found is None else found
