"""The factory: many intents to a corpus, by a model that plays every part."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from workgym.cli import main
from workgym.engine import Crew, Settings, Summary, run
from workgym.engine.line import Line
from workgym.errors import ModelUnavailable, UsageError
from workgym.model import ModelReply, ModelRequest, TextBlock
from workgym.models import Budget, Ledger
from workgym.package import content_digest, load
from workgym.probe import load as load_report
from workgym.records import Intent
from workgym.records.factory import FactoryEntry
from workgym.testing.rehearsal import Rehearsal, intents

HOUSES = (0, 5, 7)
"""One that is never corrected, one that is repaired, one that is corrected."""
SETTINGS = Settings(at_once=2, plan_rounds=2, desk=False)


def some() -> tuple[Intent, ...]:
    made = intents(8)
    return tuple(made[number] for number in HOUSES)


def made(out: Path, model: Rehearsal, *, budget: Budget | None = None, settings: Settings = SETTINGS) -> Summary:
    return run(some(), Crew(model, Ledger(out / "ledger.sqlite"), budget=budget), settings, out)


def content(out: Path) -> dict[str, str]:
    """Digests of all that a run says and notes, and of its corpus, whose zips are compared by their parts: what an
    expert script writes bears the time. Not the ledger, and not the trajectories, whose events have times."""
    kept = [*(out / "tasks").rglob("*"), *(out / "work").glob("*/*.*"), out / "factory.jsonl"]
    return {str(path.relative_to(out)): content_digest(path.name, path.read_bytes()) for path in kept if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary, Rehearsal]:
    out, model = tmp_path_factory.mktemp("whole"), Rehearsal()
    return out, made(out, model), model


def test_each_intent_goes_as_far_as_it_can(whole: tuple[Path, Summary, Rehearsal]) -> None:
    out, summary, _ = whole
    never, repaired, corrected = summary.entries
    assert (never.last.stage, never.last.outcome, never.last.reason) == ("plan", "dropped", "graph: query")
    assert "1.02 is a premise that no file states" in never.last.detail and never.last.rounds == 3
    assert repaired.kept and repaired.repair is not None and repaired.repair.outcome == "accepted"
    assert repaired.repair.classes == ("request under-specification",)
    assert [(one.when, one.held_out) for one in repaired.probes] == [
        ("before repair", False),
        ("after repair", False),
        ("after repair", True),
    ]
    assert corrected.kept and corrected.stages[0].rounds == 2 and corrected.repair is not None
    assert corrected.repair.outcome == "not needed" and summary.kept == 2 and summary.waiting == 0
    lines = (out / "factory.jsonl").read_text().splitlines()
    assert tuple(map(FactoryEntry.model_validate_json, lines)) == summary.entries


def test_what_comes_out_is_ready_for_use(whole: tuple[Path, Summary, Rehearsal]) -> None:
    from workgym import rollout

    out, _, _ = whole
    folders = sorted((out / "tasks").iterdir())
    assert len(folders) == 2
    for folder in folders:
        package = load(folder)
        origin = package.hidden.origin
        assert (origin.author, origin.condition, origin.builder, origin.probed_by) == (
            "model",
            "planned",
            "rehearsal",
            "rehearsal",
        )
        assert package.hidden.checks is not None and package.hidden.checks.passed
        assert rollout(package, "expert").reward == 1.0 and rollout(package, "noop").reward == 0.0
    story = [load(folder).hidden.history for folder in folders]
    assert sorted(map(len, story)) == [0, 1]


def test_its_folders_say_what_was_found_on_the_way(whole: tuple[Path, Summary, Rehearsal]) -> None:
    out, summary, _ = whole
    never, repaired, corrected = (out / "work" / f"{entry.intent}.planned" for entry in summary.entries)
    assert sorted(path.name for path in never.iterdir()) == ["entry.json", "plan.json", "why.txt"]
    told = json.loads((never / "plan.json").read_text())
    assert told["dropped"]["reason"] == "query" and len(told["rounds"]) == 3
    assert all("1.02 is a premise" in one["problems"][0]["message"] for one in told["rounds"])
    page = (never / "why.txt").read_text()
    assert page.startswith(f"{summary.entries[0].intent}, planned: dropped at plan: graph: query\n")
    assert page.count("draft 3, graph\n  query: ") == 1 and page.count("1.02 is a premise") == 4
    probes = ["measure", "package", "probe-0"]
    assert sorted(path.name for path in repaired.iterdir()) == ["entry.json", *probes, "probe-1", "repair.json"]
    assert sorted(path.name for path in corrected.iterdir()) == ["entry.json", *probes[:2], "plan.json", "probe-0"]
    assert json.loads((corrected / "plan.json").read_text())["dropped"] is None


def test_the_ledger_adds_up(whole: tuple[Path, Summary, Rehearsal]) -> None:
    out, summary, model = whole
    spent = Ledger(out / "ledger.sqlite").spent()
    assert spent.calls == len(model.requests) == len(set(model.requests)) == sum(model.asked.values())
    taken = [one for entry in summary.entries for one in entry.taken]
    assert sum(one.calls for one in taken) == spent.calls + spent.hits
    assert sum(one.prompt + one.completion for one in taken) >= spent.prompt + spent.completion > 0
    assert {one.nano for one in taken} == {None}  # nobody knows what a rehearsal costs


def test_again_nothing_is_asked_and_nothing_changes(whole: tuple[Path, Summary, Rehearsal]) -> None:
    out, summary, _ = whole
    before, silent = content(out), Rehearsal()
    assert made(out, silent) == summary
    assert content(out) == before and not silent.requests


def test_another_way_of_making_is_another_folder(whole: tuple[Path, Summary, Rehearsal]) -> None:
    out, _, _ = whole
    with pytest.raises(UsageError, match="otherwise: repairs"):
        made(out, Rehearsal(), settings=SETTINGS.model_copy(update={"repairs": 1}))
    with pytest.raises(UsageError, match="no model is the judge"):
        Crew({"builder": Rehearsal()}, Ledger(":memory:"))
    with pytest.raises(UsageError, match="nobody knows the price of rehearsal"):
        Crew(Rehearsal(), Ledger(":memory:"), budget=Budget(money=Decimal(1)))


def test_a_budget_stops_it_cleanly(whole: tuple[Path, Summary, Rehearsal], tmp_path: Path) -> None:
    out, summary, once = whole
    half = sum(one.prompt + one.completion for entry in summary.entries for one in entry.taken) // 2
    first = Rehearsal()
    cut = made(tmp_path, first, budget=Budget(tokens=half))
    assert cut.waiting > 0 and {entry.last.reason for entry in cut.stopped} == {"budget spent"}
    again = made(tmp_path, second := Rehearsal())
    assert not set(first.requests) & set(second.requests)
    assert sorted(first.requests + second.requests) == sorted(once.requests)
    assert content(tmp_path) == content(out) and again == summary


def test_an_endpoint_that_is_down_is_no_defect(tmp_path: Path) -> None:
    class Down(Rehearsal):
        def complete(self, request: ModelRequest) -> ModelReply:
            if request.tools:
                raise ModelUnavailable("http://localhost:1:\n503")
            return super().complete(request)

    out = tmp_path
    summary = run(some()[2:], Crew(Down(), Ledger(out / "ledger.sqlite")), SETTINGS, out)
    (last,) = (entry.last for entry in summary.entries)
    assert (last.stage, last.outcome, last.reason) == ("probe", "stopped", "model unavailable")
    assert last.detail == "http://localhost:1: 503", "what the endpoint says is kept"
    assert run(some()[2:], Crew(Rehearsal(), Ledger(out / "ledger.sqlite")), SETTINGS, out).kept == 1


_KILLED = """
import signal
import sys
from pathlib import Path
from workgym.engine import Crew, Settings, run
from workgym.models import Ledger
from workgym.testing.rehearsal import Rehearsal, intents

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test that runs in the background ignores it
out, log = Path(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
class Noted(Rehearsal):
    def complete(self, request):
        log.write(request.key + "\\n")
        return super().complete(request)
made = intents(8)
run([made[number] for number in (0, 5, 7)], Crew(Noted(), Ledger(out / "ledger.sqlite")),
    Settings(at_once=2, plan_rounds=2, desk=False), out)
print("whole")
"""


def test_killed_at_any_moment_it_comes_to_the_same(
    whole: tuple[Path, Summary, Rehearsal], tmp_path: Path, full_size: bool
) -> None:
    """Kill -9 at random moments, then once to the end."""
    out, log, rng = tmp_path / "out", tmp_path / "asked.txt", random.Random(6)
    kills = 0
    while True:
        run_on = subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(out), str(log)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        patience = rng.uniform(0.5, 6.0) if kills < (30 if full_size else 2) else 600
        try:
            said, _ = run_on.communicate(timeout=patience)
            assert said == "whole\n", "it ended, and not by a kill"
            break
        except subprocess.TimeoutExpired:
            os.killpg(run_on.pid, signal.SIGKILL)
            run_on.communicate()
            kills += 1
    asked = Counter(log.read_text().split())
    spent = Ledger(out / "ledger.sqlite").spent()
    assert set(asked) == set(whole[2].requests)
    assert spent.calls == len(asked)
    assert sum(asked.values()) - len(asked) == spent.repeats <= 2 * kills
    assert content(out) == content(whole[0])
    print(f"{kills} kills, {len(asked)} calls, {spent.repeats} repeated")


def test_an_interrupt_ends_it_between_two_calls(tmp_path: Path) -> None:
    out, log = tmp_path / "out", tmp_path / "asked.txt"
    running = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(out), str(log)], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not log.exists() or not log.read_text():
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert said.rstrip().endswith("KeyboardInterrupt") and (out / "factory.jsonl").exists()


def test_the_command(
    whole: tuple[Path, Summary, Rehearsal], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same by the command line, with the replies as a cassette."""
    from workgym.intents import Library
    from workgym.intents.reviewing import review

    out, summary, _ = whole
    intent, library = some()[1], Library(tmp_path / "intents")
    library.add(intent, review(Rehearsal(), intent))
    settings = tmp_path / "settings.yaml"
    settings.write_text("plan_rounds: 2\ndesk: false\n")
    spec = f"recorded:{out / 'ledger.sqlite'}?name=rehearsal&structured=schema"
    command = ["build", "--author", "model", "--intents", str(library.folder), "--model", spec, "--json"]
    code = main([*command, "--settings", str(settings), "-o", str(tmp_path / "out")])
    printed = json.loads(capsys.readouterr().out)
    assert (code, printed["tasks"], printed["waiting"]) == (0, 1, 0)
    assert [FactoryEntry.model_validate(entry) for entry in printed["entries"]] == [summary.entries[1]]
    tasks = {path: digest for path, digest in content(tmp_path / "out").items() if path.startswith("tasks")}
    assert tasks.items() <= content(out).items()
    other = Library(tmp_path / "others")
    other.add(some()[0], review(Rehearsal(), some()[0]))
    command = ["build", "--author", "model", "--intents", str(other.folder), "--model", spec]
    assert main([*command, "--settings", str(settings), "-o", str(tmp_path / "none")]) == 0
    assert f"why a task was dropped: {tmp_path}/none/work/<task>/why.txt" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["supplier-selection", "--model", "scripted:x"], "plans from intents"),
        ([], "a model has to plan"),
        (["--crew", "nothing.yaml"], "nothing.yaml: No such file"),
        (["--at-once", "0"], "at least one"),
    ],
)
def test_wrong_use(arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["build", "--author", "model", *arguments, "-o", str(tmp_path / "out")])
    assert code == 2 and says in capsys.readouterr().err


