"""The space of all texts. ``gymnasium.spaces.Text`` refuses every character outside a fixed set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium


class AnyText(gymnasium.Space[str]):
    """Any Unicode text up to ``max_length`` characters. Samples are short and printable."""

    def __init__(self, max_length: int = 4_000_000, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)
        self.max_length = max_length

    @property
    def is_np_flattenable(self) -> bool:
        """Texts do not flatten into numbers."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Up to 15 printable ASCII characters."""
        codes = self.np_random.integers(32, 127, size=int(self.np_random.integers(0, 16)))
        return "".join(map(chr, codes))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a text, and not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Texts are JSON as they are."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[str]) -> list[str]:
        """The inverse of ``to_jsonable``."""
        return list(sample_n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    __hash__ = None  # type: ignore[assignment]  # as all spaces: they hold a generator

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"
