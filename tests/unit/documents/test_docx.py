"""Word documents of any make: every text is found, and found once."""

from __future__ import annotations

import pytest

from workgym.documents import read
from workgym.errors import Unreadable

from .wordfiles import (
    BOX,
    COMMENTS,
    ENDNOTES,
    FOOTNOTES,
    SPACES,
    TRACK,
    cell,
    hidden,
    ins,
    made,
    p,
    root,
    row,
    struck,
    t,
    table,
    texts,
)


def test_tracked_changes() -> None:
    moved = struck("here", "moveFrom") + t(" and ") + f"<w:moveTo {TRACK}>{t('there')}</w:moveTo>"
    content = made(p(t("Due in "), struck("14"), ins(t("30")), t(" days"), ins(t("!"), struck("?"))) + p(moved))
    assert texts(content) == {
        "p1": "Due in 30 days!",
        "p1.del1": "14",
        "p1.del2": "?",
        "p2": " and there",
        "p2.del1": "here",
    }
    assert hidden(content) == {"p1.del1", "p1.del2", "p2.del1"}
    assert {f.label for f in read("a.docx", content).fragments if f.hidden} == {"Ines Roth"}


def test_notes_comments_boxes_and_margins() -> None:
    head = root("hdr", p(t("Page "), t("secret", "<w:vanish/>")) + table(row(cell(p(t("in a table"))))))
    named = "<w:r><w:footnoteReference w:id='1'/><w:endnoteReference w:id='1'/></w:r>"
    body = p(t("Text"), named, BOX) + p(style='<w:sectPr><w:headerReference w:type="default" r:id="p0"/></w:sectPr>')
    content = made(
        body,
        {
            "h.xml": ("header", head),
            "footnotes.xml": ("footnotes", FOOTNOTES),
            "endnotes.xml": ("endnotes", ENDNOTES),
            "comments.xml": ("comments", COMMENTS),
        },
    )
    assert texts(content) == {
        "p1": "Text",
        "p1.alt1": "the box",
        "x1": "In a box",
        "h1": "Page ",
        "h1.vanished": "secret",
        "h2": "in a table",
        "n1": " See clause 4.\nAnd 5.",
        "n2": "At the end.",
        "c1": "why so?",
        "c1.del1": "ever ",
    }
    assert hidden(content) == {"p1.alt1", "h1.vanished", "c1", "c1.del1"}


def test_controls_fields_links_and_formulas() -> None:
    choice = (
        '<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="FCA"/><w:listItem w:displayText="DAP"/>'
        f"</w:dropDownList></w:sdtPr><w:sdtContent>{t('FCA')}</w:sdtContent></w:sdt>"
    )
    link = f'<w:hyperlink r:id="x1" w:tooltip="hint">{t("our site")}</w:hyperlink>'
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    page = mark.format("begin") + t(" PAGE ", leaf="instrText") + mark.format("separate") + t("7") + mark.format("end")
    quote = page.replace(" PAGE ", ' HYPERLINK "http://b.example/9" ').replace(">7<", ">there<")
    formula = "<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>"
    blockwise = f"<w:sdt><w:sdtContent>{p(t('in a control'))}</w:sdtContent></w:sdt>"
    content = made(
        p(t("Terms "), choice) + p(link, t(" "), page, t(" "), quote) + p(formula) + blockwise,
        external={"x1": "http://a.example/4711"},
    )
    assert texts(content) == {
        "p1": "Terms FCA",
        "p1.option1": "FCA",
        "p1.option2": "DAP",
        "p2": "our site 7 there",
        "p2.link1": "http://a.example/4711",
        "p2.link2": "hint",
        "p2.link3": "http://b.example/9",
        "p3": "a+b",
        "p4": "in a control",
    }


def test_merged_and_nested_cells() -> None:
    start, rest = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    nested = table(row(cell(p(t("i"))), cell(p(t("j")))), row(cell(p(t("k"))), cell()))
    content = made(
        table(
            row(cell(p(t("A")), props='<w:gridSpan w:val="2"/>'), cell(p(t("C")))),
            row(cell(p(t("tall")), props=start), cell(p(t("b"))), cell(p(t("c")))),
            row(cell(p(t("covered")), props=rest), cell(p(t("d"))), cell(p(t("line 1")), nested, p(t("line 2")))),
            row(cell(p(t("last"))), props='<w:gridBefore w:val="2"/>'),
        )
    )
    found = {fragment.at: fragment for fragment in read("a.docx", content).fragments}
    assert {at: fragment.text for at, fragment in found.items()} == {
        "t1r1c1": "A",
        "t1r1c3": "C",
        "t1r2c1": "tall",
        "t1r2c2": "b",
        "t1r2c3": "c",
        "t1r3c1": "covered",
        "t1r3c2": "d",
        "t1r3c3": "line 1\ni\tj\nk\t\nline 2",
        "t1r4c3": "last",
    }
    assert (found["t1r1c1"].merged, found["t1r2c1"].merged) == ((1, 2), (2, 1))
    assert hidden(content) == {"t1r3c1"}