class Halting(Rehearsal):
    """Its verifier's first scripts stop, ``often`` times."""

    def __init__(self, often: int) -> None:
        super().__init__()
        self.often, self.told = often, list[str]()

    def complete(self, request: ModelRequest) -> ModelReply:
        reply = super().complete(request)
        if "def expected(desk)" not in reply.text:
            return reply
        self.told.append(str(request.messages[-1]))
        script = "```python\ndef expected(desk):\n    raise Blocked('the rate of the lease')\n```"
        return reply if len(self.told) > self.often else reply.model_copy(update={"blocks": (TextBlock(text=script),)})


@pytest.mark.parametrize(("often", "ends"), [(1, "passed"), (2, "dropped")])
def test_a_verifier_that_stops_is_told_and_asked_once_more(often: int, ends: str, tmp_path: Path) -> None:
    model = Halting(often)
    settings = SETTINGS.model_copy(update={"measure": False})
    (entry,) = run(intents(2)[1:], Crew(model, Ledger(tmp_path / "ledger.sqlite")), settings, tmp_path).entries
    (verified,) = (one for one in entry.stages if one.stage == "verifier")
    assert (verified.outcome, verified.rounds) == (ends, 2)
    assert len(model.told) == 2 and "for want of a premise: the rate of the lease" in model.told[1]


