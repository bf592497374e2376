"""A planned task that needs the web: what holds, and what goes back with rule, place and way out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workgym.authoring.planner import Desk, Planned, plan, worked_example
from workgym.check import check
from workgym.errors import UsageError
from workgym.models.scripted import ScriptedModel
from workgym.package import TaskPackage, view
from workgym.records import PageCard

NOTICE, ARCHIVE = (
    "https://heatoffice.example/notices/landlords-part",
    "https://heatoffice.example/notices/archive/landlords-part",
)
MOVED, GONE = "https://heatoffice.example/landlords", "https://housingnews.example/landlords-part"
TERMS = "leases/terms/heating_terms.docx"


def hard(package: TaskPackage) -> list[str]:
    return [str(finding) for finding in check(package).findings if finding.severity == "hard"]


@pytest.fixture
def web(example: Any) -> Any:
    """The worked example with something from the web, fresh."""
    _, (graph, made) = worked_example(external=True)
    return example._replace(graph=json.loads(graph), plan=json.loads(made))


def page(draft: Any, url: str) -> dict[str, Any]:
    return next(one for one in draft.plan["pages"] if one["url"] == url)


def planned(draft: Any, *more: dict[str, Any], rounds: int = 0, **options: Any) -> tuple[Planned, ScriptedModel]:
    model = ScriptedModel([*draft.replies, *map(json.dumps, more)])
    return plan(draft.intent, model, condition="planned", rounds=rounds, accept=hard, **options), model


def told(model: ScriptedModel, request: int) -> str:
    """What a model was told of the web in one request."""
    said = "\n".join(block.text for message in model.requests[request].messages[:1] for block in message.blocks)
    return said.partition("# The web\n")[2]


def test_the_worked_example_with_the_web_passes_every_check(web: Any) -> None:
    result, model = planned(web, external="must")
    assert result.dropped is None and result.package is not None
    package = result.package
    assert not check(package).findings and "external" in check(package).ran
    assert package.pages == (
        PageCard(
            path="heatoffice.example/landlords.html",
            title="Landlords of let offices",
            state="moved",
            moved_to="heatoffice.example/notices/landlords-part.html",
        ),
        PageCard(
            path="heatoffice.example/notices/archive/landlords-part.html",
            title="The landlord's part of heating cost: notice (archive)",
            published="2024-11-18",
        ),
        PageCard(
            path="heatoffice.example/notices/landlords-part.html",
            title="The landlord's part of heating cost: notice",
            published="2025-11-24",
        ),
        PageCard(
            path="housingnews.example/landlords-part.html",
            title="Landlords to bear more of the heating cost",
            published="2025-11-26",
            state="dead",
        ),
    )
    assert b"Office for Building Heat" in package.external["heatoffice.example/notices/landlords-part.html"]
    assert set(view(package).external) == {NOTICE, ARCHIVE}
    graph = package.hidden.graph
    assert {one.path for one in graph.carriers if one.kind == "external"} == set(package.external)
    located = {binding.unit: binding.carrier for binding in graph.bindings if binding.unit.startswith("landlord_part")}
    assert located["landlord_part"] == "heatoffice.example/notices/landlords-part.html"
    assert graph.conflicts[1].resolved_by == TERMS
    assert "at least one piece of information" in told(model, 0) and "`sites`: each host" in told(model, 1)


def test_who_may_use_the_web_is_told_so_and_in_step_two_only_who_does(example: Any, web: Any) -> None:
    _, model = planned(example, external="may")
    assert "`web_search` (titles, dates, excerpts)" in told(model, 0) and not told(model, 1)
    assert "at least one piece" not in told(model, 0)
    _, model = planned(example, external="never")
    assert not told(model, 0) and not told(model, 1)
    result, _ = planned(web)
    assert result.package is not None and result.package.external
    with pytest.raises(UsageError, match="external: 'often' is unknown"):
        plan(web.intent, ScriptedModel([]), condition="planned", external="often")  # type: ignore[arg-type]


def test_pages_are_no_files_of_an_office(web: Any) -> None:
    result, _ = planned(web, desk=Desk(rubric=4, files=9))
    assert result.dropped is not None and result.dropped.reason == "desk"
    assert "desk: artifacts: there are 8 files, and at least 9 are wanted" in result.rounds[0].lines


@pytest.mark.parametrize(
    ("external", "spoil", "line"),
    [
        (
            "never",
            lambda draft: None,
            "external: units.landlord_part.status: this task has no web tools; make it provided, and print it",
        ),
        (
            "must",
            lambda draft: draft.unit("landlord_part").update(status="provided"),
            "external: units: nothing that is needed stands on the web, and this task wants it; make what an outside",
        ),
    ],
)
def test_whether_the_web_is_wanted_is_a_rule_of_the_graph(
    external: str, spoil: Callable[[Any], object], line: str, web: Any
) -> None:
    spoil(web)
    result, _ = planned(web, external=external)
    assert result.dropped is not None and (result.dropped.stage, result.dropped.reason) == ("graph", "external")
    assert any(said.startswith(line) for said in result.rounds[0].lines), result.rounds[0].lines


def respell(url: str, new: str) -> Callable[[Any], object]:
    return lambda draft: page(draft, url).update(url=new)


def with_page(address: str, /, **parts: Any) -> Callable[[Any], object]:
    return lambda draft: page(draft, address).update(**parts)


def in_a_file_too(draft: Any) -> None:
    draft.artifact(TERMS)["template"] += "\nAt present it bears {{ landlord_part.part }}.\n"


def on_a_page_alone(draft: Any) -> None:
    draft.artifact("invoices/heating_supplier.pdf").update(role="distractor", template="# Invoice")
    page(draft, NOTICE)["template"] += "\n## Heat delivered\n\nThe amount invoiced is {{ invoice.cost }}.\n"


def no_longer_external(draft: Any) -> None:
    for name in ("landlord_part", "landlord_part_before"):
        draft.unit(name).update(status="provided")


def one_for_each(draft: Any) -> None:
    page(draft, GONE).update(url="https://{tenant}.example/news", each="tenant", template="# News", published="")


SITE_FAULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "real domain": (
        respell(NOTICE, "https://ec.europa.eu/heat"),
        "site: pages.https://ec.europa.eu/heat.url: 'ec.europa.eu' is no name of a site; use small letters and a name "
        "that ends with .example; all hosts are invented",
    ),
    "no scheme": (
        respell(NOTICE, "heatoffice.example/notice"),
        "site: pages.heatoffice.example/notice.url: 'heatoffice.example/notice' is no address; write https://",
    ),
    "out of the site": (
        respell(NOTICE, "https://heatoffice.example/../../etc/passwd"),
        "site: pages.https://heatoffice.example/../../etc/passwd.url: '..' is no part of an address; use letters",
    ),
    "a long address": (
        respell(NOTICE, f"https://heatoffice.example/{'x' * 200}"),
        f"site: pages.https://heatoffice.example/{'x' * 133}.url: is longer than 160 characters; choose a shorter one",
    ),
    "a host's name that opens a field": (
        lambda draft: draft.plan["sites"].update({"heatoffice.example": "Office\n---\n# {{ invoice.price }}"}),
        f"template: pages.{NOTICE}: template, line 1: unit invoice has no column price",
    ),
    "unknown host": (
        respell(GONE, "https://dailyheat.example/landlords-part"),
        "site: pages.https://dailyheat.example/landlords-part: nobody is said to run dailyheat.example; name it in "
        "`sites`, or use one that is there: heatoffice.example, housingnews.example",
    ),
    "odd host": (
        lambda draft: draft.plan["sites"].update({"heatoffice.com": "Office for Building Heat"}),
        "site: sites.heatoffice.com: 'heatoffice.com' is no name of a site",
    ),
    "host by row": (one_for_each, "site: pages.https://{tenant}.example/news.url: columns in braces stand behind the"),
    "no such column": (
        with_page(GONE, url="https://housingnews.example/{street}", each="tenant"),
        "artifact: pages.https://housingnews.example/{street}: {street} is no column of tenant: there are tenant, area",
    ),
    "one address in two spellings": (
        respell(ARCHIVE, f"{NOTICE}.html"),
        f"site: pages.{NOTICE}: is there twice; give each page an address of its own",
    ),
    "the very same address": (respell(ARCHIVE, NOTICE), f"site: pages.{NOTICE}: is there twice; give each page an"),
    "a page below a page": (
        respell(ARCHIVE, f"{NOTICE}.html/old"),
        f"site: pages.{NOTICE}: is a page and a folder at once; give it another address",
    ),
    "a file below external": (
        lambda draft: draft.artifact(TERMS).update(path="external/heatoffice.example/notice.docx"),
        "path: artifacts.external/heatoffice.example/notice.docx: is a name that the task itself uses",
    ),
    "a page that is a file": (
        lambda draft: draft.artifact("notes/handover.md").update(path="housingnews.example/landlords-part.html"),
        f"site: pages.{GONE}: is the file housingnews.example/landlords-part.html, too; give each page an address of",
    ),
    "moved nowhere": (
        with_page(MOVED, moved_to="https://heatoffice.example/now"),
        f"site: pages.{MOVED}.moved_to: no live page is at https://heatoffice.example/now; give the address of a live",
    ),
    "moved to a page that is gone": (
        with_page(MOVED, moved_to=GONE),
        f"site: pages.{MOVED}.moved_to: no live page is at {GONE}; give the address of a live page",
    ),
    "moved without a target": (
        with_page(MOVED, moved_to=""),
        f"site: pages.{MOVED}.moved_to: '' is no address; write https://<name>.example/<page>; give the address of a",
    ),
    "a target without a move": (
        with_page(GONE, moved_to=NOTICE),
        f"site: pages.{GONE}.moved_to: only a page with `state: moved` is found elsewhere",
    ),
    "needed and gone": (
        with_page(NOTICE, state="dead"),
        f"site: pages.{NOTICE}.state: a dead page shows nothing, and this one is needed; make it live, or a distractor",
    ),
    "no page at all": (
        lambda draft: draft.plan.update(pages=[]),
        "site: pages: landlord_part, landlord_part_before: external, and there is no page that opens; write the pages",
    ),
    "pages for nothing": (
        no_longer_external,
        "site: pages: no unit is external: nobody would look on the web; leave the pages out, or make the unit that",
    ),
    "front matter": (
        with_page(MOVED, template="---\ntitle: x\n---\n# Landlords"),
        f"site: pages.{MOVED}.template: a page has no front matter of its own; give `published`, say in `sites` who",
    ),
    "order": (
        with_page(ARCHIVE, after=["https://heatoffice.example/none"]),
        f"artifact: pages.{ARCHIVE}.after: there is no artifact 'https://heatoffice.example/none'",
    ),
    "no date": (
        with_page(NOTICE, published="last week"),
        f"template: pages.{NOTICE}: template: front matter: published: 'last week' is no date; write YYYY-MM-DD",
    ),
    "unknown name": (
        with_page(NOTICE, template="# The landlord's part\n\n{{ landlord_prt.part }}\n"),
        f"template: pages.{NOTICE}: template, line 3: there is no unit and no name 'landlord_prt'",
    ),
    "after the day on which the task plays": (
        with_page(NOTICE, published="2026-03-01"),
        f"site: pages.{NOTICE}.published: the page is of 2026-03-01, and the task plays on 2026-02-09; give it an",
    ),
    "external and in a file": (
        in_a_file_too,
        "external: landlord_part is external and lies in the workspace: nobody needs to look for it outside "
        f"({TERMS}); take it out of the file, or make it provided",
    ),
    "on a page alone and not external": (
        on_a_page_alone,
        "external: invoice is called provided and stands on pages alone: it is external "
        "(heatoffice.example/notices/landlords-part.html); make it external, or print it in a file, too",
    ),
    "typed figure": (
        with_page(MOVED, template="# Landlords of let offices\n\nThe part has been 6.5 % since May.\n"),
        "loose: '6.5' belongs to no unit and is not declared (heatoffice.example/landlords.html ",
    ),
    "what comes out": (
        with_page(GONE, template='# Bluebell\n\n{{ "Bluebell Dental has a balance of EUR 85.58" | decor }}\n'),
        "leak: ",
    ),
}
"""What a model does wrong with pages, and what it is told."""


@pytest.mark.parametrize("fault", SITE_FAULTS)
def test_a_fault_of_the_site_is_told_with_rule_place_and_way_out(fault: str, web: Any) -> None:
    spoil, line = SITE_FAULTS[fault]
    spoil(web)
    result, _ = planned(web)
    assert result.dropped is not None and result.dropped.stage == "plan"
    assert any(said.startswith(line) for said in result.rounds[0].lines), result.rounds[0].lines


def test_a_correction_changes_pages_and_hosts(web: Any) -> None:
    right = dict(page(web, ARCHIVE))
    page(web, ARCHIVE).update(url="https://officeofheat.example/old")
    page(web, GONE).update(url="https://daily.example/landlords-part")
    fixed = {
        "sites": {"daily.example": "The Daily"},
        "pages": [right],
        "drop_pages": ["https://officeofheat.example/old"],
    }
    result, model = planned(web, {"thought": "Two hosts.", "plan": fixed}, rounds=1)
    assert "nobody is said to run officeofheat.example" in model.requests[2].messages[-1].blocks[0].text
    assert result.package is not None, result.dropped
    assert [card.url for card in result.package.pages] == [
        "https://daily.example/landlords-part",
        MOVED,
        ARCHIVE,
        NOTICE,
    ]


def test_one_page_for_each_row(web: Any) -> None:
    page(web, GONE).update(
        url="https://housingnews.example/offices/{tenant}",
        each="tenant",
        state="live",
        template="# {{ tenant.tenant }} and its heat\n\nA portrait.\n",
    )
    result, _ = planned(web)
    assert result.package is not None, result.dropped
    found = [card for card in result.package.pages if card.path.startswith("housingnews.example/")]
    assert [card.url.rpartition("/")[2] for card in found] == ["bluebell-dental", "cobalt-prints", "mora-yoga"]
    assert [card.title for card in found][2] == "Mora Yoga and its heat"
