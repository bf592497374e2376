"""What a comparison with evaluation sets found, as records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from workgym.records import Record, digest

Kind = Literal["request copy", "request overlap", "file copy", "text copy", "table rows"]
"""What two things have in common."""
Judged = Literal["same", "different", "unsure"]
"""What a person says of a pair."""


class Settings(Record):
    """From where on something counts."""

    hard: float = Field(default=0.6, gt=0, le=1)
    """Share of the rare runs of three words of the shorter request that makes it a copy. A copy in which every tenth
    word was changed keeps some 70 %, with every fifth some 50 %, which is for a person to judge."""
    near: float = Field(default=0.2, gt=0, le=1)
    """Share from which a pair is told at all."""
    words: int = 20
    """Words that a file's text must have so that an equal text is no accident."""
    rows: int = 5
    """Distinctive rows in common from which a share of half a table is a copy; from three on they are told."""
    columns: tuple[str, ...] = ()
    """Columns of tables that hold requests, beside those whose names are known."""
    most: int = 2000
    """Pairs of each kind that a report lists; all are counted."""


class Match(Record):
    """Something of the corpus that stands in an evaluation set, too, or nearly."""

    pair: str
    """Name of the pair: a digest of kind and both contents, the same wherever they lie."""
    kind: Kind
    """What they have in common."""
    severity: Literal["hard", "soft"]
    """``hard``: evaluation data was reused, and the corpus must not be released so; ``soft``: a person should look."""
    ours: str
    """The task, and the file in it."""
    theirs: str
    """What it is like, in the evaluation set."""
    share: float = Field(ge=0, le=1)
    """How much they have in common, 1 for all."""
    reason: str
    """Why it counts, in one sentence."""
    here: str = ""
    """How ours begins, or the rows in common."""
    there: str = ""
    """How theirs begins."""
    decided: Judged | None = None
    """What a person said of it; None where nobody did."""
    by: str = ""
    """Who said so, and when and why, as they wrote it."""

    def __str__(self) -> str:
        said = f"; {self.by}" if self.by else ""
        return f"{self.kind}: {self.ours} and {self.theirs}: {self.reason}{said}"


class Report(Record):
    """A corpus against evaluation sets."""

    ours: str
    """The corpus, as it was named."""
    theirs: str
    """The evaluation sets, as they were named."""
    settings: Settings
    """From where on something counted."""
    tasks: int
    """Tasks of the corpus."""
    compared: Mapping[str, int]
    """How many requests, files, texts and rows there were on both sides, by ``ours requests`` and the like."""
    counts: Mapping[str, int]
    """Pairs by kind and severity: ``file copy, hard``; and pairs that a person called different: ``different``."""
    matches: tuple[Match, ...] = ()
    """The pairs, hard ones first, nearest first; at most ``settings.most`` of each kind."""
    unread: Mapping[str, str] = Field(default_factory=dict)
    """What could not be compared beyond its bytes, with the reason."""
    unread_requests: Mapping[str, str] = Field(default_factory=dict)
    """Requests and tables that could not be read, or of which it is not known, in whole or in part, what they ask for;
    an evaluation set without a request, too. Nothing is known of what they have in common with the corpus."""

    @property
    def hard(self) -> tuple[Match, ...]:
        """The pairs that must not be."""
        return tuple(match for match in self.matches if match.severity == "hard")

    @property
    def passed(self) -> bool:
        """Whether every request was compared and nothing was reused."""
        return not self.hard and not self.unread_requests


def pair_name(kind: Kind, ours: str, theirs: str) -> str:
    """``p-`` and twelve hexadecimal digits for two contents, given by their digests."""
    return "p-" + digest([kind, ours, theirs])[:12]
