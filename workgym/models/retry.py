"""Another try where the error may pass: growing waits with seeded jitter, or what the endpoint asks for.

Source of the form: exponential back-off with jitter (M. Brooker, AWS Architecture Blog, 2015), the jitter over the
upper half of the wait so that it never vanishes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import Field

from workgym.errors import ModelError, ModelUnavailable
from workgym.model import Model, ModelReply, ModelRequest
from workgym.models.wrapping import Wrapped
from workgym.records import Record


class Retries(Record):
    """How often and after how long a request is sent again."""

    times: int = Field(default=4, ge=0, le=100)
    """Further attempts after the first."""
    first: float = Field(default=1.0, ge=0)
    """Seconds before the second attempt; each later wait is twice as long."""
    longest: float = Field(default=60.0, ge=0)
    """Seconds that a wait grows to."""
    patience: float = Field(default=600.0, ge=0)
    """Seconds that an endpoint may ask for (Retry-After); where it asks for more, the call has failed."""
    seed: int = 0
    """Seed of the jitter."""

    def wait(self, attempt: int, key: str) -> float:
        """Seconds after attempt ``attempt`` (from 1) of the request ``key``: half of the full wait at least."""
        full = min(self.longest, self.first * 2.0 ** min(attempt - 1, 62))
        return full * (0.5 + 0.5 * random.Random(f"{self.seed}:{key}:{attempt}").random())


class Retrying(Wrapped):
    """Sends a request again after ModelUnavailable; any other error passes at once. Thread-safe."""

    def __init__(
        self, inner: Model, retries: Retries | None = None, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__(inner)
        self._retries = Retries() if retries is None else retries
        self._sleep = sleep

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply, with the attempts that it took. Raises the last error, with its attempts."""
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = self.inner.complete(request)
            except ModelError as error:
                error.attempts = attempt
                if not isinstance(error, ModelUnavailable) or attempt > self._retries.times:
                    raise
                asked = error.retry_after or 0.0
                if asked > self._retries.patience:
                    raise
                self._sleep(max(asked, self._retries.wait(attempt, request.key)))
            else:
                return reply if attempt == 1 else reply.model_copy(update={"attempts": attempt})


def seconds(retry_after: str | None, now: datetime | None = None) -> float | None:
    """What a Retry-After header asks for: seconds, or a date (RFC 9110, 10.2.3); None where it says neither."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
