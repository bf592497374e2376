"""The prompts of the planner: readable files that say what the language really is."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from workgym.authoring.planner.artifacts import Change, DirectChange, DirectDraft, PlanDraft
from workgym.authoring.planner.forms import GraphChange, GraphDraft
from workgym.authoring.planner.limits import path_fault
from workgym.authoring.planner.telling import PROMPTS
from workgym.graph.sql import _NODES as NODES
from workgym.materialize import forms
from workgym.materialize.template import ENVIRONMENT
from workgym.models import Asker
from workgym.models.scripted import ScriptedModel
from workgym.records import FORMATS, ColumnType
from workgym.records.values import Kind

ASKED = {"graph_ask": {"intent"}, "direct_ask": {"intent"}, "plan_ask": {"intent", "graph", "values"}}
CORRECTED = {name: {"problems"} for name in ("graph_correct", "plan_correct", "direct_correct", "again")}
TOLD = {"graph", "queries", "example_graph", "plan", "templates", "example_plan", "direct"}
TOLD |= {"web_graph", "web_plan", "web_direct", "web_must", "example_web"}


def test_each_prompt_is_used_and_has_its_places() -> None:
    assert set(PROMPTS) == {*ASKED, *CORRECTED, *TOLD}
    for name, places in (ASKED | CORRECTED).items():
        assert PROMPTS[name].places == places
        said = PROMPTS[name].render(**{place: f"<{place}>" for place in places})
        assert "{{" not in said and all(f"<{place}>" in said for place in places)


def test_every_filter_that_is_taught_exists() -> None:
    text = PROMPTS["templates"].text
    taught = set(re.findall(r"\{\{[^}|]*\| ?(\w+)", text))
    listed = next(line for line in text.split("\n") if "plain, upper" in line)
    taught |= set(re.findall(r"(\w+)(?:\([^)]*\))?(?:, |$)", listed))
    assert {"money", "amount", "percent", "date", "says", "plain", "left", "selectattr"} <= taught
    assert taught <= set(ENVIRONMENT.filters)


def test_examples_of_forms_are_those_that_are_taken() -> None:
    text = PROMPTS["templates"].text
    kinds = {"money": "money(EUR, 2)", "amount": "money(EUR, 2)", "quantity": "quantity(pcs)", "percent": "percent(1)"}
    taught = re.findall(r"(money|amount|quantity|percent)\(\"([^\"]+)\"\)", text)
    assert {name for name, _ in taught} == set(kinds)
    for name, example in taught:
        kind = ColumnType.parse("money(USD, 2)" if "$" in example else kinds[name])
        getattr(forms, name)(Decimal("0.085" if name == "percent" else 1080), kind, example)
    for name, example in (("amount", "1.00"), ("quantity", "60 min")):
        assert f'"{example}"' in text
        with pytest.raises(forms.FormError, match="is no example"):
            getattr(forms, name)(Decimal(1080), ColumnType.parse(kinds[name]), example)


def test_every_format_that_is_taught_has_a_writer_and_none_is_forgotten() -> None:
    line = next(line for line in PROMPTS["templates"].text.split("\n") if line.startswith("Templates (prose)"))
    known = {ending for form in FORMATS.values() for ending in form.endings} | {"log"}
    taught = {word for word in re.findall(r"\b[a-z]{2,6}\b", line) if word in known}
    assert set(FORMATS) - {"code"} <= taught
    for path in re.findall(r'"path": "([\w/.{}]+)"', PROMPTS["example_plan"].text):
        assert path_fault(path) is None


def test_every_type_and_status_is_taught() -> None:
    text = PROMPTS["graph"].text
    for kind in Kind.__args__:
        assert f"`{kind}" in text
    for status in ("provided", "external", "derived", "internal"):
        assert f"- `{status}`: " in text


def test_what_is_said_to_be_refused_is_refused() -> None:
    refused = PROMPTS["queries"].text.partition("Not there: ")[2].partition("\n")[0]
    assert "`avg`" in refused and "Avg" not in NODES
    for name in ("Rank", "Qualify", "GroupConcat", "Sqrt", "Median", "ILike", "RegexpLike", "DPipe"):
        assert name not in NODES


def test_forms_tell_the_model_what_each_field_means() -> None:
    for form in (GraphDraft, GraphChange, PlanDraft, Change, DirectDraft, DirectChange):
        schema = Asker(ScriptedModel([]), form).schema.definition
        for part in (schema, *schema.get("$defs", {}).values()):
            for name, field in part.get("properties", {}).items():
                assert field.get("description"), f"{form.__name__}: {part.get('title')}.{name}"
