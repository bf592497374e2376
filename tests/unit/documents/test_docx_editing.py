"""Edits of Word documents: a place changes, and everything around it keeps its bytes."""

from __future__ import annotations

import contextlib
import io
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import edit, read
from workgym.errors import EditRefused, Unreadable

from .wordfiles import BOX, COMMENTS, FOOTNOTES, cell, change, ins, made, p, parts, row, struck, t, table, texts


def test_an_edit_within_an_insertion_but_not_of_struck_text() -> None:
    content = made(p(t("Due in "), struck("14"), ins(t("30", "<w:b/>")), t(" days")))
    new = edit("a.docx", content, [change("p1[7:9]", "30", "45")])
    assert texts(new) == {"p1": "Due in 45 days", "p1.del1": "14"}
    assert parts(new)["word/document.xml"] == parts(content)["word/document.xml"].replace(b">30<", b">45<")
    with pytest.raises(EditRefused, match=r"p1.del1 is struck text, which stays as it was"):
        edit("a.docx", content, [change("p1.del1", "14", "15")])
    with pytest.raises(EditRefused, match=r"has no place p1.vanished"):
        edit("a.docx", content, [change("p1.vanished", "", "15")])


def test_notes_comments_and_boxes_change() -> None:
    content = made(
        p(t("Text"), BOX), {"footnotes.xml": ("footnotes", FOOTNOTES), "comments.xml": ("comments", COMMENTS)}
    )
    edits = [change("n1[12:13]", "4", "6"), change("c1", "why so?", "how so?"), change("x1", "In a box", "boxed")]
    new = edit("a.docx", content, edits)
    found = texts(new)
    assert (found["n1"], found["c1"], found["x1"]) == (" See clause 6.\nAnd 5.", "how so?", "boxed")
    changed = {name for name, old in parts(content).items() if parts(new)[name] != old}
    assert changed == {"word/footnotes.xml", "word/comments.xml", "word/document.xml"}
    assert parts(new)["word/document.xml"].count(b">boxed<") == 2  # also in the copy for older programs


HEAD = "<w:tblHeader/><w:cantSplit/>"
WHITE = '<w:color w:val="FFFFFF"/>'
DARK = '<w:shd w:val="clear" w:fill="1F3864"/>'
LEDGER = table(
    row(cell(p(t("Item", WHITE)), props=DARK), cell(p(t("Price", WHITE)), props=DARK), props=HEAD),
    row(cell(p(t("a", "<w:b/>"), style='<w:jc w:val="left"/>'), props='<w:shd w:fill="F5F6F8"/>'), cell(p(t("1")))),
    row(cell(p(t("both")), props='<w:gridSpan w:val="2"/>')),
)


def test_rows_are_added_to_tables() -> None:
    content = made(LEDGER + p(t("after")))
    new = edit(
        "a.docx",
        content,
        [
            change("t1r2c2", "1", None, "insert_row", ("b & c", 2)),
            change("t1r1c1", "Item", None, "insert_row", ("z", None)),
            change("t1r3c1", "both", None, "insert_row", ("wide",)),
        ],
    )
    assert texts(new) == {
        "t1r1c1": "Item",
        "t1r1c2": "Price",
        "t1r2c1": "z",
        "t1r3c1": "a",
        "t1r3c2": "1",
        "t1r4c1": "b & c",
        "t1r4c2": "2",
        "t1r5c1": "both",
        "t1r6c1": "wide",
        "p1": "after",
    }
    xml = parts(new)["word/document.xml"].decode()
    assert xml.count("<w:tblHeader/>") == 1 and xml.count('<w:shd w:fill="F5F6F8"/>') == 3
    copy = '<w:tc><w:tcPr><w:shd w:fill="F5F6F8"/></w:tcPr><w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/>'
    assert xml.count(copy) == 3
    for cells, why in (((1, 2, 3), "no cell of its own for 3"), (("a\nb",), "line breaks")):
        with pytest.raises(EditRefused, match=why):
            edit("a.docx", content, [change("t1r2c1", "a", None, "insert_row", cells)])
    with pytest.raises(EditRefused, match="no cell of its own for 'x'"):
        edit("a.docx", content, [change("t1r3c1", "both", None, "insert_row", ("w", "x"))])
    tall = table(row(cell(p(t("A")), props="<w:vMerge/>"), cell(p(t("B")))))
    with pytest.raises(EditRefused, match="shares a cell"):
        edit("a.docx", made(tall), [change("t1r1c2", "B", None, "insert_row", ("x",))])


def test_paragraphs_are_added() -> None:
    style = '<w:pStyle w:val="ListNumber"/><w:pageBreakBefore/><w:rPr><w:ins w:id="1" w:author="A"/></w:rPr>'
    content = made(p(ins(t("one", "<w:i/>")), style=style) + p(t("two")))
    twice = [change("p1", "one", None, "insert_row", ("same",))] * 2
    new = edit("a.docx", content, [*twice, change("p2", "two", "2")])
    assert list(texts(new).values()) == ["one", "same", "same", "2"]
    copy = '<w:p><w:pPr><w:pStyle w:val="ListNumber"/><w:rPr></w:rPr></w:pPr><w:r><w:rPr><w:i/></w:rPr>'
    assert parts(new)["word/document.xml"].decode().count(copy) == 2
    last = made(p(t("end"), style="<w:sectPr/>"))
    for file, at, text, cells, why in (
        (content, "p1", "one", ("a", "b"), "a new paragraph has one text"),
        (last, "p1", "end", ("a",), "ends a section"),
        (made(p(), {"comments.xml": ("comments", COMMENTS)}), "c1", "why so?", ("a",), "only behind a paragraph"),
    ):
        with pytest.raises(EditRefused, match=why):
            edit("a.docx", file, [change(at, text, None, "insert_row", cells)])


