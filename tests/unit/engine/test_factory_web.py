"""A task that needs the web, planned by a model, through all stages of the factory and into an episode."""

from __future__ import annotations

import json
import random
from pathlib import Path

import gymnasium
import pytest

from workgym import replay, rollout
from workgym.check.sufficiency import change, removal
from workgym.engine import Crew, Settings, Summary, run
from workgym.models import Ledger
from workgym.package import TaskPackage, load
from workgym.probe import ProbeReport
from workgym.records import Cell, Intent, WebAccess
from workgym.testing.rehearsal import Rehearsal, intents
from workgym.trajectory import Trajectory

MEASURED = WebAccess(search_failures=0.22, fetch_failures=0.48)
"""The worst rates that were measured on agents in use."""
OFTEN = WebAccess(search_failures=0.1, fetch_failures=0.3)
NOTICE = "https://heatoffice.example/notices/landlords-part"
HOUSE = 30
"""A house whose landlord bears a part that is published, and whose request leaves out a convention."""


def made(out: Path, settings: Settings) -> Summary:
    return run([intents(HOUSE + 1)[HOUSE]], Crew(Rehearsal(), Ledger(out / "ledger.sqlite")), settings, out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary]:
    out = tmp_path_factory.mktemp("web")
    return out, made(out, Settings(desk=False, external="must", web=OFTEN))


@pytest.fixture
def kept(whole: tuple[Path, Summary]) -> TaskPackage:
    (folder,) = (whole[0] / "tasks").iterdir()
    return load(folder)


def test_it_goes_through_all_stages(whole: tuple[Path, Summary], kept: TaskPackage) -> None:
    (entry,) = whole[1].entries
    assert {one.stage: one.outcome for one in entry.stages} == dict.fromkeys(
        ("plan", "checks", "solution", "verifier", "probe", "repair", "measure"), "passed"
    )
    assert {unit.name for unit in kept.hidden.graph.relations("external")} == {"landlord_part", "landlord_part_before"}
    assert kept.hidden.checks is not None and kept.hidden.checks.passed and "external" in kept.hidden.checks.ran
    assert kept.card.interfaces.web == OFTEN
    assert len(kept.external) == 4 and len(kept.hidden.history) == 1
    assert "negative where we pay money back" in kept.request


def test_the_probe_searched_and_its_diagnosis_rests_on_a_page(whole: tuple[Path, Summary]) -> None:
    (entry,) = whole[1].entries
    report = ProbeReport.model_validate_json((whole[0] / entry.probes[0].report).read_bytes())
    (problem,) = report.problems
    assert problem.hard and [ground.source for ground in problem.grounds] == ["request.md", NOTICE]
    trajectory = Trajectory((whole[0] / entry.probes[0].report).parent / "run")
    calls = {call.tool: answer.text for call, answer in trajectory.calls() if answer is not None}
    assert NOTICE in calls["web_search"] and "The tenants bear the rest." in calls["web_fetch"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_independent_script_works_where_web_tools_fail_often(seed: int, kept: TaskPackage, tmp_path: Path) -> None:
    ended = rollout(kept, "expert", web=MEASURED, seed=seed, out=tmp_path / "run")
    assert (ended.end, ended.reward, ended.error) == ("closed", 1.0, None)
    assert replay(tmp_path / "run", package=kept).exact
    assert rollout(kept, "noop").reward == 0.0


def test_the_independent_script_rests_on_the_page(kept: TaskPackage) -> None:
    cell = Cell(unit="landlord_part", key=(), column="part")
    assert (trial := removal(kept, cell)).ok, trial
    changed = change(kept, cell, random.Random(1))
    assert changed is not None and changed.ok, changed


def test_whoever_takes_the_older_notice_is_wrong(kept: TaskPackage) -> None:
    assert kept.hidden.expert is not None
    hasty = kept.hidden.expert.replace("reverse=True", "reverse=False")
    ended = rollout(kept.with_hidden(expert=hasty), "expert")
    assert ended.end == "closed" and ended.reward is not None and ended.reward < 1.0


def test_it_is_made_as_an_environment_with_web_tools(
    whole: tuple[Path, Summary], kept: TaskPackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKGYM_CORPUS", str(whole[0] / "tasks"))
    env = gymnasium.make(f"workgym:{kept.id}", web=MEASURED)
    try:
        env.reset(seed=5)
        told = []
        for _ in range(12):
            observation, *_, info = env.step({"tool": "web_fetch", "arguments": {"url": NOTICE}})
            told.append(observation["text"])
        page = next(text for text in told if "The tenants bear the rest." in text)
        assert "Published: 2025-11-24" in page
        assert 0 < info["web"]["failed"] < 12 and info["web"]["web_fetch"] == 12
    finally:
        env.close()


def share(settings: Settings, many: tuple[Intent, ...]) -> float:
    return sum(settings.external_of(intent) == settings.external for intent in many) / len(many)


def test_a_share_of_the_intents_may_or_must_need_it() -> None:
    many = intents(400)
    assert share(Settings(), many) == 1.0 and Settings().external == "may"
    some = Settings(external="must", external_share=0.3)
    assert 0.22 < share(some, many) < 0.38
    assert {some.external_of(intent) for intent in many} == {"must", "never"}
    more = Settings(external="must", external_share=0.6)
    drawn = [intent for intent in many if some.external_of(intent) == "must"]
    assert all(more.external_of(intent) == "must" for intent in drawn), "a larger share has the smaller one in it"
    assert share(Settings(external="must", external_share=0.0), many) == 0.0


def test_who_may_not_use_the_web_plans_without_it(tmp_path: Path) -> None:
    (entry,) = made(tmp_path, Settings(desk=False, external="never", web=OFTEN, measure=False)).entries
    assert entry.kept
    (folder,) = (tmp_path / "tasks").iterdir()
    package = load(folder)
    assert not package.external and package.card.interfaces.web is None
    assert json.loads((tmp_path / "settings.json").read_text())["external"] == "never"
