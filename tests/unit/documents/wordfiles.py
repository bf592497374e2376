"""Word documents made by hand, part by part, for the tests of their reader and their editor."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from workgym.documents import Document, TextEdit, read

NS = "http://schemas.openxmlformats.org"
SPACES = " ".join(
    f'xmlns:{prefix}="{space}"'
    for prefix, space in {
        "w": f"{NS}/wordprocessingml/2006/main",
        "r": f"{NS}/officeDocument/2006/relationships",
        "a": f"{NS}/drawingml/2006/main",
        "wp": f"{NS}/drawingml/2006/wordprocessingDrawing",
        "m": f"{NS}/officeDocument/2006/math",
        "mc": f"{NS}/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)
TRACK = 'w:id="9" w:author="Ines Roth" w:date="2026-03-20T09:00:00Z"'


def p(*runs: str, style: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{style}</w:pPr>' if style else ''}{''.join(runs)}</w:p>"


def t(text: str, style: str = "", leaf: str = "t") -> str:
    props = f"<w:rPr>{style}</w:rPr>" if style else ""
    return f'<w:r>{props}<w:{leaf} xml:space="preserve">{escape(text)}</w:{leaf}></w:r>'


def ins(*runs: str) -> str:
    return f"<w:ins {TRACK}>{''.join(runs)}</w:ins>"


def struck(text: str, name: str = "del") -> str:
    leaf = "delText" if name == "del" else "t"
    return f"<w:{name} {TRACK}>{t(text, leaf=leaf)}</w:{name}>"


def cell(*blocks: str, props: str = "") -> str:
    return f"<w:tc>{f'<w:tcPr>{props}</w:tcPr>' if props else ''}{''.join(blocks) or p()}</w:tc>"


def row(*cells: str, props: str = "") -> str:
    return f"<w:tr>{f'<w:trPr>{props}</w:trPr>' if props else ''}{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def made(
    body: str, parts: Mapping[str, tuple[str, str]] | None = None, external: Mapping[str, str] | None = None
) -> bytes:
    """A document; ``parts`` has kind and content by name below ``word/``, ``external`` targets by relation id."""
    relations = "".join(
        f'<Relationship Id="p{number}" Type="{NS}/officeDocument/2006/relationships/{kind}" Target="{name}"/>'
        for number, (name, (kind, _)) in enumerate((parts or {}).items())
        if kind
    ) + "".join(
        f'<Relationship Id="{name}" Type="{NS}/officeDocument/2006/relationships/hyperlink" Target="{target}" '
        'TargetMode="External"/>'
        for name, target in (external or {}).items()
    )
    package = f"{NS}/package/2006/relationships"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{NS}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{NS}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}">{relations}</Relationships>',
        **{f"word/{name}": content for name, (_, content) in (parts or {}).items()},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 3, 20, 9, 0, 0)), content)
    return out.getvalue()


def texts(content: bytes | Document) -> dict[str, str]:
    document = content if isinstance(content, Document) else read("a.docx", content)
    return {fragment.at: fragment.text for fragment in document.fragments}


def hidden(content: bytes) -> set[str]:
    return {fragment.at for fragment in read("a.docx", content).fragments if fragment.hidden}


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def change(at: str, expected: str, new: str | None, mode: str = "set", cells: tuple[Any, ...] = ()) -> TextEdit:
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": new, "mode": mode, "cells": cells})


def root(tag: str, content: str) -> str:
    return f"<w:{tag} {SPACES}>{content}</w:{tag}>"


FOOTNOTES = root(
    "footnotes",
    f'<w:footnote w:type="separator" w:id="-1">{p()}</w:footnote>'
    f'<w:footnote w:id="1">{p(t(" See clause 4."))}{p(t("And 5."))}</w:footnote>',
)
ENDNOTES = root("endnotes", f'<w:endnote w:id="1">{p(t("At the end."))}</w:endnote>')
COMMENTS = root("comments", f'<w:comment w:id="0" w:author="Bo">{p(t("why "), struck("ever "), t("so?"))}</w:comment>')
BOX = (
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="1" name="Box 1" '
    f'descr="the box"/><wps:txbx><w:txbxContent>{p(t("In a box"))}</w:txbxContent></wps:txbx></wp:inline></w:drawing>'
    f"</mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>{p(t('In a box'))}</w:txbxContent></v:textbox>"
    "</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)
