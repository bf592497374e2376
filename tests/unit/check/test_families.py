"""The families of the shelf, by a seeded sample; ``--soak`` runs the full size."""

from __future__ import annotations

import pytest

from workgym.authoring import families
from workgym.testing import family_suite

CASES = [(name, preset) for name in families.names() for preset in families.family(name).blueprint.presets]


@pytest.mark.parametrize(("family", "preset"), CASES)
def test_checks_pass(family: str, preset: str) -> None:
    assert list(family_suite.checks_pass(family, preset, [900])) == []


@pytest.mark.soak
@pytest.mark.parametrize(("family", "preset"), CASES)
def test_checks_pass_on_a_hundred_seeds(family: str, preset: str) -> None:
    assert list(family_suite.checks_pass(family, preset, range(100))) == []


@pytest.mark.soak
@pytest.mark.parametrize(("family", "preset"), CASES)
def test_no_false_alarm_on_seeds_never_run_before(family: str, preset: str) -> None:
    assert list(family_suite.checks_pass(family, preset, range(5_000_000, 5_000_034))) == []


def _caught(family: str, seeds: range, count: int) -> None:
    made = [edit for seed in seeds for edit in family_suite.random_edits(families.build(family, None, seed), count)]
    survivors = [str(edit) for edit in made if not edit.caught_by]
    by_graph = [edit for edit in made if set(edit.caught_by) - {"drift"}]
    print(f"{family}: {len(made) - len(survivors)} of {len(made)} caught, {len(by_graph)} of them without the plan")
    assert len(survivors) <= 0.05 * len(made), survivors
    assert len(by_graph) >= 0.85 * len(made)


@pytest.mark.parametrize("family", families.names())
def test_random_edits_behind_the_graph_are_caught(family: str) -> None:
    _caught(family, range(40, 41), 20)


@pytest.mark.soak
@pytest.mark.parametrize("family", families.names())
def test_random_edits_at_full_size(family: str) -> None:
    _caught(family, range(100, 120), 50)


@pytest.mark.parametrize("family", families.names())
def test_eight_files_and_folders_two_deep(family: str) -> None:
    package = families.build(family)
    assert len(package.files) >= 8
    assert max(path.count("/") for path in package.files) >= 2
    assert {path.rpartition(".")[2] for path in package.files} >= {"xlsx", "docx"}
    graph = package.hidden.graph
    assert graph.conflicts and graph.traps and any(unit.decision for unit in graph.units)
    assert any(unit.role == "distractor" for unit in graph.units) and any(unit.superseded_by for unit in graph.units)
    assert all(deliverable.rubric or deliverable.states for deliverable in graph.deliverables)


@pytest.mark.parametrize("family", families.names())
def test_same_seed_same_bytes_and_other_seed_other_work(family: str) -> None:
    one, again, other = (
        families.build(family, None, 5),
        families.build(family, None, 5),
        families.build(family, None, 6),
    )
    assert one.files == again.files and one.digest == again.digest
    assert one.digest != other.digest
