"""Every kind of mutant on one page, with the cause that attribution finds at its head."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workgym.quality import Sound, attribute, mutants
from workgym.verify import explain, grade


@pytest.mark.parametrize("family", ["supplier-selection", pytest.param("overtime-payroll", marks=pytest.mark.soak)])
def test_a_mutant_of_each_kind_fits_a_page_and_its_cause_is_named(task: Callable[[str], Sound], family: str) -> None:
    sound = task(family)
    kinds: set[str] = set()
    for mutant in mutants(sound):
        if mutant.kind in kinds:
            continue
        kinds.add(mutant.kind)
        verdict = grade(sound.package, mutant.files)
        causes = attribute(sound.package, verdict)
        if mutant.kind == "numbers dumped":
            assert causes[0].kind == "not stated", causes[0]
        page = explain(sound.package, verdict, causes, more="workgym verify runs/a --json")
        lines = page.splitlines()
        assert len(lines) <= 60 and max(map(len, lines)) <= 100, page
        assert lines[0].startswith("FAILED: reward 0")
        if causes:
            assert f"  1. {causes[0].kind}: {causes[0].says[:60]}" in page, page
        else:
            assert "WHAT IS WRONG" in page or "guards, which multiply" in page
        assert "WHAT WOULD HAVE EARNED THE REST" in page and "-> 1\n" in page
    assert len(kinds) >= 8


def test_the_experts_page_is_short(task: Callable[[str], Sound]) -> None:
    sound = task("supplier-selection")
    page = explain(sound.package, sound.verdict, attribute(sound.package, sound.verdict))
    assert page.startswith("PASSED: reward 1 of 1") and len(page.splitlines()) < 25 and "WHY" not in page
