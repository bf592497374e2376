"""Pages of an offline site: what a web tool shows of one, and the card that the site's index has of it.

Everything is read off the page as it is written: title, date (``<meta name="date">``) and text. So the index follows
where an edit changes a page, and nothing can be said of a page that does not stand there.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Mapping

from workgym.documents import Document, Fragment, read
from workgym.errors import Unreadable
from workgym.plan import ArtifactSpec, PageSpec
from workgym.records import PageCard
from workgym.records.web import TITLE

DATE = "meta.date"
"""Label of the place where a page says its own date."""


def cards(specs: Iterable[ArtifactSpec], pages: Mapping[str, bytes]) -> tuple[PageCard, ...]:
    """The index of pages that we wrote ourselves, in the order of their paths; a damaged one has no title."""
    found = [_indexed(spec.path, spec.page, pages[spec.path]) for spec in specs if spec.page and spec.path in pages]
    return tuple(sorted(found, key=lambda one: one.path))


def unreachable(index: Iterable[PageCard]) -> frozenset[str]:
    """Paths of pages that no web tool shows, though a search lists them: what stands there alone stands nowhere."""
    return frozenset(one.path for one in index if one.state != "live")


def _indexed(path: str, page: PageSpec, content: bytes) -> PageCard:
    try:
        return card(page, read(path, content))
    except Unreadable:
        return PageCard(path=path, title="", state=page.state, moved_to=page.moved_to)


def card(page: PageSpec, document: Document) -> PageCard:
    """The card of one page."""
    return PageCard(
        path=document.path,
        title=" ".join((document.text_at("title") or "").split())[:TITLE],
        published=published(document),
        state=page.state,
        moved_to=page.moved_to,
    )


def published(document: Document) -> str | None:
    """The date that a page gives itself, or None where it gives none, or one of another form."""
    for fragment in document.fragments:
        if fragment.label == DATE:
            try:
                return datetime.date.fromisoformat(fragment.text.strip()).isoformat()
            except ValueError:
                return None
    return None


def seen(document: Document) -> tuple[Fragment, ...]:
    """What a web tool shows of a page: its title, its date, and what a browser shows."""
    return tuple(one for one in document.fragments if not one.hidden or one.label == DATE)


def body(document: Document) -> tuple[str, ...]:
    """The text of a page in lines: a line for each block, the cells of a row between tabs, empty ones too."""
    told = [one for one in seen(document) if one.at != "title" and one.label != DATE]
    widths: dict[str, int] = {}
    for one in told:
        if one.table is not None:
            widths[one.table] = max(widths.get(one.table, 0), one.column or 0)
    lines: list[str] = []
    for (table, _), group in itertools.groupby(told, key=lambda one: (one.table, one.row)):
        if table is None:
            lines += [line for one in group for line in one.text.split("\n")]
            continue
        cells = {one.column: " ".join(one.text.split()) for one in group}
        lines.append("\t".join(cells.get(column, "") for column in range(1, widths[table] + 1)))
    return tuple(lines)
