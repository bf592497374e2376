"""The combiners, by vectors: formulas as they stand in docs and spec."""

from __future__ import annotations

import pytest

from workgym.errors import UsageError
from workgym.verify import COMBINERS, RubricScore, Scores, UnitScore
from workgym.verify.combine import combiner, needs_judge, weighted_geometric


def scores(code: tuple[int, ...], *rubric: float, **guards: float) -> Scores:
    """Units of four facts each, by how many are right; rubric scores; guards."""
    units = tuple(
        UnitScore(deliverable="a", unit=f"u{at}", weight=1, facts=4, right=right, whole=True)
        for at, right in enumerate(code)
    )
    given = tuple(RubricScore(deliverable="a", number=at, score=score) for at, score in enumerate(rubric, 1))
    return Scores(units=units, guards=guards, rubric=given)


def test_the_papers_vectors() -> None:
    assert weighted_geometric(0.9, 0.4) == pytest.approx(0.6)
    assert weighted_geometric(0.9, 0.4, 0.7, 0.3) == pytest.approx(0.70565, abs=5e-6)
    assert weighted_geometric(0.0, 1.0) == weighted_geometric(1.0, 0.0) == 0.0


HALF = scores((4, 2), 1.0, 0.5, 0.0)  # V_code = (1 + 0.25)/2 = 0.625, V_LLM = 0.5


@pytest.mark.parametrize(
    ("name", "given", "reward"),
    [
        ("code/1", HALF, 0.625),
        ("geometric/1", HALF, 0.559017),
        ("geometric/1:0.7,0.3", HALF, 0.58453),
        ("product/1", HALF, 0.3125),
        ("mean/1", HALF, 0.5625),
        ("mean/1:3,1", HALF, 0.59375),
        ("gate/1", HALF, 0.5625),
        ("gate/1:0.7,1,1", HALF, 0.0),
        ("all-pass/1", HALF, 0.0),
        ("all-pass/1", scores((4, 4), 1.0, inputs=1.0), 1.0),
        ("all-pass/1", scores((4, 4), 1.0, stray=0.9), 0.0),
        ("all-pass/1", scores((4, 4), 1.0, 0.5), 0.0),
        ("geometric/1", scores((4,), 0.0, 0.0), 0.0),
        ("geometric/1", scores((0,), 1.0), 0.0),
        ("mean/1", scores((4,), 1.0, inputs=0.0), 0.5),
        ("gate/1", scores((4,), 1.0, inputs=0.0), 0.0),
    ],
)
def test_rewards(name: str, given: Scores, reward: float) -> None:
    assert combiner(name)(given) == pytest.approx(reward, abs=1e-6)


@pytest.mark.parametrize("name", COMBINERS)
def test_full_marks_are_one_and_nothing_is_zero(name: str) -> None:
    assert combiner(name)(scores((4, 4), 1.0, 1.0, inputs=1.0)) == 1.0
    assert combiner(name)(scores((0, 0), 0.0)) == 0.0


@pytest.mark.parametrize("name", [name for name in COMBINERS if name != "all-pass/1"])
def test_a_task_without_rubric_is_judged_by_code(name: str) -> None:
    assert combiner(name)(scores((4, 2))) == 0.625


def test_only_code_does_without_a_judge() -> None:
    assert [name for name in COMBINERS if not needs_judge(name)] == ["code/1"]


@pytest.mark.parametrize(
    "name", ["code/1:2", "geometric/1:1", "geometric/1:a,b", "geometric/1:0,1", "mean/1:", "gate/1:1,2", "mean/1:nan,1"]
)
def test_numbers_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not its numbers"):
        combiner(name)


def test_the_vector_names_what_was_scored() -> None:
    assert scores((4,), 0.5).vector() == {"code.a.u0": 1.0, "rubric.a.1": 0.5}
    assert "rubric" not in scores((4,)).model_dump()
