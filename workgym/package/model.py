"""A task package in memory: what the solver sees, and what it never does.

On disk it is a folder (``package.store``): ``task.yaml``, ``request.md``, ``files/``, ``external/`` and ``hidden/``.
It is self-contained data: whoever has it can verify and recompute without the family that made it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from pydantic import Field

from workgym.graph import Relation, SupportGraph, Values
from workgym.package.digests import content_digest, public_digests
from workgym.plan import ConstructionPlan
from workgym.records import Anchor, CheckReport, Intent, PageCard, Record, Sparse, WebAccess, digest

FORMAT_VERSION = 1
"""Version of the folder's layout; older ones are read through upgrade steps, newer ones are refused."""

_CANARY_SPACE = uuid.UUID("7f1b6a52-3c0e-5d0a-9a57-2f6f0c1f8e11")


class TaskLimits(Record):
    """What an episode may use."""

    turns: int = 250
    """Tool calls and replies of the solver until the episode is truncated."""
    call_seconds: float = 60.0
    """Wall time of one tool call."""
    memory_mib: int = 1024
    """Memory of the sandbox."""
    workspace_mib: int = 256
    """Bytes of the workspace."""


class Interfaces(Sparse):
    """What the solver may use; web tools besides, where the task has an offline site."""

    left_out: ClassVar[tuple[str, ...]] = ("web",)

    tools: tuple[str, ...] = ("files", "shell", "office")
    """Guest tool packs."""
    skills: tuple[str, ...] = ()
    """Folders of ``skills/``; empty for none."""
    memory: bool = False
    """Whether state is kept between episodes."""
    permissions: Mapping[str, bool] = Field(default_factory=dict)
    """Actions that are allowed or not, by name; what is not named is allowed."""
    web: WebAccess | None = None
    """How well the web tools work, unless an episode says otherwise; None where they never fail."""


class DeliverableCard(Record):
    """A file that is to be handed in, as the solver is told."""

    path: str
    """Path from the workspace's root."""
    format: str
    """Format, by the path's ending."""


class TaskCard(Record):
    """``task.yaml``: everything public about a task that is not the request or a file."""

    format_version: int = FORMAT_VERSION
    """Version of the folder's layout."""
    id: str
    """``workfactory/<family>[.<preset>]-<seed>-v<version>``, or an id of its own."""
    version: int = 1
    """Raised whenever the task's content changes."""
    title: str
    """One line: what the work is."""
    occupation: str
    """SOC 2018 code."""
    role: str
    """Who does this work."""
    capabilities: tuple[str, ...] = ()
    """What it exercises."""
    modality: str = "text"
    """``text``: no needed premise stands in pixels alone."""
    limits: TaskLimits = TaskLimits()
    """What an episode may use."""
    interfaces: Interfaces = Interfaces()
    """What the solver may use."""
    deliverables: tuple[DeliverableCard, ...]
    """What is handed in."""
    canary: str
    """A text that must never be found in training data."""
    licence: str = "Apache-2.0"
    """Licence of the task's content."""
    toolchain: Mapping[str, str] = Field(default_factory=dict)
    """Versions of what wrote the files, by library."""
    digests: Mapping[str, str] = Field(default_factory=dict)
    """Normalised content digests of the public files, by path; none of them covers hidden content."""


class Origin(Sparse):
    """Where a task came from; hidden, since family and seed rebuild everything."""

    left_out: ClassVar[tuple[str, ...]] = ("intent", "condition", "builder", "source", "built")

    family: str = ""
    """Blueprint family; empty for another author."""
    version: int = 1
    """Its version."""
    preset: str = ""
    """Its preset."""
    seed: int = 0
    """The seed."""
    worlds: int = 0
    """How many worlds were drawn until one was accepted."""
    author: str = "blueprint"
    """``blueprint``, ``model`` or ``real files``."""
    probed_by: str | None = None
    """The model that probed it, or None; the expert script never counts."""
    intent: Intent | None = None
    """What a model planned it from; None for another author."""
    condition: Literal["", "direct", "planned"] = ""
    """Whether a model wrote its files at once, or planned the information first; empty for another author."""
    builder: str = ""
    """Name of the model that planned it; empty for another author."""
    source: str = ""
    """Digest of the family's files that it was built from; empty for another author."""
    built: str = ""
    """The package's digest as ``workgym build`` wrote it; empty where something else did."""


class HistoryEntry(Sparse):
    """One accepted revision, and what it was accepted on."""

    left_out: ClassVar[tuple[str, ...]] = ("purpose", "changes", "review")

    why: str
    """What was wrong, or what was wanted."""
    edits: tuple[Mapping[str, Any], ...]
    """The typed edits, as JSON."""
    before: str
    """Package digest before."""
    after: str
    """Package digest after."""
    findings: tuple[str, ...] = ()
    """The findings that it answers, as lines."""
    accepted_on: tuple[str, ...] = ()
    """The checks that passed afterwards."""
    purpose: Literal["", "repair", "inject", "user"] = ""
    """What the revision was for; empty in packages from before this was kept."""
    changes: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """By visible file, a readable diff of its text, for ``workgym show --history``."""
    review: tuple[str, ...] = ()
    """Why a reviewer found the task preserved, as lines; empty where nobody was asked."""


