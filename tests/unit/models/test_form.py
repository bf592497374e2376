"""Forms tell a model what their fields mean."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from workgym.models import Form


class Town(Form):
    people: int
    """How many live there."""


def test_the_sentence_below_a_field_reaches_the_schema() -> None:
    assert Town.model_json_schema()["properties"]["people"]["description"] == "How many live there."
    with pytest.raises(ValidationError):
        Town(people=1, mayor="Ann")  # type: ignore[call-arg]
