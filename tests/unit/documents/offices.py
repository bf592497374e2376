"""LibreOffice for tests: where it is missing they are skipped, and the terminal says so whatever it shows of skips."""

from __future__ import annotations

import sys

import pytest

from workgym.documents.recalculation import office


def need_office(config: pytest.Config) -> None:
    """Skip the test where LibreOffice cannot be asked."""
    if not office.reason():
        return
    said = f"NOT TESTED WITH LIBREOFFICE: {office.reason()}"
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{said}", file=sys.stderr)
    pytest.skip(said)
