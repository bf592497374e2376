"""Who rolls out what: shares hold over all and within each kind, what was dealt stays, nobody does its own tasks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.errors import UsageError
from workgym.models import OpenAIConfig, OpenAIModel
from workgym.records.yaml12 import read_record
from workgym.select import TaskRef, Teacher, Teachers, assign, task_refs

KINDS = ("13-1081", "29-1141", "supplier-selection")


def refs(count: int, builder: str = "") -> list[TaskRef]:
    return [TaskRef(f"t-{number:04}", None, KINDS[number % 3], builder) for number in range(count)]


def team(*shares: float, **more: object) -> Teachers:
    who = tuple(
        Teacher(name=f"t{number}", harness="react", model=f"openai:model-{number}", share=share)
        for number, share in enumerate(shares)
    )
    return Teachers(teachers=who, **more)  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 90), st.integers(0, 5), st.randoms())
def test_shares_hold_and_the_order_of_the_tasks_does_not_matter(shares, count, seed, random) -> None:  # type: ignore[no-untyped-def]
    tasks, teachers = refs(count), team(*shares)
    dealt = assign(tasks, teachers, seed=seed)
    given_out = Counter(dealt.values())
    for number, share in enumerate(shares):
        assert abs(given_out[f"t{number}"] - count * share / sum(shares)) <= len(shares) - 1 + 1e-9
    shuffled = list(tasks)
    random.shuffle(shuffled)
    assert assign(shuffled, teachers, seed=seed) == dealt


def test_each_kind_of_work_is_shared_too_and_seeds_differ() -> None:
    tasks, teachers = refs(300), team(1, 1)
    dealt = assign(tasks, teachers, seed=3)
    by_kind = Counter((task.stratum, dealt[task.id]) for task in tasks)
    assert set(by_kind.values()) <= {49, 50, 51}
    assert assign(tasks, teachers, seed=4) != dealt == assign(tasks, teachers, seed=3)


def test_what_was_dealt_stays_when_the_corpus_grows() -> None:
    teachers = team(2, 1)
    first = assign(refs(60), teachers)
    grown = assign(refs(90), teachers, kept=first)
    assert {task: grown[task] for task in first} == first
    assert Counter(grown.values()) == {"t0": 60, "t1": 30}
    left = assign(refs(90), team(1), kept=grown)
    assert set(left.values()) == {"t0"}, "whose teacher is gone is dealt anew"


def test_no_task_goes_to_the_model_that_planned_it() -> None:
    tasks = refs(40) + [TaskRef(f"own-{number}", None, "x", "openai:model-1") for number in range(20)]
    dealt = assign(tasks, team(1, 1))
    assert all(dealt[f"own-{number}"] == "t0" for number in range(20))
    assert Counter(dealt.values()) == {"t0": 30, "t1": 30}, "the others make up for it"
    anybody = assign(tasks, team(1, 1, independent_of="nobody"))
    assert "t1" in {anybody[f"own-{number}"] for number in range(20)}
    with pytest.raises(UsageError, match=r"t-0000 was planned by vendor/MODEL-0, and no other model is a teacher; add"):
        assign(refs(1, builder="vendor/MODEL-0"), team(1))


def test_a_builder_is_known_by_the_name_at_the_provider_too() -> None:
    config = OpenAIConfig(model="z-ai/glm-5.3", base_url="http://localhost:1/v1", name="our glm")
    teachers = Teachers(teachers=(Teacher(name="a", harness="react", model="glm.yaml"),))
    with pytest.raises(UsageError, match="no other model"):
        assign(refs(1, builder="openai:glm-5.3"), teachers, models={"a": OpenAIModel(config)})


def test_a_kept_assignment_to_its_own_builder_is_dealt_anew() -> None:
    dealt = assign(refs(1, builder="openai:model-0"), team(1, 1), kept={"t-0000": "t0"})
    assert dealt == {"t-0000": "t1"}


def test_the_file_of_teachers(tmp_path: Path) -> None:
    file = tmp_path / "teachers.yaml"
    file.write_text(
        "teachers:\n  - {name: glm, harness: stirrup_style, model: 'openai:glm-5.3', share: 2}\n"
        "  - {name: deep, harness: claude_code_style, model: 'openai:deepseek-v4'}\n"
        "independent_of: builder\nlongest: {share: 0.1}\n"
    )
    who = read_record(Teachers, file)
    assert [one.share for one in who.teachers] == [2, 1] and (
        who.longest.share,
        who.longest.rollouts,
        who.rollouts,
    ) == (0.1, 4, 1)
    for wrong, said in (
        ("teachers: []\n", "teachers: Tuple should have at least 1 item"),
        ("teachers: [{name: a/b, harness: react}]\n", r"teachers.0.name: String should match"),
        ("teachers: [{name: a, harness: react, shares: 2}]\n", "teachers.0.shares: Extra inputs"),
        ("teachers: [{name: a, harness: react}, {name: a, harness: noop}]\n", "two teachers are called a"),
        ("teachers: [\n", "teachers.yaml:2: "),
    ):
        file.write_text(wrong)
        with pytest.raises(UsageError, match=said):
            read_record(Teachers, file)
    with pytest.raises(UsageError, match="No such file"):
        read_record(Teachers, tmp_path / "none.yaml")


def test_tasks_by_folders_lists_and_ids(toy_tasks, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = toy_tasks(2, builder="openai:b")
    assert [(task.id, task.stratum, task.builder) for task in found] == [
        ("toy-00", "model", "openai:b"),
        ("toy-01", "model", "openai:b"),
    ]
    ids = tmp_path / "some.txt"
    ids.write_text("workfactory/supplier-selection.easy-000001\nbank-reconciliation-000002\n")
    names = [str(ids), str(tmp_path / "tasks/toy-01"), "workfactory/supplier-selection.easy-000001"]
    assert [(task.id, task.stratum, task.folder is None) for task in task_refs(names)] == [
        ("supplier-selection.easy-000001", "supplier-selection", True),
        ("bank-reconciliation-000002", "bank-reconciliation", True),
        ("toy-01", "model", False),
    ]
    (tmp_path / "empty").mkdir()
    for name, said in ((str(tmp_path / "empty"), "no task package"), ("workfactory/no-such-1", "unknown family")):
        with pytest.raises(UsageError, match=said):
            task_refs([name])
    (tmp_path / "tasks/toy-01/hidden/origin.json").unlink()
    with pytest.raises(UsageError, match="origin.json"):
        task_refs([str(tmp_path / "tasks")])
