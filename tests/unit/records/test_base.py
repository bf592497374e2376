"""Records: frozen, closed, and copied without what was worked out of the old one."""

from __future__ import annotations

import copy
import pickle
from functools import cached_property

import pytest
from pydantic import ValidationError

from workgym.records import Record, canonical, digest, unchecked


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


def test_an_unchecked_record_is_as_any_other() -> None:
    checked, made = Box(sides=(2, 3)), unchecked(Box)({"sides": (2, 3)})
    assert made == checked and hash(made) == hash(checked) and repr(made) == repr(checked)
    assert made.volume == 6 and made.fingerprint() == checked.fingerprint()
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == checked
    assert made.model_fields_set == checked.model_fields_set
    with pytest.raises(ValidationError):
        made.sides = (2,)  # type: ignore[misc]


def test_the_copy_of_an_unchecked_record_is_its_own() -> None:
    make = unchecked(Box)
    made = make({"sides": (2, 3)})
    changed = made.model_copy(update={"sides": (5,)})
    assert (made.sides, changed.sides, make({"sides": (7,)}).model_fields_set) == ((2, 3), (5,), {"sides"})
