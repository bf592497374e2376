"""Every error that workgym raises, named after the boundary that was crossed.

::

    WorkgymError                  one line for a person, and the way out
    |-- UsageError                a wrong argument, an unknown id, a missing prerequisite
    |   `-- MissingExtra          an optional library is not installed; names its pip line
    |-- BlueprintError            a family file: file, line and key
    |-- GraphError                units, carriers and their edges do not fit together
    |   |-- QueryError            a query is refused before it runs
    |   `-- EvaluationError       a query ran, and what came out is not acceptable
    |-- MaterializeError          a carrier cannot be written
    |-- DocumentError             a file cannot be read, recalculated or edited
    |   |-- Unreadable            the file is the cause: damaged, locked, a bomb, over a limit
    |   `-- EditRefused           the edit cannot be made exactly
    |-- PackageError              a task package on disk
    |-- MutationError             a revision that the contract refuses
    |-- SandboxError              the wall between host and guest
    |   |-- SandboxUnavailable    this backend cannot work on this machine
    |   |-- SandboxDied           the guest is gone
    |   |-- WorkspaceOverLimit    what the guest left is too much: its own doing
    |   `-- ChildFailed           a job over untrusted data: its limit, or its crash
    |-- ModelError                a model's answer, or none
    |   |-- ModelUnavailable      it may pass: a rate limit, a server's error, a time-out, no connection
    |   |-- ModelRefused          the endpoint does not take the request as it is
    |   |   `-- ContextExceeded   the conversation is longer than the model's context
    |   |-- BudgetSpent           the budget of tokens or money is used up
    |   `-- Unstructured          no reply fits the schema that was asked for; keeps what was said
    |-- HarnessError              a harness that cannot be started
    `-- ReplayError               a trajectory that cannot be run again

The command line prints ``str(error)`` and exits with 2; nothing else does.
"""

from __future__ import annotations

import os

_LONGEST = 280
"""Characters of what is said of a stranger's file, whose names and contents may be part of it."""


def _line(text: str) -> str:
    """A text on one line that a terminal can show."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text[: 20 * _LONGEST]).split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST // 2 - 3]} ... {plain[2 - _LONGEST // 2 :]}"


class WorkgymError(Exception):
    """A failure that a person can act on: ``message``, and ``fix`` where there is one."""

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        self.message = message
        self.fix = fix
        super().__init__(message if fix is None else f"{message}; {fix}")


class UsageError(WorkgymError):
    """A wrong argument, an unknown id, or a missing prerequisite."""


class MissingExtra(UsageError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed", fix=f"pip install 'workgym[{extra}]'")


class BlueprintError(WorkgymError):
    """A family file is wrong; the message starts with ``file:line: key:``."""

    def __init__(self, file: str, line: int | None, key: str, message: str, *, fix: str | None = None) -> None:
        self.file, self.line, self.key = file, line, key
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {key}: {message}", fix=fix)


class GraphError(WorkgymError):
    """Units, carriers and their edges do not fit together."""


class QueryError(GraphError):
    """A query is refused before it runs; ``unit`` names whose it is."""

    def __init__(self, unit: str, message: str, *, fix: str | None = None) -> None:
        self.unit = unit
        super().__init__(f"query of {unit}: {message}", fix=fix)


class EvaluationError(GraphError):
    """A query ran and its result is not acceptable, or a premise is absent."""

    def __init__(
        self, unit: str, message: str, *, key: tuple[object, ...] | None = None, fix: str | None = None
    ) -> None:
        self.unit, self.key, self.reason = unit, key, message
        row = "" if key is None else f" row {', '.join(str(part) for part in key)}"
        super().__init__(f"{unit}{row}: {message}", fix=fix)


class MaterializeError(WorkgymError):
    """A carrier cannot be written; names the carrier and the place in its template.

    ``artifact`` is the path of the file that was being written, where it is known, ``line`` the line of its template,
    and ``reason`` the message without either.
    """

    artifact: str = ""

    def __init__(
        self, message: str, *, line: int | None = None, reason: str | None = None, fix: str | None = None
    ) -> None:
        self.line = line
        self.reason = message if reason is None else reason
        super().__init__(message, fix=fix)


class DocumentError(WorkgymError):
    """A file cannot be read, recalculated or edited."""


class Unreadable(DocumentError):
    """The file itself is the cause; ``reason`` is one of ``REASONS``."""

    REASONS = ("unknown-format", "corrupt", "truncated", "encrypted", "bomb", "over-limit", "unknown-function")

    def __init__(self, path: str, reason: str, detail: str) -> None:
        self.path, self.reason, self.detail = path, reason, detail
        super().__init__(_line(f"{path}: {reason}: {detail}"))


class EditRefused(DocumentError):
    """The edit cannot be made exactly; nothing was changed."""


class PackageError(WorkgymError):
    """A task package on disk is incomplete, damaged, or of a newer format."""


class MutationError(WorkgymError):
    """A revision that the contract of the mutator refuses; nothing was changed."""


class SandboxError(WorkgymError):
    """The wall between host and guest failed; never the fault of a task."""


class SandboxUnavailable(SandboxError):
    """This backend cannot work on this machine."""


class SandboxDied(SandboxError):
    """The guest's tool server is gone."""


