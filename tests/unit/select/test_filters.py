"""Filters of what came of it: thin deliverables, claims, outcome, integrity; and what comes close to each."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from workgym.errors import ReplayError, UsageError
from workgym.select import filters
from workgym.select.config import (
    Config,
    Integrity,
    Outcome,
    ThinDeliverables,
    UnsupportedClaims,
)
from workgym.select.filters.numbers import Known, told
from workgym.select.look import Looked, look, looked
from workgym.select.score import Score
from workgym.select.story import read_story
from workgym.testing.planted.moves import explore, message, write
from workgym.testing.planted.scenes import BOOK, MEMO, Scene, book
from workgym.verify.files import read_deliverables


def ended(scene: Scene, said: str = "") -> Any:
    scene.hand_over(said or message(scene.job))
    return read_story(scene.grade())


def claims(scene: Scene, said: str) -> Score:
    story = ended(scene, said)
    return filters.unsupported_claims(story, look([story])[0], UnsupportedClaims())


def thin(scene: Scene, peers: Any = None, **more: Any) -> Score | None:
    story = ended(scene, "Done.")
    return filters.thin_deliverables(look([story])[0], peers or {}, ThinDeliverables(**more))


def test_what_is_asked_for_is_known_by_number(scenes: Any) -> None:
    scene = scenes(suppliers=5)
    write(scene, sheets={"Comparison": scene.job.rows[:2]})
    score = thin(scene)
    assert score is not None and score.score == round(8 / 15, 6) and not score.passed
    assert score.reason == f"{BOOK} has 8 filled cells or values, and 15 facts are asked for in it"
    whole = scenes(suppliers=5)
    write(whole)
    assert thin(whole) == Score(filter="thin_deliverables", score=1.0, passed=True, reason="")


def test_empty_sheets_and_files_that_show_nothing(scenes: Any) -> None:
    scene = scenes()
    write(scene, sheets={"Comparison": scene.job.rows, "Risks": []})
    score = thin(scene)
    assert score is not None and (score.score, score.reason) == (0.5, f"1 of 2 sheets of {BOOK} are empty: Risks")
    bare = scenes()
    write(bare, sheets={"Comparison": []}, memo=" \n")
    score = thin(bare)
    assert (
        score is not None
        and score.score == 0
        and {one.what for one in score.evidence}
        == {
            f"{BOOK} shows nothing",
            f"{MEMO} shows nothing",
        }
    )


def test_what_cannot_be_read_or_was_not_handed_in_is_as_thin_as_can_be(scenes: Any) -> None:
    scene = scenes()
    scene.call("write_file", {"path": BOOK}, "Wrote.", wrote={BOOK: b"PK no workbook"})
    score = thin(scene)
    assert score is not None and score.score == 0
    assert {one.what for one in score.evidence} == {
        f"{BOOK}: it cannot be read: truncated",
        f"{MEMO}: it was not handed in",
    }


def test_what_stands_in_a_picture_is_not_counted() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(stream, "PNG")
    seen = looked("chart.png", 12, read_deliverables({"chart.png": stream.getvalue()})["chart.png"], ())
    assert (seen.size, seen.pictured) == (0, True)
    score = filters.thin_deliverables({"chart.png": seen}, {}, ThinDeliverables())
    assert score is not None and score.score == 1.0


def test_others_of_the_task_are_a_measure_from_two_on(scenes: Any) -> None:
    for peers, passed in (([400], True), ([400, 300], False), ([50, 40, 10], True)):
        scene = scenes()
        write(scene)
        score = thin(scene, {BOOK: peers})
        assert score is not None and score.passed is passed
    assert "other rollouts of the task 350 in the median" in str(thin_reason(scenes()))


def thin_reason(scene: Scene) -> str:
    write(scene)
    score = thin(scene, {BOOK: [400, 300]})
    return "" if score is None else score.reason


@pytest.mark.parametrize(
    "said",
    [
        "I saved the figures as totals.csv for you.",
        "Deliverables:\n- comparison.xlsx\n- board/deck.pptx",
        "The analysis (analysis.docx) has been prepared.",
        "As prices.xlsx shows, freight is included.",
        "I have double-checked all totals.",
        "All figures were verified.",
        "Verified the workbook.",
        "I wrote everything and verified it: all sums hold.",
        "The totals in comparison.xlsx have been fully re-checked.",
        "We recalculated the formulas and everything is right.",
        "The order makes 48,211.07 USD, with a reserve of 6,120.40 USD.",
    ],
)
def test_what_nothing_bears_out(scenes: Any, said: str) -> None:
    scene = scenes()
    explore(scene)
    write(scene)
    score = claims(scene, said)
    assert not score.passed and score.evidence[0].calls, score


@pytest.mark.parametrize(
    "said",
    [
        "comparison.xlsx and ./memo.md are written.",
        "I did not create a totals.csv. No summary.pdf was made either.",
        "You should verify the totals; if you want, I could save them as totals.csv.",
        "Prices come from offers/ and the workbook https://example.org/prices.xlsx you sent.",
        "The totals were not verified by anybody else.",
        "The supplier's own calculation, which its auditor verified, is attached to its offer.",
        "In 2026 three of 4 suppliers deliver within 12 days, on 14 March 2026 at 09:30.",
        "Order number AB-4471-9982 applies.",
        "I reviewed all five offers and verified each supplier's units against its price list.",
        "The service runs on Node.js, which offers/rowan.txt or maple.txt do not mention.",
        "**Recommendation.** See `memo.md` (one page) and `comparison.xlsx`, sheet *Comparison*.",
        "I have confirmed with the offers that every price is in USD.",
    ],
)
def test_what_is_no_claim_or_is_borne_out(scenes: Any, said: str) -> None:
    scene = scenes()
    explore(scene)
    write(scene)
    score = claims(scene, said)
    assert score.score == 1.0, score


def test_checking_is_borne_out_by_a_look_after_the_last_change(scenes: Any) -> None:
    scene = scenes()
    write(scene)
    scene.call("read_workbook", {"path": BOOK}, "Supplier | Total")
    assert claims(scene, "I have verified the totals.").score == 1.0
    late = scenes()
    late.call("read_workbook", {"path": BOOK}, "Supplier | Total")
    write(late)
    assert claims(late, "I have verified the totals.").score == 0.0
    code = scenes()
    program = "wb.save('comparison.xlsx'); wb = load_workbook('comparison.xlsx'); assert wb['A']['B2'].value == 3"
    code.call("python", {"code": program}, "ok", wrote={BOOK: book({"A": code.job.rows}), MEMO: b"buy from the first"})
    assert claims(code, "I have verified the totals.").score == 1.0, "the program looked itself"


def test_a_failed_look_bears_nothing_out(scenes: Any) -> None:
    scene = scenes()
    write(scene)
    scene.call("read_workbook", {"path": BOOK}, "it is locked", error=True)
    assert claims(scene, "I have verified the totals.").score == 0.0


def test_numbers_stand_in_files_answers_or_words_of_the_user() -> None:
    known = Known(["total 284,731.63 EUR", "share 0.1234", "in thousands: 9,412"])
    for text, there in (
        ("284,731.63", True), ("about 284.7k", True), ("284,732", True), ("12.3 %", True), ("9.412 million", True),
        ("284,741.63", False), ("13.3 %", False),
    ):  # fmt: skip
        assert known.shows(told(text, 3)[0]) is there, text
    assert told("on 14 March 2026, in 2025, no. PO-10425, 12 of 40 and 7.50", 3) == []


def test_unscored_is_no_score(scenes: Any) -> None:
    scene = scenes()
    write(scene)
    scene.hand_over("Done.")
    story = read_story(scene.unscored())
    assert filters.outcome(story, Outcome()) is None
    assert filters.unscored(story) == "it could not be graded: the grader stopped"


def test_reward_and_end(scenes: Any) -> None:
    def outcome(right: int | None, end: str, **more: Any) -> Score | None:
        scene = scenes(suppliers=4)
        write(scene)
        scene.hand_over("Done.")
        return filters.outcome(read_story(scene.grade(right, end=end)), Outcome(**more))

    low = outcome(6, "closed")
    assert low is not None and (low.score, low.passed, low.reason) == (0.625, False, "failed, reward 0.625")
    assert outcome(6, "closed", least=0.625).passed  # type: ignore[union-attr]
    cut = outcome(None, "turns")
    assert cut is not None and (cut.score, cut.reason) == (0.0, "it ended by 'turns'")
    assert outcome(None, "turns", ends=("closed", "turns")).passed  # type: ignore[union-attr]


def test_a_sound_log_is_sound_and_any_line_that_is_missing_is_found(scenes: Any) -> None:
    scene = scenes()
    explore(scene)
    write(scene)
    story = ended(scene)
    assert filters.integrity(story, Integrity()).score == 1.0
    log = story.folder / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    kinds = [line.split(b'"')[3].decode() for line in lines]
    for at in range(1, len(lines)):
        if kinds[at] in ("message", "segment", "user"):
            continue  # what was said is not counted
        log.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
        assert not filters.integrity(read_story(story.folder), Integrity()).passed, kinds[at]
    log.write_bytes(b"".join(lines[1:]))
    with pytest.raises(UsageError, match="does not begin with an episode"):
        read_story(story.folder)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b'"reward":1.0', b'"reward":0.9', "the verdict is not the one in its record"),
        (b'"right":12', b'"right":11', "the reward is 1, and its scores make"),
        (b'"task":"workfactory/offers', b'"task":"workfactory/other', "the verdict is about another task"),
        (b'"index":3,"segment"', b'"index":7,"segment"', "calls are not counted from 1"),
        (b'"id":"call-2","tool"', b'"id":"call-x","tool"', "calls bear ids that no message of the model has"),
        (b'"state":"passed","reward"', b'"state":"failed","reward"', "the verdict is not the one in its record"),
    ],
)
def test_a_forged_log_contradicts_itself(scenes: Any, before: bytes, after: bytes, said: str) -> None:
    scene = scenes(suppliers=4)
    explore(scene)
    write(scene)
    folder: Path = ended(scene).folder
    files = [folder / "events.jsonl", *(folder / "blobs").iterdir()]
    hit = next(file for file in files if before in file.read_bytes())
    hit.write_bytes(hit.read_bytes().replace(before, after, 1))
    if hit.name != "events.jsonl":
        with pytest.raises(ReplayError, match="is damaged"):
            read_story(folder)
        return
    score = filters.integrity(read_story(folder), Integrity())
    assert not score.passed and any(said in one.what for one in score.evidence), score


def test_a_file_that_no_call_left_so_is_found(scenes: Any) -> None:
    scene = scenes()
    write(scene)
    scene.hand_over("Done.", kept={MEMO: b"another memo"})
    score = filters.integrity(read_story(scene.grade()), Integrity())
    assert score.reason == f"{MEMO} is not as call 2 left it" and score.evidence[0].calls == (2,)


def test_the_configuration_is_a_record_with_its_defaults() -> None:
    config = Config.model_validate({"repeated_calls": {"least": 0.5}, "outcome": {"ends": ["closed", "turns"]}})
    assert config.repeated_calls.in_a_row == 4 and Config.model_validate_json(config.model_dump_json()) == config
    assert Looked("a.csv", None, cells=3, words=9).size == 3
