"""Records: frozen, closed, and copied without what was worked out of the old one."""

from __future__ import annotations

from functools import cached_property

import pytest
from pydantic import ValidationError

from workgym.records import Record, canonical, digest


class Box(Record):
    """A record for the tests."""

    sides: tuple[int, ...]
    """Lengths."""

    @cached_property
    def volume(self) -> int:
        """Their product."""
        product = 1
        for side in self.sides:
            product *= side
        return product


def test_a_copy_forgets_what_was_cached() -> None:
    box = Box(sides=(2, 3))
    assert box.volume == 6
    assert box.model_copy(update={"sides": (2, 5)}).volume == 10
    assert box.volume == 6


def test_frozen_and_closed() -> None:
    box = Box(sides=(1,))
    with pytest.raises(ValidationError):
        box.sides = (2,)  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Box.model_validate({"sides": (1,), "colour": "red"})


def test_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": "ü"}) == '{"a":"ü","b":1}'
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    assert Box(sides=(1, 2)).fingerprint() == Box.model_validate({"sides": [1, 2]}).fingerprint()
