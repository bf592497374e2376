"""Runs of a word-processing document, and what hangs on them: tracked changes, comments and footnotes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from workgym.materialize.critic import Change
from workgym.materialize.docx import ooxml
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Block, Inline, Reference
from workgym.materialize.scope import Fault
from workgym.records import Anchor

_MARGIN = 1
"""A footnote's text follows its number and a blank."""


def run(text: str, properties: str = "", leaf: str = "t") -> str:
    """Runs of a text; a line break for each newline."""
    props = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    lines = text.split("\n")
    parts = [f'<w:{leaf} xml:space="preserve">{escape(line)}</w:{leaf}>' if line else "" for line in lines]
    return f"<w:r>{props}{'<w:br/>'.join(parts)}</w:r>"


def paragraph(properties: str, runs: str) -> str:
    """A paragraph."""
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{runs}</w:p>"


def field(code: str, shown: str) -> str:
    """A field with the result that it shows until it is updated."""
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    instruction = f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
    return mark.format("begin") + instruction + mark.format("separate") + run(shown) + mark.format("end")


class Margin:
    """The texts of one document while they are written, with all that stands beside them."""

    def __init__(self, path: str, reviewer: str, day: str) -> None:
        self.path, self.reviewer, self.day = path, reviewer, day
        self.anchors: list[Anchor] = []
        """Of the texts, in the order in which they were written."""
        self.comments: list[str] = []
        """``w:comment`` elements."""
        self.notes: list[str] = []
        """``w:footnote`` elements."""
        self._revisions = 0
        self._said: list[Anchor] = []

    def all_anchors(self) -> list[Anchor]:
        """Also those of the comments, last."""
        return [*self.anchors, *self._said]

    def text(self, inline: Inline, at: str, properties: str = "", bold: bool = False, shift: int = 0) -> str:
        """The runs of a text whose place is ``at``, where ``shift`` characters stand before it.

        Raises Fault for a comment in a footnote.
        """
        self.anchors += (Marked(" " * shift) + inline.text).anchors(self.path, at)
        struck = [change for change in inline.changes if change.kind == "struck"]
        for number, change in enumerate(struck, 1):
            self.anchors += change.text.anchors(self.path, f"{at}.del{number}")
        return "".join(self._pieces(inline, at, properties, bold))

    def _pieces(self, inline: Inline, at: str, properties: str, bold: bool) -> Iterator[str]:
        plain, last = inline.text.plain, 0
        edges = {edge for change in inline.changes for edge in (change.start, change.end)}
        edges |= {edge for stretch in inline.bold for edge in stretch} | {note.at for note in inline.notes}
        open_remarks: dict[int, int] = {}
        for edge in sorted({*edges, len(plain)}):
            if last < edge:
                strong = bold or any(start <= last < end for start, end in inline.bold)
                yield run(plain[last:edge], ("<w:b/>" if strong else "") + properties)
                last = edge
            yield from (_reference(note) for note in inline.notes if note.at == edge)
            for number, change in reversed([*enumerate(inline.changes)]):
                if change.start < edge == change.end:
                    yield "</w:ins>" if change.kind == "added" else _remarked(open_remarks[number])
            for number, change in enumerate(inline.changes):
                if change.start == edge:
                    yield from self._begun(change, at, number, open_remarks, ("<w:b/>" if bold else "") + properties)

    def _begun(
        self, change: Change, at: str, number: int, open_remarks: dict[int, int], run_style: str
    ) -> Iterator[str]:
        if change.kind == "struck":
            yield f"<w:del {self._signed(change.author)}>{run(change.text.plain, run_style, 'delText')}</w:del>"
        elif change.kind == "remark":
            if at.startswith("n"):
                raise Fault("a footnote holds a comment, and Word has none there: put it into the text")
            open_remarks[number] = self._comment(change)
            yield f'<w:commentRangeStart w:id="{open_remarks[number]}"/>'
            if change.start == change.end:
                yield _remarked(open_remarks[number])
        elif change.start < change.end:
            yield f"<w:ins {self._signed(change.author)}>"

    def mark(self, inline: Inline) -> str:
        """Run properties of a paragraph's end that was added or struck with all of its text."""
        size = len(inline.text.text)
        for change in inline.changes:
            whole = (change.start, change.end) == (0, size) if size else len(inline.changes) == 1
            if change.kind in ("added", "struck") and whole and (change.kind == "struck") == (not size):
                name = "ins" if change.kind == "added" else "del"
                return f"<w:rPr><w:{name} {self._signed(change.author)}/></w:rPr>"
        return ""

    def note(self, block: Block) -> None:
        """A footnote. Raises Fault where it holds a comment."""
        number = f'<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>{run(" ")}'
        said = self.text(block.text, f"n{block.number}", shift=_MARGIN)
        text = paragraph('<w:pStyle w:val="FootnoteText"/>', number + said)
        self.notes.append(f'<w:footnote w:id="{block.number}">{text}</w:footnote>')

    def _comment(self, change: Change) -> int:
        number = len(self.comments)
        author = change.author or self.reviewer
        initials = "".join(word[0] for word in author.split())[:4].upper()
        mark = '<w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:annotationRef/></w:r>'
        text = paragraph('<w:pStyle w:val="CommentText"/>', mark + run(change.text.plain))
        self._said += change.text.anchors(self.path, f"c{number + 1}")
        signed = (
            f'w:id="{number}" w:author={quoteattr(author)} w:date="{self._moment}" w:initials={quoteattr(initials)}'
        )
        self.comments.append(f"<w:comment {signed}>{text}</w:comment>")
        return number

    @property
    def _moment(self) -> str:
        return f"{self.day}T09:00:00Z"

    def _signed(self, author: str) -> str:
        self._revisions += 1
        who = quoteattr(author or self.reviewer)
        return f'w:id="{self._revisions}" w:author={who} w:date="{self._moment}"'

    def parts(self) -> dict[str, tuple[str, bytes]]:
        """Kind and content of the parts that hold what stands beside the texts, by name; none where nothing does."""
        made = {}
        if self.notes:
            made["footnotes.xml"] = ("footnotes", ooxml.footnotes(self.notes))
        if self.comments:
            made["comments.xml"] = ("comments", ooxml.comments(self.comments))
        return made


def _reference(note: Reference) -> str:
    style = '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
    return f'<w:r>{style}<w:footnoteReference w:id="{note.number}"/></w:r>'


def _remarked(number: int) -> str:
    style = '<w:rPr><w:rStyle w:val="CommentReference"/></w:rPr>'
    return f'<w:commentRangeEnd w:id="{number}"/><w:r>{style}<w:commentReference w:id="{number}"/></w:r>'
