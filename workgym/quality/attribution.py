"""Attribution: why a stated value is wrong, by the mistake that gives exactly what was found.

Two kinds of mistakes are tried. Those of stating: another row's value, the other sign, a unit slip, digits mistyped, a
row that is not there (:mod:`.slips`). And those of working it out: wrong premises (:mod:`.premises`), all evaluated
together with the graph (:mod:`.working`). A premise may be wrong in all that was handed in, or only here and there: one
row that rests on the draft. The search goes in steps, and only what one step leaves is looked at by the next:

1. what was made everywhere or is plain: likely premises that give more wrong values than they would have changed right
   ones, rows that are not there, rows exchanged, another sign or unit;
2. what follows from other wrong values (:mod:`.follows`) is set aside, and put with them in the end;
3. likely premises that are wrong only where they give what was found, and values of another row;
4. likely mistakes of stating: the value of another column or of another file, neighbouring digits exchanged,
   rounding;
5. unlikely premises, everywhere and then here and there;
6. mistakes of stating that may be chance.

Within a step the mistake that gives the most is named first, and of several the likeliest kind. A value that no mistake
gives is said to be unexplained. The same verdict has the same causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workgym.package import TaskPackage
from workgym.quality.findings import Candidate, CauseKind, Finding, findings
from workgym.quality.follows import follows
from workgym.quality.premises import likely, near, unlikely
from workgym.quality.slips import absent, stating
from workgym.quality.working import Worked, only, unguarded, worked
from workgym.records import Record
from workgym.verify import Verdict

_ORDER: tuple[CauseKind, ...] = (
    *("superseded", "conflict", "trap", "convention", "missing row", "not stated", "left out", "other row"),
    *("neighbour's", "wrong sign", "stated in another unit", "mistyped", "dropped row", "unit slip", "other column"),
    *("other source", "last place", "rounded off", "follows"),
)
"""Which kind is named where several explain the same: the likeliest first."""
_NAMED = 3


class Cause(Record):
    """A mistake, and the wrong values that it explains."""

    kind: CauseKind | Literal["no file", "unexplained"]
    """The kind of mistake; ``no file`` where a deliverable is not there or cannot be read, ``follows`` where values
    follow from several others that are wrong for different causes."""
    says: str
    """One sentence for a person."""
    units: tuple[str, ...] = ()
    """The premises that were wrong; empty for a mistake of stating."""
    checks: tuple[str, ...]
    """Names of the failed checks that it explains."""


@dataclass
class _Search:
    """What is still to be explained, and the mistakes named so far with what each explains."""

    left: set[str]
    named: list[tuple[Candidate | None, set[str]]] = field(default_factory=list)

    def among(self, candidates: Iterable[Candidate]) -> None:
        """Name mistakes as long as one explains more than it is against."""
        known = list(candidates)
        while self.left and known:
            best = max(known, key=self._merit)
            mine = set(best.explains & self.left)
            if len(mine) <= (0 if best.local else best.against):
                return
            self.left -= mine
            self.named.append((best, mine))

    def _merit(self, one: Candidate) -> tuple[int, int, int]:
        """What it explains, less what it is against; what a local mistake is against decides between equals only."""
        explains = len(one.explains & self.left)
        against = one.against
        return (
            (explains, -_ORDER.index(one.kind), -against)
            if one.local
            else (explains - against, -_ORDER.index(one.kind), 0)
        )


def attribute(package: TaskPackage, verdict: Verdict) -> tuple[Cause, ...]:
    """The causes of all wrong facts of a verdict, the one that explains most first."""
    unread = {
        check.deliverable: check.message for check in verdict.checks if check.kind == "file" and check.state != "passed"
    }
    causes = [Cause(kind="no file", says=f"{says}.", checks=_of(verdict, path)) for path, says in unread.items()]
    facts = tuple(fact for fact in findings(package, verdict) if fact.check.deliverable not in unread)
    if any(fact.wrong for fact in facts):
        causes += _searched(package, facts)
    return tuple(causes)


def _of(verdict: Verdict, path: str | None) -> tuple[str, ...]:
    """Names of the facts that one deliverable had to state."""
    return tuple(check.name for check in verdict.checks if check.kind == "fact" and check.deliverable == path)


def _searched(package: TaskPackage, facts: Sequence[Finding]) -> list[Cause]:
    every = {fact.name: fact for fact in facts}
    wrong = {name: fact for name, fact in every.items() if fact.wrong}
    graph = unguarded(package.hidden.graph)
    sure, fair, faint = stating(package, [*wrong.values()])
    known = worked(package, graph, facts, near(package, likely(package), [fact.at[1] for fact in wrong.values()]))
    search = _Search(set(wrong))
    search.among([*(one.whole for one in known), *sure, *absent(package, facts)])
    after = follows(package, graph, facts) if search.left else {}
    after = {name: sources for name, sources in after.items() if name in search.left}
    search.left -= after.keys()
    search.among([*_local(known, every), *(one for one in fair if one.kind == "other row")])
    search.among(fair)
    if search.left:
        keys = [wrong[name].at[1] for name in search.left]
        known = worked(package, graph, facts, near(package, unlikely(package), keys))
        search.among(one.whole for one in known)
        search.among(_local(known, every))
        search.among(faint)
    if search.left:
        search.named.append((None, search.left))
    return _told(wrong, search.named, after)


def _local(known: Iterable[Worked], every: Mapping[str, Finding]) -> list[Candidate]:
    return [found for one in known if (found := one.local(every)) is not None]


def _told(
    wrong: Mapping[str, Finding],
    named: Sequence[tuple[Candidate | None, set[str]]],
    after: Mapping[str, tuple[str, ...]],
) -> list[Cause]:
    """The mistakes with what follows from each, then what follows from several."""
    owner = {name: number for number, (_, mine) in enumerate(named) for name in mine}
    mixed: dict[tuple[str, ...], list[str]] = {}
    extra: dict[int, list[str]] = {}
    for name in after:
        roots = _roots(name, after)
        owners = {owner[root] for root in roots}
        if len(owners) == 1:
            extra.setdefault(owners.pop(), []).append(name)
        else:
            mixed.setdefault(roots, []).append(name)
    causes = [_cause(one, wrong, mine, extra.get(number, [])) for number, (one, mine) in enumerate(named)]
    for roots, mine in mixed.items():
        says = f"it follows from {_listed(wrong, roots)}"
        causes.append(_cause(Candidate("follows", says, (), frozenset(mine)), wrong, set(mine), []))
    return causes


def _roots(name: str, after: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The wrong values from which one follows in the end."""
    if name not in after:
        return (name,)
    return tuple(dict.fromkeys(root for source in after[name] for root in _roots(source, after)))


def _cause(one: Candidate | None, wrong: Mapping[str, Finding], mine: set[str], extra: Sequence[str]) -> Cause:
    says = one.says if one else "no mistake that is known gives what was found"
    if one and one.local:
        says += only([fact for name, fact in wrong.items() if name in mine])
    if extra:
        says += f"; from that follows {_listed(wrong, extra)}"
    checks = tuple(name for name in wrong if name in mine or name in extra)
    kind = one.kind if one else "unexplained"
    return Cause(kind=kind, says=f"{says[:1].upper()}{says[1:]}.", units=one.units if one else (), checks=checks)


def _listed(wrong: Mapping[str, Finding], names: Sequence[str]) -> str:
    """Some facts by their names without the file."""
    known = dict.fromkeys(wrong[name].name.removesuffix(f" in {wrong[name].check.deliverable}") for name in names)
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    return f"{', '.join([*known][:_NAMED])}{more}"
