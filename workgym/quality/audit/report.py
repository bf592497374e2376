"""What labels say about verdicts: false accepts and false rejects, by stratum and weighted back to the population."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from workgym.errors import UsageError
from workgym.quality.audit.intervals import METHOD, Part, Share, against, kappa, share
from workgym.quality.audit.population import Item, Population, Stratum, sample
from workgym.quality.audit.sheets import Label, Labels
from workgym.records import Record


class Interval(Record):
    """A share with its interval, from 0 to 1; see ``intervals.METHOD``."""

    value: float
    """The estimate."""
    low: float
    """Lower end."""
    high: float
    """Upper end; a one-sided bound where nothing was counted."""
    hits: int
    """Items in the sample that count."""
    seen: int
    """Items in the sample."""
    text: str
    """The same for people."""


class Row(Record):
    """One stratum."""

    family: str
    """Family of the tasks."""
    kind: str
    """Kind of check."""
    state: str
    """How the verdicts have it."""
    size: int
    """Checks in the population."""
    labelled: int
    """Checks that have a label."""
    wrong: Interval | None
    """Share in which the label says otherwise; None where nothing is labelled."""


class Disagreement(Record):
    """A check that a person sees otherwise."""

    item: str
    """Its name in the file of labels."""
    trajectory: str
    """Folder of the trajectory."""
    check: str
    """Name of the check."""
    verdict: str
    """``passed`` (a false accept) or ``failed`` (a false reject)."""
    note: str
    """What the labeller noted."""


class AuditReport(Record):
    """The rates, as labels have them."""

    population: int
    """Checks that passed or failed, in all verdicts."""
    verdicts: int
    """Verdicts that they are from."""
    labelled: int
    """Checks with a label."""
    unlabelled: int
    """Drawn checks without one: left out."""
    uncovered: int
    """Checks in strata of which nothing is labelled: no estimate speaks of them."""
    strata: tuple[Row, ...]
    """By stratum."""
    accepted_wrongly: Interval | None
    """Of all checks that passed, the share that a person calls wrong."""
    rejected_wrongly: Interval | None
    """Of all checks that failed, the share that a person calls right."""
    false_accept_rate: Interval | None
    """Of all checks that a person calls wrong, the share that passed."""
    false_reject_rate: Interval | None
    """Of all checks that a person calls right, the share that failed."""
    agreement: Interval | None
    """Share of all checks in which verdict and label agree."""
    kappa: float | None
    """Cohen's kappa of verdict and label over the population; None where either always says the same."""
    disagreements: tuple[Disagreement, ...]
    """Every check in which they do not."""
    method: str = METHOD
    """How the intervals are made."""

    def table(self) -> str:
        """The report as text."""
        lines = [f"{self.labelled} labels on {self.population:,} checks of {self.verdicts:,} verdicts"]
        if self.unlabelled:
            lines.append(f"{self.unlabelled} drawn checks have no label and are left out")
        if self.uncovered:
            lines.append(f"NOT COVERED: {self.uncovered:,} checks are in strata of which nothing is labelled")
        lines.append(f"{'family':<26}{'check':<11}{'verdict':<9}{'checks':>8}{'labels':>8}  wrong, by the labels")
        for row in self.strata:
            told = f"{row.wrong.hits} of {row.wrong.seen}: {row.wrong.text}" if row.wrong else "no label"
            lines.append(f"{row.family:<26}{row.kind:<11}{row.state:<9}{row.size:>8,}{row.labelled:>8}  {told}")
        lines.append("weighted back to all checks")
        for name, found in (
            ("false accepts, of what passed", self.accepted_wrongly),
            ("false rejects, of what failed", self.rejected_wrongly),
            ("false-accept rate, of what people call wrong", self.false_accept_rate),
            ("false-reject rate, of what people call right", self.false_reject_rate),
            ("agreement", self.agreement),
        ):
            lines.append(f"  {name:<46}{found.text if found else 'not known: there is nothing to count'}")
        chance_corrected = "not defined" if self.kappa is None else f"{self.kappa:.3f}"
        lines.append(f"  {'kappa (Cohen)':<46}{chance_corrected}")
        lines.append(f"{len(self.disagreements)} disagreements")
        for one in self.disagreements:
            note = f" ({one.note})" if one.note else ""
            lines.append(f"  {one.item}: {one.verdict}, and people say otherwise{note}: {one.check}; {one.trajectory}")
        return "\n".join([*lines, self.method]) + "\n"


class _Tally(NamedTuple):
    """One stratum with its labels."""

    stratum: Stratum
    size: int
    seen: int
    wrong: int


