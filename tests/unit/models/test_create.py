"""Models by SPEC and by YAML: the same configurations, and no key in any of them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.errors import ModelError, UsageError
from workgym.model import Message, ModelRequest, card
from workgym.models import MailboxModel, OpenAIConfig, OpenAIModel, RecordedModel, Retrying, create
from workgym.models.limits import Limited
from workgym.testing.endpoint import Endpoint, Failure

GO = ModelRequest(messages=(Message.of("user", "Go."),))
KEY = "a-key-that-nobody-may-see"


def inner(model: object) -> OpenAIModel:
    while not isinstance(model, OpenAIModel):
        model = model.inner  # type: ignore[attr-defined]
    return model


def test_options_of_a_spec() -> None:
    model = create(
        "openai:qwen/qwen3:free?base_url=http://localhost:8000/v1&key_env=MY_KEY&sampling.temperature=0"
        "&limits.concurrency=4&retries=1&price.input=0.1&price.output=0.4&context=32768&structured=json"
    )
    config = inner(model).config
    assert (config.model, config.base_url, config.key_env) == ("qwen/qwen3:free", "http://localhost:8000/v1", "MY_KEY")
    assert (config.sampling.temperature, config.limits.concurrency, config.retries) == (0.0, 4, 1)
    assert isinstance(model, Retrying) and isinstance(model.inner, Limited)
    told = card(model)
    assert (told.context, told.structured, str(told.price and told.price.output)) == (32768, "json", "0.4")


def test_yaml_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(
        "provider: openai\nmodel: glm\nbase_url: http://m.example/v1\nlimits: {requests: 60}\nname: my-glm\n"
    )
    model = create(str(file))
    assert (model.name, inner(model).config.limits.requests) == ("my-glm", 60)
    file.write_text(f"provider: mailbox\nfolder: {tmp_path}\ntimeout: 5\n")
    assert isinstance(create(str(file)), MailboxModel)
    file.write_text(f"provider: recorded\npath: {tmp_path}\nlive: mailbox:{tmp_path}\n")
    assert isinstance(create(str(file)), RecordedModel)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("gpt-5", "unknown model 'gpt-5'; write openai:NAME"),
        ("openai:", "unknown model"),
        ("openai:m?temprature=1", "openai:m: temprature: Extra inputs are not permitted"),
        ("openai:m?sampling.temperature=warm", "sampling.temperature: Input should be a valid number"),
        ("openai:m?limits=1&limits.requests=2", "limits is no group"),
        ("openai:m?retries=-1", "retries: "),
        ("mailbox:box?timeout=0", "timeout: "),
        ("scripted:/nowhere.yaml", "/nowhere.yaml: No such file"),
        ("recorded:/nowhere", "there is no cassette"),
    ],
)
def test_mistakes_are_one_line(spec: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        create(spec)
    assert says in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("option", ["key", "api_key", "token"])
def test_a_key_in_a_configuration_is_refused_without_being_said(tmp_path: Path, option: str) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(f"model: m\n{option}: {KEY}\n")
    for spec in (str(file), f"openai:m?{option}={KEY}"):
        with pytest.raises(UsageError, match="keys do not stand in configurations.*key_env") as told:
            create(spec)
        assert KEY not in str(told.value) and told.value.__cause__ is None
    with pytest.raises(UsageError, match="an address with a password") as told:
        create(f"openai:m?base_url=http://user:{KEY}@m.example/v1")
    assert KEY not in str(told.value)


def test_no_form_of_a_model_shows_its_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    with Endpoint(lambda _, number: "ok" if number == 1 else Failure(401, f"bad key {KEY}")) as endpoint:
        model = create(f"openai:m?base_url={endpoint.url}&key_env=SOME_KEY")
        assert model.complete(GO).text == "ok" and endpoint.keys == [KEY], "it is really used"
        with pytest.raises(ModelError, match=r"401: .*bad key \[redacted\]") as failed:
            model.complete(GO)
    shown = [repr(model), str(model), repr(inner(model)), repr(inner(model).config), str(failed.value)]
    shown += [inner(model).config.model_dump_json(), repr(card(model)), repr(vars(inner(model).config))]
    assert not any(KEY in text for text in shown) and "SOME_KEY" in shown[2]


@settings(max_examples=300)
@given(
    st.sampled_from(["", "openai:", "scripted:", "recorded:", "openai:m?", "mailbox:b?", "recorded:/nowhere?live="]),
    st.text(max_size=60) | st.text(alphabet="=&.?%:/ab10\0", max_size=30) | st.just("x" * 5000 + ".yaml"),
)
def test_any_text_is_a_model_or_a_usage_error(kind: str, text: str) -> None:
    with contextlib.suppress(UsageError):
        assert create(kind + text).name


def test_a_key_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    config = OpenAIConfig(model="m", key_file=str(tmp_path / "key"))
    assert OpenAIModel(config).secrets == (KEY,) and KEY not in repr(config)
