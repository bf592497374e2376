"""One live episode: its sandbox, its log, and what the workspace holds.

It is apart from the environment so that a finalizer can close it: when the environment is dropped without ``close``,
or the interpreter exits, the sandbox still goes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from workgym.env.web import Web
from workgym.errors import SandboxError
from workgym.package import TaskPackage
from workgym.records import FileChange, Record
from workgym.sandbox.contract import Sandbox
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    Event,
    MutationEvent,
    ObservationEvent,
    SegmentEvent,
    TrajectoryWriter,
    UserEvent,
    VerdictEvent,
    WorkspaceEvent,
    normal_digest,
    workspace_digest,
)
from workgym.user import UserTurn

_STAMPED = (".xlsx", ".docx", ".pptx", ".xlsm", ".ods", ".odt", ".zip", ".pdf")


class Live:
    """The state of an episode. Not thread-safe: the environment holds the lock."""

    def __init__(self, task: TaskPackage, sandbox: Sandbox, web: Web, writer: TrajectoryWriter | None) -> None:
        self.task = task
        """The task as it was last revised: what is graded against."""
        self.sandbox = sandbox
        self.web = web
        self.writer = writer
        self.turn = 0
        """Actions so far."""
        self.segment = 0
        self.over = False
        self.contents = {path: normal_digest(path, content) for path, content in task.files.items()}
        """Digest over normalised content of every file of the workspace."""
        self.changes: tuple[FileChange, ...] = ()
        """Files that the last action changed."""
        self.handed_in: Mapping[str, str] = {}
        """The same digests of what was handed in; empty before."""
        self._parent: int | None = None

    def log(self, event: Event) -> None:
        """Append to the trajectory, where one is written."""
        if self.writer is not None:
            self.writer.append(event)

    @property
    def workspace(self) -> str:
        """Digest of the workspace as it was last seen."""
        return workspace_digest(self.contents)

    def begin_segment(self, reason: Any) -> None:
        """Open a segment that goes on from the current one."""
        self.log(SegmentEvent(segment=self.segment, parent=self._parent, reason=reason))

    def next_segment(self, reason: Any) -> None:
        """Go on in a new segment."""
        self._parent, self.segment = self.segment, self.segment + 1
        self.begin_segment(reason)

    def asked(self, tool: str, arguments: Any, call_id: str | None, *, refused: bool) -> None:
        """Log an action before it is carried out."""
        self.log(
            CallEvent(
                index=self.turn, segment=self.segment, id=call_id, tool=tool, arguments=arguments, refused=refused
            )
        )

    def answered(self, text: str, is_error: bool, violation: str | None) -> None:
        """Log what came of it."""
        self.changes = changes = self.look()
        self.log(
            ObservationEvent(
                index=self.turn,
                text=text,
                is_error=is_error,
                violation=violation,
                changes=changes,
                workspace=self.workspace,
            )
        )

    def look(self) -> tuple[FileChange, ...]:
        """What changed in the workspace since the last look; keeps ``contents`` true."""
        try:
            changes = self.sandbox.changed()
        except SandboxError:
            return ()  # the guest is gone, and so is what it would have changed
        files: Mapping[str, bytes] = {}
        if any(change.digest and change.path.lower().endswith(_STAMPED) for change in changes):
            try:
                files = self.sandbox.collect()
            except SandboxError:
                files = {}  # beyond its limits: the bytes' own digest has to do
        for change in changes:
            if change.digest is None:
                self.contents.pop(change.path, None)
            elif change.path in files:
                self.contents[change.path] = normal_digest(change.path, files[change.path])
            else:
                self.contents[change.path] = change.digest
        return changes

    def user_turn(self, message: str, turn: UserTurn) -> None:
        """Carry out what the user does to files, and log it."""
        written = {
            path: None if content is None else base64.b64encode(content).decode()
            for path, content in turn.files.items()
        }
        self.log(
            UserEvent(
                segment=self.segment,
                message=message,
                say=turn.say,
                files=written,
                revision=_plain(turn.revision),
                closes=turn.closes,
            )
        )
        self._put(turn.files)
        if turn.files:
            from workgym.env.handover import handed_over  # with all readers, for the few episodes that need it

            self.task = handed_over(self.task, turn.files)

    def mutate(self, revision: Any) -> None:
        """Apply a revision: files that it changes are replaced in the workspace, and the grading follows.

        Raises MutationError where its contract refuses it; nothing has changed then.
        """
        from workgym import mutation  # with all readers and editors, for the few episodes that need it

        before, task = self.task.files, mutation.apply(self.task, revision)
        paths = {*before, *task.files}
        written = {path: task.files.get(path) for path in paths if before.get(path) != task.files.get(path)}
        changes = self._put(written | self._filled_in(task, before, written))
        self.task = task
        if self.writer is not None:
            event = MutationEvent(
                revision=_plain(revision), task_digest=task.digest, changes=changes, workspace=self.workspace
            )
            self.log(event)

    def _filled_in(
        self, task: TaskPackage, before: Mapping[str, bytes], written: Mapping[str, bytes | None]
    ) -> dict[str, bytes]:
        """Files that the solver fills in or extends, as it has them, with the change made in them."""
        from workgym.env.handover import carried

        edited = [one.path for one in task.hidden.graph.deliverables if one.edits and written.get(one.path)]
        try:
            mine = self.sandbox.collect() if edited else {}
        except SandboxError:
            mine = {}  # beyond its limits: the user hands over a copy of their own
        return {path: carried(path, before[path], task.files[path], mine[path]) for path in edited if path in mine}

    def _put(self, files: Mapping[str, bytes | None]) -> tuple[FileChange, ...]:
        for path in sorted(files):
            self.sandbox.put(path, files[path])
        return self.look() if files else ()

    def hand_in(self) -> dict[str, bytes]:
        """End every process of the guest, and take the copy that is graded.

        Raises WorkspaceOverLimit where the workspace is beyond its limits, and SandboxError where our side fails; the
        sandbox is closed all the same.
        """
        self.over = True
        try:
            self.sandbox.halt()
            files = self.sandbox.collect()
        finally:
            self.sandbox.close()
        self.handed_in = {path: normal_digest(path, content) for path, content in files.items()}
        if self.writer is not None:
            kept = {
                path: self.writer.blob(content)
                for path, content in files.items()
                if self.task.files.get(path) != content
            }
            digests = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}
            self.log(WorkspaceEvent(digests=digests, kept=kept))
        return files

    def end(self, reason: str, verdict: VerdictEvent | None, detail: Any = None) -> None:
        """Log the end, and close the log."""
        self.over = True
        if verdict is not None:
            self.log(verdict)
        self.log(EndEvent(reason=reason, detail=detail))
        if self.writer is not None:
            self.writer.close()
            self.writer = None

    def close(self) -> None:
        """Drop the episode: nothing is graded. Calling it again does nothing."""
        self.sandbox.close()
        if self.writer is not None:
            self.end("abandoned", None)


def _plain(revision: Any) -> Any:
    """A revision as JSON; it is a record, or JSON already."""
    return revision.model_dump(mode="json") if isinstance(revision, Record) else revision
