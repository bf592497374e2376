"""Files from elsewhere are read without a crash, and edited so that only the edit changes.

What cannot be read, and what cannot be edited exactly, is listed with the reason in ``refused.yaml``; ``--record``
writes it anew.
"""

from __future__ import annotations

import random
import zipfile
from collections import Counter
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from workgym.documents import Document, Fragment, TextEdit, edit, editable, read, read_all
from workgym.errors import EditRefused, Unreadable
from workgym.records import Scalar

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
    assert refused == _listed("reading", refused, opened, pytestconfig)
    assert len(refused) <= 0.1 * len(opened)


def _listed(section: str, found: dict[str, str], opened: Iterable[str], config: pytest.Config) -> dict[str, str]:
    """What is listed for the distributions that are here; with ``--record`` what was found, written down."""
    listed = yaml.safe_load(REFUSED.read_text()) or {}
    if config.getoption("--record"):
        listed[section] = found
        REFUSED.write_text(yaml.safe_dump(listed, width=200, allow_unicode=True))
    here = {path.partition("/")[0] for path in opened}
    return {path: why for path, why in listed[section].items() if path.partition("/")[0] in here}


def _says(document: Document) -> dict[tuple[str, str], tuple[str, object, str | None, bool]]:
    return {
        (part.path, fragment.at): (fragment.text, fragment.value, fragment.formula, fragment.hidden)
        for part in document.whole()
        for fragment in part.fragments
    }


def _changeable(document: Document) -> list[Fragment]:
    plain = [f for f in document.fragments if f.text.strip() and not f.hidden and f.formula is None]
    return [f for f in plain if not any(mark in f.text for mark in "\n\t\r") and not _no_day(f)]


def _no_day(fragment: Fragment) -> bool:
    """A number that its format would show as a day, if it were one."""
    return isinstance(fragment.value, int | float) and any(mark in (fragment.format or "") for mark in "yhs")


def _other(value: Scalar) -> tuple[str, Scalar]:
    """What to say instead, and the value to store where there is one."""
    if value is None or isinstance(value, bool):
        return "Changed & <checked>", None
    if isinstance(value, str) and not value.replace(".", "").lstrip("-").isdigit():
        return ("2026-05-04", "2026-05-04") if "-" in value else ("12:30", "12:30:00")
    return "4321", 4321


def _changed(path: str, content: bytes, document: Document, rng: random.Random, refused: dict[str, str]) -> str:
    """Edit one place; returns what became of it, and notes why an edit was refused."""
    options = _changeable(document)
    if not options:
        return "nothing to edit"
    place = rng.choice(options)
    new, value = _other(place.value)
    try:
        edited = edit(path, content, [TextEdit(at=place.at, expected=place.text, replacement=new, value=value)])
    except EditRefused as error:
        assert "\n" not in str(error)
        refused[f"{path} {place.at}"] = str(error).removeprefix(path).strip()
        return "refused"
    before, after = _says(document), _says(read(path, edited))
    moved = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    followers = {key for key in moved if key != (path, place.at)}  # a table's own name of a heading
    assert all((before.get(key) or after[key])[3] for key in followers), f"{path} {place.at}: also {sorted(moved)[:5]}"
    assert all(key not in after or after[key][0] == new for key in followers)
    text, stored, *_ = after[path, place.at]
    assert text == new if value is None else str(stored) == str(value), f"{path} {place.at}: {text!r}, {stored!r}"
    parts, others = _parts(content), _parts(edited)
    assert parts.keys() == others.keys()
    assert sum(parts[name] != others[name] for name in parts) <= 3, path
    return "edited"


def _parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_edit_changes_its_place_and_nothing_else(
    foreign: dict[str, bytes], opened: dict[str, Document | Unreadable], pytestconfig: pytest.Config, full_size: bool
) -> None:
    """Three places of every second file; of all, with ``--soak`` and where the list is written anew."""
    whole = full_size or pytestconfig.getoption("--record")
    became: Counter[tuple[str, str]] = Counter()
    refused: dict[str, str] = {}
    for path, document in sorted(opened.items())[:: 1 if whole else 2]:
        if isinstance(document, Document) and editable(path):
            rng = random.Random(path)
            for _ in range(3):
                became[document.format, _changed(path, foreign[path], document, rng, refused)] += 1
    print(dict(became))
    listed = _listed("editing", refused, opened, pytestconfig)
    assert refused == {place: why for place, why in listed.items() if whole or place in refused}
    for name in {name for name, _ in became}:
        done = became[name, "edited"]
        assert done >= 0.9 * (done + became[name, "refused"]), became
