"""The judge at the library's door: reasons first, then scores on coherence, fit and plausibility."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workgym.intents.drafting import PROMPTS, fenced, groups, shown
from workgym.intents.forms import Scores
from workgym.model import Message, Model, ModelRequest
from workgym.models import Asker
from workgym.records import Intent, Record, digest
from workgym.records.soc import soc

Aspect = Literal["coherence", "fit", "plausibility"]
ASPECTS: tuple[Aspect, ...] = ("coherence", "fit", "plausibility")
"""What is looked at: does it hold together, is it this occupation's work, would it happen."""
THRESHOLD = 4
"""Score that each of them needs: sound, with a small flaw at most."""


class Opinion(Record):
    """What a judge says of one aspect."""

    aspect: Aspect
    """What it is about."""
    reasons: str
    """Why, said before the score."""
    score: int = Field(ge=1, le=5)
    """1 fails, 5 leaves nothing to object to."""


class Review(Record):
    """What a judge says of an intent."""

    intent: str
    """Id of the intent."""
    opinions: tuple[Opinion, ...] = Field(min_length=3, max_length=3)
    """One for each aspect."""
    threshold: int = THRESHOLD
    """Score that each aspect needs."""
    model: str
    """The judge."""
    prompt: str
    """Digest of what it was told to do."""

    @property
    def admitted(self) -> bool:
        """Whether every aspect reaches the threshold."""
        return not self.short

    @property
    def short(self) -> tuple[Aspect, ...]:
        """Aspects that do not."""
        return tuple(opinion.aspect for opinion in self.opinions if opinion.score < self.threshold)


def review(model: Model, intent: Intent, *, threshold: int = THRESHOLD) -> Review:
    """What a judge model says of an intent, of which it sees nothing but the intent itself: no source, no provenance.

    Raises ModelError; Unstructured where it comes to no review.
    """
    code = intent.role.occupation
    told = PROMPTS["review"].render(
        code=code, title=soc().all[code].title, groups=groups(code), intent=fenced(shown(intent))
    )
    messages = (Message.of("system", PROMPTS["judge"].text), Message.of("user", told))
    asker: Asker[Scores] = Asker(model, Scores)
    scores = asker.ask(ModelRequest(messages=messages)).value
    return Review(
        intent=intent.id,
        opinions=tuple(
            Opinion(aspect=aspect, reasons=getattr(scores, f"about_{aspect}"), score=getattr(scores, aspect))
            for aspect in ASPECTS
        ),
        threshold=threshold,
        model=model.name,
        prompt=digest([PROMPTS["judge"].text, PROMPTS["review"].text])[:12],
    )
