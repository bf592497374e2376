"""Texts for comparisons: a digest that a copy shares whatever its letter case, blanks, marks and line breaks."""

from __future__ import annotations

import hashlib

from workgym.intents.dedup.words import exact


def text_digest(text: str) -> str:
    """sha256, in hexadecimal, of the words."""
    return hashlib.sha256(exact(text).encode("utf-8", "surrogatepass")).hexdigest()


def excerpt(text: str, most: int = 400) -> str:
    """The beginning of a text, blanks joined."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else joined[: most - 1] + "…"
