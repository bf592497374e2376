"""A judge: a model that is asked a question several times, and whose median counts."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from workgym.errors import ModelError, UsageError
from workgym.model import Model, ModelRequest, Sampling
from workgym.models import OpenAIModel
from workgym.records import Record
from workgym.trajectory import Redactor
from workgym.verify.model import Answer, Pin
from workgym.verify.questions import PROMPT, Question, opinion

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
    """Seconds before a second attempt after an error, twice as long before a third."""

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
    fault: Literal["", "error", "unusable"] = ""
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
        asked, drawn = self.settings, self.settings.sampling
        if isinstance(self.model, OpenAIModel):  # what the request leaves open, its configuration may say
            said = self.model.config.sampling.model_dump(exclude_none=True) | drawn.model_dump(exclude_none=True)
            drawn = Sampling.model_validate(said)
        return Pin(model=self.model.name, prompt=PROMPT, sampling=drawn, samples=asked.samples, pages=asked.pages)

    def ask(self, question: Question) -> Answered:
        """Ask once for each sample, again where no answer can be used. Never raises for what a model does."""
        scores: list[float] = []
        answers: list[Answer] = []
        request = ModelRequest(messages=question.messages(), sampling=self.settings.sampling)
        for _ in range(self.settings.samples):
            fault = self._sample(request, answers)
            if fault:
                return Answered(None, tuple(answers), fault)
            scores.append(answers[-1].score or 0.0)
        return Answered(float(statistics.median(scores)), tuple(answers))

    def _sample(self, request: ModelRequest, answers: list[Answer]) -> Literal["", "error", "unusable"]:
        """Append answers until one can be used; what the last one lacked."""
        fault: Literal["", "error", "unusable"] = "error"
        for attempt in range(self.settings.attempts):
            if attempt and fault == "error":
                time.sleep(self.settings.wait * 2 ** (attempt - 1))
            fault, answer = self._once(request)
            answers.append(answer)
            if not fault:
                break
        return fault

    def _once(self, request: ModelRequest) -> tuple[Literal["", "error", "unusable"], Answer]:
        try:
            reply = self.model.complete(request)
        except UsageError:
            raise  # a configuration that its user can put right
        except ModelError as error:
            return "error", Answer(raw="", error=self._redactor.text(str(error))[:RAW])
        except Exception as error:  # noqa: BLE001 - the boundary: a model is anybody's code, and its failure no score
            return "error", Answer(raw="", error=self._redactor.text(f"{type(error).__name__}: {error}")[:RAW])
        said = reply.text
        raw = self._redactor.text(said)
        raw = raw if len(raw) <= RAW else f"{raw[: RAW // 2]} [...] {raw[-RAW // 2 :]}"
        if reply.stop in ("filter", "length"):
            return "unusable", Answer(raw=raw, error=f"the answer was cut off ({reply.stop})")
        try:
            return "", Answer(raw=raw, score=float(opinion(said).score))
        except ValueError as error:
            return "unusable", Answer(raw=raw, error=str(error))
