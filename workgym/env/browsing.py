"""What the web tools answer: results of a search, and pages part by part; every refusal says what to do."""

from __future__ import annotations

from workgym.env.site import Site, site
from workgym.package import TaskPackage
from workgym.records import PageCard, ToolResult, page_url
from workgym.records.web import PART

_QUERY, _ADDRESS = 400, 2_000
"""Characters of a query and of an address."""


def searched(task: TaskPackage, query: str, most: int, ranking: int) -> ToolResult:
    """What ``web_search`` answers; ``ranking`` is the one of the episode."""
    if len(query) > _QUERY:
        return _error(f"The query has {len(query)} characters; write at most {_QUERY}: a few words find more.")
    hits = site(task).search(query, most, ranking)
    if not hits:
        return ToolResult(text="No page fits these words. Use fewer or other ones.")
    parts = []
    for number, hit in enumerate(hits, 1):
        dated = f" ({hit.card.published})" if hit.card.published else ""
        lines = [f"{number}. {hit.card.title}{dated}", f"   {hit.card.url}"]
        parts.append("\n".join((*lines, f"   {hit.snippet}") if hit.snippet else lines))
    return ToolResult(text="\n\n".join(parts))


def fetched(task: TaskPackage, url: str, start: int) -> ToolResult:
    """What ``web_fetch`` answers."""
    if len(url) > _ADDRESS:
        return _error(f"The address has {len(url)} characters; write at most {_ADDRESS}.")
    found = site(task)
    card = found.page(url)
    if card is None:
        return _error(f"There is no page at {url} (404). Take an address that web_search gives.")
    if card.state == "dead":
        return _error(f"{card.url} is not there any more (404). Look for another page that says the same.")
    if card.state == "slow":
        return _error(f"{card.url} did not answer, and will not. Look for another page that says the same.")
    if card.moved_to is not None:
        target = found.page(page_url(card.moved_to))
        if target is None or target.state != "live":
            return _error(f"{card.url} has moved, and is not there any more (404). Look for another page.")
        return _shown(found, target, start, f"{card.url} has moved to {target.url}\n")
    return _shown(found, card, start, "")


def _shown(found: Site, card: PageCard, start: int, said: str) -> ToolResult:
    text = found.text(card.path)
    if start and start >= len(text):
        return _error(f"{card.url} has {len(text)} characters, counted from 0; start={start} is behind its end.")
    dated = f"Published: {card.published}\n" if card.published else ""
    head = f"{said}{card.title}\n{card.url}\n{dated}"
    end = min(start + PART, len(text))
    more = f"; go on with start={end}" if end < len(text) else ""
    tail = f"\n[characters {start} to {end} of {len(text)}{more}]" if start or more else ""
    return ToolResult(text=f"{head}\n{text[start:end] or 'The page is empty.'}{tail}")


def _error(text: str) -> ToolResult:
    return ToolResult(text=text, is_error=True)
