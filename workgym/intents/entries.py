"""What a library keeps of each candidate, and what all of them add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from workgym.intents.coverage import Coverage, coverage
from workgym.intents.reviewing import ASPECTS, Review
from workgym.records import Intent, Record

FORMAT = 1
"""Version of the lines; another one is refused."""
Status = Literal["admitted", "rejected", "duplicate", "dropped"]


class Entry(Record):
    """One candidate, and what became of it."""

    format: int = FORMAT
    """Version of the line."""
    slot: str
    """What it was made as: source, seed and number; for a chained one the intent that it follows."""
    status: Status
    """Admitted, rejected by the judge, refused as a near-duplicate, or dropped before there was an intent."""
    intent: Intent | None = None
    """The intent; None where there is none."""
    review: Review | None = None
    """What the judge said; None where none was asked."""
    repeats: str = ""
    """Id of the admitted intent that a near-duplicate repeats."""
    reason: str = ""
    """Why it was dropped, or how it repeats another one."""

    @property
    def why(self) -> str:
        """Why it was not admitted; empty where it was."""
        if self.status == "duplicate":
            return f"repeats {self.repeats} ({self.reason})"
        if self.status == "rejected" and self.review:
            return f"short on {', '.join(self.review.short)}"
        return self.reason

    @property
    def about(self) -> str:
        """Who wants which files; why it was dropped where there is no intent."""
        if self.intent is None:
            return self.reason
        files = ", ".join(file.format for file in self.intent.wanted)
        return f"{self.intent.role.title} ({self.intent.role.occupation}), {files}"

    def __str__(self) -> str:
        return f"{self.slot} {self.status}: {self.why or self.about}"


class Stats(Record):
    """What is in a library."""

    intents: int
    """Admitted intents."""
    statuses: Mapping[str, int]
    """Candidates by what became of them."""
    sources: Mapping[str, int]
    """Admitted ones by source; chained ones count apart."""
    short: Mapping[str, int]
    """Rejected ones by the aspects that fell short; one may count for several."""
    reasons: Mapping[str, int]
    """Dropped ones by what did not hold at last."""
    formats: Mapping[str, int]
    """Files that admitted intents want, by format."""
    scores: Mapping[str, float]
    """Mean score of all reviewed ones, by aspect."""
    models: Mapping[str, int]
    """Admitted ones by the model that wrote them."""
    coverage: Coverage
    """What of SOC 2018 the admitted ones cover."""


def tally(entries: Iterable[Entry]) -> Stats:
    """The sums over candidates."""
    statuses, sources, short, reasons, formats, models, occupations = (Counter[str]() for _ in range(7))
    scores: dict[str, list[int]] = {aspect: [] for aspect in ASPECTS}
    for entry in entries:
        statuses[entry.status] += 1
        for opinion in entry.review.opinions if entry.review else ():
            scores[opinion.aspect].append(opinion.score)
        if entry.status == "rejected" and entry.review:
            short.update(entry.review.short)
        if entry.status == "dropped":
            reasons[entry.reason.partition(":")[0]] += 1
        if entry.status == "admitted" and entry.intent:
            sources["chain" if entry.intent.after else entry.intent.source] += 1
            formats.update(file.format for file in entry.intent.wanted)
            models[entry.intent.provenance.get("model", "")] += 1
            occupations[entry.intent.role.occupation] += 1
    return Stats(
        intents=statuses["admitted"],
        statuses=_ordered(statuses),
        sources=_ordered(sources),
        short=_ordered(short),
        reasons=_ordered(reasons),
        formats=_ordered(formats),
        scores={aspect: round(sum(given) / len(given), 2) for aspect, given in scores.items() if given},
        models=_ordered(models),
        coverage=coverage(occupations),
    )


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
