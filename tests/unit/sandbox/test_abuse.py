"""The probes that try to break out: bubblewrap as this user and an ordinary one, and what nothing promises."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from workgym.sandbox import Limits, Sandbox, create, uncounted
from workgym.sandbox.local import UnsafeLocal
from workgym.testing import abuse
from workgym.testing.abuse import leftovers
from workgym.testing.abuse.running import tried
from workgym.testing.abuse.scene import Scene, baited, beside
from workgym.testing.sandbox_kit import opened

from .ordinary import HERE, ordinary_user


def factory(limits: Limits | None) -> Sandbox:
    return create("bubblewrap", limits)


def unsafe(limits: Limits | None) -> Sandbox:
    return UnsafeLocal(limits)


@pytest.fixture
def without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def holds(report: abuse.Report, not_promised: set[str]) -> None:
    print(abuse.table(report))
    assert report.sound, "\n".join(report.wrong)
    assert len(report.rows) == len(abuse.PROBES)
    for row in report.rows:
        promised = row.rests not in not_promised
        assert row.outcome in (("held", "not here") if promised else ("open", "held anyway")), row


def test_bubblewrap_holds_every_probe() -> None:
    assert len(abuse.PROBES) >= 100 and len({probe.name for probe in abuse.PROBES}) == len(abuse.PROBES)
    holds(abuse.run_all(factory), {"nothing", *(("total_memory",) if uncounted() else ())})


def test_bubblewrap_of_an_ordinary_user_holds_every_probe() -> None:
    with ordinary_user() as (python, variables):
        command = [*python, "-m", "workgym.testing.abuse", "bubblewrap", "--json"]
        done = subprocess.run(command, env=variables, cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        report = abuse.Report.model_validate_json(done.stdout)
        counted = subprocess.run(
            [*python, "-c", "from workgym.sandbox import uncounted; assert not uncounted()"],
            env=variables,
            cwd="/",
            capture_output=True,
            check=False,
        )
        holds(report, {"nothing", *(("total_memory",) if counted.returncode else ())})


def test_unsafe_local_keeps_the_little_it_promises(without_warnings: None) -> None:
    report = abuse.run_all(unsafe, ("outputs", "writing", "processes"))
    assert report.sound, "\n".join(report.wrong)
    by_outcome = {outcome: [row for row in report.rows if row.outcome == outcome] for outcome in ("held", "not tried")}
    assert {row.rests for row in by_outcome["held"]} == {"contract"}
    assert len(by_outcome["not tried"]) >= 15
    assert all(row.rests.startswith("isolated") and "is False" in row.evidence for row in by_outcome["not tried"])


NOTICED = (
    "read accounts and keys",
    "read the hidden plan by its host path",
    "list folders of the host and of other episodes",
    "reach sockets in the file system",
    "see processes of the host",
    "signal, limit or pin a process of the host",
    "the host's loopback",
    "abstract sockets of the host",
    "serve to the host",
    "files of another episode",
    "processes of another episode",
    "shared memory, semaphores, queues",
    "write or move the hidden plan",
    "the host's name",
)


def test_probes_notice_that_a_wall_is_missing(without_warnings: None) -> None:
    """They can fail: a backend that claims what it has not is told so, by each of these."""
    by_name = {probe.name: probe for probe in abuse.PROBES}
    with (
        baited() as bait,
        beside(unsafe, bait, abuse.LIMITS) as neighbour,
        opened(unsafe, limits=abuse.LIMITS) as sandbox,
    ):
        sandbox.capabilities = factory(None).capabilities
        scene = Scene(sandbox, neighbour, bait, unsafe, abuse.LIMITS)
        found = {name: tried(by_name[name], scene) for name in NOTICED}
    assert {name: outcome for name, (outcome, *_) in found.items()} == dict.fromkeys(NOTICED, "BROKEN"), found


def test_what_is_left_over_is_told(tmp_path: Path) -> None:
    with baited() as bait:
        before = leftovers.had()
        assert leftovers.left(before, bait) == []
        stray = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", f"{bait.token}-stray"])
        file = Path("/tmp", f"{bait.token}-file")
        with open(file, "w"):
            while not leftovers.running(bait.token):
                pass
            found = leftovers.left(before, bait, patience=0)
        file.unlink()
        stray.kill()
        stray.wait()
        assert found == [f"process {stray.pid}", f"child {stray.pid}", f"file {file}", "1 descriptors"]
        assert leftovers.left(before, bait) == []


def test_a_probe_that_does_not_run_is_no_success(without_warnings: None) -> None:
    broken = abuse.Probe("none", "", "contract", lambda scene: abuse.guest("1 / 0")(scene))
    with baited() as bait, opened(unsafe, limits=abuse.LIMITS) as sandbox:
        scene = Scene(sandbox, sandbox, bait, unsafe, abuse.LIMITS)
        outcome, evidence, _ = tried(broken, scene)
        assert outcome == "FAILED" and "ZeroDivisionError" in evidence
        lying = abuse.Probe("none", "", "contract", abuse.guest(f"print('HELD', {bait.secret!r})"))
        assert tried(lying, scene) == ("BROKEN", "the host's secret was read", True)
        ended = abuse.Probe("none", "", "contract", abuse.guest("print('HELD', os.kill(os.getppid(), 9))"))
        outcome, evidence, lives = tried(ended, scene)
        assert outcome == "BROKEN" and "the sandbox ended" in evidence and not lives


def test_the_command_prints_a_table_and_says_what_falls_short() -> None:
    command = [sys.executable, "-m", "workgym.testing.abuse"]
    done = subprocess.run([*command, "--theme", "telling"], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "held        isolated_files     the host's name" in done.stdout
    assert "open        nothing            what the kernel tells of the machine" in done.stdout
    assert done.stdout.endswith("bubblewrap: 5 probes: 4 held, 1 open\n")
    done = subprocess.run([*command, "nothing"], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "unknown sandbox 'nothing'" in done.stderr


@pytest.mark.soak
def test_a_thousand_abusive_episodes_leave_nothing_over() -> None:
    assert abuse.soak(factory, 1000) == []