def test_the_baseline_is_measured_and_not_repaired(tmp_path: Path) -> None:
    summary = made(tmp_path, Rehearsal(), settings=SETTINGS.model_copy(update={"conditions": ("direct",)}))
    for entry in summary.entries:
        skipped = {one.stage for one in entry.stages if one.outcome == "skipped"}
        assert entry.kept and skipped == {"solution", "verifier", "repair", "measure"}
        assert entry.repair is None, "nobody asked whether it needed one"
        assert [(one.when, one.held_out) for one in entry.probes] == [("before repair", False)]
        assert entry.package is not None and load(tmp_path / entry.package).hidden.origin.condition == "direct"
    assert summary.kept == 0 and not (tmp_path / "tasks").exists()


class Overlooks(Rehearsal):
    """Its diagnosis misses a floor area, in words that stand on no line, though the area is in a workbook."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """As in a rehearsal, but for the diagnosis."""
        reply = super().complete(request)
        if request.reply_schema is None or request.reply_schema.name != "Diagnosis":
            return reply
        ground = {"call": 0, "source": "request.md", "quote": "what each tenant still owes"}
        ground["missing"] = "Bluebell Dental floor let"
        told = {"what": "No area.", "blocks": "its share", "defect": "broken derivation", "grounds": [ground]}
        text = json.dumps({"seen": "The request.", "problems": [{"seen": "The request, call 0.", **told}]})
        return ModelReply(blocks=(TextBlock(text=text),), usage=reply.usage, model=self.name)


def test_what_the_graph_shows_mistaken_goes_to_no_reviser_and_is_measured_all_the_same(tmp_path: Path) -> None:
    model, settings = Overlooks(), Settings(desk=False, verifier=False)
    line = Line(intents(2)[1], "planned", Crew(model, Ledger(":memory:")), settings, tmp_path / "work", tmp_path)
    entry, _ = line.run()
    assert entry.kept and entry.repair is not None and entry.repair.outcome == "not needed"
    (mistaken,) = entry.repair.mistaken
    assert "No area." in mistaken and "tenant[Bluebell Dental].area stands in leases/floor_areas.xlsx" in mistaken
    assert model.asked["Proposal"] == 0 and model.asked["Rulings"] == 2
    first, measured = (load_report(tmp_path / "work" / name) for name in ("probe-0", "measure"))
    assert first.hard and measured.hard and measured.held_out
