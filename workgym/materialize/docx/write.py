"""Word documents, written as OOXML parts: real headings, lists and tables, a header with the company's letterhead.

Also footnotes, comments and tracked changes (CriticMarkup), captions with their number as a field, headings over
several columns of a table, and pages in landscape. Not written: pictures in the text, cross-references, moved text,
tracked changes of formats or of whole table rows, comments over several paragraphs.

The parts are written by us: python-docx' template carries 800 kB of styles and takes 16 ms to open and save, and so
it is left to readers, as an independent second eye.
"""

from __future__ import annotations

from collections.abc import Mapping

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.docx import ooxml
from workgym.materialize.docx.body import Body
from workgym.materialize.docx.frame import footer, header
from workgym.materialize.docx.text import Margin
from workgym.materialize.look.letterhead import letterhead
from workgym.materialize.look.logo import picture
from workgym.materialize.marks import Marked
from workgym.materialize.normal import packed
from workgym.materialize.prose import parse

_STYLES = {"footnotes": ("FootnoteText", "FootnoteReference"), "comments": ("CommentText", "CommentReference")}


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A document. Raises MaterializeError for unknown front matter, ValueError for a crooked table."""
    paper = letterhead(job, fields)
    margin = Margin(job.path, paper.reviewer, job.today.isoformat())
    document = Body(margin, paper.look)
    blocks = parse(body)
    for at, block in enumerate(blocks):
        document.add(block, blocks[at + 1] if at + 1 < len(blocks) else None)
    main = document.xml()
    head, head_anchors = header(job, paper)
    feet = [footer(job, paper, number, landscape) for number, landscape in enumerate(document.footers, 1)]
    beside = margin.parts()
    more = {f"footer{number}.xml": "footer" for number in range(2, len(feet) + 1)}
    more |= {name: kind for name, (kind, _) in beside.items()}
    styles = [style for kind, _ in beside.values() for style in _STYLES[kind]]
    parts = {
        "[Content_Types].xml": ooxml.content_types(more),
        "_rels/.rels": ooxml.relations(
            [
                ("officeDocument", "word/document.xml"),
                ("core-properties", "docProps/core.xml"),
                ("extended-properties", "docProps/app.xml"),
            ]
        ),
        "word/document.xml": main,
        "word/_rels/document.xml.rels": ooxml.relations(
            [
                ("styles", "styles.xml"),
                ("numbering", "numbering.xml"),
                ("settings", "settings.xml"),
                ("header", "header1.xml"),
                *(("footer", f"footer{number}.xml") for number in range(1, len(feet) + 1)),
                *((kind, name) for name, (kind, _) in beside.items()),
            ]
        ),
        "word/styles.xml": ooxml.styles(paper.look, paper.lang, styles + ["Caption"] * document.captions),
        "word/numbering.xml": ooxml.numbering(document.starts, document.deep),
        "word/settings.xml": ooxml.settings("footnotes.xml" in beside),
        "word/header1.xml": head,
        **{f"word/footer{number}.xml": content for number, (content, _) in enumerate(feet, 1)},
        **{f"word/{name}": content for name, (_, content) in beside.items()},
        "docProps/core.xml": ooxml.core(paper.title.plain, paper.company.plain, job.today.isoformat()),
        "docProps/app.xml": ooxml.app(),
    }
    if paper.company:
        parts["word/_rels/header1.xml.rels"] = ooxml.relations([("image", "media/logo.png")])
        parts["word/media/logo.png"] = picture(paper.look, white=paper.look.head == "band")
    foot_anchors = [anchor for _, anchors in feet for anchor in anchors]
    return rendered(job, packed(parts), [*head_anchors, *margin.all_anchors(), *foot_anchors])
