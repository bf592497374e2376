"""Plain text and Markdown: lines, their ends and the encoding stay."""

from __future__ import annotations

import re

from workgym.documents.patches import Patch, Target, apply
from workgym.documents.text import bare, decode, lines
from workgym.errors import EditRefused

_AT = re.compile(r"l(\d+)")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change lines, or remove them."""
    text = decode(path, content)
    found = lines(text.body)
    starts = [0]
    for line in found:
        starts.append(starts[-1] + len(line))
    patches = []
    for target in targets:
        match = _AT.fullmatch(target.base)
        number = int(match[1]) if match else 0
        old = target.check(path, bare(found[number - 1]) if 1 <= number <= len(found) else None)
        start = starts[number - 1]
        if target.edit.mode == "remove_row":
            patches.append(Patch(start, starts[number], ""))
            continue
        first, last, new = target.change(old)
        if "\n" in new or "\r" in new:
            raise EditRefused(f"{path} {target.base}: a line cannot become several")
        patches.append(Patch(start + first, start + last, new))
    return text.encode(apply(path, text.body, dict.fromkeys(patches)))
