"""Edits of pages of the web: they are written by the same press as files, and the same contract holds for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.check import check
from workgym.errors import MutationError
from workgym.graph import InfoUnit
from workgym.mutation import AddFact, Damage, Edit, Restore, Revision, Reword, SetCell, Withhold, apply
from workgym.mutation import violations as violated
from workgym.package import TaskPackage, load, save
from workgym.plan import PageSpec
from workgym.records import Cell, Column, ColumnType
from workgym.repair import attempt, restorer

HOME = Path(__file__).parents[1] / "env" / "shelf" / "envs" / "import-quote"
NOTICE, GLANCE = "bank.example/rates/franc.html", "bank.example/index.html"
RATE = Cell(unit="rate", key=(), column="eur")
HOURS = InfoUnit(
    name="opening",
    content="when the bank opens",
    entity="central bank",
    scope="this year",
    status="provided",
    columns=(Column(name="hour", type=ColumnType.parse("integer")),),
)


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    family = blueprint.load(HOME)
    return package(family, "small", 1, compile_family(family, "small", 1))


def revised(task: TaskPackage, *edits: Edit, purpose: str = "repair") -> TaskPackage:
    return apply(task, Revision.model_validate({"purpose": purpose, "why": "a test", "edits": edits}))


def changed(before: TaskPackage, after: TaskPackage) -> list[str]:
    return [path for path, content in before.shown.items() if after.shown[path] != content]


def test_words_of_a_page_change_there_alone(task: TaskPackage) -> None:
    old, new = "The notice has the details.", "The notice of this month has the details."
    after = revised(task, Reword(path=GLANCE, old=old, new=new))
    assert changed(task, after) == [GLANCE] and new.encode() in after.external[GLANCE]
    assert after.files == task.files and after.pages == task.pages
    entry = after.hidden.history[-1]
    assert any(new in line for line in entry.changes[GLANCE]) and check(after).passed
    assert list(violated(task, after)) == []


def test_the_index_follows_a_title_and_a_date(task: TaskPackage) -> None:
    after = revised(
        task,
        Reword(path=GLANCE, old='"Central bank: exchange rates at a glance"', new='"Exchange rates, at a glance"'),
        Reword(path=GLANCE, old='"{{ context.dates.rate_now }}"', new='"2026-01-05"'),
    )
    told = {card.path: card for card in after.pages}[GLANCE]
    assert (told.title, told.published) == ("Exchange rates, at a glance", "2026-01-05")
    assert check(after).passed


def test_a_fact_is_said_on_a_page(task: TaskPackage) -> None:
    where = "The bank does not trade with private persons."
    fact = AddFact(unit=HOURS, rows=({"hour": 9},), path=GLANCE, after=where, text=" It opens at {{ opening.hour }}.")
    after = revised(task, fact)
    assert b"It opens at 9." in after.external[GLANCE] and changed(task, after) == [GLANCE]
    assert [a.place.file for a in after.hidden.anchors if a.cell and a.cell.unit == "opening"] == [GLANCE]
    assert check(after).passed


@pytest.mark.parametrize("how", ["truncated", "emptied", "mistyped"])
def test_a_damaged_page_is_found_and_written_again(task: TaskPackage, how: str, tmp_path: Path) -> None:
    bad = revised(task, Damage.model_validate({"path": NOTICE, "how": how}), purpose="inject")
    assert changed(task, bad) == [NOTICE] and bad.files == task.files
    found = check(bad)
    assert {f.path for f in found.findings if f.severity == "hard" and f.defect == "executability defect"} >= {NOTICE}
    assert load(save(bad, tmp_path / "bad")).pages == bad.pages, "a package with a damaged page can be kept"
    mended = revised(bad, Restore(path=NOTICE))
    assert (mended.external, mended.pages, mended.files) == (task.external, task.pages, task.files)
    assert check(mended).passed


def test_a_value_that_was_withheld_comes_back_by_a_mend(task: TaskPackage) -> None:
    bad = revised(task, Withhold(cell=RATE), purpose="inject")
    assert sorted(changed(task, bad)) == sorted([NOTICE, GLANCE])
    revision = restorer(task)(bad, check(bad))
    assert revision is not None and [item.kind for item in revision.edits] == ["set"]
    tried = attempt(bad, revision)
    assert tried.package is not None and tried.package.shown == task.shown


def test_a_result_may_not_be_written_on_a_page(task: TaskPackage) -> None:
    total = f"{task.truth('total').rows[0][0]:,.2f}"
    with pytest.raises(MutationError, match=f"{GLANCE}.*which is to be worked out"):
        revised(task, Reword(path=GLANCE, old="persons.", new=f"persons. The total landed cost is EUR {total}."))


def test_a_revision_keeps_pages_and_their_states(task: TaskPackage) -> None:
    def planned(page: PageSpec | None) -> TaskPackage:
        plan = task.hidden.plan
        specs = tuple(s.model_copy(update={"page": page}) if s.path == GLANCE else s for s in plan.artifacts)
        return task.with_hidden(plan=plan.model_copy(update={"artifacts": specs})).with_shown(task.shown)

    for page in (None, PageSpec(state="dead"), PageSpec(state="moved", moved_to=NOTICE)):
        assert "the artifacts of the plan changed by more than their words" in list(violated(task, planned(page)))
    longer = {**task.shown, "bank.example/more.html": b"<title>More</title>"}
    assert "the files are no longer the same: bank.example/more.html" in list(violated(task, task.with_shown(longer)))
    with pytest.raises(MutationError, match=r"nowhere\.example"):
        revised(task, SetCell(cell=RATE, value="0.5"), Restore(path="nowhere.example/index.html"))
