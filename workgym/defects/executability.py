"""Executability: a file that the work needs cannot be used, or what is asked for cannot be done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Literal

from workgym.defects.kinds import REQUEST, Kind, shuffled, spots
from workgym.mutation import Damage, Revision, Reword
from workgym.mutation.damage import damaged
from workgym.package import TaskPackage
from workgym.records import by_ending

_ABSENT = (
    "The figures of last year are in `{folder}/comparison_of_last_year.{ending}`, please use them for the comparison.",
    "Start from the template `{folder}/template_of_head_office.{ending}`.",
    "See also `{folder}/instructions.{ending}` for the steps in between.",
)
_UNDOABLE = (
    "Have the first page signed by hand and hand in the scan as well.",
    "Call each of them on the phone beforehand and note down who answered and what was said.",
)


def spoiled(
    package: TaskPackage, rng: random.Random, how: Literal["truncated", "emptied", "mistyped", "locked"]
) -> Iterator[Revision]:
    """A file that values are needed from is damaged."""
    needed = [spec.path for spec in package.hidden.plan.artifacts if spec.role == "needed"]
    for path in shuffled(needed, rng):
        if damaged(path, package.files[path], how) != package.files[path]:
            edit = Damage(path=path, how=how)
            yield Revision(purpose="inject", why=f"{path} is {how}", edits=(edit,))


def absent_file(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The request names a file that is not there."""
    folders = sorted({path.partition("/")[0] for path in package.files if "/" in path}) or ["reference"]
    endings = sorted({path.rpartition(".")[2] for path in package.files if by_ending(path)})
    for spot in shuffled(spots(package, request=True), rng):
        sentence = rng.choice(_ABSENT).format(folder=rng.choice(folders), ending=rng.choice(endings))
        edit = Reword(path=REQUEST, old=spot.text, new=f"{spot.text} {sentence}")
        yield Revision(purpose="inject", why="the request names a file that is not there", edits=(edit,))


def undoable(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The request asks for an act that no tool can do."""
    for spot in shuffled(spots(package, request=True), rng):
        edit = Reword(path=REQUEST, old=spot.text, new=f"{spot.text} {rng.choice(_UNDOABLE)}")
        yield Revision(purpose="inject", why="the request asks for what no tool can do", edits=(edit,))


KINDS = (
    Kind("a file is cut off", partial(spoiled, how="truncated")),
    Kind("a file is empty", partial(spoiled, how="emptied")),
    Kind("a file is of another type", partial(spoiled, how="mistyped")),
    Kind("a file is locked", partial(spoiled, how="locked")),
    Kind("a file that is not there", absent_file),
    Kind("an act that no tool can do", undoable, False, "what an act takes is in no graph: only words ask for it"),
)
