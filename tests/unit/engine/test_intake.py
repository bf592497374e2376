"""What a run of the factory plans from: how many intents, of which occupations, and how making them ends."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.intents.authors import author, judge, scores, told, write
from workgym.cli import main
from workgym.engine import ROLES, Crew, Intake, intake
from workgym.errors import ModelUnavailable, UsageError
from workgym.intents import Library, fill, soc, spread
from workgym.intents.jobs import of_occupations
from workgym.model import ModelRequest
from workgym.models import Budget, Ledger, ScriptedModel

MANAGERS = "13-20"


def crew(out: Path, reviews: ScriptedModel | None = None, *, budget: Budget | None = None) -> Crew:
    """An author and a judge; nobody else is asked."""
    out.mkdir(parents=True, exist_ok=True)
    models = dict.fromkeys(ROLES, reviews or judge()) | {"builder": author()}
    return Crew(models, Ledger(out / "ledger.sqlite"), budget=budget)


def strict(*titles: str) -> ScriptedModel:
    """A judge that turns down intents of these occupations."""

    def reply(request: ModelRequest) -> str:
        return scores(fit=2 if any(title in told(request) for title in titles) else 5)

    return ScriptedModel(reply, name="strict")


def made(out: Path, who: Crew, *, count: int = 4, occupations: str = MANAGERS, workers: int = 2) -> Intake:
    return intake(out / "intents", who, make=True, occupations=occupations, count=count, workers=workers)


def asked(who: Crew) -> int:
    return who.ledger.spent().calls


def turned_down() -> ScriptedModel:
    """One that turns down the first two of the candidates."""
    first = spread(soc().many([MANAGERS]), 2, 0)
    return strict(*(soc().all[code].title for code in first))


def test_candidates_are_made_until_so_many_are_admitted(tmp_path: Path) -> None:
    lines: list[str] = []
    who = crew(tmp_path, turned_down())
    found = intake(tmp_path / "intents", who, make=True, occupations=MANAGERS, count=4, progress=lines.append)
    assert (len(found.intents), found.wanted, found.tried, found.stopped) == (4, 4, 6, "")
    assert asked(who) == 12, "no candidate more than was missing"
    assert lines[0] == "intents: 0 of 4 admitted, 4 candidates to make"
    assert lines[-1].startswith("intents: 4 of 4 admitted, 6 tried; occupations/0/5/13-20")
    again = made(tmp_path, silent := crew(tmp_path, ScriptedModel([], name="strict")))
    assert again == found and asked(silent) == 12
    other = made(tmp_path / "other", crew(tmp_path / "other", turned_down()), workers=1)
    assert other == found, "it does not depend on how many are made at once"


def test_a_judge_that_turns_all_down_is_not_asked_for_ever(tmp_path: Path) -> None:
    found = made(tmp_path, crew(tmp_path, judge(fit=1)), count=2)
    assert (found.intents, found.tried, found.stopped) == ((), 6, "")


def test_more_are_made_by_the_same_draw_and_other_draws_are_left_alone(tmp_path: Path) -> None:
    first = made(tmp_path, crew(tmp_path), count=2)
    more = made(tmp_path, who := crew(tmp_path), count=3)
    assert more.intents[:2] == first.intents and asked(who) == 6
    nurses = made(tmp_path, crew(tmp_path), count=1, occupations="29-1")
    assert [one.role.occupation[:4] for one in nurses.intents] == ["29-1"]
    drawn = intake(tmp_path / "intents", crew(tmp_path), make=True, occupations=MANAGERS, count=1, seed=7)
    assert drawn.intents[0].provenance["slot"].startswith("occupations/7/0/13-20")
    assert len(list(Library(tmp_path / "intents").all())) == 5


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_a_budget_that_ends_meanwhile_is_no_error_and_the_same_call_goes_on(tmp_path: Path, share: float) -> None:
    whole = made(tmp_path / "whole", plain := crew(tmp_path / "whole", turned_down()))
    tokens = int(plain.ledger.spent().reckoned * share)
    cut = made(tmp_path / "cut", who := crew(tmp_path / "cut", turned_down(), budget=Budget(tokens=tokens)))
    assert cut.stopped == "budget spent" and who.ending.begun and len(cut.intents) < 4 and cut.tried < 6
    assert cut.intents == whole.intents[: len(cut.intents)]
    assert made(tmp_path / "cut", on := crew(tmp_path / "cut", turned_down())) == whole
    assert asked(on) == asked(plain), "nothing is paid for twice"


def test_a_model_that_is_away_ends_it_with_its_own_words(tmp_path: Path) -> None:
    def away(request: ModelRequest) -> str:
        raise ModelUnavailable("http://localhost:1: nobody\nanswers")

    found = made(tmp_path, who := crew(tmp_path, ScriptedModel(away, name="away")))
    assert found.stopped == "model unavailable: http://localhost:1: nobody answers" and who.ending.begun
    assert made(tmp_path, crew(tmp_path)).intents[3:]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Three intents of one kind of occupation, two of another."""
    made_of = Library(tmp_path / "library")
    for occupations, count in ((MANAGERS, 3), ("29-1", 2)):
        list(fill(made_of, of_occupations(author(), occupations, count=count, seed=1), judge()))
    return made_of.folder


def taken(
    library: Path, occupations: str | None = None, count: int | None = None, seed: int | None = None
) -> list[str]:
    who = Crew(ScriptedModel([]), Ledger(":memory:"))
    found = intake(library, who, make=False, occupations=occupations, count=count, seed=seed)
    assert found.wanted == count and found.tried == 0
    return [one.role.occupation for one in found.intents]


