"""The files of open fonts: where they lie, which characters they have, and which package brings them.

Vera comes with reportlab. DejaVu (Bitstream Vera's licence), Droid Sans Fallback (Apache-2.0) and Nanum (OFL-1.1) are
found in the font folders of the system, where Debian's packages put them; reportlab embeds the glyphs that are used.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from threading import RLock

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont

PACKAGES = {
    "fonts-dejavu-core": "Latin, Greek, Cyrillic, signs",
    "fonts-droid-fallback": "Chinese, Japanese",
    "fonts-nanum": "Korean",
}
"""Debian packages, and the scripts that they are needed for."""
_PACKAGE = {
    **dict.fromkeys(("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold"), "fonts-dejavu-core"),
    "DroidSansFallbackFull": "fonts-droid-fallback",
    **dict.fromkeys(("NanumGothic", "NanumGothicBold"), "fonts-nanum"),
}
_SCRIPTS = {
    "fonts-dejavu-core": ((0x0100, 0x058F), (0x10A0, 0x10FF), (0x1E00, 0x27BF)),
    "fonts-droid-fallback": ((0x2E80, 0x312F), (0x3190, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)),
    "fonts-nanum": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)),
}
"""Where the characters lie for which a missing package is named; what lies elsewhere no package here has."""
_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/opt/homebrew/share/fonts")
"""Of the machine, not of a person: checks of a stranger's package write carriers where no home can be read."""
_LOCK = RLock()


@lru_cache(maxsize=1)
def _files() -> dict[str, Path]:
    """Font files of the system by their names without the ending; the first one found counts."""
    found = {name: Path(reportlab.__file__).parent / "fonts" / f"{name}.ttf" for name in ("Vera", "VeraBd")}
    wanted = {f"{name}.ttf": name for name in _PACKAGE}
    for folder in map(Path, _FOLDERS):
        for path in sorted(folder.rglob("*.ttf")) if folder.is_dir() else ():
            if path.name in wanted:
                found.setdefault(wanted[path.name], path)
    return found


def file_of(font: str) -> Path | None:
    """The file of a font, or None where it is not installed."""
    return _files().get(font)


def known(font: str) -> frozenset[int]:
    """The code points of a font, which is registered on first use; none where it is not installed."""
    with _LOCK:  # reportlab's list of fonts is one for the process, and the first use fills it
        return _known(font)


@lru_cache(maxsize=32)
def _known(font: str) -> frozenset[int]:
    path = _files().get(font)
    if path is None:
        return frozenset()
    try:
        made = TTFont(font, str(path))
    except TTFError:
        return frozenset()
    pdfmetrics.registerFont(made)
    return frozenset(code for code, glyph in made.face.charToGlyph.items() if glyph)


def package_of(font: str, char: str) -> str | None:
    """The package to be installed for a character that ``font`` has; None where it is installed or not for it."""
    package = _PACKAGE[font]
    meant = any(low <= ord(char) <= high for low, high in _SCRIPTS[package])
    return package if meant and not known(font) else None
