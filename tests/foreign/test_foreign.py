"""Files from elsewhere are read without a crash, and edited so that only the edit changes.

What cannot be read is listed, with the reason, in ``refused.yaml``; ``--record`` writes it anew.
"""

from __future__ import annotations

import random
import zipfile
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from workgym.documents import Document, Fragment, TextEdit, edit, editable, read, read_all
from workgym.errors import EditRefused, Unreadable

REFUSED = Path(__file__).parent / "refused.yaml"


@pytest.fixture(scope="module")
def opened(foreign: dict[str, bytes]) -> dict[str, Document | Unreadable]:
    """Every file, read as a stranger's file is: in a limited child."""
    found: dict[str, Document | Unreadable] = {}
    paths = sorted(foreign)
    for at in range(0, len(paths), 10):
        found |= read_all({path: foreign[path] for path in paths[at : at + 10]})
    return found


def test_there_are_many_of_each(foreign: dict[str, bytes]) -> None:
    kinds = Counter(path.rpartition(".")[2].lower() for path in foreign)
    print(dict(kinds))
    assert sum(kinds.values()) >= 100
    assert kinds["xlsx"] >= 15 and min(kinds[name] for name in ("pdf", "docx", "pptx")) >= 30


def test_all_are_read_but_for_those_listed(
    opened: dict[str, Document | Unreadable], pytestconfig: pytest.Config
) -> None:
    refused = {
        path: f"{found.reason}: {found.detail}" for path, found in opened.items() if isinstance(found, Unreadable)
    }
    if pytestconfig.getoption("--record"):
        REFUSED.write_text(yaml.safe_dump(refused, width=200, allow_unicode=True))
    assert refused == yaml.safe_load(REFUSED.read_text())
    assert len(refused) <= 0.1 * len(opened)


def _says(document: Document) -> dict[tuple[str, str], tuple[str, object, str | None, bool]]:
    return {
        (part.path, fragment.at): (fragment.text, fragment.value, fragment.formula, fragment.hidden)
        for part in document.whole()
        for fragment in part.fragments
    }


def _changeable(document: Document) -> list[Fragment]:
    plain = [f for f in document.fragments if f.text.strip() and not f.hidden and f.formula is None]
    return [f for f in plain if not any(mark in f.text for mark in "\n\t\r")]


def _changed(path: str, content: bytes, document: Document, rng: random.Random) -> str:
    """Edit one place; returns what became of it."""
    options = _changeable(document)
    if not options:
        return "nothing to edit"
    place = rng.choice(options)
    new = "Changed & <checked>"
    try:
        edited = edit(path, content, [TextEdit(at=place.at, expected=place.text, replacement=new)])
    except EditRefused as error:
        assert "\n" not in str(error)
        return "refused"
    before, after = _says(document), _says(read(path, edited))
    moved = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert moved == {(path, place.at)}, f"{path} {place.at}: also {sorted(moved)[:5]}"
    assert after[path, place.at][0] == new
    parts, others = _parts(content), _parts(edited)
    assert parts.keys() == others.keys()
    assert sum(parts[name] != others[name] for name in parts) <= 3, path
    return "edited"


def _parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_edit_changes_its_place_and_nothing_else(
    foreign: dict[str, bytes], opened: dict[str, Document | Unreadable]
) -> None:
    became: Counter[tuple[str, str]] = Counter()
    for path, document in sorted(opened.items()):
        if isinstance(document, Document) and editable(path):
            rng = random.Random(path)
            for _ in range(3):
                became[document.format, _changed(path, foreign[path], document, rng)] += 1
    print(dict(became))
    for name in {name for name, _ in became}:
        done = became[name, "edited"]
        assert done >= 0.9 * (done + became[name, "refused"]), became
