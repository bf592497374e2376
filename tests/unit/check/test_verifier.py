"""The verifier constructor: what it states is compared with the graph's truth, value by value."""

from __future__ import annotations

import json

import pytest

from workgym.authoring import families
from workgym.check.independent import Verifier, compare, construct
from workgym.check.independent.findings import RULES
from workgym.check.independent.verifier import statements
from workgym.errors import ModelError
from workgym.models.scripted import ScriptedModel
from workgym.package import TaskPackage, view
from workgym.rollout import rollout
from workgym.verify import Verdict, grade

BOOK, MEMO = "supplier_comparison.xlsx", "recommendation.docx"
STATES = """
def expected(desk):
    tender, policy = read_tender(desk), read_policy(desk)
    forecast = read_forecast(desk, tender)
    offers = read_quotations(desk, tender)
    add_freight(desk, tender, offers)
    for offer in offers:
        add_cost(offer, tender, policy, forecast)
    for offer in offers:
        for year, cost in offer["landed"].items():
            yield dict(deliverable="supplier_comparison.xlsx", attribute="Landed cost (USD)", value=cost, how="units",
                       entity={"Supplier": offer["name"], "Contract year": year})
        about = {"Supplier": offer["name"]}
        yield dict(deliverable="supplier_comparison.xlsx", entity=about, how="discounted, plus tooling",
                   attribute="Net present landed cost (USD)", value=rounded(offer["npv"]))
        yield dict(deliverable="recommendation.docx", entity=about, attribute="Net present landed cost",
                   value=usd(offer["npv"]), how="the same, to whole dollars")
    best = min(offers, key=lambda offer: offer["npv"])
    yield dict(deliverable="recommendation.docx", entity={}, attribute="Recommended supplier", value=best["name"])
"""


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 4)


@pytest.fixture(scope="module")
def source(package: TaskPackage) -> str:
    """A script of its own: the readers of the expert, and what it states in place of what it writes."""
    return (package.hidden.expert or "").replace("def solve(desk)", "def _unused(desk)") + STATES


def verifier(source: str) -> Verifier:
    return Verifier(script=source, model="scripted")


def test_a_right_verifier_agrees(package: TaskPackage, source: str) -> None:
    made = construct(view(package), ScriptedModel(["Hm.", f"```python\n{source}\n```"]))
    assert made.script.strip() == source.strip() and made.model == "scripted"
    assert compare(package, made) == ()


def test_a_slip_names_unit_row_and_both_values(package: TaskPackage, source: str) -> None:
    slip = source.replace('offer["tooling"] + sum', "sum")
    found = compare(package, verifier(slip))
    assert {finding.unit for finding in found} <= {"npv", "recommended"}
    first = next(finding for finding in found if finding.path == BOOK)
    exact = package.truth("npv").value(first.key, "npv")
    assert first.expected == f"{exact:,.2f}" and first.found != first.expected and first.column == "npv"
    assert first.how == "discounted, plus tooling" and "select supplier" in (first.query or "")
    assert (first.owner, first.rule) == ("builder", RULES["alone"])


def test_a_slip_is_the_verifiers_where_an_expert_agrees_with_the_graph(package: TaskPackage, source: str) -> None:
    kept: dict[str, bytes] = {}

    def keep(task: TaskPackage, files: dict[str, bytes]) -> Verdict:
        kept.update({path: content for path, content in files.items() if path in (BOOK, MEMO)})
        return grade(task, files)

    assert rollout(package, "expert", grade=keep).solved  # type: ignore[arg-type]
    vouched = package.with_hidden(expert_files=kept)
    found = compare(vouched, verifier(source.replace('offer["tooling"] + sum', "sum")))
    assert found and {finding.owner for finding in found} == {"verifier"}


def test_what_is_said_of_a_part_is_not_said_of_the_whole(package: TaskPackage, source: str) -> None:
    """A heading stands in two tables, by supplier and by supplier and year: each row has its own value."""
    yearly = 'entity={"Supplier": offer["name"], "Contract year": year})\n'
    assert yearly in source
    more = yearly + (
        '            yield dict(deliverable="supplier_comparison.xlsx", attribute="Net present landed cost (USD)",\n'
        '                       value=cost, how="its share", ' + yearly
    )
    assert compare(package, verifier(source.replace(yearly, more))) == ()


def test_what_a_text_states_once_is_known_by_its_value_whatever_it_is_called(package: TaskPackage, source: str) -> None:
    other = source.replace('attribute="Recommended supplier"', 'attribute="whom we should take"')
    assert compare(package, verifier(other)) == ()
    named = source.replace('attribute="Recommended supplier"', 'attribute="supplier that is recommended to us"')
    assert compare(package, verifier(named)) == ()


def test_what_is_left_out_and_what_is_beyond_is_said(package: TaskPackage, source: str) -> None:
    other = source.replace('attribute="Recommended supplier", value=best["name"]', 'attribute="Mood", value="fine"')
    found = compare(package, verifier(other))
    assert [(f.owner, f.rule, f.severity) for f in found] == [
        ("verifier", RULES["left out"], "soft"),
        ("builder", RULES["beyond"], "soft"),
    ]
    assert found[0].unit == "recommended" and found[0].found is None
    rows = source.replace('attribute="Net present landed cost"', 'attribute="Weight"')
    assert {(f.rule, f.severity) for f in compare(package, verifier(rows))} == {
        (RULES["left out"], "hard"),
        (RULES["beyond"], "soft"),
    }


def test_another_value_under_the_words_of_the_label_is_a_difference(package: TaskPackage, source: str) -> None:
    wrong = source.replace(
        'attribute="Recommended supplier", value=best["name"]', 'attribute="the recommended supplier", value="Nobody"'
    )
    assert [(f.unit, f.severity, f.found) for f in compare(package, verifier(wrong))] == [
        ("recommended", "hard", "Nobody")
    ]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def expected(desk):\n    return 1\n", "not iterable"),
        ("def expected(desk):\n    return []\n", ""),
        ("def expected(desk):\n    return [{'value': 1}]\n", "Field required"),
        ("def expected(desk):\n    raise Blocked('no rate', ['a.csv'], 'all')\n", "no rate"),
        ("def expected(desk):\n    return [desk.read('hidden/values.json')]\n", "There is no hidden/values.json"),
        ("def solve(desk):\n    pass\ndef expected(desk):\n    import os\n    os._exit(0)\n", "came to nothing"),
    ],
)
def test_a_verifier_that_comes_to_nothing_is_a_finding(package: TaskPackage, source: str, says: str) -> None:
    found = compare(package, verifier(source))
    assert found and found[0].severity == "hard" and says in found[0].message


def test_statements_are_data_within_limits() -> None:
    one = {"deliverable": "a.csv", "attribute": "b", "value": "1"}
    assert len(statements(json.dumps([one]).encode())) == 1
    for content in (b"[" * 100_000, b'{"a": 1}', json.dumps([one | {"value": "9" * 5_000}]).encode(), b"\xff", b"[1]"):
        with pytest.raises(ValueError, match=r"statement"):
            statements(content)
    with pytest.raises(ValueError, match="more than"):
        statements(json.dumps([one] * 20_001).encode())


def test_no_script_is_an_error_and_failures_are_told(package: TaskPackage) -> None:
    model = ScriptedModel(["no", "no"])
    with pytest.raises(ModelError, match="no verifier after 2 replies"):
        construct(view(package), model, rounds=2, failed=[("def expected(desk): 1/0", "ZeroDivisionError")])
    told = " ".join(message.model_dump_json() for message in model.requests[0].messages[-2:])
    assert "ZeroDivisionError" in told and "1/0" in told
