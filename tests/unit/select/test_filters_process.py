"""Filters of what was done: repeated reasoning, repeated calls, recoverability; and what comes close to each."""

from __future__ import annotations

from typing import Any

import pytest

from workgym.select import filters
from workgym.select.config import Recoverability, RepeatedCalls, RepeatedReasoning, UnsupportedClaims
from workgym.select.story import read_story
from workgym.testing.planted.moves import explore, message, write
from workgym.testing.planted.scenes import BOOK, MEMO, Scene

LONG = (
    "I have read the offers and will now work out what each of them costs in all, then sort them by that and see "
    "whether the cheapest one can be delivered in time"
)


def ended(scene: Scene, said: str = "") -> Any:
    scene.hand_over(said or message(scene.job))
    return read_story(scene.grade())


def test_reasoning_that_is_said_again_is_told_with_its_calls(scenes: Any) -> None:
    scene = scenes()
    for path, content in scene.job.files.items():
        scene.call("read_file", {"path": path}, content.decode(), thought=LONG)
    score = filters.repeated_reasoning(ended(scene, "Done."), RepeatedReasoning())
    assert not score.passed and score.score < 0.3
    assert score.reason == "3 of 5 messages say again what was said: 99 of 133 words"
    assert score.evidence[0].what == "100% of the message after call 1 was said the first message"
    assert [found.calls for found in score.evidence] == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "says",
    [
        lambda n: (
            f"Offer {n} costs {n * 317} USD in all, which I write into row {n} of the comparison before the next."
        ),
        lambda n: "I will read the next file now.",
        lambda n: LONG if n == 3 else "",
    ],
    ids=["of one form, with other figures", "short", "once"],
)
def test_reasoning_that_goes_on_is_not_repeated(scenes: Any, says: Any) -> None:
    scene = scenes(suppliers=9)
    for number, (path, content) in enumerate(scene.job.files.items()):
        scene.call("read_file", {"path": path}, content.decode(), thought=says(number))
    score = filters.repeated_reasoning(ended(scene), RepeatedReasoning())
    assert (score.score, score.reason, score.evidence) == (1.0, "", ())


def test_a_long_text_about_another_thing_is_still_the_same_text(scenes: Any) -> None:
    scene = scenes()
    for number, (path, content) in enumerate(scene.job.files.items()):
        scene.call("read_file", {"path": path}, content.decode(), thought=f"{LONG} for offer {number}. {LONG}; {LONG}.")
    assert not filters.repeated_reasoning(ended(scene), RepeatedReasoning()).passed
    assert filters.repeated_reasoning(ended(scenes()), RepeatedReasoning()).score == 1.0


def test_nobody_who_says_nothing_repeats_anything(scenes: Any) -> None:
    scene = scenes()
    scene.hand_over("")
    story = read_story(scene.grade())
    assert filters.repeated_reasoning(story, RepeatedReasoning()).score == 1.0
    assert filters.unsupported_claims(story, {}, UnsupportedClaims()).score == 1.0


def test_a_call_is_repeated_where_nothing_has_changed_since(scenes: Any) -> None:
    scene = scenes()
    for _ in range(2):
        scene.call("list_files", {}, "a\nb")
        scene.call("read_file", {"path": "a"}, "the text")
    score = filters.repeated_calls(ended(scene), RepeatedCalls())
    assert (score.score, score.reason) == (0.5, "2 of 4 calls ask what was answered already")
    assert [found.calls for found in score.evidence] == [(1, 3), (2, 4)]
    assert score.evidence[0].what == "list_files asks the same as call 1"


def test_looking_again_after_a_change_or_another_answer_is_no_repetition(scenes: Any) -> None:
    scene = scenes()
    for number in range(3):
        scene.call("read_file", {"path": MEMO}, f"version {number}")
        scene.call("bash", {"command": "ls"}, "the same")
        scene.call("write_file", {"path": MEMO, "content": str(number)}, "Wrote.", wrote={MEMO: str(number).encode()})
    assert filters.repeated_calls(ended(scene), RepeatedCalls()).score == 1.0


@pytest.mark.parametrize(("period", "rounds", "loop"), [(1, 4, True), (2, 4, True), (3, 5, True), (2, 3, False)])
def test_loops_of_any_period_whatever_they_write(scenes: Any, period: int, rounds: int, loop: bool) -> None:
    scene = scenes()
    for number in range(period * rounds):
        content = f"draft {number % period}"
        made = {MEMO: f"{content}{number}".encode()}
        scene.call("write_file", {"path": MEMO, "content": content}, "Wrote.", wrote=made)
    score = filters.repeated_calls(ended(scene), RepeatedCalls())
    assert (score.score == 0.0) is loop
    if loop:
        assert score.reason == f"calls go in a loop, {rounds} times in a row"
        assert score.evidence[0].what.startswith(f"a round of {period} (write_file")
        assert score.evidence[0].calls == tuple(range(1, period * rounds + 1))


def test_waiting_for_something_and_trying_again_is_no_loop(scenes: Any) -> None:
    scene = scenes()
    for answer in ("timed out after 1 try", "timed out after 2 tries", "404", "500", "the page"):
        scene.call("web_fetch", {"url": "https://rates.example/freight"}, answer, error=answer != "the page")
    assert filters.repeated_calls(ended(scene), RepeatedCalls()).score == 1.0


def test_nearly_the_same_call_counts_with_the_same_answer_only(scenes: Any) -> None:
    def asks(answer: Any) -> float:
        scene = scenes()
        for number in range(5):
            command = f"grep -rn 'total of all offers' offers/ --include='*.txt' | sort -u | head -n {number}"
            scene.call("bash", {"command": command}, answer(number))
        return filters.repeated_calls(ended(scene), RepeatedCalls()).score

    assert asks(lambda number: "(no output)") == 0.2
    assert asks(lambda number: f"line {number}") == 1.0


def test_what_failed_was_put_right(scenes: Any) -> None:
    scene = scenes()
    explore(scene)
    scene.call("python", {"code": "1/0"}, "ZeroDivisionError", error=True)
    scene.call("read_workbook", {"path": BOOK}, "There is no file.", error=True)
    scene.call("python", {"code": "print(1)"}, "1")
    write(scene)
    assert filters.recoverability(ended(scene), Recoverability()).score == 1.0, "by the tool, and by the path"


def test_what_failed_was_never_put_right(scenes: Any) -> None:
    scene = scenes()
    explore(scene)
    for tool in ("web_search", "web_fetch", "python"):
        scene.call(tool, {"query": tool}, f"{tool} failed", error=True)
    scene.call("python", {"code": "print(1)"}, "1")
    write(scene)
    score = filters.recoverability(ended(scene), Recoverability())
    assert (score.score, score.reason) == (round(1 / 3, 6), "2 of 3 failed calls were never put right")
    assert [one.calls for one in score.evidence] == [(6,), (7,)]


def test_an_end_in_an_error_and_a_call_that_was_not_permitted(scenes: Any) -> None:
    scene = scenes()
    write(scene)
    scene.call("read_workbook", {"path": "x.xlsx"}, "There is no file.", error=True)
    score = filters.recoverability(ended(scene), Recoverability())
    assert (score.score, score.reason) == (0.0, "the last act, call 3, failed")
    beyond = scenes()
    beyond.call("bash", {"command": "ls"}, "not permitted", error=True, violation="bash")
    write(beyond)
    story = ended(beyond)
    assert filters.recoverability(story, Recoverability()).score == 0.0
    assert filters.recoverability(story, Recoverability(violations=1)).score == 0.0, "it was never put right"
