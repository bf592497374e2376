"""Cards of contacts: read with folds and escapes undone, edited line by line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, TextEdit, edit, grids, read, read_all
from workgym.documents.limits import LIMITS
from workgym.errors import DocumentError, EditRefused, Unreadable

LINES = (
    *("BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Phone//EN", "N:Köhler;Ann;;Dr.;", "FN:Dr. Ann Köhler"),
    "ORG:Kestrel\\, Ltd;Sales\\; West",
    *("item1.TEL;TYPE=work:+49 40 555", 'TEL;TYPE="cell,voice":+49 40 556', "item1.X-ABLABEL:Desk"),
    *("BDAY:1985-04-12", "NOTE:First line\\nsecond\\, with a text that is long enough to ", " be folded", "END:VCARD"),
    *("begin:vcard", "VERSION:4.0", "fn:Bo", "URL:https://kestrel.example/a;b,c", "PHOTO;ENCODING=b:AAAA", "end:vcard"),
)
BOOK = "\r\n".join(LINES).encode() + b"\r\n"


def texts(content: bytes) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in read("a.vcf", content).fragments}


def set_text(at: str, expected: str, replacement: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=replacement)


def test_cards_are_one_grid() -> None:
    document = read("a.vcf", BOOK)
    assert texts(BOOK) == {
        "c1.VERSION": "3.0",
        "c1.PRODID": "-//Phone//EN",
        "c1.N": "Köhler;Ann;;Dr.;",
        "c1.FN": "Dr. Ann Köhler",
        "c1.ORG": "Kestrel, Ltd;Sales; West",
        "c1.TEL": "+49 40 555",
        "c1.TEL.2": "+49 40 556",
        "c1.X-ABLABEL": "Desk",
        "c1.BDAY": "1985-04-12",
        "c1.NOTE": "First line\nsecond, with a text that is long enough to be folded",
        "c2.VERSION": "4.0",
        "c2.FN": "Bo",
        "c2.URL": "https://kestrel.example/a;b,c",
        "c2.PHOTO": "AAAA",
    }
    (grid,) = grids(document)
    assert [cell.text for cell in grid.rows[1]] == ["Bo", "https://kestrel.example/a;b,c", "AAAA"]
    assert {f.at: f.value for f in document.fragments if f.value is not None} == {"c1.BDAY": "1985-04-12"}
    assert read_all({"a.vcf": BOOK})["a.vcf"] == document


@given(data=st.data())
def test_an_edit_changes_exactly_its_place(data: st.DataObject) -> None:
    content = data.draw(st.sampled_from([BOOK, BOOK.replace(b"\r\n", b"\n")]))
    fragment = data.draw(st.sampled_from([f for f in read("a.vcf", content).fragments if not f.hidden]))
    start = data.draw(st.integers(0, len(fragment.text)))
    end = data.draw(st.integers(start, len(fragment.text)))
    new = data.draw(st.text("abc XYZ,;:\\\"'äß–=\n", min_size=1, max_size=90))
    said = fragment.text[start:end]
    try:
        made = edit("a.vcf", content, [set_text(f"{fragment.at}[{start}:{end}]", said, new)])
    except EditRefused as error:
        assert "holds one line" in str(error)
        return
    wanted = texts(content) | {fragment.at: fragment.text[:start] + new + fragment.text[end:]}
    assert texts(made) == wanted
    ends = b"\r\n" if b"\r\n" in content else b"\n"
    assert max(len(line) for line in made.split(ends)) <= max(75, *(len(line) for line in content.split(ends)))
    back = edit("a.vcf", made, [set_text(f"{fragment.at}[{start}:{start + len(new)}]", new, said)])
    assert texts(back) == texts(content)


def test_lines_keep_their_groups_and_parameters() -> None:
    made = edit("a.vcf", BOOK, [set_text("c1.TEL", "+49 40 555", "1"), set_text("c1.TEL.2", "+49 40 556", "2")])
    assert b'item1.TEL;TYPE=work:1\r\nTEL;TYPE="cell,voice":2\r\n' in made
    assert made == BOOK.replace(b"+49 40 555", b"1").replace(b"+49 40 556", b"2")
    made = edit("a.vcf", BOOK, [set_text("c1.ORG[0:12]", "Kestrel, Ltd", "A; B, C")])
    assert b"ORG:A\\; B\\, C;Sales\\; West\r\n" in made
    assert b"\r\nfn:B\xc3\xb6\r\n" in edit("a.vcf", BOOK, [set_text("c2.FN", "Bo", "Bö")])


def test_properties_and_cards_go() -> None:
    cleared = edit(
        "a.vcf", BOOK, [TextEdit(at="c1.NOTE", expected=texts(BOOK)["c1.NOTE"], replacement=None, mode="clear")]
    )
    assert texts(cleared) == {at: text for at, text in texts(BOOK).items() if at != "c1.NOTE"}
    removed = edit("a.vcf", BOOK, [TextEdit(at="c1.TEL", expected="+49 40 555", replacement=None, mode="remove_row")])
    assert removed == BOOK[BOOK.index(b"begin:vcard") :]


def test_what_is_refused() -> None:
    for change, message in (
        (set_text("c3.FN", "", "x"), r"no place c3\.FN"),
        (set_text("c1.FN", "Ann", "x"), "says 'Dr. Ann"),
        (set_text("c2.URL", "https://kestrel.example/a;b,c", "a\nb"), "holds one line"),
        (TextEdit(at="c1.FN", expected="Dr. Ann Köhler", replacement=None, mode="insert_row", cells=("x",)), "no rows"),
    ):
        with pytest.raises(EditRefused, match=message):
            edit("a.vcf", BOOK, [change])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"hello", "corrupt"),
        (b"FN:x", "corrupt"),
        (b"BEGIN:VCARD\nFN:x", "truncated"),
        (b"BEGIN:VCARD\nBEGIN:VCARD\n", "corrupt"),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "corrupt"),
        (b"BEGIN:VCARD\n" + b"A:1\n" * (LIMITS.lines + 1) + b"END:VCARD\n", "over-limit"),
        (b"BEGIN:VCARD\nFN" + b";a=a" * 200_000 + b"\nEND:VCARD\n", "corrupt"),
        (b"BEGIN:VCARD\nFN" + b';a="' * 200_000 + b"\nEND:VCARD\n", "corrupt"),
    ],
)
def test_what_is_no_card(content: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read("a.vcf", content)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


@given(data=st.data())
def test_random_damage(data: st.DataObject) -> None:
    damaged = bytearray(BOOK)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    with contextlib.suppress(DocumentError):
        document = read("a.vcf", bytes(damaged))
        assert isinstance(document, Document)
        edit("a.vcf", bytes(damaged), [set_text(document.fragments[0].at, document.fragments[0].text, "x")])
