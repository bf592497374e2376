"""A judge: a model that is asked a question several times, and whose median counts."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from workgym.errors import BudgetSpent, ModelError, ModelRefused, UsageError
from workgym.model import Model, ModelRequest, Sampling, drawn
from workgym.models import Retries
from workgym.records import Record
from workgym.trajectory import Redactor
from workgym.verify.judging.questions import PROMPT, Question, opinion
from workgym.verify.model import Answer, Pin

Fault = Literal["", "error", "unusable"]
"""What a sample lacked: nothing, an answer, or one that can be used."""

RAW = 4_000
"""Characters of an answer that are kept as evidence."""


class Settings(Record):
    """How a judge is asked."""

    samples: int = Field(default=3, ge=1, le=15)
    """How often each question is asked; odd, so that the median is a score that was given."""
    attempts: int = Field(default=3, ge=1)
    """How often one sample is tried until an answer can be used."""
    sampling: Sampling = Sampling()
    """How answers are drawn; what is None is left to the provider."""
    pages: bool = False
    """Whether the model takes pictures: pages are then shown beside the text."""
    wait: float = Field(default=2.0, ge=0)
    """Seconds before a second attempt after an error, twice as long before a third; up to half of it is left out."""

    @field_validator("samples")
    @classmethod
    def _odd(cls, samples: int) -> int:
        if samples % 2 == 0:
            raise ValueError("an odd number is wanted")
        return samples


@dataclass(frozen=True)
class Answered:
    """What came of one question."""

    score: float | None
    """The median of the samples; None where one of them could not be had."""
    answers: tuple[Answer, ...]
    """Every answer and error, in order."""
    fault: Fault = ""
    """Why there is no score: no answer came, or none that can be used."""

    @property
    def why(self) -> str:
        """The last error; empty where there is a score."""
        return "" if self.score is not None else self.answers[-1].error


class Judge:
    """A model with its settings. Thread-safe where the model is."""

    def __init__(self, model: Model, settings: Settings | None = None) -> None:
        """Raises UsageError where the model has no key."""
        self.model = model
        self.settings = settings or Settings()
        self._redactor = Redactor(tuple(model.secrets))

    @property
    def pin(self) -> Pin:
        """What its scores depend on beside what it is shown."""
        asked = self.settings
        sampling = drawn(self.model, asked.sampling)
        return Pin(model=self.model.name, prompt=PROMPT, sampling=sampling, samples=asked.samples, pages=asked.pages)

    def ask(self, question: Question) -> Answered:
        """Ask once for each sample, again where no answer can be used. Never raises for what a model does."""
        scores: list[float] = []
        answers: list[Answer] = []
        request = ModelRequest(messages=question.messages(), sampling=self.settings.sampling)
        for sample in range(self.settings.samples):
            fault = self._sample(request, sample, answers)
            if fault:
                return Answered(None, tuple(answers), fault)
            scores.append(answers[-1].score or 0.0)
        return Answered(float(statistics.median(scores)), tuple(answers))

    def _sample(self, request: ModelRequest, sample: int, answers: list[Answer]) -> Fault:
        """Append answers until one can be used, or none is to be had; what the last one lacked."""
        fault: Fault = "error"
        waits = Retries(first=self.settings.wait)
        for attempt in range(self.settings.attempts):
            # Another draw each time: a stored answer that could not be used would come again.
            draw = request.model_copy(update={"sample": sample + attempt * self.settings.samples})
            if attempt and fault == "error":
                time.sleep(waits.wait(attempt, draw.key))
            fault, answer, final = self._once(draw)
            answers.append(answer)
            if not fault or final:
                break
        return fault

    def _once(self, request: ModelRequest) -> tuple[Fault, Answer, bool]:
        """What is wrong with an answer, the answer, and whether it would be the same the next time."""
        try:
            reply = self.model.complete(request)
        except UsageError:
            raise  # a configuration that its user can put right
        except ModelError as error:
            # Refused for good, or tried again by the model itself already.
            final = isinstance(error, ModelRefused | BudgetSpent) or error.attempts > 1
            return "error", Answer(raw="", error=self._redactor.text(str(error))[:RAW]), final
        except Exception as error:  # noqa: BLE001 - the boundary: a model is anybody's code, and its failure no score
            return "error", Answer(raw="", error=self._redactor.text(f"{type(error).__name__}: {error}")[:RAW]), False
        said = reply.text
        raw = self._redactor.text(said)
        raw = raw if len(raw) <= RAW else f"{raw[: RAW // 2]} [...] {raw[-RAW // 2 :]}"
        if reply.stop in ("filter", "length"):
            return "unusable", Answer(raw=raw, error=f"the answer was cut off ({reply.stop})"), False
        try:
            return "", Answer(raw=raw, score=float(opinion(said).score)), False
        except ValueError as error:
            return "unusable", Answer(raw=raw, error=str(error)), False
