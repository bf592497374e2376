"""The direct condition: files at once, a graph without relations, the same writers and the same package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring.planner import External, Planned, plan
from workgym.authoring.planner.artifacts import DirectDraft
from workgym.authoring.planner.direct import literal
from workgym.check import check
from workgym.models import Asker
from workgym.models.scripted import ScriptedModel
from workgym.package import load, save
from workgym.rollout import rollout


@pytest.fixture
def draft(drafted: Callable):
    return drafted("calibration_direct")


def hard(package) -> list[str]:
    return [str(finding) for finding in check(package).findings if finding.severity == "hard"]


def planned(draft, *more: dict, rounds: int = 0):
    model = ScriptedModel([json.dumps(draft.direct), *map(json.dumps, more)])
    return plan(draft.intent, model, condition="direct", rounds=rounds, accept=hard), model


def test_from_the_intent_to_an_episode(draft, tmp_path: Path) -> None:
    result, model = planned(draft)
    assert result.dropped is None and len(model.requests) == 1
    package = result.package
    assert package is not None and package.id.endswith(f"-{draft.intent.id}-direct-v1")
    assert package.hidden.origin.condition == "direct" and package.hidden.origin.builder == "scripted"
    assert not package.hidden.graph.relations() and not package.hidden.values
    assert set(package.files) == {file["path"] for file in draft.direct["files"]}
    rubric = [item for spec in package.hidden.graph.deliverables for item in spec.rubric]
    assert len(rubric) == 3 and {item.rests_on for item in rubric} == {("work",)}
    again = load(save(package, tmp_path / "task"))
    assert again.digest == package.digest and check(again).passed
    ended = rollout(package, "noop")
    assert ended.end == "closed" and ended.error is None and ended.reward == 0.0


def test_texts_mean_themselves(draft) -> None:
    package = planned(draft)[0].package
    assert "Use {{braces}} as they are." in package.request
    assert literal({"a{{": ["{% x %}", 1, None, "{# y #}"]}) == {
        'a{{ "{{" }}': ['{{ "{%" }} x %}', 1, None, '{{ "{#" }} y #}']
    }


def test_the_files_are_written_in_the_order_of_their_dependencies(draft) -> None:
    plan_ = planned(draft)[0].package.hidden.plan
    assert plan_.dependencies == (("devices/list.xlsx", "data/log.json"),)
    order = [spec.path for spec in plan_.ordered()]
    assert order.index("devices/list.xlsx") < order.index("data/log.json")


def test_the_same_reply_gives_the_same_bytes(draft) -> None:
    one, other = planned(draft)[0].package, planned(draft)[0].package
    assert one.digest == other.digest and one.files == other.files


FAULTS = {
    "path": (
        lambda file: file.update(path="../x.xlsx"),
        "path: files.../x.xlsx: is no path below the workspace's root",
    ),
    "text for data": (
        lambda file: file.update(text="x", content=None),
        "artifact: files.devices/list.xlsx: a xlsx file has a `content` and no `text`",
    ),
    "tree": (
        lambda file: file.update(content={"sheets": [{"title": "A", "tables": [{"rows": "device"}]}]}),
        "template: files.devices/list.xlsx: ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_written_goes_back_and_is_corrected(fault: str, draft) -> None:
    spoil, told = FAULTS[fault]
    right = json.loads(json.dumps(draft.direct["files"][0]))
    draft.direct["files"][3]["after"] = []
    spoil(draft.direct["files"][0])
    gone = [] if draft.direct["files"][0]["path"] == right["path"] else [draft.direct["files"][0]["path"]]
    result, model = planned(draft, {"thought": "", "files": [right], "drop_files": gone}, rounds=1)
    assert told in model.requests[1].messages[-1].blocks[0].text
    assert result.package is not None and "devices/list.xlsx" in result.package.files
    assert [round_.stage for round_ in result.rounds] == ["direct"]


def test_units_cannot_be_asked_for(draft) -> None:
    """Its form has what a direct draft is made of and nothing else: whoever names units is told so at once."""
    right = json.dumps(draft.direct)
    draft.direct["deliverables"][0]["states"] = [{"unit": "device", "form": "table"}]
    model = ScriptedModel([json.dumps(draft.direct), right])
    result = plan(draft.intent, model, condition="direct", rounds=0, accept=hard)
    assert result.package is not None and result.rounds == ()
    assert "deliverables[0].states" in model.requests[1].messages[-1].blocks[0].text
    schema = json.dumps(Asker(model, DirectDraft).schema.definition)
    assert "rubric" in schema and not any(name in schema for name in ("UnitDraft", "StatedDraft", "TableDraft", "gap"))


def test_what_is_handed_in_has_the_format_that_the_intent_asks_for(draft) -> None:
    draft.direct["deliverables"].pop()
    result, _ = planned(draft)
    assert result.dropped is not None and (result.dropped.stage, result.dropped.reason) == ("direct", "names")
    assert result.rounds[0].lines == (
        "names: deliverables: the intent asks for a file in docx, and none ends in .docx",
    )


SITES = {"metrology.example": "Board of Metrology"}
BOARD = {
    "url": "https://metrology.example/intervals",
    "title": "Intervals",
    "published": "2026-01-05",
    "text": "# Intervals of calibration\n\nScales: every {{12}} months.",
}


def of_web(draft: Any, external: External, **parts: Any) -> tuple[Planned, str]:
    """What comes of a draft with pages, and what the model was told of the web."""
    model = ScriptedModel([json.dumps({**draft.direct, **parts})])
    result = plan(draft.intent, model, condition="direct", rounds=0, accept=hard, external=external)
    return result, model.requests[0].messages[0].blocks[0].text.partition("# The web\n")[2]


def test_files_and_pages_at_once(draft: Any) -> None:
    result, told = of_web(draft, "must", sites=SITES, pages=[BOARD])
    assert result.package is not None, result.dropped
    assert [card.url for card in result.package.pages] == [BOARD["url"]]
    assert b"every {{12}} months" in result.package.external["metrology.example/intervals.html"]
    assert set(result.package.files) == {file["path"] for file in draft.direct["files"]}
    assert "`pages`: each with `url`" in told and "at least one piece" in told
    assert not of_web(draft, "never")[1] and "at least one piece" not in of_web(draft, "may")[1]


@pytest.mark.parametrize(
    ("external", "pages", "line"),
    [
        ("never", [BOARD], "external: pages: this task has no web tools; leave them out, and write files"),
        ("must", [], "external: pages: there is no page that opens; write the pages on which some of what is needed"),
        ("must", [{**BOARD, "state": "slow"}], "external: pages: there is no page that opens"),
        (
            "may",
            [{**BOARD, "url": "https://bipm.org/x"}],
            "site: pages.https://bipm.org/x.url: 'bipm.org' is no name of a site",
        ),
        (
            "may",
            [{**BOARD, "text": "---\ntitle: x\n---\nText"}],
            "site: pages.https://metrology.example/intervals.text: a page has no front matter of its own",
        ),
        (
            "may",
            [{**BOARD, "published": "2030-01-01"}],
            "site: pages.https://metrology.example/intervals.published: the page is of 2030-01-01, and the task plays",
        ),
    ],
)
def test_a_fault_of_a_direct_site(external: External, pages: list[dict[str, Any]], line: str, draft: Any) -> None:
    result, _ = of_web(draft, external, sites=SITES, pages=pages)
    assert result.dropped is not None and result.dropped.stage == "direct"
    assert any(said.startswith(line) for said in result.rounds[0].lines), result.rounds[0].lines
