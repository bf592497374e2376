"""XML data: read with places that people can follow, edited by position, and nothing else changed."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read
from workgym.documents.grids.find import contexts, grids
from workgym.errors import DocumentError, EditRefused, Unreadable

FILE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Orders of March -->
<?pi a b?>
<orders xmlns="urn:orders" xmlns:c="urn:common" date='2026-03-01'>
  <order id="A-1" c:state="open &amp; new">
    <buyer>Köhler &amp; Söhne</buyer>
    <amount currency="EUR">1234.50</amount> <!-- net -->
    <line><c:item>Box</c:item><qty>3</qty></line>
    <line><c:item>Bag</c:item><qty>4</qty></line>
  </order>
  <order id="A-2">
    <buyer>
      Orbis
    </buyer>
    <amount currency="USD">7</amount>
    <!-- to be
         split -->
    <line><c:item>Box</c:item><qty>5</qty></line>
    <note/>
  </order>
  <order id="A-3">
    <buyer><![CDATA[<Tarn>]]></buyer>
    <amount currency="">8</amount>
    <tag>red</tag><tag>blue</tag>
  </order>
  <remark>Deliver <b>early</b>, please.</remark>
</orders>
""".encode()


def texts(content: bytes) -> dict[str, str]:
    """What it says, comments by their order."""
    fragments = read("a.xml", content).fragments
    remarks = {f"remark {number}": one.text for number, one in enumerate(one for one in fragments if one.at[0] == "l")}
    return {fragment.at: fragment.text for fragment in fragments if fragment.at[0] == "/"} | remarks


def change(at: str, expected: str, replacement: str | None) -> TextEdit:
    mode = "clear" if replacement is None else "set"
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": replacement, "mode": mode})


def row(at: str, expected: str, *cells: Any) -> TextEdit:
    mode = "insert_row" if cells else "remove_row"
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": None, "mode": mode, "cells": cells})


def test_places_texts_and_labels() -> None:
    found = {fragment.at: fragment for fragment in read("a.xml", FILE).fragments}
    assert [(at, one.text) for at, one in found.items() if not one.hidden] == [
        ("/orders/@date", "2026-03-01"),
        ("/orders/order[1]/@id", "A-1"),
        ("/orders/order[1]/@c:state", "open & new"),
        ("/orders/order[1]/buyer", "Köhler & Söhne"),
        ("/orders/order[1]/amount/@currency", "EUR"),
        ("/orders/order[1]/amount", "1234.50"),
        ("/orders/order[1]/line[1]/c:item", "Box"),
        ("/orders/order[1]/line[1]/qty", "3"),
        ("/orders/order[1]/line[2]/c:item", "Bag"),
        ("/orders/order[1]/line[2]/qty", "4"),
        ("/orders/order[2]/@id", "A-2"),
        ("/orders/order[2]/buyer", "Orbis"),
        ("/orders/order[2]/amount/@currency", "USD"),
        ("/orders/order[2]/amount", "7"),
        ("/orders/order[2]/line/c:item", "Box"),
        ("/orders/order[2]/line/qty", "5"),
        ("/orders/order[3]/@id", "A-3"),
        ("/orders/order[3]/buyer", "<Tarn>"),
        ("/orders/order[3]/amount", "8"),
        ("/orders/order[3]/tag[1]", "red"),
        ("/orders/order[3]/tag[2]", "blue"),
        ("/orders/remark/text()[1]", "Deliver "),
        ("/orders/remark/b", "early"),
        ("/orders/remark/text()[2]", ", please."),
    ]
    assert [(at, one.text) for at, one in found.items() if one.hidden] == [
        ("/orders/@xmlns", "urn:orders"),
        ("/orders/@xmlns:c", "urn:common"),
        ("l2.comment", "Orders of March"),
        ("l3.instruction", "pi a b"),
        ("l7.comment", "net"),
        ("l16.comment", "to be split"),
    ]
    assert found["/orders/order[1]/line[1]/c:item"].label == "item"


def test_elements_that_repeat_are_rows() -> None:
    document = read("a.xml", FILE)
    orders, lines, others = grids(document)
    assert (orders.name, lines.name) == ("/orders/order", "/orders/order[1]/line")
    assert [cell.text for cell in orders.header] == ["id", "state", "buyer", "currency", "amount", "tag", "tag"]
    assert [[cell.text for cell in cells] for cells in lines.rows] == [["Box", "3"], ["Bag", "4"]]
    assert (others.name, [[cell.text for cell in cells] for cells in others.rows]) == (
        "/orders/order[2]/line",
        [["Box", "5"]],
    )
    around = contexts(document)["/orders/order[2]/amount"]
    assert {"A-2", "Orbis", "USD", "orders", "order"} <= set(around.row)
    assert around.headings == ("amount",)
    single = b"<prices><price sku='a'>1</price></prices>"
    assert [cell.text for cell in grids(read("a.xml", single))[0].header] == ["sku", "price"]


