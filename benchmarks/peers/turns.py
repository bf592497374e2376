"""The loop that the peers' programs share: a JSON line in for each act, a JSON line out with what it took."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

Act = Callable[[], Awaitable[object]]


def serve(acts: Callable[[dict[str, Any]], dict[str, Act]]) -> None:
    """Answer until there is no more line. ``acts`` makes the acts of a sandbox from the settings of the first line."""
    asyncio.run(_serve(acts))


async def _serve(acts: Callable[[dict[str, Any]], dict[str, Act]]) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    known = acts(json.loads(sys.stdin.readline()))
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        try:
            await known[json.loads(line)]()
            told: dict[str, Any] = {"milliseconds": (time.perf_counter() - begun) * 1000}
        except Exception as error:  # noqa: BLE001 - whatever a library raises is told
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), file=answers, flush=True)
