"""Properties of an Office file: title, author, keywords and the like, which most readers never open."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.documents.archive import Archive
from workgym.documents.model import Fragment

_PARTS = ("docProps/core.xml", "docProps/app.xml", "docProps/custom.xml")
_DULL = frozenset(
    "Application AppVersion DocSecurity ScaleCrop SharedDoc LinksUpToDate HyperlinksChanged created modified"
    " Template TotalTime Pages Words Characters Lines Paragraphs CharactersWithSpaces revision"
    " HeadingPairs TitlesOfParts PresentationFormat Slides Notes HiddenSlides MMClips".split()
)


def properties(archive: Archive) -> Iterator[Fragment]:
    """Each property that somebody may have written by hand, as a hidden fragment ``property.<name>``."""
    for part in _PARTS:
        if part not in archive:
            continue
        for node in archive.xml(part):
            name = node.get("name") or node.tag.rpartition("}")[2]
            text = "".join(node.itertext()).strip()
            if text and name not in _DULL:
                yield Fragment(at=f"property.{name}", text=text, label=name, hidden=True)
