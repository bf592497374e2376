"""Slides out of a text: each ``# `` begins one, with what stands on it, its charts and what the speaker says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from workgym.materialize.carrier import Job
from workgym.materialize.look.letterhead import declared
from workgym.materialize.look.look import Look, look_of
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Block, Inline, inline, is_table, parse, table
from workgym.materialize.scope import Fault, near

ChartKind = Literal["column", "bar", "line", "pie"]
KINDS = ("column", "bar", "line", "pie")

_KNOWN = ("title", "subtitle", "company", "date", "footer", "lang", "look")
_TITLE = re.compile(r"^#\s+")
_FENCE = re.compile(r"^```\s*(.*?)\s*$")
_CHART = re.compile(r"^```\s*chart\b[\s:]*(\w*)[\s:]*")
_NOTES = re.compile(r"^(?:Notes:|<!--\s*notes\s*-->)\s*")
_HIDDEN = re.compile(r"^<!--\s*hidden\s*-->\s*$")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: a table whose first column holds the categories, and each further one a series."""

    kind: ChartKind
    title: Inline
    rows: tuple[tuple[Inline, ...], ...]
    """The heading row first."""


@dataclass(slots=True)
class Slide:
    """What a slide shows and what is said to it, before it is laid out."""

    title: Inline
    blocks: list[Block] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    notes: list[Inline] = field(default_factory=list)
    hidden: bool = False


@dataclass(frozen=True)
class Front:
    """What a deck's front matter says."""

    look: Look
    title: Marked
    """Of the title slide; without one there is no such slide."""
    subtitle: Marked
    company: Marked
    date: Marked
    footer: Marked
    """At the foot of every slide but the first: the company and what the front matter adds."""
    name: str
    """Title of the document, for its metadata."""
    lang: str


def front_of(job: Job, fields: Mapping[str, Marked]) -> Front:
    """The front matter of a deck. Raises Fault for unknown fields."""
    for name in fields:
        if name not in _KNOWN:
            raise Fault(f"front matter: unknown field {name!r}: {near(name, list(_KNOWN))}")
    empty = Marked("")
    title, company = fields.get("title", empty), fields.get("company", empty)
    feet = [declared(part) for part in (company, fields.get("footer", empty)) if part]
    return Front(
        look=look_of(fields.get("look", empty).plain or company.plain or job.look),
        title=declared(title),
        subtitle=declared(fields.get("subtitle", empty)),
        company=declared(company),
        date=declared(fields.get("date", empty)),
        footer=feet[0] + Marked("  |  ") + feet[1] if len(feet) == 2 else feet[0] if feet else empty,
        name=title.plain or job.title,
        lang=fields.get("lang", Marked("en-GB")).plain,
    )


def slides(body: Marked) -> list[Slide]:
    """The slides of a text. Raises Fault, or ValueError for a crooked table."""
    found: list[Slide] = []
    lines = list(body.lines())
    starts = [at for at, line in enumerate(lines) if _TITLE.match(line.text)]
    if any(line.text.strip() for line in lines[: starts[0] if starts else len(lines)]):
        raise Fault("a slide begins with its title: write `# Title` before its text")
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        slide = Slide(parse(lines[start])[0].text)
        if not slide.title.text.plain.strip():
            raise Fault("a slide has no title: write it behind the `#`")
        _fill(slide, lines[start + 1 : end])
        found.append(slide)
    return found


def _fill(slide: Slide, lines: list[Marked]) -> None:
    run: list[Marked] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        fence, notes = _FENCE.match(line.text), _NOTES.match(line.text)
        if fence is not None:
            run.append(Marked(""))
            at = _chart(slide, lines, at)
        elif notes is not None and not _printed(line, notes.end()):
            rest = [line.slice(notes.end(), len(line.text)), *lines[at + 1 :]]
            slide.notes = list(_notes(rest))
            break
        elif _HIDDEN.match(line.text):
            slide.hidden = True
            at += 1
        else:
            run.append(line)
            at += 1
    slide.blocks = list(_parsed(run))
    while slide.blocks and slide.blocks[-1].kind in ("rule", "page"):
        slide.blocks.pop()


def _printed(line: Marked, end: int) -> bool:
    """Whether a value prints the first characters of a line, so that they are no markup."""
    return any(span.start < end and span.kind == "value" for span in line.spans)


def _parsed(lines: list[Marked]) -> Iterator[Block]:
    joined = Marked("")
    for line in lines:
        joined = joined + line + Marked("\n")
    return (block.mapped(Inline.labelled) for block in parse(joined))


def _notes(lines: list[Marked]) -> Iterator[Inline]:
    for block in _parsed(lines):
        if block.kind == "table":
            raise Fault("speaker notes hold no tables: put it on the slide")
        if block.kind not in ("rule", "page"):
            yield block.text


def _chart(slide: Slide, lines: list[Marked], start: int) -> int:
    """Adds the chart that begins on a line; returns the line after it."""
    head = _CHART.match(lines[start].text)
    if head is None:
        raise Fault("``` begins a chart here: write ```chart column Title, a table, and ```")
    kind = head[1] or "column"
    if kind not in KINDS:
        raise Fault(f"chart: {near(kind, list(KINDS))}, not {kind!r}")
    end = next((at for at in range(start + 1, len(lines)) if _FENCE.match(lines[at].text)), None)
    if end is None:
        raise Fault("chart: its closing ``` is missing")
    inner = [line for line in lines[start + 1 : end] if line.text.strip()]
    if not all(map(is_table, inner)):
        raise Fault("chart: a table is all that it holds")
    rows = table(inner).rows if inner else ()
    if len(rows) < 2 or len(rows[0]) < 2:
        raise Fault("chart: a heading row, at least one row and two columns are needed")
    if kind == "pie" and len(rows[0]) > 2:
        raise Fault("chart: a pie has one series, hence two columns")
    title = inline(declared(lines[start].slice(head.end(), len(lines[start].text)).strip()))
    slide.charts.append(Chart(cast("ChartKind", kind), title, rows))
    return end + 1
