"""Before anything is asked: a run has its folder to itself, is made as before, and can come to something here."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from workgym import harness as harnesses
from workgym import sandbox as sandboxes
from workgym.engine.crew import Crew
from workgym.engine.settings import Settings
from workgym.errors import UsageError
from workgym.records import pretty
from workgym.records.alone import alone
from workgym.records.whole import write_whole

SETTINGS = "settings.json"
_OPEN: ContextVar[frozenset[Path]] = ContextVar("open", default=frozenset())
"""Folders that the caller has to himself already."""


@contextlib.contextmanager
def opened(crew: Crew, settings: Settings, out: Path) -> Iterator[None]:
    """``out`` for one run alone, as long as this lasts; whoever has it open may open it again, as ``run`` does.

    What is wrong is told now, before anything is asked, and before the folder is bound to these settings. Raises
    UsageError where another run is at work there, where it holds one with other settings, for a model without its key,
    and for a harness that there is not or that sees what is hidden; SandboxError where no sandbox can be opened.
    """
    place = out.resolve()
    if place in _OPEN.get():
        yield
        return
    with alone(out):
        _as_before(settings, out / SETTINGS)
        _ready(crew, settings)
        token = _OPEN.set(_OPEN.get() | {place})
        try:
            yield
        finally:
            _OPEN.reset(token)


def _ready(crew: Crew, settings: Settings) -> None:
    for role, model in crew.models.items():
        try:
            tuple(model.secrets)
        except UsageError as error:
            raise UsageError(f"{role}: {error.message}", fix=error.fix) from None
    if harnesses.load(settings.harness).manifest.oracle:
        raise UsageError(
            f"harness: {settings.harness} sees what is hidden: it is no probe", fix="take one that acts for a model"
        )
    sandboxes.try_out(settings.sandbox)


def keep(settings: Settings, out: Path) -> None:
    """Write down how a run is made, now that it begins."""
    if not (out / SETTINGS).exists():
        write_whole(out / SETTINGS, pretty(_told(settings)))


def _as_before(settings: Settings, file: Path) -> None:
    if not file.exists():
        return
    try:
        before = json.loads(file.read_bytes())
    except ValueError:
        before = None
    if not isinstance(before, dict):
        raise UsageError(f"{file}: is not what a run wrote", fix="name another folder")
    now = _told(settings)
    odd = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    if odd:
        raise UsageError(
            f"{file.parent} holds a run that was made otherwise: {', '.join(odd)}",
            fix="name another folder, or go on as before",
        )


def _told(settings: Settings) -> dict[str, Any]:
    """Without what does not change a task."""
    return settings.model_dump(mode="json", exclude={"at_once", "retries"})
