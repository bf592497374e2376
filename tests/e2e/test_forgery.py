"""Attacks on grading, each an episode in a real sandbox: none earns a point, none turns *failed* into *unscored*."""

from __future__ import annotations

from pathlib import Path

import pytest

from .forgery_acts import ACTS
from .forgery_files import CRASHES, TWO_FACED
from .forgery_kit import Attack, attacked
from .forgery_places import PLACES
from .forgery_words import WHISPERS, WORDS, Whisper, clean, judged, unharmed


@pytest.mark.parametrize("attack", (*ACTS, *PLACES, *CRASHES, *TWO_FACED), ids=lambda attack: attack.name)
def test_an_attack_earns_nothing(attack: Attack, tmp_path: Path) -> None:
    attacked(attack, tmp_path)


@pytest.mark.parametrize("whisper", WHISPERS, ids=lambda whisper: whisper.name)
def test_words_to_the_judge_earn_nothing(whisper: Whisper) -> None:
    before = unharmed(whisper.form)
    assert before.scores == [0.0], "there is something to be won"
    files = whisper.change(clean(whisper.form))
    after = judged(whisper.form, files)
    assert all(after.files[path] == content for path, content in files.items()), "the words reached the grader"
    assert after.scores == before.scores
    assert after.verdict.state == before.verdict.state == "failed"
    assert after.verdict.reward <= before.verdict.reward
    assert not any(WORDS in text for seen in after.seen for text in seen)
