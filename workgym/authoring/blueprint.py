"""A blueprint family: an expert's workflow as a parametric program, as it is written in ``family.yaml``.

The file is checked key by key; every error names file, line and key. What the keys mean in the
graph is ``authoring.compiler``; the language is explained in ``docs/families.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from workgym.authoring import yaml
from workgym.authoring.handing import ColumnTypes, HandedSpec, ObjectiveSpec, RuleSpec
from workgym.authoring.sites import CarrierSpec, file_problems, site_problems
from workgym.errors import BlueprintError, not_utf8
from workgym.graph import Column, Decision, RubricItem, Stated, Status, area
from workgym.records import ColumnType, Record, WebAccess, digest
from workgym.records.soc import soc


class WorldTable(Record):
    """A table of the world: drawn, or made by SQL from tables above it."""

    rows: int | str | None = None
    """How many rows are drawn, or a ``$parameter``; None means one. With 1 templates see an object, not a list."""
    columns: Mapping[str, Any] = Field(default_factory=dict)
    """Draws by column; see ``authoring.world``."""
    sql: str | None = None
    """A query over the tables above, instead of draws."""
    require: str | None = None
    """A boolean query over this table and those above; a world that misses it is drawn again before the rest is."""


class ControlSpec(Record):
    """A condition without which a unit is not computed."""

    name: str
    """Name, for messages."""
    sql: str
    """A SELECT of one boolean."""
    says: str
    """What is wrong when it is false."""


class MarginSpec(Record):
    """How clear-cut a discrete result must be."""

    of: str
    """``unit.column`` of the numbers that it ranks."""
    end: Literal["lowest", "highest"] = "lowest"
    """Which end of them wins."""
    at_least: str
    """Relative distance of the best two, as a percentage: ``0.5%``."""

    @field_validator("at_least")
    @classmethod
    def _percentage(cls, value: str) -> str:
        try:
            Decimal(value.removesuffix("%"))
        except ArithmeticError:
            raise ValueError(f"{value!r} is no percentage; write 0.5%") from None
        return value

    @property
    def fraction(self) -> Decimal:
        """The distance as a fraction."""
        return Decimal(self.at_least.removesuffix("%")) / 100


class UnitSpec(Record):
    """One information unit."""

    status: Status
    """provided, external, derived or internal."""
    content: str
    """What it says, as a phrase."""
    entity: str
    """What it is about."""
    scope: str
    """Where it holds."""
    columns: ColumnTypes = Field(default_factory=dict)
    """Types by column: ``money(USD, 2)``; empty for prose and judgements."""
    labels: Mapping[str, str] = Field(default_factory=dict)
    """What people call a column, where it is not its name."""
    key: tuple[str, ...] = ()
    """Columns that name a row; empty for a scalar."""
    drawn: str | None = None
    """Provided units: the query over the world that gives the rows (provenance, not a dependency)."""
    sql: str | None = None
    """Derived units: the query that computes the rows."""
    for_each: str | None = None
    """The keys that must be there, as ``unit`` or ``unit where ...``."""
    controls: tuple[ControlSpec, ...] = ()
    """Conditions on the premises."""
    rule: bool = False
    """Whether it is a rule or convention."""
    rounding: str | None = None
    """The rule unit that prescribes rounding on the way."""
    permits: Mapping[str, str] = Field(default_factory=dict)
    """Rule units that permit constructs which would hide absent rows."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor is printed and never read."""
    superseded_by: str | None = None
    """The unit that replaces it."""
    premises: tuple[str, ...] = ()
    """Premises of a judgement."""
    decision: Decision | None = None
    """Set for a decision point."""
    margin: MarginSpec | None = None
    """How clear-cut a discrete result must be."""

    def typed(self) -> tuple[Column, ...]:
        """The columns, typed."""
        return tuple(
            Column(name=name, type=ColumnType.parse(written), label=self.labels.get(name))
            for name, written in self.columns.items()
        )


