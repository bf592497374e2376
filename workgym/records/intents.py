"""What somebody wants done: the first record of the flow, from which a task is planned.

Source: WorkFactory, intent synthesis. An occupation is expanded into a situated role; documented skills are composed,
the output of one operation being the input of the next; from real artifacts the goal is inferred backwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from workgym.records.base import Record, digest


class SituatedRole(Record):
    """A person at work, as concretely as the intent needs."""

    occupation: str = Field(pattern=r"^\d\d-\d{4}$")
    """SOC 2018 code of the detailed occupation: ``13-1081``."""
    title: str
    """What the person is called at work."""
    industry: str
    """The line of business."""
    size: str
    """How large the organisation is, in words: ``a clinic of 40 people``."""
    seniority: str
    """How experienced the person is: ``second year``, ``head of department``."""
    trigger: str
    """What happened, so that this has to be done now."""
    stakes: str
    """What depends on the result."""


class Operation(Record):
    """One step of documented work."""

    skill: str
    """Name of the documented skill; empty where it comes from none."""
    does: str
    """What is done, as a phrase."""
    takes: tuple[str, ...]
    """What it needs, as phrases; what an earlier operation gives is named in the same words."""
    gives: str
    """What comes out, as a phrase."""


class Wanted(Record):
    """A file that is to come out."""

    what: str
    """What it is, as a phrase: ``comparison workbook``."""
    format: str
    """Format by its ending: ``xlsx``, ``docx``, ``pptx``, ``csv``, ..."""


class Intent(Record):
    """A piece of professional work that somebody wants done."""

    source: Literal["occupation", "skills", "artifacts"]
    """Where it comes from."""
    role: SituatedRole
    """Who does it, and why now."""
    goal: str
    """What is wanted, in two to five sentences, without any figure that would have to be worked out."""
    wanted: tuple[Wanted, ...] = Field(min_length=1)
    """The files that are to come out."""
    operations: tuple[Operation, ...] = ()
    """The work in its order where documented skills were composed; empty for nothing documented."""
    after: str = ""
    """Id of the intent whose deliverables this one starts from, in a chain of whole tasks; empty for none."""
    provenance: Mapping[str, str] = Field(default_factory=dict)
    """What it was made from: table, skills or files with their digests, the model, the prompt's digest."""

    @property
    def id(self) -> str:
        """``i-`` and twelve hexadecimal digits over everything but the provenance."""
        return "i-" + digest(self.model_dump(mode="json", exclude={"provenance"}))[:12]
