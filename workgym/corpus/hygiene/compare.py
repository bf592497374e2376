"""A corpus against evaluation sets: everything that is compared, in one pass over the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workgym.corpus.hygiene.extracts import Extracts
from workgym.corpus.hygiene.files import Files
from workgym.corpus.hygiene.holdings import Holding
from workgym.corpus.hygiene.model import Match, Report, Settings
from workgym.corpus.hygiene.queue import Entry
from workgym.corpus.hygiene.requests import overlaps
from workgym.corpus.hygiene.words import excerpt

_FINAL = ("request copy", "file copy")
"""Kinds of exact copies: where they are hard, no decision makes them something else."""


def compare(
    ours: Holding,
    theirs: Holding,
    *,
    decisions: Mapping[str, Entry] | None = None,
    settings: Settings | None = None,
    cache: Path | str = ":memory:",
    progress: Callable[[str], None] = lambda line: None,
) -> Report:
    """Everything in the corpus that stands in the evaluation sets, too, or nearly.

    ``decisions`` are what people said of pairs before, see :mod:`.queue`. Raises UsageError where no cache can be kept.
    """
    settings = settings or Settings()
    tally = _Tally(settings, decisions or {})
    for match in overlaps(ours.requests, theirs.requests, settings, progress):
        tally.add(match)
    with Extracts(cache) as extracts:
        there = Files(extracts.of(theirs.files, _told(progress, theirs.label)), settings)
        texts = rows = 0
        refused: dict[str, str] = {}
        for file, extract in extracts.of(ours.files, _told(progress, ours.label)):
            texts, rows = texts + bool(extract.text), rows + len(extract.rows)
            if extract.refused:
                refused[file.name] = extract.refused
            for match in there.same(file, extract):
                tally.add(match)
    compared = {
        "ours requests": len(ours.requests),
        "ours files": len(ours.files),
        "ours texts": texts,
        "ours rows": rows,
        "theirs requests": len(theirs.requests),
        "theirs files": len(theirs.files),
        "theirs texts": there.texts,
        "theirs rows": there.rows,
    }
    return Report(
        ours=ours.label,
        theirs=theirs.label,
        settings=settings,
        tasks=ours.tasks,
        compared=compared,
        counts=dict(sorted(tally.counts.items())),
        matches=tally.listed(),
        unread={**there.refused, **refused},
        unread_requests={**theirs.unread, **ours.unread},
    )


def _told(progress: Callable[[str], None], label: str) -> Callable[[str], None]:
    return lambda line: progress(f"{excerpt(label, 40)}: {line}")


class _Tally:
    """Pairs, with what people said of them, counted and listed up to a bound."""

    def __init__(self, settings: Settings, decisions: Mapping[str, Entry]) -> None:
        self._most, self._decisions = settings.most, decisions
        self._matches: dict[tuple[str, str], list[Match]] = {}
        self.counts: Counter[str] = Counter()

    def add(self, match: Match) -> None:
        said = self._decisions.get(match.pair)
        final = match.kind in _FINAL and match.severity == "hard"
        if said is not None and said.decision and not final:
            if said.decision == "different":
                self.counts["different"] += 1
                return
            severity = "hard" if said.decision == "same" else match.severity
            match = match.model_copy(update={"severity": severity, "decided": said.decision, "by": said.by})
        self.counts[f"{match.kind}, {match.severity}"] += 1
        kept = self._matches.setdefault((match.severity, match.kind), [])
        kept.append(match)
        if len(kept) > 2 * self._most:
            self._shorten(kept)

    def listed(self) -> tuple[Match, ...]:
        for kept in self._matches.values():
            self._shorten(kept)
        found = [match for kept in self._matches.values() for match in kept]
        return tuple(sorted(found, key=lambda match: (match.severity, *_order(match))))

    def _shorten(self, kept: list[Match]) -> None:
        kept.sort(key=_order)
        del kept[self._most :]


def _order(match: Match) -> tuple[float, str, str, str]:
    return -match.share, match.kind, match.ours, match.theirs


def nearest(matches: Iterable[Match], most: int) -> list[Match]:
    """The pairs that a person should look at: below the line of a copy and not yet decided, the nearest first."""
    found = [match for match in matches if match.severity == "soft" and match.decided != "same"]
    return sorted(found, key=_order)[:most]
