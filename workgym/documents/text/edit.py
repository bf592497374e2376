"""Plain text, Markdown, logs and source code: lines, their ends and the encoding stay."""

from __future__ import annotations

import re

from workgym.documents.decoding import bare, decode, lines
from workgym.documents.patches import Patch, Target, apply, said
from workgym.errors import EditRefused

_AT = re.compile(r"l(\d+)")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change lines, remove them, or put new ones behind them."""
    text = decode(path, content)
    found = lines(text.body)
    starts = [0]
    for line in found:
        starts.append(starts[-1] + len(line))
    patches: list[Patch] = []
    added: list[Patch] = []
    for target in targets:
        match = _AT.fullmatch(target.base)
        number = int(match[1]) if match else 0
        old = target.check(path, bare(found[number - 1]) if 1 <= number <= len(found) else None)
        start = starts[number - 1]
        if target.edit.mode == "remove_row":
            patches.append(Patch(start, starts[number], ""))
            continue
        if target.edit.mode == "insert_row":
            added.append(Patch(starts[number], starts[number], _line(path, target, found, number)))
            continue
        first, last, new = target.change(old)
        if "\n" in new or "\r" in new:
            raise EditRefused(f"{path} {target.base}: a line cannot become several")
        patches.append(Patch(start + first, start + last, new))
    return text.encode(apply(path, text.body, [*dict.fromkeys(patches), *added]))


def _line(path: str, target: Target, found: list[str], number: int) -> str:
    """The new line, with an end where the file's own lines have it."""
    cells = target.edit.cells
    new = said(cells[0])
    if len(cells) != 1 or "\n" in new or "\r" in new:
        raise EditRefused(f"{path} {target.base}: a new line is one text without line breaks")
    end = found[0][len(bare(found[0])) :] or "\n"
    return new + end if found[number - 1] != bare(found[number - 1]) else end + new
