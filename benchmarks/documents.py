"""``python -m benchmarks.documents``: writing and reading office files, beside the plain libraries and markitdown.

Both sides of a line do the same work in the same run, turns alternating: writing puts the same cells or paragraphs into
a file; reading takes every text out of it. Times are of the CPU, the best of several turns, so that a busy machine does
not count, and what this program holds is kept out of Python's collections; ``taskset -c 0`` keeps it on one core.

A line of writing gives three times: the file (deterministic, each value checked to be printable and exact), the file
with its anchors (one record for each value, worked out when somebody looks at them), and the library alone.

Reading gives places, types, number formats and what is hidden; the libraries give values or texts alone. Of csv, json
and xlsx a document keeps what was parsed, with every limit and error seen, and makes a record for each value when
somebody looks at one: a second line has the time with these, and none of the libraries makes any. A pdf is compared
twice: with its text alone, and with what our reader asks PDFium for (the text, the box of the first and last character
of each word, and a picture of each page, at half a pixel for a point, where words are looked for that nobody can see).

markitdown lives in an environment of its own, which the first run makes (``.bench/markitdown``); where it cannot be
installed that part is left out, and it says so.
"""

from __future__ import annotations

import gc
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workgym.documents import read
from workgym.graph import InfoUnit, Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import Column, ColumnType

ROOT = Path(__file__).resolve().parents[1]
ROWS = 1000
COLUMNS = {"line": "integer", "item": "text", "day": "date", "quantity": "quantity(pcs)", "price": "money(EUR, 2)"}
Work = Callable[[], Any]


def milliseconds(work: Work) -> float:
    """Time of the CPU."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def best(*works: Work, turns: int = 9) -> list[float]:
    """The best time of each, after one turn that does not count; turns alternate."""
    for work in works:
        work()
    gc.collect()
    gc.freeze()
    return [min(times) for times in zip(*([milliseconds(work) for work in works] for _ in range(turns)), strict=True)]


def compare_writing(name: str, ours: Callable[[], Rendered], peer_name: str, peer: Callable[[], bytes]) -> None:
    """One line: the file, the file with its anchors, the library, the ratios to it, and both sizes."""
    file, noted, there = best(ours, lambda: ours().anchors, peer)
    size = f"{len(ours().content) / 1024:>7.1f} kB against {len(peer()) / 1024:>7.1f} kB"
    print(
        f"write {name:<6} {file:>8.1f} ms, with anchors {noted:>7.1f} ms   {peer_name:<14} {there:>8.1f} ms   "
        f"{file / there:>5.2f}x, with anchors {noted / there:>5.2f}x   {size}",
        flush=True,
    )


def compare_reading(name: str, ours: Work, peer_name: str, peer: Work) -> None:
    """One line: both times and their ratio."""
    here, there = best(ours, peer, turns=25)
    print(f"read  {name:<6} {here:>8.2f} ms   {peer_name:<44} {there:>8.2f} ms   {here / there:>5.2f}x", flush=True)


def world() -> Scope:
    """A thousand order lines."""
    typed = tuple(Column(name=name, type=ColumnType.parse(kind)) for name, kind in COLUMNS.items())
    unit = InfoUnit(
        name="line",
        content="order lines",
        entity="line",
        scope="March",
        status="provided",
        columns=typed,
        key=("line",),
    )
    rows = [
        {
            "line": number,
            "item": f"Folding box no. {number % 90} & tray",
            "day": f"2026-03-{1 + number % 28:02}",
            "quantity": str(number * 7 % 400),
            "price": f"{number * 37 % 90000 / 100:.2f}",
        }
        for number in range(1, ROWS + 1)
    ]
    return Scope(values={"line": Relation.load(unit, rows)}, context={"today": "2026-03-31"})


HEADS = {"Line": "line", "Item": "item", "Day": "day", "Quantity": "quantity", "Price": "price"}
PROSE = """{% for row in line %}
{% if row.line <= 200 %}
Item {{ row.item }} was delivered on {{ row.day | date }}: {{ row.quantity | quantity }} at {{ row.price | money }}.

