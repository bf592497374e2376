"""What a model must not do to the host: it ends as a refusal that goes back, or as a drop that is counted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from workgym.authoring.planner import plan
from workgym.authoring.planner.forms import GraphDraft
from workgym.authoring.planner.limits import LARGEST_TEXT, over, path_fault, path_problems
from workgym.models.scripted import ScriptedModel

NOTE = "notes/handover.md"


def nested(levels: int) -> dict:
    found: dict = {}
    for _ in range(levels):
        found = {"a": found}
    return found


HOSTILE: dict[str, tuple[Callable, str, str]] = {
    "text of gigabytes": (
        lambda draft: draft.artifact(NOTE).update(template="{{ 'x' * 3000000000 }}"),
        "process",
        "memory",
    ),
    "repeat": (
        lambda draft: draft.unit("largest").update(sql="select repeat('x', 3000000000) as tenant"),
        "query",
        "function repeat is not allowed",
    ),
    "a file of the host": (
        lambda draft: draft.unit("largest").update(sql="select content as tenant from read_text('/etc/passwd')"),
        "query",
        "is not allowed",
    ),
    "path": (
        lambda draft: draft.artifact(NOTE).update(path="../../etc/passwd.md"),
        "path",
        "is no path below the workspace's root",
    ),
    "absolute path": (
        lambda draft: draft.artifact(NOTE).update(path="/etc/passwd.md"),
        "path",
        "is no path below the workspace's root",
    ),
    "attributes in a path": (
        lambda draft: draft.artifact(NOTE).update(path="n/{tenant.__class__}.md", each="tenant"),
        "artifact",
        "is no column of tenant",
    ),
    "width in a path": (
        lambda draft: draft.artifact(NOTE).update(path="n/{tenant:>1000000000}.md", each="tenant"),
        "artifact",
        "is no column of tenant",
    ),
    "a file for each of many rows": (
        lambda draft: (
            draft.unit("tenant").update(rows=[[f"T {number}", 100] for number in range(400)]),
            draft.unit("reading").update(rows=[["T 0", 90000], *([f"T {number}", 100] for number in range(1, 400))]),
            draft.unit("advance").update(rows=[[f"T {number}", 1] for number in range(400)]),
            draft.unit("largest").update(margin=None),
            draft.graph.update(traps=[]),
            draft.artifact(NOTE).update(path="notes/{tenant}.md", each="tenant"),
        ),
        "limit",
        "artifacts: more than 120 files",
    ),
    "a million rows": (
        lambda draft: draft.unit("tenant").update(rows=[["T", 1]] * 1_000_000),
        "limit",
        "units[0].rows: 1,000,000 entries, at most 2,000 are taken",
    ),
    "a number of gigabytes": (
        lambda draft: draft.unit("tenant").update(rows=[["T", "1e999999999"]]),
        "unit",
        "'1e999999999' is no plain number",
    ),
    "a deep context": (
        lambda draft: draft.plan["context"].update(deep=nested(120)),
        "limit",
        "nested deeper than 24 levels",
    ),
    "a deep query": (
        lambda draft: draft.unit("largest").update(sql=f"select {'(' * 6000}1{')' * 6000} as tenant"),
        "process",
        "RecursionError",
    ),
    "a sign that no document holds": (
        lambda draft: draft.artifact(NOTE).update(template="# Note \x00"),
        "template",
        "is a character that no document can hold",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_draft_ends_as_a_refusal(name: str, example) -> None:
    spoil, reason, message = HOSTILE[name]
    spoil(example)
    began = time.process_time()
    result = plan(example.intent, ScriptedModel(example.replies), condition="planned", rounds=0)
    assert time.process_time() - began < 20, "this process does none of the work"
    assert result.package is None and result.dropped is not None
    assert result.dropped.reason == reason
    assert message in result.dropped.detail


def test_a_reply_over_the_limits_is_not_kept_and_a_whole_one_is_asked_for(example) -> None:
    right = json.dumps(example.graph)
    example.unit("tenant")["rows"] = [["T", 1]] * 3000
    model = ScriptedModel([json.dumps(example.graph), right, json.dumps(example.plan)])
    result = plan(example.intent, model, condition="planned", rounds=1)
    assert result.package is not None
    again = model.requests[1].messages
    assert [message.role for message in again] == ["system", "user", "user"]
    said = again[-1].blocks[0].text
    assert "limit: units[0].rows: 3,000 entries, at most 2,000 are taken" in said
    assert len(said) < 2000


def test_a_correction_over_the_limits_leaves_the_draft_as_it_was(example) -> None:
    example.unit("largest")["sql"] = "select tenant from balance order by due desc limit 1"
    right = {**example.unit("largest"), "sql": "select tenant from balance order by due desc, tenant limit 1"}
    large = {"thought": "", "units": [{**right, "content": "x" * (LARGEST_TEXT + 1)}]}
    replies = [json.dumps(example.graph), json.dumps(large), json.dumps({"thought": "", "units": [right]})]
    model = ScriptedModel([*replies, json.dumps(example.plan)])
    result = plan(example.intent, model, condition="planned", rounds=2)
    assert result.package is not None
    said = model.requests[2].messages[-1].blocks[0].text
    assert f"limit: units[10].content: {LARGEST_TEXT + 1:,} characters" in said
    assert "limit without a total order" in said, "what was wrong before still is"
    assert "x" * 100 not in model.requests[2].messages[-2].blocks[0].text


def test_limits_count_what_a_draft_holds(example) -> None:
    whole = GraphDraft.model_validate(example.graph)
    assert over(whole) == ()
    unit = whole.units[0]
    many = whole.model_copy(update={"units": (unit,) * 61})
    assert [str(problem) for problem in over(many)] == ["limit: units: 61 units, at most 60 are taken"]
    wide = unit.model_copy(update={"rows": tuple(("T", 1, 2, 3, 4, 5, 6) for _ in range(1999))})
    assert any("values in all" in str(p) for p in over(whole.model_copy(update={"units": (wide,) * 6})))


@pytest.mark.parametrize(
    "path",
    ["a//b.md", "./a.md", "a/../b.md", "a\\b.md", " a.md", "a /b.md", "a./b.md", ".env/a.md", "request.md", "TASK.yaml",
     "external/a.md", "a.exe", "a", "a/b/c/d/e/f/g.md", f"{'a' * 90}.md", "a\n.md", "a:b.md", ""],
)  # fmt: skip
def test_paths_that_a_model_cannot_choose(path: str) -> None:
    assert path_fault(path) is not None


@pytest.mark.parametrize(
    "path", ["a.md", "Policy (v2)/2026-03 final, signed.docx", "Größe/übersicht.csv", "a/b/c/d.xlsx"]
)
def test_paths_that_it_can(path: str) -> None:
    assert path_fault(path) is None


def test_a_path_is_there_once_and_is_a_file_or_a_folder() -> None:
    problems = [str(problem) for problem in path_problems("files", ["a/B.md", "A/b.md", "a.md", "a.md/b.md"])]
    assert problems == [
        "path: files.A/b.md: is there twice (a/B.md)",
        "path: files.a.md: is a file and a folder at once",
    ]