def test_a_library_is_taken_by_occupation_and_by_draw(library: Path) -> None:
    every = taken(library)
    assert [code[:2] for code in every] == ["13", "13", "13", "29", "29"]
    assert taken(library, count=2) == every[:2] and taken(library, "29-1", 9) == every[3:]
    draws = [taken(library, count=3, seed=seed) for seed in range(8)]
    assert len({tuple(draw) for draw in draws}) > 4 and draws[3] == taken(library, count=3, seed=3)
    assert taken(library, count=5, seed=3)[:3] == draws[3], "a larger draw holds a smaller one"
    assert set(taken(library, MANAGERS, 2, 5)) < set(every[:3])


@pytest.mark.parametrize(
    ("occupations", "count", "says"),
    [
        ("11-1", None, "no intent of 11-1 that was admitted"),
        ("99-1", None, "'99-1': no occupation"),
        (None, 0, "--count 0; give a number from 1 to 1,000,000"),
        (None, -3, "--count -3; give a number"),
    ],
)
def test_what_cannot_be_taken_is_told(library: Path, occupations: str | None, count: int | None, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        taken(library, occupations, count)
    with pytest.raises(UsageError, match="there is no such library"):
        taken(library / "none")
    with pytest.raises(UsageError, match="-1 occupations cannot be drawn"):
        spread(soc().many(None), -1, 0)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """``both`` writes and judges as a model on the command line, ``severe`` turns all down."""

    def create(spec: str, **_: object) -> ScriptedModel:
        given = 1 if spec == "severe" else 5

        def reply(request: ModelRequest) -> str:
            return scores(fit=given) if "Review it." in told(request) else write(request)

        return ScriptedModel(reply, name=spec)

    monkeypatch.setattr("workgym.models.create", create)


def command(out: Path, *argv: str) -> list[str]:
    return ["build", "--author", "model", "--occupations", MANAGERS, "--count", "2", *argv, "-o", str(out), "--json"]


def test_the_command_ends_with_one_where_a_budget_does(
    known: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = command(tmp_path / "out", "--model", "both", "--budget-tokens", "1")
    assert main(argv) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["intents"] == {"wanted": 2, "tried": 0, "stopped": "budget spent", "admitted": 0}
    assert printed["spent"]["calls"] in (1, 2) and printed["entries"] == []
    assert main(argv[:-1]) == 1
    said = capsys.readouterr().out
    assert "0 of 2 intents were admitted, of 0 candidates" in said and "in the ledger: " in said
    assert "stopped while intents were made: budget spent; run again, and it goes on" in said


def test_the_command_tells_where_no_more_candidates_are_made(
    known: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path / "out", "--model", "severe")[:-1]) == 1
    said = capsys.readouterr()
    assert "0 of 2 intents were admitted, of 6 candidates" in said.out
    assert "why some were not admitted: workgym intents show" in said.out
    assert "intents: 0 of 2 admitted, 6 tried; occupations/0/5/" in said.err


def test_the_command_says_what_it_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = tmp_path / "box"
    assert main(command(tmp_path / "out", "--model", f"mailbox:{box}?timeout=0.05&poll=0.01")) == 1
    said = capsys.readouterr()
    assert f"waiting for 1 reply in {box}" in said.err
    stopped = json.loads(said.out)["intents"]["stopped"]
    assert stopped.startswith("model unavailable: ") and "no reply within 0.05 seconds; answer it and run" in stopped


def test_a_mailbox_that_nobody_answers_in_time_is_never_given_up(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["build", "--author", "model", "--intents", str(library), "--count", "1", "-o", str(tmp_path / "out")]
    for _ in range(4):
        assert main([*argv, "--model", f"mailbox:{tmp_path / 'box'}?timeout=0.02&poll=0.01"]) == 1
        said = capsys.readouterr()
        assert "model unavailable at plan: " in said.out and "no reply within 0.02 seconds" in said.out
        assert "1 can still go on, with the same command" in said.out and "given up" not in said.out


def test_settings_say_how_to_plan_unless_the_command_line_does(
    known: None, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "settings.yaml").write_text("conditions: [direct]\nat_once: 1\n")
    argv = ["build", "--author", "model", "--intents", str(library), "--count", "7", "--model", "both"]
    argv += ["--settings", str(tmp_path / "settings.yaml"), "--budget-tokens", "0"]
    for said, conditions in (([], ["direct"]), (["--conditions", "both"], ["direct", "planned"])):
        out = tmp_path / "-".join(["out", *conditions])
        assert main([*argv, *said, "-o", str(out)]) == 1
        assert json.loads((out / "settings.json").read_text())["conditions"] == conditions
        assert f"5 of 7 intents are there ({library})" in capsys.readouterr().out


FACTORY = ("--author", "model", "--model", "both", "--count", "1")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ((*FACTORY, "--seeds", "0-2"), "--seeds does not go together with --author model"),
        ((*FACTORY, "--inject", "broken derivation"), "--inject does not go together with --author model"),
        ((*FACTORY, "--count", "-3"), "--count -3; give a number from 1"),
        (("--author", "model", "--intents", "x", "--seed", "0"), "--seed does not go together with --intents"),
        (("supplier-selection", "--count", "2"), "--count does not go together with --author blueprint"),
        (("supplier-selection", "--seed", "0"), "the seeds of a family are --seeds"),
        (("supplier-selection", "--crew", "none.yaml"), "--crew does not go together with --author blueprint"),
        (("supplier-selection", "--again"), "--again does not go together with --author blueprint"),
    ],
)
def test_options_that_do_not_go_together_are_told(
    known: None, argv: Sequence[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", *argv, "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert says in said.err and said.err.count("\n") == 1 and not (tmp_path / "out").exists()