class WorkspaceOverLimit(SandboxError):
    """The workspace is beyond its limits of size, number or depth: the agent's doing, so that the work has failed."""


class ChildFailed(SandboxError):
    """A job in a limited child came to no result; ``kind`` is one of ``KINDS``."""

    KINDS = ("memory", "cpu", "wall", "output", "crash", "error")

    def __init__(self, task: str, kind: str, detail: str) -> None:
        self.task, self.kind, self.detail = task, kind, detail
        super().__init__(f"{task}: {kind}: {detail}")


class ModelError(WorkgymError):
    """A model's answer could not be had or could not be understood."""

    attempts: int = 1
    """Requests that were sent for it, retries included."""


class ModelUnavailable(ModelError):
    """What may pass: a rate limit, a server's error, a time-out, a connection that fails.

    ``retry_after`` are the seconds that the endpoint asks for, or None where it names none.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, fix: str | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message, fix=fix)


class ModelRefused(ModelError):
    """The endpoint does not take the request as it is (4xx), and would not the next time; ``status`` says how."""

    def __init__(self, message: str, *, status: int | None = None, fix: str | None = None) -> None:
        self.status = status
        super().__init__(message, fix=fix)


class ContextExceeded(ModelRefused):
    """The conversation is longer than the model's context."""


class BudgetSpent(ModelError):
    """The budget of tokens or money is used up: nothing was sent, and all that was answered before is kept."""

    attempts = 0


class Unstructured(ModelError):
    """No reply fits the schema that was asked for; ``record`` keeps every reply with what was wrong with it."""

    def __init__(self, message: str, record: object) -> None:
        self.record = record
        super().__init__(message)


class HarnessError(WorkgymError):
    """A harness cannot be found or started."""


class ReplayError(WorkgymError):
    """A trajectory cannot be run again."""


def not_utf8(error: UnicodeDecodeError) -> tuple[int, str]:
    """The line where a text that somebody wrote stops being UTF-8, and what to say of it."""
    return error.object.count(b"\n", 0, error.start) + 1, f"is not UTF-8: byte 0x{error.object[error.start]:02x}"


def of_plugin(error: Exception, home: str, called: str | None = None) -> tuple[str, str]:
    """What went wrong in code that somebody plugged in: one line with its place, and the traceback from there on.

    The place is the innermost line of a file in the folder ``home``, whatever it called from there; of a file that does
    not parse, the line in that file. Files are named from ``called`` on, the folder's own name where it is left out,
    and others by their last folder and name: alike on every machine.
    """
    import traceback  # for the few who need it: it brings six modules

    def inside(file: str) -> bool:
        rest = file.removeprefix(home + os.sep)
        return os.path.dirname(file) == home or (bool(home) and rest != file and "site-packages" not in rest)

    def told(file: str, line: int | None) -> str:
        base = os.path.basename(home) if called is None else called
        rest = os.path.relpath(file, home) if home and inside(file) else "/".join(file.split(os.sep)[-2:])
        return f"{base}/{rest}:{line}" if base and inside(file) else f"{rest}:{line}"

    says = f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, SyntaxError) and error.filename and inside(error.filename):
        return _line(f"{told(error.filename, error.lineno)}: {type(error).__name__}: {error.msg}"), ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [number for number, frame in enumerate(frames) if inside(frame.filename)]
    if not own:
        return _line(says), ""
    trace = "\n".join(f"{told(frame.filename, frame.lineno)} in {frame.name}" for frame in frames[own[0] :])
    place = frames[own[-1]]
    return _line(f"{told(place.filename, place.lineno)}: {says}"), trace
