"""Edits of words, facts, rows and files: graph, plan and files change together, and the contract holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.authoring import families
from workgym.check import check
from workgym.errors import MutationError
from workgym.graph import InfoUnit
from workgym.mutation import (
    AddFact,
    AddRow,
    Damage,
    Edit,
    Restore,
    Revision,
    Reword,
    SetCell,
    Withhold,
    apply,
    violations,
)
from workgym.mutation.changes import Line, diff
from workgym.mutation.wording import difference, reworded, texts
from workgym.package import TaskPackage, load, save
from workgym.plan import ArtifactSpec
from workgym.records import Cell, Column, ColumnType
from workgym.repair import repair, restorer

ORCHARD = Cell(unit="freight", key=("Orchard Industries BV",), column="per_unit")
RATES, DEMAND, POLICY = (
    "logistics/carrier_rates.csv",
    "planning/packaging_demand_released.xlsx",
    "policies/sourcing_policy.docx",
)
VALIDITY = InfoUnit(
    name="price_validity",
    content="until when prices hold",
    entity="tender",
    scope="this tender",
    status="provided",
    columns=(Column(name="day", type=ColumnType.parse("date")),),
)


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "medium", 3)


def revised(package: TaskPackage, *edits: Edit, purpose: str = "repair") -> TaskPackage:
    return apply(package, Revision.model_validate({"purpose": purpose, "why": "a test", "edits": edits}))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("request.md", "to the cent, without tooling", "to the cent, without tooling and without tax"),
        (DEMAND, "Status: released by planning", "Status: released by planning, in pieces"),
        (RATES, "Loading place", "Place of loading"),
        (POLICY, "This policy governs", "This policy of ours governs"),
        ("quotes/dovetail-plastics-sa/quotation.pdf", "Our general terms", "Our usual terms"),
        ("mail/re_freight_rates.eml", "door to door", "from door to door"),
    ],
)
def test_words_change_in_plan_and_file_and_nowhere_else(package: TaskPackage, path: str, old: str, new: str) -> None:
    changed = revised(package, Reword(path=path, old=old, new=new))
    assert [name for name in package.files if changed.files[name] != package.files[name]] == (
        [] if path == "request.md" else [path]
    )
    assert (changed.request != package.request) is (path == "request.md")
    assert check(changed).passed
    assert list(violations(package, changed)) == []
    assert not changed.ours  # whoever proposed the words: they are evaluated apart
    assert list(changed.hidden.history[-1].changes) == [path]


def test_values_stay_anchored_where_words_around_them_change(package: TaskPackage) -> None:
    path = "mail/re_freight_rates.eml"

    def printed(task: TaskPackage) -> dict[Cell, str]:
        return {a.cell: a.printed for a in task.hidden.anchors if a.cell and a.place.path == path}

    changed = revised(package, Reword(path=path, old="door to door", new="all tolls in, from door to door"))
    assert printed(package) and printed(changed) == printed(package)
    assert check(changed).passed


def test_a_fact_is_a_unit_that_no_query_reads(package: TaskPackage, tmp_path_factory: pytest.TempPathFactory) -> None:
    fact = AddFact(
        unit=VALIDITY,
        rows=({"day": "2026-12-31"},),
        path=POLICY,
        after="This policy governs",
        text=" until {{ price_validity.day | date }}",
    )
    changed = revised(package, fact)
    graph = changed.hidden.graph
    assert graph.unit("price_validity").role == "distractor" and graph.supports == package.hidden.graph.supports
    assert {b.carrier for b in graph.bindings if b.unit == "price_validity"} == {POLICY}
    assert check(changed).passed
    moved = revised(changed, SetCell(cell=Cell(unit="price_validity", key=(), column="day"), value="2027-01-31"))
    assert "until 31 January 2027" in str(moved.hidden.history[-1].changes)
    assert load(save(moved, tmp_path_factory.mktemp("fact") / "task")).digest == moved.digest


def test_prose_stays_bound_when_the_task_is_revised_again(package: TaskPackage) -> None:
    unit = VALIDITY.model_copy(update={"name": "tone", "columns": ()})
    fact = AddFact(unit=unit, path="request.md", after="Thanks,", text=" as always,")
    changed = revised(package, fact)
    again = revised(changed, Reword(path="request.md", old="Hello,", new="Good morning,"))
    prose = [(b.unit, b.carrier) for b in again.hidden.graph.bindings if b.form == "prose"]
    assert prose == [("tone", "request.md")]


def test_a_row_comes_into_graph_and_files() -> None:
    """Who was at work on a day that nobody had listed: derived rows follow."""
    package = families.build("bank-reconciliation", "easy", 3)
    unit = next(u for u in package.hidden.graph.relations("provided") if len(u.key) == 1 and u.role == "distractor")
    relation = package.truth(unit.name)
    row = {**relation.dump()[0], unit.key[0]: "Z-99001" if unit.column(unit.key[0]).type.kind == "text" else 99001}
    changed = revised(package, AddRow(unit=unit.name, row=row), purpose="inject")
    assert len(changed.truth(unit.name).rows) == len(relation.rows) + 1
    assert any(anchor.cell and anchor.cell.key == (str(row[unit.key[0]]),) for anchor in changed.hidden.anchors)


@pytest.mark.parametrize("how", ["truncated", "emptied"])
@pytest.mark.parametrize("path", [DEMAND, POLICY, "quotes/dovetail-plastics-sa/quotation.pdf"])
def test_a_damaged_file_is_found_and_written_again(package: TaskPackage, path: str, how: str) -> None:
    broken = revised(package, Damage.model_validate({"path": path, "how": how}), purpose="inject")
    assert "executability defect" in {f.defect for f in check(broken).findings if f.severity == "hard"}
    mended = revised(broken, Restore(path=path))
    assert mended.files == package.files and mended.digest == package.digest


def test_who_knows_the_sound_form_restores_words_and_files(package: TaskPackage) -> None:
    broken = revised(
        package,
        Reword(path="request.md", old="recommendation.docx", new="advice.docx"),
        Reword(path="request.md", old="Thanks,", new="We will recommend Pinnacle Products SA.\n\nThanks,"),
        Damage(path=DEMAND),
        purpose="inject",
    )
    outcome = repair(broken, restorer(package))
    assert outcome.accepted, outcome.reason
    assert outcome.package.digest == package.digest


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (Reword(path="no/such.md", old="x", new="y"), "no carrier no/such.md"),
        (Reword(path="request.md", old="not in it", new="y"), "stands 0 times"),
        (Reword(path="request.md", old="USD", new="EUR"), "quote more"),
        (Reword(path=RATES, old="supplier <> (select", new="supplier = (select"), "which rows are shown"),
        (Reword(path="request.md", old="Thanks,", new="{% for q in quote %}x{% endfor %}"), "no loop of its own"),
        (Reword(path="request.md", old="Thanks,", new="{{ rows(quote)[0].supplier }}"), "no call of its own"),
        (Reword(path="request.md", old="Thanks,", new="{{ quote | first }}"), "no filter first of its own"),
        (Reword(path="request.md", old="Thanks,", new="{% if x %}"), "template"),
        (Reword(path="request.md", old="Thanks,", new="{{ npv.of('x').npv }}"), "no unit and no name 'npv'"),
        (AddFact(unit=VALIDITY, rows=(), path=POLICY, after="This policy", text=" x"), "has rows"),
        (AddFact(unit=VALIDITY, rows=({"day": None},), path=POLICY, after="This policy", text=" x"), "every value"),
        (
            AddFact(unit=VALIDITY, rows=({"day": "2026-01-31"},), path=POLICY, after="This policy", text=" x"),
            "not print",
        ),
        (
            AddFact(unit=VALIDITY.model_copy(update={"status": "external"}), path=POLICY, after="This", text=" x"),
            "provided unit without",
        ),
        (AddRow(unit="npv", row={"supplier": "X", "npv": "1"}), "npv is derived"),
        (AddRow(unit="timing", row={"timing": "end of the year"}), "no key"),
        (AddRow(unit="freight", row={"supplier": "X"}), "every column"),
        (AddRow(unit="freight", row={"supplier": "X", "per_unit": None}), "has every value"),
        (AddRow(unit="freight", row={"supplier": "Orchard Industries BV", "per_unit": "1"}), "already"),
        (SetCell(cell=ORCHARD, value=None), "take a value"),
        (Restore(path="no/such.md"), "no carrier"),
        (Damage(path=RATES), "for injections"),
    ],
)
def test_what_a_repair_may_not_do_is_refused_in_one_line(package: TaskPackage, edit: Edit, says: str) -> None:
    with pytest.raises(MutationError, match=says) as caught:
        revised(package, edit)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "whose"),
    [
        (Reword(path="request.md", old="Hello,", new="Hi,"), "reword is for repairs or injections"),
        (Restore(path=RATES), "restore is for repairs or injections"),
        (Damage(path=RATES), "damage is for injections"),
    ],
)
def test_a_user_only_sets_cells(package: TaskPackage, edit: Edit, whose: str) -> None:
    with pytest.raises(MutationError, match=f"a user only sets cells; {whose}"):
        revised(package, edit, purpose="user")


def test_an_injection_may_bring_programs_and_results(package: TaskPackage) -> None:
    best = package.truth("recommended").rows[0][0]
    loop = Reword(path="request.md", old="Thanks,", new="{% for q in quote %}{{ q.supplier }}, {% endfor %}thanks,")
    broken = revised(
        package, loop, Reword(path=POLICY, old="# Sourcing policy", new=f"# Policy: {best}"), purpose="inject"
    )
    assert str(best) in str(broken.hidden.history[-1].changes[POLICY]) and broken.ours


def test_the_history_tells_what_a_file_said(package: TaskPackage) -> None:
    broken = revised(package, Withhold(cell=ORCHARD), purpose="inject")
    (path, lines), = broken.hidden.history[-1].changes.items()  # fmt: skip
    assert path == "mail/re_freight_rates.eml" and broken.hidden.history[-1].purpose == "inject"
    assert [line[:2] for line in lines if line[0] in "-+"] == ["- ", "+ "]


WORDS = st.lists(st.sampled_from(["a", "b", "c", "", "dd"]), max_size=12)


@given(WORDS, WORDS)
def test_a_diff_has_all_that_differs(old: list[str], new: list[str]) -> None:
    def numbered(words: list[str]) -> tuple[Line, ...]:
        return tuple(Line(f"p{at}", word) for at, word in enumerate(words))

    shown = diff(numbered(old), numbered(new))
    assert bool(shown) == (old != new) or not any({*old} ^ {*new})
    gone, come = ([line[2:] for line in shown if line.startswith(mark)] for mark in ("- ", "+ "))
    left = [word for word in old if word]
    for word in gone:
        left.remove(word)
    assert sorted(left + come) == sorted(word for word in new if word)


@given(st.text("ab {}", max_size=30), st.text("ab {}", max_size=30))
def test_a_difference_makes_one_template_the_other(old: str, new: str) -> None:
    spec, wanted = (ArtifactSpec(path="x.md", template=text) for text in (old, new))
    for at, before, after in difference(spec, wanted):
        if not before:
            return  # an empty template has no text to begin with
        spec = reworded(spec, before, after, at=at, closed=False)
    assert spec == wanted


def test_texts_of_a_tree_are_found_by_place_and_headings_are_texts() -> None:
    tree = {"table": {"rows": "bid", "columns": {"Supplier": "supplier", "Price": ["a", "b"]}}}
    spec = ArtifactSpec(path="x.csv", content=tree)
    assert [text.text for text in texts(spec) if not text.key] == ["bid", "supplier", "a", "b"]
    renamed = reworded(spec, "Price", "Price (USD)", closed=True)
    assert list(renamed.content["table"]["columns"]) == ["Supplier", "Price (USD)"]
    with pytest.raises(MutationError, match="already"):
        reworded(spec, "Price", "Supplier", closed=True)


@pytest.mark.parametrize(
    ("content", "old", "free"),
    [
        ({"data": {"unit": "pieces", "order": "PO 7"}}, "pieces", True),
        ({"data": {"unit": "pieces", "order": "PO 7"}}, "PO 7", True),
        ({"table": {"rows": "bid", "columns": {"Price": "price"}}}, "price", True),
        ({"table": {"rows": "bid"}}, "bid", False),
        ({"table": {"rows": {"unit": "bid", "where": "price > 1"}}}, "price > 1", False),
        ({"data": {"each": {"unit": "bid", "match": {"supplier": "a.b"}}, "item": {}}}, "a.b", False),
        ({"data": {"each": {"unit": "bid", "match": {"supplier": "a.b"}}, "item": {}}}, "supplier", False),
        ({"table": {"rows": {"unit": "bid", "where": "price > 1"}}}, "where", False),
    ],
)
def test_a_repair_rewords_data_and_not_which_rows_are_shown(content: object, old: str, free: bool) -> None:
    spec = ArtifactSpec(path="x.json", content=content)
    assert reworded(spec, old, "new", closed=False) != spec
    if free:
        assert reworded(spec, old, "new", closed=True) != spec
    else:
        with pytest.raises(MutationError, match="which rows are shown"):
            reworded(spec, old, "new", closed=True)


@pytest.mark.parametrize(
    ("new", "free"),
    [
        ('title: "Rates"\nfooter: "Valid for 2026"', True),
        ('title: "Rates"\nscan: true', False),
        ('title: "Rates"\nchart: {kind: bar, rows: bid, x: supplier, y: [price]}', False),
        ('title: "Rates"\n---\nA line.', True),
        ('title: "Rates"\n<!-- hidden -->', False),
    ],
)
def test_front_matter_keeps_what_kind_of_file_it_is(new: str, free: bool) -> None:
    spec = ArtifactSpec(path="x.pdf", template='---\ntitle: "Prices"\n---\n# Prices\n')
    if free:
        assert reworded(spec, 'title: "Prices"', new, closed=True) != spec
    else:
        with pytest.raises(MutationError):
            reworded(spec, 'title: "Prices"', new, closed=True)


def test_a_pointer_says_which_text_is_meant_and_numbers_stay_numbers() -> None:
    spec = ArtifactSpec(path="x.csv", content={"table": {"literal": [["A", 12, 3.5], ["A/B", 12, True]]}})
    with pytest.raises(MutationError, match=r"stands 2 times .*/table/literal/0/1, /table/literal/1/1"):
        reworded(spec, "12", "13", closed=True)
    changed = reworded(spec, "12", "13", at="/table/literal/1/1", closed=True)
    changed = reworded(changed, "3.5", "from 4", closed=True)
    assert changed.content == {"table": {"literal": [["A", 12, "from 4"], ["A/B", 13, True]]}}
    with pytest.raises(MutationError, match="stands 0 times at /table/literal/0/0"):
        reworded(spec, "B", "C", at="/table/literal/0/0", closed=True)
    headed = ArtifactSpec(path="x.xlsx", content={"columns": {"a/b": "one", "c": "one"}})
    assert reworded(headed, "one", "two", at="/columns/a~1b", closed=True).content == {
        "columns": {"a/b": "two", "c": "one"}
    }


def _two_words(spec: ArtifactSpec) -> str | None:
    """Two words of running text that stand once, outside front matter and tags."""
    whole = [place.text for place in texts(spec) if not place.key and "/rows" not in place.pointer]
    for text in whole:
        body = text.rpartition("\n---\n")[2]
        for match in re.finditer(r"\b[a-z]{4,} [a-z]{4,}\b", re.sub(r"\{[{%].*?[}%]\}", "", body)):
            if sum(other.count(match[0]) for other in whole) == 1:
                return match[0]
    return None


@pytest.mark.parametrize("family", families.names())
def test_words_of_every_file_change_and_the_frame_stays(family: str) -> None:
    """One revision rewords two words in each carrier that has some, whatever its format."""
    package = families.build(family, "medium", 11)
    found = {spec.path: _two_words(spec) for spec in package.hidden.plan.artifacts}
    edits = [Reword(path=path, old=old, new=old.replace(" ", " and also ")) for path, old in found.items() if old]
    assert len({edit.path.rpartition(".")[2] for edit in edits}) >= 3
    changed = revised(package, *edits)
    touched = {path for path in package.files if changed.files[path] != package.files[path]}
    assert touched <= {edit.path for edit in edits}  # some words stand in a branch that is not taken here
    assert len({path.rpartition(".")[2] for path in touched}) >= 3
    assert changed.request == package.request and changed.hidden.values == package.hidden.values
    assert changed.hidden.history[-1].changes.keys() == touched
    assert [str(finding) for finding in check(changed).findings if finding.severity == "hard"] == []
