"""``web_search`` and ``web_fetch``: the environment's own tools over the offline site of a task.

They run on the host and never touch the sandbox; the site's pages are not in it. They are on offer where the task has a
site. Failures are drawn from the seed that ``reset`` was given, the tool and the number of the call in the episode: a
replay meets the same ones, and the same call made again is another call. A failure says what to do, as every
observation does.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Literal

from workgym.package import TaskPackage
from workgym.records import ToolCall, ToolResult, ToolSpec, WebAccess
from workgym.records.web import PART, RESULTS

USUAL = 5
"""Results of a search that asks for no number."""
NEWEST: Literal[2] = 2
"""The search that answers where nobody asks for an older one; see ``WebAccess.ranking``."""

SEARCH = ToolSpec(
    name="web_search",
    description="Search the web: addresses, titles, dates and an excerpt of the pages that fit best.\n"
    "An excerpt is not enough to rely on: open the page with web_fetch.",
    input_schema={
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "A few words, as for any search engine."},
            "max_results": {"type": "integer", "minimum": 1, "maximum": RESULTS, "description": f"{USUAL} by default."},
        },
        "additionalProperties": False,
    },
    side="host",
)
FETCH = ToolSpec(
    name="web_fetch",
    description="Open a web page by its address, and get its title, its date and its text.\n"
    f"A long page comes in parts of {PART} characters.",
    input_schema={
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": {"type": "string", "minLength": 1, "description": "Address, as web_search gives it."},
            "start": {"type": "integer", "minimum": 0, "description": "First character to read; 0 by default."},
        },
        "additionalProperties": False,
    },
    side="host",
)
NAMES = (SEARCH.name, FETCH.name)

_SEARCH_FAULTS = (
    "The search engine did not answer in time. Try again.",
    "The search engine is busy (503). Try again, or with other words.",
)
_FETCH_FAULTS = (
    "The page did not load in time. Try again.",
    "The site refused the connection (403). Try again.",
    "The site is busy (503). Try again, or look for another page that says the same.",
)


class Web:
    """The web tools of one episode. Not thread-safe: the environment holds the lock."""

    def __init__(self, seed: int | None, access: WebAccess | None) -> None:
        """``access`` None leaves it to the task how well the tools work."""
        self._seed, self._access = seed, access
        self.counts: Counter[str] = Counter()
        """Calls so far, by tool, and under ``failed`` those that a drawn failure ended."""

    def tools(self, task: TaskPackage) -> tuple[ToolSpec, ...]:
        """The tools that a task has: both, or none."""
        return (SEARCH, FETCH) if task.external else ()

    def access(self, task: TaskPackage) -> WebAccess | None:
        """How well they work: as the episode says, else as the task does; None where there is no site."""
        if not task.external:
            return None
        found = self._access or task.card.interfaces.web or WebAccess()
        return found if found.ranking else found.model_copy(update={"ranking": NEWEST})

    def call(self, task: TaskPackage, call: ToolCall, number: int) -> ToolResult:
        """Carry out a call whose arguments fit; ``number`` is its place in the episode, from 1."""
        self.counts[call.tool] += 1
        fault = self._fault(task, call.tool, number)
        if fault is not None:
            self.counts["failed"] += 1
            return ToolResult(text=fault, is_error=True)
        from workgym.env import browsing  # with the readers, for the episodes that need them

        if call.tool == SEARCH.name:
            most, access = int(call.arguments.get("max_results", USUAL)), self.access(task)
            ranking = NEWEST if access is None or access.ranking is None else access.ranking
            return browsing.searched(task, call.arguments["query"], most, ranking)
        return browsing.fetched(task, call.arguments["url"], int(call.arguments.get("start", 0)))

    def _fault(self, task: TaskPackage, tool: str, number: int) -> str | None:
        access = self.access(task) or WebAccess()
        searching = tool == SEARCH.name
        rate, faults = (access.search_failures, _SEARCH_FAULTS) if searching else (access.fetch_failures, _FETCH_FAULTS)
        if not rate:
            return None
        drawn = hashlib.sha256(f"{self._seed or 0}/{tool}/{number}".encode()).digest()
        if int.from_bytes(drawn[:8], "big") >= rate * 2**64:
            return None
        return faults[drawn[8] % len(faults)]
