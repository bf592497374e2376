"""What is to be found on the web is there, can be found, is seen by nobody where it is hidden, and does not leak."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.check import FILE_CHECKS, Visible, check
from workgym.mutation import Revision, SetCell, Withhold, apply
from workgym.package import TaskPackage
from workgym.records import Cell, Finding

HOME = Path(__file__).parents[1] / "env" / "shelf" / "envs" / "import-quote"
NOTICE, GLANCE, DUTY = (
    "bank.example/rates/franc.html",
    "bank.example/index.html",
    "customs.example/regulations/metal-goods.html",
)


OLD = 'columns: {eur: "quantity(EUR, 4)"}\n    drawn: select cast(rate as decimal(18,4)) as eur'


def build(folder: Path = HOME) -> TaskPackage:
    family = blueprint.load(folder)
    return package(family, "small", 1, compile_family(family, "small", 1))


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    return build()


@pytest.fixture
def spoiled(tmp_path: Path) -> Callable[..., TaskPackage]:
    """The family with texts of its files replaced, as a task."""

    def make(*changes: tuple[str, str, str]) -> TaskPackage:
        folder = tmp_path / "import-quote"
        shutil.copytree(HOME, folder)
        for file, old, new in changes:
            text = (folder / file).read_text(encoding="utf-8")
            assert old in text
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        return build(folder)

    return make


def hard(made: TaskPackage, *names: str) -> list[Finding]:
    view = Visible(made)
    return [found for name in names for found in FILE_CHECKS[name](view) if found.severity == "hard"]


def with_page(made: TaskPackage, path: str, old: str, new: str) -> TaskPackage:
    """A page edited behind the graph's back, the index brought up to date."""
    text = made.external[path].decode()
    assert old in text
    return made.with_shown({**made.shown, path: text.replace(old, new).encode()})


def test_a_sound_task_has_no_finding_and_a_task_without_the_web_no_such_check(task: TaskPackage) -> None:
    assert hard(task, *FILE_CHECKS) == []
    assert "external" not in check(task.with_external({}, ())).ran or check(task).passed


def test_an_external_unit_that_lies_in_the_workspace_is_a_shortcut(spoiled: Callable[..., TaskPackage]) -> None:
    made = spoiled(("templates/policy.md.j2", "# Purchasing policy", "# Purchasing policy\n\nRate: {{ rate.eur }}."))
    (found,) = hard(made, "external")
    assert (found.defect, found.unit, found.path) == ("leakage or shortcut", "rate", "policies/purchasing_policy.docx")
    assert not check(made, trusted=True).passed


def test_a_provided_unit_that_stands_on_pages_alone_is_external(spoiled: Callable[..., TaskPackage]) -> None:
    made = spoiled(("family.yaml", "  duty:\n    status: external", "  duty:\n    status: provided"))
    (found,) = hard(made, "external")
    assert found.unit == "duty" and "called provided and stands on pages alone" in found.message


def test_what_stands_on_a_dead_page_alone_stands_nowhere(spoiled: Callable[..., TaskPackage]) -> None:
    url = "url: https://customs.example/regulations/metal-goods\n"
    gone = "  - url: https://customs.example/metal\n    state: moved\n    moved_to: https://customs.example/regulations/metal-goods\n"
    made = spoiled(
        ("family.yaml", gone, "  - url: https://customs.example/metal\n"),
        ("family.yaml", url, f"{url}    state: slow\n"),
    )
    assert {(found.unit, found.message.partition(" is ")[2]) for found in hard(made, "presence")} == {
        ("duty", "needed and stands in no visible file")
    }


def test_a_page_that_leads_to_a_dead_one_is_found(spoiled: Callable[..., TaskPackage]) -> None:
    url = "url: https://customs.example/regulations/metal-goods\n"
    made = spoiled(("family.yaml", url, f"{url}    state: dead\n"))
    assert any(
        "has moved to" in found.message and found.path == "customs.example/metal.html"
        for found in hard(made, "external")
    )


