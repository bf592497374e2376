"""A small family of one's own: the one that docs/families.md shows whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_FILE = re.compile(r"^<!-- file: mine/(.*?) -->\n```\w+\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def mileage(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the family ``mileage-claim``, on the shelf, for a test to spoil."""
    for path, text in _FILE.findall((root / "docs/families.md").read_text(encoding="utf-8")):
        file = tmp_path / "mine" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path / "mine"))
    return tmp_path / "mine/envs/mileage-claim"
