"""Running probes: two sandboxes for each theme, a look at the host after each probe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from workgym.errors import SandboxDied, SandboxError
from workgym.sandbox.contract import Sandbox
from workgym.testing.abuse.leftovers import had, left
from workgym.testing.abuse.probe import LIMITS, Probe
from workgym.testing.abuse.report import Outcome, Report, Row
from workgym.testing.abuse.scene import Scene, baited, beside
from workgym.testing.sandbox_kit import Factory, opened, say


def run_themes(factory: Factory, themes: Mapping[str, tuple[Probe, ...]]) -> Report:
    """Try all probes of ``themes``; what came of them, and what is left over when all sandboxes are closed."""
    with opened(factory, {}, LIMITS) as first:
        backend = first.name
        say(first, "bash", command="true")
    rows: list[Row] = []
    with baited() as bait:
        before = had()
        for theme, probes in themes.items():
            with _staged(factory, Stage()) as stage, beside(factory, bait, LIMITS) as neighbour:
                for probe in probes:
                    scene = Scene(stage.ready(factory), neighbour, bait, factory, LIMITS)
                    outcome, evidence = tried(probe, scene)
                    if outcome == "held" and probe.may_end:
                        stage.anew()
                    shown = evidence.replace(bait.token, "TOKEN")
                    rows.append(Row(theme=theme, name=probe.name, rests=probe.rests, outcome=outcome, evidence=shown))
        return Report(backend=backend, rows=tuple(rows), left=tuple(left(before, bait)))


class Stage:
    """The sandbox of a theme: another one takes its place when a probe has ended it."""

    def __init__(self) -> None:
        self._sandbox: Sandbox | None = None

    def ready(self, factory: Factory) -> Sandbox:
        """An open sandbox that answers."""
        if self._sandbox is None:
            self._sandbox = opened(factory, limits=LIMITS)
        return self._sandbox

    def anew(self) -> None:
        """Close it: the next probe gets another one."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


@contextlib.contextmanager
def _staged(factory: Factory, stage: Stage) -> Iterator[Stage]:
    try:
        yield stage
    finally:
        stage.anew()


def tried(probe: Probe, scene: Scene) -> tuple[Outcome, str]:
    """Outcome and evidence of one probe."""
    promised = probe.rests == "contract" or (
        probe.rests != "nothing" and bool(getattr(scene.sandbox.capabilities, probe.rests))
    )
    if not promised and not probe.bounded and probe.rests != "nothing":
        return "not tried", f"{probe.rests} is False: nothing keeps it from doing harm"
    try:
        said = probe.act(scene)
        said = _after(probe, scene, said)
    except (AssertionError, SandboxError) as error:
        return "FAILED", f"{type(error).__name__}: {error}"
    word, _, evidence = said.partition(" ")
    if word == "ABSENT":
        return "not here", evidence
    if word == "BROKEN":
        return ("BROKEN" if promised else "open"), evidence
    return ("held" if promised else "held anyway"), evidence


def _after(probe: Probe, scene: Scene, said: str) -> str:
    """The same evidence, unless the host was harmed, or the sandbox that should live does not."""
    if scene.sandbox.capabilities.isolated_files and (harm := scene.bait.harmed()):
        return f"BROKEN {harm}"
    if probe.may_end:
        return said
    try:
        text = say(scene.sandbox, "bash", command="echo alive").text
    except SandboxDied as error:
        return f"BROKEN the sandbox did not live on: {error}"
    return said if text == "alive\n" else f"BROKEN the sandbox did not live on: {text[:200]}"
