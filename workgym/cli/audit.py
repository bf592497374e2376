"""``audit``: a sample of verdicts for people to label, and what their labels say."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli.output import Output
from workgym.errors import UsageError

if TYPE_CHECKING:
    from workgym.quality.audit import Population


def audit(arguments: Namespace, output: Output) -> int:
    """Draw a sample, or read labels; 1 where a trajectory could not be read, or nothing is labelled."""
    from workgym.quality.audit import population
    from workgym.quality.recorded import trajectories

    if (arguments.labels is None) == (arguments.out is None):
        raise UsageError("audit draws a sample or reads labels", fix="give -o FILE, or --labels FILE")
    folders = trajectories(arguments.trajectory)
    output.progress(f"reading {len(folders)} trajectories")
    there = population(folders)
    output.done()
    for message in there.broken.values():
        output.say(f"NOT READ: {' '.join(message.split())}")
    if arguments.labels is None:
        _sample(there, arguments, output)
        return 1 if there.broken else 0
    labelled = _labels(there, Path(arguments.labels), output)
    return 1 if there.broken or not labelled else 0


def _sample(there: Population, arguments: Namespace, output: Output) -> None:
    from workgym.quality.audit import Draw, cards, sample, write
    from workgym.quality.audit.sheets import ending

    path = Path(arguments.out)
    ending(path)
    if path.exists():
        raise UsageError(f"{path} is there already, and may hold labels", fix="name another file (-o)")
    drawn = sample(there, arguments.sample, arguments.seed)
    draw = Draw(there.digest, arguments.sample, arguments.seed)
    copies = path.with_name(f"{path.name}.files")
    output.progress(f"{len(drawn)} checks, with what the deliverables say there")
    write(path, draw, cards(drawn.values(), copies))
    output.done()
    output.say(f"{len(drawn)} of {there.size:,} checks of {there.verdicts:,} verdicts, from {len(there.strata)} strata")
    for reason, count in sorted(there.left.items()):
        output.say(f"  left out: {count:,} {reason}")
    output.say(f"{path}: answer yes or no; copies of the deliverables are in {copies}")
    output.say(f"then: workgym audit {' '.join(arguments.trajectory)} --labels {path}")
    output.result(
        {
            "file": str(path),
            "copies": str(copies),
            "draw": str(draw),
            "items": len(drawn),
            "checks": there.size,
            "verdicts": there.verdicts,
            "left_out": dict(there.left),
            "broken": [str(folder) for folder in there.broken],
        }
    )


def _labels(there: Population, path: Path, output: Output) -> int:
    """Print what labels say; how many there are."""
    from workgym.quality.audit import read, report

    found = report(there, read(path))
    output.say(found.table())
    output.result(found.model_dump(mode="json"))
    return found.labelled
