"""No accepted repair changes the number or types of files, the structure or the work, whatever a reviser proposes.

Proposals are drawn, most of them hostile, each alone and in company; the reviewer agrees to everything, so that code
alone holds the line.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from pydantic import ValidationError

from workgym.check import check
from workgym.documents import Document, members, read_all
from workgym.errors import MutationError
from workgym.mutation import apply, violations
from workgym.package import TaskPackage
from workgym.repair import attempt, mend, reviewing
from workgym.repair.forms import Proposal

from . import small
from .small import agreeing, proposal, saying, words

Edits = list[dict[str, Any]]
BEST, COST = "Copper Hill", "41,649.25"
FACT: dict[str, Any] = {
    "kind": "fact", "unit": "extra", "content": "an extra", "entity": "tender",
    "columns": [{"name": "amount", "type": "money(USD, 2)"}], "key": [],
    "rows": [[{"column": "amount", "value": "7.10"}]],
    "path": "request.md", "after": "Thanks", "text": " (stamp: {{ extra.amount | money }})",
}  # fmt: skip


def fact(**changes: Any) -> dict[str, Any]:
    return {**FACT, **changes}


def named(name: str, value: str) -> dict[str, str]:
    return {"column": name, "value": value}


def column(name: str, type_: str) -> dict[str, str]:
    return {"name": name, "type": type_}


CHART = '---\nchart: {kind: bar, rows: {unit: bid, where: "price < 1"}, x: supplier, y: [price]}\n---\n'
HOSTILE: dict[str, Edits] = {
    "the answer in figures": [words("request.md", "Thanks", f"It will be {{{{ '{COST}' | decor }}}}. Thanks")],
    "the answer rounded": [words("request.md", "Thanks", "Copper Hill: {{ '41.6' | decor }} thousand. Thanks")],
    "the answer typed": [words("policy/note.docx", "Offers are binding.", f"Offers are binding, so {COST} it is.")],
    "the answer as a fact": [fact(rows=[[{"column": "amount", "value": "41649.25"}]], text=" {{ extra.amount }}")],
    "the answer as another value": [
        {"kind": "set", "unit": "spent", "key": [], "column": "amount", "value": "41649.25"}
    ],
    "the winner as a fact": [
        fact(
            columns=[column("who", "text")],
            rows=[[{"column": "who", "value": BEST}]],
            text=" the cheapest is {{ extra.who }}",
        )
    ],
    "the winner in words": [words("policy/note.docx", "Offers are binding.", f"The cheapest supplier is {BEST}.")],
    "the winner printed": [
        words("request.md", "Thanks", "The cheapest is {{ bid.of('Copper Hill').supplier }}. Thanks")
    ],
    "the winner chosen by a query": [
        words("request.md", "Thanks", "{{ rows(bid, order='price')[0].supplier }} Thanks")
    ],
    "the winner by a condition": [
        words("policy/note.docx", "- {{ b.supplier }} was asked.", "- {{ b.supplier if b.price < 1 else 'no' }}")
    ],
    "a derived unit printed": [words("request.md", "Thanks", "{{ landed.of('Copper Hill').cost }} Thanks")],
    "a derived cell set": [{"kind": "set", "unit": "landed", "key": [BEST], "column": "cost", "value": "1.00"}],
    "a key set": [{"kind": "set", "unit": "bid", "key": [BEST], "column": "supplier", "value": "Other"}],
    "a derived row": [
        {"kind": "row", "unit": "landed", "row": [named("supplier", "X"), named("cost", "1")]}
    ],
    "a row without its counterpart": [
        {"kind": "row", "unit": "bid", "row": [named("supplier", "X"), named("price", "1")]}
    ],
    "a unit that is there": [fact(unit="bid")],
    "a unit with a bad name": [fact(unit="Robert'); drop table bid;--")],
    "a unit named like the language": [fact(unit="order", text=" {{ order.amount }}")],
    "a fact that is not printed": [fact(text=" (no stamp)")],
    "a fact in no file": [fact(path="new.md")],
    "a fact of no type": [fact(columns=[column("amount", "galaxy")])],
    "a deliverable renamed": [words("request.md", "comparison.xlsx", "other.xlsx")],
    "a heading renamed": [words("request.md", "Landed cost (USD)", "Cost")],
    "a file that is not there": [words("new.md", "x", "y")],
    "a deliverable made": [words("comparison.xlsx", "x", "y")],
    "a file in the archive renamed": [words("old.zip", "readme.md", "answer.md")],
    "a file added to the archive": [words("old.zip", "files", "files_and")],
    "other rows shown": [words("bids.xlsx", "bid", "freight")],
    "a tree broken": [words("bids.xlsx", "sheets", "leaves")],
    "a premise unprinted": [words("request.md", "{{ volume.pieces | quantity }}", "some")],
    "a premise in a picture": [words("policy/note.docx", "# Buying crates", "---\nscan: true\n---\n# Buying crates")],
    "a chart of the best": [
        words("policy/note.docx", "# Buying crates", CHART)
    ],
    "a hidden part": [words("policy/note.docx", "Offers are binding.", "<!-- hidden --> Offers are binding.")],
    "a bomb of memory": [words("request.md", "Thanks", "{{ 'x' * 3000000000 }}")],
    "a bomb of loops": [
        words("request.md", "Thanks", "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}")
    ],
    "a template that is none": [words("request.md", "Thanks", "{% if %}{{")],
    "a deep template": [words("request.md", "Thanks", "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}")],
    "private characters": [words("request.md", "Thanks", "\ue000\ue101")],
    "control characters": [words("policy/note.docx", "Offers are binding.", "Offers\x00\x01 are binding.")],
    "much text": [words("policy/note.docx", "Offers are binding.", "All is well. " * 1500)],
    "too much text": [words("policy/note.docx", "Offers are binding.", "All is well. " * 20000)],
    "words in many places": [words("request.md", "e", "x")],
    "a value of no type": [{"kind": "set", "unit": "bid", "key": [BEST], "column": "price", "value": "much"}],
    "a value without end": [{"kind": "set", "unit": "bid", "key": [BEST], "column": "price", "value": "1e999999"}],
    "nothing at all": [{"kind": "restore", "path": "policy/note.docx"}],
    "an unknown file restored": [{"kind": "restore", "path": "../../etc/passwd"}],
}  # fmt: skip
UGLY = ("much text", "a unit named like the language")
"""What harms nobody: it is the reviewer's business."""
HARMLESS: dict[str, Edits] = {
    "a politer request": [words("request.md", "Thanks", "Many thanks")],
    "a clearer request": [words("request.md", "please compare", "please compare, freight included,")],
    "a fact": [FACT],
    "another price": [{"kind": "set", "unit": "bid", "key": [BEST], "column": "price", "value": "0.8050"}],
    "a note in the workbook": [words("bids.xlsx", "Bids for crates", "Bids for crates, without freight")],
}


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    return small.planned()


