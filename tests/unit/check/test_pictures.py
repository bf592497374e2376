"""Values that stand in pictures alone: found by recognition, and never passed in silence without it."""

from __future__ import annotations

import importlib.util

import pytest

from workgym.authoring import families
from workgym.check import check, pictures
from workgym.documents import Document, Fragment
from workgym.documents.image import recognition
from workgym.materialize.look import fontfiles
from workgym.package import TaskPackage
from workgym.package.assemble import assemble
from workgym.records import Anchor, Place

HAVE = importlib.util.find_spec("rapidocr") is not None and importlib.util.find_spec("onnxruntime") is not None
needs_ocr = pytest.mark.skipif(not HAVE, reason="NOT TESTED: text in pictures, without pip install 'workgym[ocr]'")


@pytest.fixture(scope="module")
def scanned() -> TaskPackage:
    """A task one of whose quotations came from a scanner without text."""
    package = families.build("supplier-selection", "easy", 4)
    plan = package.hidden.plan
    path = next(spec.path for spec in plan.artifacts if spec.path.endswith("quotation.pdf"))
    artifacts = tuple(
        spec.model_copy(
            update={"template": (spec.template or "").replace("---\n", "---\nscan: {text_layer: false}\n", 1)}
        )
        if spec.path == path
        else spec
        for spec in plan.artifacts
    )
    plan = plan.model_copy(update={"artifacts": artifacts})
    made = assemble(package.hidden.graph, package.hidden.values, plan)
    assert {a.place.path: a.printed for a in made.anchors} == {a.place.path: a.printed for a in package.hidden.anchors}
    changed = package.with_hidden(plan=plan, anchors=made.anchors).with_files(made.files, made.request)
    assert [name for name in made.files if made.files[name] != package.files[name]] == [path]
    return changed


def test_papers_in_other_scripts_are_written_again_in_the_child() -> None:
    if any(fontfiles.file_of(name) is None for name in ("DejaVuSans", "DroidSansFallbackFull")):
        pytest.skip("NOT TESTED without the fonts of fonts-dejavu-core and fonts-droid-fallback")
    package = families.build("supplier-selection", "easy", 4)
    plan = package.hidden.plan
    artifacts = tuple(
        spec.model_copy(
            update={"template": (spec.template or "").replace("terms of sale", "terms of sale, 条件, Łódź")}
        )
        for spec in plan.artifacts
    )
    plan = plan.model_copy(update={"artifacts": artifacts})
    made = assemble(package.hidden.graph, package.hidden.values, plan)
    changed = package.with_hidden(plan=plan, anchors=made.anchors).with_files(made.files, made.request)
    assert b"DroidSansFallback" in b"".join(made.files.values())
    assert [str(finding) for finding in check(changed).findings if finding.severity == "hard"] == []


@pytest.mark.parametrize("trusted", [True, False])
def test_without_the_extra_they_are_unproved(
    scanned: TaskPackage, trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "available", lambda: False)
    monkeypatch.setattr("workgym.check.presence.available", lambda: False)
    report = check(scanned, trusted=trusted)
    assert not report.passed
    hard = [finding for finding in report.findings if finding.severity == "hard"]
    assert {finding.check for finding in hard} == {"presence"}
    for finding in hard:
        assert finding.path is not None and finding.path.endswith("quotation.pdf")
        assert "unproved, not passed" in finding.message
        if trusted or not HAVE:
            assert "cannot be read without workgym[ocr]" in finding.message
    assert any(finding.check == "readable" and finding.severity == "soft" for finding in report.findings)


@needs_ocr
@pytest.mark.parametrize("trusted", [True, False])
def test_with_it_they_are_found_again(scanned: TaskPackage, trusted: bool) -> None:
    report = check(scanned, trusted=trusted)
    assert [str(finding) for finding in report.findings if finding.severity == "hard"] == []
    assert report.passed


@needs_ocr
def test_another_picture_is_seen(scanned: TaskPackage) -> None:
    path = next(spec.path for spec in scanned.hidden.plan.artifacts if spec.path.endswith("quotation.pdf"))
    other = next(name for name in scanned.files if name.endswith("quotation.pdf") and name != path)
    report = check(scanned.with_files({**scanned.files, path: scanned.files[other]}), trusted=True)
    assert not report.passed


def anchor(printed: str, at: str) -> Anchor:
    return Anchor(kind="decor", cell=None, place=Place(path="a.png", at=at), printed=printed)


@pytest.mark.parametrize(
    ("printed", "at", "where"),
    [
        ("1,234.50 USD", "p1l2[8:20]", "p1l2[8:19]"),
        ("1", "p1l4", "p1l4"),
        ("12", "p1l3[0:2]", "p1l3[5:7]"),
        ("Kanalstrasse 14, 20457", "p1l1", "p1l1"),
        ("a-b", "p1l5[1:4]", "p1l5[2:5]"),
        ("34", "p1l2[5:7]", None),
        ("gone", "p1l1", None),
        ("x", "l14", None),
    ],
)
def test_where_a_text_is_found(printed: str, at: str, where: str | None) -> None:
    lines = ["Kanalstrasse14,20457", "Nordpak 1,234.50USD", "123  12", "1", "x a–b"]
    found = tuple(Fragment(at=f"p1l{n}", text=text, table="p1", row=n) for n, text in enumerate(lines, 1))
    document = Document(path="a.png", format="png", fragments=found, recognised=("p1",))
    located = pictures.located(document, anchor(printed, at))
    assert (located and located.place.at) == where


def test_alike() -> None:
    assert pictures.same("A – b“c”", 'A-b"c"') and not pictures.same("1,234", "1.234")
