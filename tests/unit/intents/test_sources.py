"""Intents from occupations, skills and files, and chains: what is drawn, asked, checked by code, kept as provenance."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.errors import BudgetSpent, Unstructured, UsageError
from workgym.intents import chain, compose, expand, infer
from workgym.model import ModelRequest
from workgym.models import Budget, Ledger, Ledgered, ScriptedModel
from workgym.records import Intent

from .authors import asked, author, placed, steps, told, write

SKILLS = {
    "match-invoices/SKILL.md": "---\nname: match invoices\ndescription: Sets invoices against orders.\n---\nMatch.",
    "match-invoices/forms.md": "material of the skill, no skill of its own",
    "dispute.md": "# Dispute letters\n\nWrites the letter that contests a charge.\n",
    "more/accruals.md": "---\nname: accruals\ndescription: Works out what is to be accrued.\n---\nAccrue.",
    "README.md": "about this folder",
}


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    for name, text in SKILLS.items():
        (tmp_path / "skills" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "skills" / name).write_text(text, encoding="utf-8")
    return tmp_path / "skills"


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of two matters, one of them damaged."""
    folder = tmp_path_factory.mktemp("artifacts")
    for matter, family in (("tender", "supplier-selection"), ("bank", "bank-reconciliation")):
        for path, content in families.build(family, "easy", 1).files.items():
            (folder / matter / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / matter / path).write_bytes(content)
    (folder / "tender" / "broken.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    (folder / "tender" / "tool.exe").write_bytes(b"MZ")
    return folder


def changed(change: Callable[[dict[str, Any]], None], times: int = 1) -> ScriptedModel:
    """An author whose first drafts are wrong."""
    left = [times]

    def say(request: ModelRequest) -> str:
        made = json.loads(write(request))
        if left[0] and "goal" in made:
            left[0] -= 1
            change(made)
        return json.dumps(made)

    return ScriptedModel(say, name="hasty")


def first(model: ScriptedModel) -> Intent:
    return next(expand(model, occupations=["13-2051"], count=1, seed=4))


def test_an_occupation_becomes_situated_roles() -> None:
    model = author()
    made = list(expand(model, occupations=["13-20", "29-1"], count=12, seed=4))
    assert len(made) == 12 and {intent.role.occupation[:4] for intent in made} == {"13-2", "29-1"}
    assert all(intent.source == "occupation" and intent.operations == () and intent.after == "" for intent in made)
    assert len({intent.role.seniority for intent in made}) >= 6, "roles vary"
    assert len({asked(request) for request in model.requests}) == 12
    assert made == list(expand(author(), occupations=["13-20", "29-1"], count=12, seed=4)), "and are the same again"
    assert [intent.id for intent in expand(author(), occupations=["13-20", "29-1"], count=3, seed=4)] == [
        intent.id for intent in made[:3]
    ]
    question = asked(model.requests[0])
    assert made[0].role.occupation in question and "SOC" not in made[0].goal
    assert made[0].provenance["slot"] == f"occupations/4/0/{made[0].role.occupation}"
    assert made[0].provenance["table"].startswith("Standard Occupational Classification 2018")


ONE = "One sentence only, long enough to pass for a goal where nobody counts how many sentences it really has."


@pytest.mark.parametrize(
    ("field", "change", "expected"),
    [
        ("goal", lambda goal: ONE, "it has 1 sentences"),
        ("goal", lambda goal: goal.replace(".", " and saves 1,250 EUR.", 1), "an amount of money"),
        ("wanted", lambda wanted: [*wanted, {"what": "a picture", "format": "png"}], "asked for are"),
        ("title", lambda title: "Manager at [Company]", "placeholder"),
        ("trigger", lambda trigger: "A large language model was told to do this.", "has no place"),
    ],
)
def test_what_code_finds_wrong_goes_back_to_the_model(field: str, change: Callable[[Any], Any], expected: str) -> None:
    def wrong(made: dict[str, Any]) -> None:
        made[field] = change(made[field])

    model = changed(wrong)
    intent = first(model)
    assert intent == first(author()).model_copy(update={"provenance": intent.provenance})
    assert len(model.requests) == 2 and expected in told(model.requests[1])
    assert "Write the whole record again" in told(model.requests[1])


def test_a_model_that_does_not_learn_is_given_up() -> None:
    def wrong(made: dict[str, Any]) -> None:
        made["wanted"].append(made["wanted"][0])

    dropped: list[tuple[str, str]] = []
    model = changed(wrong, times=3)
    made = list(
        expand(model, occupations=["13-2051"], count=2, seed=4, dropped=lambda slot, why: dropped.append((slot, why)))
    )
    assert len(made) == 1 and len(model.requests) == 4
    assert dropped[0][0] == "occupations/4/0/13-2051" and dropped[0][1].startswith("wanted: the formats are")
    with pytest.raises(UsageError, match="no occupation"):
        expand(author(), occupations=["99"], count=1, seed=0)


def test_a_budget_ends_it_and_is_no_drop() -> None:
    model = Ledgered(author(), Ledger(), budget=Budget(tokens=10))
    intents = expand(model, occupations=None, count=3, seed=0)
    next(intents)
    with pytest.raises(BudgetSpent):
        next(intents)


def test_skills_are_composed(skills: Path) -> None:
    model = author()
    made = list(compose(model, skills, count=3, seed=2))
    assert [intent.source for intent in made] == ["skills"] * 3
    assert {intent.provenance["slot"].rpartition("/")[2] for intent in made} == {
        "match invoices",
        "dispute",
        "accruals",
    }
    one = made[0]
    assert one.operations[1].takes[0] == one.operations[0].gives and len(one.operations) == 2
    digests = {value for key, value in one.provenance.items() if key.startswith("skill ")}
    assert len(digests) == 2
    assert digests <= {f"sha256:{hashlib.sha256(text.encode()).hexdigest()}" for text in SKILLS.values()}
    assert "no skill of its own" not in told(model.requests[1]) and "about this folder" not in told(model.requests[0])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda made: made["operations"][1].update(takes=["something else"]), "operations 2: takes nothing that an"),
        (lambda made: made["operations"][0].update(skill="juggling"), "there is no skill 'juggling'"),
        (lambda made: made["operations"][1].update(gives=made["operations"][0]["gives"]), "gives 'the product"),
        (lambda made: made["operations"][1].update(skill=""), "is not used"),
        (lambda made: made["operations"].insert(1, steps(["x"])[0] | {"skill": ""}), "operations 2: takes nothing"),
        (lambda made: made.update(occupation="13-9999"), "no detailed occupation"),
        (lambda made: made.update(occupation_title="Accountants"), "near that title: 13-2011 Accountants and Auditors"),
    ],
)
def test_what_is_not_joined_goes_back(change: Callable[[dict[str, Any]], None], expected: str, skills: Path) -> None:
    model = changed(change)
    (made,) = compose(model, skills, count=1, seed=2)
    assert len(model.requests) == 3 and expected in told(model.requests[2])
    assert made.operations[1].takes[0] == made.operations[0].gives


