"""Zip archives of carriers, nested ones too: one order, one date, one compression, hence the same bytes everywhere.

Written by the standard library (``materialize.normal``), read by it too: there is no second library that is not the
same code. Not supported: passwords, empty folders, comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.normal import packed
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import allow
from workgym.materialize.within import members
from workgym.records import Anchor


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """An archive from a tree with ``files``. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, ("files",))
        if not content.get("files"):
            raise Fault("files: a list of files is needed, each with `path` and `template` or `content`")
    held = members(job, content["files"], "files")
    anchors: list[Anchor] = []
    for number, member in enumerate(held, 1):
        anchors += member.name.anchors(job.path, f"m{number}")
    for member in held:
        anchors += member.made.anchors
    return rendered(job, packed({member.name.plain: member.made.content for member in held}), anchors)
