"""The construction checks, as the suite groups them: each group by the findings of the checks that it is made of."""

from __future__ import annotations

from collections.abc import Callable

from workgym.quality.suite.bench import Bench, NotApplicable, Outcome, Unmet

EVALUATES = frozenset({"compiles", "acyclic", "truth"})
"""Checks of the graph alone; where one fails nothing is evaluated outside the child."""
STANDS = frozenset({"readable", "carriers", "presence", "drift", "absence", "external"})
"""Checks that every premise is there, once, at its place, and would be missed."""
_MOST = 8


def evaluates(bench: Bench) -> Outcome:
    """The graph compiles, has no cycle, gives the rows that are stored, and does so within the limits of a child."""
    known = _hard(bench, EVALUATES)
    wrong, report = list(known.wrong), bench.construction
    if not set(report.ran) >= EVALUATES and not wrong:
        wrong += [str(finding) for finding in report.findings if finding.severity == "hard"] or ["it was not checked"]
    if not wrong and bench.overran:
        wrong.append(f"evaluating it ended the process that did it: {bench.overran}")
    return Outcome(tuple(wrong[:_MOST]), known.notes)


def group(*names: str) -> Callable[[Bench], Outcome]:
    """A check of the suite made of construction checks: it fails on their hard findings, and tells the soft ones."""

    def run(bench: Bench) -> Outcome:
        ran = set(names) & set(bench.construction.ran)
        if not ran:
            raise Unmet("construction.evaluates failed")
        return _hard(bench, frozenset(names))

    return run


def requested(bench: Bench) -> Outcome:
    """The request names each deliverable, sheet and heading that is graded, how precisely, and no file that is missing.

    It has words enough to say what is wanted, and the papers speak of the conventions that results hang on.
    """
    found = group("request", "areas", "precision", "wording", "vocabulary", "paths", "variants")(bench)
    words = len(bench.package.request.split())
    short = (f"it has {words} words",) if words < 15 else ()
    return found._replace(wrong=(*found.wrong, *short), numbers={"words": words})


def one_answer(bench: Bench) -> Outcome:
    """How many distinct sets of values a deliverable may state: the vagueness of the task as a number."""
    known = bench.rehearsal
    notes = (f"free conventions: {', '.join(known.free)}",) if known.free else ()
    return Outcome(notes=notes, numbers={"answers": known.answers})


def settled(bench: Bench) -> Outcome:
    """Every conflict of the files is settled by a rule that stands in sight."""
    if not bench.package.hidden.graph.conflicts and not any(
        unit.superseded_by for unit in bench.package.hidden.graph.units
    ):
        raise NotApplicable("its files hold no conflict")
    found = group("conflict")(bench)
    return found._replace(numbers={"conflicts": len(bench.package.hidden.graph.conflicts)})


def _hard(bench: Bench, names: frozenset[str]) -> Outcome:
    findings = [finding for finding in bench.construction.findings if finding.check in names]
    hard = [str(finding) for finding in findings if finding.severity == "hard"]
    soft = [str(finding) for finding in findings if finding.severity == "soft"]
    more = [f"and {len(hard) - _MOST} more"] if len(hard) > _MOST else []
    numbers = {"findings": len(hard), "warnings": len(soft)}
    return Outcome((*hard[:_MOST], *more), tuple(dict.fromkeys(soft))[:_MOST], numbers)
