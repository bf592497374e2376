"""Four traps of graders of office work, from public threads: each is shown on the naive way first, then passed here.

Formulas without cached values score 0 and empty sheets pass (SpreadsheetBench#31); a judge is shown file names in
place of files that could not be rendered (NeMo-Gym#1228); a converter ends with 0 and has written nothing
(NeMo-Gym#1268); a judge's time-out becomes a score, or is dropped (NeMo-Gym#2103).
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import docx
import openai
import openpyxl
import pytest

import workgym
from workgym.authoring import families
from workgym.cli import main
from workgym.documents import recalculate
from workgym.env import OfficeEnv
from workgym.errors import Unreadable
from workgym.model import Model, ModelRequest
from workgym.models import OpenAIConfig, OpenAIModel, ScriptedModel
from workgym.package import TaskPackage
from workgym.quality import sound
from workgym.rollout import LoopEpisode
from workgym.testing import DummySandbox, judges, record_hand_in
from workgym.verify import Grader, Judge, Licence, LicensedJudge, Settings, Verdict, calibrate, grade, summary
from workgym.verify.judging.pages import pages

BOOK, MEMO = "supplier_comparison.xlsx", "recommendation.docx"
FINE = '{"reasons": "It is all there.", "score": 1}'
QUICK = Settings(samples=1, attempts=2, wait=0)
OFFICE = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    """A task with what its expert hands in."""
    done = sound(families.build("supplier-selection", "easy", 7))
    return done.package.with_hidden(expert_files={name: done.files[name] for name in (BOOK, MEMO)})


@pytest.fixture(scope="module")
def licence(task: TaskPackage) -> Licence:
    return calibrate(Judge(judges.honest(), QUICK), [task])


@pytest.fixture
def licensed(licence: Licence) -> Callable[..., LicensedJudge]:
    """A judge with any model, as if it had passed the exam."""

    def make(model: Model, *, show_pages: bool = False) -> LicensedJudge:
        judge = Judge(model, QUICK.model_copy(update={"pages": show_pages}))
        return LicensedJudge(judge, licence.model_copy(update={"pin": judge.pin}))

    return make


def handed_in(task: TaskPackage, **changed: bytes) -> dict[str, bytes]:
    names = {"book": BOOK, "memo": MEMO}
    right = {**task.files, **task.hidden.expert_files}
    return right | {names[key]: content for key, content in changed.items()}


def rubric(verdict: Verdict) -> set[tuple[str, float | None]]:
    return {(check.state, check.score) for check in verdict.checks if check.kind == "rubric"}


# -- formulas without cached values --------------------------------------------------------------------------------


def changed_numbers(content: bytes, change: Callable[[float], Any]) -> bytes:
    """A workbook with other contents in place of its amounts, saved by openpyxl."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, float) or (isinstance(cell.value, int) and cell.value > 3000):
                    cell.value = change(float(cell.value))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def cells(content: bytes) -> dict[tuple[str, str], Any]:
    """All cells as a script reads them that wants values: ``data_only=True``."""
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
    }


def naive_score(golden: bytes, given: bytes, graded: Iterable[tuple[str, str]]) -> float:
    """The share of graded cells that a hand-in has as a golden workbook has them: what comparing scripts do."""
    wanted, found = cells(golden), cells(given)
    same = [found.get(at) == wanted[at] for at in graded]
    return sum(same) / len(same)


def test_uncached_formulas_are_right_and_empty_cells_are_not(task: TaskPackage) -> None:
    right = task.hidden.expert_files[BOOK]
    formulas = changed_numbers(right, lambda number: f"={number - 100!r}+100")
    empty = changed_numbers(right, lambda number: None)
    amounts = [at for at, value in cells(right).items() if isinstance(value, (int, float)) and value > 3000]

    assert len(amounts) >= 10 and naive_score(right, right, amounts) == 1.0
    assert naive_score(right, formulas, amounts) == 0.0, "right formulas score nothing: openpyxl caches no value"
    assert naive_score(formulas, empty, amounts) == 1.0, "and against a golden file with formulas an empty one is right"

    assert all(cells(recalculate(formulas))[at] is not None for at in amounts)
    graded = grade(task, handed_in(task, book=formulas))
    assert (graded.state, graded.reward) == ("passed", 1.0)
    hollow = grade(task, handed_in(task, book=empty))
    assert hollow.state == "failed" and hollow.reward < 0.5
    book = [unit for unit in hollow.scores.units if unit.deliverable == BOOK]
    assert book and all((unit.right, unit.credit) == (0, 0.0) for unit in book)


# -- a judge that sees stubs ---------------------------------------------------------------------------------------


