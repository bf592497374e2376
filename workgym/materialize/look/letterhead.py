"""Front matter of documents: whose paper it is, and what stands above and below every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workgym.materialize.carrier import Job
from workgym.materialize.look.look import Look, look_of
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near

_KNOWN = ("letterhead", "company", "address", "contact", "title", "header", "footer", "lang", "look", "reviewer")


@dataclass(frozen=True)
class Letterhead:
    """What a document's front matter says."""

    look: Look
    company: Marked
    """Name on top of the page; empty without a letterhead."""
    lines: tuple[Marked, ...]
    """Address and contact under it; one empty line where there is neither."""
    title: Marked
    """Title of the document, for its metadata."""
    header: Marked
    """A line on top of every page; may be empty."""
    footer: Marked
    """A line at the foot of every page; may be empty."""
    lang: str
    """Language, for its metadata."""
    reviewer: str = "Reviewer"
    """Who made the tracked changes and comments that name nobody."""


def letterhead(job: Job, fields: Mapping[str, Marked], *also: str) -> Letterhead:
    """The letterhead that the front matter asks for. Raises Fault for unknown fields and a missing company.

    ``also`` names further fields that a format knows.
    """
    known = [*_KNOWN, *also]
    for name in fields:
        if name not in known:
            raise Fault(f"front matter: unknown field {name!r}: {near(name, known)}")
    empty = Marked("")
    company = fields.get("company", empty)
    wanted = fields.get("letterhead", empty).plain.lower() in ("true", "yes", "on")
    if wanted and not company:
        raise Fault("front matter: a letterhead needs `company`")
    seed = fields.get("look", empty).plain or company.plain or job.look
    title = fields.get("title", empty)
    header = fields.get("header", empty)
    if not header and title and not wanted:
        header = title
    return Letterhead(
        look=look_of(seed),
        company=declared(company) if wanted else empty,
        lines=tuple(declared(fields[name]) for name in ("address", "contact") if fields.get(name)) or (empty,),
        title=title or Marked(job.title),
        header=declared(header),
        footer=declared(fields.get("footer", empty)),
        lang=fields.get("lang", Marked("en-GB")).plain,
        reviewer=fields.get("reviewer", empty).plain or "Reviewer",
    )


def declared(text: Marked) -> Marked:
    """A line of the frame whose numbers, where it prints no value, are decor as a whole."""
    if text.spans or not any(char.isdigit() for char in text.text):
        return text
    return text.decorated(0, len(text.text))
