"""Whose fault a check is that does not come out, where a package carries no deliverables of the expert."""

from __future__ import annotations

from typing import Any

import pytest

from workgym.documents import Document, read_all
from workgym.documents.reading import READERS
from workgym.records import FORMATS
from workgym.verify.files import sound_document
from workgym.verify.grade import cause
from workgym.verify.probes import probe
from workgym.verify.truth import truths


@pytest.mark.parametrize("ending", sorted(ending for name in READERS for ending in FORMATS[name].endings))
def test_every_format_has_a_sound_file(ending: str) -> None:
    content = probe(f"out/a.{ending.upper()}")
    assert content is not None
    read = read_all({f"a.{ending}": content}, recalculated=True)[f"a.{ending}"]
    assert isinstance(read, Document)
    texts = [fragment.text for document in read.whole() for fragment in document.fragments]
    assert any(said in text for text in texts for said in ("1,250", "First"))
    assert not read.uncached


def test_other_names_have_none(work: Any) -> None:
    assert probe("a.bin") is None
    assert probe("docx") is not None  # a name is its own ending where it has no dot, as for the readers
    assert sound_document(work.package, "a.bin") is None


def test_the_experts_file_comes_first(work: Any) -> None:
    package = work.package.with_hidden(expert_files={"book.xlsx": work.files()["book.xlsx"]})
    mine, ours = sound_document(package, "book.xlsx"), sound_document(package, "memo.docx")
    assert isinstance(mine, Document) and isinstance(ours, Document)
    assert "Yearly" in {fragment.table for fragment in mine.fragments}
    assert ours.fragments[0].text.startswith("We recommend the first offer")


def test_what_breaks_on_their_file_alone_is_failed_and_on_a_sound_one_too_unscored(work: Any) -> None:
    deliverable = work.package.hidden.graph.deliverables[1]
    (truth,) = truths(work.package, work.package.digest)
    asked = deliverable.states[0]
    crash = RuntimeError("of their file")
    assert cause(work.package, deliverable, asked, truth, crash) == (
        "failed",
        "what it says cannot be judged (RuntimeError)",
    )
    ours = asked.model_copy(update={"labels": {"supplier": 5}})  # no label: looking for it breaks on any file
    state, message = cause(work.package, deliverable, ours, truth, crash)
    assert state == "unscored"
    assert "a sound one neither (TypeError" in message
    elsewhere = deliverable.model_copy(update={"path": "memo.bin"})
    assert cause(work.package, elsewhere, ours, truth, crash)[0] == "failed"
