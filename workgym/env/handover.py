"""What a user writes in mid-task: it is given from then on, and a change of it would be the solver's."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from workgym.documents import Document, differences, edit, read, read_all
from workgym.errors import DocumentError, SandboxError
from workgym.package import TaskPackage
from workgym.sandbox.child import run
from workgym.verify.edited.compare import lasting


def handed_over(task: TaskPackage, files: Mapping[str, bytes | None]) -> TaskPackage:
    """The task after its user wrote files, or removed them: they are given now, and none of the solver's doing.

    What the user writes in the solver's own deliverables stays to be judged as the solver's. In a file that is filled
    in or extended what the solver added before stays the solver's, too.
    """
    deliverables = {one.path: one for one in task.hidden.graph.deliverables}
    given = {path: content for path, content in files.items() if path not in deliverables or deliverables[path].edits}
    if not given:
        return task
    concerned = {path: task.files[path] for path in given if path in deliverables and path in task.files}
    graph = task.hidden.graph
    for path, found in (read_all(concerned) if concerned else {}).items():
        if isinstance(found, Document):
            one = deliverables[path]
            deliverables[path] = one.model_copy(update={"edits": lasting(one.areas, found)})
    graph = graph.model_copy(update={"deliverables": tuple(deliverables.values())})
    now = {path: content for path, content in {**task.files, **given}.items() if content is not None}
    return task.with_hidden(graph=graph).with_files(now)


def carried(path: str, old: bytes, new: bytes, mine: bytes) -> bytes:
    """A solver's copy of a given file with what changed from ``old`` to ``new``; ``new`` where that cannot be done.

    The copy is anybody's content: it is edited in a limited child.
    """
    encoded = {
        name: base64.b64encode(content).decode() for name, content in (("old", old), ("new", new), ("mine", mine))
    }
    try:
        answer = run("workgym.env.handover:carry", {"path": path, **encoded})
    except SandboxError:
        return new
    return new if answer is None else base64.b64decode(answer)


def carry(payload: dict[str, str]) -> str | None:
    """What the child runs: the edited copy in base64, or None."""
    path = payload["path"]
    old, new, mine = (base64.b64decode(payload[name]) for name in ("old", "new", "mine"))
    try:
        edited = edit(path, mine, differences(read(path, old), read(path, new)))
    except DocumentError:
        return None
    return base64.b64encode(edited).decode()
