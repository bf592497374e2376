"""Text in pictures, read by the extra ``workgym[ocr]``; without it, said clearly."""

from __future__ import annotations

import importlib.util
import io
import zipfile

import pytest
from PIL import Image, ImageDraw, ImageFont

from workgym.check.pictures import located, same
from workgym.documents import Document, read
from workgym.documents.image import recognition
from workgym.documents.image.recognition import recognised, shows_pictures, with_words
from workgym.errors import ChildFailed, MissingExtra, Unreadable
from workgym.graph.model import InfoUnit
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import Column, ColumnType

HAVE = importlib.util.find_spec("rapidocr") is not None and importlib.util.find_spec("onnxruntime") is not None
needs_ocr = pytest.mark.skipif(not HAVE, reason="NOT TESTED: text in pictures, without pip install 'workgym[ocr]'")

LANES = [
    ("Hamburg - Oslo", "12430.50", "2026-03-02"),
    ("Łódź - Göteborg", "980.00", "2026-11-30"),
    ("京都", "7.25", "2026-01-09"),
]
TEMPLATE = """---
letterhead: true
company: Nordpak GmbH
address: "Kanalstrasse 14, 20457 Hamburg"
scan: {scan}
signature: Jonas Feldmann
stamp: "RECEIVED 3 MAR 2026"
---
# Rates by lane

The rates below hold from the dates given, net of fuel and tolls, and as agreed in writing.

| Lane | Rate | Valid from |
|:--|--:|:--|
{{% for l in lane %}}
| {{{{ l.lane }}}} | {{{{ l.rate | money("EUR 1,234.50") }}}} | {{{{ l.start | date }}}} |
{{% endfor %}}

- {{{{ lane.of("京都").rate }}}} at the least
"""


def scope() -> Scope:
    types = {"lane": "text", "rate": "money(EUR, 2)", "start": "date"}
    columns = tuple(Column(name=name, type=ColumnType.parse(written)) for name, written in types.items())
    unit = InfoUnit(name="lane", content="x", entity="x", scope="x", status="provided", columns=columns, key=("lane",))
    rows = [dict(zip(types, row, strict=True)) for row in LANES]
    return Scope(values={"lane": Relation.load(unit, rows)}, context={"today": "2026-03-20"}, select=None)


def made(path: str, template: str) -> Rendered:
    return render(ArtifactSpec(path=path, template=template), scope(), "look")


def seen(carrier: Rendered) -> Document:
    return recognised(read(carrier.path, carrier.content), carrier.content)


@needs_ocr
@pytest.mark.parametrize(
    ("path", "scan"), [("a.png", "false"), ("b.jpg", "{noise: 0.7, angle: -1.4}"), ("c.pdf", "{text_layer: false}")]
)
def test_anchors_are_found_again(path: str, scan: str) -> None:
    carrier = made(path, TEMPLATE.format(scan=scan))
    document = seen(carrier)
    assert (document.pictures, document.recognised) == ((), ("p1",))
    values = [anchor for anchor in carrier.anchors if anchor.cell is not None]
    assert len(values) == 10
    for anchor in values:
        at = located(document, anchor)
        assert at is not None, (anchor.printed, [fragment.text for fragment in document.fragments])
        text, span = document.text_at(at.place.base), at.place.span
        assert text is not None and same(text[slice(*span)] if span else text, anchor.printed)
    columns = next(fragment for fragment in document.fragments if fragment.text.startswith("Lane"))
    assert columns.text == "Lane  Rate  Valid from" and len(columns.edges) == 3


@needs_ocr
def test_a_chart_is_read() -> None:
    chart = "---\nchart: {kind: bar, rows: lane, x: lane, y: rate, title: Rates}\n---\nNet of fuel.\n"
    carrier = made("chart.png", chart)
    document = seen(carrier)
    assert all(located(document, anchor) for anchor in carrier.anchors)


def one_line() -> bytes:
    """A picture of one line, about as high as it is wide: RapidOCR enlarges a narrow strip to the size of a page."""
    image = Image.new("RGBA", (600, 450), (0, 0, 0, 0))
    font = ImageFont.load_default(30)
    ImageDraw.Draw(image).text((20, 40), "Freight is USD 2.05 per unit", fill="black", font=font)
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


@needs_ocr
def test_a_picture_within_a_file() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("in/a.png", one_line())
    whole = recognised(read("x.zip", target.getvalue()), target.getvalue())
    assert not shows_pictures(whole)
    assert whole.members[0].recognised == ("p1",)
    assert same(whole.members[0].fragments[0].text, "Freight is USD 2.05 per unit")


@needs_ocr
def test_an_empty_page_says_nothing() -> None:
    target = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(target, "PNG")
    document = recognised(read("a.png", target.getvalue()), target.getvalue())
    assert (document.fragments, document.recognised) == ((), ("p1",))


@needs_ocr
def test_a_picture_on_its_own_without_a_resolution() -> None:
    document = recognised(read("a.png", one_line()), one_line())
    assert same(document.fragments[0].text, "Freight is USD 2.05 per unit")


def picture() -> tuple[Document, bytes]:
    target = io.BytesIO()
    Image.new("RGB", (30, 20), "white").save(target, "PNG")
    return read("a.png", target.getvalue()), target.getvalue()


def test_without_the_extra_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "available", lambda: False)
    document, content = picture()
    with pytest.raises(MissingExtra, match=r"pip install 'workgym\[ocr\]'"):
        recognised(document, content)
    assert recognised(with_words(document, {"a.png": {"p1": []}}), content).recognised == ("p1",)


@pytest.mark.parametrize(("kind", "reason"), [("memory", "over-limit"), ("crash", "corrupt"), ("cpu", "over-limit")])
def test_what_brings_the_child_down_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str, reason: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ChildFailed("ocr", kind, "died")

    monkeypatch.setattr(recognition, "available", lambda: True)
    monkeypatch.setattr(recognition, "run", fail)
    with pytest.raises(Unreadable) as caught:
        recognised(*picture())
    assert caught.value.reason == reason


def test_too_many_pictures_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "available", lambda: True)
    document, content = picture()
    many = document.model_copy(update={"pictures": tuple(f"p{number}" for number in range(1, 42))})
    with pytest.raises(Unreadable, match="more than 40 pages that are pictures"):
        recognised(many, content)


def test_words_become_lines_of_their_page() -> None:
    document, _ = picture()
    words = [[10.0, 60.0, 700.0, 10.0, "Price"], [200.0, 240.0, 701.0, 10.0, "1.50"], [10.0, 50.0, 680.0, 10.0, "x"]]
    found = with_words(document, {"a.png": {"p1": words}})
    assert [(f.at, f.text) for f in found.fragments if f.table] == [("p1l1", "Price  1.50"), ("p1l2", "x")]
    assert found.fragments[0].edges == ((10.0, 60.0), (200.0, 240.0))
