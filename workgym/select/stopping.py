"""Ending rollouts that are under way: each stops before its next question to a model."""

from __future__ import annotations

import threading

from workgym.model import Model, ModelReply, ModelRequest, Usage, budget_share
from workgym.models.wrapping import Wrapped


class Stopped(BaseException):
    """Somebody wants an end. No error of the rollout, so that nothing records it as one."""


class Stoppable(Wrapped):
    """A model that answers until it is told to stop."""

    def __init__(self, inner: Model, told: threading.Event) -> None:
        super().__init__(inner)
        self._told = told

    def budget_share(self, usage: Usage) -> float | None:
        """The inner model's."""
        return budget_share(self.inner, usage)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The inner model's reply. Raises Stopped, and what the inner model raises."""
        if self._told.is_set():
            raise Stopped
        return self.inner.complete(request)