@pytest.mark.parametrize(
    ("at", "expected", "new", "old_text", "new_text"),
    [
        ("/orders/@date", "2026-03-01", 'it\'s "<1>"', "'2026-03-01'", "'it&apos;s &quot;&lt;1&gt;&quot;'"),
        ("/orders/order[1]/@c:state", "open & new", "a\tb", "open &amp; new", "a&#9;b"),
        ("/orders/order[1]/buyer", "Köhler & Söhne", "<x> & y", "Köhler &amp; Söhne", "&lt;x&gt; &amp; y"),
        ("/orders/order[1]/buyer[0:6]", "Köhler", "Kühn", "Köhler", "Kühn"),
        ("/orders/order[1]/amount", "1234.50", "1300.00", "1234.50", "1300.00"),
        ("/orders/order[2]/buyer", "Orbis", "Tarn", "Orbis", "Tarn"),
        ("/orders/order[2]/note", "", "new", "<note/>", "<note>new</note>"),
        ("/orders/order[3]/buyer", "<Tarn>", "a & b", "<![CDATA[<Tarn>]]>", "<![CDATA[a & b]]>"),
        ("/orders/order[3]/buyer", "<Tarn>", "a]]>b", "<![CDATA[<Tarn>]]>", "a]]&gt;b"),
        ("/orders/order[3]/amount/@currency", "", "GBP", 'currency=""', 'currency="GBP"'),
        ("/orders/remark/text()[2]", ", please.", ", now.", ", please.", ", now."),
        ("/orders/remark/b", "early", "late", "early", "late"),
        ("/orders/order[1]/amount", "1234.50", None, "1234.50", ""),
        ("/orders/order[2]/@id", "A-2", None, 'id="A-2"', 'id=""'),
    ],
)
def test_one_text_changes(at: str, expected: str, new: str | None, old_text: str, new_text: str) -> None:
    made = edit("a.xml", FILE, [change(at, expected, new)])
    assert made == FILE.replace(old_text.encode(), new_text.encode(), 1)


def test_what_is_refused() -> None:
    for edits, why in (
        ([change("/orders/order[1]", "", "x")], "no text"),
        ([change("/orders/order[9]/buyer", "", "x")], "no text"),
        ([change("/orders/order[2]/buyer", "Tarn", "x")], "says 'Orbis'"),
        ([change("/orders/order[2]/buyer", "Orbis", "\nx")], "read again"),
        ([change("/orders/remark/text()[1]", "Deliver ", None)], "read again"),
        ([change("/orders/order[2]/buyer", "Orbis", "\x01")], "cannot hold"),
        ([change("l2.comment", "Orders of March", "x")], "no text"),
        ([row("/orders/remark/b", "early")], "no element that repeats"),
        ([row("/orders/order[2]/@id", "A-2", *"abcdefgh")], "no column 2"),
    ):
        with pytest.raises(EditRefused, match=why):
            edit("a.xml", FILE, edits)


def test_rows_go_with_their_lines() -> None:
    start, end = FILE.index(b'  <order id="A-2">'), FILE.index(b'  <order id="A-3">')
    assert edit("a.xml", FILE, [row("/orders/order[2]/amount", "7")]) == FILE[:start] + FILE[end:]
    assert edit("a.xml", FILE, [row("/orders/order[3]/tag[1]", "red")]) == FILE.replace(b"<tag>red</tag>", b"")
    line = b"    <line><c:item>Bag</c:item><qty>4</qty></line>\n"
    assert edit("a.xml", FILE, [row("/orders/order[1]/line[2]/qty", "4")]) == FILE.replace(line, b"")


def test_rows_come() -> None:
    made = edit("a.xml", FILE, [row("/orders/order[1]/@id", "A-1", "A-9", "shut", "B & C", "CHF", "9.75")])
    new = (
        b'  <order id="A-9" c:state="shut">\n    <buyer>B &amp; C</buyer>\n'
        b'    <amount currency="CHF">9.75</amount>\n  </order>\n'
    )
    assert made == FILE.replace(b'  <order id="A-2">', new + b'  <order id="A-2">')
    made = edit("a.xml", FILE, [row("/orders/order[1]/line[1]/qty", "3", "Tin", None)])
    line = b"    <line><c:item>Tin</c:item><qty></qty></line>\n"
    assert made == FILE.replace(b"    <line><c:item>Bag", line + b"    <line><c:item>Bag")
    made = edit("a.xml", FILE, [row("/orders/order[2]/line/qty", "5", "Tin", 6)])
    line = b"    <line><c:item>Tin</c:item><qty>6</qty></line>\n"
    assert made == FILE.replace(b"    <note/>", line + b"    <note/>")
    made = edit("a.xml", FILE, [row("/orders/order[3]/tag[1]", "red", "green")])
    assert made == FILE.replace(b"<tag>red</tag>", b"<tag>red</tag><tag>green</tag>")


