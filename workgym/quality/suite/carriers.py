"""The withheld-carrier matrix: the expert at work without one file, against what the graph says rests on it."""

from __future__ import annotations

import random

from workgym.graph import Carrier
from workgym.package import TaskPackage
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome
from workgym.quality.suite.report import MatrixCell, MatrixRow
from workgym.records import page_url


def matrix(bench: Bench) -> tuple[MatrixRow, ...]:
    """A row for each carrier that the size asks for; made once. Raises Unmet where the expert fails with all files."""
    if not bench.matrix:
        _ = bench.reference
        bench.matrix = tuple(row(bench, carrier) for carrier in _chosen(bench))
    return bench.matrix


def shortcut(bench: Bench) -> Outcome:
    """What rests on a carrier cannot be solved without it: no other file, and no chance, makes up for it."""
    rows = _rows(bench)
    wrong = [
        f"{row.carrier} is withheld, and {cell.unit} is still right"
        for row in rows
        for cell in row.cells
        if cell.needs and cell.solved
    ]
    return Outcome(tuple(wrong), numbers=_numbers(bench))


def useless(bench: Bench) -> Outcome:
    """Every carrier that is called needed is: some stated unit rests on what stands there alone."""
    idle = [finding.path for finding in bench.construction.findings if finding.check == "shortcut" and finding.path]
    solved = {row.carrier for row in _rows(bench) if not _lost(row)}
    told = {path: ", and the expert solves all without it" if path in solved else "" for path in idle}
    wrong = [f"{path} is called needed, and everything can be worked out without it{told[path]}" for path in idle]
    return Outcome(tuple(wrong), numbers=_numbers(bench))


def distracting(bench: Bench) -> Outcome:
    """A distractor is none that the work needs: without it the expert still reaches the maximum."""
    rows = [row for row in _rows(bench) if row.role == "distractor"]
    if not rows:
        raise NotApplicable("no distractor was withheld")
    wrong = [f"{row.carrier} is a distractor, and without it the expert ends {row.end}" for row in rows if _lost(row)]
    return Outcome(tuple(wrong), numbers={"distractors": len(rows)})


def _lost(row: MatrixRow) -> bool:
    return not all(cell.solved for cell in row.cells)


def stops(bench: Bench) -> Outcome:
    """Without a carrier that the work needs the expert stops and says so; it never hands in a guess."""
    rows = [row for row in _rows(bench) if any(cell.needs for cell in row.cells)]
    if not rows:
        raise NotApplicable("no needed carrier was withheld")
    guessed = [row.carrier for row in rows if row.end != "blocked" and _lost(row)]
    unnamed = [row.carrier for row in rows if row.end == "blocked" and not row.names_it]
    wrong = tuple(f"{path} is withheld, and the expert hands in something wrong" for path in guessed)
    notes = tuple(f"without {path} the expert stops, and names another place" for path in unnamed)
    return Outcome(wrong, notes, {"needed": len(rows), "named": len(rows) - len(unnamed) - len(guessed)})


def _rows(bench: Bench) -> tuple[MatrixRow, ...]:
    if bench.size.carriers == 0:
        raise NotApplicable("the size leaves it out")
    return matrix(bench)


def _numbers(bench: Bench) -> dict[str, float]:
    rows = bench.matrix
    cells = [cell for row in rows for cell in row.cells]
    return {
        "withheld": len(rows),
        "carriers": len(_references(bench)),
        "cells that rest on it": sum(c.needs for c in cells),
    }


def _references(bench: Bench) -> list[Carrier]:
    """The files that can be withheld; not those that are handed back filled in."""
    carriers = bench.package.hidden.graph.carriers
    return [one for one in carriers if one.kind in ("reference", "external") and one.path not in bench.outputs]


def _chosen(bench: Bench) -> list[Carrier]:
    """All carriers, or a sample drawn by the task's id, a third of it distractors, in the order of the graph."""
    known = _references(bench)
    most = bench.size.carriers
    if most is None or most >= len(known):
        return known
    rng = random.Random(f"{bench.package.id}/carriers")
    ranked = sorted(range(len(known)), key=lambda at: (known[at].role != "needed", rng.random()))
    kinds = [[at for at in ranked if (known[at].role == "needed") is needed] for needed in (True, False)]
    few = min(len(kinds[1]), most // 3)
    drawn = [*kinds[0][: most - few], *kinds[1][:few]]
    return [known[at] for at in sorted(drawn)]


def row(bench: Bench, carrier: Carrier) -> MatrixRow:
    """The expert without one carrier; what it hands in is graded as if nothing had been withheld."""
    run = bench.run("expert", without(bench.package, carrier.path))
    credit = {
        f"{unit['deliverable']}: {unit['unit']}": _right(unit)
        for unit in (run.evidence or {}).get("scores", {}).get("units", ())
    }
    blocked = run.blocked or {}
    said = f"{blocked.get('what', '')} {' '.join(blocked.get('looked_at', ()))}"
    return MatrixRow(
        carrier=carrier.path,
        role=carrier.role,
        end=run.end,
        names_it=carrier.path in said or (carrier.kind == "external" and page_url(carrier.path) in said),
        cells=tuple(
            MatrixCell(unit=unit, needs=rests, solved=credit.get(unit, False) and run.blocked is None)
            for unit, rests in bench.rehearsal.needs[carrier.path].items()
        ),
    )


def _right(unit: dict[str, object]) -> bool:
    return bool(unit["whole"]) and unit["right"] == unit["facts"]


def without(package: TaskPackage, path: str) -> TaskPackage:
    """The task without one of its files or pages; request and card stay."""
    return package.with_shown({other: content for other, content in package.shown.items() if other != path})
