"""Values of a type out of replies: by schema, by JSON mode, by being told; one correction, then a record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from workgym.errors import ModelRefused, Unstructured
from workgym.model import Message, ModelCard, ModelReply, ModelRequest, TextBlock
from workgym.models import Asker, OpenAIConfig, OpenAIModel, ScriptedModel, ask
from workgym.models.structured import Failed, _json
from workgym.testing.endpoint import Endpoint, Failure


class Line(BaseModel):
    item: str
    amount: int = Field(ge=0)


class Plan(BaseModel):
    title: str
    lines: tuple[Line, ...]


GO = ModelRequest(messages=(Message.of("system", "You plan."), Message.of("user", "Go.")))
GOOD = '{"title": "t", "lines": [{"item": "a", "amount": 3}]}'
PLAN = Plan(title="t", lines=(Line(item="a", amount=3),))
BAD = '{"title": "t", "lines": [{"item": "a", "amount": -3}, {"item": "b"}]}'


def texts(request: ModelRequest) -> str:
    return "\n".join(block.text for message in request.messages for block in message.blocks)  # type: ignore[union-attr]


def test_a_model_without_a_mode_is_told_the_schema() -> None:
    model = ScriptedModel([GOOD])
    assert ask(model, GO, Plan) == PLAN
    (request,) = model.requests
    assert request.reply_schema is None and '"amount"' in texts(request) and "One JSON value" not in texts(request)
    assert [message.role for message in request.messages] == ["system", "user"]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here is the plan:\n\n```\n{GOOD}\n```\nI hope {{it}} helps.",
        f"I thought about [it] and {{that}}: {GOOD} Good luck.",
    ],
)
def test_words_around_the_value_are_no_harm(text: str) -> None:
    assert ask(ScriptedModel([text]), GO, Plan) == PLAN


def test_the_one_correction_names_path_and_message() -> None:
    model = ScriptedModel([BAD, GOOD])
    found = Asker(model, Plan).ask(GO)
    assert (found.value, [tried.raw for tried in found.tries]) == (PLAN, [BAD])
    assert found.tries[0].errors == (
        "lines[0].amount: Input should be greater than or equal to 0",
        "lines[1].amount: Field required",
    )
    again = model.requests[1].messages
    assert again[-2] == Message.of("assistant", BAD) and all(
        error in texts(model.requests[1]) for error in found.tries[0].errors
    )
    assert model.requests[1].messages[:2] == model.requests[0].messages, "the conversation goes on"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("I cannot.", "there is no JSON"),
        (f"{GOOD} {GOOD}", "more than one"),
        ('{"title": "t", "lines": [', "not JSON at line 1"),
        ('{"title": "t"}', "lines: Field required"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_never_fits_is_a_record_with_the_raw_text(text: str, says: str) -> None:
    model = ScriptedModel([text, text])
    with pytest.raises(Unstructured, match="scripted: no Plan after 2 replies") as failed:
        ask(model, GO, Plan)
    record = failed.value.record
    assert isinstance(record, Failed) and [tried.raw for tried in record.tries] == [text, text]
    assert says in record.tries[0].errors[0]
    assert Failed.model_validate_json(record.model_dump_json()) == record


def test_a_cut_reply_is_said_to_be_cut_and_a_withheld_one_is_not_asked_again() -> None:
    cut = ModelReply(blocks=(TextBlock(text=GOOD[:-5]),), stop="length")
    model = ScriptedModel([cut, GOOD])
    assert ask(model, GO, Plan) == PLAN and "cut off at its length limit" in texts(model.requests[1])
    withheld = ScriptedModel([ModelReply(blocks=(), stop="filter"), GOOD])
    with pytest.raises(Unstructured, match="withheld"):
        ask(withheld, GO, Plan)
    assert len(withheld.requests) == 1


def endpoint_model(endpoint: Endpoint, structured: Any) -> OpenAIModel:
    config = OpenAIConfig(model="m", base_url=endpoint.url, key_env="NO_SUCH_KEY", structured=structured)
    return OpenAIModel(config)


def test_the_endpoint_is_held_to_the_schema_where_it_can() -> None:
    with Endpoint(lambda body, _: GOOD) as endpoint:
        assert ask(endpoint_model(endpoint, "schema"), GO, Plan) == PLAN
        assert ask(endpoint_model(endpoint, "json"), GO, Plan) == PLAN
        assert ask(endpoint_model(endpoint, "text"), GO, Plan) == PLAN
        by_schema, by_json, by_words = endpoint.bodies
    form = by_schema["response_format"]
    assert form["type"] == "json_schema" and form["json_schema"]["schema"] == Plan.model_json_schema()
    assert "JSON" not in json.dumps(by_schema["messages"])
    assert by_json["response_format"] == {"type": "json_object"} and "amount" in json.dumps(by_json["messages"])
    assert "response_format" not in by_words and by_words["messages"] == by_json["messages"]


def test_an_endpoint_that_cannot_is_asked_in_the_next_weaker_way_from_then_on() -> None:
    def script(body: dict[str, Any], number: int) -> Any:
        return Failure(400, "response_format is not supported") if "response_format" in body else GOOD

    with Endpoint(script) as endpoint:
        asker = Asker(endpoint_model(endpoint, "schema"), Plan)
        assert asker.ask(GO).value == PLAN and len(endpoint.bodies) == 3
        assert asker.way == "text" and asker.ask(GO).value == PLAN and len(endpoint.bodies) == 4
    with Endpoint(lambda body, _: Failure(401)) as endpoint, pytest.raises(ModelRefused):
        Asker(endpoint_model(endpoint, "schema"), Plan).ask(GO)
    with Endpoint(lambda body, _: Failure(400)) as endpoint, pytest.raises(ModelRefused):
        Asker(endpoint_model(endpoint, "schema"), Plan).ask(GO)


def test_any_type_will_do() -> None:
    assert Asker(ScriptedModel(["[1, 2]"]), list[int], name="Numbers").ask(GO).value == [1, 2]
    assert Asker(ScriptedModel(["7"]), int).ask(GO).value == 7


@given(st.text(max_size=200) | st.text(alphabet='[]{}",:0 a\\', max_size=60))
def test_any_text_has_one_json_value_or_none(text: str) -> None:
    try:
        found = _json(text)
    except ValueError:
        return
    json.loads(found)


def test_the_card_says_how_a_model_can_be_held() -> None:
    model = ScriptedModel([GOOD])
    model.card = ModelCard(structured="schema")
    ask(model, GO, Plan)
    assert model.requests[0].reply_schema is not None and model.requests[0].messages == GO.messages
