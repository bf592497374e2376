"""What is handed in, what is not, what is damaged, and what was done to the rest of the workspace."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from workgym.errors import UsageError, WorkspaceOverLimit
from workgym.sandbox.trees import remove
from workgym.verify import grade, regrade, workspace_files


def states(verdict: Any, kind: str) -> dict[str, str]:
    return {check.name: check.state for check in verdict.checks if check.kind == kind}


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", b" " * (200 << 20))
    return out.getvalue()


def protected() -> bytes:
    """The start of an encrypted office file: an OLE container (MS-CFB, MS-OFFCRYPTO)."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 992


DAMAGED: Mapping[str, Callable[[bytes], bytes]] = {
    "bomb": lambda right: bomb(),
    "protected": lambda right: protected(),
    "truncated": lambda right: right[: len(right) // 2],
    "empty": lambda right: b"",
    "another container": lambda right: zipped({"word/document.xml": b"<x/>"}),
    "broken inside": lambda right: zipped({"xl/workbook.xml": b"<workbook"}),
}


def zipped(parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_deliverable_fails_and_the_other_one_still_counts(work: Any, how: str) -> None:
    right = work.files()["book.xlsx"]
    verdict = grade(work.package, work.files(book=DAMAGED[how](right)))
    assert verdict.state == "failed"
    assert states(verdict, "file") == {"file book.xlsx": "failed", "file memo.docx": "passed"}
    assert {check.state for check in verdict.checks if check.deliverable == "book.xlsx"} == {"failed"}
    assert 0 < verdict.reward < 0.5
    (check,) = [check for check in verdict.checks if check.name == "file book.xlsx"]
    assert check.message.startswith("book.xlsx cannot be read: ") and "\n" not in check.message


@pytest.mark.parametrize("how", DAMAGED)
def test_damage_is_failed_beside_a_sound_file_of_the_expert_too(work: Any, how: str) -> None:
    right = work.files()
    package = work.package.with_hidden(expert_files={"book.xlsx": right["book.xlsx"], "memo.docx": right["memo.docx"]})
    assert grade(package, work.files(book=DAMAGED[how](right["book.xlsx"]))).state == "failed"


def test_only_what_breaks_on_the_experts_file_too_is_unscored(work: Any) -> None:
    package = work.package.with_hidden(expert_files={"book.xlsx": b"PK\x03\x04 ours is broken"})
    verdict = grade(package, work.files(book=b"PK\x03\x04 theirs is broken"))
    assert (verdict.state, verdict.reward) == ("unscored", 0.0)
    assert grade(package, work.files()).state == "passed"
    assert grade(package, work.files(book=None)).state == "failed"


def test_a_workbook_that_calls_an_unknown_function_fails(work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Totals"][1][1] = "=NOSUCHFUNCTION(1)"
    verdict = grade(work.package, work.files(book=book(sheets)))
    assert states(verdict, "file")["file book.xlsx"] == "failed"


def test_garbage_of_another_type_spoils_the_hand_in(work: Any) -> None:
    verdict = grade(work.package, work.files(book=b"%PDF-1.7 not a workbook"))
    assert states(verdict, "guard") == {"guard inputs": "passed", "guard stray": "passed", "guard types": "failed"}
    assert verdict.reward == 0.0


def test_doing_nothing_earns_nothing(work: Any) -> None:
    verdict = grade(work.package, work.package.files)
    assert (verdict.state, verdict.reward) == ("failed", 0.0)
    assert all(value == 1.0 for value in verdict.scores.guards.values())


def test_empty_and_blank_deliverables_earn_nothing(
    work: Any, word: Callable[..., bytes], book: Callable[..., bytes]
) -> None:
    assert grade(work.package, work.files(book=book({"Sheet": []}), memo=word(""))).reward == 0.0


def test_an_input_as_output_earns_nothing(work: Any) -> None:
    assert grade(work.package, work.files(book=work.package.files["docs/terms.xlsx"], memo=None)).reward == 0.0


def test_a_right_file_under_another_name_is_not_handed_in(work: Any) -> None:
    files = work.files()
    files["Book.xlsx"] = files.pop("book.xlsx")
    verdict = grade(work.package, files)
    assert states(verdict, "file")["file book.xlsx"] == "failed"
    assert states(verdict, "guard")["guard stray"] == "failed"


@pytest.mark.parametrize("content", [None, b"supplier,price\nx,1\n"])
def test_a_changed_or_removed_input_spoils_the_hand_in(work: Any, content: bytes | None) -> None:
    files = work.files()
    del files["quotes.csv"]
    if content is not None:
        files["quotes.csv"] = content
    verdict = grade(work.package, files)
    assert (verdict.state, verdict.reward, verdict.scores.guards["inputs"]) == ("failed", 0.0, 0.0)


def test_an_input_that_was_only_zipped_again_is_the_same(work: Any) -> None:
    files = work.files()
    with zipfile.ZipFile(io.BytesIO(files["docs/terms.xlsx"])) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    files["docs/terms.xlsx"] = zipped(parts)
    assert grade(work.package, files).reward == 1.0
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(b"Terms", b"TERMS")
    files["docs/terms.xlsx"] = zipped(parts)
    assert grade(work.package, files).reward == 0.0
    files["docs/terms.xlsx"] = bomb()
    assert grade(work.package, files).reward == 0.0
    spoilt = bytearray(work.package.files["docs/terms.xlsx"])
    with zipfile.ZipFile(io.BytesIO(bytes(spoilt))) as archive:
        first = archive.infolist()[0]
    start = first.header_offset + 30 + len(first.filename)
    spoilt[start : start + 4] = b"\xff\xff\xff\xff"  # no deflate stream; the listing stays as it was
    files["docs/terms.xlsx"] = bytes(spoilt)
    verdict = grade(work.package, files)
    assert (verdict.state, verdict.reward) == ("failed", 0.0)


def test_stray_files_cost_a_tenth_once(work: Any) -> None:
    harmless = {"~$book.xlsx": b"x", ".~lock.book.xlsx#": b"x", "__pycache__/solve.cpython-311.pyc": b"x"}
    assert grade(work.package, work.files() | harmless).reward == 1.0
    for stray in ({"reward.json": b"1.0"}, {"scratch.py": b"", "notes/a.txt": b"", "hidden/values.json": b""}):
        verdict = grade(work.package, work.files() | stray)
        assert (verdict.state, verdict.reward) == ("failed", 0.9)
        (check,) = verdict.failed()
        assert check.found == "; ".join(sorted(stray))


def test_a_kept_workspace_is_graded_again_the_same(work: Any, tmp_path: Path) -> None:
    files = work.files()
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert workspace_files(tmp_path) == dict(sorted(files.items())) or set(workspace_files(tmp_path)) == set(files)
    assert regrade(work.package, tmp_path) == grade(work.package, files)


def test_links_and_pipes_are_no_files(work: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.xlsx").write_bytes(work.files()["book.xlsx"])
    inside = tmp_path / "work"
    inside.mkdir()
    (inside / "book.xlsx").symlink_to(tmp_path / "secret.xlsx")
    (inside / "folder").symlink_to(tmp_path)
    os.mkfifo(inside / "pipe")
    os.link(tmp_path / "secret.xlsx", inside / "second name.xlsx")
    (inside / "odd\nname").write_text("x")
    (inside / os.fsdecode(b"no utf-8 \xff")).write_text("x")
    with open(inside / "sparse", "wb") as file:
        file.truncate(1 << 40)
    (inside / "a.txt").write_text("a")
    inside.chmod(0o500)
    assert workspace_files(inside) == {"a.txt": b"a"}
    assert inside.stat().st_mode & 0o777 == 0o500, "it is only read"
    with pytest.raises(UsageError, match="is not a folder"):
        workspace_files(tmp_path / "nowhere")


def test_a_kept_workspace_has_the_limits_of_a_live_one(work: Any, tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(60):
        deep = deep / "d"
    deep.mkdir(parents=True)
    with pytest.raises(WorkspaceOverLimit, match="more than 40 folders deep"):
        workspace_files(tmp_path)
    remove(tmp_path / "d")
    for number in range(5):
        with open(tmp_path / f"sparse{number}", "wb") as file:
            file.truncate(60 << 20)
    with pytest.raises(WorkspaceOverLimit, match="holds more than 256 MiB"):
        regrade(work.package, tmp_path)


def test_the_same_files_give_the_same_bytes(work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Yearly"][3][2] = 1
    files = work.files(book=book(sheets)) | {"left.txt": b""}
    texts = {
        grade(work.package, dict(order)).dump() for order in (files.items(), reversed(files.items()), files.items())
    }
    assert len({hashlib.sha256(text.encode()).hexdigest() for text in texts}) == 1
