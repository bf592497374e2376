"""No judge scores without a licence, and vices are found out on deliverables whose quality the graph knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workgym.errors import ModelError, UsageError
from workgym.model import Model
from workgym.models import ScriptedModel
from workgym.testing import judges
from workgym.verify import Judge, Licence, LicensedJudge, Settings, calibrate
from workgym.verify.judging.exam import INJECTIONS, ladders
from workgym.verify.judging.fence import cleared
from workgym.verify.judging.licence import Thresholds, licence_path

QUICK = Settings(samples=1, wait=0, attempts=1)


def licence(work: Any, model: Model, **settings: Any) -> Licence:
    return calibrate(Judge(model, QUICK.model_copy(update=settings)), [work.package])


@pytest.fixture(scope="module")
def good(work: Any) -> Licence:
    return licence(work, judges.honest())


def test_the_quality_of_each_copy_is_known(work: Any) -> None:
    found = ladders(work.package)
    assert len(found) == 3 and len({ladder.name.rpartition(" in ")[2] for ladder in found}) == 2
    for ladder in found:
        quality = {step.name: step.quality for step in ladder.steps}
        assert quality.pop("sound") == 1.0
        assert 0 < quality.pop("partial", 0.5) < 1
        assert set(quality) == {"wrong", "missing", "empty"} and not any(quality.values())
        assert ladder.step("sound").text != ladder.step("wrong").text


def test_the_experts_deliverable_is_used_where_there_is_one(work: Any) -> None:
    carried = work.package.with_hidden(expert_files=dict(list(work.files().items())[-2:]))
    texts = [ladder.step("sound").text for ladder in ladders(carried)]
    assert any("We recommend" in text for text in texts)
    assert not any("composed" in text for text in texts)


def test_an_honest_judge_is_licensed(good: Licence) -> None:
    assert good.granted and good.reasons == ()
    found = good.measures
    assert (found.accuracy, found.monotonicity, found.unanswered) == (1.0, 1.0, 0.0)
    assert (found.position, found.leniency, found.injection) == (0.0, 0.0, 0.0)
    assert found.clear >= Thresholds().questions


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (judges.lenient(), "it is lenient"),
        (judges.positional(), "it is positional"),
        (judges.injectable(), "it can be talked to"),
        (ScriptedModel(lambda _: "I would rather not say.", "shy"), "no usable answer to 100%"),
        (ScriptedModel(lambda _: '{"reasons": "no", "score": 0}', "harsh"), "accuracy"),
        (ScriptedModel(lambda _: '{"reasons": "so so", "score": 0.5}', "vague"), "monotonicity 0.50"),
    ],
)
def test_vices_are_refused(work: Any, model: Model, reason: str) -> None:
    refused = licence(work, model)
    assert not refused.granted
    assert any(reason in said for said in refused.reasons), refused.reasons


def test_only_the_vice_is_named(work: Any) -> None:
    assert len(licence(work, judges.positional()).reasons) == 1
    assert len(licence(work, judges.injectable()).reasons) == 1


def test_a_judge_that_cannot_be_reached_gets_none(work: Any) -> None:
    def fails(_: Any) -> str:
        raise ModelError("time-out")

    refused = licence(work, ScriptedModel(fails, "away"))
    assert not refused.granted and refused.measures.accuracy is None


def test_one_small_task_is_not_enough(work: Any, make: Any) -> None:
    deliverable = work.package.hidden.graph.deliverables[1]
    small = make([deliverable.model_copy(update={"states": deliverable.states[:1]})])
    refused = calibrate(Judge(judges.honest(), QUICK), [small])
    assert any("give it more tasks" in said for said in refused.reasons)


def test_the_exam_withholds_nothing_and_has_words_that_no_list_knows() -> None:
    assert [bool(cleared(words).found) for words in INJECTIONS] == [True, True, True, False]


def test_a_licence_is_kept_and_cannot_be_touched_up(good: Licence, tmp_path: Path) -> None:
    path = good.save(tmp_path / "kept" / "licence.json")
    assert Licence.load(path) == good and Licence.load(path).id == good.id
    path.write_text(path.read_text().replace('"accuracy": 1.0', '"accuracy": 0.9'))
    with pytest.raises(UsageError, match="was changed"):
        Licence.load(path)
    path.write_text("{}")
    with pytest.raises(UsageError, match="is no licence"):
        Licence.load(path)


def test_a_licence_is_for_one_judge(good: Licence) -> None:
    def objection(judge: Judge, shown: Licence | None = good) -> str:
        return LicensedJudge(judge, shown).objection

    assert objection(Judge(judges.honest(), QUICK)) == ""
    assert "workgym calibrate --judge honest" in objection(Judge(judges.honest(), QUICK), None)
    assert "model differ" in objection(Judge(judges.honest("other"), QUICK))
    assert "samples differ" in objection(Judge(judges.honest(), Settings(samples=3)))
    other = good.model_copy(update={"pin": good.pin.model_copy(update={"prompt": "0"})})
    assert "prompt differ" in objection(Judge(judges.honest(), QUICK), other)
    refused = good.model_copy(update={"granted": False, "reasons": ("it is lenient",)})
    assert "refused a licence: it is lenient" in objection(Judge(judges.honest(), QUICK), refused)


def test_a_kept_licence_is_found(good: Licence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKGYM_LICENCES", str(tmp_path))
    judge = Judge(judges.honest(), QUICK)
    assert LicensedJudge.of(judge).licence is None
    good.save(licence_path(judge.pin))
    assert LicensedJudge.of(judge).licence == good
