"""The fixed parts of a word-processing document (ECMA-376 part 1), in a company's look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from workgym.materialize.look.look import Look

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
TEXT_WIDTH = 9356
"""Width of the text on the page, in twentieths of a point: A4 with margins of 22.5 mm."""
TEXT_LENGTH = 14288
"""The same on a page in landscape."""
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def content_types(more: Mapping[str, str]) -> bytes:
    """``[Content_Types].xml``; ``more`` has the kinds of further parts of ``word/`` by name."""
    overrides = {
        "/word/document.xml": f"{_OFFICE}.document.main+xml",
        "/word/styles.xml": f"{_OFFICE}.styles+xml",
        "/word/settings.xml": f"{_OFFICE}.settings+xml",
        "/word/numbering.xml": f"{_OFFICE}.numbering+xml",
        "/word/header1.xml": f"{_OFFICE}.header+xml",
        "/word/footer1.xml": f"{_OFFICE}.footer+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "/docProps/app.xml": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
    } | {f"/word/{name}": f"{_OFFICE}.{kind}+xml" for name, kind in more.items()}
    parts = "".join(f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in overrides.items())
    return (
        f'{HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
        f"{parts}</Types>"
    ).encode()


def relations(targets: Iterable[tuple[str, str]]) -> bytes:
    """A ``.rels`` part: kinds and targets, with the ids ``rId1``, ``rId2``..."""
    kinds = {"core-properties": f"{_PACKAGE}/relationships/metadata/core-properties"}
    lines = "".join(
        f'<Relationship Id="rId{number}" Type="{kinds.get(kind, f"{_RELATIONS}/{kind}")}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'.encode()


def core(title: str, author: str, day: str) -> bytes:
    """``docProps/core.xml``; ``day`` is an ISO date."""
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{day}T00:00:00Z</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{day}T00:00:00Z</dcterms:modified></cp:coreProperties>'
    ).encode()


def app() -> bytes:
    """``docProps/app.xml``."""
    space = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"
    return f'{HEAD}<Properties xmlns="{space}"><Application>Microsoft Office Word</Application></Properties>'.encode()


def settings(footnotes: bool) -> bytes:
    """``word/settings.xml``."""
    apart = '<w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr>' if footnotes else ""
    mode = '<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/>'
    return (
        f'{HEAD}<w:settings {W}><w:defaultTabStop w:val="709"/>{apart}<w:compat>{mode}</w:compat></w:settings>'.encode()
    )


def footnotes(notes: Iterable[str]) -> bytes:
    """``word/footnotes.xml``: the two lines that set notes apart, and ``w:footnote`` elements."""
    line = '<w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:{}/></w:r></w:p>'
    apart = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}">{line.format(kind)}</w:footnote>'
        for number, kind in ((-1, "separator"), (0, "continuationSeparator"))
    )
    return f"{HEAD}<w:footnotes {W} {R}>{apart}{''.join(notes)}</w:footnotes>".encode()


def comments(said: Iterable[str]) -> bytes:
    """``word/comments.xml``, of ``w:comment`` elements."""
    return f"{HEAD}<w:comments {W} {R}>{''.join(said)}</w:comments>".encode()


def fonts(name: str) -> str:
    """One font for all scripts."""
    return f'<w:rFonts w:ascii="{name}" w:hAnsi="{name}" w:eastAsia="{name}" w:cs="{name}"/>'


def _style(kind: str, name: str, shown: str, based: str | None, paragraph: str, run: str, default: bool = False) -> str:
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    following = '<w:next w:val="Normal"/>' if name.startswith("Heading") else ""
    first = ' w:default="1"' if default else ""
    inner = (f"<w:pPr>{paragraph}</w:pPr>" if paragraph else "") + (f"<w:rPr>{run}</w:rPr>" if run else "")
    return (
        f'<w:style w:type="{kind}" w:styleId="{name}"{first}><w:name w:val="{shown}"/>{on}{following}'
        f"<w:qFormat/>{inner}</w:style>"
    )


_SMALL = '<w:spacing w:after="40" w:line="240" w:lineRule="auto"/>'
EXTRA = {
    "FootnoteText": ("paragraph", "FootnoteText", "footnote text", "Normal", _SMALL, '<w:sz w:val="17"/>'),
    "FootnoteReference": (
        *("character", "FootnoteReference", "footnote reference", None, ""),
        '<w:vertAlign w:val="superscript"/>',
    ),
    "CommentText": ("paragraph", "CommentText", "annotation text", "Normal", _SMALL, '<w:sz w:val="20"/>'),
    "CommentReference": (
        *("character", "CommentReference", "annotation reference", None, ""),
        '<w:sz w:val="16"/>',
    ),
    "Caption": (
        *("paragraph", "Caption", "caption", "Normal"),
        '<w:keepNext/><w:spacing w:before="160" w:after="80" w:line="240" w:lineRule="auto"/>',
        '<w:i/><w:color w:val="5A6570"/><w:sz w:val="19"/>',
    ),
}
"""Styles of documents that have footnotes, comments or captions."""


def styles(look: Look, lang: str, more: Iterable[str] = ()) -> bytes:
    """``word/styles.xml``: text, three headings, lists, header and footer; ``more`` names some of :data:`EXTRA`."""
    size = 20 if look.body_font in ("Arial", "Verdana", "Trebuchet MS") else 22
    accent, heading = f'<w:color w:val="{look.accent}"/>', fonts(look.heading_font)
    caps = "<w:caps/>" if look.upper else ""
    made = [
        _style("paragraph", "Normal", "Normal", None, "", "", default=True),
        *(
            _style(
                "paragraph",
                f"Heading{level}",
                f"heading {level}",
                "Normal",
                f'<w:keepNext/><w:keepLines/><w:spacing w:before="{before}" w:after="{after}"/>'
                f'<w:outlineLvl w:val="{level - 1}"/>',
                f"{heading}<w:b/>{caps if level == 1 else ''}{accent if level < 3 else ''}"
                f'<w:sz w:val="{points}"/><w:szCs w:val="{points}"/>',
            )
            for level, before, after, points in ((1, 120, 160, 34), (2, 280, 80, 26), (3, 200, 60, 22))
        ),
        *(
            _style("paragraph", name, shown, "Normal", '<w:spacing w:after="60"/><w:contextualSpacing/>', "")
            for name, shown in (("ListBullet", "List Bullet"), ("ListNumber", "List Number"))
        ),
        _style(
            "paragraph",
            "TableText",
            "Table Text",
            "Normal",
            '<w:spacing w:before="40" w:after="50" w:line="240" w:lineRule="auto"/>',
            "",
        ),
        _style(
            "paragraph",
            "Header",
            "header",
            "Normal",
            '<w:spacing w:after="0" w:line="240" w:lineRule="auto"/>',
            '<w:sz w:val="18"/>',
        ),
        _style(
            "paragraph",
            "Footer",
            "footer",
            "Normal",
            f'<w:tabs><w:tab w:val="right" w:pos="{TEXT_WIDTH}"/></w:tabs>'
            '<w:spacing w:after="0" w:line="240" w:lineRule="auto"/>',
            '<w:color w:val="6B7680"/><w:sz w:val="16"/>',
        ),
        '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr>'
        '<w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:left w:w="108" w:type="dxa"/>'
        '<w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>',
    ]
    defaults = (
        f"<w:docDefaults><w:rPrDefault><w:rPr>{fonts(look.body_font)}"
        f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/><w:lang w:val={quoteattr(lang)}/></w:rPr></w:rPrDefault>'
        "<w:pPrDefault><w:pPr>"
        '<w:spacing w:after="140" w:line="271" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>'
    )
    made += [_style(*EXTRA[name]) for name in more]
    return f"{HEAD}<w:styles {W}>{defaults}{''.join(made)}</w:styles>".encode()


def numbering(starts: Iterable[tuple[int, int]], deep: bool = False) -> bytes:
    """``word/numbering.xml``: bullets are list 1; the numbered lists are 2, 3..., each with a level, from 0, and the
    number with which it starts. ``deep``: with a third level."""

    def level(at: int, form: str, text: str) -> str:
        left = 360 * (at + 1)
        return (
            f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/>'
            f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr></w:lvl>'
        )

    def abstract(number: int, levels: list[str]) -> str:
        kind = '<w:multiLevelType w:val="hybridMultilevel"/>'
        return f'<w:abstractNum w:abstractNumId="{number}">{kind}{"".join(levels[: 3 if deep else 2])}</w:abstractNum>'

    bullets = abstract(0, [level(0, "bullet", "•"), level(1, "bullet", "–"), level(2, "bullet", "▪")])
    numbers = abstract(1, [level(0, "decimal", "%1."), level(1, "lowerLetter", "%2)"), level(2, "lowerRoman", "%3.")])
    lists = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    for at, (depth, start) in enumerate(starts, 2):
        override = f'<w:lvlOverride w:ilvl="{depth}"><w:startOverride w:val="{start}"/></w:lvlOverride>'
        lists += f'<w:num w:numId="{at}"><w:abstractNumId w:val="1"/>{override}</w:num>'
    return f"{HEAD}<w:numbering {W}>{bullets}{numbers}{lists}</w:numbering>".encode()
