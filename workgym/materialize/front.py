"""The front matter of prose: fields between two ``---`` lines at the very top."""

from __future__ import annotations

import re

from workgym.materialize.marks import Marked

_FENCE = re.compile(r"^---+\s*$")
_FIELD = re.compile(r"^([A-Za-z][A-Za-z -]*):(?:\s+|$)")


def front(text: Marked) -> tuple[dict[str, Marked], Marked]:
    """The fields of the front matter by name, and the text after it; no fields where there is none."""
    lines = list(text.lines())
    if not lines or not _FENCE.match(lines[0].text):
        return {}, text
    fields: dict[str, Marked] = {}
    position = len(lines[0].text) + 1
    for line in lines[1:]:
        position += len(line.text) + 1
        if _FENCE.match(line.text):
            return fields, text.slice(position, len(text.text))
        if not line.text.strip() or line.text.startswith("#"):
            continue
        match = _FIELD.match(line.text)
        if match is None:
            raise ValueError(f"front matter: {line.plain!r} is no field: write `name: value`")
        fields[match[1]] = _unquoted(line.slice(match.end(), len(line.text)).strip())
    raise ValueError("the front matter has no closing ---")


def _unquoted(value: Marked) -> Marked:
    text = value.text
    return value.slice(1, len(text) - 1) if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else value
