"""Trees of an edited input (json, yaml), given and handed in, value by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workgym.documents import Fragment
from workgym.graph import Area
from workgym.verify.edited.damage import Damage, differs, shown


def editable(at: str, areas: Sequence[Area], given: Iterable[str]) -> bool:
    """Whether a value may be changed: it is, or lies below, a part that an area names."""
    steps = at[1:].split("/")
    return any(_below(steps, one.pointer, given) for one in areas)


def _below(steps: Sequence[str], pointer: Sequence[str], given: Iterable[str]) -> bool:
    if len(steps) < len(pointer):
        return False
    for number, (step, wanted) in enumerate(zip(steps, pointer, strict=False)):
        if wanted == "-":
            item = "/" + "/".join(steps[: number + 1])
            if not step.isdecimal() or any(at == item or at.startswith(f"{item}/") for at in given):
                return False
        elif wanted not in ("*", step):
            return False
    return True


def damaged(given: Mapping[str, Fragment], now: Mapping[str, Fragment], areas: Sequence[Area]) -> Iterator[Damage]:
    """Every value outside the areas that is not as it was given, one that is new included."""
    for at in [*given, *(at for at in now if at not in given)]:
        before, after = given.get(at), now.get(at)
        if differs(before, after) and not editable(at, areas, given):
            what = "it is gone" if after is None else "nothing stood there" if before is None else "it was changed"
            yield Damage(at, shown(before), shown(after), what)


def standing(given: Mapping[str, Fragment], now: Mapping[str, Fragment], areas: Sequence[Area]) -> Iterator[str]:
    """Places of what was given outside the areas."""
    return (at for at in now if at in given and not editable(at, areas, given))


def pointers(fragments: Iterable[Fragment]) -> dict[str, Fragment]:
    """Values by their pointer."""
    return {fragment.at: fragment for fragment in fragments if re.match(r"/", fragment.at)}
