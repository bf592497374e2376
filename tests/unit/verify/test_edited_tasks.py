"""A task with a form to fill in, a log to extend, minutes to complete: built, solved, graded, changed by its user."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from workgym.authoring import blueprint, families
from workgym.check import check
from workgym.env import OfficeEnv
from workgym.errors import BlueprintError
from workgym.mutation import Revision, SetCell
from workgym.package import TaskPackage, load, save
from workgym.quality import Sound, sound
from workgym.records import Cell, ToolSpec
from workgym.replay import replay, task_of
from workgym.testing import DummySandbox
from workgym.testing.family_suite import checks_pass, controls_hold, independent
from workgym.trajectory import Trajectory
from workgym.user import ScriptedUser, UserTurn
from workgym.verify import Verdict, grade

SHELF = Path(__file__).parent / "shelf"
NAME = "claims-review"
FORM, LOG, MINUTES, MEMO = "forms/claim_form.xlsx", "ledger/postings.csv", "notes/minutes.md", "memo.docx"
Book = openpyxl.Workbook
Change = Callable[[Book], None]


@pytest.fixture(scope="module", autouse=True)
def shelf() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKGYM_PATH", str(SHELF))
        yield


@pytest.fixture(scope="module")
def done(shelf: Any) -> Sound:
    return sound(families.build(NAME, "small", 1))


def form(content: bytes, change: Change) -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(content))
    change(book)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def graded(done: Sound, **changed: bytes | None) -> Verdict:
    names = {"form": FORM, "log": LOG, "minutes": MINUTES, "memo": MEMO}
    files = {**done.files, **{names[name]: content for name, content in changed.items()}}
    return grade(done.package, {path: content for path, content in files.items() if content is not None})


def damage(verdict: Verdict) -> list[tuple[str | None, str | None, str | None]]:
    return [(check.place, check.expected, check.found) for check in verdict.failed() if check.place]


def test_the_family_conforms() -> None:
    assert list(checks_pass(NAME, "small", range(4))) == []
    assert list(controls_hold(NAME, "small", [1])) == []
    assert list(independent(NAME, "small", [2], most=2)) == []


def test_the_package_keeps_its_areas_and_its_digest(done: Sound, tmp_path: Path) -> None:
    save(done.package, tmp_path / "task")
    again = load(tmp_path / "task")
    assert again.digest == done.package.digest
    assert next(one.edits for one in again.hidden.graph.deliverables) == ("Claims![Approved (EUR)]", "Claims![Remark]")
    assert [carrier.kind for carrier in again.hidden.graph.carriers if carrier.path == FORM] == ["reference"]


def test_the_right_files_pass_with_a_guard_of_their_own(done: Sound) -> None:
    assert (done.verdict.state, done.verdict.reward) == ("passed", 1.0)
    assert done.verdict.scores.guards == {"inputs": 1.0, "stray": 1.0, "types": 1.0, "collateral": 1.0}


def test_a_task_without_edited_inputs_has_no_such_guard(work: Any) -> None:
    assert set(grade(work.package, work.files()).scores.guards) == {"inputs", "stray", "types"}


def remark(book: Book) -> None:
    book["Claims"]["E5"] = "receipt missing"


def amount(book: Book) -> None:
    book["Claims"]["C5"] = 1


def total(book: Book) -> None:
    book["Claims"]["C10"] = 4711


def more(book: Book) -> None:
    book.create_sheet("Summary")["A1"] = "All fine"


def less(book: Book) -> None:
    del book["Codes"]


def silent(book: Book) -> None:
    book["Claims"]["A1"].comment = None


@pytest.mark.parametrize(
    ("change", "factor", "place"),
    [
        (remark, 1.0, None),
        (amount, 0.0, "Claims!C5"),
        (total, 0.0, "Claims!C10"),
        (more, 0.0, "Summary"),
        (less, 0.0, "Codes"),
        (silent, 0.5, "Claims!A1.comment"),
    ],
)
def test_a_form_is_filled_in_and_no_more(done: Sound, change: Change, factor: float, place: str | None) -> None:
    verdict = graded(done, form=form(done.files[FORM], change))
    assert (verdict.scores.guards["collateral"], verdict.reward) == (factor, factor)
    assert [found[0] for found in damage(verdict)] == ([place] if place else [])
    assert verdict.scores.guards["inputs"] == 1.0


def test_a_form_that_is_gone_or_broken_is_damage(done: Sound) -> None:
    for content in (None, b"PK\x03\x04 no more"):
        verdict = graded(done, form=content)
        assert (verdict.state, verdict.reward, verdict.scores.guards["collateral"]) == ("failed", 0.0, 0.0)


def test_untouched_files_earn_nothing(done: Sound) -> None:
    verdict = grade(done.package, done.package.files)
    assert verdict.reward == 0.0
    assert {unit.right for unit in verdict.scores.units} == {0}
    assert verdict.scores.guards["collateral"] == 1.0


def test_what_was_given_earns_nothing_and_is_no_row_too_many(done: Sound) -> None:
    lines = done.package.files[LOG].decode().splitlines()
    claims = done.package.truth("approved").rows
    old = "\n".join([lines[0], *(f"{claim},{value},settled" for claim, value in claims)])
    package = done.package.with_files({**done.package.files, LOG: f"{old}\n".encode()})
    verdict = grade(package, {**done.files, LOG: package.files[LOG]})
    (unit,) = [unit for unit in verdict.scores.units if unit.deliverable == LOG]
    assert (unit.right, unit.whole) == (0, True), "the answers stood there before: nothing was appended"


def test_rows_beyond_those_asked_for_are_still_too_many(done: Sound) -> None:
    verdict = graded(done, log=done.files[LOG] + b"999,1.00,settled\n")
    assert [check.name for check in verdict.failed()] == [f"no other rows: approved in {LOG}"]


def test_a_log_that_was_changed_or_cut_is_spoilt(done: Sound) -> None:
    text = done.files[LOG].decode()
    first = text.splitlines()[1]
    for changed in (text.replace(first, first.replace("settled", "open")), text.replace(first + "\n", "")):
        assert graded(done, log=changed.encode()).scores.guards["collateral"] == 0.0


def test_minutes_are_completed_where_that_was_asked_for(done: Sound) -> None:
    said = done.files[MINUTES].decode()
    assert graded(done, minutes=said.replace("The whole team.", "Nobody.").encode()).reward == 0.0
    moved = said.replace("At the usual time.", "At nine.")
    assert damage(graded(done, minutes=moved.encode())) == [("l13", "At the usual time.", "At nine.")]


def memo(*paragraphs: str) -> bytes:
    word = docx.Document()
    for text in paragraphs:
        word.add_heading(text[2:], 1) if text.startswith("# ") else word.add_paragraph(text)
    made = io.BytesIO()
    word.save(made)
    return made.getvalue()


FILLER = ("# Notes", "One.", "Two.", "Three.", "Four.")


@pytest.mark.parametrize(
    ("after", "missing"),
    [
        (("Sources: claim_form.xlsx and Travel Policy.",), None),
        (("From forms/claim_form.xlsx, policies/travel_policy.docx.",), None),
        ((*FILLER, "# Sources", "- Claim form (xlsx)", "- the travel policy of the firm"), None),
        ((*FILLER, "Based on TRAVEL-POLICY and CLAIM_FORM."), None),
        ((), "policies/travel_policy.docx; forms/claim_form.xlsx"),
        (("Sources: travel_policy.docx",), "forms/claim_form.xlsx"),
        (("Sources: postings.csv, minutes.md",), "policies/travel_policy.docx; forms/claim_form.xlsx"),
        (
            (*FILLER, "The claim form is blue. The travel policy is long."),
            "policies/travel_policy.docx; forms/claim_form.xlsx",
        ),
    ],
)
def test_sources_are_named_where_they_are_asked_for(done: Sound, after: tuple[str, ...], missing: str | None) -> None:
    (amount,) = done.package.truth("total").rows[0]
    verdict = graded(done, memo=memo("# Claims", f"The total approved is EUR {amount:,.2f}.", *after))
    (named,) = [check for check in verdict.checks if check.name == f"sources: total in {MEMO}"]
    assert (named.kind, named.found) == ("structure", missing)
    (unit,) = [unit for unit in verdict.scores.units if unit.deliverable == MEMO]
    assert unit.credit == (0.5 if missing else 1.0)


def test_areas_that_are_not_there_are_found_by_the_checks(done: Sound) -> None:
    graph = done.package.hidden.graph
    wrong = tuple(
        one.model_copy(update={"edits": ("Claims![Granted]",)}) if one.path == FORM else one
        for one in graph.deliverables
    )
    package = done.package.with_hidden(graph=graph.model_copy(update={"deliverables": wrong}))
    found = [finding for finding in check(package, trusted=True).findings if finding.check == "areas"]
    assert [(finding.path, finding.expected, finding.severity) for finding in found] == [
        (FORM, "Claims![Granted]", "hard")
    ]


@pytest.mark.parametrize(
    ("old", "new", "marker", "says"),
    [
        ("edits: [+rows]", "edits: [rows]", "edits: [rows]", "is no area of a table"),
        ('    edits: ["Claims![Approved (EUR)]", "Claims![Remark]"]\n', "", FORM + ":", "is one of the carriers"),
        ("  memo.docx:\n", "  memo.docx:\n    edits: [+end]\n", "edits: [+end]", "only a file that is one of"),
        ("cites: [allowance, claim]", "cites: [alowance]", "total: {form: prose, labels", "there is no unit alowance"),
    ],
)
def test_a_family_is_told_file_line_and_key(tmp_path: Path, old: str, new: str, marker: str, says: str) -> None:
    folder = tmp_path / NAME
    shutil.copytree(SHELF / "envs" / NAME, folder)
    text = (folder / "family.yaml").read_text(encoding="utf-8").replace(old, new)
    (folder / "family.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BlueprintError, match=says) as caught:
        family = blueprint.load(folder)
        families.compile_family(family, "small", 1)
    lines = text.splitlines()
    assert marker in lines[(caught.value.line or 0) - 1]


# -- a user who changes something in mid-task ---------------------------------------------------------------------


def write(path: str, content: str) -> dict[str, Any]:
    return {"tool": "write_file", "arguments": {"path": path, "content": content}}


SUBMIT = {"tool": "submit", "arguments": {}}


def played(package: TaskPackage, user: ScriptedUser, *actions: Any, out: Path | None = None) -> Verdict:
    kept: list[Verdict] = []

    def keep(task: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        kept.append(grade(task, files))
        return kept[-1]

    env = OfficeEnv(package=package, sandbox=DummySandbox, grade=keep, user=user, out=out)
    env.reset()
    for action in actions:
        env.step(action)
    env.close()
    return kept[0]


def test_what_a_user_changes_is_not_the_solvers_damage(done: Sound, tmp_path: Path) -> None:
    turn = UserTurn(
        say="I moved the meeting.", files={"policies/note.txt": b"new\n", "policies/travel_policy.docx": None}
    )
    verdict = played(done.package, ScriptedUser([turn]), SUBMIT, SUBMIT, out=tmp_path / "run")
    assert (verdict.scores.guards["inputs"], verdict.scores.guards["stray"]) == (1.0, 1.0)
    recorded = Trajectory.open(tmp_path / "run")
    task = task_of(recorded)
    assert "policies/travel_policy.docx" not in task.files and task.files["policies/note.txt"] == b"new\n"
    assert grade(task, recorded.handed_in(dict(task.files))) == verdict, "graded again from the log"
    assert replay(tmp_path / "run", sandbox=DummySandbox).exact


def test_a_solver_who_changes_what_the_user_wrote_is_blamed(done: Sound) -> None:
    turn = UserTurn(say="A note.", files={"policies/note.txt": b"new\n"})
    verdict = played(done.package, ScriptedUser([turn]), SUBMIT, write("policies/note.txt", "mine\n"), SUBMIT)
    assert verdict.scores.guards["inputs"] == 0.0


def test_a_revision_of_a_live_task_moves_what_inputs_are_compared_with(done: Sound) -> None:
    cell = Cell(unit="allowance", key=(), column="daily")
    revision = Revision(purpose="user", why="a new rate", edits=(SetCell(cell=cell, value="10.00"),))
    turn = UserTurn(say="The daily amount is EUR 10 now.", revision=revision)
    verdict = played(done.package, ScriptedUser([turn]), SUBMIT, SUBMIT)
    assert verdict.scores.guards == {"inputs": 1.0, "stray": 1.0, "types": 1.0, "collateral": 1.0}
    assert verdict.package != done.package.digest, "graded against the revised task"


def test_a_log_that_the_user_hands_back_keeps_what_the_solver_added(done: Sound) -> None:
    log = done.files[LOG].decode()
    first = log.splitlines()[1]
    theirs = log.replace(first, first.replace("settled", "reversed"))
    turn = UserTurn(say="I corrected an old line.", files={LOG: theirs.encode()})
    last = theirs.splitlines()[-1]
    actions = (write(LOG, theirs.replace(last, "wrong")), write(LOG, theirs))
    verdict = played(done.package, ScriptedUser([turn]), write(LOG, log), SUBMIT, *actions, SUBMIT)
    (unit,) = [unit for unit in verdict.scores.units if unit.deliverable == LOG]
    assert (unit.credit, verdict.scores.guards["collateral"]) == (1.0, 1.0)
    again = played(done.package, ScriptedUser([turn]), write(LOG, log), SUBMIT, write(LOG, log), SUBMIT)
    assert again.scores.guards["collateral"] == 0.0, "the correction was undone"


def test_the_solvers_own_deliverable_is_judged_though_the_user_touched_it(done: Sound) -> None:
    turn = UserTurn(say="I tried myself.", files={MEMO: memo("# Draft")})
    verdict = played(done.package, ScriptedUser([turn]), SUBMIT, SUBMIT)
    (unit,) = [unit for unit in verdict.scores.units if unit.deliverable == MEMO]
    assert (unit.right, verdict.scores.guards["inputs"]) == (0, 1.0)


def test_a_revision_of_what_a_form_shows_keeps_what_was_filled_in(done: Sound) -> None:
    claim = done.package.truth("claim").rows[2][0]
    cell = Cell(unit="claim", key=(str(claim),), column="claimed")
    revision = Revision(purpose="user", why="a slip", edits=(SetCell(cell=cell, value="1.00"),))
    turn = UserTurn(say="That claim was for 1 euro.", revision=revision)
    seen: dict[str, bytes] = {}

    def filled(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
        files[FORM] = done.files[FORM]
        return "filled in"

    def keep(task: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        seen.update(files)
        return grade(task, files)

    spec = ToolSpec(name="fill", description="Fills in the form.", input_schema={"type": "object"})
    box = lambda: DummySandbox(extra={"fill": (spec, filled)})  # noqa: E731
    env = OfficeEnv(package=done.package, sandbox=box, grade=keep, user=ScriptedUser([turn]))
    env.reset()
    for action in ({"tool": "fill", "arguments": {}}, SUBMIT, SUBMIT):
        env.step(action)
    env.close()
    assert env.verdict is not None
    scores = env.verdict.record["scores"]
    assert scores["guards"]["collateral"] == 1.0 and scores["guards"]["inputs"] == 1.0
    (unit,) = [unit for unit in scores["units"] if unit["deliverable"] == FORM]
    assert (unit["right"], unit["facts"]) == (5, 6), "what is paid for that claim is another amount now"
    sheet = openpyxl.load_workbook(io.BytesIO(seen[FORM]))["Claims"]
    (row,) = [row for row in sheet.iter_rows(values_only=True) if row[0] == claim]
    assert row[2] == 1 and row[3] is not None