def kept(before: TaskPackage, after: TaskPackage) -> None:
    """Everything that a repair may not change, looked at without the mutator's own eyes."""
    assert before.files.keys() == after.files.keys()
    for path, content in after.files.items():
        assert set(members(path, content)) == set(members(path, before.files[path]))
    was, now = formats(before), formats(after)
    assert was == now and None not in now.values()
    old, new = before.hidden, after.hidden
    assert old.plan.dependencies == new.plan.dependencies
    assert old.graph.supports == new.graph.supports
    derived = [unit for unit in old.graph.units if unit.status == "derived"]
    assert derived == [unit for unit in new.graph.units if unit.status == "derived"]
    assert old.graph.deliverables == new.graph.deliverables and before.card.deliverables == after.card.deliverables
    assert before.card.id == after.card.id and old.origin == new.origin and old.expert == new.expert
    assert set(old.graph.by_name) <= set(new.graph.by_name)
    assert COST not in after.request + "".join(map(str, new.history[-1].changes.values()))


def formats(package: TaskPackage) -> dict[str, str | None]:
    """What each file is, for who reads it; None for one that cannot be read."""
    read = read_all(package.files)
    return {path: found.format if isinstance(found, Document) else None for path, found in read.items()}


def touched(before: TaskPackage, edits: Edits) -> set[str]:
    """The carriers that edits name, and those that print the units whose rows they change."""
    units = {edit["unit"] for edit in edits if edit["kind"] in ("set", "row")}
    printing = {a.place.file for a in before.hidden.anchors if a.cell and a.cell.unit in units}
    return {edit["path"] for edit in edits if "path" in edit} | printing


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_proposal_is_discarded_with_a_reason_or_does_no_harm(task: TaskPackage, name: str) -> None:
    edits = HOSTILE[name]
    try:
        revision = Proposal.model_validate_json(proposal(*edits)).revision(())
    except (MutationError, ValidationError) as error:
        assert str(error)
        return
    tried = attempt(task, revision, review=reviewing(agreeing()))
    assert tried.record.reason and tried.record.revision == revision
    if tried.package is None:
        assert tried.record.fate in ("contract", "checks")
    else:
        assert name in UGLY, tried.package.hidden.history[-1].changes
        kept(task, tried.package)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_proposal_is_accepted(task: TaskPackage, name: str) -> None:
    edits = HARMLESS[name]
    outcome = mend(task, ["something"], reviser=saying([proposal(*edits)]), reviewer=agreeing(), rounds=1)
    assert outcome.accepted, outcome.reason
    kept(task, outcome.package)
    others = set(task.files) - touched(task, edits)
    assert all(outcome.package.files[path] == task.files[path] for path in others)


def test_drawn_proposals_keep_the_contract_or_are_refused(task: TaskPackage, full_size: bool) -> None:
    """Edits of all kinds together, in any order, through the mutator: what comes out keeps the frame."""
    rng = random.Random("drawn proposals")
    pool = [*HOSTILE.values(), *HARMLESS.values(), *HARMLESS.values(), *HARMLESS.values()]
    made = refused = 0
    for _ in range(400 if full_size else 30):
        edits = [edit for some in rng.sample(pool, rng.choice((1, 2, 2, 3))) for edit in some]
        try:
            revision = Proposal.model_validate_json(proposal(*edits)).revision(())
            after = apply(task, revision)
        except (MutationError, ValueError) as error:
            assert str(error)
            refused += 1
            continue
        made += 1
        assert list(violations(task, after)) == []
        assert task.files.keys() == after.files.keys()
        others = set(task.files) - touched(task, edits)
        assert all(after.files[path] == task.files[path] for path in others)
    assert made >= 3 and refused >= 3


def test_the_drawn_task_is_sound(task: TaskPackage) -> None:
    assert check(task).passed