def test_an_article_is_no_other_word(skills: Path) -> None:
    model = changed(lambda made: made["operations"][1].update(takes=["Product of " + made["operations"][0]["skill"]]))
    assert len(list(compose(model, skills, count=1, seed=2))) == 1 and len(model.requests) == 2


def test_skills_that_are_not_on_offer_are_refused(skills: Path) -> None:
    def say(request: ModelRequest) -> str:
        made = json.loads(write(request))
        if "skills" in made and len(model.requests) == 1:
            made["skills"] = ["juggling", "accruals"]
        return json.dumps(made)

    model = ScriptedModel(say)
    assert len(list(compose(model, skills, count=1, seed=2))) == 1
    assert "'juggling' is not on offer" in told(model.requests[1])


def test_a_goal_is_inferred_from_files(artifacts: Path) -> None:
    model = author()
    bank, tender = infer(model, artifacts, count=2, seed=1)
    assert (bank.provenance["bundle"], tender.provenance["bundle"]) == ("bank", "tender")
    assert tender.source == "artifacts" and tender.role.occupation == "13-1081"
    files = {key[5:]: value for key, value in tender.provenance.items() if key.startswith("file ")}
    assert len(files) == 3
    for path, value in files.items():
        assert value == f"sha256:{hashlib.sha256((artifacts / path).read_bytes()).hexdigest()}"
    question = asked(model.requests[1])
    assert re.search(r"### tender/broken.xlsx \(\d+ bytes\)\ncannot be read: \w+\n", question)
    assert "cannot be read: unknown-format" in question and "[table" in question and "<<<DATA" in question


def test_grounds_are_files_that_could_be_read(artifacts: Path) -> None:
    def wrong(made: dict[str, Any]) -> None:
        made["grounds"][0]["file"] = "tender/broken.xlsx"
        made["grounds"][1]["file"] = made["grounds"][2]["file"]

    model = changed(wrong)
    list(infer(model, artifacts, count=1, seed=1))
    said = told(model.requests[1])
    assert "there is no file 'tender/broken.xlsx', or it cannot be read" in said and "needs at least 3" in said


def test_a_chain_starts_from_what_came_out() -> None:
    before = first(author())
    after = chain(author(), before, seed=3)
    assert after.after == before.id and after.id != before.id
    assert after.operations[0].takes[0] == before.wanted[0].what
    assert after == chain(author(), before, seed=3)
    question = told_of_chain(before)
    assert before.goal in question and "slot" not in question and "scripted" not in question

    def same(made: dict[str, Any]) -> None:
        made.update(goal=before.goal, starts_from=["the moon"])

    model = changed(same, times=9)
    with pytest.raises(Unstructured, match="starts_from: 'the moon' did not come out"):
        chain(model, before, seed=3)
    assert "it repeats the first task" in told(model.requests[1])


def told_of_chain(before: Intent) -> str:
    model = author()
    chain(model, before, seed=3)
    return asked(model.requests[0])


def test_forms_say_what_their_fields_mean() -> None:
    model = author()
    first(model)
    assert "without amounts of money, percentages" in told(model.requests[0])
    assert placed(model.requests[0])["occupation"] == "13-1081"
