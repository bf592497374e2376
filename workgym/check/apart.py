"""The checks of a package that somebody else made, in a limited child process.

Its queries, templates and files are not ours: there they can use up no more than the child's limits,
and reach nothing but the libraries and a temporary folder.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workgym.check.running import check_here
from workgym.documents import Document, read_all
from workgym.documents.image.recognition import Words, available, shows_pictures, words
from workgym.errors import ChildFailed, MissingExtra, Unreadable, WorkgymError
from workgym.materialize import modules
from workgym.package import TaskPackage, load, members
from workgym.package.apart import QUERIES
from workgym.records import CheckReport, Finding, by_ending
from workgym.sandbox.child import JobLimits, run

_LIMITS = JobLimits(memory_mib=1536, cpu_seconds=120, wall_seconds=600.0)
_PRELOAD = (
    "workgym.check",
    "workgym.documents.xlsx.read",
    "workgym.documents.docx.read",
    "workgym.documents.pdf.read",
    "workgym.documents.image.read",
    "workgym.documents.csv.read",
    "workgym.documents.text.read",
    "workgym.documents.json.read",
    "workgym.documents.mail.read",
    "workgym.documents.ics.read",
    "workgym.documents.html.read",
)


def check_apart(package: TaskPackage) -> CheckReport:
    """All checks, in a child. One that ends its process is a finding, not a crash."""
    files = {path: base64.b64encode(content).decode() for path, content in members(package).items()}
    payload = {"files": files, "words": _words(package.files)}
    needs = (*_PRELOAD, *QUERIES, *modules(package.files))
    try:
        return CheckReport.model_validate(run("workgym.check.apart:report", payload, preload=needs, limits=_LIMITS))
    except ChildFailed as error:
        message = f"checking it ended the process that did it: {error.kind}, {error.detail}"
        finding = Finding(check="readable", severity="hard", defect="executability defect", message=message)
        return CheckReport(task_id=package.id, ran=("readable",), findings=(finding,))


def _words(files: Mapping[str, bytes]) -> Words:
    """What its pictures say: a child has no child of its own, so that they are recognised before."""
    found: dict[str, Any] = {}
    shown = {path: content for path, content in files.items() if available() and _shows(path, content)}
    for path, document in read_all(shown).items():
        if isinstance(document, Document) and shows_pictures(document):
            try:
                found |= words(document, files[path])
            except (MissingExtra, Unreadable):
                continue  # its pages stay pictures, and what should stand there is reported as unproved
    return found


def _shows(path: str, content: bytes) -> bool:
    """Whether a file may hold pictures of text, looked at from outside."""
    form = by_ending(path)
    if form is None:
        return False
    return form.name in ("png", "jpg") or form.holds_files or (form.name == "pdf" and b"/Image" in content)


def report(payload: dict[str, Any]) -> Any:
    """What the child runs: a package's files by path, in base64, and the words of its pictures, to the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "package"
        for path, content in payload["files"].items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(base64.b64decode(content))
        try:
            return check_here(load(folder), trusted=False, words=payload["words"]).model_dump(mode="json")
        except WorkgymError as error:
            message = str(error).replace(name, "")
            finding = Finding(check="readable", severity="hard", defect="executability defect", message=message)
            return CheckReport(task_id="", ran=("readable",), findings=(finding,)).model_dump(mode="json")