def test_other_encodings_stay() -> None:
    latin = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<a><b>Köln</b><c>ü</c></a>".encode("latin-1")
    assert texts(latin)["/a/b"] == "Köln"
    made = edit("a.xml", latin, [change("/a/b", "Köln", "Łódź")])
    assert made == latin.replace("Köln".encode("latin-1"), "&#321;ód&#378;".encode("latin-1"))
    assert texts(made)["/a/b"] == "Łódź"
    wide = "<?xml version='1.0' encoding='UTF-16'?><a><b>Köln</b></a>".encode("utf-16")
    assert texts(edit("a.xml", wide, [change("/a/b", "Köln", "Łódź")]))["/a/b"] == "Łódź"


TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff") | st.sampled_from("\n\t<&>\"']"),
    max_size=12,
)
NAMES = st.sampled_from("a b row item x.y".split())


def _tree(draw: st.DrawFn, depth: int) -> ElementTree.Element:
    made = ElementTree.Element(draw(NAMES), {name: draw(TEXT) for name in draw(st.sets(NAMES, max_size=2))})
    made.text = draw(TEXT)
    for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
        child = _tree(draw, depth + 1)
        child.tail = draw(st.sampled_from(["", "\n  ", "text"]))
        made.append(child)
    return made


@given(tree=st.composite(_tree)(0), number=st.integers(0, 40), new=TEXT)
def test_what_others_write_is_read_and_edited(tree: ElementTree.Element, number: int, new: str) -> None:
    """ElementTree writes; all its texts are found, a random one changes, and nothing else does."""
    content = ElementTree.tostring(tree, encoding="utf-8")
    fragments = read("a.xml", content).fragments
    said = [text for node in tree.iter() for text in (*node.attrib.values(), node.text, node.tail) if text]
    # a carriage return of an attribute is written as a line feed by ElementTree, and blanks lay a file out
    assert sorted(filter(None, (one.text.split() for one in fragments))) == sorted(filter(None, map(str.split, said)))
    if not fragments:
        return
    fragment = fragments[number % len(fragments)]
    try:
        made = edit("a.xml", content, [change(fragment.at, fragment.text, new)])
    except EditRefused as error:
        assert not new.strip() or new != new.strip(), error
        return
    assert texts(made) == {at: text for at, text in (texts(content) | {fragment.at: new}).items() if text}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"  ", "truncated"),
        (b"hello", "corrupt"),
        (b"<a><b></a>", "corrupt"),
        (b"<a>&x;</a>", "corrupt"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "corrupt"),
        (b'<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>', "corrupt"),
        (b'<!DOCTYPE a SYSTEM "http://a.example/a.dtd"><a/>', "corrupt"),
        (b"<?xml version='1.0' encoding='utf-7'?><a/>", "corrupt"),
        (b"<?xml version='1.0' encoding='rot13'?><a/>", "corrupt"),
        (b"<a>\xff</a>", "corrupt"),
        (b"<a>\x00</a>", "corrupt"),
        (b"<a>" * 5000, "over-limit"),
        (b"<a " + b" ".join(b"a%d=''" % number for number in range(400_001)) + b"/>", "over-limit"),
    ],
)
def test_hostile_files(content: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read("a.xml", content)
    assert "\n" not in str(caught.value)
    assert caught.value.reason == reason


@given(data=st.binary(max_size=60), at=st.integers(0, len(FILE)), cut=st.integers(0, 40), number=st.integers(0, 30))
def test_damaged_files(data: bytes, at: int, cut: int, number: int) -> None:
    for content in (data, FILE[:at], FILE[:at] + data + FILE[at + cut :], FILE[:at] + FILE[at + cut :]):
        try:
            fragments = read("a.xml", content).fragments
            if fragments:
                fragment = fragments[number % len(fragments)]
                edit("a.xml", content, [change(fragment.at, fragment.text, "new")])
                edit("a.xml", content, [row(fragment.at, fragment.text)])
                edit("a.xml", content, [row(fragment.at, fragment.text, "x")])
        except DocumentError as error:
            assert "\n" not in str(error)
