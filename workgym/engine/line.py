"""One intent under one condition, through all stages: what is made of it, and how each stage ended.

Whatever is decided here can be decided again: models are asked through a ledger, so that a task that was cut short is
done again from its start, without asking for a reply twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from workgym.authoring.planner import OFFICE_DESK, plan
from workgym.check import check
from workgym.check.independent import compare, construct, solve
from workgym.engine import faults
from workgym.engine.crew import Crew, Role, Tally
from workgym.engine.notes import Notes, Verified
from workgym.engine.settings import Settings
from workgym.errors import WorkgymError
from workgym.model import Model
from workgym.package import TaskPackage, save, view
from workgym.probe import REPORT, ProbeReport, Problem, probe, probed, to_repair
from workgym.records import CheckReport, Intent
from workgym.records.factory import Condition, FactoryEntry, ProbeRun, RepairRun, Stage, StageOutcome
from workgym.repair import mend
from workgym.trajectory import Redactor

When = Literal["before repair", "after repair"]
RepairState = Literal["not needed", "accepted", "discarded"]


class Line:
    """One task in the works. ``home`` is a folder of its own, ``root`` the run's, from which paths are written."""

    def __init__(
        self, intent: Intent, condition: Condition, crew: Crew, settings: Settings, home: Path, root: Path
    ) -> None:
        self.intent, self.condition, self.settings = intent, condition, settings
        self._crew, self._home, self._root = crew, home, root
        self._tally = Tally()
        self._redactor = Redactor(secret for model in crew.models.values() for secret in model.secrets)
        self._notes = Notes(home, self._redactor)
        self._package: TaskPackage | None = None
        self._saved: str | None = None
        self._probes: list[ProbeRun] = []
        self._report: tuple[str, CheckReport] | None = None
        self._advised: set[str | None] = set()
        self._seen: list[ProbeReport] = []
        self._blocked: tuple[Problem, ...] = ()
        self._mistaken: dict[str, None] = {}
        self._repair: RepairRun | None = None

    def run(self, progress: Callable[[str], None] = lambda line: None) -> tuple[FactoryEntry, TaskPackage | None]:
        """All stages, until one drops or stops the task; what became of it, and the package as it is then.

        The package is kept under ``home/package``, whether it goes into a corpus or not; beside it what was found on
        the way (``notes``), of a dropped task ``why.txt``. An error that nobody expected
        stops the task with the reason ``fault``; its traceback is in ``home/fault.txt``.
        """
        stages: list[StageOutcome] = []
        for outcome in self._outcomes(progress):
            stages.append(outcome)
            if outcome.outcome in ("dropped", "stopped"):
                break
        stages[-1] = self._guarded(stages[-1].stage, lambda: self._kept(stages[-1]))
        entry = FactoryEntry(
            intent=self.intent.id,
            condition=self.condition,
            occupation=self.intent.role.occupation,
            source=self.intent.source,
            stages=tuple(stages),
            package=self._saved,
            probes=tuple(self._probes),
            repair=self._repair,
            taken=self._tally.taken,
        )
        return entry, self._package

    def _outcomes(self, progress: Callable[[str], None]) -> Iterator[StageOutcome]:
        steps: dict[Stage, Callable[[], StageOutcome]] = {
            "plan": self._plan,
            "checks": self._checks,
            "solution": self._solution,
            "verifier": self._verifier,
            "probe": self._first_probe,
            "repair": self._mend,
            "measure": self._measure,
        }
        for stage, step in steps.items():
            progress(f"{self.intent.id} {self.condition}: {stage}")
            outcome = self._guarded(stage, step)
            if self._tally.cut:  # whatever came out rests on a reply that nobody gave
                cause = self._redactor.text(self._tally.cause)
                outcome = StageOutcome(stage=stage, outcome="stopped", reason=self._tally.cut, detail=cause)
            yield outcome

    def _guarded(self, stage: Stage, step: Callable[[], StageOutcome]) -> StageOutcome:
        """How a step ended. The boundary between one task and the run: an error of the first never ends the second.

        A traceback that cannot be written (a full disk) is the run's own trouble and does end it.
        """
        try:
            return step()
        except WorkgymError as error:
            reason, detail = "failed", self._redactor.text(str(error))
        except Exception as error:  # noqa: BLE001 - the boundary: a fault of ours in one task is no reason to end the rest
            reason, detail = "fault", faults.told(error, self._redactor)
            with (self._home / faults.FAULT).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{stage}\n{faults.traced(error, self._redactor)}\n")
        return StageOutcome(stage=stage, outcome="stopped", reason=reason, detail=detail)

    def _kept(self, last: StageOutcome) -> StageOutcome:
        """The package is on the disk, and why there is no more of it; how the task ended does not change."""
        if self._package is not None:
            save(self._package, self._home / "package")
            self._saved = self._written(self._home / "package")
        if last.outcome == "dropped":
            self._notes.dropped(self.intent.id, self.condition, last)
        return last

    @property
    def _task(self) -> TaskPackage:
        assert self._package is not None  # planning is the first stage
        return self._package

    def _checked(self, package: TaskPackage) -> CheckReport:
        """Its construction checks, which planning has run already on what it gave."""
        if self._report is None or self._report[0] != package.digest:
            self._report = package.digest, check(package)
        return self._report[1]

    def _hard(self, package: TaskPackage) -> list[str]:
        return [str(finding) for finding in self._checked(package).findings if finding.severity == "hard"]

    def _advice(self, package: TaskPackage) -> list[str]:
        """Warnings about conventions that nothing states, those of each unit once: a planner may leave them."""
        found = [one for one in self._checked(package).findings if one.check == "variants" and one.severity == "soft"]
        fresh = [one for one in found if one.unit not in self._advised]
        self._advised |= {one.unit for one in fresh}
        return [str(one) for one in fresh]

    def _model(self, role: Role, stage: Stage) -> Model:
        return self._crew.member(role, stage, self._tally)

    def _written(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def _plan(self) -> StageOutcome:
        planned = plan(
            self.intent,
            self._model("builder", "plan"),
            condition=self.condition,
            rounds=self.settings.plan_rounds,
            accept=self._hard,
            advise=self._advice,
            desk=OFFICE_DESK if self.settings.desk else None,
            external=self.settings.external_of(self.intent),
            web=self.settings.web,
        )
        self._notes.planned(planned)
        self._package, rounds = planned.package, len(planned.rounds) + (planned.package is not None)
        if planned.dropped is not None:
            gone = planned.dropped
            return _dropped("plan", f"{gone.stage}: {gone.reason}", gone.detail, rounds)
        return StageOutcome(stage="plan", outcome="passed", rounds=rounds)

    def _checks(self) -> StageOutcome:
        report = self._checked(self._task)
        self._package = self._task.with_hidden(checks=report)
        self._notes.checked(report)
        hard = [finding for finding in report.findings if finding.severity == "hard"]
        if hard:
            return _dropped("checks", hard[0].check, str(hard[0]))
        return StageOutcome(stage="checks", outcome="passed")

    def _solution(self) -> StageOutcome:
        if self.condition == "direct":
            return _skipped("solution")
        solution = solve(
            self._task,
            self._model("solver", "solution"),
            rounds=self.settings.solution_rounds,
            sandbox=self.settings.sandbox,
        )
        self._package = solution.package
        self._notes.solved(solution)
        if not solution.agreed:
            first = solution.findings[0]
            return _dropped(
                "solution",
                f"disagreement of the {first.owner}",
                str(first),
                sum(one.rounds for one in solution.attempts),
            )
        return StageOutcome(stage="solution", outcome="passed", rounds=sum(one.rounds for one in solution.attempts))

    def _verifier(self) -> StageOutcome:
        if self.condition == "direct" or not self.settings.verifier:
            return _skipped("verifier")
        tries: list[Verified] = []
        while True:
            failed = [(made.script, found[0].message) for made, found in tries]
            verifier = construct(view(self._task), self._model("verifier", "verifier"), failed=failed)
            tries.append((verifier, compare(self._task, verifier, sandbox=self.settings.sandbox)))
            self._notes.verified(tries, self._task.hidden.graph)
            hard, rounds = [one for one in tries[-1][1] if one.severity == "hard"], len(tries)
            if not hard:
                return StageOutcome(stage="verifier", outcome="passed", rounds=rounds)
            if not hard[0].halted or rounds == self.settings.verifier_rounds:
                return _dropped("verifier", f"disagreement of the {hard[0].owner}", str(hard[0]), rounds)
            # a script that says nothing disagrees with nothing yet

    def _first_probe(self) -> StageOutcome:
        report = self._probed("probe", self.settings.seed, "before repair")
        if not report.measured:
            return _dropped("probe", "no diagnosis", report.error or "")
        return StageOutcome(stage="probe", outcome="passed")

    def _mend(self) -> StageOutcome:
        """Repair what blocks the task, look again with a probe that knows of nothing, and so on.

        A direct task is the baseline: it is measured, not repaired, and nothing is said of whether it needed that.
        """
        if self.condition == "direct":
            return _skipped("repair")
        refused: list[str] = []
        classes: set[str] = set()
        proposed = mended = 0
        while self._blocked:
            if mended == self.settings.repairs:
                reason, detail = "still blocked", str(self._blocked[0])
                self._notes.mended(self._blocked, ())
                break
            classes |= {problem.defect for problem in self._blocked}
            outcome = mend(
                self._task,
                self._blocked,
                reviser=self._model("reviser", "repair"),
                reviewer=self._model("reviewer", "repair"),
                rounds=self.settings.repair_rounds,
                expert=self._task.hidden.expert is not None,
                solver=self._model("solver", "repair"),
                solver_rounds=self.settings.solution_rounds,
                sandbox=self.settings.sandbox,
            )
            proposed += len(outcome.tries)
            refused += outcome.refused
            self._notes.mended(self._blocked, outcome.tries)
            if not outcome.accepted:
                reason, detail = "no repair accepted", outcome.reason
                break
            self._package, mended = outcome.package, mended + 1
            report = self._probed("reprobe", self.settings.seed + mended, "after repair")
            if not report.measured:
                reason, detail = "no diagnosis", report.error or ""
                break
        else:
            reason = detail = ""
        state: RepairState = "discarded" if reason else "accepted" if mended else "not needed"
        self._repair = RepairRun(
            outcome=state,
            rounds=proposed,
            refused=tuple(refused),
            classes=tuple(sorted(classes)),
            mistaken=tuple(self._mistaken),
        )
        if reason:
            return _dropped("repair", reason, detail, proposed)
        return StageOutcome(stage="repair", outcome="passed" if mended else "skipped", rounds=proposed)

    def _measure(self) -> StageOutcome:
        """A probe that nothing was decided on; of a direct task that is the first one already."""
        if not self.settings.measure or self.condition == "direct":
            return _skipped("measure")
        report = self._probed("measure", self.settings.measure_seed, "after repair")
        if not report.measured:
            return StageOutcome(stage="measure", outcome="skipped", reason="no diagnosis", detail=report.error or "")
        return StageOutcome(stage="measure", outcome="passed")

    def _probed(self, stage: Literal["probe", "reprobe", "measure"], seed: int, when: When) -> ProbeReport:
        folder = self._home / (stage if stage == "measure" else f"probe-{seed}")
        seen = tuple(self._seen) if stage == "measure" else ()
        report = probe(
            self._task,
            harness=self.settings.harness,
            model=self._model("prober", stage),
            diagnoser=self._model("diagnoser", stage),
            out=folder,
            seed=seed,
            sandbox=self.settings.sandbox,
            seen=seen,
        )
        self._probes.append(ProbeRun(report=self._written(folder / REPORT), when=when, held_out=bool(seen)))
        if not seen:
            self._seen.append(report)
            self._blocked, mistaken = to_repair(self._task, report)
            self._mistaken |= dict.fromkeys(mistaken)
        if report.measured:
            self._package = probed(self._task, report)
        return report


def _dropped(stage: Stage, reason: str, detail: str, rounds: int = 1) -> StageOutcome:
    return StageOutcome(stage=stage, outcome="dropped", reason=reason, detail=detail, rounds=rounds)


def _skipped(stage: Stage) -> StageOutcome:
    return StageOutcome(stage=stage, outcome="skipped")
