"""LibreOffice opens what we write and edit, with nothing repaired and nobody asked, and sees what our readers see.

``office_view.py`` drives one warm LibreOffice for the whole module. Conversion to PDF is judged by the pages and the
texts of the PDF. Needed: LibreOffice's calc, writer and impress, the system's Python with ``uno``.
"""

from __future__ import annotations

import functools
import json
import re
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, time
from pathlib import Path
from typing import Any, NamedTuple, cast

import pypdfium2 as pdfium
import pytest

from workgym.authoring import families
from workgym.documents import Document, Fragment, TextEdit, edit, read, read_all, recalculate
from workgym.env import OfficeEnv
from workgym.package import TaskPackage
from workgym.records import Anchor, FormatName
from workgym.rollout import rollout
from workgym.testing import carriers
from workgym.verify import Verdict, grade

from . import office_samples

PYTHON, INSTALLED = "/usr/bin/python3", Path("/usr/lib/libreoffice/share/registry")
NEEDED = {"xlsx": "calc", "docx": "writer", "pptx": "impress"}
FORMATS: tuple[FormatName, ...] = ("xlsx", "docx", "pptx")
STARTER = "workgym/documents/recalculation/guest/office.py"
SECONDS = 90


class View(NamedTuple):
    """What LibreOffice sees in a file."""

    sees: Any
    """By format, as ``office_view`` says."""
    pages: list[str]
    """The text of each page of the PDF that it makes."""


