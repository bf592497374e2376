"""Every prompt is rendered, says what its places say, and names what there is."""

from __future__ import annotations

import re
from dataclasses import replace
from string import ascii_lowercase
from typing import get_args

import pytest

from workgym.models import Asker
from workgym.mutation import Revision, Reword, apply
from workgym.package import TaskPackage
from workgym.records import CheckReport, Finding, Intent, SituatedRole, Wanted
from workgym.repair.forms import Change, Preservation, Proposal
from workgym.repair.showing import FINDINGS, PROMPTS, hard, intent, review, task

from . import small
from .small import agreeing


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return small.planned()


def test_every_prompt_is_rendered(package: TaskPackage) -> None:
    assert sorted(PROMPTS) == ["refused", "review", "reviewer", "reviser", "task"]
    shown = [
        PROMPTS["reviser"].render(),
        PROMPTS["reviewer"].render(),
        PROMPTS["refused"].render(reasons="- it leaks"),
        task(package, ["something is missing"]),
        review(package, apply(package, thanks())),
    ]
    assert all(text.strip() for text in shown)


def thanks() -> Revision:
    edit = Reword(path="request.md", old="Thanks", new="Many thanks")
    return Revision(purpose="repair", why="the secret diagnosis", edits=(edit,), findings=("the secret finding",))


def test_the_reviser_is_told_all_edits_that_its_form_has(package: TaskPackage) -> None:
    kinds = {str(get_args(form.model_fields["kind"].annotation)[0]) for form in get_args(get_args(Change)[0])}
    told = set(re.findall(r"^- (\w+): ", PROMPTS["reviser"].render(), re.MULTILINE))
    assert told == kinds


def test_the_examples_in_the_prompt_fit_the_form() -> None:
    text = PROMPTS["reviser"].render()
    (whole,) = re.findall(r'^\{"reasons".*$', text, re.MULTILINE)
    (edit,) = re.findall(r'\{"kind": "reword".*?\}', text)
    Proposal.model_validate_json(whole).revision(())
    Proposal.model_validate_json(f'{{"reasons": "r", "summary": "s", "edits": [{edit}]}}').revision(())


def test_fields_explain_themselves_to_the_model() -> None:
    for form in (Proposal, Preservation):
        definition = Asker(agreeing(), form).schema.definition
        parts = [definition, *definition.get("$defs", {}).values()]
        fields = {name: spec for part in parts for name, spec in part.get("properties", {}).items()}
        assert fields and all(spec.get("description") for name, spec in fields.items()), fields


def test_a_reviewer_sees_neither_diagnosis_nor_graph(package: TaskPackage) -> None:
    shown = review(package, apply(package, thanks()))
    assert "+ Many thanks" in shown and "- Thanks" in shown
    assert "secret" not in shown
    for unit in package.hidden.graph.units:
        assert unit.query is None or unit.query not in shown
    for row in package.truth("landed").rows:
        assert f"{row[1]:,}" not in shown and str(row[1]) not in shown


def test_what_was_meant_comes_from_the_intent(package: TaskPackage) -> None:
    assert package.card.title in intent(package)
    role = SituatedRole(
        occupation="13-1023", title="buyer", industry="logistics", size="small", seniority="second year",
        trigger="The contract ends.", stakes="Crates run out.",
    )  # fmt: skip
    wanted = (Wanted(what="a comparison", format="xlsx"),)
    meant = Intent(source="occupation", role=role, goal="Choose whom to buy crates from.", wanted=wanted)
    origin = replace(package.hidden, origin=package.hidden.origin.model_copy(update={"intent": meant}))
    assert meant.goal in review(replace(package, hidden=origin), apply(package, thanks()))


def test_much_that_was_written_is_shown_whole(package: TaskPackage) -> None:
    text = "\n\n".join(f"Line {a}{b} of it." for a in ascii_lowercase[:12] for b in ascii_lowercase)
    edit = Reword(path="policy/note.docx", old="Offers are binding.", new=text)
    shown = review(package, apply(package, Revision(purpose="inject", why="much", edits=(edit,))))
    assert "words that were written here: Line aa of it." in shown


def test_findings_say_what_should_be_there_and_are_not_endless() -> None:
    one = Finding(
        check="presence", severity="hard", defect="self-inconsistency", message="it is not there", path="a.md", at="l1",
        expected="12", found="13",
    )  # fmt: skip
    soft = one.model_copy(update={"severity": "soft"})
    many = CheckReport(task_id="t", ran=("presence",), findings=(soft, *[one] * (FINDINGS + 5)))
    lines = hard(many)
    assert lines[0] == "[self-inconsistency] presence: it is not there (a.md l1): should be '12', is '13'"
    assert len(lines) == FINDINGS + 1 and lines[-1] == "and 5 more"
