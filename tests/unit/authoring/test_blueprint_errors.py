"""A family's author is told file, line and key, whatever is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workgym import shelves
from workgym.authoring import blueprint, compiler
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.errors import BlueprintError, WorkgymError

HOME = shelves.folder("envs", "supplier-selection")


def spoiled(tmp_path: Path, old: str, new: str, file: str = "family.yaml") -> Path:
    """A copy of a family with one text replaced."""
    folder = tmp_path / "supplier-selection"
    shutil.copytree(HOME, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def line_of(folder: Path, text: str) -> int:
    """The line on which a text stands."""
    lines = (folder / "family.yaml").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def build(folder: Path) -> None:
    family = blueprint.load(folder)
    package(family, "easy", 1, compile_family(family, "easy", 1))


@pytest.mark.parametrize(
    ("old", "new", "marker", "says"),
    [
        ("title: Choose", "titel: Choose", None, "titel: is not a key that is known here"),
        ("default: medium", "default: huge", "default: huge", "default: huge is not one of the presets"),
        (
            "showcase: freight.per_unit",
            "showcase: freight",
            "showcase: freight",
            "there is no freight; write unit.column",
        ),
        ("rate: percent(1)", "rate: percentage", "rate: percentage", "unknown type 'percentage'"),
        ("street: street", "street: road", "  firm:", "unknown draw road"),
        ("status: derived", "status: guessed", None, "status"),
        (
            "select supplier from npv order by npv, supplier limit 1",
            "select suplier from npv order by npv, supplier limit 1",
            None,
            "suplier",
        ),
        (
            "select supplier from npv order by npv, supplier limit 1",
            "select getenv('HOME') as supplier",
            None,
            "function getenv is not allowed",
        ),
        (
            "select supplier from npv order by npv, supplier limit 1",
            "select supplier from npv order by random() limit 1",
            None,
            "function random is not allowed",
        ),
        (
            "select supplier from npv order by npv, supplier limit 1",
            "select supplier from recommended",
            None,
            "reads itself",
        ),
        (
            "select supplier from npv order by npv, supplier limit 1",
            "select supplier from nowhere",
            None,
            "there is no unit nowhere",
        ),
        ("round(units * unit_cost, 2)", "round(units * unit_cost * 1.19, 2)", None, "literal 1.19"),
        ("must_change: [npv]", "must_change: [nvp]", None, "there is no unit nvp"),
        ("rule: forecast_rule,", "rule: forecast_rool,", "conflicts:", "there is no unit forecast_rool"),
        (
            "template: policy.md.j2",
            "template: polizy.md.j2",
            "template: polizy.md.j2",
            "there is no templates/polizy.md.j2",
        ),
        ("at_least: 3%", "at_least: half", None, "at_least"),
        (
            "    columns: {name: {person: distinct}}\n",
            "    columns: {name: {person: distinct}}\n    require: select count(*) > 1 from poeple\n",
            "from poeple",
            "poeple",
        ),
    ],
)
def test_messages_name_the_place(tmp_path: Path, old: str, new: str, marker: str | None, says: str) -> None:
    folder = spoiled(tmp_path, old, new)
    with pytest.raises(BlueprintError) as caught:
        build(folder)
    text = str(caught.value)
    assert says in text
    assert text.startswith("supplier-selection/family.yaml:")
    assert caught.value.line is not None
    if marker is not None:
        assert abs(line_of(folder, marker) - caught.value.line) <= 4


def test_a_world_is_drawn_again_where_a_table_misses_what_it_requires(tmp_path: Path) -> None:
    old = "    columns: {name: {person: distinct}}\n"
    folder = spoiled(tmp_path, old, old + "    require: select count(*) = 1 from people where name < 'C'\n")
    family = blueprint.load(folder)
    made = [compile_family(family, "easy", seed) for seed in range(3)]
    assert max(one.worlds for one in made) > 1
    assert all(sum(row["name"] < "C" for row in one.plan.context["people"]) == 1 for one in made)
    (folder / "family.yaml").write_text((folder / "family.yaml").read_text().replace("count(*) = 1", "count(*) = 9"))
    with pytest.raises(BlueprintError, match="no world of 100"):
        compile_family(blueprint.load(folder), "easy", 0)


def test_a_cycle_among_units_is_refused(tmp_path: Path) -> None:
    folder = spoiled(
        tmp_path,
        "sql: select demand.year, demand.units from demand, forecast_rule where rule = 'latest released'",
        "sql: select demand.year, demand.units from demand, recommended",
    )
    with pytest.raises(WorkgymError, match="depend on each other"):
        build(folder)


def test_a_template_that_names_no_unit(tmp_path: Path) -> None:
    folder = spoiled(tmp_path, "x", "x")
    (folder / "templates/policy.md.j2").write_text("# Sourcing policy\n\nBuy well.\n", encoding="utf-8")
    says = r"^supplier-selection/templates/policy.md.j2: policies/sourcing_policy.docx: its template names no unit; "
    with pytest.raises(BlueprintError, match=says):
        build(folder)


@pytest.mark.parametrize(
    ("old", "new", "file", "says"),
    [
        ("# Sourcing policy", "# Sourcing policy\n\n{{ nothing.here }}", "templates/policy.md.j2",
         r"templates/policy.md.j2:\d+: policies/sourcing_policy.docx: there is no unit and no name 'nothing'$"),
        ("{{ context", "{% if %}{{ context", "templates/request.md.j2", r"request.md.j2:\d+: request.md: Exp"),
        ("rows: demand", "rows: demands", "family.yaml",
         r"family.yaml:\d+: carriers.\d+.content: .*xlsx: .*demands"),
        ("path: policies/sourcing_policy.docx", "path: ../policy.docx", "family.yaml",
         r"family.yaml:\d+: carriers.\d+.path: ../policy.docx leaves the workspace$"),
        ("path: policies/sourcing_policy.docx", "path: policy.foo", "family.yaml",
         r"family.yaml:\d+: carriers.\d+.path: no writer for .foo; use one of xlsx, docx, "),
        ("template: policy.md.j2", "content: {a: 1}", "family.yaml",
         r"family.yaml:\d+: carriers.\d+: a docx file is written from a `template`, and there is none$"),
        ("rows: $suppliers", "rows: 2000000", "family.yaml",
         r"family.yaml:\d+: world.\w+.rows: 2,000,000 rows; at most 100,000 are drawn$"),
        ("occupation: \"13-1023\"", "occupation: \"99-9999\"", "family.yaml",
         r"family.yaml:\d+: occupation: 99-9999 is no code of SOC 2018; "),
    ],
)  # fmt: skip
def test_a_carrier_that_cannot_be_written(tmp_path: Path, old: str, new: str, file: str, says: str) -> None:
    folder = spoiled(tmp_path, old, new, file)
    with pytest.raises(BlueprintError, match=says) as caught:
        build(folder)
    if caught.value.line is not None and new in (text := (folder / file).read_text("utf-8")):
        assert abs(text[: text.index(new)].count("\n") + 1 - caught.value.line) <= 4


def test_not_yaml(tmp_path: Path) -> None:
    folder = spoiled(tmp_path, "presets:", "presets: [")
    with pytest.raises(BlueprintError, match=r"family.yaml:\d+: \(syntax\)"):
        blueprint.load(folder)


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    folder = spoiled(tmp_path, "version: 1", "version: 1\nversion: 2")
    with pytest.raises(BlueprintError, match=r"family.yaml:3: version: is there twice"):
        blueprint.load(folder)


def test_no_world_that_satisfies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "MAX_WORLDS", 10)
    folder = spoiled(tmp_path, "require:\n", "require:\n  - select count(*) > 100 from quote\n")
    with pytest.raises(BlueprintError, match="no world of 10 satisfies"):
        build(folder)
