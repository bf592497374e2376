"""The offline site of a task: addresses of its pages, and what its index says of each.

A page is kept at its *path*, the address without ``https://`` and with the ending of a file:
``rates.example/reference/march.html`` is ``https://rates.example/reference/march``. No path begins with a scheme, so
that places in pages are written as those in files.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field

from workgym.records.base import Record, Sparse

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}example")
_PART = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9._~-]*")
_SCHEME = "https://"
_INDEX = "index.html"
LONGEST = 400
"""Characters of an address."""

TITLE = 300
"""Characters of a title in the index; a longer one is cut."""
RESULTS = 10
"""Results that one search may ask for."""
PART = 8_000
"""Characters of a page in one answer."""

PageState = Literal["live", "dead", "slow", "moved"]
"""A page is there; the search lists it and it is gone; it never answers in time; its address leads to another page."""


class PageCard(Record):
    """What the index of the site says of one page."""

    path: str
    """Path of the page in ``external/``."""
    title: str = Field(max_length=TITLE)
    """The page's own title."""
    published: str | None = Field(default=None, pattern=r"^\d{4}-\d\d-\d\d$")
    """The date that the page gives itself, as ``YYYY-MM-DD``; None where it gives none."""
    state: PageState = "live"
    """What happens when it is fetched."""
    moved_to: str | None = None
    """Path of the page where a moved one is found now; None for the others."""

    @property
    def url(self) -> str:
        """Its address."""
        return page_url(self.path)


class WebAccess(Sparse):
    """How well the web tools of an episode work."""

    left_out: ClassVar[tuple[str, ...]] = ("ranking",)

    search_failures: float = Field(default=0.0, ge=0.0, lt=1.0)
    """Share of searches that fail, drawn by seed and number of the call; agents in use meet 0.10 to 0.22."""
    fetch_failures: float = Field(default=0.0, ge=0.0, lt=1.0)
    """Share of fetches that fail likewise; agents in use meet 0.40 to 0.48."""
    ranking: Literal[1, 2] | None = None
    """Which search answers: 1 lists every page that shares any word with the query, 2 counts no words of grammar and
    cuts off what fits far worse than the best. None for the newest; a log says which one it was, and where it says
    none it was 1."""

    @property
    def as_logged(self) -> WebAccess:
        """What a log means that says this."""
        return self if self.ranking is not None else self.model_copy(update={"ranking": 1})


def page_path(url: str) -> str:
    """The path of an address: ``https://rates.example/reference/`` is ``rates.example/reference/index.html``.

    Raises ValueError, in words for a person, for what is no address of an offline site.
    """
    if len(url) > LONGEST:
        raise ValueError(f"an address has at most {LONGEST} characters")
    if not url.startswith(_SCHEME):
        raise ValueError(f"{url!r} is no address; write https://<name>.example/<page>")
    host, _, rest = url.removeprefix(_SCHEME).partition("/")
    if not _HOST.fullmatch(host):
        raise ValueError(f"{host!r} is no name of a site; use small letters and a name that ends with .example")
    parts = rest.split("/")
    last = parts.pop()
    odd = next((part for part in (*parts, *([last] if last else [])) if not _PART.fullmatch(part)), None)
    if odd is not None:
        raise ValueError(f"{odd!r} is no part of an address; use letters, digits, and . _ ~ - after the first sign")
    named = _INDEX if not last else last if last.endswith(".html") else f"{last}.html"
    return "/".join((host, *parts, named))


def page_url(path: str) -> str:
    """The address of a page's path."""
    return _SCHEME + (path.removesuffix(_INDEX) if path.endswith(f"/{_INDEX}") else path.removesuffix(".html"))


def is_page(path: str) -> bool:
    """Whether a text is the path of a page: it comes back from its own address."""
    try:
        return page_path(page_url(path)) == path
    except ValueError:
        return False