class Seal(Record):
    """The quality suite's last report on a package, and the digest by which it is known; not part of the package's."""

    suite: str
    """Name and version of the suite."""
    size: str
    """How much was tried: ``ci``, ``release``."""
    package: str
    """Digest of the package that was examined; the seal says nothing of another one."""
    passed: bool
    """Whether the release gate was open: no check of severity ``error`` failed."""
    digest: str
    """sha256 of the report, times aside."""
    report: Mapping[str, Any]
    """The report as JSON; ``workgym.quality.suite`` reads it."""


@dataclass(frozen=True)
class Hidden:
    """What never reaches a solver."""

    graph: SupportGraph
    plan: ConstructionPlan
    values: Values
    """Rows of all units, derived ones included, as computed from the provided rows."""
    anchors: tuple[Anchor, ...]
    origin: Origin = field(default_factory=Origin)
    expert: str | None = None
    """Source of ``solve.py``."""
    expert_files: Mapping[str, bytes] = field(default_factory=dict)
    """Deliverables that the expert handed in, by path; empty until it ran."""
    checks: CheckReport | None = None
    """The last report of the checks; None before they ran."""
    history: tuple[HistoryEntry, ...] = ()
    """Accepted revisions, oldest first."""
    qa: Seal | None = None
    """The quality suite's last report; None before it ran."""


@dataclass(frozen=True)
class TaskPackage:
    """One task."""

    card: TaskCard
    request: str
    """What the user asks, as markdown."""
    files: Mapping[str, bytes]
    """The carriers that the solver starts with, by path."""
    hidden: Hidden
    external: Mapping[str, bytes] = field(default_factory=dict)
    """Pages of the offline site that its web tools can find, by path; they never lie in the workspace."""
    pages: tuple[PageCard, ...] = ()
    """The site's index: a card for each page, in the order of the paths."""
    ours: bool = field(default=False, compare=False)
    """Whether this process compiled it from a family on the shelf; what was read from a folder never is. Queries and
    templates of others are evaluated in a limited child, see :mod:`.apart`."""

    @property
    def id(self) -> str:
        """The task's id."""
        return self.card.id

    @cached_property
    def digest(self) -> str:
        """sha256, in hexadecimal, over normalised content: the whole package but reports, probes, history and build."""
        hidden = self.hidden
        origin = hidden.origin.model_copy(update={"probed_by": None, "source": "", "built": ""})
        return digest(
            {
                "card": self.card.model_dump(mode="json", exclude={"toolchain"}),
                "request": self.request,
                "files": {path: content_digest(path, content) for path, content in sorted(self.files.items())},
                "graph": hidden.graph.model_dump(mode="json"),
                "plan": hidden.plan.model_dump(mode="json"),
                "values": {name: relation.dump() for name, relation in sorted(hidden.values.items())},
                "anchors": [anchor.model_dump(mode="json") for anchor in hidden.anchors],
                "origin": origin.model_dump(mode="json"),
                "expert": hidden.expert,
                **self._site(),
            }
        )

    def _site(self) -> dict[str, Any]:
        """What the digest is over beside what every task has."""
        if not self.external:
            return {}
        return {
            "external": {path: content_digest(path, content) for path, content in sorted(self.external.items())},
            "pages": [card.model_dump(mode="json") for card in self.pages],
        }

    def with_files(self, files: Mapping[str, bytes], request: str | None = None) -> TaskPackage:
        """The same task with other visible content, digests brought up to date."""
        request = self.request if request is None else request
        return replace(self, request=request, files=dict(files)).digested()

    @property
    def shown(self) -> dict[str, bytes]:
        """Files and pages, by path: all carriers that are written, wherever a solver finds them."""
        return {**self.files, **self.external}

    def with_shown(self, shown: Mapping[str, bytes], request: str | None = None) -> TaskPackage:
        """The same task with other files and pages; pages are what the plan says are pages, and the index follows."""
        paths = {spec.path for spec in self.hidden.plan.artifacts if spec.page is not None}
        changed = self.with_files({path: shown[path] for path in shown if path not in paths}, request)
        if not paths:
            return changed
        from workgym.package.pages import cards  # with the readers, for the tasks that have a site

        external = {path: shown[path] for path in shown if path in paths}
        return changed.with_external(external, cards(self.hidden.plan.artifacts, external))

    def with_external(self, external: Mapping[str, bytes], pages: Iterable[PageCard]) -> TaskPackage:
        """The same task with another offline site, digests brought up to date."""
        return replace(self, external=dict(external), pages=tuple(sorted(pages, key=lambda card: card.path))).digested()

    def digested(self) -> TaskPackage:
        """The same task with the digests of its visible content brought up to date."""
        found = public_digests(self.request, self.files, self.external, self.pages)
        return replace(self, card=self.card.model_copy(update={"digests": found}))

    def with_hidden(self, **changes: Any) -> TaskPackage:
        """The same task with other hidden content."""
        return replace(self, hidden=replace(self.hidden, **changes))

    def truth(self, unit: str) -> Relation:
        """The rows of a unit. Raises KeyError where there is none."""
        return self.hidden.values[unit]


def canary(task_id: str) -> str:
    """The canary of a task: fixed for its id."""
    return f"workgym canary {uuid.uuid5(_CANARY_SPACE, task_id)}: this task must not be used for training data"
