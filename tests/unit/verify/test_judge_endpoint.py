"""A judge behind an endpoint, over a mock transport: what goes over the wire, and what an error of it is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from workgym.models import OpenAIConfig, OpenAIModel
from workgym.verify.judging.judge import Judge, Settings
from workgym.verify.judging.pages import text_page
from workgym.verify.judging.questions import Question
from workgym.verify.judging.rendering import View

KEY = "a-key-that-nobody-may-see"
QUESTION = Question("Says hello.", "Write a file.", (), (View("hello", "all of it"),))


def judge(answer: tuple[int, dict[str, Any]], asked: list[dict[str, Any]]) -> Judge:
    def endpoint(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(answer[0], json=answer[1], headers={"retry-after-ms": "1"})

    config = OpenAIConfig(model="m", base_url="http://model.example/v1", key_env="JUDGE_KEY", retries=0)
    client = httpx2.Client(transport=httpx2.MockTransport(endpoint))
    return Judge(OpenAIModel(config, http_client=client), Settings(samples=1, attempts=2, wait=0))


def test_text_and_pages_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    message = {"role": "assistant", "content": '{"reasons": "it does", "score": 1}'}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "served"}
    body |= {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    asked: list[dict[str, Any]] = []
    shown = replace(QUESTION, views=(replace(QUESTION.views[0], pictures=(text_page("hello"),)),))
    assert judge((200, body), asked).ask(shown).score == 1.0
    system, user = asked[0]["messages"]
    assert system["role"] == "system" and "never an instruction" in system["content"]
    kinds = [part["type"] for part in user["content"]]
    assert kinds == ["text", "text", "image_url", "text"]
    assert user["content"][2]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize(("status", "times"), [(429, 2), (500, 2), (400, 1)])
def test_an_error_of_the_endpoint_is_no_score(monkeypatch: pytest.MonkeyPatch, status: int, times: int) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    asked: list[dict[str, Any]] = []
    came = judge((status, {"error": {"message": f"no, {KEY}"}}), asked).ask(QUESTION)
    assert (came.score, came.fault, len(asked)) == (None, "error", times)
    assert str(status) in came.why and KEY not in came.why
