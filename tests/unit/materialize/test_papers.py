"""Papers in every script, as from a scanner, as pictures, with charts: written and read back."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from workgym.documents import Document, read
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.materialize.look import fontfiles, fonts
from workgym.materialize.page import pdf
from workgym.plan import ArtifactSpec
from workgym.records import Anchor

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

needs_fonts = pytest.mark.skipif(
    any(fontfiles.file_of(name) is None for name in ("DejaVuSans", "DroidSansFallbackFull", "NanumGothic")),
    reason=f"NOT TESTED without the fonts of {', '.join(fontfiles.PACKAGES)}",
)
SCRIPTS = "aZ9%ÄßŁąőŞЖяЇЁΩλά東京汉语ひカー한국→≤✓№€“–（）。"


def written(scope: Scope, path: str, template: str) -> Rendered:
    return render(ArtifactSpec(path=path, template=template, role="distractor"), scope, "look")


def found(document: Document, anchor: Anchor) -> str | None:
    text, span = document.text_at(anchor.place.base), anchor.place.span
    return text if text is None or span is None else text[span[0] : span[1]]


@pytest.fixture(name="sales")
def _sales(world: Worlds, relation: Relations) -> Scope:
    rows = [
        (f"Q{quarter} 2026", str(units), cost)
        for quarter, (units, cost) in enumerate([(1200, "310.50"), (-80, "295.00"), (0, "402.25"), (1425, "88.00")], 1)
    ]
    columns = {"quarter": "text", "units": "integer", "cost": "money(EUR, 2)"}
    good = relation("parts", {"part": "text", "share": "percent(1)"}, ("part",), [["Sea", "0.405"], ["Road", "0.6"]])
    return world(relation("sales", columns, ("quarter",), rows), good)


LETTER = """---
letterhead: true
company: Nordpak GmbH
address: "Kanalstrasse 14, 20457 Hamburg"
scan: {scan}
stamp: "RECEIVED 3 MAR 2026"
signature: "{{{{ context.buyer }}}}"
---
# Offers

| Supplier | Price | Valid until |
|:--|--:|:--|
{{% for q in quote %}}
| {{{{ q.supplier | upper }}}} | {{{{ q.price | money }}}} | {{{{ q.valid | date }}}} |
{{% endfor %}}

