"""Running probes: two sandboxes for each theme, a look at the host after each probe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from workgym.errors import SandboxDied, SandboxError
from workgym.sandbox.contract import Sandbox
from workgym.testing.abuse.leftovers import had, left
from workgym.testing.abuse.probe import LIMITS, Probe
from workgym.testing.abuse.report import Outcome, Report, Row
from workgym.testing.abuse.scene import Scene, baited, beside
from workgym.testing.sandbox_kit import Factory, opened, say

_AT_ONCE = 4
"""Sandboxes that are open at the same time: a theme's, its neighbour, and two of a probe's own."""


def run_themes(factory: Factory, themes: Mapping[str, tuple[Probe, ...]], *, spare: int, own_kernel: bool) -> Report:
    """Try all probes of ``themes``; what came of them, and what is left over when all sandboxes are closed."""
    backend = used(factory, _AT_ONCE)
    rows: list[Row] = []
    with baited() as bait:
        before = had(spare)
        for theme, probes in themes.items():
            with _staged(Stage(factory)) as stage, beside(factory, bait, LIMITS) as neighbour:
                for probe in probes:
                    scene = Scene(stage.ready(), neighbour, bait, factory, LIMITS, own_kernel)
                    outcome, evidence, lives = tried(probe, scene)
                    if not lives:
                        stage.anew()
                    shown = evidence.replace(bait.token, "TOKEN")
                    about = {"theme": theme, "name": probe.name, "sound": probe.sound, "rests": probe.rests}
                    rows.append(Row(**about, outcome=outcome, evidence=shown))
        return Report(backend=backend, rows=tuple(rows), left=tuple(left(before, bait)))


def used(factory: Factory, at_once: int) -> str:
    """Have as many sandboxes as will be open at once, once: what a backend keeps for the next ones it has then.

    Returns the backend's name.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(at_once):
            sandbox = stack.enter_context(opened(factory, {}, LIMITS))
            say(sandbox, "bash", command="true")
        return sandbox.name


class Stage:
    """The sandbox of a theme: another one takes its place when a probe has ended it."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory
        self._sandbox: Sandbox | None = None

    def ready(self) -> Sandbox:
        """An open sandbox that answers."""
        if self._sandbox is None:
            self._sandbox = opened(self._factory, limits=LIMITS)
        return self._sandbox

    def anew(self) -> None:
        """Close it: the next probe gets another one."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


@contextlib.contextmanager
def _staged(stage: Stage) -> Iterator[Stage]:
    try:
        yield stage
    finally:
        stage.anew()


class Tried(NamedTuple):
    """What came of one probe."""

    outcome: Outcome
    evidence: str
    lives: bool
    """Whether the sandbox can go on to the next probe."""


def tried(probe: Probe, scene: Scene) -> Tried:
    """Try one probe."""
    promised = probe.rests == "contract" or (
        probe.rests != "nothing" and bool(getattr(scene.sandbox.capabilities, probe.rests))
    )
    if not promised and not probe.bounded and probe.rests != "nothing":
        return Tried("not tried", f"{probe.rests} is False: nothing keeps it from doing harm", True)
    lives = not probe.may_end
    try:
        said = probe.act(scene)
        if lives and (text := say(scene.sandbox, "bash", command="echo alive").text) != "alive\n":
            said, lives = f"BROKEN the sandbox did not live on: {text[:200]}", False
    except SandboxDied as error:
        ended = f"the sandbox ended, and the host is told: {error}"
        said, lives = f"HELD {ended}" if probe.may_end or scene.own_kernel else f"BROKEN {ended}", False
    except (AssertionError, SandboxError) as error:
        return Tried("FAILED", f"{type(error).__name__}: {error}", False)
    if scene.sandbox.capabilities.isolated_files and (harm := scene.bait.harmed()):
        return Tried("BROKEN", harm, lives)
    word, _, evidence = said.partition(" ")
    return Tried(_outcome(word, probe, promised, scene.own_kernel), evidence, lives)


def _outcome(word: str, probe: Probe, promised: bool, own_kernel: bool) -> Outcome:
    if word == "ABSENT":
        return "not here"
    if word == "HELD":
        return "held" if promised else "held anyway"
    if probe.of_kernel and own_kernel:
        return "own kernel"
    return "BROKEN" if promised else "open"
