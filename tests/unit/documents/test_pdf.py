"""PDF files: what stands beside the text, what nobody sees, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText, Link, Text
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from workgym.documents import Document, read
from workgym.documents.pdf.pdfium import opened, pictured
from workgym.errors import Unreadable


def page(*draw: Callable[[Canvas], None], size: tuple[float, float] = (595, 842)) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=size, invariant=1)
    for one in draw:
        one(canvas)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def says(text: str, y: float = 700, mode: int = 0, colour: float = 0) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()  # how text is drawn outlasts it
        words = canvas.beginText(60, y)
        words.setFillColorRGB(colour, colour, colour)
        words.setTextRenderMode(mode)
        words.textLine(text)
        canvas.drawText(words)
        canvas.restoreState()

    return draw


def fills(y: float, height: float) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0.1, 0.2, 0.4)
        canvas.rect(40, y, 500, height, stroke=0, fill=1)

    return draw


def covers(canvas: Canvas) -> None:
    picture = Image.new("RGB", (300, 420), (250, 240, 230))
    picture.paste((40, 40, 40), (30, 68, 100, 72))  # what was scanned, at a height of 700 points
    canvas.drawImage(ImageReader(picture), 0, 0, 595, 842)


def texts(document: Document) -> dict[str, tuple[str, bool]]:
    return {
        fragment.at: (fragment.text, fragment.hidden)
        for fragment in document.fragments
        if not fragment.at.startswith("property.")
    }


def test_text_that_nobody_sees_is_hidden_and_counts_no_line() -> None:
    content = page(says("Seen", 720), says("Secret 42", 700, mode=3), says("White 43", 680, colour=1), says("Too", 660))
    assert texts(read("a.pdf", content)) == {
        "p1l1": ("Seen", False),
        "p1l2": ("Too", False),
        "p1.hidden1": ("Secret 42", True),
        "p1.hidden2": ("White 43", True),
    }


def test_white_text_on_a_dark_ground_is_seen() -> None:
    assert texts(read("a.pdf", page(fills(690, 30), says("On a band", 700, colour=1)))) == {
        "p1l1": ("On a band", False)
    }


def test_invisible_text_over_a_picture_is_what_the_picture_shows() -> None:
    document = read("a.pdf", page(covers, says("Recognised by a scanner", mode=3)))
    assert texts(document) == {"p1l1": ("Recognised by a scanner", False)}
    assert document.pictures == ()


def test_invisible_text_over_a_blank_part_of_a_picture_is_hidden() -> None:
    document = read("a.pdf", page(covers, says("Recognised", mode=3), says("Total 4711", 400, mode=3)))
    assert texts(document) == {"p1l1": ("Recognised", False), "p1.hidden1": ("Total 4711", True)}


def _sized(text: str, y: float, size: float, grey: float = 0.0, x: float = 60) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.setFont("Helvetica", size)
        canvas.setFillGray(grey)
        canvas.drawString(x, y, text)
        canvas.restoreState()

    return draw


def _clipped(canvas: Canvas) -> None:
    canvas.saveState()
    corner = canvas.beginPath()
    corner.rect(0, 0, 10, 10)
    canvas.clipPath(corner, stroke=0)
    canvas.drawString(60, 300, "Clipped 47")
    canvas.restoreState()


@pytest.mark.parametrize(
    "draw",
    [
        (_sized("Tiny 47", 600, 1.5),),
        (_sized("Near white 47", 600, 12, 0.97),),
        (_sized("Aside 47", 600, 12, x=-300),),
        (_sized("Above 47", 1200, 12),),
        (_sized("Below a box 47", 600, 12), fills(590, 30)),
        (_clipped,),
    ],
)
def test_text_of_which_nothing_is_drawn_is_hidden(draw: tuple[Callable[[Canvas], None], ...]) -> None:
    found = texts(read("a.pdf", page(says("Seen", 720), *draw)))
    assert [text for text, hidden in found.values() if not hidden] == ["Seen"]
    assert any("47" in text for text, hidden in found.values() if hidden)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("angle", [0, 45, 90, 180, 270])
def test_text_is_seen_however_it_or_its_page_is_turned(turn: int, angle: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(turn)
        canvas.translate(300, 300)
        canvas.rotate(angle)
        canvas.setFont("Helvetica", 6)
        canvas.setFillGray(0.7)
        canvas.drawString(20, 20, "small, grey: il.-")

    found = texts(read("a.pdf", page(draw)))
    assert found and not any(hidden for _, hidden in found.values())


def test_what_a_crop_box_cuts_off_is_hidden() -> None:
    def crops(canvas: Canvas) -> None:
        canvas.setCropBox((0, 100, 595, 842))

    found = texts(read("a.pdf", page(crops, says("Seen", 720), says("Cut off", 50))))
    assert found == {"p1l1": ("Seen", False), "p1.hidden1": ("Cut off", True)}


def test_a_page_that_is_a_picture_is_named() -> None:
    document = read("a.pdf", page(covers))
    assert (texts(document), document.pictures) == ({}, ("p1",))
    assert read("a.pdf", page()).pictures == ()


def annotated() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(page(says("Body")))))
    writer.add_annotation(0, Text(rect=(50, 550, 70, 570), text="Is 17 % right?", title_bar="Ann"))
    writer.add_annotation(0, FreeText(rect=(50, 500, 200, 520), text="See page 2"))
    writer.add_annotation(0, Link(rect=(50, 450, 200, 470), url="https://kestrel.example/a?b=1"))
    writer.add_attachment("rates é.csv", b"a,b\n")
    writer.add_metadata({"/Subject": "Rates", "/Keywords": "freight; 2026"})
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def test_remarks_links_and_embedded_files() -> None:
    document = read("a.pdf", annotated())
    found = texts(document)
    assert found["p1.comment1"] == ("Is 17 % right?", True)
    assert found["p1.note1"] == ("See page 2", False)
    assert found["p1.link1"] == ("https://kestrel.example/a?b=1", True)
    assert found["attachment1"] == ("rates é.csv", True)
    assert document.text_at("property.Keywords") == "freight; 2026"


def test_form_fields() -> None:
    def form(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="amount", value="1,250.00", x=60, y=600, width=120)
        canvas.acroForm.textfield(name="empty", value="", x=60, y=560, width=120)
        canvas.acroForm.checkbox(name="paid", checked=True, x=60, y=520)
        canvas.acroForm.checkbox(name="late", checked=False, x=60, y=480)
        canvas.acroForm.choice(name="terms", value="FCA", options=["FCA", "DAP"], x=60, y=440, width=80)

    found = texts(read("a.pdf", page(says("Form"), form)))
    assert found["field.amount"] == ("1,250.00", False)
    assert found["field.terms"] == ("FCA", False)
    assert "field.paid" in found and "field.late" not in found and "field.empty" not in found


def test_pages_look_the_same_whatever_fonts_the_machine_has() -> None:
    content = page(says("Helvetica is not embedded"))
    with opened(content) as pdf:
        picture = pictured(pdf, 0, 1.0)
    assert pypdfium2.PdfSysfontBase.SINGLETON is not None
    assert picture.getbbox() == (0, 0, 595, 842)
    assert min(picture.convert("L").tobytes()) < 90


@pytest.mark.parametrize("size", [(14400.0, 14400.0), (1e6, 1e6), (0.5, 0.5)])
def test_pages_of_any_size(size: tuple[float, float]) -> None:
    try:
        read("a.pdf", page(says("White", 0.2, colour=1), size=size))
    except Unreadable as error:
        assert error.reason in Unreadable.REASONS


def test_too_much_is_refused() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for _ in range(301):
        canvas.showPage()
    canvas.save()
    with pytest.raises(Unreadable, match="more than 300 pages"):
        read("a.pdf", target.getvalue())


def test_a_password_is_said() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(page(says("Body")))))
    writer.encrypt("secret", algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    with pytest.raises(Unreadable, match="encrypted: it is protected by a password"):
        read("a.pdf", target.getvalue())


_GOOD = [annotated(), page(covers, says("x", mode=3)), page(fills(600, 200), says("w", 650, colour=1))]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(_GOOD), st.data())
def test_damaged_files_are_read_or_refused(good: bytes, data: st.DataObject) -> None:
    spoiled = bytearray(good)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(spoiled) - 1))
        spoiled[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    if data.draw(st.booleans()):
        del spoiled[data.draw(st.integers(1, len(spoiled))) :]
    try:
        read("a.pdf", bytes(spoiled))
    except Unreadable as error:
        assert error.reason in Unreadable.REASONS
