"""Deliverables that are pictures: unscored only where a sound one could not be read here either."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from workgym.documents.image import recognition
from workgym.package import TaskPackage
from workgym.verify.files import mistyped, open_deliverables
from workgym.verify.probes import probe


def asked_for(work: Any, path: str) -> TaskPackage:
    graph = work.package.hidden.graph
    deliverable = graph.deliverables[1].model_copy(update={"path": path})
    package: TaskPackage = work.package.with_hidden(graph=graph.model_copy(update={"deliverables": (deliverable,)}))
    return package


def picture_of_a_page() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (300, 420), "white").save(target, "PDF")
    return target.getvalue()


@pytest.mark.parametrize(("path", "state"), [("memo.pdf", "passed"), ("chart.png", "unscored")])
def test_without_recognition(work: Any, path: str, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "available", lambda: False)
    content = probe(path) if path.endswith("png") else picture_of_a_page()
    assert content is not None
    opened = open_deliverables(asked_for(work, path), {path: content})[path]
    assert opened.state == state
    if state == "unscored":
        assert "cannot be read without workgym[ocr]" in opened.message
    else:  # a memo in text was asked for: a picture of one is read, and says nothing
        assert opened.document is not None and opened.document.pictures == ("p1",)


def test_a_damaged_picture_is_failed(work: Any) -> None:
    opened = open_deliverables(asked_for(work, "chart.png"), {"chart.png": b"\x89PNG\r\n\x1a\n"})["chart.png"]
    assert opened.state == "failed" and "truncated" in opened.message


def test_pictures_are_known_by_their_first_bytes(work: Any) -> None:
    package, sound = asked_for(work, "a.jpg"), probe("a.jpg")
    assert sound is not None
    assert mistyped(package, {"a.jpg": sound}) == ()
    assert mistyped(package, {"a.jpg": b"%PDF-1.4"}) == ("a.jpg",)
