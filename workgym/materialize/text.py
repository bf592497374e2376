"""Plain text: markdown and text files, and the body of mails, line by line."""

from __future__ import annotations

from collections.abc import Mapping

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.prose import NOTE, Align, inline, is_table, numbered, table
from workgym.records import Anchor

_UNDER = {1: "=", 2: "-"}


def write_md(job: Job, _: Mapping[str, Marked], body: Marked) -> Rendered:
    """Markdown: every line as the template gives it."""
    return lines_rendered(job, [numbered(line) for line in trimmed(list(body.lines()))])


def write_txt(job: Job, _: Mapping[str, Marked], body: Marked) -> Rendered:
    """Plain text: tables as aligned columns, headings underlined."""
    return lines_rendered(job, flat(body))


def write_verbatim(job: Job, _: Mapping[str, Marked], body: Marked) -> Rendered:
    """Logs and source code: every line, blank and indented ones too, as the template gives it."""
    lines = list(body.lines())
    return lines_rendered(job, lines if lines[-1].text else lines[:-1])


def lines_rendered(job: Job, lines: list[Marked]) -> Rendered:
    """A file of these lines."""
    return rendered(job, encoded(lines), line_anchors(job.path, lines))


def encoded(lines: list[Marked]) -> bytes:
    """Lines as UTF-8 with a final newline."""
    return "".join(line.plain + "\n" for line in lines).encode()


def line_anchors(path: str, lines: list[Marked]) -> list[Anchor]:
    """The anchors of numbered lines."""
    return [anchor for at, line in enumerate(lines, 1) for anchor in line.anchors(path, f"l{at}")]


def trimmed(lines: list[Marked]) -> list[Marked]:
    """Without empty lines at both ends, and never two of them in a row."""
    kept: list[Marked] = []
    for line in lines:
        if line.text.strip() or (kept and kept[-1].text.strip()):
            kept.append(line if line.text.strip() else Marked(""))
    if kept and not kept[-1].text:
        kept.pop()
    return kept


def counted(body: Marked) -> list[Marked]:
    """The lines of a text with its markup, numbers of lists, headings and footnotes declared as decor."""
    return [_noted(numbered(line)) for line in trimmed(list(body.lines()))]


def flat(body: Marked) -> list[Marked]:
    """The lines of a text without markup. Raises ValueError for a table whose rows differ in length."""
    lines, result, at = counted(body), list[Marked](), 0
    while at < len(lines):
        line = lines[at]
        if is_table(line):
            end = at
            while end < len(lines) and is_table(lines[end]):
                end += 1
            result += _aligned(lines[at:end])
            at = end
            continue
        at += 1
        level = len(line.text) - len(line.text.lstrip("#"))
        bare = inline(line).text
        if bare.text.endswith("\\"):
            bare = bare.slice(0, len(bare.text) - 1)
        if 1 <= level <= 3 and line.text[level : level + 1] == " ":
            bare = bare.slice(level + 1, len(bare.text)).strip()
            result.append(bare)
            if level in _UNDER:
                result.append(Marked(_UNDER[level] * len(bare.text)))
        else:
            result.append(bare)
    return result


def _noted(line: Marked) -> Marked:
    """A line with ``[1]`` for the mark of a footnote, also before what it says."""
    for match in reversed([*NOTE.finditer(line.text)]):
        start, end = match.span(1)
        colon = match.start() == 0 and line.text.startswith("]:", end)
        line = line.slice(0, start - 1) + line.slice(start, end + 1) + line.slice(end + 1 + colon, len(line.text))
    return line


def _aligned(lines: list[Marked]) -> list[Marked]:
    """The rows of a table as columns with two spaces between them, and a rule under the headings."""
    block = table(lines)
    widths = [max(len(row[at].text.text) for row in block.rows) for at in range(len(block.aligns))]
    result = []
    for number, row in enumerate(block.rows):
        parts = [_pad(cell.text, width, align) for cell, width, align in zip(row, widths, block.aligns, strict=True)]
        line = parts[0]
        for part in parts[1:]:
            line = line + Marked("  ") + part
        result.append(line.slice(0, len(line.text.rstrip())))
        if number + 1 == block.heads:
            result.append(Marked("  ".join("-" * width for width in widths)))
    return result


def _pad(text: Marked, width: int, align: Align) -> Marked:
    gap = width - len(text.text)
    before = gap if align == "right" else gap // 2 if align == "center" else 0
    return Marked(" " * before) + text + Marked(" " * (gap - before))