def report(there: Population, labels: Labels) -> AuditReport:
    """The rates. Raises UsageError where the labels are of another population, or of items that were not drawn."""
    drawn = redrawn(there, labels)
    tallies = tally(there, drawn.values(), labels.given)
    overall = _overall([one for one in tallies if one.seen])
    return AuditReport(
        population=there.size,
        verdicts=there.verdicts,
        labelled=len(labels.given),
        unlabelled=len(drawn) - len(labels.given),
        uncovered=sum(one.size for one in tallies if not one.seen),
        strata=tuple(_row(one) for one in tallies),
        accepted_wrongly=overall.accepted_wrongly,
        rejected_wrongly=overall.rejected_wrongly,
        false_accept_rate=overall.false_accept_rate,
        false_reject_rate=overall.false_reject_rate,
        agreement=overall.agreement,
        kappa=overall.kappa,
        disagreements=_disagreements(drawn, labels.given),
    )


def redrawn(there: Population, labels: Labels) -> dict[str, Item]:
    """The sample that the labels are of, drawn again."""
    if labels.draw.population != there.digest:
        raise UsageError(
            f"these folders hold other verdicts than the sample was drawn from ({there.digest}, and not "
            f"{labels.draw.population})",
            fix="give the folders of that time, or draw a sample anew",
        )
    drawn = sample(there, labels.draw.sample, labels.draw.seed)
    strange = sorted(labels.items - drawn.keys())
    if strange:
        raise UsageError(f"{strange[0]}: item: it is none of the sample {labels.draw}")
    return drawn


def tally(there: Population, drawn: Iterable[Item], given: Mapping[str, Label]) -> list[_Tally]:
    """Labels by stratum: how many there are, and how many say otherwise than the verdict."""
    seen: dict[Stratum, list[bool]] = {}
    for item in drawn:
        if item.id in given:
            seen.setdefault(item.stratum, []).append(given[item.id].holds != (item.stratum.state == "passed"))
    return [
        _Tally(stratum, len(items), len(seen.get(stratum, ())), sum(seen.get(stratum, ())))
        for stratum, items in there.strata.items()
    ]


class _Overall(NamedTuple):
    accepted_wrongly: Interval | None
    rejected_wrongly: Interval | None
    false_accept_rate: Interval | None
    false_reject_rate: Interval | None
    agreement: Interval | None
    kappa: float | None


def _overall(tallies: Sequence[_Tally]) -> _Overall:
    """The shares over all strata that have a label."""
    shares: dict[tuple[str, bool], Share] = {}
    for state in ("passed", "failed"):
        mine = [one for one in tallies if one.stratum.state == state]
        if mine:
            shares[state, True] = share([Part(one.size, one.seen, one.wrong) for one in mine])
            shares[state, False] = share([Part(one.size, one.seen, one.seen - one.wrong) for one in mine])
    accepted, rejected = shares.get(("passed", True)), shares.get(("failed", True))
    both = len(shares) == 4
    agreed = [Part(one.size, one.seen, one.seen - one.wrong) for one in tallies]
    return _Overall(
        accepted_wrongly=_interval(accepted),
        rejected_wrongly=_interval(rejected),
        false_accept_rate=_interval(against(shares["passed", True], shares["failed", False]) if both else None),
        false_reject_rate=_interval(against(shares["failed", True], shares["passed", False]) if both else None),
        agreement=_interval(share(agreed) if agreed else None),
        kappa=_kappa(shares) if both else None,
    )


def _kappa(shares: Mapping[tuple[str, bool], Share]) -> float | None:
    counts = {name: one.value * one.size for name, one in shares.items()}
    return kappa(counts["passed", False], counts["passed", True], counts["failed", True], counts["failed", False])


def _interval(found: Share | None) -> Interval | None:
    if found is None:
        return None
    return Interval(
        value=found.value, low=found.low, high=found.high, hits=found.hits, seen=found.seen, text=str(found)
    )


def _row(one: _Tally) -> Row:
    found = share([Part(one.size, one.seen, one.wrong)]) if one.seen else None
    return Row(**one.stratum._asdict(), size=one.size, labelled=one.seen, wrong=_interval(found))


def _disagreements(drawn: Mapping[str, Item], given: Mapping[str, Label]) -> tuple[Disagreement, ...]:
    wrong = [
        item for item in drawn.values() if item.id in given and given[item.id].holds != (item.stratum.state == "passed")
    ]
    return tuple(
        Disagreement(
            item=item.id,
            trajectory=str(item.folder),
            check=item.check,
            verdict=item.stratum.state,
            note=given[item.id].note,
        )
        for item in sorted(wrong, key=lambda item: (item.stratum.state != "passed", item))
    )