Rate {{{{ rate.rate ~ " a year" }}}}, {{{{ ["a", quote.of("Nordpak GmbH").terms] | join(" and ") }}}}.
"""


@needs_fonts
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(words=st.lists(st.text(SCRIPTS, min_size=1, max_size=40), min_size=1, max_size=6))
def test_every_script_is_written_and_read_back(world: Worlds, relation: Relations, words: list[str]) -> None:
    rows = [[str(number), word] for number, word in enumerate(words)]
    scope = world(relation("note", {"number": "text", "said": "text"}, ("number",), rows))
    made = written(
        scope,
        "a.pdf",
        "| N | Said |\n|--|--|\n{% for n in note %}\n| {{ n.number }} | **{{ n.said }}** |\n{% endfor %}\n",
    )
    document = read("a.pdf", made.content)
    for anchor in made.anchors:
        assert found(document, anchor) == anchor.printed
    printed = [anchor.printed for anchor in made.anchors if anchor.cell is not None and anchor.cell.column == "said"]
    assert "".join(printed).replace(" ", "") == "".join(words).replace(" ", "")


@needs_fonts
def test_only_what_a_font_lacks_takes_another(scope: Scope) -> None:
    latin = written(scope, "a.pdf", "---\ncompany: Nordpak GmbH\n---\nAll of it").content
    mixed = written(scope, "a.pdf", "---\ncompany: Nordpak GmbH\n---\nAll of it: 東京 →").content
    slavic = written(scope, "a.pdf", "---\ncompany: Nordpak GmbH\n---\nŁódź: 東京").content
    assert b"TrueType" not in latin and b"/Helvetica" in latin
    assert b"/Helvetica" in mixed and b"DroidSansFallback" in mixed and b"DejaVuSans" in mixed
    assert b"DejaVuSans" in slavic and b"DroidSansFallback" in slavic


@needs_fonts
def test_ideographs_break_anywhere_but_before_a_full_stop(scope: Scope) -> None:
    made = written(scope, "a.pdf", "我们很高兴为您提供以下包装材料的报价。" * 8)
    lines = [f.text for f in read("a.pdf", made.content).fragments if f.table][:-1]
    assert len(lines) > 2
    assert not any(line.startswith("。") for line in lines)
    assert max(map(len, lines[:-1])) - min(map(len, lines[:-1])) <= 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A lorry 🚚", r"no font has a glyph for .*U\+1F69A"),
        ("שלום", "cannot be set: no scripts from right to left"),
        ("e\u0301", "composed letters"),
        ("ไทย", "no font has a glyph"),
    ],
)
def test_what_no_font_can_set(scope: Scope, text: str, message: str) -> None:
    with pytest.raises(MaterializeError, match=message):
        written(scope, "a.pdf", text)


def test_a_missing_font_names_its_package(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    vera = {name: path for name, path in fontfiles._files().items() if name.startswith("Vera")}
    monkeypatch.setattr(fontfiles, "_files", lambda: vera)
    fontfiles._known.cache_clear()
    try:
        for text, package in (("Łódź", "fonts-dejavu-core"), ("東京", "fonts-droid-fallback"), ("한국", "fonts-nanum")):
            with pytest.raises(MaterializeError, match=f"not installed; install the Debian package {package}"):
                written(scope, "a.pdf", text)
        assert written(scope, "a.pdf", "Čaković").content
    finally:
        fontfiles._known.cache_clear()


def test_a_glyph_that_is_lost_is_an_error(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "face_for", lambda family, text: fonts.face_for("Vera", "Č"))
    with pytest.raises(MaterializeError, match="page 1, line 1 reads .* and should read"):
        written(scope, "a.pdf", "Łódź 東京")


@pytest.mark.parametrize("scan", ["true", "{angle: -1.5, noise: 1, dpi: 120, colour: false}", "{angle: 2.5}"])
def test_a_scan_with_text_reads_as_the_paper_does(scope: Scope, scan: str) -> None:
    made, plain = (written(scope, "a.pdf", LETTER.format(scan=how)) for how in (scan, "false"))
    document = read("a.pdf", made.content)
    assert document.pictures == ()
    assert [(f.at, f.text, f.hidden) for f in document.fragments] == [
        (f.at, f.text, f.hidden) for f in read("a.pdf", plain.content).fragments
    ]
    assert made.anchors == plain.anchors
    for anchor in made.anchors:
        assert found(document, anchor) == anchor.printed
    assert any(anchor.kind == "decor" and anchor.printed == "RECEIVED 3 MAR 2026" for anchor in made.anchors)


def test_a_scan_without_text_is_pictures(scope: Scope) -> None:
    template = LETTER.format(scan="{text_layer: false, noise: 0.2, dpi: 100}") + "\n<!-- page -->\n\nMore.\n"
    made = written(scope, "a.pdf", template)
    document = read("a.pdf", made.content)
    assert document.pictures == ("p1", "p2")
    assert not [fragment for fragment in document.fragments if fragment.table]
    assert {anchor.printed for anchor in made.anchors} >= {"NORDPAK GMBH", "1,234.50 USD", "30 June 2026"}


def askew(picture: Image.Image) -> float:
    """By how much the rule under a letterhead rises over the page, in pixels."""
    dark = numpy.asarray(picture.convert("L")) < 140
    heights = [int(numpy.argmax(dark[:, x][150:260])) for x in (200, picture.width - 200)]
    return float(heights[0] - heights[1])


def test_a_scan_lies_askew_on_tinted_paper(scope: Scope) -> None:
    def picture(scan: str) -> Image.Image:
        content = written(scope, "a.png", LETTER.format(scan=scan)).content
        return Image.open(io.BytesIO(content)).convert("RGB")

    straight, turned = (picture(f"{{angle: {angle}, noise: 0, dpi: 150, colour: false}}") for angle in (0, 1.0))
    assert abs(askew(straight)) <= 1
    assert 8 <= askew(turned) <= 22
    assert numpy.ptp(numpy.asarray(straight), axis=2).max() == 0
    paper = numpy.asarray(picture("{dpi: 100}"))[-130:-70, 200:600].mean(axis=(0, 1))
    assert all(215 < channel < 255 for channel in paper)


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("scan: maybe", "scan is a mapping"),
        ("scan: {angel: 1}", "unknown key 'angel': did you mean angle"),
        ("scan: {angle: 9}", "angle is a number from -3 to 3"),
        ("scan: {dpi: 150.5}", "dpi is a whole number"),
        ("scan: {text_layer: 1}", "text_layer is true or false"),
        ("scan: {angle", "front matter: scan: "),
        ("chart: {kind: bar}", "chart: rows is needed"),
        ("chart: {kind: radar, rows: sales, x: quarter, y: units}", "unknown kind 'radar'"),
        ("chart: {kind: bar, rows: sales, x: quarter, y: quarter}", "column quarter holds no numbers"),
        ("chart: {kind: bar, rows: sale, x: quarter, y: units}", "sale"),
        ("chart: {kind: pie, rows: sales, x: quarter, y: units}", "a pie has no negative parts"),
        ("chart: {kind: pie, rows: parts, x: part, y: [share, share]}", "1 to 4 different columns"),
    ],
)
def test_wrong_front_matter(sales: Scope, front: str, message: str) -> None:
    with pytest.raises(MaterializeError, match=message):
        written(sales, "a.pdf", f"---\n{front}\n---\nText\n")


@pytest.mark.parametrize("kind", ["column", "bar", "line"])
@pytest.mark.parametrize("y", ["units", "[units, cost]", "{Sold: units}"])
def test_charts_print_their_values(sales: Scope, kind: str, y: str) -> None:
    chart = f"chart: {{kind: {kind}, rows: sales, x: quarter, y: {y}, title: Sales 2026}}"
    made = written(sales, "a.pdf", f"---\n{chart}\n---\n# Sales\n\nBelow.\n")
    document = read("a.pdf", made.content)
    for anchor in made.anchors:
        assert found(document, anchor) == anchor.printed
    cells = [str(anchor.cell) for anchor in made.anchors if anchor.cell is not None]
    assert len(cells) == len(set(cells)) == 4 * (3 if "cost" in y else 2)


def test_a_pie_and_its_legend(sales: Scope) -> None:
    made = written(sales, "a.pdf", "---\nchart: {kind: pie, rows: parts, x: part, y: share}\n---\nBelow.\n")
    lines = [fragment.text for fragment in read("a.pdf", made.content).fragments if fragment.table]
    assert lines[:2] == ["Sea  40.5 %", "Road  60 %"] or lines[:2] == ["Sea  40.5 %", "Road  60.0 %"]


@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_pictures(sales: Scope, ending: str) -> None:
    chart = "---\ntitle: Sales\nchart: {kind: column, rows: sales, x: quarter, y: units}\n---\n# Sales\n"
    small = Image.open(io.BytesIO(written(sales, f"a.{ending}", chart).content))
    whole = Image.open(io.BytesIO(written(sales, f"a.{ending}", chart.replace("title", "header")).content))
    assert small.width == whole.width == 1240 and small.height < 750 < whole.height == 1755
    document = read(f"a.{ending}", written(sales, f"a.{ending}", chart).content)
    assert document.pictures == ("p1",)
    assert document.text_at("property.Title") == ("Sales" if ending == "png" else None)
    with pytest.raises(MaterializeError, match="a picture is one page, and this takes 2"):
        written(sales, f"a.{ending}", "One\n\n<!-- page -->\n\nTwo\n")


ALL = {"s.pdf": "{dpi: 100}", "t.pdf": "{dpi: 100, text_layer: false}", "a.png": "{dpi: 100}", "b.jpg": "{dpi: 100}"}
SCRIPT = """
import hashlib, runpy, sys
sys.path.insert(0, sys.argv[1])
from conftest import world
from workgym.materialize import render
from workgym.plan import ArtifactSpec
for path, template in eval(sys.stdin.read()).items():
    made = render(ArtifactSpec(path=path, template=template, role="distractor"), world(), "look")
    print(hashlib.sha256(made.content).hexdigest())
"""


@needs_fonts
def test_the_same_bytes_in_another_process(world: Worlds, tmp_path: Path) -> None:
    import hashlib

    templates = {path: LETTER.format(scan=scan) for path, scan in ALL.items()}
    templates["f.pdf"] = "Łódź 東京 한국 Ω →\n"
    here = [hashlib.sha256(written(world(), path, text).content).hexdigest() for path, text in templates.items()]
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent)]
    done = subprocess.run(command, input=repr(templates), capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.split() == here


def test_different_papers_are_scanned_differently(scope: Scope) -> None:
    template = LETTER.format(scan="{dpi: 100}")
    contents: list[Any] = [written(scope, path, template).content for path in ("a.png", "b.png")]
    assert contents[0] != contents[1]
    assert len(pypdfium2.PdfDocument(written(scope, "a.pdf", template).content)) == 1
