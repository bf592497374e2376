"""How fast a model may be asked: calls at once, requests a minute, tokens a minute."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import Field

from workgym.model import Model, ModelReply, ModelRequest
from workgym.models.wrapping import Wrapped, length
from workgym.records import Record

MINUTE = 60.0


class RateLimits(Record):
    """What an endpoint can take; None is without limit."""

    concurrency: int | None = Field(default=None, ge=1)
    """Calls at once."""
    requests: int | None = Field(default=None, ge=1)
    """Requests in any 60 seconds, retries included."""
    tokens: int | None = Field(default=None, ge=1)
    """Tokens read and written in any 60 seconds."""


@dataclass
class _Sent:
    at: float
    tokens: int


class Limited(Wrapped):
    """Waits until a request may be sent. Thread-safe: one object for all who share the endpoint's limits.

    A request counts its prompt's estimated length until its reply says how long both were. One that is longer than a
    minute's tokens goes out alone.
    """

    def __init__(
        self,
        inner: Model,
        limits: RateLimits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(inner)
        self._limits, self._clock, self._sleep = limits, clock, sleep
        self._seats = threading.BoundedSemaphore(limits.concurrency) if limits.concurrency else contextlib.nullcontext()
        self._lock = threading.Lock()
        self._sent: deque[_Sent] = deque()

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply, once the limits allow the question."""
        with self._seats:
            sent = self._queue(length(request) if self._limits.tokens else 0)
            reply = self.inner.complete(request)  # where it fails it was sent all the same, and counts
            used = (reply.usage.prompt or 0) + (reply.usage.completion or 0)
            with self._lock:
                sent.tokens = used or sent.tokens
            return reply

    def _queue(self, tokens: int) -> _Sent:
        while True:
            with self._lock:
                wait = self._wait(tokens)
                if wait <= 0:
                    self._sent.append(_Sent(self._clock(), tokens))
                    return self._sent[-1]
            self._sleep(wait)

    def _wait(self, tokens: int) -> float:
        """Seconds until a request of so many tokens may be sent; 0 where it may now."""
        now = self._clock()
        while self._sent and self._sent[0].at <= now - MINUTE:
            self._sent.popleft()
        limits = self._limits
        if limits.requests is not None and len(self._sent) >= limits.requests:
            return self._sent[-limits.requests].at + MINUTE - now
        wait = 0.0
        if limits.tokens is not None:
            over = sum(sent.tokens for sent in self._sent) + tokens - limits.tokens
            for sent in self._sent:
                if over <= 0:
                    break
                over, wait = over - sent.tokens, sent.at + MINUTE - now
        return wait
