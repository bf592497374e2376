"""A fault of ours in one task: it stops that task and no other, and is tried again a limited number of times."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workgym.cli import main
from workgym.engine import Crew, Settings, run
from workgym.errors import ModelUnavailable
from workgym.model import ModelReply, ModelRequest
from workgym.models import Ledger
from workgym.records import Intent
from workgym.testing.rehearsal import Rehearsal, intents

SETTINGS = Settings(at_once=2, plan_rounds=2, desk=False)


def some() -> tuple[Intent, ...]:
    """One that is never corrected, one that is repaired, one that is corrected."""
    houses = intents(8)
    return houses[0], houses[5], houses[7]


class Faulty(Rehearsal):
    """Its verifier has an error in its code for one of the houses, for so many requests."""

    def __init__(self, house: int, times: int = 99) -> None:
        super().__init__()
        self._amount, self.left = f"{11874.60 + house * 1.37:.2f}", times

    def complete(self, request: ModelRequest) -> ModelReply:
        said = request.model_dump_json()
        if self.left and "expected(desk)" in said and self._amount in said.replace(",", ""):
            self.left -= 1
            assert self.left / 0, "never"
        return super().complete(request)


def test_a_fault_of_ours_stops_one_task_and_no_other(tmp_path: Path) -> None:
    out, model = tmp_path, Faulty(7)
    made_of = (some()[1], some()[2], intents(9)[8])
    summaries = [run(made_of, Crew(model, Ledger(out / "ledger.sqlite")), SETTINGS, out) for _ in range(4)]
    for turn, summary in enumerate(summaries, 1):
        kept, faulty, also = summary.entries
        assert kept.kept and also.kept and summary.kept == 2 and len(list((out / "tasks").iterdir())) == 2
        assert (faulty.last.stage, faulty.last.outcome, faulty.last.reason) == ("verifier", "stopped", "fault")
        assert re.fullmatch(r"ZeroDivisionError: division by zero \(workgym/[a-z/]+\.py:\d+\)", faulty.last.detail)
        assert faulty.stops == min(turn, 3), "the fourth run leaves it alone"
        given_up = (faulty,) if turn >= 3 else ()
        assert summary.given_up == given_up and summary.waiting == 1 - len(given_up)
        (trace,) = summary.faults
        told = (out / trace).read_text()
        assert told.startswith("verifier\nTraceback") and "self.left / 0" in told
    assert model.left == 96
    assert run(made_of, Crew(Rehearsal(), Ledger(out / "ledger.sqlite")), SETTINGS, out) == summaries[-1]
    more = SETTINGS.model_copy(update={"retries": 3})
    assert run(made_of, Crew(model, Ledger(out / "ledger.sqlite")), more, out).entries[1].stops == 4
    ended = run(made_of, Crew(Rehearsal(), Ledger(out / "ledger.sqlite")), SETTINGS, out, again=True)
    assert ended.kept == 3 and not ended.stopped and ended.entries[1].stops == 0
    assert not list(out.rglob("stopped.json")) and not list(out.rglob("fault.txt"))


def test_an_outage_is_counted_by_nobody(tmp_path: Path) -> None:
    class Down(Faulty):
        def complete(self, request: ModelRequest) -> ModelReply:
            if not self.left and request.tools:
                raise ModelUnavailable("503")
            return super().complete(request)

    model = Down(7, times=1)
    stops = []
    for _ in range(3):
        (entry,) = run(some()[2:], Crew(model, Ledger(tmp_path / "ledger.sqlite")), SETTINGS, tmp_path).entries
        stops.append((entry.last.reason, entry.stops))
    assert stops == [("fault", 1), *[("model unavailable", 1)] * 2]


def test_what_is_told_of_a_fault_holds_no_secret(tmp_path: Path) -> None:
    class Leaking(Rehearsal):
        secrets = ("hunter2-hunter2",)

        def complete(self, request: ModelRequest) -> ModelReply:
            raise KeyError(f"no header\nBearer {self.secrets[0]}")

    summary = run(some()[:1], Crew(Leaking(), Ledger(tmp_path / "ledger.sqlite")), SETTINGS, tmp_path)
    detail = summary.entries[0].last.detail
    assert "[redacted]" in detail and str(Path.cwd()) not in detail
    wrote = [*tmp_path.rglob("fault.txt"), tmp_path / "factory.jsonl"]
    assert len(wrote) == 2 and not any("hunter2" in path.read_text() for path in wrote)


def test_the_command_says_what_was_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from workgym.intents import Library
    from workgym.intents.reviewing import review

    out, intent, library = tmp_path / "out", some()[2], Library(tmp_path / "intents")
    library.add(intent, review(Rehearsal(), intent))
    settings = SETTINGS.model_copy(update={"retries": 0})
    run([intent], Crew(Faulty(7), Ledger(out / "ledger.sqlite")), settings, out)
    (tmp_path / "settings.yaml").write_text("plan_rounds: 2\ndesk: false\nretries: 0\n")
    spec = f"recorded:{out / 'ledger.sqlite'}?name=rehearsal&structured=schema"
    command = ["build", "--author", "model", "--intents", str(library.folder), "--model", spec, "-o", str(out)]
    assert main([*command, "--settings", str(tmp_path / "settings.yaml")]) == 1
    said = capsys.readouterr().out
    assert "a fault of workgym at verifier: ZeroDivisionError: division by zero (workgym/" in said
    assert f"{out}/work/{intent.id}.planned/fault.txt" in said and "1 given up after 0 later runs" in said
    assert "0 can still go on\n" in said
