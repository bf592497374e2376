"""Precision and recall of every filter on planted rollouts, and sound ones that come close; ``-s`` prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workgym.select import Selection, select
from workgym.testing.planted import FAULTS, SOUND, plant

ALSO = {
    "integrity": {"unscored"},  # a log that stops midway has no verdict
    "repeated_calls": {"repeated_reasoning"},  # who does all of it twice thinks it twice
}
"""What a fault brings along by its nature."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Path, str], Selection]:
    found = plant(tmp_path_factory.mktemp("planted"), sound=40, each=8, seed=500)
    return found, select(list(found))


def test_every_filter_finds_its_own_and_nothing_else(planted: tuple[dict[Path, str], Selection]) -> None:
    found, made = planted
    pairs = list(zip(found.values(), made.entries, strict=True))
    print(f"\n{'filter':<20} {'planted':>7} {'found':>6} {'recall':>7} {'alarms':>7} {'precision':>9}")
    for name in FAULTS:
        planted_ones = [entry for fault, entry in pairs if fault == name]
        hit = sum(name in entry.dropped_by for entry in planted_ones)
        others = [entry for fault, entry in pairs if fault != name and name not in ALSO.get(fault, ())]
        alarms = sum(name in entry.dropped_by for entry in others)
        recall, precision = hit / len(planted_ones), hit / (hit + alarms)
        print(f"{name:<20} {len(planted_ones):>7} {hit:>6} {recall:>7.2f} {alarms:>7} {precision:>9.2f}")
        assert (recall, precision) == (1.0, 1.0), name


def test_sound_ones_are_kept_and_the_funnel_adds_up(planted: tuple[dict[Path, str], Selection]) -> None:
    found, made = planted
    sound = [entry for fault, entry in zip(found.values(), made.entries, strict=True) if fault == SOUND]
    assert len(sound) == 40 and [entry.reasons for entry in sound if not entry.kept] == []
    assert len(made.kept) == 40 and made.funnel[-1].left == 40
    left = len(found)
    for stage in made.funnel:
        left -= stage.dropped
        assert stage.left == left and stage.flagged >= stage.dropped
    assert made.funnel[1].stage == "unscored" and made.funnel[1].dropped == 8


def test_each_reason_is_a_sentence_with_evidence(planted: tuple[dict[Path, str], Selection]) -> None:
    found, made = planted
    for fault, entry in zip(found.values(), made.entries, strict=True):
        for score in entry.scores:
            assert (score.reason == "") == (score.score == 1.0), score
        if fault in ("repeated_reasoning", "repeated_calls", "recoverability", "unsupported_claims"):
            (score,) = (one for one in entry.scores if one.filter == fault)
            assert score.evidence and all(1 <= call <= entry.turns for one in score.evidence for call in one.calls)
