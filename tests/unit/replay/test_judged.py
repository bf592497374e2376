"""An episode that a judge had a part in: graded with its process, and replayed without asking the judge again."""

from __future__ import annotations

from pathlib import Path

import pytest

import workgym
from workgym.authoring import families
from workgym.errors import UsageError
from workgym.graph import RubricItem
from workgym.package import TaskPackage
from workgym.rollout import LoopEpisode
from workgym.testing import DummySandbox, judges
from workgym.trajectory import Trajectory, VerdictEvent
from workgym.verify import Grader, Judge, LicensedJudge, Settings, calibrate

LOOKED = RubricItem(item="Uses 'list_files'.", rests_on=("npv",), about="process")


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    package = families.build("supplier-selection", "easy", 1)
    graph = package.hidden.graph
    book, memo = graph.deliverables
    asked = (book, memo.model_copy(update={"rubric": (LOOKED,)}))
    return package.with_hidden(graph=graph.model_copy(update={"deliverables": asked}))


def test_a_judged_episode_is_replayed_exactly(task: TaskPackage, tmp_path: Path) -> None:
    model = judges.honest()
    judge = Judge(model, Settings(samples=1))
    licensed = LicensedJudge(judge, calibrate(judge, [task]))
    model.requests.clear()

    def work(episode: LoopEpisode) -> None:
        episode.act({"tool": "list_files", "arguments": {}})
        episode.act({"tool": "submit", "arguments": {}})

    grade = Grader("mean/1", licensed)
    done = workgym.rollout(task, work, out=tmp_path / "t", sandbox=DummySandbox, grade=grade)
    assert (done.verdict, done.reward) == ("failed", 0.5)  # nothing was handed in, and the process was as asked
    verdict = next(Trajectory.open(tmp_path / "t").of(VerdictEvent))
    assert verdict.record["scores"]["rubric"][0]["score"] == 1.0 and len(model.requests) == 1
    assert workgym.replay(tmp_path / "t", sandbox=DummySandbox).exact
    assert len(model.requests) == 1


def test_an_environment_keeps_its_own_grader(task: TaskPackage) -> None:
    from workgym.env import OfficeEnv

    with pytest.raises(UsageError, match="brings its own grader"):
        workgym.rollout(OfficeEnv(package=task, sandbox=DummySandbox), "noop", grade=Grader())
