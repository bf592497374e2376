"""Every format under attack: a file is read within the limits or refused in one clear line, soon and in little memory.

The files are made in the modules ``hostile_*``; each passes the limited child, as a stranger's file does.
"""

from __future__ import annotations

import base64
import json
import random
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workgym.documents import Document, read, read_all
from workgym.errors import Unreadable
from workgym.records import FORMATS
from workgym.sandbox import child

from . import hostile_books, hostile_data, hostile_databases, hostile_pages, hostile_papers, hostile_zips
from .hostile import CASES, READ, Case, sound

MAKERS = (hostile_books, hostile_data, hostile_databases, hostile_pages, hostile_papers, hostile_zips)
MEMORY = 640 << 20
"""Bytes: 512 MiB of a reader's own, and what the warm process has loaded and the file itself take."""
GROWTH = 512 << 20
SECONDS = 60
NAMES = sorted(f"a.{form.endings[0]}" for form in FORMATS.values())


class Watch:
    """The largest memory that a limited child took, looked at every few milliseconds."""

    def __init__(self) -> None:
        self.peak = 0
        self.ended = threading.Event()

    def look(self) -> None:
        while not self.ended.wait(0.01):
            if child._warm is not None:
                warm = child._warm.process.pid
                for pid in _content(f"/proc/{warm}/task/{warm}/children").split():
                    for line in _content(f"/proc/{pid}/status").splitlines():
                        if line.startswith("VmHWM"):
                            self.peak = max(self.peak, int(line.split()[1]) << 10)


def _content(file: str) -> str:
    try:
        return Path(file).read_text()
    except OSError:
        return ""  # that process has ended


@contextmanager
def watched() -> Iterator[Watch]:
    watch = Watch()
    thread = threading.Thread(target=watch.look)
    thread.start()
    try:
        yield watch
    finally:
        watch.ended.set()
        thread.join()


def _cases() -> Iterator[object]:
    for case in CASES:
        marks = [pytest.mark.soak] if case.slow else []
        yield pytest.param(case, False, id=case.name, marks=marks)
        if case.path.endswith((".xlsx", ".xlsm")):
            yield pytest.param(case, True, id=f"{case.name}-recalculated", marks=marks)


def clear(said: str) -> bool:
    """Whether a refusal is one line that a terminal can show."""
    return said.isprintable() and len(said) < 300


@pytest.mark.parametrize(("case", "recalculated"), list(_cases()))
def test_a_hostile_file_is_read_or_refused(case: Case, recalculated: bool) -> None:
    content = case.make()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    with watched() as watch:
        outcome = read_all({case.path: content}, recalculated=recalculated)[case.path]
    took = time.monotonic() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    assert took < SECONDS
    assert watch.peak < MEMORY
    assert grown < GROWTH
    if isinstance(outcome, Document):
        assert READ in case.outcomes, f"read: {len(outcome.fragments)} pieces"
    else:
        assert outcome.reason in case.outcomes or recalculated, str(outcome)
        assert clear(str(outcome))


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
