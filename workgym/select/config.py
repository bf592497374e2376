"""What a selection asks of a trajectory: a switch and thresholds for each filter, in one YAML file.

Every filter gives a score from 0 to 1, where 1 is nothing to hold against it; what is below ``least`` is dropped.
"""

from __future__ import annotations

from pydantic import Field

from workgym.records import Record


class Filter(Record):
    """What all filters have."""

    use: bool = True
    """Whether it counts; a filter that is off gives no score."""
    least: float = Field(default=0.8, ge=0, le=1)
    """The lowest score that passes."""


class Integrity(Filter):
    """The log is whole and agrees with itself. There is nothing between 0 and 1."""

    least: float = Field(default=1.0, ge=0, le=1)
    """The lowest score that passes."""


class Outcome(Filter):
    """The work was graded well, and ended of itself. The score is the reward; an unscored end has none."""

    ends: tuple[str, ...] = ("closed",)
    """Ends that are taken, as the log names them; any other has score 0."""
    controls: bool = False
    """Whether rollouts of controls that see hidden content (the expert) are taken."""


class RepeatedReasoning(Filter):
    """The solver says the same again. The score is the share of its words that are not said again."""

    least: float = Field(default=0.7, ge=0, le=1)
    """The lowest score that passes."""
    shingle: int = Field(default=2, ge=1)
    """Words of one shingle."""
    alike: float = Field(default=0.6, gt=0, le=1)
    """Share of a message's shingles that stand in one earlier message, from which on it says the same."""
    words: int = Field(default=12, ge=1)
    """Shortest message that is looked at: short ones are formulas of politeness and of work."""
    words_of_another: int = Field(default=60, ge=1)
    """The same for one that names something (a name, a number, a path) that the earlier message did not: sentences of
    one form about one thing after the other are work."""


class RepeatedCalls(Filter):
    """The solver calls the same again and learns nothing by it. The score is the share of calls that do not."""

    alike: float = Field(default=0.9, gt=0, le=1)
    """Likeness of arguments, from which on two calls of one tool with one answer are the same."""
    in_a_row: int = Field(default=4, ge=2)
    """So often in a row a call, or a round of calls, is a loop: the score is then 0."""
    period: int = Field(default=6, ge=1)
    """Longest round of calls that is looked for."""


class ThinDeliverables(Filter):
    """Less was handed in than was asked for. The score is the least ratio over all deliverables."""

    least: float = Field(default=0.6, ge=0, le=1)
    """The lowest score that passes."""
    cells_per_fact: float = Field(default=1.0, ge=0)
    """Filled cells, or values of data files, that each fact asked for takes at least."""
    words_per_fact: float = Field(default=3.0, ge=0)
    """Words that each fact asked for takes at least, where a deliverable is prose."""
    of_peers: float = Field(default=0.4, ge=0, le=1)
    """Share of the median size of the other rollouts of this task that is enough."""
    peers: int = Field(default=2, ge=1)
    """Other rollouts of a task that it takes for that comparison."""


class UnsupportedClaims(Filter):
    """The last message claims what is not so. A file or an act that is not there gives 0."""

    digits: int = Field(default=3, ge=1)
    """Significant digits from which on a number of the message has to stand somewhere."""
    spare: int = Field(default=1, ge=0)
    """Numbers that may stand nowhere: a difference that was worked out in passing."""


class Recoverability(Filter):
    """What went wrong was put right. The score is the share of failed calls that were."""

    least: float = Field(default=0.5, ge=0, le=1)
    """The lowest score that passes."""
    errors: float = Field(default=0.5, ge=0, le=1)
    """Largest share of calls that may fail; beyond it the score is 0."""
    violations: int = Field(default=0, ge=0)
    """Calls beyond the task's permissions that are borne; one more, and the score is 0."""


class LongestConfig(Record):
    """Selective rejection where trajectories are longest."""

    share: float = Field(default=0.05, ge=0, le=1)
    """Part of the tasks whose trajectories are compared, by turns; 0 compares none."""


class Config(Record):
    """``--config FILE``: what is left out has its default."""

    integrity: Integrity = Integrity()
    """Whether the log is whole and agrees with itself."""
    outcome: Outcome = Outcome()
    """How the work was graded."""
    repeated_reasoning: RepeatedReasoning = RepeatedReasoning()
    """Whether the solver says the same again."""
    repeated_calls: RepeatedCalls = RepeatedCalls()
    """Whether the solver calls the same again."""
    thin_deliverables: ThinDeliverables = ThinDeliverables()
    """Whether enough was handed in."""
    unsupported_claims: UnsupportedClaims = UnsupportedClaims()
    """Whether the last message claims what is so."""
    recoverability: Recoverability = Recoverability()
    """Whether what went wrong was put right."""
    longest: LongestConfig = LongestConfig()
    """Which trajectories are compared with others of their task."""