def test_what_a_browser_hides_is_seen_by_nobody(task: TaskPackage) -> None:
    rate = task.hidden.values["rate"].rows[0][0]
    for before, after in (("<!--", "-->"), ('<span style="display:none">', "</span>"), ("<noscript>", "</noscript>")):
        made = with_page(task, NOTICE, f"EUR {rate}", f"EUR {before}{rate}{after}")
        assert {found.unit for found in hard(made, "presence")} == {"rate"}


def test_a_leak_a_loose_number_and_a_drift_on_a_page_are_found(task: TaskPackage) -> None:
    total = task.hidden.values["total"].rows[0][0]
    leaked = with_page(
        task, GLANCE, "The bank does not trade", f"Total landed cost: EUR {total}. The bank does not trade"
    )
    assert {found.path for found in hard(leaked, "leak")} == {GLANCE}
    loose = with_page(task, GLANCE, "The bank does not trade", "Since 1987 the bank does not trade")
    assert {found.path for found in hard(loose, "loose")} == {GLANCE}
    other = with_page(task, GLANCE, "The bank does not trade", "The bank likes to trade")
    assert {found.path for found in hard(other, "drift")} == {GLANCE}
    assert "drift" in {found.check for found in check(other).findings}


def test_an_index_that_says_something_else_is_found(task: TaskPackage) -> None:
    cards = [
        card.model_copy(update={"published": "2020-01-01"}) if card.path == NOTICE else card for card in task.pages
    ]
    (found,) = hard(task.with_external(task.external, cards), "external")
    assert (found.path, found.message) == (NOTICE, "the index does not say what the page says")


def test_a_page_without_a_title_and_a_page_that_nobody_named_are_found(task: TaskPackage) -> None:
    bare = with_page(task, GLANCE, "<title>Central bank: exchange rates at a glance</title>", "<title></title>")
    assert "the page has no title" in {found.message for found in hard(bare, "external")}
    less = task.with_external({path: page for path, page in task.external.items() if path != GLANCE}, ())
    assert (GLANCE, "the page is named by the graph and missing") in {
        (found.path, found.message) for found in hard(less, "carriers")
    }


def test_a_page_that_cannot_be_read_is_found(task: TaskPackage) -> None:
    made = task.with_external({**task.external, GLANCE: b"<div>" * 5000}, task.pages)
    assert [found.path for found in hard(made, "readable")] == [GLANCE]
    damaged = task.with_shown({**task.shown, GLANCE: b"<div>" * 5000})
    assert {card.path: card.title for card in damaged.pages}[GLANCE] == ""
    assert [found.path for found in hard(damaged, "readable", "external")] == [GLANCE, GLANCE]


def test_a_date_that_is_a_value_is_anchored_checked_and_changed(spoiled: Callable[..., TaskPackage]) -> None:
    made = spoiled(
        ("family.yaml", OLD, OLD.replace("}", ", since: date}").replace("as eur", "as eur, today - 5 as since")),
        (
            "family.yaml",
            "{rate: select * from rate_before}",
            "{rate: 'select b.eur, since from rate_before as b, rate'}",
        ),
        ("templates/rate.md.j2", "{{ context.dates.rate_now }}", "{{ rate.since }}"),
    )
    since = Cell(unit="rate", key=(), column="since")
    assert {anchor.place.at for anchor in made.hidden.anchors if anchor.cell == since} == {"m1"}
    assert hard(made, "presence", "external", "loose") == []
    later = apply(made, Revision(purpose="user", why="x", edits=(SetCell(cell=since, value="2026-12-01"),)))
    assert {card.path: card.published for card in later.pages}[NOTICE] == "2026-12-01"
    assert hard(later, "presence", "external") == []
    gone = apply(made, Revision(purpose="inject", why="x", edits=(Withhold(cell=since),)))
    assert {card.path: card.published for card in gone.pages}[NOTICE] is None
