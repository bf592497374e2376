"""Packages of strangers are checked in a child: what they bring cannot use up or reach the host."""

from __future__ import annotations

import pytest

from workgym.authoring import families
from workgym.check import check
from workgym.package import TaskPackage


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 4)


def _with_template(package: TaskPackage, template: str) -> TaskPackage:
    plan = package.hidden.plan
    artifacts = tuple(
        spec.model_copy(update={"template": template}) if spec.path.endswith("kickoff_meeting.md") else spec
        for spec in plan.artifacts
    )
    return package.with_hidden(plan=plan.model_copy(update={"artifacts": artifacts}))


def test_a_sound_package_passes_there_as_it_does_here(package: TaskPackage) -> None:
    here, apart = check(package, trusted=True), check(package)
    assert here.passed and apart.passed
    assert set(apart.ran) - set(here.ran) == {"compiles", "drift"}
    assert apart.findings == here.findings


@pytest.mark.parametrize(
    "template", ["{{ 'x' * 10**10 }}", "{{ ''.__class__.__mro__ }}", "{% include '/etc/passwd' %}"]
)
def test_hostile_templates_are_findings(package: TaskPackage, template: str) -> None:
    report = check(_with_template(package, template))
    assert not report.passed
    assert "root:" not in report.model_dump_json()


def test_hostile_queries_are_refused_before_anything_runs(package: TaskPackage) -> None:
    graph = package.hidden.graph
    units = tuple(
        unit.model_copy(update={"query": "select content as supplier from read_text('/etc/passwd')"})
        if unit.name == "recommended"
        else unit
        for unit in graph.units
    )
    report = check(package.with_hidden(graph=graph.model_copy(update={"units": units})))
    assert report.ran == ("compiles",) and not report.passed