class ConflictSpec(Record):
    """A documented conflict."""

    between: tuple[str, str]
    """Two units; the first one holds."""
    rule: str
    """The rule unit that says so."""
    resolved_by: str
    """Path or address of the carrier where it stands."""


class TrapSpec(Record):
    """A hasty solver's mistake."""

    name: str
    """What it did."""
    given: Mapping[str, str]
    """By provided unit, the query that gives the rows it would have used."""
    must_change: tuple[str, ...]
    """Derived units that come out differently."""


class DeliverableSpec(Record):
    """A file that is handed in."""

    states: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)
    """By unit: ``form``, ``labels``, ``places``, ``sheet``, ``weight``, ``cites``."""
    live_formulas: bool = False
    """Whether computed cells must be formulas."""
    exact_rows: bool = True
    """Whether rows beyond those asked for count as wrong."""
    rubric: tuple[RubricItem, ...] = ()
    """What a judge scores."""
    edits: tuple[str, ...] = ()
    """For one of the carriers that is filled in or extended the areas where it may be changed."""
    tables: Mapping[str, HandedSpec] = Field(default_factory=dict)
    """Tables whose rows are the solver's choice, by name in queries."""
    accepts: Mapping[str, RuleSpec] = Field(default_factory=dict)
    """Rules over these tables, by name."""
    objectives: Mapping[str, ObjectiveSpec] = Field(default_factory=dict)
    """How good they must be, by name."""

    def stated(self) -> tuple[Stated, ...]:
        """What it must state, as graph records."""
        return tuple(Stated.model_validate({"unit": unit, **options}) for unit, options in self.states.items())


class Blueprint(Record):
    """A family file."""

    family: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    """Name; the same as its folder's."""
    version: int = Field(ge=1)
    """Raised whenever the same seed would give another task."""
    title: str
    """One line: what the work is."""
    occupation: str
    """SOC 2018 code."""
    role: str
    """Who does this work, in a phrase."""
    capabilities: tuple[str, ...] = ()
    """What it exercises."""
    presets: Mapping[str, Mapping[str, Any]]
    """Parameters by preset."""
    default: str
    """The preset that an id without one means."""
    look: str
    """``table.column`` of the world whose value seeds the company look."""
    today: str
    """``table.column`` of the world with the day on which the task plays."""
    world: Mapping[str, WorldTable]
    """Draws: construction only, never shown but by a template."""
    units: Mapping[str, UnitSpec]
    """Information units, in an order in which draws may read units above."""
    require: tuple[str, ...] = ()
    """Boolean queries that a world must satisfy; worlds that do not are drawn again."""
    carriers: tuple[CarrierSpec, ...]
    """What the solver is given, and what it can find."""
    web: WebAccess | None = None
    """How well web tools work; None where they never fail."""
    conflicts: tuple[ConflictSpec, ...] = ()
    """Documented conflicts."""
    traps: tuple[TrapSpec, ...] = ()
    """Known mistakes."""
    showcase: str | None = None
    """``unit.column`` of which ``workgym demo`` withholds a value, to show a broken derivation; None for any."""
    request: str
    """Template of the request."""
    deliverables: Mapping[str, DeliverableSpec]
    """What is handed in, by path."""


class Family(Record):
    """A blueprint together with the folder that it came from."""

    blueprint: Blueprint
    """The checked file."""
    templates: Mapping[str, str]
    """Texts of ``templates/``, by file name."""
    expert: str | None
    """Source of ``papers.py`` and ``solve.py``, or None where there is no expert yet."""
    lines: Mapping[str, int]
    """Line of each key path of the file, joined by dots, for messages."""
    source: str
    """Digest of all files that make its tasks."""

    def line(self, *keys: str | int) -> int | None:
        """Line of a key path, or of the nearest one around it."""
        path = list(map(str, keys))
        while path and ".".join(path) not in self.lines:
            path.pop()
        return self.lines.get(".".join(path))


