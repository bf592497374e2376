"""Which requests say the same: by an exact count of rare runs of three words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from workgym.corpus.hygiene.held import Request
from workgym.corpus.hygiene.model import Kind, Match, Settings, pair_name
from workgym.corpus.hygiene.words import excerpt, text_digest
from workgym.intents import dedup
from workgym.intents.dedup.words import words

SHORT = 5
"""Words below which an equal request is no copy: ``please see attached``."""
ENOUGH = 8
"""Runs that a copy that was edited must share at least."""
_EVERY = 1000


def overlaps(
    ours: Sequence[Request], theirs: Sequence[Request], settings: Settings, progress: Callable[[str], None]
) -> Iterator[Match]:
    """For each request of ours the nearest one of theirs, where they have enough in common to be told.

    How common a run of words is counts in theirs alone: what a template says in ten thousand tasks of ours is no mere
    turn of phrase where an evaluation task says it, too.
    """
    index = dedup.Index(settings.near)
    for request in theirs:
        index.add(request.text)
    for number, request in enumerate(ours, 1):
        found = index.nearest(request.text)
        if found is not None:
            yield _match(request, theirs[found.first], found, settings)
        if number % _EVERY == 0:
            progress(f"{number:,} of {len(ours):,} requests compared")


def _match(ours: Request, theirs: Request, found: dedup.Match, settings: Settings) -> Match:
    count = len(words(ours.text))
    if found.kind == "exact":
        reason, hard = f"the same {count:,} words in their order", count >= SHORT
    elif found.kind == "masked":
        reason, hard = "the same text but for names and figures", count >= SHORT
    else:
        reason = f"{found.containment:.0%} of the rare runs of three words of the shorter one stand in the other"
        hard = found.containment >= settings.hard and found.shared >= ENOUGH
    kind: Kind = "request copy" if found.kind == "exact" else "request overlap"
    return Match(
        pair=pair_name(kind, text_digest(ours.text), text_digest(theirs.text)),
        kind=kind,
        severity="hard" if hard else "soft",
        ours=f"{ours.owner}/request.md",
        theirs=theirs.owner,
        share=min(1.0, found.containment),
        reason=reason,
        here=excerpt(ours.text),
        there=excerpt(theirs.text),
    )