def naive_prompt(files: Mapping[str, bytes]) -> str:
    """What a judge is shown by code that swallows the failure of a render: the file's name."""
    shown = []
    for name, content in files.items():
        try:
            shown.append("\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(content)).paragraphs))
        except Exception:  # noqa: BLE001 - the mistake that is shown
            shown.append(f"[attached file: {name}]")
    return "\n".join(shown)


def test_a_judge_never_sees_a_stub(task: TaskPackage, licensed: Callable[..., LicensedJudge]) -> None:
    broken = task.hidden.expert_files[MEMO][:2000]
    assert naive_prompt({MEMO: broken}) == f"[attached file: {MEMO}]", "the judge would score a name"

    model = ScriptedModel(lambda _: FINE)
    judge = licensed(model)
    failed = grade(task, handed_in(task, memo=broken), judge=judge, combine="mean/1")
    assert rubric(failed) == {("failed", 0.0)} and not model.requests, "nothing is asked about what cannot be seen"
    assert failed.state == "failed" and f"{MEMO} cannot be read" in summary(failed)

    blind = task.with_hidden(expert_files={MEMO: broken})  # the expert's does not render here either: our side
    unscored = grade(blind, handed_in(blind, memo=broken), judge=judge, combine="mean/1")
    assert rubric(unscored) == {("unscored", None)} and not model.requests
    assert (unscored.state, unscored.reward, unscored.scores.rubric) == ("unscored", 0.0, ())
    assert "UNSCORED: 6 rubric items could not be judged, which is not a score of 0" in summary(unscored)

    seen = grade(task, handed_in(task), judge=judge, combine="mean/1")
    assert rubric(seen) == {("passed", 1.0)} and len(model.requests) == 6
    said = docx.Document(io.BytesIO(task.hidden.expert_files[MEMO])).paragraphs
    longest = max((paragraph.text for paragraph in said), key=len)
    assert len(longest) > 60 and all(longest in judges.works(request)[0] for request in model.requests)
    assert seen.judge is not None and seen.judge.shown[MEMO].startswith("all ")


# -- a converter that ends with 0 and wrote nothing ----------------------------------------------------------------


NO_TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def unloadable(content: bytes) -> bytes:
    """A Word file whose list of content types is empty: text can be found in it, and no office program opens it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part.filename, NO_TYPES if part.filename == "[Content_Types].xml" else old.read(part))
    return out.getvalue()


def naive_pdf(content: bytes, folder: Path) -> bytes:
    """What is shown by code that trusts the exit code: an empty page where the program wrote none."""
    (folder / "memo.docx").write_bytes(content)
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf"]
    done = subprocess.run([*command, "--outdir", str(folder / "out"), str(folder / "memo.docx")], capture_output=True)
    assert done.returncode == 0, "it says that all is well"
    made = folder / "out" / "memo.pdf"
    return made.read_bytes() if made.exists() else b""


@OFFICE
def test_a_converter_that_wrote_nothing_gives_no_empty_page(
    task: TaskPackage, licensed: Callable[..., LicensedJudge], tmp_path: Path
) -> None:
    right = task.hidden.expert_files[MEMO]
    broken = unloadable(right)
    assert naive_pdf(broken, tmp_path) == b"", "exit code 0, and no pages to judge"

    with pytest.raises(Unreadable, match="LibreOffice made no PDF of it"):
        pages(MEMO, broken)
    assert pages(MEMO, right).pictures

    model = ScriptedModel(lambda _: FINE)
    verdict = grade(task, handed_in(task, memo=broken), judge=licensed(model, show_pages=True), combine="mean/1")
    assert rubric(verdict) == {("failed", 0.0)} and not model.requests
    assert f"the pages of {MEMO} cannot be shown" in summary(verdict)
    ours = task.with_hidden(expert_files={MEMO: broken})
    verdict = grade(ours, handed_in(ours, memo=broken), judge=licensed(model, show_pages=True), combine="mean/1")
    assert rubric(verdict) == {("unscored", None)} and verdict.state == "unscored" and not model.requests


@OFFICE
def test_a_locked_file_gives_no_empty_page(
    task: TaskPackage, licensed: Callable[..., LicensedJudge], tmp_path: Path
) -> None:
    """The start of an encrypted office file: an OLE container (MS-CFB, MS-OFFCRYPTO)."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504
    locked = head + "EncryptedPackage".encode("utf-16-le") + b"\0" * 992
    assert naive_pdf(locked, tmp_path) == b""
    model = ScriptedModel(lambda _: FINE)
    verdict = grade(task, handed_in(task, memo=locked), judge=licensed(model, show_pages=True), combine="mean/1")
    assert rubric(verdict) == {("failed", 0.0)} and not model.requests
    assert "it is protected by a password" in summary(verdict)


@OFFICE
def test_an_agents_converter_says_that_it_wrote_nothing(task: TaskPackage) -> None:
    given = task.with_files({**task.files, "memo.docx": unloadable(task.hidden.expert_files[MEMO])})
    env = OfficeEnv(package=given)
    try:
        env.reset(seed=0)
        call = {"tool": "convert_to_pdf", "arguments": {"path": "memo.docx"}}
        observation, *_ = env.step(call)
        assert observation["error"] == 1 and "cannot be converted: LibreOffice cannot read it" in observation["text"]
        observation, *_ = env.step({"tool": "list_files", "arguments": {}})
        assert "memo.pdf" not in observation["text"]
    finally:
        env.close()


# -- a judge's time-out --------------------------------------------------------------------------------------------


class _Silent(BaseHTTPRequestHandler):
    """An endpoint that takes every question and answers none."""

    asked = 0
    over = threading.Event()

    def do_POST(self) -> None:
        type(self).asked += 1
        self.rfile.read(int(self.headers["content-length"]))
        self.over.wait(20)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    _Silent.asked, _Silent.over = 0, threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    _Silent.over.set()
    server.shutdown()
    server.server_close()


def naive_scores(base_url: str, items: int) -> list[float]:
    """What scores become in code that takes an error for a bad answer."""
    client = openai.OpenAI(base_url=base_url, api_key="none", timeout=0.3, max_retries=0)
    scores = []
    for _ in range(items):
        try:
            reply = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "score it"}])
            scores.append(float(json.loads(reply.choices[0].message.content or "")["score"]))
        except Exception:  # noqa: BLE001 - the mistake that is shown
            scores.append(0.0)
    return scores


