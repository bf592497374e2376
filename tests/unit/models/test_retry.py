"""What is sent again, after how long, and how fast at all; over real HTTP where a server is what it is about."""

from __future__ import annotations

import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import Any

import pytest

from workgym.errors import ContextExceeded, ModelError, ModelRefused, ModelUnavailable
from workgym.model import Message, ModelReply, ModelRequest, TextBlock, Usage
from workgym.models import Limited, OpenAIConfig, OpenAIModel, RateLimits, Retries, Retrying, ScriptedModel
from workgym.models.retry import seconds
from workgym.testing.endpoint import Endpoint, Failure, Raw

GO = ModelRequest(messages=(Message.of("user", "Go."),))


def through(endpoint: Endpoint, waits: list[float], times: int = 4, **config: Any) -> Retrying:
    told = {"model": "m", "base_url": endpoint.url, "key_env": "NO_SUCH_KEY", "timeout": 5.0} | config
    return Retrying(OpenAIModel(OpenAIConfig(**told)), Retries(times=times), sleep=waits.append)


def answers(*said: Any) -> Endpoint:
    queue = deque(said)
    return Endpoint(lambda _, number: queue.popleft())


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529, 408, 0])
def test_what_may_pass_is_sent_again(status: int) -> None:
    waits: list[float] = []
    with answers(Failure(status), Failure(status), "ok") as endpoint:
        reply = through(endpoint, waits).complete(GO)
        assert (reply.text, reply.attempts, len(endpoint.bodies)) == ("ok", 3, 3)
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2 and endpoint.bodies[0] == endpoint.bodies[2]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_is_refused_is_not(status: int) -> None:
    waits: list[float] = []
    with answers(Failure(status, "no such thing")) as endpoint:
        with pytest.raises(ModelRefused, match=f"openai:m: {status}: .*no such thing") as failed:
            through(endpoint, waits).complete(GO)
        assert (failed.value.status, failed.value.attempts, waits, len(endpoint.bodies)) == (status, 1, [], 1)


def test_a_time_out_is_sent_again() -> None:
    waits: list[float] = []
    with Endpoint(lambda _, number: time.sleep(0.5) or "slow" if number == 1 else "ok") as endpoint:
        reply = through(endpoint, waits, timeout=0.2).complete(GO)
    assert reply.text == "ok" and reply.attempts == len(waits) + 1 >= 2


def test_nobody_at_the_door() -> None:
    with answers() as endpoint:
        pass
    waits: list[float] = []
    with pytest.raises(ModelUnavailable) as failed:
        through(endpoint, waits, times=3).complete(GO)
    assert (failed.value.attempts, len(waits)) == (4, 3)


def test_retry_after_is_honoured_and_too_much_of_it_is_a_failure() -> None:
    waits: list[float] = []
    with answers(Failure(429, headers={"Retry-After": "17"}), "ok") as endpoint:
        through(endpoint, waits).complete(GO)
    assert waits == [17.0]
    with answers(Failure(429, headers={"Retry-After": "86400"}), "ok") as endpoint, pytest.raises(ModelUnavailable):
        through(endpoint, waits).complete(GO)
    assert waits == [17.0], "nobody waits a day"


def test_retry_after_in_every_form() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert seconds("2.5") == 2.5 and seconds("-1") == 0 and seconds(None) is None and seconds("soon") is None
    assert seconds("Sun, 01 Mar 2026 12:00:30 GMT", now) == 30 and seconds("Sun, 01 Mar 2026 11:00:00 GMT", now) == 0


def test_the_same_seed_waits_the_same_and_the_waits_end_growing() -> None:
    first, again, other = Retries(), Retries(), Retries(seed=1)
    assert first.wait(3, "k") == again.wait(3, "k") != other.wait(3, "k")
    assert all(30 <= first.wait(attempt, "k") <= 60 for attempt in (7, 8, 100))


def test_a_conversation_that_is_too_long_has_an_error_of_its_own() -> None:
    waits: list[float] = []
    by_code = Failure(400, "too big", code="context_length_exceeded")
    by_words = Failure(400, "This model's maximum context length is 4096 tokens")
    with answers(by_code, by_words) as endpoint:
        for _ in range(2):
            with pytest.raises(ContextExceeded):
                through(endpoint, waits).complete(GO)


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b"[1]", b'{"choices": []}', b'{"choices": [{}]}', b"{}"])
def test_an_answer_that_is_none_is_a_model_error(body: bytes) -> None:
    with answers(Raw(body)) as endpoint, pytest.raises(ModelError, match="openai:m: "):
        through(endpoint, [], times=0).complete(GO)


def test_half_a_surrogate_pair_comes_and_goes_as_a_replacement_sign() -> None:
    half = "cut \ud83d"
    with answers({"say": half, "calls": [{"tool": "t", "arguments": {"path": half}}]}) as endpoint:
        reply = through(endpoint, []).complete(ModelRequest(messages=(Message.of("user", half),)))
        assert endpoint.bodies[0]["messages"][0]["content"] == "cut \ufffd"
    assert reply.text == "cut \ufffd" and reply.calls[0].arguments == {"path": "cut \ufffd"}
    assert len(ModelRequest(messages=(Message.of("user", half),)).key) == 64


def test_arguments_that_are_nested_too_deeply_are_malformed() -> None:
    deep = '{"a":' * 300 + "1" + "}" * 300
    with answers({"tool": "t", "arguments": deep}) as endpoint:
        (call,) = through(endpoint, []).complete(GO).calls
    assert (call.arguments, call.malformed) == ({}, deep)


class Clock:
    """Time that passes only in ``sleep``."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, wait: float) -> None:
        self.slept.append(wait)
        self.now += wait


def test_requests_a_minute() -> None:
    clock = Clock()
    model = Limited(ScriptedModel(["a"] * 7), RateLimits(requests=3), clock=clock, sleep=clock.sleep)
    for _ in range(7):
        model.complete(GO)
        clock.now += 1
    assert clock.slept == [57.0, 57.0], "three at once, then a window of sixty seconds slides on"


def test_tokens_a_minute_count_what_was_really_used() -> None:
    clock = Clock()
    used = Usage(prompt=400, completion=100)
    replies = [ModelReply(blocks=(TextBlock(text="a"),), usage=used)] * 4
    model = Limited(ScriptedModel(replies), RateLimits(tokens=1000), clock=clock, sleep=clock.sleep)
    for _ in range(3):
        model.complete(GO)
    assert clock.slept == [60.0], "two of 500 fit, the third waits until the first is a minute old"
    tight = Limited(ScriptedModel(replies), RateLimits(tokens=1), clock=clock, sleep=clock.sleep)
    tight.complete(GO)
    assert clock.slept == [60.0], "what is longer than a whole minute goes out alone"
    tight.complete(GO)
    assert clock.slept == [60.0, 60.0]


def test_calls_at_once() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def slow(_: ModelRequest) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return "a"

    model = Limited(ScriptedModel(slow), RateLimits(concurrency=2))
    threads = [threading.Thread(target=model.complete, args=(GO,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [2]
