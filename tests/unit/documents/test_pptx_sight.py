"""What cannot be seen on a slide is marked so, and what can be is not: with decks made by python-pptx."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

from workgym.documents import TextEdit, edit, read

from .decks import texts

WHITE, BLACK, NAVY = RGBColor(255, 255, 255), RGBColor(0, 0, 0), RGBColor(0, 0, 96)


class Page:
    """A blank slide that is drawn on; its text boxes are three inches wide and one high."""

    def __init__(self) -> None:
        self.deck = Presentation()
        self.slide = self.deck.slides.add_slide(self.deck.slide_layouts[6])

    def text(self, said: str = "secret", colour: RGBColor | None = None, left: float = 1) -> object:
        box = self.slide.shapes.add_textbox(Inches(left), Inches(1), Inches(3), Inches(1))
        run = box.text_frame.paragraphs[0].add_run()
        run.text = said
        if colour is not None:
            run.font.color.rgb = colour
        return box

    def block(self, colour: RGBColor, left: float = 0.5, width: float = 4, form: int = MSO_SHAPE.RECTANGLE) -> object:
        shape = self.slide.shapes.add_shape(form, Inches(left), Inches(0.5), Inches(width), Inches(2))
        shape.fill.solid()
        shape.fill.fore_color.rgb = colour
        return shape

    def saved(self) -> bytes:
        target = io.BytesIO()
        self.deck.save(target)
        return target.getvalue()


def _run(box: object) -> object:
    return box.text_frame.paragraphs[0].runs[0]  # type: ignore[attr-defined]


def white_on_the_slide(page: Page) -> None:
    page.text(colour=WHITE)


def white_by_the_theme(page: Page) -> None:
    _run(page.text()).font.color.theme_color = MSO_THEME_COLOR.BACKGROUND_1  # type: ignore[attr-defined]


def dark_on_a_dark_ground(page: Page) -> None:
    page.slide.background.fill.solid()
    page.slide.background.fill.fore_color.rgb = NAVY
    page.text(colour=RGBColor(0, 0, 100))


def black_as_usual_on_a_black_shape(page: Page) -> None:
    page.block(BLACK)
    page.text()


def white_on_its_own_white_fill(page: Page) -> None:
    page.block(BLACK)
    box = page.text(colour=WHITE)
    box.fill.solid()  # type: ignore[attr-defined]
    box.fill.fore_color.rgb = WHITE  # type: ignore[attr-defined]


def letters_of_one_point(page: Page) -> None:
    _run(page.text()).font.size = Pt(1)  # type: ignore[attr-defined]


def a_shape_over_it(page: Page) -> None:
    page.text()
    page.block(NAVY)


def white_on_the_masters_white(page: Page) -> None:
    fill = page.slide.slide_layout.slide_master.background.fill
    fill.solid()
    fill.fore_color.rgb = WHITE
    page.text(colour=WHITE)


def white_in_a_white_cell(page: Page) -> None:
    table = page.slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(3), Inches(1)).table
    cell = table.cell(0, 0)
    cell.fill.solid()
    cell.fill.fore_color.rgb = WHITE
    cell.text = "secret"
    cell.text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE


def black_on_the_slide(page: Page) -> None:
    page.text("plain", colour=BLACK)
    page.text("as usual", left=5)


def white_on_a_dark_ground(page: Page) -> None:
    page.slide.background.fill.solid()
    page.slide.background.fill.fore_color.rgb = NAVY
    page.text(colour=WHITE)


def white_on_a_dark_shape(page: Page) -> None:
    page.block(NAVY)
    page.text(colour=WHITE)


def white_by_the_shapes_style(page: Page) -> None:
    """What PowerPoint draws by itself: white letters on the accent's blue."""
    shape = page.slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(1), Inches(1), Inches(3), Inches(1))
    shape.text_frame.text = "secret"


def white_half_on_a_dark_shape(page: Page) -> None:
    page.block(NAVY, width=2)
    page.text(colour=WHITE)


def a_shape_over_half_of_it(page: Page) -> None:
    page.text()
    page.block(NAVY, width=2)


def a_cloud_over_it(page: Page) -> None:
    page.text()
    page.block(NAVY, form=MSO_SHAPE.CLOUD)


def white_over_a_gradient(page: Page) -> None:
    page.slide.background.fill.gradient()
    page.text(colour=WHITE)


UNSEEN = (
    white_on_the_slide,
    white_by_the_theme,
    dark_on_a_dark_ground,
    black_as_usual_on_a_black_shape,
    white_on_its_own_white_fill,
    letters_of_one_point,
    a_shape_over_it,
    white_on_the_masters_white,
    white_in_a_white_cell,
)
SEEN = (
    black_on_the_slide,
    white_on_a_dark_ground,
    white_on_a_dark_shape,
    white_by_the_shapes_style,
    white_half_on_a_dark_shape,
    a_shape_over_half_of_it,
    a_cloud_over_it,
    white_over_a_gradient,
)


@pytest.mark.parametrize("draw", UNSEEN)
def test_what_nobody_can_see_is_hidden(draw: Callable[[Page], None]) -> None:
    page = Page()
    draw(page)
    found = read("a.pptx", page.saved()).fragments
    (secret,) = [one for one in found if one.text == "secret"]
    assert secret.hidden and secret.at.endswith(".vanished")


@pytest.mark.parametrize("draw", SEEN)
def test_what_can_be_seen_is_not(draw: Callable[[Page], None]) -> None:
    page = Page()
    draw(page)
    found = read("a.pptx", page.saved()).fragments
    assert [one.at for one in found if one.at.endswith(".vanished")] == []
    assert [one.hidden for one in found if one.text in ("secret", "plain", "as usual")].count(True) == 0


def test_a_hidden_run_beside_a_visible_one_stays_as_it_is_when_the_text_is_edited() -> None:
    page = Page()
    box = page.text("Freight is 2.05")
    run = box.text_frame.paragraphs[0].add_run()  # type: ignore[attr-defined]
    run.text, run.font.color.rgb = " or 9.99", WHITE
    content = page.saved()
    said = texts(read("a.pptx", content))
    assert (said["s1p1"], said["s1p1.vanished"]) == ("Freight is 2.05", " or 9.99")
    change = TextEdit(at="s1p1", expected="Freight is 2.05", replacement="Freight is 2.15")
    said = texts(read("a.pptx", edit("a.pptx", content, [change])))
    assert (said["s1p1"], said["s1p1.vanished"]) == ("Freight is 2.15", " or 9.99")
