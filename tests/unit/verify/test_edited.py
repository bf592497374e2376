"""Given logs, texts, papers and trees that are filled in or extended: what is no damage, what is, and where."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from itertools import pairwise

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import read
from workgym.graph import area
from workgym.verify.edited.alignment import pairs
from workgym.verify.edited.compare import compare, unresolved
from workgym.verify.edited.damage import Compared


def compared(areas: tuple[str, ...], after: bytes, before: bytes, name: str) -> Compared:
    wanted = [area(name, written) for written in areas]
    return compare(wanted, read(name, before), read(name, after), before, after)


LOG = b"Id,Amount,Note\n1,10.50,a\n2,7,\n"


@pytest.mark.parametrize(
    ("areas", "after", "places"),
    [
        (("+rows",), LOG + b"3,9,c\n", []),
        (("+rows",), LOG.replace(b"\n", b"\r\n") + b'"3","9","c"\r\n', []),
        (("+rows",), b"Id,Amount,Note\n1,10.5,a\n2,7.0,\n3,9.0,c\n", []),  # as pandas writes it
        (("+rows",), LOG.replace(b"10.50", b"10.51") + b"3,9,c\n", ["r2c2"]),
        (("+rows",), b"Id,Amount,Note\n3,9,c\n1,10.50,a\n2,7,\n", ["r2c1", "r2c2", "r2c3"]),
        (("+rows",), b"Id,Amount,Note\n2,7,\n3,9,c\n", ["r2c1", "r2c2", "r2c3"]),
        (("+rows",), b"Id,Amount,Note,Mine\n1,10.50,a,x\n2,7,,y\n", ["r1c4", "r2c4", "r3c4"]),
        (("+columns",), b"Id,Amount,Note,Mine\n1,10.50,a,x\n2,7,,y\n", []),
        (("[Note]",), b"Id,Amount,Note\n1,10.50,z\n2,7,y\n", []),
        (("r3c3",), b"Id,Amount,Note\n1,10.50,z\n2,7,y\n", ["r2c3"]),
        (("+rows",), LOG.replace(b"1,10", b"01,10"), ["r2c1"]),
    ],
)
def test_a_log_is_extended(areas: tuple[str, ...], after: bytes, places: list[str]) -> None:
    assert [one.place for one in compared(areas, after, LOG, "log.csv").damage] == places


NOTES = b"# Minutes\n\n## Present\n\nAll.\n\n## Decisions\n\nNone yet.\n\n## Next\n\nSoon.\n"


@pytest.mark.parametrize(
    ("areas", "old", "new", "places"),
    [
        (("[Decisions]",), b"None yet.", b"We pay.\n\n- at once\n\n### Why\n\nIt is due.", []),
        (("[Decisions]",), b"None yet.\n\n", b"", []),
        (("l9",), b"None yet.", b"We pay.", []),
        (("+end",), b"Soon.\n", b"Soon.\n\nSigned.\n", []),
        (("[Decisions]",), b"All.", b"Nobody.", ["l5"]),
        (("[Decisions]",), b"Soon.\n", b"Soon.\n\nSigned.\n", ["l15"]),
        (("[Decisions]",), b"## Next\n\nSoon.\n", b"", ["l11", "l13"]),
        (("[Decisions]",), b"## Decisions", b"## Resolved", ["l7"]),
    ],
)
def test_a_text_is_filled_in(areas: tuple[str, ...], old: bytes, new: bytes, places: list[str]) -> None:
    after = NOTES.replace(old, new)
    assert after != NOTES
    assert [one.place for one in compared(areas, after, NOTES, "notes.md").damage] == places


def paper(change: Callable[[docx.document.Document], None] | None = None) -> bytes:
    word = docx.Document()
    word.add_heading("Report", 0)
    word.add_heading("Findings", 1)
    word.add_paragraph("Fill in.")
    word.add_heading("Costs", 1)
    table = word.add_table(3, 3)
    for at, text in enumerate(["Item", "Asked", "Granted", "Travel", "200", "", "Books", "80", ""]):
        table.cell(at // 3, at % 3).text = text
    word.add_paragraph("Kept on file.")
    if change is not None:
        change(word)
    made = io.BytesIO()
    word.save(made)
    return made.getvalue()


def grant(word: docx.document.Document) -> None:
    word.tables[0].cell(1, 2).text = "150"
    word.paragraphs[2].text = "All is in order."
    word.paragraphs[2].insert_paragraph_before("We looked at it.")


def cut(word: docx.document.Document) -> None:
    grant(word)
    word.tables[0].cell(2, 1).text = "8"
    word.paragraphs[-1].text = "Thrown away."


def test_a_word_document_is_filled_in_by_section_and_column() -> None:
    areas = ("[Findings]", "t1![Granted]")
    assert compared(areas, paper(grant), paper(), "report.docx").damage == ()
    damage = compared(areas, paper(cut), paper(), "report.docx").damage
    assert {(one.place, one.expected, one.found) for one in damage} == {
        ("t1r3c2", "80", "8"),
        ("p6", "Kept on file.", "Thrown away."),
    }
    assert {one.place for one in compared(("[Findings]",), paper(grant), paper(), "report.docx").damage} == {"t1r2c3"}


TREE = b'{"orders": [{"id": 1, "ok": null}, {"id": 2, "ok": null}], "log": [{"by": "Ada"}], "year": 2026}'


@pytest.mark.parametrize(
    ("areas", "old", "new", "places"),
    [
        (("/orders/*/ok",), b'1, "ok": null', b'1, "ok": true', []),
        (("/orders/0",), b'2, "ok": null', b'2, "ok": true', ["/orders/1/ok"]),
        (("/log/-",), b'{"by": "Ada"}', b'{"by": "Ada"}, {"by": "Bo"}', []),
        (("/log/-",), b'{"by": "Ada"}', b'{"by": "Bo"}, {"by": "Ada"}', ["/log/0/by"]),
        (("/log/-",), b', "year": 2026', b"", ["/year"]),
        (("/log/-",), b"2026}", b'2026, "more": 1}', ["/more"]),
    ],
)
def test_a_tree_is_filled_in(areas: tuple[str, ...], old: bytes, new: bytes, places: list[str]) -> None:
    after = TREE.replace(old, new)
    assert after != TREE
    assert [one.place for one in compared(areas, after, TREE, "orders.json").damage] == places


@pytest.mark.parametrize(
    ("path", "written", "says"),
    [
        ("a.xlsx", "[Approved]", "names no sheet"),
        ("a.xlsx", "Form!", "is no area of a table"),
        ("a.xlsx", "Form!D9:D2", "ends before it begins"),
        ("a.csv", "Form!A1", "is no area of a table"),
        ("a.txt", "[Decisions]", "is no area of a text"),
        ("a.docx", "l4:l2", "ends before it begins"),
        ("a.json", "orders", "is no part of a tree"),
        ("a.pdf", "p1l3", "cannot be edited in place"),
    ],
)
def test_an_area_that_cannot_be_is_refused(path: str, written: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        area(path, written)


@settings(max_examples=200, deadline=None)
@given(before=st.lists(st.sampled_from("abcdefg")), after=st.lists(st.sampled_from("abcdefg")))
def test_alignment_pairs_what_is_alike_and_rises(before: list[str], after: list[str]) -> None:
    found = pairs(before, after)
    assert all(before[one] == after[other] for one, other in found)
    assert all(one < two and other < another for (one, other), (two, another) in pairwise(found))
    assert pairs(before, before) == [(at, at) for at in range(len(before))]


@pytest.mark.parametrize("line", ["the same", "line {at}"])
def test_a_long_log_is_compared_in_little_time(line: str) -> None:
    lines = [line.format(at=at) for at in range(30_000)]
    changed_lines = [f"{text}!" if at % 2 else text for at, text in enumerate(lines)]
    before, after = ("\n".join(texts).encode() for texts in (lines, changed_lines))
    start = time.process_time()
    damage = compared(("+end",), after, before, "a.log").damage
    assert time.process_time() - start < 20
    assert len(damage) >= 15_000
    assert compared(("+end",), before + b"\nmore", before, "a.log").damage == ()


def test_places_of_a_text_that_are_not_there_are_told() -> None:
    text = {one: area("n.md", one) for one in ("[Decisions]", "[Decided]", "l9", "l99")}
    assert unresolved(text, read("n.md", NOTES)) == ("[Decided]", "l99")
