"""Decks whose text is too much: smaller, then on a further slide, else refused; never over the edge."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import read
from workgym.errors import MaterializeError
from workgym.materialize import Scope
from workgym.materialize.look.look import look_of
from workgym.materialize.pptx.text import Meter

from .decks import Worlds, opened, texts, written


def test_what_does_not_fit_becomes_smaller_and_then_goes_on(scope: Scope) -> None:
    def sizes(count: int) -> tuple[int, set[int]]:
        points = "".join(f"- point {{{{ {at} | decor }}}} of the list\n" for at in range(count))
        deck = opened(written(scope, f"# A list\n\n{points}"))
        found = {
            run.font.size.pt
            for slide in deck.slides
            for paragraph in slide.placeholders[1].text_frame.paragraphs
            for run in paragraph.runs
        }
        return len(deck.slides), found

    assert sizes(5) == (1, {20})
    assert sizes(14)[0] == 1 and max(sizes(14)[1]) < 20
    assert sizes(40)[0] == 3
    carrier = written(scope, "# A list\n\n" + "".join(f"{at}. x\n" for at in range(1, 61)))
    found = texts(read("a.pptx", carrier.content))
    assert [found["s1p1"], found["s2p1"]] == ["A list", "A list (2)"]
    assert sum(text == "x" for text in found.values()) == 60
    with zipfile.ZipFile(io.BytesIO(carrier.content)) as archive:
        assert 'startAt="1"' in archive.read("ppt/slides/slide1.xml").decode()
        assert 'startAt="1"' not in archive.read("ppt/slides/slide2.xml").decode()


def test_a_long_table_goes_on_under_its_heading_row(scope: Scope) -> None:
    body = "".join(f"| {{{{ {at} | decor }}}} | day |\n" for at in range(90))
    found = texts(read("a.pptx", written(scope, f"# T\n\n| N | Day |\n|--:|---|\n{body}").content))
    heads = [at for at, text in found.items() if text == "Day"]
    assert len(heads) >= 4
    assert all(at.endswith("t1r1c2") for at in heads)
    assert [text for at, text in found.items() if "t1" in at and at.endswith("c1") and text != "N"] == [
        str(at) for at in range(90)
    ]


def test_a_wide_table_is_set_smaller(scope: Scope) -> None:
    table = "| " + " | ".join(["Wettbewerbsbedingung"] * 6) + " |\n" + "|--" * 6 + "|\n"
    (slide,) = opened(written(scope, f"# A\n\n{table}")).slides
    cell = next(shape.table for shape in slide.shapes if shape.has_table).cell(0, 0)
    assert cell.text_frame.paragraphs[0].runs[0].font.size.pt < 12


WORDS = st.text(st.sampled_from("abcdefgh WMil東 "), min_size=1, max_size=140)
BLOCKS = st.lists(
    st.one_of(
        WORDS.map(lambda t: f"- {t}\n"),
        WORDS.map(lambda t: f"  - {t}\n"),
        WORDS.map(lambda t: f"\n{t}\n\n"),
        WORDS.map(lambda t: f"\n## {t[:50]}\n\n"),
        st.integers(1, 12).map(lambda n: "\n| A | B |\n|---|---|\n" + "| some words | more words here |\n" * n + "\n"),
    ),
    max_size=14,
)


@settings(max_examples=20, deadline=None)
@given(blocks=BLOCKS, company=st.sampled_from(["Nordpak GmbH", "Orbis & Co", "Glenmark Plastics", "Tarn Foods"]))
def test_everything_stands_on_its_slide(world: Worlds, blocks: list[str], company: str) -> None:
    deck = opened(written(world(), f"---\ncompany: {company}\n---\n# A title\n\n" + "".join(blocks)))
    body = Meter(look_of(company).body_font)
    for slide in deck.slides:
        feet = min((shape.top for shape in slide.placeholders if shape.placeholder_format.idx == 3), default=6_858_000)
        below = 0
        for shape in slide.shapes:
            if shape.is_placeholder and shape.placeholder_format.idx != 1:
                continue
            assert below <= shape.top and shape.top + shape.height <= feet
            below = shape.top + shape.height
            if shape.has_table:
                assert sum(row.height for row in shape.table.rows) <= shape.height + 12_700
            else:
                needed = 0.0
                for paragraph in shape.text_frame.paragraphs:
                    size = max((run.font.size.pt for run in paragraph.runs), default=0)
                    needed += size * max(1, body.width(paragraph.text, size) * 12_700 // shape.width)
                assert needed * 12_700 <= shape.height


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("text\n# A\n", "begins with its title"),
        ("", "needs a slide"),
        ("---\ntitel: x\n---\n# A\n", "did you mean title"),
        ("# \n", "begins with its title|no title"),
        ("# A\n```chart colum X\n| a | b |\n|--|--|\n| x | 1 |\n```\n", "did you mean column"),
        ("# A\n```chart column X\n| a | b |\n|--|--|\n| x | one |\n```\n", "'one' is no number"),
        ("# A\n```chart column X\n| a | b |\n|--|--|\n| x | 1.234,50 |\n```\n", "no number that a chart can show"),
        ("# A\n```chart pie X\n| a | b | c |\n|--|--|--|\n| x | 1 | 2 |\n```\n", "a pie has one series"),
        ("# A\n```chart pie X\n| a | b |\n", "closing ``` is missing"),
        ("# A\n```chart pie X\ntext\n```\n", "a table is all"),
        ("# A\n```python\nx\n```\n", "begins a chart here"),
        ("# A\nNotes: x\n\n| a |\n|--|\n", "no tables"),
        ("# " + "long title " * 30 + "\n", "too long for a slide"),
        ("# A\n\n" + "a very long paragraph " * 200, "too long for a slide"),
        ("# A\n\n| " + " | ".join(["wordwordword"] * 14) + " |\n" + "|--" * 14 + "|\n", "too wide for a slide"),
        ("---\ntitle: " + "long " * 80 + "\n---\n# A\n", "too long for the title slide"),
    ],
)
def test_what_is_refused(scope: Scope, template: str, said: str) -> None:
    with pytest.raises(MaterializeError, match=said):
        written(scope, template)


def test_footnotes_breaks_and_many_charts(scope: Scope) -> None:
    chart = "```chart bar B\n| n | v |\n|--|--|\n| a | 1 |\n```\n"
    template = f"# A\n\nSaid[^1].\n\n[^1]: by whom\n{chart * 3}\n# B\n\none\n\n<!-- page -->\n\ntwo\n"
    found = texts(read("a.pptx", written(scope, template).content))
    assert [found["s1p2"], found["s1p3"]] == ["Said[1].", "[1] by whom"]
    assert [found["s2p1"], found["s2c2"], found["s3p1"], found["s3c1"]] == ["A (2)", "B", "A (3)", "B"]
    assert [found["s4p2"], found["s5p1"], found["s5p2"]] == ["one", "B (2)", "two"]


def test_merged_headings_levels_and_accepted_changes(scope: Scope) -> None:
    head = "| | 2026 | < |\n| Lane | Q1 | Q2 |\n|---|--:|--:|\n"
    body = "".join(f"| L{at} | {at} | {at} |\n" for at in range(40))
    template = f"# A\n\n- one\n  - two\n    - three {{~~old~>new~~}}\n\n{head}{body}"
    carrier = written(scope, template)
    found = texts(read("a.pptx", carrier.content))
    assert found["s1p4"] == "three new"
    tables = [shape.table for slide in opened(carrier).slides for shape in slide.shapes if shape.has_table]
    assert len(tables) > 1
    for table in tables:
        assert (table.cell(0, 1).span_width, table.cell(0, 2).is_spanned) == (2, True)
        assert [cell.text for cell in table.rows[1].cells] == ["Lane", "Q1", "Q2"]
    assert [p.level for p in opened(carrier).slides[0].placeholders[1].text_frame.paragraphs] == [0, 1, 2]