{% endif %}
{% endfor %}
"""


def plain_rows(scope: Scope) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in scope.values["line"].rows]


def plain_xlsx(scope: Scope) -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet, day, money = book.add_worksheet("Lines"), book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format()
    sheet.write_row(0, 0, list(HEADS))
    for at, row in enumerate(plain_rows(scope), 1):
        sheet.write_number(at, 0, row[0])
        sheet.write_string(at, 1, row[1])
        sheet.write_datetime(at, 2, row[2], day)
        sheet.write_number(at, 3, float(row[3]))
        sheet.write_number(at, 4, float(row[4]), money)
    book.close()
    return out.getvalue()


def plain_docx(scope: Scope) -> bytes:
    import docx

    document = docx.Document()
    for row in plain_rows(scope)[:200]:
        document.add_paragraph(f"Item {row[1]} was delivered on {row[2]}: {row[3]} pcs at {row[4]} EUR.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def plain_pdf(scope: Scope) -> bytes:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    out, style = io.BytesIO(), getSampleStyleSheet()["BodyText"]
    texts = [f"Item {r[1]} was delivered on {r[2]}: {r[3]} pcs at {r[4]} EUR." for r in plain_rows(scope)[:200]]
    SimpleDocTemplate(out, invariant=1).build([Paragraph(text.replace("&", "&amp;"), style) for text in texts])
    return out.getvalue()


def plain_csv(scope: Scope) -> bytes:
    import csv

    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADS)
    writer.writerows(plain_rows(scope))
    return out.getvalue().encode()


def plain_json(scope: Scope) -> bytes:
    rows = [dict(zip(HEADS, map(str, row), strict=True)) for row in plain_rows(scope)]
    return json.dumps(rows, indent=2).encode()


def read_openpyxl(content: bytes) -> list[Any]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    return [value for sheet in book for row in sheet.iter_rows(values_only=True) for value in row]


def read_docx(content: bytes) -> list[str]:
    import docx

    return [paragraph.text for paragraph in docx.Document(io.BytesIO(content)).paragraphs]


def read_pdf(content: bytes) -> list[str]:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_bounded() for page in document]


def read_pdf_places(content: bytes) -> list[Any]:
    import pypdfium2

    found = []
    for page in pypdfium2.PdfDocument(content):
        layer = page.get_textpage()
        text = layer.get_text_range()
        words = [(match[0], match.start(), match.end() - 1) for match in re.finditer(r"\S+", text)]
        places = [(word, layer.get_charbox(a, loose=True), layer.get_charbox(z, loose=True)) for word, a, z in words]
        found.append((places, page.render(scale=0.5).to_pil()))
    return found


def read_csv(content: bytes) -> list[list[str]]:
    import csv

    return list(csv.reader(io.StringIO(content.decode(), newline="")))


SPECS = {
    "xlsx": ArtifactSpec(
        path="lines.xlsx", content={"sheets": [{"title": "Lines", "tables": [{"rows": "line", "columns": HEADS}]}]}
    ),
    "docx": ArtifactSpec(path="lines.docx", template=PROSE),
    "pdf": ArtifactSpec(path="lines.pdf", template=PROSE),
    "csv": ArtifactSpec(path="lines.csv", content={"table": {"rows": "line", "columns": HEADS}}),
    "json": ArtifactSpec(
        path="lines.json",
        content={"data": {"each": "line", "item": {head: "{{ row." + name + " }}" for head, name in HEADS.items()}}},
    ),
}
PLAIN: dict[str, tuple[str, Callable[[Scope], bytes]]] = {
    "xlsx": ("XlsxWriter", plain_xlsx),
    "docx": ("python-docx", plain_docx),
    "pdf": ("reportlab", plain_pdf),
    "csv": ("csv", plain_csv),
    "json": ("json", plain_json),
}
READ: list[tuple[str, str, Callable[[bytes], Any]]] = [
    ("xlsx", "openpyxl, read-only", read_openpyxl),
    ("docx", "python-docx", read_docx),
    ("pdf", "pypdfium2, text alone", read_pdf),
    ("pdf", "pypdfium2, text, boxes, pictures", read_pdf_places),
    ("csv", "csv", read_csv),
    ("json", "json", json.loads),
]
NOTED = ("xlsx", "csv", "json")
"""Formats whose documents make a record for each value when somebody looks at them."""


def markitdown() -> Path | None:
    """The Python of an environment with markitdown, made where it is missing; None where that cannot be done."""
    home = ROOT / ".bench" / "markitdown"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    asked = [python, "-m", "pip", "install", "-q", "markitdown[docx,pptx,xlsx,pdf]"]
    if subprocess.run([python, "-c", "import markitdown"], capture_output=True).returncode == 0:
        return python
    return python if subprocess.run(asked, capture_output=True).returncode == 0 else None


TOLD = """
import json, sys, time
from markitdown import MarkItDown
tool = MarkItDown()
def once(path):
    start = time.process_time(); said = tool.convert(path).text_content
    return (time.process_time() - start) * 1000, said
