"""Zip containers with some parts replaced: the others keep their bytes, and all keep order, names and dates."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from workgym.documents.archive import Archive
from workgym.documents.patches import Patch, apply
from workgym.documents.xmlpos import Positions


def repacked(archive: Archive, changed: Mapping[str, bytes | None]) -> bytes:
    """The container with the parts of ``changed`` replaced; a part that becomes None is left out."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        out.comment = archive.comment
        for info in archive.infos:
            content = changed[info.filename] if info.filename in changed else archive.read(info.filename)
            if content is None:
                continue
            kept = zipfile.ZipInfo(info.filename, info.date_time)
            kept.compress_type = info.compress_type
            kept.external_attr = info.external_attr
            kept.create_system = info.create_system
            kept.comment = info.comment
            out.writestr(kept, content)
    return target.getvalue()


def without_part(path: str, archive: Archive, owner: str, part: str) -> dict[str, bytes | None]:
    """What changes when a part of ``owner`` goes: itself, the relation to it, and its content type."""
    folder, _, base = owner.rpartition("/")
    rels = f"{folder}/_rels/{base}.rels"
    ids = {name for name, (_, target) in archive.relations(owner).items() if target == part}
    return {
        part: None,
        rels: _without(path, archive, rels, "Id", ids),
        "[Content_Types].xml": _without(path, archive, "[Content_Types].xml", "PartName", {f"/{part}"}),
    }


def _without(path: str, archive: Archive, name: str, attribute: str, values: set[str]) -> bytes:
    positions = Positions(path, name, archive.read(name))
    spans = [positions.span(node) for node in positions.root if node.get(attribute) in values]
    return apply(path, positions.content, [Patch(span.start, span.end, b"") for span in spans])
