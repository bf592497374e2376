"""A family whose premises stand on the web: built, kept, changed, solved and run again."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

import workgym
from workgym.check import check
from workgym.check.sufficiency import cells, change, removal
from workgym.env import OfficeEnv
from workgym.errors import MutationError, PackageError
from workgym.mutation import Contradict, Revision, SetCell, Withhold, apply, violations
from workgym.package import TaskPackage, load, save, view
from workgym.package.apart import assembled
from workgym.records import Cell, WebAccess
from workgym.rollout import rollout
from workgym.testing.family_suite import random_edits, trap_rewards
from workgym.verify import grade
from workgym.viewer import graph_svg
from workgym.viewer.graph import BOXES, COLUMN, LINES, WIDTH

Build = Callable[..., TaskPackage]
RATE = Cell(unit="rate", key=(), column="eur")
NOTICE, GLANCE = "bank.example/rates/franc.html", "bank.example/index.html"
STUDENTS = WebAccess(search_failures=0.22, fetch_failures=0.48)
"""The worst rates that were measured."""


def test_a_task_is_built_with_its_site_and_passes_its_checks(imports: TaskPackage, home: Path, build: Build) -> None:
    report = check(imports, trusted=True)
    assert report.passed and "external" in report.ran
    assert build(home).digest == imports.digest != build(home, 2).digest
    assert imports.files.keys() == {"quotes/quotation.csv", "policies/purchasing_policy.docx"}
    graph = imports.hidden.graph
    assert {c.path for c in graph.carriers if c.kind == "external"} == set(imports.external)
    located = {binding.carrier: binding.visible for binding in graph.bindings if binding.unit == "rate"}
    assert located == {NOTICE: True, GLANCE: True}
    dates = {card.path: card.published for card in imports.pages}
    assert str(dates[NOTICE]) > str(dates["bank.example/archive/franc.html"]) > "2026"
    assert {card.state for card in imports.pages} == {"live", "dead", "moved"}


def test_a_package_keeps_its_site(imports: TaskPackage, tmp_path: Path) -> None:
    folder = save(imports, tmp_path / "task")
    again = load(folder)
    assert again.digest == imports.digest
    assert (again.external, again.pages) == (imports.external, imports.pages)
    assert f"external/{NOTICE}" in again.card.digests and "external/index.json" in again.card.digests
    assert check(again).passed, "in a limited child, too"
    assert not (folder / "files" / "bank.example").exists()


def _respell(site: Path, key: str, value: str) -> None:
    cards = json.loads((site / "index.json").read_text())
    (site / "index.json").write_text(json.dumps([cards[0] | {key: value}, *cards[1:]]))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda site: (site / NOTICE).write_text("<title>x</title>"), "was changed"),
        (lambda site: (site / NOTICE).unlink(), "is missing"),
        (lambda site: (site / "more.html").write_text("x"), "is not listed"),
        (lambda site: (site / "index.json").write_text("[]"), "was changed"),
        (lambda site: (site / "index.json").unlink(), "index.json: no such file"),
        (lambda site: (site / "index.json").write_text('[{"path": "x"}]'), "index.json: title: Field required"),
        (lambda site: _respell(site, "title", "x" * 400), "index.json: title: String should have at most 300"),
        (lambda site: _respell(site, "published", "2026-01-01\n" * 9), "index.json: published: String should match"),
        (lambda site: _respell(site, "state", "asleep"), "index.json: state: Input should be 'live'"),
        (lambda site: (site / "link.html").symlink_to("/etc/passwd"), "is not a regular file"),
    ],
)
def test_a_damaged_site_is_refused(
    imports: TaskPackage, tmp_path: Path, spoil: Callable[[Path], object], says: str
) -> None:
    folder = save(imports, tmp_path / "task")
    spoil(folder / "external")
    with pytest.raises(PackageError, match="external.*" + says.replace("[", r"\[")):
        load(folder)


@pytest.mark.parametrize(
    ("path", "says"),
    [("etc/passwd", "is no page of an offline site"), ("quotes/quotation.csv", "is no page of an offline site")],
)
def test_what_is_no_page_is_refused(imports: TaskPackage, tmp_path: Path, path: str, says: str) -> None:
    card = imports.pages[0].model_copy(update={"path": path})
    odd = imports.with_external({**imports.external, path: b"x"}, (*imports.pages, card))
    with pytest.raises(PackageError, match=says):
        load(save(odd, tmp_path / "task"))


def test_a_page_and_a_file_of_one_path_and_a_page_listed_twice_are_refused(
    imports: TaskPackage, tmp_path: Path
) -> None:
    with pytest.raises(PackageError, match="is a file of the workspace, too"):
        load(save(imports.with_files({**imports.files, NOTICE: b"x"}), tmp_path / "one"))
    with pytest.raises(PackageError, match="a page is listed twice"):
        load(save(imports.with_external(imports.external, (*imports.pages, imports.pages[0])), tmp_path / "two"))


def test_a_solvers_view_has_what_can_be_fetched_and_a_probe_nothing_hidden(imports: TaskPackage) -> None:
    seen = view(imports)
    assert seen.external["https://bank.example/"] == imports.external[GLANCE]
    assert "https://trade-notes.example/franc-and-metal" not in seen.external
    assert "https://customs.example/metal" not in seen.external


@pytest.mark.parametrize("web", [None, STUDENTS])
def test_the_expert_solves_it_by_the_web_tools(imports: TaskPackage, tmp_path: Path, web: WebAccess | None) -> None:
    result = rollout(imports, "expert", web=web, out=tmp_path / "run", seed=2)
    assert (result.end, result.reward, result.error) == ("closed", 1.0, None)
    report = workgym.replay(tmp_path / "run", package=imports)
    assert report.exact and report.complete
    kept = json.loads((tmp_path / "run" / "events.jsonl").read_text().splitlines()[0])
    assert kept["web"] == {**(web or WebAccess()).model_dump(), "ranking": 2}


def test_whoever_takes_an_outdated_page_is_wrong(imports: TaskPackage) -> None:
    assert set(trap_rewards(imports).values()) == {0.0}


def test_the_expert_rests_on_what_stands_on_the_web(imports: TaskPackage) -> None:
    outside = [cell for cell in cells(imports) if imports.hidden.graph.unit(cell.unit).status == "external"]
    assert {cell.unit for cell in outside} == {"rate", "duty"}
    for cell in outside:
        assert (trial := removal(imports, cell)).ok, trial
        changed = change(imports, cell, random.Random(1))
        assert changed is not None and changed.ok, changed


def test_withholding_empties_every_page_and_a_repair_fills_it_again(imports: TaskPackage) -> None:
    spoiled = apply(imports, Revision(purpose="inject", why="x", edits=(Withhold(cell=RATE),)))
    assert {path for path in imports.external if spoiled.external[path] != imports.external[path]} == {NOTICE, GLANCE}
    assert spoiled.files == imports.files
    assert not check(spoiled, trusted=True).passed
    value = str(imports.truth("rate").rows[0][0])
    mended = apply(spoiled, Revision(purpose="repair", why="y", edits=(SetCell(cell=RATE, value=value),)))
    assert (mended.external, mended.pages) == (imports.external, imports.pages)
    assert check(mended, trusted=True).passed and len(mended.hidden.history) == 2


def test_a_contradiction_on_a_page_is_found_by_checks_and_expert(imports: TaskPackage) -> None:
    one = Contradict(cell=RATE, value="0.5", path=NOTICE)
    spoiled = apply(imports, Revision(purpose="inject", why="x", edits=(one,)))
    assert spoiled.external[GLANCE] == imports.external[GLANCE] and b"0.5" in spoiled.external[NOTICE]
    hard = [finding for finding in check(spoiled, trusted=True).findings if finding.severity == "hard"]
    assert ("presence", "rate", NOTICE, "cross-file inconsistency") in {
        (finding.check, finding.unit, finding.path, finding.defect) for finding in hard
    }
    blocked = rollout(spoiled, "expert").blocked
    assert blocked is not None and "the rate differs between https://bank.example/" in blocked["what"]
    with pytest.raises(MutationError, match="does not stand in"):
        apply(imports, Revision(purpose="inject", why="x", edits=(one.model_copy(update={"path": "nowhere"}),)))


def test_a_repair_may_not_change_which_pages_there_are(imports: TaskPackage) -> None:
    fewer = {path: content for path, content in imports.external.items() if path != GLANCE}
    changed = imports.with_external(fewer, (card for card in imports.pages if card.path != GLANCE))
    assert list(violations(imports, changed)) == [f"the files are no longer the same: {GLANCE}"]


def test_a_change_in_mid_task_shows_on_the_page_and_leaves_the_workspace_alone(
    imports: TaskPackage, tmp_path: Path
) -> None:
    env = OfficeEnv(package=imports, out=tmp_path / "run")
    env.reset(seed=1)
    fetch = {"tool": "web_fetch", "arguments": {"url": "https://bank.example/rates/franc"}}
    before, workspace = env.step(fetch)[0]["text"], env.workspace
    env.mutate(Revision(purpose="user", why="a new rate", edits=(SetCell(cell=RATE, value="0.8123"),)))
    after = env.step(fetch)[0]["text"]
    assert "0.8123" in after and "0.8123" not in before
    assert env.workspace == workspace and env.changes == ()
    assert env.package.truth("rate").rows == ((Decimal("0.8123"),),)
    find = "find / -not -path '/proc/*' \\( -name 'bank.example*' -o -name 'franc*' \\) 2>/dev/null; echo done"
    listing = env.step({"tool": "bash", "arguments": {"command": find}})[0]["text"]
    assert listing.split()[0] == "done", "the pages are nowhere in the guest"
    env.step({"tool": "submit", "arguments": {}})
    env.close()
    assert workgym.replay(tmp_path / "run", package=imports).exact


def test_random_edits_of_pages_are_seen(imports: TaskPackage) -> None:
    edits = list(random_edits(imports, 40))
    assert {edit.anchor.place.path for edit in edits} & imports.external.keys()
    assert [str(edit) for edit in edits if not edit.caught_by] == []


def test_sources_are_named_by_address_or_title(imports: TaskPackage) -> None:
    files = {**imports.files, **_deliverables(imports)}
    assert grade(imports, files).reward == 1.0
    named = b"Sources: the notice Reference rate for the Swiss franc, and the Customs regulation on metal goods."
    for sources, reward in ((named, 1.0), (b"Sources: the web.", None)):
        verdict = grade(imports, {**files, "memo.docx": _memo(imports, sources.decode())})
        assert verdict.reward == reward if reward else 0.5 < verdict.reward < 1.0


def _deliverables(package: TaskPackage) -> dict[str, bytes]:
    lines = ["Item,Landed cost (EUR)", *(f"{item},{cost}" for item, cost in package.truth("landed").rows)]
    sources = "Sources: https://bank.example/rates/franc and https://customs.example/regulations/metal-goods."
    return {"landed_costs.csv": "\n".join(lines).encode(), "memo.docx": _memo(package, sources)}


def _memo(package: TaskPackage, sources: str) -> bytes:
    import io

    import docx

    word, out = docx.Document(), io.BytesIO()
    word.add_paragraph(f"The total landed cost is EUR {package.truth('total').rows[0][0]:,.2f}.")
    word.add_paragraph(sources)
    word.save(out)
    return out.getvalue()


def test_a_strangers_task_is_written_in_a_child_with_its_site(imports: TaskPackage) -> None:
    hidden = imports.hidden
    given = {name: rows for name, rows in hidden.values.items() if hidden.graph.unit(name).status != "derived"}
    values, made = assembled(hidden.graph, given, hidden.plan)
    assert (made.external, made.pages, made.files) == (imports.external, imports.pages, imports.files)
    assert values["total"].rows == imports.truth("total").rows


def test_pages_are_drawn_as_carriers(imports: TaskPackage) -> None:
    drawn = graph_svg(imports)
    assert "web · bank.example/rates" in drawn and f"<title>{NOTICE}</title>" in drawn


def test_a_picture_stands_alone_and_no_edge_jumps_a_column(imports: TaskPackage) -> None:
    drawn = graph_svg(imports)
    assert "var(" not in drawn and "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert all(f">{text}</text>" in drawn for text in (*BOXES.values(), *LINES.values()))
    curves = re.findall(r'd="M(\d+) \d+C\d+ \d+ \d+ \d+ (\d+) \d+"', drawn)
    assert curves and {int(end) - int(start) for start, end in curves} == {COLUMN - WIDTH}
