"""Which sentence counts, where several speak of one result: letters as people write them."""

from __future__ import annotations

import pytest

from workgym.documents import read
from workgym.graph import InfoUnit, Relation, Stated
from workgym.records import Column, ColumnType, Value
from workgym.verify.stated import choices, prose
from workgym.verify.stated.asked import asked
from workgym.verify.stated.lines import lines
from workgym.verify.stated.sights import Sight
from workgym.verify.truth import Truth

VERDICT = "choice(accepted in full, accepted with reserve, refused)"


def looked(label: str, kind: str, value: str, *paragraphs: str) -> Sight | None:
    """How one result of a letter is found."""
    column = Column(name="result", type=ColumnType.parse(kind))
    unit = InfoUnit(
        name="it", content="it", entity="it", scope="here", status="derived", columns=(column,), query="select 1"
    )
    rows = {"it": Relation.load(unit, [{"result": value}])}
    wanted = asked(unit, Stated(unit="it", form="prose", labels={"result": label}), Truth({}, rows, rows))
    said = lines(read("letter.md", "\n\n".join(paragraphs).encode()), ())
    if column.type.numeric:
        return prose.find(said, wanted, "result").get((0, "result"))
    right = wanted.rows[0].values["result"].accepted
    known: tuple[Value, ...] = column.type.options or right
    return choices.stated(said, label, column, known, right)


RATE = "Response rate: 62.8 % (at least 60 %)."


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        ((RATE,), "right"),
        ((RATE, "The firm's response rate of 78 % takes all interviews."), "right"),
        (("The firm's response rate of 78 % takes all interviews.", RATE), "right"),
        (("The response rate is 62.8 %; the target is 60 %.",), "right"),
        (("Response rate: 61.8 % (at least 60 %).",), "wrong"),
        (("The response rate is 78 %.", RATE), "wrong"),
        (("Our response rate is 78 %.", RATE), "wrong"),
    ],
)
def test_what_a_value_is_held_against_and_what_is_anothers_is_not_the_value(
    paragraphs: tuple[str, ...], state: str
) -> None:
    sight = looked("Response rate", "percent(1)", "0.628", *paragraphs)
    assert sight is not None and sight.state == state


def test_of_two_guesses_the_one_with_the_rarer_word_of_the_label_counts() -> None:
    """Interviews are spoken of everywhere, what is overstated in one place."""
    sight = looked(
        "Interviews overstated",
        "quantity(interviews, 0)",
        "41",
        "Share of interviews that were repeated: 17 of them.",
        "Valid interviews in all: 193.",
        "The technical report gives 234 and overstates them by 41.",
    )
    assert sight is not None and (sight.state, sight.found) == ("right", "41")


HOURS = "The event hours in the turbine hall from December to May were 50.0 hours."
GUESS = "Event log of the turbine hall, sheet 2:\n\nPencil studies of the turbines, hall 3, event 52.7."


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        ((HOURS, GUESS), "right"),
        ((HOURS.replace("were", "had been"), GUESS), "wrong"),
        (("Were the hall to open, the event hours in the turbine hall are 50.0 hours.", GUESS), "wrong"),
        (("We had event hours in the turbine hall of 50.0 hours.", GUESS), "right"),
    ],
)
def test_the_past_is_told_and_not_supposed(paragraphs: tuple[str, ...], state: str) -> None:
    sight = looked("event hours in the turbine hall", "quantity(h, 1)", "50.0", *paragraphs)
    assert sight is not None and sight.state == state


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        (("The last round is accepted with reserve. The option opens later.",), "right"),
        (("# Acceptance", "We hold that the round is accepted with reserve."), "right"),
        (("The last round is accepted in full.",), "wrong"),
        (("The last round is accepted with reserve.", "The last round is accepted in full."), "missing"),
        (("It can be accepted in full, accepted with reserve or refused.",), "missing"),
        (("The round is not accepted with reserve.",), "missing"),
        (("It would be accepted with reserve if more interviews came.",), "missing"),
        (("The delivery is refused. Reserve was not enough.",), "missing"),
        (("The round is fine.",), "missing"),
    ],
)
def test_an_option_of_several_words_needs_no_label(paragraphs: tuple[str, ...], state: str) -> None:
    sight = looked("Verdict one", VERDICT, "accepted with reserve", *paragraphs)
    assert sight is not None and sight.state == state


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        (
            ("# Papers that the supplier has to bring", "They have to be with us by 20 January 2027 at the latest."),
            "right",
        ),
        (
            ("# Papers that the supplier has to bring", "They have to be with us by 21 January 2027 at the latest."),
            "missing",
        ),
        (("# Performance", "They have to be with us by 20 January 2027 at the latest."), "missing"),
        (("# Papers to bring", "Issued on 20 January 2027, valid until 3 May 2027."), "missing"),
    ],
)
def test_a_day_under_the_heading_that_has_the_label(paragraphs: tuple[str, ...], state: str) -> None:
    sight = looked("Bring by", "date", "2027-01-20", *paragraphs)
    assert sight is not None and sight.state == state


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        (("Unmet: 3. Renewal test: not passed. Renewal test after cure: passed.",), "right"),
        (("**Renewal test:** not passed", "Renewal test after cure: passed."), "right"),
        (("Renewal test: passed. Renewal test after cure: not passed.",), "wrong"),
        (("Renewal test: not passed.", "Renewal test: passed."), "wrong"),
    ],
)
def test_what_stands_behind_the_very_label_counts(paragraphs: tuple[str, ...], state: str) -> None:
    sight = looked("Renewal test", "choice(passed, not passed)", "not passed", *paragraphs)
    assert sight is not None and sight.state == state


OTHERS = tuple(
    f"Entry {n}: control updated as before; the price of BRL {51_000 + 37 * n}.40 holds instead of BRL {40_000 + n}.10."
    for n in range(20)
)


@pytest.mark.parametrize(
    ("paragraphs", "state"),
    [
        (("Commission before the update: BRL 54,025.97 for all quotations.", *OTHERS), "right"),
        ((*OTHERS, "Commission before the update: R$ 54,025.97 for all quotations."), "right"),
        ((*OTHERS, "The commission before the update is R$ 54,024.97."), "wrong"),
        (tuple(f"Commission before the update: BRL {54_025 + n}.97." for n in range(20)), "wrong"),
    ],
)
def test_numbers_that_share_a_word_with_the_label_are_no_guesses_at_it(paragraphs: tuple[str, ...], state: str) -> None:
    sight = looked("commission before the update", "money(BRL, 2)", "54025.97", *paragraphs)
    assert sight is not None and sight.state == state
