"""Files saved once more by LibreOffice, as somebody does who opens a deliverable there and presses save.

It runs on deliverables of our own expert only, with a profile of its own that goes with the folder it works in.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from workgym.quality.settled import settled

FILTERS = {"xlsx": "xlsx:Calc MS Excel 2007 XML", "docx": "docx:MS Word 2007 XML"}
"""What is saved, by ending, and the filter that does it."""
_SECONDS = 180


def reason() -> str:
    """Why nothing can be saved here, with the remedy; empty where it can."""
    if shutil.which("soffice") is None:
        return "LibreOffice is not installed; apt-get install libreoffice-calc libreoffice-writer"
    return ""


def saved(files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Each file as LibreOffice saves it, by path; None where it makes no file of it. Other formats are left out."""
    found: dict[str, bytes | None] = {}
    for ending, written in FILTERS.items():
        mine = {path: content for path, content in files.items() if path.endswith(f".{ending}")}
        if mine:
            found |= _converted(mine, ending, written)
    return found


def _converted(files: Mapping[str, bytes], ending: str, written: str) -> dict[str, bytes | None]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        names = {path: f"{number}.{ending}" for number, path in enumerate(files)}
        (home / "in").mkdir()
        for path, name in names.items():
            (home / "in" / name).write_bytes(files[path])
        command = ["soffice", "--headless", "--norestore", f"-env:UserInstallation=file://{home}/profile"]
        command += ["--convert-to", written, "--outdir", str(home / "out")]
        command += [str(home / "in" / name) for name in names.values()]
        with contextlib.suppress(subprocess.TimeoutExpired):  # what it has made by then is looked at
            subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)
        made = {path: home / "out" / name for path, name in names.items()}
        return {
            path: settled(file.read_bytes()) if file.is_file() and file.stat().st_size else None
            for path, file in made.items()
        }
