"""The wire form of requests and replies, over a mock transport: no server, no key, nothing patched."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from workgym.errors import ModelError, UsageError
from workgym.model import (
    ImageBlock,
    Message,
    ModelRequest,
    ReasoningBlock,
    Sampling,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from workgym.models import OpenAIConfig, OpenAIModel, Retries, Retrying, create
from workgym.records import ToolSpec

READ = ToolSpec(name="read_file", description="Read.", input_schema={"type": "object", "properties": {}})


def answer(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-name",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 7},
        },
    }


class Endpoint:
    """Answers in order and keeps what it was asked."""

    def __init__(self, *answers: tuple[int, dict[str, Any]]) -> None:
        self.answers, self.asked = list(answers), []  # type: list[tuple[int, dict[str, Any]]], list[dict[str, Any]]

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        status, body = self.answers.pop(0)
        return httpx2.Response(status, json=body, headers={"retry-after-ms": "1"})


def model(endpoint: Endpoint, **config: Any) -> OpenAIModel:
    client = httpx2.Client(transport=httpx2.MockTransport(endpoint))
    config = {"model": "m", "base_url": "http://model.example/v1", "key_env": "NO_SUCH_KEY"} | config
    return OpenAIModel(OpenAIConfig(**config), http_client=client)


def test_blocks_come_back_in_order_with_parallel_and_malformed_calls() -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "x"}'}},
        {"id": "b", "type": "function", "function": {"name": "read_file", "arguments": '{"path": '}},
        {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "[1]"}},
    ]
    endpoint = Endpoint(
        (200, answer({"content": "Let me look.", "reasoning_content": "hm", "tool_calls": calls}, "tool_calls"))
    )
    reply = model(endpoint).complete(ModelRequest(messages=(Message.of("user", "Go."),), tools=(READ,)))
    assert reply.blocks == (
        ReasoningBlock(text="hm"),
        TextBlock(text="Let me look."),
        ToolCallBlock(id="a", name="read_file", arguments={"path": "x"}),
        ToolCallBlock(id="b", name="read_file", malformed='{"path": '),
        ToolCallBlock(id="c", name="read_file", malformed="[1]"),
    )
    assert (reply.stop, reply.model, reply.usage.prompt, reply.usage.cached) == ("tool_calls", "served-name", 10, 7)
    assert endpoint.asked[0]["tools"][0]["function"]["name"] == "read_file"


def test_a_conversation_is_written_as_the_dialect_wants_it() -> None:
    endpoint = Endpoint((200, answer({"content": "Done."})))
    messages = (
        Message.of("system", "Work."),
        Message.of("user", "Go."),
        Message(
            role="assistant",
            blocks=(
                ReasoningBlock(text="hm"),
                ToolCallBlock(id="a", name="read_file", arguments={"b": 1, "a": "ü"}),
                ToolCallBlock(id="b", name="read_file", malformed="{"),
            ),
        ),
        Message(
            role="tool",
            blocks=(
                ToolResultBlock(id="a", text="one"),
                ToolResultBlock(id="b", text="bad", is_error=True),
                ImageBlock(media_type="image/png", data="AA=="),
            ),
        ),
    )
    request = ModelRequest(messages=messages, sampling=Sampling(temperature=0.0, max_tokens=9))
    reply = model(endpoint, sampling=Sampling(temperature=1.0, top_p=0.5)).complete(request)
    assert reply.text == "Done."
    body = endpoint.asked[0]
    assert (body["temperature"], body["top_p"], body["max_completion_tokens"]) == (0.0, 0.5, 9)
    assert "tools" not in body
    system, user, assistant, first, second, picture = body["messages"]
    assert (system["role"], user["content"]) == ("system", "Go.")
    assert assistant["reasoning_content"] == "hm" and assistant["content"] is None
    assert [call["function"]["arguments"] for call in assistant["tool_calls"]] == ['{"a":"ü","b":1}', "{"]
    assert (first["tool_call_id"], first["content"], second["content"]) == ("a", "one", "bad")
    assert picture["role"] == "user" and picture["content"][0]["image_url"]["url"] == "data:image/png;base64,AA=="


def test_rate_limits_are_retried_and_a_last_failure_is_a_model_error() -> None:
    limited = (429, {"error": {"message": "slow down"}})
    request, waits = ModelRequest(messages=(Message.of("user", "Go."),)), list[float]()
    patient = Retrying(model(Endpoint(limited, limited, (200, answer({"content": "ok"})))), sleep=waits.append)
    reply = patient.complete(request)
    assert (reply.text, reply.attempts) == ("ok", 3)
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2, "growing, with jitter"
    once = Retrying(model(Endpoint(limited, limited)), Retries(times=1), sleep=waits.append)
    with pytest.raises(ModelError, match="openai:m: 429: .*slow down") as failed:
        once.complete(request)
    assert failed.value.attempts == 2


def test_keys_come_from_a_variable_or_a_file_and_stay_out_of_the_record(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sekret-value-1")
    config = OpenAIConfig(model="m", key_env="SOME_KEY")
    assert config.key() == "sekret-value-1" and OpenAIModel(config).secrets == ("sekret-value-1",)
    assert "sekret" not in config.model_dump_json()
    key_file = tmp_path / "key"
    key_file.write_text("sekret-value-2\n")
    assert OpenAIConfig(model="m", key_file=str(key_file)).key() == "sekret-value-2"
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(UsageError, match="no key for m; set SOME_KEY"):
        config.key()


def test_models_by_name(tmp_path: Any) -> None:
    endpoint = tmp_path / "endpoint.yaml"
    endpoint.write_text("model: glm\nbase_url: http://model.example/v1\n")
    assert create(str(endpoint)).name == "openai:glm"
    endpoint.write_text("model: glm\ntemprature: 1\n")
    with pytest.raises(UsageError, match="temprature"):
        create(str(endpoint))
    script = tmp_path / "script.yaml"
    script.write_text("- {tool: submit}\n")
    assert create(f"scripted:{script}").name == "scripted:script.yaml"
    with pytest.raises(UsageError, match="unknown model"):
        create("gpt")