for path in sys.argv[1:]:
    once(path)
    turns = [once(path) for _ in range(5)]
    print(json.dumps({"ms": min(t for t, _ in turns), "said": turns[0][1]}))
"""


def against_markitdown(made: dict[str, Rendered]) -> None:
    """Time, and which of the printed values it does not show."""
    python = markitdown()
    if python is None:
        print("markitdown: left out, it cannot be installed here")
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for carrier in made.values():
            path = Path(folder) / carrier.path
            path.write_bytes(carrier.content)
            paths.append(str(path))
        done = subprocess.run([python, "-c", TOLD, *paths], capture_output=True, text=True, check=True)
    for (name, carrier), line in zip(made.items(), done.stdout.splitlines(), strict=True):
        told = json.loads(line)
        ours = best(lambda carrier=carrier: read(carrier.path, carrier.content), turns=5)[0]
        texts = {
            (part.path, fragment.at): fragment.text
            for part in read(carrier.path, carrier.content).whole()
            for fragment in part.fragments
        }
        wanted = [anchor for anchor in carrier.anchors if anchor.kind == "value"]
        missed = sum(anchor.printed not in told["said"] for anchor in wanted)
        lost = sum(anchor.printed not in texts.get((anchor.place.path, anchor.place.base), "") for anchor in wanted)
        print(
            f"read {name:<6} {ours:>8.1f} ms, misses {lost} of {len(wanted)}   "
            f"markitdown {told['ms']:>8.1f} ms, misses {missed} of {len(wanted)}   {ours / told['ms']:>5.2f}x",
            flush=True,
        )


def main() -> None:
    scope = world()
    made: dict[str, Rendered] = {}
    for name, spec in SPECS.items():
        peer_name, peer = PLAIN[name]
        compare_writing(
            name,
            lambda spec=spec: render(spec, scope, "bench"),
            peer_name,
            lambda peer=peer: peer(scope),
        )
        made[name] = render(spec, scope, "bench")
    for name, peer_name, reader in READ:
        carrier = made[name]
        compare_reading(
            name,
            lambda carrier=carrier: read(carrier.path, carrier.content),
            peer_name,
            lambda reader=reader, carrier=carrier: reader(carrier.content),
        )
        if name in NOTED:
            compare_reading(
                name,
                lambda carrier=carrier: tuple(read(carrier.path, carrier.content).fragments),
                f"{peer_name}; ours with each record",
                lambda reader=reader, carrier=carrier: reader(carrier.content),
            )
    against_markitdown(
        {name: carrier for name, carrier in made.items() if name in ("xlsx", "docx", "pdf", "csv", "json")}
    )


if __name__ == "__main__":
    sys.exit(main())
