"""A verdict on one page: never longer, whatever it says, and with the top cause named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workgym.errors import ModelError
from workgym.models import ScriptedModel
from workgym.testing import judges
from workgym.verify import Judge, LicensedJudge, Settings, Verdict, calibrate, explain, grade, summary
from workgym.verify.telling.columns import columns, cut, wrapped
from workgym.verify.telling.explain import LINES, WIDTH
from workgym.verify.telling.ladder import ladder


@dataclass(frozen=True)
class Why:
    kind: str
    says: str
    checks: tuple[str, ...]


def fits(page: str) -> list[str]:
    lines = page.splitlines()
    assert len(lines) <= LINES and max(map(columns, lines)) <= WIDTH, page
    assert all(line.isprintable() for line in lines)
    return lines


def test_a_right_hand_in(work: Any) -> None:
    page = explain(work.package, grade(work.package, work.files()))
    lines = fits(page)
    assert lines[0] == "PASSED: reward 1 of 1 by code/1"
    assert "WHAT IS WRONG" not in page and "WHY" not in page and "EARNED THE REST" not in page
    assert "JUDGE: none was asked; 1 rubric items are not requested (--judge)" in page


def test_nothing_handed_in(work: Any) -> None:
    verdict = grade(work.package, work.package.files)
    page = explain(work.package, verdict)
    fits(page)
    assert "book.xlsx was not handed in: nothing of its" in page and "memo.docx was not handed in" in page
    assert page.count("not handed in") == 2, "its facts are not listed one by one"
    assert "-> 1\n" in page


def test_rows_that_fail_alike_stand_together(work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    for row in sheets["Yearly"][1:6]:
        row[2] = 1
    del sheets["Yearly"][6:]
    verdict = grade(work.package, work.files(book=book(sheets)))
    page = explain(work.package, verdict, [Why("trap", "It took FCA prices as delivered.", ("a", "b", "c"))])
    fits(page)
    assert "9 of 9 rows of yearly, 'Landed cost (USD)', in book.xlsx: 5 wrong, 4 not found" in page
    assert "at Yearly!C2: expected" in page and "found 1" in page
    assert "1. trap: It took FCA prices as delivered. (3 of 9 facts that are not right)" in page


def test_extra_rows_guards_and_stray_files_are_told(work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Over budget"].append(["Alder Mills Ltd", 2026])
    files = work.files(book=book(sheets)) | {"quotes.csv": b"changed", "scratch.py": b""}
    verdict = grade(work.package, files)
    page = explain(work.package, verdict)
    fits(page)
    assert "guards, which multiply: inputs x 0, stray x 0.9, types holds" in page
    assert "inputs: files that were given are not as they were: quotes.csv was changed" in page
    assert "scratch.py" in page
    first, *_, last = ladder(verdict, 9)
    assert first.what == "the guard 'inputs' holds" and last.reward == 1.0


def test_the_ladder_ends_at_full_marks(work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Totals"][1][1] = 3
    sheets["Yearly"][3][2] = 1
    verdict = grade(work.package, work.files(book=book(sheets), memo=None))
    steps = ladder(verdict, 4)
    rewards = [step.reward for step in steps]
    assert rewards == sorted(rewards) and rewards[-1] == 1.0 and len(steps) == 4
    assert steps[0].what == "total in memo.docx: all 3 facts, and what is asked beyond"
    assert ladder(verdict, 3) == (*steps[:2], ("2 more", 1.0))


@pytest.fixture(scope="module")
def licensed(work: Any) -> Callable[[Any], LicensedJudge]:
    quick = Settings(samples=1, wait=0, attempts=2)
    licence = calibrate(Judge(judges.honest(), quick), [work.package])

    def make(model: Any) -> LicensedJudge:
        judge = Judge(model, quick)
        return LicensedJudge(judge, licence.model_copy(update={"pin": judge.pin}))

    return make


def test_a_judge_that_fails_is_told_as_unscored(work: Any, licensed: Any) -> None:
    def fails(_: Any) -> str:
        raise ModelError("time-out")

    verdict = grade(work.package, work.files(), judge=licensed(ScriptedModel(fails)), combine="geometric/1")
    page = explain(work.package, verdict)
    assert fits(page)[0] == "UNSCORED by geometric/1: our side is the cause, and this is no score of 0"
    assert "UNSCORED: rubric 1 of memo.docx: Is polite. - the judge gave no answer after 2 attempts" in page


def test_what_a_judge_gave_stands_on_the_page(work: Any, licensed: Any) -> None:
    verdict = grade(work.package, work.files(), judge=licensed(judges.honest()), combine="mean/1")
    page = explain(work.package, verdict)
    fits(page)
    assert "scored 1 of 1 items, mean 0.00" in page and "0: rubric 1 of memo.docx: Is polite." in page
    assert "rubric item 1 of memo.docx is met in full" in page and "-> 1" in page


def test_damage_in_many_places_fits(work: Any) -> None:
    verdict = grade(work.package, work.files() | {"quotes.csv": b"changed"})
    guard = next(check for check in verdict.checks if check.name == "guard inputs")
    places = tuple(
        guard.model_copy(
            update={"name": f"collateral A{number} in book.xlsx", "place": f"A{number}", "found": "x" * 99}
        )
        for number in range(100)
    )
    page = explain(work.package, verdict.model_copy(update={"checks": (*verdict.checks, *places)}))
    fits(page)
    assert "collateral A0 in book.xlsx" in page and "and 98 more places" in page


def test_everything_wrong_at_once_fits(work: Any, licensed: Any) -> None:
    def fails(_: Any) -> str:
        raise ModelError("time-out " * 60)

    files = work.files() | {"quotes.csv": b"changed"} | {f"{'scratch ' * 9}{number}.py": b"" for number in range(40)}
    verdict = large(grade(work.package, files, judge=licensed(ScriptedModel(fails)), combine="mean/1"), 400)
    guard = next(check for check in verdict.checks if check.name == "guard inputs")
    items = [check for check in verdict.checks if check.kind == "rubric"] * 9
    more = [guard.model_copy(update={"name": f"guard {name}", "found": "far " * 90}) for name in "abcdef"]
    more += [guard.model_copy(update={"name": f"collateral A{number} in book.xlsx"}) for number in range(9)]
    verdict = verdict.model_copy(update={"checks": (*verdict.checks, *more, *items)})
    causes = [Why("trap", f"cause {number}: " + "words " * 99, ("a",) * 40) for number in range(30)]
    page = explain(work.package, verdict, causes, notes=["note " * 90] * 5, more="see")
    lines = fits(page)
    assert len(lines) == LINES and "  1. trap: cause 0: " in page and "WHAT IS WRONG" in page and "  and more" in lines


def test_what_a_deliverable_says_does_not_reach_the_terminal_as_a_command(
    work: Any, book: Callable[..., bytes]
) -> None:
    sheets = work.sheets()
    sheets["Totals"][1][1] = 3
    verdict = grade(work.package, work.files(book=book(sheets)))
    spoilt = tuple(
        check.model_copy(update={"found": "\x1b[2J\u202eevil"}) if check.state == "failed" else check
        for check in verdict.checks
    )
    verdict = verdict.model_copy(update={"checks": spoilt})
    for text in (summary(verdict), explain(work.package, verdict)):
        assert "evil" in text and "\x1b" not in text and "\u202e" not in text


def large(verdict: Verdict, times: int) -> Verdict:
    """The same with many more failed checks and units, in words that would fill a screen."""
    fact = next(check for check in verdict.checks if check.kind == "fact")
    wide = "\u6771\u4eac\x1b[31m " * 60
    more: list[Any] = []
    units = list(verdict.scores.units)
    for number in range(times):
        unit = f"unit{number // 10}"
        where = {"unit": unit, "name": f"{unit} {number}", "key": (wide, str(number)), "place": wide * 3}
        more.append(
            fact.model_copy(update=where | {"expected": wide, "found": wide, "state": "failed", "message": wide})
        )
        if number % 10 == 0:
            units.append(units[0].model_copy(update={"unit": unit, "right": 0, "facts": 10}))
    scores = verdict.scores.model_copy(update={"units": tuple(units)})
    return verdict.model_copy(update={"checks": (*verdict.checks, *more), "scores": scores, "state": "failed"})


@pytest.mark.parametrize("times", [1, 20, 500, 3000])
def test_five_hundred_failures_fit(work: Any, times: int) -> None:
    verdict = large(grade(work.package, work.files()), times)
    causes = [Why("trap", f"cause {number}: " + "words " * 99, ("a",) * 40) for number in range(times)]
    causes.insert(0, Why("superseded", "It rests on the draft.", ("x",) * 400))
    notes = ["by: " + "react " * 90] * 5
    page = explain(work.package, verdict, causes, notes=notes, more="workgym verify runs/x --json " * 9)
    lines = fits(page)
    assert any(line.startswith("  1. superseded: It rests on the draft.") for line in lines)
    if times >= 500:
        assert "more of that kind" in page and "more parts" in page
    assert "WHAT WOULD HAVE EARNED THE REST" in page and "checks (" in lines[-1]


def texts() -> Iterator[Any]:
    yield st.text(max_size=300)
    yield st.text(alphabet="\u6f22\u0301a \t\u200b\uff21", max_size=200)


@given(st.one_of(*texts()), st.integers(12, 120), st.integers(1, 4))
@example("0" * 10, 12, 2)
def test_lines_are_never_wider(text: str, width: int, most: int) -> None:
    assert columns(cut(text, width)) <= width
    lines = wrapped(text, width, most, first="1. ", rest="   ")
    assert len(lines) <= most and all(columns(line) <= width for line in lines)
