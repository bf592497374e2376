"""What is said of an error that nobody expected: enough to find it in our code, and nothing of this machine."""

from __future__ import annotations

import traceback
from pathlib import Path

from workgym.trajectory import Redactor

FAULT = "fault.txt"
"""Name of the file in a task's folder that holds the whole traceback."""

_CODE = Path(__file__).parents[1]
_LONGEST = 300
"""Characters of a message that are told."""


def told(error: Exception, redactor: Redactor) -> str:
    """Type, message and innermost place in workgym's code, on one line: ``ValueError: ... (workgym/check/leak.py:70)``.

    The message is without secrets; the place is a path in the package, wherever it is installed.
    """
    message = " ".join(redactor.text(str(error)).split())
    short = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 4]} ..."
    return f"{type(error).__name__}{': ' if short else ''}{short} ({_place(error)})"


def traced(error: Exception, redactor: Redactor) -> str:
    """The whole traceback, with the errors that led to it, without secrets."""
    return redactor.text("".join(traceback.format_exception(error)))


def _place(error: Exception) -> str:
    """The last line of workgym's code that was reached; whoever catches an error stands in its traceback himself."""
    frames = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = [(path, line) for path, line in frames if path.is_relative_to(_CODE)]
    if not ours:
        return "outside workgym"
    path, line = ours[-1]
    return f"{path.relative_to(_CODE.parent).as_posix()}:{line}"
