"""Forms tell a model what their fields mean."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from workgym.model import Message, ModelRequest
from workgym.models import Form, ScriptedModel, ask


class Town(Form):
    people: int
    """How many live there."""


def test_the_sentence_below_a_field_reaches_the_schema() -> None:
    assert Town.model_json_schema()["properties"]["people"]["description"] == "How many live there."
    with pytest.raises(ValidationError):
        Town(people=1, mayor="Ann")  # type: ignore[call-arg]


class Opinion(Form):
    reasons: str
    """Why."""
    almost: bool
    """Whether it holds."""


def test_fields_are_told_in_their_order() -> None:
    model = ScriptedModel(['{"reasons": "so", "almost": true}'])
    ask(model, ModelRequest(messages=(Message.of("user", "Well?"),)), Opinion)
    told = str(model.requests[0].messages)
    assert 0 < told.index('"reasons":') < told.index('"almost":')
