"""Every format of the table is written, read, anchored and, where it has an editor, edited: by its sample carrier."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workgym.documents import Fragment, TextEdit, edit, editable, read
from workgym.documents.editing import _EDITORS
from workgym.documents.reading import READERS
from workgym.materialize import Rendered
from workgym.materialize.rendering import _WRITERS
from workgym.records import FORMATS, Anchor, FormatName
from workgym.testing.carriers import sample

PICTURES = ("png", "jpg")
_PROGRAM = """
import hashlib, json
from workgym.records import FORMATS
from workgym.testing.carriers import sample
made = {name: sample(name) for name in FORMATS}
said = lambda carrier: json.dumps([anchor.model_dump(mode="json") for anchor in carrier.anchors]).encode()
digest = lambda data: hashlib.sha256(data).hexdigest()
print(json.dumps({name: [digest(carrier.content), digest(said(carrier))] for name, carrier in made.items()}))
"""


def places(carrier: Rendered, content: bytes | None = None) -> dict[tuple[str, str], Fragment]:
    document = read(carrier.path, carrier.content if content is None else content)
    return {(part.path, fragment.at): fragment for part in document.whole() for fragment in part.fragments}


def printed(found: dict[tuple[str, str], Fragment], anchor: Anchor) -> str | None:
    fragment, span = found.get((anchor.place.path, anchor.place.base)), anchor.place.span
    return None if fragment is None else fragment.text if span is None else fragment.text[span[0] : span[1]]


def test_the_registries_hold_every_format() -> None:
    assert len(FORMATS) >= 20
    assert set(_WRITERS) == set(READERS) == set(FORMATS)
    assert {name for name in FORMATS if not editable(f"a.{name}")} - {"code"} == {"pdf", *PICTURES}


@pytest.mark.parametrize("name", sorted(set(FORMATS) - set(PICTURES)))
def test_every_anchor_is_found_by_the_reader(name: FormatName) -> None:
    carrier = sample(name)
    found = places(carrier)
    assert len([anchor for anchor in carrier.anchors if anchor.kind == "value"]) >= 2
    for anchor in carrier.anchors:
        assert printed(found, anchor) == anchor.printed, str(anchor.place)


@pytest.mark.parametrize("name", sorted(_EDITORS))
def test_an_edit_of_a_value_changes_it_alone(name: FormatName) -> None:
    carrier = sample(name)
    value = next(a for a in carrier.anchors if a.kind == "value" and a.cell and a.cell.column == "supplier")
    change = TextEdit(at=value.place.at, expected=value.printed, replacement="Elder & Daughters")
    edited = edit(carrier.path, carrier.content, [change])
    before, after = places(carrier), places(carrier, edited)
    assert {key for key in before | after if before.get(key) != after.get(key)} == {
        (value.place.path, value.place.base)
    }
    assert "Elder & Daughters" in after[value.place.path, value.place.base].text


@pytest.mark.parametrize("name", ["zip", "mbox"])
def test_an_edit_within_a_file_that_holds_files(name: FormatName) -> None:
    carrier = sample(name)
    value = next(a for a in carrier.anchors if a.kind == "value" and "//" in a.place.path)
    change = TextEdit(at=value.place.at, expected=value.printed, replacement="Elder & Daughters")
    edited = edit(value.place.path, carrier.content, [change])
    before, after = places(carrier), places(carrier, edited)
    assert {key for key in before | after if before.get(key) != after.get(key)} == {
        (value.place.path, value.place.base)
    }


def test_two_processes_write_the_same_bytes(root: Path, tmp_path: Path) -> None:
    said = []
    for seed in ("1", "77"):
        (tmp_path / seed).mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root), "TZ": f"Etc/GMT+{len(seed)}"}
        command = [sys.executable, "-c", _PROGRAM]
        done = subprocess.run(command, cwd=tmp_path / seed, env=environment, capture_output=True, text=True, check=True)
        said.append(json.loads(done.stdout))
    assert said[0] == said[1]
    assert said[0].keys() == FORMATS.keys()
    here = sample("xlsx")
    assert said[0]["xlsx"][0] == hashlib.sha256(here.content).hexdigest()
