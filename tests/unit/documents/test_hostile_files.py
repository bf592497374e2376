"""Every format under attack: a file is read within the limits or refused in one clear line, soon and in little memory.

The files are made in the modules ``hostile_*``; each passes the limited child, as a stranger's file does.
"""

from __future__ import annotations

import base64
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from workgym.documents import Document, read, read_all
from workgym.errors import Unreadable
from workgym.records import FORMATS
from workgym.sandbox import child

from . import hostile_books
from .hostile import CASES, READ, Case, sound
from .hostile_table import measured, row, ways

MEMORY = 512 << 20
"""Bytes that a limited child may take in all, with the readers' libraries and the file; and the host beside it."""
HELD = 64 << 20
"""Bytes that the host may take for a file that is refused: no copy of it but what is on its way."""
SECONDS = 60
LAST_RESORT = re.compile("ended its process|of memory")
ENDED = ("a.pdf-drawings_in_a_circle", "a.pdf-drawings_that_multiply")
"""Files that PDFium takes more and more memory for, as drawings draw others, until the child's limit ends it."""
NAMES = sorted(f"a.{form.endings[0]}" for form in FORMATS.values())


@pytest.fixture(scope="module", autouse=True)
def _readers_alone() -> None:
    """A warm process without the libraries of whatever ran before, which every child's memory would count."""
    child.stop()


def _cases() -> Iterator[object]:
    for case in CASES:
        marks = [pytest.mark.soak] if case.slow or not case.dealt else []
        for recalculated in ways(case):
            name = f"{case.name}-recalculated" if recalculated else case.name
            yield pytest.param(case, recalculated, id=name, marks=marks)


def clear(said: str) -> bool:
    """Whether a refusal is one line that a terminal can show."""
    return said.isprintable() and len(said) < 300


@pytest.mark.parametrize(("case", "recalculated"), list(_cases()))
def test_a_hostile_file_is_read_or_refused(case: Case, recalculated: bool) -> None:
    found = measured(case, recalculated=recalculated)
    outcome = found.outcome
    print(row(case, recalculated, found))
    assert found.seconds < SECONDS
    assert found.child < MEMORY
    assert found.host < (MEMORY if isinstance(outcome, Document) else HELD)
    if isinstance(outcome, Document):
        assert READ in case.outcomes, f"read: {len(outcome.fragments)} pieces"
    else:
        assert outcome.reason in case.outcomes or recalculated, str(outcome)
        assert clear(str(outcome))
        # What ends a process is the last resort: files are counted before they take it.
        assert recalculated or LAST_RESORT.search(outcome.detail) is None or case.name in ENDED


def test_every_format_is_attacked() -> None:
    assert set(NAMES) <= {case.path for case in CASES}


@pytest.mark.parametrize("path", NAMES)
def test_cut_off_anywhere_and_damaged_anywhere(path: str) -> None:
    content, rng = sound(path), random.Random(path)
    ending = path.rpartition(".")[2]
    cuts = {content[: len(content) * number // 24] for number in range(24)} | {content[:-1], content[:-7]}
    damaged = []
    for _ in range(40):
        made = bytearray(content)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(made))
            made[at : at + rng.randint(0, 4)] = rng.randbytes(rng.randint(0, 4))
        damaged.append(bytes(made))
    files = {f"{number}.{ending}": made for number, made in enumerate([*sorted(cuts), *damaged])}
    for recalculated in (False, True):
        found = read_all(files, recalculated=recalculated)
        assert list(found) == list(files)
        for outcome in found.values():
            assert isinstance(outcome, Document) or clear(str(outcome))
            if isinstance(outcome, Unreadable):
                assert outcome.reason in Unreadable.REASONS
                assert "ended its process" not in outcome.detail


def test_files_under_wrong_names() -> None:
    files = {f"{one[2:]}.{other[2:]}": sound(one) for one in NAMES for other in NAMES if one != other}
    for outcome in read_all(files).values():
        assert isinstance(outcome, Document) or clear(str(outcome))
        assert isinstance(outcome, Document) or "ended its process" not in outcome.detail


def test_names_that_would_break_a_line() -> None:
    names = ["a\nb.csv", "a\x1b[31m.xlsx", "\u202egpj.xlsx", "n" * 100_000 + ".json", "a\x00b.zip", "../../etc/passwd"]
    found = read_all(dict.fromkeys(names, b"x\x00"))
    assert list(found) == names
    for outcome in found.values():
        assert isinstance(outcome, Unreadable) and clear(str(outcome))


BIG = re.compile("million|thousand|hundred|bomb|megabyte|long|large|laughs|many|few|every|cell|limit|number|line")
"""In the names of files that take long to make: they are not edited."""
EDITING = """
import base64, json, resource, sys
from workgym.documents import TextEdit, edit
from workgym.errors import DocumentError
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for name, path, at, expected, content in json.load(sys.stdin):
    for mode in ("set", "clear", "remove_row", "insert_row"):
        more = {"cells": ["x"]} if mode == "insert_row" else {}
        asked = TextEdit(at=at, expected=expected, mode=mode, replacement="x" if mode == "set" else None, **more)
        try:
            edit(path, base64.b64decode(content), [asked])
        except DocumentError as error:
            if not str(error).isprintable():
                print(name, mode, "breaks the line:", ascii(str(error)[:200]))
        except BaseException as error:
            print(name, mode, type(error).__name__, ascii(str(error)[:200]))
"""


def test_edits_of_hostile_files_are_made_or_refused() -> None:
    asked = []
    for case in CASES:
        if not case.slow and not BIG.search(case.make.__name__):
            content = case.make()
            if len(content) < 2_000:
                first = read(case.path, sound(case.path)).fragments
                at, text = (first[0].at, first[0].text) if first else ("p1l1", "x")
                asked.append((case.name, case.path, at, text, base64.b64encode(content).decode()))
    assert len(asked) > 40
    ran = subprocess.run(
        [sys.executable, "-c", EDITING],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0)


def test_what_would_act_is_text() -> None:
    book = read("a.xlsx", hostile_books.formulas_that_act())
    assert [one.formula for one in book.fragments if one.formula] == list(hostile_books.ACTING)
    table = hostile_books.texts_that_look_like_formulas()
    assert "\n".join(one.text for one in read("a.tsv", table).fragments) == table.decode()
    macros = {
        one.at for one in read("a.xlsm", hostile_books.a_workbook_with_macros()).fragments if one.label == "macros"
    }
    assert macros == {"xl/vbaProject.bin"}
