"""The checks of a package that somebody else made, in a limited child process.

Its queries, templates and files are not ours: there they can use up no more than the child's limits,
and reach nothing but the libraries and a temporary folder.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any

from workgym.check.running import check_here
from workgym.errors import ChildFailed, WorkgymError
from workgym.package import TaskPackage, load, members
from workgym.records import CheckReport, Finding
from workgym.sandbox.child import JobLimits, run

_LIMITS = JobLimits(memory_mib=1536, cpu_seconds=120, wall_seconds=240.0)
_PRELOAD = (
    "workgym.check",
    "workgym.documents.readers.xlsx",
    "workgym.documents.readers.docx",
    "workgym.documents.readers.pdf",
    "workgym.documents.readers.csv",
    "workgym.documents.readers.text",
    "workgym.documents.readers.json",
    "workgym.documents.readers.eml",
    "workgym.documents.readers.ics",
)


def check_apart(package: TaskPackage) -> CheckReport:
    """All checks, in a child. One that ends its process is a finding, not a crash."""
    payload = {path: base64.b64encode(content).decode() for path, content in members(package).items()}
    try:
        return CheckReport.model_validate(run("workgym.check.apart:report", payload, preload=_PRELOAD, limits=_LIMITS))
    except ChildFailed as error:
        message = f"checking it ended the process that did it: {error.kind}, {error.detail}"
        finding = Finding(check="readable", severity="hard", defect="executability defect", message=message)
        return CheckReport(task_id=package.id, ran=("readable",), findings=(finding,))


def report(payload: dict[str, str]) -> Any:
    """What the child runs: a package's files by path, in base64, to the report as JSON."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "package"
        for path, content in payload.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(base64.b64decode(content))
        try:
            return check_here(load(folder), trusted=False).model_dump(mode="json")
        except WorkgymError as error:
            message = str(error).replace(name, "")
            finding = Finding(check="readable", severity="hard", defect="executability defect", message=message)
            return CheckReport(task_id="", ran=("readable",), findings=(finding,)).model_dump(mode="json")
