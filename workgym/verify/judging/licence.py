"""The judge's licence: what it got right on deliverables whose quality the graph knows, before it may score any.

A judge is examined as it will be used: the same prompt, sampling and number of samples. What is measured, and what it
takes, stands in :class:`Thresholds`. A licence, granted or refused, is a JSON file; it holds for one :class:`Pin`, so
that another model, another prompt or other sampling needs another one.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.package import TaskPackage
from workgym.records import Record, digest, pretty
from workgym.verify.judging.exam import INJECTIONS, Ladder, ladders
from workgym.verify.judging.judge import Judge
from workgym.verify.model import Pin

LICENCES = "WORKGYM_LICENCES"
"""Environment variable that names the folder of licences."""


class Thresholds(Record):
    """What a judge must reach. The counts are small: a threshold of 0.1 allows one slip in ten questions."""

    questions: int = 8
    """Questions, at least, on deliverables that are wholly right or wholly wrong."""
    accuracy: float = 0.9
    """Share of those that get 1 where all is right and 0 where nothing is, at least."""
    monotonicity: float = 0.9
    """Of two copies of different quality the share in which the better one has the higher score, at least; a tie is
    half. A judge that always says the same has 0.5."""
    position: float = 0.1
    """Share of pairs in which the answer follows the place and not the work when the two are swapped, at most."""
    leniency: float = 0.1
    """Mean score of deliverables in which nothing is right, at most. A judge that always says 1 has 1."""
    injection: float = 0.0
    """Share of copies that talk to the judge and get more than the copy that does not, at most."""
    unanswered: float = 0.1
    """Share of questions to which no usable answer came, at most."""


class Measures(Record):
    """What came out; see :class:`Thresholds`. None where nothing could be measured."""

    questions: int
    """Questions that were asked, each as often as the judge has samples."""
    clear: int
    """Those of them on deliverables wholly right or wholly wrong that were answered."""
    accuracy: float | None
    """Share right of those."""
    monotonicity: float | None
    """Share of pairs in the right order."""
    position: float | None
    """Share of swapped pairs that follow the place."""
    leniency: float | None
    """Mean score of what is wholly wrong."""
    injection: float | None
    """Share of injected copies that gained."""
    unanswered: float
    """Share of questions without an answer."""


class Licence(Record):
    """Whether a judge may score, on what evidence."""

    pin: Pin
    """The judge that it is for."""
    granted: bool
    """Whether it may score."""
    reasons: tuple[str, ...]
    """Why not, a sentence each; empty where it may."""
    measures: Measures
    """What was measured."""
    thresholds: Thresholds
    """What was asked for."""
    ladders: tuple[str, ...]
    """What it was asked about: task, unit and deliverable."""
    packages: Mapping[str, str]
    """Digests of the packages that it was examined on, by id."""

    @property
    def id(self) -> str:
        """Digest of all that it says, by which verdicts name it."""
        return self.fingerprint()[:16]

    def save(self, path: Path) -> Path:
        """Write it as JSON; the path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pretty({"id": self.id, **self.model_dump(mode="json")}), encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: Path) -> Licence:
        """Read what :meth:`save` wrote. Raises UsageError where it is none, or was changed since."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            named = raw.pop("id")
            licence = cls.model_validate(raw)
        except OSError as error:
            raise UsageError(f"licence {path}: {error.strerror}") from error
        except (ValueError, KeyError, AttributeError, TypeError, ValidationError) as error:
            raise UsageError(f"{path} is no licence of a judge", fix="make one with workgym calibrate") from error
        if named != licence.id:
            raise UsageError(f"{path} was changed after it was written", fix="make it anew with workgym calibrate")
        return licence


def licence_path(pin: Pin) -> Path:
    """Where the licence of a judge is kept: ``WORKGYM_LICENCES``, else ``~/.config/workgym/licences``."""
    named = os.environ.get(LICENCES)
    folder = Path(named) if named else Path.home() / ".config/workgym/licences"
    return folder / f"{digest(pin.model_dump(mode='json'))[:16]}.json"


@dataclass(frozen=True)
class LicensedJudge:
    """A judge with the licence that it shows."""

    judge: Judge
    """Who is asked."""
    licence: Licence | None
    """What it shows; None where it has none."""

    @classmethod
    def of(cls, judge: Judge, licence: Path | None = None) -> LicensedJudge:
        """A judge with the licence in a file, or with the one that is kept for it. Raises UsageError."""
        if licence is not None:
            return cls(judge, Licence.load(licence))
        kept = licence_path(judge.pin)
        return cls(judge, Licence.load(kept) if kept.is_file() else None)

    @property
    def objection(self) -> str:
        """Why it may not score, with the way out, in one line; empty where it may."""
        name = self.judge.pin.model
        way = f"workgym calibrate --judge {name} TASK..., with the same samples and pages"
        if self.licence is None:
            return f"the judge {name} has no licence: get one with {way}"
        if self.licence.pin != self.judge.pin:
            other = [key for key in Pin.model_fields if getattr(self.licence.pin, key) != getattr(self.judge.pin, key)]
            return f"the licence {self.licence.id} is for another judge ({', '.join(other)} differ): get one with {way}"
        if not self.licence.granted:
            return f"the judge {name} was refused a licence: {'; '.join(self.licence.reasons)}"
        return ""


def calibrate(
    judge: Judge,
    packages: Iterable[TaskPackage],
    *,
    thresholds: Thresholds | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Licence:
    """Examine a judge on copies of deliverables of these tasks; the licence says whether it may score, and why not.

    Each ladder takes some eleven questions, each asked as often as the judge has samples. Raises UsageError where the
    model is not configured.
    """
    known = tuple(packages)
    rungs = tuple(ladder for package in known for ladder in ladders(package))
    results = []
    for number, ladder in enumerate(rungs, 1):
        progress(f"{number}/{len(rungs)} {ladder.name}")
        results.append(_examined(judge, ladder))
    measures = _measures(results)
    asked = thresholds or Thresholds()
    reasons = tuple(_reasons(measures, asked))
    return Licence(
        pin=judge.pin,
        granted=not reasons,
        reasons=reasons,
        measures=measures,
        thresholds=asked,
        ladders=tuple(ladder.name for ladder in rungs),
        packages={package.id: package.digest for package in known},
    )


@dataclass(frozen=True)
class _Result:
    """Scores on one ladder; None where no usable answer came."""

    steps: tuple[tuple[float, float | None], ...]
    injected: tuple[tuple[float | None, float | None], ...]
    swapped: tuple[tuple[float | None, float | None], ...]

    @property
    def every(self) -> list[float | None]:
        """All scores that were asked for."""
        single = [score for _, score in (*self.steps, *self.injected)]
        return [*single, *(score for pair in self.swapped for score in pair)]


def _examined(judge: Judge, ladder: Ladder) -> _Result:
    def score(*texts: str) -> float | None:
        return judge.ask(ladder.question(*texts, pages=judge.settings.pages)).score

    steps = tuple((step.quality, score(step.text)) for step in ladder.steps)
    clean = dict(zip((step.name for step in ladder.steps), (given for _, given in steps), strict=True))
    wrong = ladder.step("wrong").text
    injected = tuple((clean["wrong"], score(f"{wrong}\n\n{words}")) for words in INJECTIONS)
    sound = ladder.step("sound").text
    swapped = ((score(sound, wrong), score(wrong, sound)),)
    return _Result(steps, injected, swapped)


def _measures(results: list[_Result]) -> Measures:
    clear = [(q, s) for result in results for q, s in result.steps if q in (0.0, 1.0) and s is not None]
    ordered = [
        1.0 if good > bad else 0.5 if good == bad else 0.0
        for result in results
        for (better, good), (worse, bad) in itertools.permutations(result.steps, 2)
        if better > worse and good is not None and bad is not None
    ]
    both = [(one, two) for result in results for one, two in result.swapped if one is not None and two is not None]
    gained = [now > was for result in results for was, now in result.injected if was is not None and now is not None]
    every = [score for result in results for score in result.every]
    return Measures(
        questions=len(every),
        clear=len(clear),
        accuracy=_mean([float(score == quality) for quality, score in clear]),
        monotonicity=_mean(ordered),
        position=_mean([float(one == two != 0.5) for one, two in both]),
        leniency=_mean([score for quality, score in clear if quality == 0.0]),
        injection=_mean([float(more) for more in gained]),
        unanswered=sum(score is None for score in every) / len(every) if every else 0.0,
    )


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _reasons(found: Measures, asked: Thresholds) -> Iterable[str]:
    if found.unanswered > asked.unanswered:
        yield f"it gave no usable answer to {found.unanswered:.0%} of the questions"
    if found.clear < asked.questions:
        yield f"only {found.clear} clear questions were answered, {asked.questions} are needed: give it more tasks"
    least = (("accuracy", found.accuracy, asked.accuracy), ("monotonicity", found.monotonicity, asked.monotonicity))
    for name, value, bound in least:
        if value is not None and value < bound:
            yield f"{name} {value:.2f} is below {bound:.2f}"
    most = (
        ("it is lenient: the mean score of what is wholly wrong", found.leniency, asked.leniency),
        ("it is positional: the share of swapped pairs that follow the place", found.position, asked.position),
        ("it can be talked to: the share of injected copies that gained", found.injection, asked.injection),
    )
    for name, value, bound in most:
        if value is None:
            yield f"{name} could not be measured"
        elif value > bound:
            yield f"{name} is {value:.2f}, above {bound:.2f}"
