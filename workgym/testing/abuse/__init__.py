"""Probes that try to break out of a sandbox, run for real: whoever writes a backend runs them over it.

Each is a small program for the guest, or a few moves of the host, and rests on something: a flag of ``Capabilities``,
the contract, or nothing. ``run_all`` tells of each whether it was *held*; *BROKEN*, where it reached what was promised
to be out of reach; *open*, where nothing promises that and it was reached (*held anyway*, where it was not); *not
tried*, where nothing promises that and it would do harm. ``table`` prints all with their evidence::

    from workgym.testing import abuse
    report = abuse.run_all(lambda limits: MySandbox(limits))
    print(abuse.table(report))
    assert report.sound, report.wrong

or, from a shell, ``python -m workgym.testing.abuse my_package.my_module:factory``. A probe takes the smallest step that
tells, and undoes it where it succeeds; run them over a backend that is not finished as an ordinary user all the same.
"""

from __future__ import annotations

from workgym.testing.abuse import (
    filling,
    kernel,
    lasting,
    neighbours,
    network,
    outputs,
    processes,
    reading,
    resources,
    telling,
    writing,
)
from workgym.testing.abuse.episodes import soak
from workgym.testing.abuse.probe import LIMITS, Probe, guest
from workgym.testing.abuse.report import Report, Row, table
from workgym.testing.abuse.running import run_themes
from workgym.testing.sandbox_kit import Factory

THEMES: dict[str, tuple[Probe, ...]] = {
    "reading": reading.PROBES,
    "writing": writing.PROBES,
    "network": network.PROBES,
    "processes": processes.PROBES,
    "kernel": kernel.PROBES,
    "neighbours": neighbours.PROBES,
    "resources": resources.PROBES,
    "filling": filling.PROBES,
    "outputs": outputs.PROBES,
    "lasting": lasting.PROBES,
    "telling": telling.PROBES,
}
PROBES: tuple[Probe, ...] = tuple(probe for probes in THEMES.values() for probe in probes)

__all__ = ["LIMITS", "PROBES", "THEMES", "Probe", "Report", "Row", "guest", "run_all", "soak", "table"]


def run_all(
    factory: Factory, themes: tuple[str, ...] = tuple(THEMES), *, spare: int = 0, own_kernel: bool = False
) -> Report:
    """Try the probes of ``themes``, two sandboxes for each theme, and look for what is left over at the end.

    ``spare`` is how many descriptors a backend keeps on purpose once it has run: connections to a daemon, say.
    ``own_kernel`` says that guests run on a kernel of their own (gVisor, a virtual machine): what reaches that alone is
    listed as such, and a sandbox that is used up may end.
    """
    return run_themes(factory, {name: THEMES[name] for name in themes}, spare=spare, own_kernel=own_kernel)
