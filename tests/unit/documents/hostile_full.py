"""Files as full as the limits let them be: what is allowed has to fit into memory too, on both sides of the wall."""

from __future__ import annotations

import io
import random
import sqlite3
import zipfile
from collections.abc import Iterator

from workgym.documents.limits import LIMITS

from .hostile import Packed, container, hostile, part, repeated, sound, zipped
from .hostile_books import formulas, sheet

WORD = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TEXT = "some words that stand in every cell of it, and are long enough to count for something "
CELLS = LIMITS.cells - 1_000
ROWS = CELLS // 10


def _rows(separator: str) -> bytes:
    return "\n".join(
        separator.join(f"{TEXT[:60]}{row}.{column}" for column in range(10)) for row in range(ROWS)
    ).encode()


@hostile("read over-limit", "a.csv", "a.tsv", slow=True)
def a_table_as_full_as_may_be() -> bytes:
    return _rows(",").replace(b", and", b" and")


@hostile("read", "a.txt")
@hostile("read", "a.md", "a.log", slow=True)
def lines_as_many_as_may_be() -> bytes:
    return "".join(f"{TEXT}{number}\n" for number in range(LIMITS.lines - 10)).encode()


@hostile("read over-limit", "a.json", slow=True)
def values_as_many_as_may_be() -> bytes:
    return b"[" + b",".join(b'{"key": "%s%d"}' % (TEXT.encode(), number) for number in range(CELLS)) + b"]"


@hostile("read over-limit", "a.json")
def empty_lists_as_many_as_may_be() -> bytes:
    return b"[" + b"[]," * (3 * LIMITS.cells - 10) + b"1]"


@hostile("read over-limit", "a.yaml", slow=True)
def entries_as_many_as_may_be() -> bytes:
    return b"".join(b"- key: %s%d\n" % (TEXT[:30].encode(), number) for number in range(40_000))


@hostile("read over-limit", "a.xml", slow=True)
def elements_as_many_as_may_be() -> bytes:
    return b"<a>" + b"".join(b'<row id="%d">%s</row>' % (n, TEXT.encode()) for n in range(CELLS // 2)) + b"</a>"


@hostile("read over-limit", "a.html", slow=True)
def paragraphs_as_many_as_may_be() -> bytes:
    return b"<body>" + b"".join(b"<p class='c%d'>%s</p>" % (n % 9, TEXT.encode()) for n in range(LIMITS.lines - 10))


@hostile("read over-limit", "a.sqlite", slow=True)
def a_database_as_full_as_may_be() -> bytes:
    made = sqlite3.connect(":memory:")
    made.execute("create table t (" + ", ".join(f"c{column}" for column in range(10)) + ")")
    rows = ([f"{TEXT[:60]}{row}.{column}" for column in range(10)] for row in range(ROWS))
    made.executemany("insert into t values (" + ", ".join("?" * 10) + ")", rows)
    made.commit()
    content = made.serialize()
    made.close()
    return content


@hostile("read over-limit", "a.xlsx", slow=True)
def cells_as_many_as_may_be() -> bytes:
    row = b"<row>" + b'<c t="str" s="0"><f>A1&amp;B2</f><v>%s</v></c>' % TEXT.encode() * 10 + b"</row>"
    return sheet(row, ROWS)


@hostile("read over-limit corrupt", "a.xlsx", slow=True)
def formulas_as_many_as_may_be() -> bytes:
    return formulas(*(f"A{number}*{number}+1" for number in range(1, CELLS // 2)))


@hostile("read over-limit bomb", "a.xlsx", slow=True)
def merged_cells_as_many_as_may_be() -> bytes:
    cells = "".join(f'<mergeCell ref="A{number}:XFD{number}"/>' for number in range(1, 700_000))
    return sheet(b"<row/>", 1, after=f"<mergeCells>{cells}</mergeCells>")


@hostile("read over-limit bomb", "a.xlsx", slow=True)
def a_rule_for_millions_of_ranges() -> bytes:
    rng = random.Random(5)
    areas = " ".join(f"A{rng.randrange(1, 10**6)}" for _ in range(2_000_000))
    rule = '<cfRule type="expression" dxfId="0" priority="1"><formula>TRUE</formula></cfRule>'
    return sheet(b"<row/>", 1, after=f'<conditionalFormatting sqref="{areas}">{rule}</conditionalFormatting>')


def _many(written: bytes, times: int = 650_000) -> bytes:
    """An element again and again, with another number each: what repeats too often is taken for a bomb."""
    rng = random.Random(4)
    return b"".join(written % rng.randrange(10**18) for _ in range(times))


def _full(path: str, main: str, unit: bytes) -> bytes:
    first, mark, rest = part(sound(path), main).rpartition(b"</")
    return container(sound(path), {main: _packed(first + _many(unit) + mark + rest)})


def _packed(content: bytes) -> Packed:
    return repeated(content, b" ", 0, b"")


@hostile("read over-limit bomb corrupt", "a.docx", slow=True)
def elements_of_a_text_as_many_as_may_be() -> bytes:
    return _full("a.docx", "word/document.xml", b'<w:x w:v="%d"/>')


@hostile("read over-limit bomb corrupt", "a.pptx", slow=True)
def elements_of_a_slide_as_many_as_may_be() -> bytes:
    return _full("a.pptx", "ppt/slides/slide1.xml", b'<p:x v="%d"/>')


@hostile("read over-limit bomb corrupt", "a.docx", "a.pptx", "a.xlsx", slow=True)
def many_large_parts() -> bytes:
    """Parts of as many elements as one may have, in a container that is a document of each kind."""
    made = _packed(b"<a>" + _many(b'<b x="%d"/>') + b"</a>")
    return zipped([*_whole(), *((f"custom/{number}.xml", made) for number in range(3))])


@hostile("read over-limit bomb corrupt", "a.docx", slow=True)
def many_large_headers() -> bytes:
    made = _packed(b"<w:hdr xmlns:w='" + WORD + b"'>" + _many(b'<w:x w:v="%d"/>') + b"</w:hdr>")
    name, link = "word/_rels/document.xml.rels", b'<Relationship Id="h%d" Type="x/header" Target="header%d.xml"/>'
    links = b"".join(link % (number, number) for number in range(3))
    rels = part(sound("a.docx"), name).replace(b"</Relationships>", links + b"</Relationships>")
    return container(sound("a.docx"), {name: rels, **{f"word/header{number}.xml": made for number in range(3)}})


def _whole() -> Iterator[tuple[str, bytes]]:
    """The parts of a document, a presentation and a workbook, in one container."""
    seen: set[str] = set()
    for path in ("a.docx", "a.pptx", "a.xlsx"):
        with zipfile.ZipFile(io.BytesIO(sound(path))) as archive:
            for name in archive.namelist():
                if name not in seen:
                    seen.add(name)
                    yield name, archive.read(name)


@hostile("read", "a.zip", slow=True)
def tables_as_full_as_may_be_in_an_archive() -> bytes:
    table = _rows(",")[: 8 << 20]
    return zipped([(f"{number}.csv", table) for number in range(3)])