def load(folder: Path) -> Family:
    """Read a family's folder. Raises BlueprintError with file, line and key."""
    source = yaml.load(folder / "family.yaml", f"{folder.name}/family.yaml")
    if not isinstance(source.data, dict):
        raise source.error((), "must be a mapping of the family's keys")
    try:
        blueprint = Blueprint.model_validate(source.data)
    except ValidationError as error:
        first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")  # a slip explains a gap
        raise source.error(first["loc"], _spoken(first["msg"])) from error
    if blueprint.family != folder.name:
        raise source.error(("family",), f"is {blueprint.family}, but the folder is {folder.name}")
    if blueprint.default not in blueprint.presets:
        raise source.error(("default",), f"{blueprint.default} is not one of the presets")
    if blueprint.occupation not in soc().all:
        says = f"{blueprint.occupation} is no code of SOC 2018"
        raise source.error(("occupation",), says, fix="workgym/records/soc.txt has them, as 13-1023")
    templates = {path.name: _text(path, folder) for path in sorted((folder / "templates").glob("*.j2"))}
    for index, carrier in enumerate(blueprint.carriers):
        if carrier.template is not None and carrier.template not in templates:
            raise source.error(("carriers", index, "template"), f"there is no templates/{carrier.template}")
        if (carrier.template is None) == (carrier.content is None):
            raise source.error(("carriers", index), "needs either a template or a content")
    if blueprint.request not in templates:
        raise source.error(("request",), f"there is no templates/{blueprint.request}")
    outside = [name for name, unit in blueprint.units.items() if unit.status == "external"]
    for where, message in site_problems(blueprint.carriers, outside, blueprint.web):
        raise source.error(where, message)
    for where, message in file_problems(blueprint.carriers, blueprint.deliverables):
        raise source.error(where, message)
    unit, _, column = (blueprint.showcase or "").partition(".")
    if blueprint.showcase and (unit not in blueprint.units or column not in blueprint.units[unit].columns):
        raise source.error(("showcase",), f"there is no {blueprint.showcase}; write unit.column")
    for path, keys, message in _edits(blueprint):
        raise source.error(("deliverables", path, *keys), message)
    expert = _expert(folder)
    return Family(
        blueprint=blueprint,
        templates=templates,
        expert=expert,
        lines={".".join(map(str, keys)): line for keys, line in source.lines.items()},
        source=digest([source.text, templates, expert]),
    )


def _edits(blueprint: Blueprint) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    """What is wrong with deliverables that are edited inputs: path, keys below it, message."""
    given = {carrier.path for carrier in blueprint.carriers if carrier.each is None}
    for path, spec in blueprint.deliverables.items():
        if path in given and not spec.edits:
            yield path, (), "is one of the carriers; say in `edits` where it may be changed"
        if path not in given and spec.edits:
            yield path, ("edits",), "only a file that is one of the carriers can be edited"
        for number, written in enumerate(spec.edits):
            try:
                area(path, written)
            except ValueError as error:
                yield path, ("edits", number), str(error)


def _expert(folder: Path) -> str | None:
    """The expert script: ``papers.py``, with the layouts of what it hands in, where there is one, and ``solve.py``."""
    parts = [folder / name for name in ("papers.py", "solve.py")]
    if not parts[1].is_file():
        return None
    return "\n\n".join(_text(part, folder) for part in parts if part.is_file())


def _text(path: Path, folder: Path) -> str:
    """A text of the family. Raises BlueprintError with file and line."""
    name = path.relative_to(folder.parent).as_posix()
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line, says = not_utf8(error)
        raise BlueprintError(name, line, "(file)", says) from error
    except OSError as error:
        raise BlueprintError(name, None, "(file)", f"cannot be read: {error.strerror}") from error


def _spoken(message: str) -> str:
    plain = message.removeprefix("Value error, ")
    return {
        "Extra inputs are not permitted": "is not a key that is known here",
        "Field required": "is missing",
    }.get(plain, plain[0].lower() + plain[1:])
