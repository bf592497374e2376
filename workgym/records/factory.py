"""What became of each intent in a run of the factory: one line of ``OUT/factory.jsonl`` for each (intent, condition).

::

    OUT/factory.jsonl      FactoryEntry records, one a line, written anew by each run; of two for the same intent and
                           condition the later one counts, so that journals can be joined
    OUT/ledger.sqlite      the ledger of all calls; stages are the names of ``STAGES``
    OUT/...                packages and probe reports, wherever the entries say (paths from OUT, with ``/``)

All reasons are codes, short phrases that repeat from task to task (``does not compile``), since they are counted;
what is particular to one task goes into ``detail``. Nothing here carries a time.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field, model_validator

from workgym.records.base import Record

Stage = Literal["intent", "plan", "checks", "solution", "verifier", "probe", "repair", "reprobe", "measure"]
"""The stages of the factory, see ``STAGES``."""

STAGES: tuple[Stage, ...] = get_args(Stage)
"""In their order: intents are made and reviewed, before there is an entry; a package is planned and compiled; the
construction checks run; an independent solution and an independent verifier agree with the graph; a probe attempts the
task; what blocks it is repaired; a fresh probe looks at the revision; a held-out probe measures and drops nothing."""

Condition = Literal["direct", "planned"]
"""Artifacts planned at once, or the information first; repair comes on top of ``planned``."""


class StageOutcome(Record):
    """How one stage ended for one task."""

    stage: Stage
    """The stage."""
    outcome: Literal["passed", "dropped", "skipped", "stopped"]
    """The task went on; it ended here; the stage was not asked for; a budget or a failure of ours stopped it here, and
    a later run may go on."""
    reason: str = ""
    """Why it was dropped or stopped, as a code that is counted; empty where it passed. ``failed``: something did not
    work and said so; ``fault``: an error in our code, whose traceback is kept beside the task."""
    detail: str = ""
    """The same in particular, in one line; empty for nothing more."""
    rounds: int = Field(default=1, ge=0)
    """Attempts that the stage took: corrections of a plan, rounds of a repair."""


class ProbeRun(Record):
    """A probe of the task, and where its report lies."""

    report: str
    """Path of the ProbeReport (JSON), from OUT."""
    when: Literal["before repair", "after repair"]
    """Which state of the task was probed; a task that needed no repair is probed *after* on the same files."""
    held_out: bool
    """Whether nothing was decided on it, neither a repair nor a drop (another seed or model than the probes that were
    decided on). Only such a one measures a rate after repair."""
    with_graph: bool = False
    """Whether the diagnosis could look at the graph, as triage for repair may; such a one never measures a rate."""


class RepairRun(Record):
    """What repair did."""

    outcome: Literal["not needed", "accepted", "discarded"]
    """Nothing blocked the task; a revision was accepted; none was, and the task is as it had been."""
    rounds: int = Field(default=0, ge=0)
    """Revisions that were proposed."""
    refused: tuple[str, ...] = ()
    """Why each proposal that was discarded was so, as codes: ``contract``, ``checks``, ``preservation review``, ``still
    blocked``."""
    classes: tuple[str, ...] = ()
    """Defect classes that the repair answered, sorted."""
    mistaken: tuple[str, ...] = ()
    """Blocking problems of a probe that the graph shows mistaken, each with the fact that says so: they were not given
    to the reviser. Rates count them all the same."""


class Taken(Record):
    """What the replies took that this task rests on, for one stage and model. Stored replies count like fresh ones, so
    that a run that was resumed says the same as one that was not; what was really paid stands in the ledger."""

    stage: Stage
    """The stage."""
    model: str
    """Name of the model."""
    calls: int = Field(ge=0)
    """Replies."""
    prompt: int = Field(default=0, ge=0)
    """Tokens read."""
    completion: int = Field(default=0, ge=0)
    """Tokens written."""
    uncounted: int = Field(default=0, ge=0)
    """Replies whose tokens the provider did not count; they are in no sum of tokens."""
    nano: int | None = Field(default=None, ge=0)
    """Billionths of a US dollar; None where the price of one of the replies is not known."""


class FactoryEntry(Record):
    """One intent under one condition, from its plan to the task in the corpus."""

    intent: str
    """Id of the intent."""
    condition: Condition
    """How it was planned."""
    occupation: str = ""
    """SOC 2018 code of the detailed occupation; empty where it is not known."""
    source: str = ""
    """Where the intent comes from: ``occupation``, ``skills``, ``artifacts``; empty where it is not known."""
    stages: tuple[StageOutcome, ...] = Field(min_length=1)
    """The stages that were reached, in the order of ``STAGES``, each once; nothing stands after a drop or a stop."""
    package: str | None = None
    """Folder of the package as it is now, from OUT; None where none was built."""
    probes: tuple[ProbeRun, ...] = ()
    """All probes, in their order."""
    repair: RepairRun | None = None
    """What repair did; None where that stage was not reached, and for a direct task, which is never repaired."""
    taken: tuple[Taken, ...] = ()
    """What its replies took, by stage and model."""
    stops: int = Field(default=0, ge=0)
    """In how many runs a failure or a fault of ours has stopped it so far; 0 where it came to an end."""

    @model_validator(mode="before")
    @classmethod
    def _earlier(cls, data: Any) -> Any:
        """Without two fields that entries once had, and that nothing filled."""
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if value or key not in ("rollouts", "selected")}
        return data

    @property
    def last(self) -> StageOutcome:
        """The last stage that it reached."""
        return self.stages[-1]

    @property
    def kept(self) -> bool:
        """Whether the task is in the corpus: nothing dropped or stopped it before it was measured."""
        tasks = [one for one in self.stages if one.stage != "measure"]
        return self.package is not None and all(one.outcome in ("passed", "skipped") for one in tasks)
