"""What stands beside the content of an office file: comments, text boxes, names, charts, pictures, pivot tables.

Programs drop these when they save what they do not know (openpyxl loses text boxes, and replies to comments). Charts
and pictures are counted: other programs give their parts other names. Styles, widths, rules for formats and input, page
setup and properties are not compared: every program writes them in its own way.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping

from workgym.documents import Document, Fragment
from workgym.verify.edited.damage import Damage, said
from workgym.verify.edited.formulas import Moved, expected, unchanged

_REMARK = re.compile(r"(?:.+\.(?:comment|thread\d+|drawing\.\d+)|c\d+)")
_PART = re.compile(r"(?:xl|word)/(?:charts/chart\d*\.xml|(media|pivotTables|embeddings)/[^/]+\.[^/]+)")
_KINDS: Mapping[str | None, str] = {
    None: "charts", "media": "pictures", "pivotTables": "pivot tables", "embeddings": "embedded files",
}  # fmt: skip


def is_remark(fragment: Fragment) -> bool:
    """Whether a piece is a comment, a reply in a thread of them, or a text box of a sheet."""
    return fragment.hidden and _REMARK.fullmatch(fragment.at) is not None


def lost(given: Document, now: Document, before: bytes, after: bytes, moved: Moved) -> Iterator[Damage]:
    """What stood beside the content and is gone or changed. New comments are no damage."""
    if given.format not in ("xlsx", "docx"):
        return
    left = Counter(said(fragment) for fragment in now.fragments if is_remark(fragment))
    for fragment in filter(is_remark, given.fragments):
        if left[said(fragment)] > 0:
            left[said(fragment)] -= 1
        else:
            yield Damage(fragment.at, said(fragment), None, "the remark is gone or changed", beside=True)
    names = {fragment.label: fragment for fragment in now.fragments if fragment.at.startswith("name.")}
    for fragment in given.fragments:
        if fragment.at.startswith("name."):
            other = names.get(fragment.label)
            if other is None or not unchanged(fragment.text, other.text, "", moved):
                found = None if other is None else other.text
                meant = expected(fragment.text, "", moved)
                yield Damage(fragment.at, meant, found, "the name is gone or means something else", beside=True)
    had, has = _parts(before), _parts(after)
    for kind, count in sorted(had.items()):
        if has[kind] < count:
            yield Damage(kind, f"{count} {kind}", f"{has[kind]} {kind}", f"{kind} are gone", beside=True)


def _parts(content: bytes) -> Counter[str]:
    """How many parts of each kind a container lists; nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = (_PART.fullmatch(name) for name in archive.namelist())
            return Counter(_KINDS[match[1]] for match in found if match)
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
        return Counter()
