"""LibreOffice as an engine: one warm process for each host process, in a sandbox, driven by ``guest/office.py``.

Measured with LibreOffice 7.4 on two cores: 4 s to start, 60 to 110 ms for a small workbook afterwards. It needs
``soffice``, the system's Python with ``uno`` (Debian: ``python3-uno``) and bubblewrap: it sees no network and no files
but its own program. Started at the first use; a workbook that takes too long or too much ends it, and the next one
starts another.
"""

from __future__ import annotations

import atexit
import base64
import functools
import json
import os
import select
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from workgym.documents.recalculation.cached import CellError, CellValue
from workgym.documents.xlsx.a1 import column_letters
from workgym.errors import SandboxError, SandboxUnavailable, Unreadable
from workgym.sandbox import bubblewrap

_PYTHON = "/usr/bin/python3"
_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_MEMORY_MIB, _START_SECONDS, _JOB_SECONDS, _JOBS = 1536, 60.0, 60.0, 200
"""Seconds are of processor time, so that a busy machine gives the same answer."""
_BACKSTOP = 600.0
"""Seconds on the clock after which one that waits for ever is ended."""
_LOOK = 0.5
"""Seconds between two looks at what it has used."""
_ANSWER_BYTES = 64 << 20
_CIRCLE = (522, 523)
_NOT_UNDERSTOOD = (501, *range(505, 513))
_ERRORS = {503: "#NUM!", 521: "#NULL!", 524: "#REF!", 525: "#NAME?", 532: "#DIV/0!", 32767: "#N/A"}
"""LibreOffice's codes of the errors that files know; all others are ``#VALUE!`` there."""


class _Allowance:
    """Processor time that a program may use from now on."""

    def __init__(self, program: bubblewrap.Program, seconds: float) -> None:
        self._program = program
        self._end = time.monotonic() + _BACKSTOP
        self._most = program.cpu_seconds() + seconds

    def until(self, readable: list[int], writable: list[int]) -> None:
        """Wait until a pipe is ready. Raises TimeoutError where the program has used up its time before."""
        while not any(select.select(readable, writable, [], _LOOK)):
            if self._program.cpu_seconds() > self._most or time.monotonic() > self._end:
                raise TimeoutError


class _Office:
    """A warm LibreOffice and the pipes to it."""

    def __init__(self) -> None:
        """Start it. Raises SandboxError where it does not come up."""
        script = (Path(__file__).parent / "guest" / "office.py").read_text(encoding="utf-8")
        self._program = bubblewrap.Program([_PYTHON, "-c", script, str(_MEMORY_MIB)], ["/etc/libreoffice"])
        self._rest = b""
        self.jobs = 0
        try:
            self.functions = frozenset(map(str, self._answer(_Allowance(self._program, _START_SECONDS))["functions"]))
        except (TimeoutError, EOFError, ValueError, KeyError) as error:
            said = self._program.last_words()
            self.stop()
            raise SandboxUnavailable(f"LibreOffice does not start ({said or type(error).__name__})") from error

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """One request and its answer. Raises TimeoutError, EOFError (it ended) and ValueError (nonsense)."""
        self.jobs += 1
        allowance = _Allowance(self._program, seconds)
        line = memoryview(json.dumps(request).encode() + b"\n")
        while line:
            allowance.until([], [self._program.sink])
            try:
                line = line[os.write(self._program.sink, line[:65536]) :]
            except BrokenPipeError:
                raise EOFError from None
        return self._answer(allowance)

    def _answer(self, allowance: _Allowance) -> dict[str, Any]:
        """The next line that it says."""
        parts, size = [self._rest], len(self._rest)
        while b"\n" not in parts[-1]:
            allowance.until([self._program.source], [])
            part = os.read(self._program.source, 1 << 20)
            size += len(part)
            if not part or size > _ANSWER_BYTES:
                raise EOFError
            parts.append(part)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError(line[:80])
        return answer

    def stop(self) -> None:
        """End it."""
        self._program.stop()

    def forget(self) -> None:
        """Close this process's copies of the pipes; it goes on for the process that started it."""
        os.close(self._program.sink)
        os.close(self._program.source)


_guard = threading.Lock()
_office: _Office | None = None


@functools.cache
def reason() -> str:
    """Why LibreOffice cannot be asked here, with the remedy; empty where it can."""
    if not os.path.isfile(_PROGRAM):
        return "LibreOffice is not installed; apt-get install libreoffice-calc python3-uno"
    looked = subprocess.run([_PYTHON, "-c", "import uno"], capture_output=True, check=False, timeout=60)
    if looked.returncode:
        return "Python's uno is not installed; apt-get install python3-uno"
    try:
        bubblewrap.probe()
    except SandboxError as error:
        return str(error)
    return ""


def functions() -> frozenset[str]:
    """The functions that it knows, in capitals."""
    with _guard:
        return _running().functions


def values(path: str, content: bytes, seconds: float = _JOB_SECONDS) -> dict[str, CellValue]:
    """The value of every formula of a workbook, by cell, within some seconds of processor time.

    Whose workbook it is makes no difference: it is opened in a sandbox.

    Raises :class:`Unreadable`: ``over-limit`` for one that takes too long or too much, ``corrupt`` for one that does
    not load or refers to itself in a circle; SandboxError where LibreOffice does not start.
    """
    with _guard:
        office = _running()
        try:
            answer = office.ask({"content": base64.b64encode(content).decode()}, seconds)
            found = [(str(s), int(r), int(c), v, int(e)) for s, r, c, v, e in answer.get("cells", ())]
        except (TimeoutError, EOFError, ValueError, TypeError) as error:
            _end()
            what = f"more than {seconds:.0f} s" if isinstance(error, TimeoutError) else "more memory than it may have"
            raise Unreadable(path, "over-limit", f"recalculating it took LibreOffice {what}") from error
        if office.jobs >= _JOBS:
            _end()
    if "cells" not in answer:
        raise Unreadable(path, "corrupt", f"LibreOffice cannot open it ({answer.get('failed')})")
    made: dict[str, CellValue] = {}
    for sheet, row, column, value, code in found:
        if code in _CIRCLE:
            raise Unreadable(path, "corrupt", "its formulas refer to each other in a circle")
        at = f"{sheet}!{column_letters(column)}{row}"
        if code in _NOT_UNDERSTOOD:
            raise Unreadable(path, "corrupt", f"the formula in {at} cannot be understood")
        made[at] = CellError(_ERRORS.get(code, "#VALUE!")) if code else _plain(value)
    return made


def stop() -> None:
    """End the warm process; the next workbook starts another one."""
    with _guard:
        _end()


def _plain(value: object) -> CellValue:
    if isinstance(value, (bool, str)):
        return value
    return float(value) if isinstance(value, (int, float)) else ""


def _running() -> _Office:
    global _office
    if _office is None:
        if reason():
            raise SandboxUnavailable(reason())
        _office = _Office()
    return _office


def _end() -> None:
    global _office
    if _office is not None:
        _office.stop()
        _office = None


def _forget() -> None:
    # A forked copy of the host has copies of the pipes only; a LibreOffice of its own comes with its first workbook.
    global _office, _guard
    _guard = threading.Lock()
    if _office is not None:
        _office.forget()
        _office = None


os.register_at_fork(after_in_child=_forget)
atexit.register(stop)
