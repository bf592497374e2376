"""Grounding code on scripted probes of three families: what it accepts is true, and what is true it accepts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from workgym import shelves
from workgym.authoring import families
from workgym.defects import INJECTIONS
from workgym.probe import Ground, Problem
from workgym.probe.grounds import checked
from workgym.records import DefectClass

from .inventing import by_another_name, hallucinated
from .scripted import Played, honest, play, spoiled

OTHERS = [defect for defect in INJECTIONS if defect != "broken derivation"]


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> list[Played]:
    def all_of_them() -> Iterator[Played]:
        names = shelves.names("envs")
        for number, family in enumerate(names):
            defects: list[DefectClass | None] = [None, "broken derivation", *OTHERS[number :: len(names)]]
            for seed, defect in enumerate(defects, 3):
                package = spoiled(families.build(family, None, seed), defect, seed)
                yield play(package, tmp_path_factory.mktemp("episode") / "run", seed)

    return list(all_of_them())


def accepted(ground: Ground, played: Played) -> str | None:
    problem = Problem(defect="broken derivation", what="w", blocks="b", grounds=(ground,))
    return checked(problem, played.evidence)[1]


def test_what_is_accepted_is_true_and_what_is_true_is_accepted(episodes: list[Played]) -> None:
    rng = random.Random(5)
    true, taken, invented, let_in = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    said = []
    for played in episodes:
        for kind, ground in honest(played, rng):
            why = accepted(ground, played)
            true[kind] += 1
            taken[kind] += why is None
            if why is not None:
                said.append(f"REFUSED {kind}: {ground} -- {why}")
        for kind, ground in hallucinated(played, rng):
            why = accepted(ground, played)
            invented[kind] += 1
            let_in[kind] += why is None
            if why is None:
                said.append(f"LET IN {kind}: {ground}")
    beyond = [accepted(ground, played) is None for played in episodes for ground in by_another_name(played)]
    for kind in true:
        print(f"honest: {kind}: {taken[kind]} of {true[kind]} accepted")
    for kind in invented:
        print(f"hallucinated: {kind}: {let_in[kind]} of {invented[kind]} accepted")
    print(
        f"not counted, since no code can see it: missing, under another name: {sum(beyond)} of {len(beyond)} accepted"
    )
    precision = taken.total() / (taken.total() + let_in.total())
    recall = taken.total() / true.total()
    print(f"{true.total()} honest and {invented.total()} hallucinated grounds of {len(episodes)} probes:")
    print(f"precision {precision:.4f}, recall {recall:.4f}", *said, sep="\n")
    assert true.total() >= 120 and invented.total() >= 200
    assert min(true.values()) >= 1 and min(invented.values()) >= 10, "each kind is there"
    assert precision >= 0.98, "\n".join(said)
    assert recall >= 0.95, "\n".join(said)
