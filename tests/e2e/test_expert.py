"""The expert's independence and the traps, with real sandboxes; ``--soak`` runs the full size."""

from __future__ import annotations

import pytest

from workgym.authoring import families
from workgym.testing import family_suite

CASES = [(name, preset) for name in families.names() for preset in families.family(name).blueprint.presets]


@pytest.mark.parametrize(("family", "preset"), CASES)
def test_expert_gets_one_and_noop_nothing(family: str, preset: str) -> None:
    assert list(family_suite.controls_hold(family, preset, [700])) == []


@pytest.mark.parametrize("family", families.names())
def test_traps_bite(family: str) -> None:
    assert list(family_suite.traps_bite(family, families.family(family).blueprint.default, [701])) == []


@pytest.mark.parametrize("family", families.names())
def test_independence(family: str) -> None:
    default = families.family(family).blueprint.default
    assert list(family_suite.independent(family, default, [702], most=3)) == []


@pytest.mark.soak
@pytest.mark.parametrize(("family", "preset"), CASES)
def test_a_hundred_seeds(family: str, preset: str) -> None:
    assert list(family_suite.controls_hold(family, preset, range(100))) == []
    assert list(family_suite.traps_bite(family, preset, range(100))) == []


@pytest.mark.soak
@pytest.mark.parametrize("family", families.names())
def test_independence_of_twenty_tasks(family: str) -> None:
    default = families.family(family).blueprint.default
    assert list(family_suite.independent(family, default, range(20))) == []
