"""A factory's folder of known numbers: every figure of the report, the page, the card, and what is missing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pydantic import ValidationError

from workgym.cli import main
from workgym.corpus.hygiene import Report as Comparison
from workgym.corpus.hygiene import Settings
from workgym.errors import UsageError
from workgym.evaluate import CorpusReport, card, report
from workgym.evaluate.costs import costs
from workgym.evaluate.published import CONDITIONS, DEFECTS, DIRECT, PLANNED, REPAIRED
from workgym.probe.model import ProbeReport
from workgym.probe.run import save
from workgym.records.factory import FactoryEntry
from workgym.viewer.corpus import page

from . import factory_folder as made

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.fill(tmp_path_factory.mktemp("factory"))


@pytest.fixture(scope="module")
def found(folder: Path) -> CorpusReport:
    return report(folder)


def test_the_table_of_defects_is_what_was_planted(found: CorpusReport) -> None:
    planted = {DIRECT: (made.DIRECT, 40), PLANNED: (made.PLANNED, 36), REPAIRED: (made.REPAIRED, 30)}
    rows = {row.defect: row for row in found.defects.rows}
    assert list(rows) == [*DEFECTS, "any defect", "at least one hard defect"]
    for name, (counts, of) in planted.items():
        for defect, (some, hard) in counts.items():
            assert (rows[defect].rates[name].hits, rows[defect].rates[name].of) == (some, of)
            assert rows[defect].hard[name].hits == hard
        assert rows["any defect"].rates[name].hits == max(some for some, _ in counts.values())
        assert rows["at least one hard defect"].rates[name].hits == max(hard for _, hard in counts.values())
    zero = rows["request under-specification"].rates[REPAIRED]
    assert zero.value == 0.0 and zero.low == 0.0 and zero.high == pytest.approx(1 - 0.05 ** (1 / 30), abs=1e-9)
    some = rows["cross-file inconsistency"].rates[DIRECT]  # Wilson's interval of 12 in 40
    assert (some.low, some.high) == (pytest.approx(0.1807, abs=5e-4), pytest.approx(0.4543, abs=5e-4))


def test_what_counts_is_told(found: CorpusReport) -> None:
    basis = {name: (one.entries, one.reached, one.measured) for name, one in found.defects.conditions.items()}
    assert basis == {DIRECT: (40, 40, 40), PLANNED: (40, 36, 36), REPAIRED: (40, 32, 30)}
    assert found.defects.conditions[REPAIRED].probes == ("react, prober-1; diagnosed by diagnoser-1",)
    assert found.alike is not None
    assert [found.alike.conditions[name].measured for name in CONDITIONS] == [30, 30, 30]
    assert found.alike.rows[0].rates[DIRECT].hits == 10


def test_probes_that_decided_or_saw_the_graph_measure_nothing(tmp_path: Path) -> None:
    out = made.fill(tmp_path / "out")
    journal = out / "factory.jsonl"
    entries = [FactoryEntry.model_validate_json(line) for line in journal.read_text().splitlines()[:-1]]

    def without(entry: FactoryEntry) -> FactoryEntry:
        runs = [
            run.model_copy(update={"held_out": False, "with_graph": run.when == "before repair"})
            for run in entry.probes
        ]
        return entry.model_copy(update={"probes": tuple(runs)})

    journal.write_text("".join(without(entry).model_dump_json() + "\n" for entry in entries))
    told = report(out)
    assert [told.defects.conditions[name].measured for name in CONDITIONS] == [0, 0, 0]
    assert all(rate.value is None for row in told.defects.rows for rate in row.rates.values())
    assert "not measured" in page(told) and "Not measured" in card(told)


def test_the_funnel(found: CorpusReport) -> None:
    direct, planned = found.funnels
    assert (direct.kept, planned.kept) == (40, 32)
    steps = {step.stage: step for step in planned.steps}
    assert list(steps) == ["plan", "checks", "solution", "verifier", "probe", "repair", "measure"]
    assert (steps["plan"].reached, steps["plan"].passed, steps["plan"].rounds) == (40, 37, 36 * 2 + 1 + 1 + 16)
    assert steps["plan"].dropped == {"compile: cycle": 1, "compile: literal in a derived query": 1}
    assert steps["plan"].stopped == {"budget spent": 1}
    assert steps["solution"].dropped == {"disagreement of the builder": 1}
    assert (steps["repair"].reached, steps["repair"].dropped) == (36, {"no repair accepted": 4})
    for earlier, later in zip(planned.steps, planned.steps[1:], strict=False):
        assert later.reached == earlier.passed
    did = found.repairs
    assert (did.looked_at, did.not_needed, did.accepted, did.discarded, did.proposed) == (36, 24, 8, 4, 20)
    assert did.refused == {"contract": 8, "checks": 4}
    assert did.classes == {"executability defect": 8, "cross-file inconsistency": 4}
    assert did.mistaken == 1 and "the graph shows mistaken: 1;" in page(found)


def test_what_was_lost_before_and_after(found: CorpusReport) -> None:
    assert found.library is not None
    step = found.library.step
    assert (step.reached, step.passed, step.dropped) == (
        *(5, 2),
        {"a near-duplicate": 1, "nothing came of it": 1, "the review": 1},
    )
    assert found.library.short == {"coherence": 1, "fit": 1, "plausibility": 1}
    (selected,) = found.selections
    assert (selected.trajectories, selected.kept, selected.path) == (6, 4, "selected/selection.jsonl")
    assert [(one.stage, one.reached, one.passed) for one in selected.steps] == [("outcome", 6, 4)]
    text = page(found)
    assert "2 of 5 candidates were admitted" in text and "4 of 6 were selected" in text


def test_behaviour(found: CorpusReport) -> None:
    (group,) = found.behaviour
    assert (group.harness, group.model, group.use, group.episodes) == ("stirrup-style", "teacher-1", "rollouts", 4)
    assert (group.mean_turns, group.median_turns, group.longest) == (len(made.CALLS), 40, 40)
    assert group.mean_tokens == (2500 + 3500 + 4500) / 3  # one of the four was not counted
    assert (group.limit_hit.hits, group.limit_hit.of, group.solved.hits) == (1, 4, 3)
    counts = {kind: (rate.hits, rate.of) for kind, rate in group.failures.items()}
    assert counts == {"code": (8, 80), "search": (4, 20), "fetch": (8, 20), "other": (0, 40)}


def test_costs_are_sums_and_an_unknown_price_is_null(found: CorpusReport) -> None:
    there = found.costs
    stages = {one.stage: (one.calls, one.stored, one.prompt, one.usd) for one in there.stages}
    assert stages == {"plan": (2, 1, 2000, 0.006), "probe": (1, 0, 1000, None)}
    assert there.usd is None and there.unpriced == ("prober-1",)
    planned, direct = there.by_condition["planned"], there.by_condition["direct"]
    assert planned.usd == pytest.approx(40 * 0.005) and planned.usd_each == pytest.approx(0.2 / 32)
    assert planned.tokens == 400_000 and planned.calls_each == 2.5
    assert direct.usd is None and direct.usd_each is None and direct.uncounted == 40


def test_intents_are_in_the_cost_of_a_task_where_a_ledger_tells(found: CorpusReport, folder: Path) -> None:
    assert found.costs.intents is None and "What their intents took is not in it" in page(found)
    entries = [
        FactoryEntry.model_validate_json(line) for line in (folder / "factory.jsonl").read_text().splitlines()[:-1]
    ]
    ledger = folder.parent / "intents.sqlite"
    made.write_ledger(ledger, [("builder-1", "intent", 8_000_000)])
    with_intents = costs([ledger], entries)
    assert with_intents.intents is not None
    assert (with_intents.intents.calls, with_intents.intents.tokens, with_intents.intents.usd) == (1, 1100, 0.008)
    planned, before = with_intents.by_condition["planned"], found.costs.by_condition["planned"]
    assert (planned.calls, planned.tokens) == (before.calls + 1, before.tokens + 1100)
    assert planned.usd == pytest.approx(0.208) and planned.tokens_each == pytest.approx(planned.tokens / 32)
    assert with_intents.by_condition["direct"].usd is None
    assert "1,100 tokens for candidates and reviews" in card(found.model_copy(update={"costs": with_intents}))


def test_an_entry_of_before_is_read_without_what_nothing_filled() -> None:
    entry = {"intent": "i", "condition": "planned", "stages": [{"stage": "plan", "outcome": "passed"}], "rollouts": []}
    assert FactoryEntry.model_validate(entry | {"selected": []}).intent == "i"
    with pytest.raises(ValidationError, match="rollouts"):
        FactoryEntry.model_validate(entry | {"rollouts": ["x"]})


def test_the_corpus(found: CorpusReport) -> None:
    there = found.composition
    assert (there.tasks, found.works.distinct, found.works.largest) == (5, 2, 3)
    assert there.authors == {"model builder-1 (planned)": 5} and there.probed_by == {"prober-1": 5}
    assert there.occupations == {"13-1023": 3, "43-3051": 2} and there.outside_soc == 0
    assert {one.level: one.covered for one in there.coverage.levels}["major"] == 2
    assert sum(there.formats.values()) == there.files.total and there.deliverables == {"docx": 5, "xlsx": 5}
    assert found.hygiene is None and found.unread == {}
    assert CorpusReport.model_validate_json(found.model_dump_json()) == found


class Strict(HTMLParser):
    """Refuses what is not closed in its order, and collects tags and addresses."""

    VOID = frozenset(("meta", "br", "link"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_file_without_scripts_and_all_is_escaped(found: CorpusReport) -> None:
    spoilt = json.loads(found.model_dump_json().replace("compile: cycle", "<script>alert(1)</script>&'"))
    spoilt["composition"]["authors"] = {"<img src=x>": 5}
    text = page(CorpusReport.model_validate(spoilt))
    parser = Strict()
    parser.feed(text)
    assert parser.open == [] and not {"script", "img", "link", "iframe"} & parser.tags
    assert all(address.startswith("#") for address in parser.addresses) and "url(" not in text
    ids = set(re.findall(r"id='([\w-]+)'", text))
    assert {address[1:] for address in parser.addresses} <= ids
    assert "&lt;script&gt;alert(1)" in text and "prefers-color-scheme:dark" in text and "@media print" in text
    for told in ("published 24.86%", "12 of 40, 5 hard", "at most 9.5%", "+1.18 points against direct", "not known"):
        assert told in text
    assert "qualified professional" in text


def test_limit_hits_and_failures_stand_with_their_intervals(found: CorpusReport) -> None:
    text = page(found)
    part = text[text.index("<section id='behaviour'>") : text.index("<section id='cost'>")]
    (group,) = found.behaviour
    shown = (group.limit_hit, group.solved, *group.failures.values())
    assert [each.interval for each in shown] == re.findall(r"<em>(.*?)</em>", part)
    assert re.findall(r"<span>(\d+ of \d+)</span>", part) == [f"{each.hits} of {each.of}" for each in shown]
    assert part.count("class='bar'") == 6


@pytest.mark.skipif(CHROMIUM is None, reason="NOT CHECKED: no Chromium on this machine (apt-get install chromium)")
def test_a_browser_prints_it(found: CorpusReport, tmp_path: Path) -> None:
    import pypdfium2

    (tmp_path / "page.html").write_text(page(found), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --no-pdf-header-footer"
    )
    command = [str(CHROMIUM), *flags.split(), f"--user-data-dir={tmp_path / 'home'}"]
    made_of = f"--print-to-pdf={tmp_path / 'page.pdf'}"
    subprocess.run([*command, made_of, (tmp_path / "page.html").as_uri()], check=True, capture_output=True, timeout=120)
    document = pypdfium2.PdfDocument(tmp_path / "page.pdf")
    pages = [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
    document.close()
    text = " ".join(" ".join(pages).split())
    assert 2 <= len(pages) <= 12 and all(page.strip() for page in pages)
    for told in ("broken derivation", "12 of 40, 5 hard", "planned + repair", "Use and limits", "Made up"):
        assert told in text


def test_the_card_says_what_it_must(found: CorpusReport) -> None:
    text = card(found)
    for told in (
        *("5 tasks, 2 distinct pieces of work", "SOC 2018: 2 of 23 major", "| xlsx |", "model builder-1", "Apache-2.0"),
        *("workgym canary", "NOT COMPARED", "| broken derivation | 25.0% (14.2% to 40.2%) |", "compile: cycle: 1"),
        *("does not replace the review of a qualified professional", "not known", "## Limits"),
    ):
        assert told in text
    widths = [line.count(" | ") for line in text.splitlines() if line.startswith("|")]
    assert len(widths) > 40


def test_the_command_writes_all_and_says_what_it_could_not_read(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    assert main(["report", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["composition"]["tasks"] == 5 and len(told["written"]) == 3
    written = json.loads((out / "report/report.json").read_text())
    assert written["defects"] == told["defects"]
    assert (out / "report/card.md").read_text().startswith("# Data card: out\n")
    (out / "work/i-000000000000.direct/probe-0/probe.json").write_text("{}")
    broken = min((out / "tasks").iterdir())
    (broken / "task.yaml").write_text("id: [")
    (out / "rollouts/task-1/teacher-0/events.jsonl").write_text("nothing\n")
    assert main(["report", str(out), "-o", str(tmp_path / "r"), "--card", str(tmp_path / "card.md")]) == 1
    said = capsys.readouterr().out
    assert said.count("NOT READ: ") == 3 and "11 of 39" in said
    assert (tmp_path / "card.md").is_file() and "What could not be read" in (tmp_path / "r/report.html").read_text()


def test_a_plain_folder_has_a_report_and_an_empty_one_has_none(folder: Path, tmp_path: Path) -> None:
    plain = report(folder / "tasks")
    assert plain.composition.tasks == 5 and plain.intents == 0 and plain.funnels == () and plain.costs.stages == ()
    assert "No journal of a factory is there." in page(plain)
    only = report(folder / "rollouts")
    assert only.composition.tasks == 0 and only.behaviour[0].episodes == 4 and "No package is there." in page(only)
    (tmp_path / "nothing").mkdir()
    for wrong, says in ((tmp_path / "nothing", "neither a package"), (tmp_path / "gone", "not a folder")):
        with pytest.raises(UsageError, match=says):
            report(wrong)


def test_probes_that_were_made_by_hand_have_the_table_too(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder / "tasks", out / "tasks")
    tasks = sorted((out / "tasks").iterdir())
    ids = [f"workfactory/{path.name}" for path in tasks]
    told = ProbeReport.model_validate_json((folder / "work/i-000000000000.direct/probe-0/probe.json").read_bytes())
    one, two = ids[:2]
    made_of = [(one, "old", False), (one, "new", False), (one, "new", True), (two, "x", False), ("gone", "x", True)]
    for number, (task_id, state, held) in enumerate(made_of):
        probe = told.model_copy(update={"task_id": task_id, "package": state, "held_out": held})
        probe = probe.model_copy(update={"problems": ()}) if state == "new" else probe
        save(probe, out / "probes" / str(number))
    (tasks[0] / "hidden/history").mkdir()
    (tasks[0] / "hidden/history/001.json").write_text('{"before": "old", "after": "new"}')
    found = report(out)
    hard = found.defects.rows[-1].rates
    assert {name: (hard[name].hits, hard[name].of) for name in CONDITIONS} == {
        DIRECT: (0, 0),
        PLANNED: (2, 2),
        REPAIRED: (0, 1),
    }
    assert found.funnels == () and found.intents == 0


def test_tables_that_were_not_compared_are_named_on_the_page_and_the_card(found: CorpusReport) -> None:
    unread = {"eval/a.json": "it has no column that is known to hold requests, but foo<b>, id: name it"}
    sizes = {f"{side} {what}": 2 for side in ("ours", "theirs") for what in ("requests", "files", "texts", "rows")}
    there = Comparison(
        ours="o", theirs="eval", settings=Settings(), tasks=2, compared=sizes, counts={}, unread_requests=unread
    )
    told = found.model_copy(update={"hygiene": there})
    for text in (page(told), card(told)):
        assert "eval/a.json" in text and "but foo&lt;b" in text and "not clean" in text.lower()
        assert "nothing was reused" not in text.lower()


def test_a_damaged_journal_or_comparison_is_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    (out / "hygiene.json").write_text("{}")
    with pytest.raises(UsageError, match="hygiene.json: not what workgym check"):
        report(out)
    lines = (out / "factory.jsonl").read_text().splitlines()
    (out / "factory.jsonl").write_text("\n".join([lines[0], lines[1].replace('"planned"', '"x"'), '{"intent": 7}', ""]))
    with pytest.raises(UsageError, match=r"factory.jsonl:3: (intent|condition|stages)"):
        report(out)
