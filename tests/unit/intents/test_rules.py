"""What code can say about a draft, rule by rule."""

from __future__ import annotations

import pytest

from workgym.intents import rules
from workgym.intents.forms import Draft, Step, WantedFile

FINE = (
    "Check every call-out of the invoice against our log. Put it into a workbook, with the reason for each deduction."
)


def made(**changes: object) -> Draft:
    fields: dict[str, object] = {
        "background": "Two records of the same thing differ.",
        "title": "Coordinator",
        "industry": "outpatient clinics",
        "size": "a clinic of 140 people",
        "seniority": "experienced",
        "trigger": "The invoice for the year 2026 has arrived.",
        "stakes": "Deductions that nobody claims are waived.",
        "goal": FINE,
        "wanted": (WantedFile(what="reconciliation", format="xlsx"),),
    }
    return Draft.model_validate(fields | changes)


def test_a_good_draft_has_nothing_against_it() -> None:
    assert rules.draft(made(), ["xlsx"]) == []


@pytest.mark.parametrize(
    "goal",
    [
        "List the 12 sites by 31 March 2026, see clause 4.2.1 of the contract. Say for No. 7, e.g. its annex, why.",
        "Compare the offers of 3 suppliers for Q3 under ISO 9001. Decide by section 5 of Dr. Hale's policy!",
        "Was the claim filed in time? Settle it by the rules of version 2.1.0. Write to the insurer. Attach the list.",
    ],
)
def test_what_a_person_knows_beforehand_may_stand_in_a_goal(goal: str) -> None:
    assert rules.draft(made(goal=goal), ["xlsx"]) == []


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("which comes to $1,200", "an amount of money"),
        ("that is EUR 300 too much", "an amount of money"),
        ("a gap of 3 million", "an amount of money"),
        ("above the limit of 5 %", "a percentage"),
        ("by 12 per cent", "a percentage"),
        ("a mean of 3.75 days", "a figure with decimals"),
    ],
)
def test_what_comes_out_may_not(words: str, what: str) -> None:
    (line,) = rules.draft(made(goal=f"{FINE[:-1]}, {words}."), ["xlsx"])
    assert line.startswith(f"goal: {what} stands in it")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"goal": "A sentence that says what is wanted here. " * 6}, "goal: it has 6 sentences"),
        ({"wanted": (WantedFile(what="list", format="docx"),)}, "wanted: the formats are docx; asked for are xlsx"),
        ({"wanted": (WantedFile(what="list", format="csv"),)}, ""),
        ({"title": "Clerk at XYZ"}, "title: 'XYZ' is a placeholder"),
        ({"stakes": "The LLM will not accept it later."}, "stakes: 'LLM' has no place"),
        (
            {"goal": FINE + " Mark it by the rubric of our AI course, after the ABC analysis of sections 3.1 and 4.2."},
            "",
        ),
    ],
)
def test_what_does_not_hold_is_named_with_its_place(changes: dict[str, object], expected: str) -> None:
    found = rules.draft(made(**changes), ["xlsx"])
    assert found[0].startswith(expected) if expected else found == []


def test_two_files_of_one_name_and_formats_that_nobody_hands_in() -> None:
    both = (WantedFile(what="the list", format="xlsx"), WantedFile(what="List", format="zip"))
    assert rules.draft(made(wanted=both), ["xlsx", "zip"]) == [
        "wanted: two files are called the same",
        "wanted: zip is nothing that is handed in as work",
    ]


def step(takes: str, gives: str, skill: str = "") -> Step:
    return Step(skill=skill, does="does it", takes=tuple(takes.split(", ")), gives=gives)


def test_operations_are_joined() -> None:
    chain = [step("log, list", "the matches", "match"), step("matches, rates", "deductions", "rate")]
    assert rules.operations([*chain, step("Deductions", "letter")], skills=["Match", "rate"]) == []
    assert rules.operations([step("offers", "table"), step("rates", "letter")]) == [
        "operations 2: takes nothing that an earlier one gives, in the same words: 'table'",
        "operations: nobody takes 'table'; a later operation needs it, or it is left out",
    ]
    assert rules.operations([step("a list", "list")]) == ["operations 1: gives what it takes, 'list'"]
    assert rules.operations(chain, skills=["match", "rate", "write"]) == ["operations: the skill 'write' is not used"]
    assert rules.operations(chain, skills=["match", "rate"], given=["the invoice"]) == [
        "operations 1: takes none of 'the invoice', in the same words"
    ]
