"""Before anything is asked: what cannot come to anything is told, and a folder has one run at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workgym import sandbox as sandboxes
from workgym.cli import main
from workgym.engine import Crew, Settings, opened, run
from workgym.errors import SandboxUnavailable, UsageError, WorkgymError
from workgym.model import ModelReply, ModelRequest
from workgym.models import Ledger
from workgym.sandbox import Sandbox
from workgym.testing.rehearsal import Rehearsal, intents

SETTINGS = Settings(plan_rounds=2, desk=False, measure=False)
HOUSE = 5
"""A house whose request leaves out a convention: it is probed, repaired, probed again."""


def crew(out: Path, model: Rehearsal) -> Crew:
    return Crew(model, Ledger(out / "ledger.sqlite"))


class Asked(Rehearsal):
    """One that may not be asked."""

    def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("nothing should have been asked")


def no_daemon(name: str = "bubblewrap", limits: Any = None) -> Sandbox:
    raise SandboxUnavailable("no docker daemon answers", fix="start one")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"harness": "nope"}, "unknown name 'nope'"),
        ({"harness": "expert"}, "expert sees what is hidden"),
        ({"sandbox": "docker"}, "no docker daemon answers; start one"),
    ],
)
def test_settings_that_cannot_work_are_told_and_bind_no_folder(
    wrong: dict[str, str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "create", no_daemon)
    with pytest.raises(WorkgymError, match=says):
        run(intents(1), crew(tmp_path, Asked()), SETTINGS.model_copy(update=wrong), tmp_path)
    assert not (tmp_path / "work").exists() and not (tmp_path / "settings.json").exists()


def test_the_held_out_seed_is_no_other_probes() -> None:
    for seed in (3, 5):
        with pytest.raises(ValueError, match=f"measure_seed {seed}: 3 to 5 are of probes before it"):
            Settings(seed=3, repairs=2, measure_seed=seed)
        assert Settings(seed=3, repairs=2, measure_seed=seed, measure=False).measure_seed == seed
    assert Settings(seed=3, repairs=2, measure_seed=6).measure


def test_the_command_tells_before_intents_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role without a key and a seed that is taken: one line each, and nothing of a run is there."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    out, box = tmp_path / "out", tmp_path / "box"
    (tmp_path / "crew.yaml").write_text("verifier: openai:gpt\n")
    (tmp_path / "settings.yaml").write_text("measure_seed: 0\n")
    command = ["build", "--author", "model", "--count", "2", "--model", f"mailbox:{box}", "-o", str(out)]
    for options, says in (
        (["--crew", str(tmp_path / "crew.yaml")], "workgym: verifier: no key for gpt; set OPENAI_API_KEY\n"),
        (["--settings", str(tmp_path / "settings.yaml")], "measure_seed 0: 0 to 2 are of probes before it\n"),
    ):
        assert main([*command, *options]) == 2
        assert capsys.readouterr().err.endswith(says)
    assert not (out / "intents").exists() and not (out / "settings.json").exists() and not list(box.rglob("*.json"))


def test_one_run_at_a_time_is_at_work_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Visited(Rehearsal):
        """While it is at work somebody else comes."""

        def complete(self, request: ModelRequest) -> ModelReply:
            if not self.requests:
                with pytest.raises(UsageError, match="another run is at work here; wait for it"):
                    run(intents(1), crew(tmp_path, Asked()), SETTINGS, tmp_path)
            return super().complete(request)

    (entry,) = run(intents(1), crew(tmp_path, Visited()), SETTINGS, tmp_path).entries
    assert entry.last.outcome == "dropped" and list((tmp_path / "work").rglob("plan.json"))
    with opened(crew(tmp_path, Asked()), SETTINGS, tmp_path):
        assert run(intents(1), crew(tmp_path, Asked()), SETTINGS, tmp_path).entries == (entry,)
    with opened(crew(tmp_path, Asked()), SETTINGS, tmp_path):
        pass  # who had it has given it back


@pytest.mark.filterwarnings("ignore:unsafe-local")
def test_all_runs_are_in_the_sandbox_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    real = sandboxes.create

    def noted(name: str = "bubblewrap", limits: Any = None) -> Sandbox:
        names.append(name)
        return real(name, limits)

    monkeypatch.setattr(sandboxes, "create", noted)
    settings = SETTINGS.model_copy(update={"sandbox": "unsafe-local"})
    (entry,) = run(intents(HOUSE + 1)[HOUSE:], crew(tmp_path, Rehearsal()), settings, tmp_path).entries
    assert entry.kept and entry.repair is not None and entry.repair.outcome == "accepted"
    assert len(names) == 6, "the first look, solution, verifier, probe, the repair's expert, fresh probe"
    assert set(names) == {"unsafe-local"}


@pytest.mark.parametrize("name", ["entry.json", "stopped.json"])
@pytest.mark.parametrize("content", ["", "[]", '{"intent": "i"}', "\xff"])
def test_a_damaged_entry_is_one_line(name: str, content: str, tmp_path: Path) -> None:
    (intent,) = intents(1)
    file = tmp_path / "work" / f"{intent.id}.planned" / name
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="latin-1")
    with pytest.raises(UsageError) as raised:
        run([intent], crew(tmp_path, Asked()), SETTINGS, tmp_path)
    said = str(raised.value)
    assert said.startswith(f"{file}: is not what a run wrote: ") and "; delete it: " in said and "\n" not in said


def test_damaged_settings_are_one_line(tmp_path: Path) -> None:
    for content in ("", "[]", "1"):
        (tmp_path / "settings.json").write_text(content)
        with pytest.raises(UsageError, match="settings.json: is not what a run wrote; name another folder"):
            run(intents(1), crew(tmp_path, Asked()), SETTINGS, tmp_path)