def test_a_judges_time_out_is_no_score(
    task: TaskPackage, licensed: Callable[..., LicensedJudge], endpoint: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert naive_scores(endpoint, 2) == [0.0, 0.0], "perfect work scores 0 because nobody answered"

    _Silent.asked = 0
    model = OpenAIModel(OpenAIConfig(model="m", base_url=endpoint, timeout=0.1, retries=0))
    verdict = grade(task, handed_in(task), judge=licensed(model), combine="geometric/1")
    assert rubric(verdict) == {("unscored", None)} and verdict.scores.rubric == ()
    assert (verdict.state, verdict.reward) == ("unscored", 0.0)
    assert _Silent.asked == 12, "each of six items is tried again"
    (first, *_) = [check for check in verdict.checks if check.kind == "rubric"]
    assert "no answer after 2 attempts" in first.message and [answer.score for answer in first.answers] == [None, None]
    assert "UNSCORED: 6 rubric items could not be judged, which is not a score of 0" in summary(verdict)
    assert grade(task, handed_in(task), judge=licensed(model)).reward == 1.0, "code/1 does not rest on them"

    record_hand_in(tmp_path / "runs/a", task, handed_in(task), verdict=verdict)
    record_hand_in(tmp_path / "runs/b", task, handed_in(task))
    assert main(["verify", str(tmp_path / "runs")]) == 0
    assert "unscored before, passed 1 now" in capsys.readouterr().out, "grading again needs no agent"


def test_an_unscored_end_is_told_and_counted(
    task: TaskPackage, licensed: Callable[..., LicensedJudge], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: ModelRequest) -> str:
        raise TimeoutError("nobody answers")

    grader = Grader("geometric/1", licensed(ScriptedModel(fails)))

    class Desk(DummySandbox):
        """A sandbox in which the work lies done."""

        def collect(self) -> dict[str, bytes]:
            return super().collect() | dict(task.hidden.expert_files)

    def hand_in(episode: LoopEpisode) -> None:
        episode.act({"tool": "submit", "arguments": {}})

    done = workgym.rollout(task, hand_in, out=tmp_path / "run", sandbox=Desk, grade=grader)
    assert (done.verdict, done.reward, done.solved) == ("unscored", 0.0, False)
    env = OfficeEnv(package=task, sandbox=Desk, grade=grader)
    env.reset(seed=0)
    *_, reward, terminated, _, info = env.step({"tool": "submit", "arguments": {}})
    assert terminated and reward == 0.0 and info["verdict"] == "unscored"
    env.close()
    record_hand_in(tmp_path / "other", task, dict(task.files))
    assert main(["audit", str(tmp_path), "--sample", "40", "-o", str(tmp_path / "labels.yaml")]) == 0
    assert "left out: 6 checks unscored" in capsys.readouterr().out
