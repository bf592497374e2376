"""What argparse makes of an argument, beyond its own types."""

from __future__ import annotations

from argparse import ArgumentTypeError


def seed(text: str) -> int:
    """A seed: a whole number from 0 on, as ids have it."""
    if not (text.isascii() and text.isdecimal()):
        raise ArgumentTypeError(f"{text!r} is no seed; write 0, 1, 2, ...")
    return int(text)