def test_paragraphs_on_which_something_hangs_stay() -> None:
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    for hanging, why in (
        (note, "a note hangs on it"),
        ('<w:commentRangeStart w:id="1"/>', "goes over its end"),
        (begin, "a field goes over its end"),
    ):
        with pytest.raises(EditRefused, match=why):
            edit("a.docx", made(p(t("x"), hanging)), [change("p1", "x", None, "remove_row")])


WORDS = st.text(alphabet="abc &<>\"'é語19.,;=*{}", min_size=1, max_size=10).map(lambda text: f"q{text}z")
RUNS = st.tuples(st.sampled_from(["plain", "bold", "ins", "del", "vanish", "link", "sdt"]), WORDS)
BLOCKS = st.lists(st.tuples(st.sampled_from(["p", "cell", "box"]), st.lists(RUNS, max_size=4)), min_size=1, max_size=5)


def rendered(runs: list[tuple[str, str]]) -> str:
    forms = {
        "plain": t,
        "bold": lambda text: t(text, "<w:b/>"),
        "ins": lambda text: ins(t(text)),
        "del": struck,
        "vanish": lambda text: t(text, "<w:vanish/>"),
        "link": lambda text: f'<w:hyperlink w:anchor="x">{t(text)}</w:hyperlink>',
        "sdt": lambda text: f"<w:sdt><w:sdtContent>{t(text)}</w:sdtContent></w:sdt>",
    }
    return p(*(forms[kind](text) for kind, text in runs))


def document(content: list[tuple[str, list[tuple[str, str]]]]) -> tuple[bytes, dict[str, str]]:
    """A document of these blocks, and what is to be read of it."""
    wanted: dict[str, str] = {}
    body, count = "", {"p": 0, "cell": 0, "box": 0}
    for kind, runs in content:
        count[kind] += 1
        name = {"p": "p{}", "cell": "t{}r1c1", "box": "x{}"}[kind].format(count[kind])
        if kind == "box":
            count["p"] += 1
            body += p(
                f"<w:r><w:pict><v:textbox><w:txbxContent>{rendered(runs)}</w:txbxContent></v:textbox></w:pict></w:r>"
            )
        else:
            body += rendered(runs) if kind == "p" else table(row(cell(rendered(runs))))
        if count["p"] and kind == "p":
            name = f"p{count['p']}"
        shown = "".join(text for form, text in runs if form not in ("del", "vanish"))
        wanted |= {name: shown} if shown else {}
        gone = [text for form, text in runs if form == "del"]
        wanted |= {f"{name}.del{number}": text for number, text in enumerate(gone, 1)}
        vanished = "".join(text for form, text in runs if form == "vanish")
        wanted |= {f"{name}.vanished": vanished} if vanished else {}
    return made(body), wanted


@given(content=BLOCKS, data=st.data())
def test_random_documents_are_read_and_edited(content: Any, data: st.DataObject) -> None:
    file, wanted = document(content)
    assert texts(file) == wanted
    open_to_edits = sorted(at for at in wanted if ".del" not in at and ".vanished" not in at)
    if not open_to_edits:
        return
    at = data.draw(st.sampled_from(open_to_edits))
    text = wanted[at]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(st.one_of(WORDS, st.just("")))
    after = text[:start] + new + text[end:]
    edited = edit("a.docx", file, [change(f"{at}[{start}:{end}]", text[start:end], new)])
    assert texts(edited) == wanted | {at: after} if after.strip() else {k: v for k, v in wanted.items() if k != at}
    others = [name for name in parts(file) if name != "word/document.xml"]
    assert all(parts(edited)[name] == parts(file)[name] for name in others)
    if after.strip():
        assert texts(edit("a.docx", edited, [change(at, after, text)])) == wanted
    if not at.startswith("x"):
        more = edit("a.docx", file, [change(at, text, None, "insert_row", ("brand new",))])
        assert sorted([*wanted.values(), "brand new"]) == sorted(texts(more).values())


GOOD = made(
    p(t("Text"), BOX, struck("gone")) + LEDGER + p(ins(t("new"))),
    {"footnotes.xml": ("footnotes", FOOTNOTES), "comments.xml": ("comments", COMMENTS)},
)


@given(data=st.data())
def test_damaged_documents_are_refused_and_never_more(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["word/document.xml", "word/footnotes.xml", "word/_rels/document.xml.rels"]))
    xml = bytearray(parts(GOOD)[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(xml) - 1))
        cut = data.draw(st.integers(0, 40))
        xml[at : at + cut] = data.draw(st.sampled_from([b"", b"<w:tbl>", b"</w:p>", b"w:val='x'", b"\xff", b"9"]))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, content in parts(GOOD).items():
            archive.writestr(part, bytes(xml) if part == name else content)
    try:
        found = texts(read("a.docx", out.getvalue()))
    except Unreadable:
        found = {}
    with contextlib.suppress(EditRefused, Unreadable):
        edit("a.docx", out.getvalue(), [change("p2", found.get("p2", ""), "other")])
