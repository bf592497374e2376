"""Presentations, read in the order of people; and hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import edit, grids, read, read_all
from workgym.documents.limits import LIMITS, Limits
from workgym.documents.pptx import read as reader
from workgym.errors import DocumentError, EditRefused, Unreadable

from .decks import SLIDE, found, fragment, made, packed, parts, set_text, texts


@pytest.fixture(scope="module")
def deck() -> bytes:
    return made()


def test_reading_order_levels_and_what_is_hidden(deck: bytes) -> None:
    document = read("a.pptx", deck)
    said = texts(document)
    assert [said.get(f"s1p{at}") for at in range(1, 13)] == [
        "Costs & risks",
        "left",
        "right",
        "beside the slide",
        "The limit is 8.5 % of the order",
        "nested\nsecond line",
        None,
        "inner left",
        "inner right",
        "at the bottom",
        None,
        None,
    ]
    assert (said["s1p11.vanished"], said["s1n1"], said["s1n2"]) == ("specks", "say hello", "and goodbye")
    assert fragment(document, "s1p1").label == "title"
    hidden = {one.at for one in document.fragments if one.hidden}
    assert {"s1p4", "s1n1", "s1p11.vanished", "s3c1r2c2", "s3c1"} <= hidden
    assert not hidden & {"s1p1", "s1p10", "s2t1r2c1"}


def test_tables_and_charts_are_grids(deck: bytes) -> None:
    document = read("a.pptx", deck)
    said = texts(document)
    assert (said["s2t1r1c1"], "s2t1r1c2" in said, said["s2t1r4c2"]) == ("r1 c1\nr1 c2", False, "r4 c2")
    assert said["s2t1r3c3"] == "r3 c3\nr4 c3"
    cell = fragment(document, "s2t1r2c3")
    assert (cell.table, cell.row, cell.column) == ("s2t1", 2, 3)
    assert (said["s3c1"], said["s3c1a1"]) == ("By year", "pieces")
    assert [said.get(f"s3c1r1c{at}") for at in (1, 2, 3)] == [None, "Units & more", "Share"]
    assert [said.get(f"s3c1r{at}c1") for at in (2, 3, 4)] == ["2026", "2027", "2028"]
    assert [said.get(f"s3c1r{at}c2") for at in (2, 3, 4)] == ["1,234.50", None, "3.00"]
    assert [said.get(f"s3c1r{at}c3") for at in (2, 3, 4)] == ["8.5%", "9.0%", "10.0%"]
    assert (fragment(document, "s3c1r2c2").value, fragment(document, "s3c1r4c2").value) == ("1234.5", 3)
    assert [said.get(f"s3c2r2c{at}") for at in (1, 2, 3, 4)] == ["1", "2", "5", "6"]
    assert {grid.name for grid in grids(document)} >= {"s2t1", "s3c1"}


def test_the_strict_form_reads_alike_and_is_not_edited(deck: bytes) -> None:
    strict = {name: content for name, content in parts(deck).items() if not name.endswith(".xlsx")}
    kinds = ("presentationml/main", "drawingml/chart", "drawingml/main", "officeDocument/relationships")
    for kind in kinds:
        usual = "http://schemas.openxmlformats.org/" + kind.replace("/", "/2006/")
        strict = {name: part.replace(usual.encode(), STRICT + kind.encode()) for name, part in strict.items()}
    assert found(packed(strict)) == found(deck)
    with pytest.raises(EditRefused, match="strict form"):
        edit("a.pptx", packed(strict), [set_text("s1p1", "Costs & risks", "x")])


STRICT = b"http://purl.oclc.org/ooxml/"
RELATION = '<Relationship Id="rIdX{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>'  # noqa: E501
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def test_merged_cells_and_what_they_cover(deck: bytes) -> None:
    cells = b'<a:tc gridSpan="2"><a:txBody><a:bodyPr/><a:p><a:r><a:t>wide</a:t></a:r></a:p></a:txBody></a:tc>'
    cells += b'<a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p><a:r><a:t>behind</a:t></a:r></a:p></a:txBody></a:tc>'
    inside = parts(deck)
    name, xml = next((name, xml) for name, xml in inside.items() if b"<a:tbl>" in xml)
    start, end = xml.index(b"<a:tc"), xml.index(b"</a:tr>")
    inside[name] = xml[:start] + cells + xml[end:]
    read_again = {one.text: one for one in read("a.pptx", packed(inside)).fragments}
    assert (read_again["wide"].merged, read_again["wide"].hidden) == ((1, 2), False)
    assert (read_again["behind"].merged, read_again["behind"].hidden) == ((1, 1), True)


def with_related(deck: bytes, kind: str, target: str, content: str, shape: str = "") -> bytes:
    """The deck with one more part of slide 1."""
    made = parts(deck)
    rels = "ppt/slides/_rels/slide1.xml.rels"
    relation = RELATION.format(n=kind, kind=kind, target=f"../{target}").encode()
    made[rels] = made[rels].replace(b"</Relationships>", relation + b"</Relationships>")
    made[f"ppt/{target}"] = content.encode()
    made[SLIDE] = made[SLIDE].replace(b"</p:spTree>", shape.encode() + b"</p:spTree>")
    return packed(made)


def test_comments_of_both_kinds_diagrams_and_masters(deck: bytes) -> None:
    old = f'<p:cmLst {P}><p:cm authorId="0"><p:pos x="1" y="1"/><p:text>is it final?</p:text></p:cm></p:cmLst>'
    assert found(with_related(deck, "comments", "comments/comment1.xml", old))["s1.comment1"] == "is it final?"
    body = "<p188:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p188:txBody>"
    new = (
        f'<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" {A}><p188:cm>'
        f"<p188:replyLst><p188:reply>{body.format('yes')}</p188:reply></p188:replyLst>{body.format('sure?')}</p188:cm>"
        "</p188:cmLst>"
    )
    said = found(with_related(deck, "comments", "comments/modernComment_1.xml", new))
    assert (said["s1.comment1"], said["s1.comment2"]) == ("sure?", "yes")
    dgm = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    data = f"<dgm:dataModel {dgm} {A}><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"  # noqa: E501
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="99" name="D" descr="our plan"/><p:nvPr/></p:nvGraphicFramePr>'
        f'<p:xfrm/><a:graphic><a:graphicData uri="x"><dgm:relIds {dgm} r:dm="rIdXdiagramData"/></a:graphicData>'
        "</a:graphic></p:graphicFrame>"
    )
    drawn = with_related(deck, "diagramData", "diagrams/data1.xml", data, frame)
    assert (found(drawn)["s1d1"], found(drawn)["s1.about1"]) == ("Plan", "our plan")
    with pytest.raises(EditRefused, match="diagram is drawn twice"):
        edit("a.pptx", drawn, [set_text("s1d1", "Plan", "x")])
    made = parts(deck)
    layout = "ppt/slideLayouts/slideLayout2.xml"
    typed = "<p:sp><p:nvSpPr><p:cNvPr id='50' name='x'/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>typed here</a:t></a:r></a:p></p:txBody></p:sp>"  # noqa: E501
    made[layout] = made[layout].replace(b"</p:spTree>", typed.encode() + b"</p:spTree>")
    document = read("a.pptx", packed(made))
    assert [(one.at, one.hidden) for one in document.fragments if one.text == "typed here"] == [("master1", True)]


def refusal(content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read("a.pptx", content)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_hostile_decks_are_refused_within_the_limits(deck: bytes, docx_file: bytes) -> None:
    assert refusal(deck[: len(deck) // 2]) == "truncated"
    assert refusal(b"") == "corrupt"
    assert refusal(docx_file) == "corrupt"
    made = parts(deck)
    assert refusal(packed({**made, SLIDE: b" " * 40_000_000})) == "bomb"
    assert refusal(packed({name: part for name, part in made.items() if name != SLIDE})) == "corrupt"
    head = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    assert refusal(packed({**made, SLIDE: made[SLIDE].replace(b"?>", b"?>" + head, 1)})) == "corrupt"
    show = made["ppt/presentation.xml"]
    many = show.replace(b"<p:sldIdLst>", b"<p:sldIdLst>" + b'<p:sldId id="256" r:id="rId7"/>' * (LIMITS.pages + 1))
    assert refusal(packed({**made, "ppt/presentation.xml": many})) == "over-limit"
    chart = next(name for name in made if name.startswith("ppt/charts/chart"))
    for bad in (b"<c:v>NaN", b"<c:v>1e999999999", b"<c:v>x"):
        broken = made[chart].replace(b"<c:v>1234.5", bad)
        assert broken != made[chart]
        assert refusal(packed({**made, chart: broken})) == "corrupt"


@pytest.mark.parametrize("depth", [200, 20_000])
def test_deep_groups_are_read_to_a_limit(deck: bytes, depth: int) -> None:
    made = parts(deck)
    group = b"<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9' name='g'/></p:nvGrpSpPr><p:grpSpPr/>"
    deep = made[SLIDE].replace(b"</p:spTree>", group * depth + b"</p:grpSp>" * depth + b"</p:spTree>")
    assert found(packed({**made, SLIDE: deep}))["s1p1"] == "Costs & risks"


def test_too_many_paragraphs(deck: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LIMITS", Limits(cells=500))
    made = parts(deck)
    many = made[SLIDE].replace(b"<a:p>", b"<a:p/>" * 501 + b"<a:p>", 1)
    assert refusal(packed({**made, SLIDE: many})) == "over-limit"


def test_slides_that_are_not_shown_are_swept(deck: bytes) -> None:
    made = parts(deck)
    spare = made[SLIDE].replace(b"at the bottom", b"left over")
    document = read("a.pptx", packed({**made, "ppt/slides/slide99.xml": spare}))
    assert ("left over", True) in {(one.text, one.hidden) for one in document.fragments}


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_damage_is_refused_in_one_way(deck: bytes, data: st.DataObject) -> None:
    made = parts(deck)
    names = [name for name in made if name.endswith((".xml", ".rels")) and ("slide" in name or "chart" in name)]
    victim = data.draw(st.sampled_from(["raw", *names]))
    damaged = bytearray(deck if victim == "raw" else made[victim])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    content = bytes(damaged) if victim == "raw" else packed({**made, victim: bytes(damaged)})
    try:
        for one in read("a.pptx", content).fragments[:3]:
            edit("a.pptx", content, [set_text(one.at, one.text, "x")])
    except DocumentError:
        pass


@given(st.binary(max_size=200))
def test_garbage(content: bytes) -> None:
    for start in (b"", b"PK\x03\x04"):
        assert refusal(start + content) in Unreadable.REASONS


def test_a_strangers_deck_in_a_child(deck: bytes) -> None:
    assert read_all({"a.pptx": deck})["a.pptx"] == read("a.pptx", deck)
