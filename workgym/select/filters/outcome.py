"""Outcome: the recorded verdict. What could not be scored has no score, is dropped, and is counted by itself."""

from __future__ import annotations

from workgym import harness as harnesses
from workgym.errors import UsageError
from workgym.select.config import Outcome
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Story

NAME = "outcome"


def unscored(story: Story) -> str | None:
    """Why there is no score: no verdict, or one that could not be had; None where there is one."""
    if story.verdict is None:
        return "it was never graded"
    if story.verdict.state == "unscored":
        record = story.verdict.record if isinstance(story.verdict.record, dict) else {}
        return f"it could not be graded{': ' + str(record['error']) if record.get('error') else ''}"
    return None


def outcome(story: Story, config: Outcome, *, control: bool = False) -> Score | None:
    """The reward; 0 for an end that is not taken and for a ``control``, see :func:`is_control`. None where unscored."""
    if story.verdict is None or unscored(story) is not None:
        return None
    if control and not config.controls:
        return scored(NAME, 0.0, config.least, f"{story.episode.harness} is a control, which sees hidden content")
    end = story.end.reason if story.end is not None else "cut off"
    if end not in config.ends:
        last = (story.calls[-1].call.index,) if story.calls else ()
        return scored(NAME, 0.0, config.least, f"it ended by {end!r}", [Evidence(what=f"the end: {end}", calls=last)])
    reward = story.verdict.reward
    return scored(NAME, reward, config.least, f"{story.verdict.state}, reward {reward:g}")


def is_control(harness: str) -> bool:
    """Whether a harness is a control that sees hidden content; one that is not on the shelf is none."""
    try:
        return harnesses.manifest(harness).oracle
    except UsageError:  # a callable, or a harness of another machine
        return False