def test_nothing_escapes() -> None:
    styles = root(
        "styles",
        '<w:style w:styleId="Quiet"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="Still"><w:basedOn w:val="Quiet"/></w:style>',
    )
    content = made(
        p(t("Seen"), t("hidden by its style", '<w:rStyle w:val="Still"/>'))
        + p(t("a hidden paragraph"), style='<w:pStyle w:val="Quiet"/>')
        + p(t("shown again", '<w:vanish w:val="0"/>'))
        + p(t("white", '<w:color w:val="FFFFFF"/>'))
        + f"<w:unknown>{p(t('in an unknown element'))}</w:unknown>",
        {
            "styles.xml": ("styles", styles),
            "settings.xml": ("settings", root("settings", '<w:docVars><w:docVar w:name="v" w:val="41"/></w:docVars>')),
            "orphan.xml": ("", root("hdr", p(t("in a part that nothing names")))),
            "charts/chart1.xml": ("chart", f"<c {SPACES}><a:p><a:r><a:t>Chart title</a:t></a:r></a:p></c>"),
            "glossary/document.xml": ("glossaryDocument", root("glossaryDocument", p(t("in the glossary")))),
        },
    )
    found = texts(content)
    assert (found["p1"], found["p1.vanished"]) == ("Seen", "hidden by its style")
    assert (found.get("p2"), found["p2.vanished"]) == (None, "a hidden paragraph")
    assert (found["p3"], found["p4.vanished"]) == ("shown again", "white")
    assert found["variable.v"] == "41"
    rest = {found[at] for at in hidden(content) if "#" in at}
    assert rest == {"in an unknown element", "in a part that nothing names", "Chart title", "in the glossary"}


def test_the_look_of_styles_is_looked_at() -> None:
    white, dark = '<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>'
    styles = root(
        "styles",
        f'<w:style w:type="paragraph" w:styleId="Ghost"><w:rPr>{white}</w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Heir"><w:basedOn w:val="Ghost"/></w:style>'
        f'<w:style w:type="paragraph" w:styleId="Band"><w:pPr>{dark}</w:pPr><w:rPr>{white}</w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Speck"><w:rPr><w:sz w:val="2"/></w:rPr></w:style>'
        f'<w:style w:type="table" w:styleId="Rich"><w:tblStylePr><w:tcPr>{dark}</w:tcPr></w:tblStylePr></w:style>',
    )
    cells = row(cell(p(t("white cell", white))), cell(p(t("on a band", white)), props=dark))
    rich = table(cells).replace("<w:tblPr/>", '<w:tblPr><w:tblStyle w:val="Rich"/></w:tblPr>')
    content = made(
        p(t("ghost"), style='<w:pStyle w:val="Heir"/>')
        + p(t("black", '<w:color w:val="000000"/>'), style='<w:pStyle w:val="Heir"/>')
        + p(t("band"), style='<w:pStyle w:val="Band"/>')
        + p(t("speck", '<w:rStyle w:val="Speck"/>'), t("seen"))
        + table(cells)
        + rich,
        {"styles.xml": ("styles", styles)},
    )
    assert texts(content) == {
        "p1.vanished": "ghost",
        "p2": "black",
        "p3": "band",
        "p4": "seen",
        "p4.vanished": "speck",
        "t1r1c1.vanished": "white cell",
        "t1r1c2": "on a band",
        "t2r1c1": "white cell",
        "t2r1c2": "on a band",
    }


def test_what_no_page_shows_is_hidden() -> None:
    notes = '<w:footnote w:id="1"><w:p><w:r><w:t>read</w:t></w:r></w:p></w:footnote>'
    notes += '<w:footnote w:id="2"><w:p><w:r><w:t>left over</w:t></w:r></w:p></w:footnote>'
    parts = {
        "footnotes.xml": ("footnotes", root("footnotes", notes)),
        "header1.xml": ("header", root("hdr", p(t("on all pages")))),
        "header2.xml": ("header", root("hdr", p(t("on first pages")))),
        "header3.xml": ("header", root("hdr", p(t("on even pages")))),
    }
    kinds = {"p1": "default", "p2": "first", "p3": "even"}
    named = "".join(f'<w:headerReference w:type="{kind}" r:id="{name}"/>' for name, kind in kinds.items())
    body = p("<w:r><w:footnoteReference w:id='1'/></w:r>", t("Text"))
    content = made(body + f"<w:sectPr>{named}</w:sectPr>", parts)
    assert hidden(content) == {"n2", "h2", "h3"}
    assert hidden(made(body + f"<w:sectPr>{named}<w:titlePg/></w:sectPr>", parts)) == {"n2", "h3"}


def test_a_cell_goes_on_only_from_one_above() -> None:
    rest = "<w:vMerge/>"
    content = made(table(row(cell(p(t("first")), props=rest)), row(cell(p(t("second")), props=rest))))
    assert hidden(content) == {"t1r2c1"}
    assert texts(content)["t1r1c1"] == "first"


@pytest.mark.parametrize(
    "opening", ["<w:sdt><w:sdtContent>", "<w:tbl><w:tr><w:tc>", "<w:ins>", "<mc:Fallback>", "<w:del>"]
)
def test_deep_nesting_ends(opening: str) -> None:
    closing = "".join(f"</{tag}>" for tag in reversed(opening.replace("<", "").split(">")[:-1]))
    deep = made(opening * 3000 + p(t("deep")) + closing * 3000 + p(t("flat")))
    try:
        found = texts(deep)
    except Unreadable as error:
        assert error.reason in ("corrupt", "over-limit")
    else:
        assert "flat" in found.values() and "deep" in found.values()


def test_many_places_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workgym.documents.docx.read.LIMITS", type("Few", (), {"lines": 3}))
    with pytest.raises(Unreadable, match="more than 3 paragraphs and cells"):
        read("a.docx", made(p(t("x")) * 4))
