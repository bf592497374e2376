"""How plainly a sentence says a number, and which of several sentences counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from workgym.records.surface import Number
from workgym.verify.stated.asked import Asked
from workgym.verify.stated.lines import Line
from workgym.verify.stated.scenes import ASIDE, SUPPOSED
from workgym.verify.stated.sheets import words
from workgym.verify.stated.sights import Sight

KEY_WORD = 3
"""Letters of a word that tells one label from another."""
PLAIN = 4
"""Places of a rank that say whether it is supposed, and how well it is labelled."""
_BOUND = re.compile(
    r"(?:\b(?:at (?:least|most)|(?:no|not) (?:more|less|fewer) than|up to|limits?|targets?|thresholds?|minimum|maximum|"
    r"least number|allowed|required|wanted)(?:\s+(?:of|is|was|are|being))?|[<>\u2264\u2265])"
    r"\s*(?:usd|eur|gbp|chf|[$\u20ac\u00a3])?\s*$",
    re.IGNORECASE,
)
"""What stands before a number that a value is held against."""
_OWNED = re.compile(r"(?!our\b|its\b)\b[\w-]+(?:'s|s')\s+((?:[\w-]+\s+){0,3}[\w-]+)")


class Said(NamedTuple):
    rank: tuple[int, ...]
    """How plainly it is said; the least is the plainest."""
    sight: Sight


def spread(said: tuple[Line, ...], label: set[str]) -> dict[str, int]:
    """How many lines have each word of a label, by its stem."""
    found = dict.fromkeys(_stems(label), 0)
    for line in said:
        for stem in found.keys() & _stems(words(line.text)):
            found[stem] += 1
    return found


def _stems(said: Iterable[str]) -> set[str]:
    return {word[:5].rstrip("s") for word in said}


def rank(
    line: Line, label: set[str], common: Mapping[str, int], carried: bool, like: list[Number], asked: Asked
) -> tuple[int, ...]:
    """What is not supposed first, then under the label, by how many words of it, by how rare these are in the text (see
    :func:`spread`), not as another's, by name, alone, not compared."""
    here = labelled(line.text, label)
    near = here or labelled(line.about, label)
    return (
        supposed(line),
        not near,
        lacks(line.text, label) if here else len(label),
        min((common[stem] for stem in common.keys() & _stems(words(line.text))), default=0),
        owned(line, label, asked),
        carried,
        len({number.text for number in like}) > 1,
        ASIDE.search(line.text) is not None,
    )


def values(text: str, like: list[Number]) -> list[Number]:
    """Of the numbers of a sentence those that are not what a value is held against; all where there are no others."""
    return [number for number in like if not _BOUND.search(text[: number.start])] or like


def owned(line: Line, label: set[str], asked: Asked) -> bool:
    """Whether a sentence says it of somebody else (``the firm's response rate of 78 %``), where there is one alone."""
    if asked.parts:
        return False
    return any(label & set(words(match[1])) for match in _OWNED.finditer(line.text))


def supposed(line: Line) -> bool:
    """Whether it is said of another scene, by its own words or, in a table, by those that lead to it."""
    return SUPPOSED.search(line.text) is not None or line.other


def judged(stands: list[Said]) -> Sight:
    """The plainest of all, the first of equals; another value said plainly under the label contradicts it."""
    first = min(stands, key=lambda said: said.rank).sight
    against = next((said.sight for said in stands if said.sight.state == "wrong" and said.sight.sure), None)
    if against is None or first.state == "wrong":
        return against or first
    return against._replace(message=f"it contradicts {first.place}, which says {first.found}")


def labelled(about: str, label: set[str]) -> bool:
    """Whether a text has half of the words of a label, at least."""
    said = {word[:5] for word in words(about)}
    wanted = {word[:5] for word in label if len(word) >= KEY_WORD}
    return 2 * len(said & wanted) >= len(wanted) > 0


def lacks(text: str, label: set[str]) -> int:
    """How many words of a label a text lacks."""
    return len(_stems(label) - _stems(words(text)))


def claim(line: Line, label: set[str], entities: int, like: list[Number]) -> bool:
    """Whether a sentence plainly says a value of one entity under the label."""
    if line.head is not None or ASIDE.search(line.text) or entities > 1 or len(like) != 1:
        return False
    return not lacks(line.text, label)