class Office:
    """A warm LibreOffice."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.count = folder, 0
        script = Path(__file__).with_name("office_view.py")
        command = [PYTHON, str(script), str(root / STARTER), str(folder / "profile")]
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, path: str, content: bytes) -> tuple[Any, Path]:
        """Its answer, and where the PDF is."""
        self.count += 1
        name = self.folder / f"{self.count}.{path.rpartition('.')[2]}"
        name.write_bytes(content)
        assert self.program.stdin is not None and self.program.stdout is not None
        self.program.stdin.write(json.dumps({"path": str(name), "pdf": f"{name}.pdf"}) + "\n")
        self.program.stdin.flush()
        assert select.select([self.program.stdout], [], [], SECONDS)[0], f"{path}: no answer after {SECONDS} s"
        return json.loads(self.program.stdout.readline()), Path(f"{name}.pdf")

    def view(self, path: str, content: bytes) -> View:
        """What it sees; a file that does not load as it is fails the test."""
        answer, pdf = self.ask(path, content)
        assert "failed" not in answer, f"{path}: {answer}"
        with pdfium.PdfDocument(pdf) as made:
            pages = [made[number].get_textpage().get_text_range() for number in range(len(made))]
        return View(answer[path.rpartition(".")[2]], pages)

    def stop(self) -> None:
        """End it; LibreOffice ends with the script that started it."""
        self.program.kill()
        self.program.communicate()


@functools.cache
def missing(*formats: str) -> str:
    """What has to be installed before these formats can be tested; empty where nothing has."""
    packages = [f"libreoffice-{NEEDED[form]}" for form in formats if not (INSTALLED / f"{NEEDED[form]}.xcd").exists()]
    if subprocess.run([PYTHON, "-c", "import uno"], capture_output=True, check=False).returncode:
        packages.append("python3-uno")
    return " ".join(packages)


def say(config: pytest.Config, packages: str) -> str:
    """What is left out, on the terminal, whatever it shows of skips."""
    said = f"NOT TESTED WITH LIBREOFFICE: apt-get install {packages}"
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{said}", file=sys.stderr)
    return said


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, root: Path, pytestconfig: pytest.Config) -> Iterator[Office]:
    said = say(pytestconfig, missing(*FORMATS)) if missing(*FORMATS) else ""
    if missing("xlsx"):
        pytest.skip(said)
    made = Office(tmp_path_factory.mktemp("office"), root)
    yield made
    made.stop()


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> FormatName:
    """Each format that LibreOffice can open here."""
    if missing(request.param):
        pytest.skip(f"apt-get install {missing(request.param)}")
    return cast("FormatName", request.param)


def squeezed(text: str) -> str:
    """A text without blanks, hyphens and capitals, which a page sets as it likes."""
    return re.sub(r"[\s\u00ad\u2010\ufffe\u0002-]+", "", text).casefold()


def shown(document: Document, *kinds: str) -> list[str]:
    """The texts at places of these kinds (``p``, ``n``), in order; what hangs on a place is none of them."""
    wanted = re.compile(rf"(s\d+)?({'|'.join(kinds)})(\d+|r\d+c\d+)")
    return [fragment.text for fragment in document.fragments if wanted.fullmatch(fragment.at)]


def lines(texts: list[str]) -> list[str]:
    """Paragraphs that say something, as lines."""
    return [text for text in texts if text.strip()]


def same_workbook(document: Document, sees: Any) -> None:
    """Every cell: what it shows, its value, whether a formula stands there; comments, hidden sheets, charts, names."""
    theirs = {
        f"{sheet['name']}!{_reference(row, column)}": (text, value, formula is not None, error)
        for sheet in sees["sheets"]
        for row, column, text, value, formula, error in sheet["cells"]
        if text or value is not None
    }
    ours = {fragment.at: fragment for fragment in document.fragments if fragment.table is not None}
    assert theirs.keys() == ours.keys()
    for at, (text, value, formula, error) in theirs.items():
        fragment = ours[at]
        assert (fragment.text, fragment.formula is not None, error) == (text, formula, 0), at
        if value is not None:
            assert _serial(fragment) == pytest.approx(value, rel=1e-12, abs=1e-9), at
    comments = sorted(note for sheet in sees["sheets"] for *_, note in sheet["comments"])
    assert comments == sorted(f.text for f in document.fragments if f.at.endswith(".comment"))
    for sheet in sees["sheets"]:
        hidden = {f.hidden for f in document.fragments if f.table == sheet["name"]}
        assert sheet["visible"] or hidden <= {True}, sheet["name"]
        titled = {f.at.rpartition(".")[0] for f in document.fragments if f.at.startswith(f"{sheet['name']}.chart")}
        assert sheet["charts"] >= len(titled)
    named = {f.at.removeprefix("name.") for f in document.fragments if f.at.startswith("name.")}
    assert named <= set(sees["names"])


def _reference(row: int, column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _serial(fragment: Fragment) -> float:
    """A cell's value as a number: days since 1900, and truth as 1."""
    value = fragment.value
    if not isinstance(value, str):
        return float(value if value is not None else fragment.text)
    if re.fullmatch(r"\d\d:\d\d(:\d\d.*)?", value):
        moment = time.fromisoformat(value)
        return (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400
    if re.match(r"\d{4}-\d\d-\d\d", value):
        passed = datetime.fromisoformat(value) - datetime(1899, 12, 30)
        return passed.total_seconds() / 86400
    return float(value)


def same_document(document: Document, sees: Any) -> None:
    """Paragraphs and cells in order, notes, comments with their authors, headers, footers, boxes, tracked changes."""
    assert lines(sees["paragraphs"]) == lines(shown(document, "p"))
    cells = [text for table in sees["tables"] for _, text in table]
    assert lines(cells) == lines(shown(document, r"t\d+"))
    assert [text.strip() for text in lines(sees["notes"])] == [text.strip() for text in lines(shown(document, "n"))]
    pages = {re.sub(r"Page \d+", "Page 1", text) for text in lines(sees["furniture"])}
    assert pages == set(lines(shown(document, "h", "f")))
    assert lines(sees["boxes"]) == lines(shown(document, "x"))
    comments = [fragment for fragment in document.fragments if re.fullmatch(r"c\d+", fragment.at)]
    assert sorted(map(tuple, sees["comments"])) == sorted((f.label or "", f.text) for f in comments)
    assert bool(sees["changes"]) >= any(".del" in fragment.at for fragment in document.fragments)


def same_deck(document: Document, sees: Any) -> None:
    """By slide: texts, tables, charts' data and titles, notes, and whether it is shown."""
    for number, slide in enumerate(sees, 1):
        own = document.model_copy(
            update={"fragments": tuple(f for f in document.fragments if re.match(rf"s{number}\D", f.at))}
        )
        assert sorted(lines(slide["texts"])) == sorted(lines(shown(own, "p", "f", "d")))
        assert lines([text for table in slide["tables"] for row in table for text in row]) == lines(shown(own, r"t\d+"))
        assert lines(slide["notes"]) == lines(shown(own, "n"))
        assert slide["visible"] == (not all(f.hidden for f in own.fragments))
        data = {f.at: f for f in own.fragments if re.fullmatch(r"s\d+c\d+r\d+c\d+", f.at)}
        for at, (title, rows, columns, numbers) in enumerate(slide["charts"], 1):
            name = f"s{number}c{at}"
            assert title == (own.text_at(name) or "")
            for row, label in enumerate(rows, 2):
                assert label == (own.text_at(f"{name}r{row}c1") or "")
            for column, label in enumerate(columns, 2):
                assert label == data[f"{name}r1c{column}"].text
            for row, figures in enumerate(numbers, 2):
                for column, figure in enumerate(figures, 2):
                    cell = data.get(f"{name}r{row}c{column}")
                    assert cell is None or float(str(cell.value)) == pytest.approx(figure), (name, row, column)
    assert len(sees) == len({re.match(r"s\d+", f.at)[0] for f in document.fragments if re.match(r"s\d+\D", f.at)})


SAME = {"xlsx": same_workbook, "docx": same_document, "pptx": same_deck}


def compare(office: Office, path: str, content: bytes, *, anchored: tuple[str, ...] = ()) -> Document:
    """LibreOffice loads the file as it is, sees what we read, and prints it, ``anchored`` texts too."""
    document = read(path, content)
    view = office.view(path, content)
    SAME[document.format](document, view.sees)
    assert view.pages
    said = squeezed("".join(view.pages))
    for text in (*anchored, *(piece for fragment in texts(document) for piece in pieces(fragment))):
        assert squeezed(text) in said, (path, text)
    return document


def texts(document: Document) -> list[Fragment]:
    """What stands on a page: cells, paragraphs, cells of tables."""
    places = re.compile(r".+![A-Z]+\d+|(s\d+)?(p\d+|t\d+r\d+c\d+)")
    return [f for f in document.fragments if not f.hidden and places.fullmatch(f.at)]


def pieces(fragment: Fragment) -> list[str]:
    """A cell as it is; the words of a paragraph, among which marks of notes and struck words may stand."""
    return [fragment.text] if fragment.table else re.findall(r"\w+", fragment.text)


def edited(document: Document, content: bytes) -> bytes:
    """The file with its last text and its first number changed in place."""
    places = [f for f in texts(document) if f.formula is None and f.merged == (1, 1)]
    text = [f for f in places if f.value is None][-1]
    changes = [TextEdit(at=text.at, expected=text.text, replacement="Žó & <Ö>")]
    number = next((f for f in places if isinstance(f.value, int | str) and re.fullmatch(r"[\d,]+", f.text)), None)
    if number is not None:
        changes.append(TextEdit(at=number.at, expected=number.text, replacement="77", value=77))
    return fresh(document.path, edit(document.path, content, changes))


def fresh(path: str, content: bytes) -> bytes:
    """The file with the values that its formulas have now."""
    return recalculate(content, path=path) if path.endswith(".xlsx") else content


def office_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those that LibreOffice can open here; ``.ci/run`` installs what the others need."""
    kinds = {path: path.rpartition(".")[2] for path in files}
    return {path: content for path, content in files.items() if kinds[path] in NEEDED and not missing(kinds[path])}


def printed(anchors: Iterable[Anchor], path: str) -> tuple[str, ...]:
    """What a carrier prints, but for what is in its comments, notes and charts, and what it hides."""
    places = re.compile(r"(?!name\.)[^.]*![A-Z]+\d+|p\d+|t\d+r\d+c\d+|n\d+|[hf]\d+")
    mine = (anchor for anchor in anchors if anchor.place.path == path and anchor.kind == "value")
    return tuple(anchor.printed for anchor in mine if places.fullmatch(anchor.place.base))


@pytest.mark.parametrize("family", families.names())
def test_files_of_a_task(office: Office, family: str) -> None:
    package = families.build(family, None, 3)
    files = office_files(package.files)
    assert files
    for path, content in files.items():
        document = compare(office, path, content, anchored=printed(package.hidden.anchors, path))
        compare(office, path, edited(document, content))


@pytest.mark.parametrize("family", families.names())
def test_deliverables_of_the_expert(office: Office, family: str) -> None:
    package, made = families.build(family, None, 3), dict[str, bytes]()

    def grader(task: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        made.update({card.path: files[card.path] for card in task.card.deliverables})
        return grade(task, files)

    env = OfficeEnv(package=package, grade=grader)
    try:
        assert rollout(env, "expert").reward == 1.0
    finally:
        env.close()
    for path, content in office_files(made).items():
        view = office.view(path, content)
        document = read_all({path: content}, recalculated=True)[path]
        assert isinstance(document, Document)
        SAME[document.format](document, view.sees)
        assert view.pages


def test_the_small_sample(office: Office, form: FormatName) -> None:
    made = carriers.sample(form)
    document = compare(office, made.path, made.content, anchored=printed(made.anchors, made.path))
    compare(office, made.path, edited(document, made.content))


@pytest.mark.parametrize("path", office_samples.PATHS)
def test_rich_samples(office: Office, path: str) -> None:
    if missing(path.rpartition(".")[2]):
        pytest.skip(f"apt-get install {missing(path.rpartition('.')[2])}")
    made = office_samples.sample(path)
    document = compare(office, path, made.content)
    compare(office, path, edited(document, made.content))
    for change in office_samples.ROWS[path]:
        compare(office, path, fresh(path, edit(path, made.content, [change])))


def test_a_damaged_file_does_not_load(office: Office, form: FormatName) -> None:
    content = carriers.sample(form).content
    for damaged in (content[: len(content) * 2 // 3], content[:-30]):
        assert "failed" in office.ask(f"a.{form}", damaged)[0]
