"""The Standard Occupational Classification 2018 (US Bureau of Labor Statistics, public domain): codes and titles.

``soc.txt`` holds it as an outline, a line for each of 23 major groups (``13``), 98 minor groups (``13-2``), 459 broad
occupations (``13-205``, officially ``13-2050``) and 867 detailed ones (``13-2051``; ``=`` where the title is the broad
one's); what a line belongs to is the nearest line above it that is one level wider. Our source lists minor groups by
title only: they are named here by the four signs that all their members share, which are different for all 98. A broad
occupation may have members with other digits (``29-1221`` belongs to ``29-1210``), so that the outline counts there.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workgym.errors import UsageError

Level = Literal["major", "minor", "broad", "detailed"]
LEVELS: tuple[Level, ...] = ("major", "minor", "broad", "detailed")
"""From wide to narrow."""
TABLE = Path(__file__).with_name("soc.txt")
_LEVEL_OF: dict[int, Level] = {2: "major", 4: "minor", 6: "broad", 7: "detailed"}
_FIX = "write 13, 13-2, 13-20, 13-2051 or several with commas; titles are in workgym/records/soc.txt"


@dataclass(frozen=True)
class Occupation:
    """One line of the classification."""

    code: str
    """``13-0000`` (major), ``13-2`` (minor), ``13-2050`` (broad), ``13-2051`` (detailed)."""
    title: str
    """Its title."""
    level: Level
    """How wide it is."""
    parents: tuple[str, ...]
    """Codes of what it belongs to, from wide to narrow."""


class Soc:
    """The whole classification."""

    def __init__(self, outline: str) -> None:
        self.all: dict[str, Occupation] = {}
        """Everything by its code, in the order of the codes of detailed occupations."""
        self._below: dict[str, list[str]] = {}
        above: dict[Level, Occupation] = {}
        for line in outline.splitlines():
            short, _, title = line.partition(" ")
            level = _LEVEL_OF[len(short)]
            wider = LEVELS[: LEVELS.index(level)]
            made = Occupation(
                code=_code(short, level),
                title=above["broad"].title if title == "=" else title,
                level=level,
                parents=tuple(above[one].code for one in wider),
            )
            above[level] = made
            self.all[made.code] = made
            if level == "detailed":
                for code in (*made.parents, made.code):
                    self._below.setdefault(code, []).append(made.code)

    def level(self, level: Level) -> tuple[Occupation, ...]:
        """All of one level."""
        return tuple(found for found in self.all.values() if found.level == level)

    def detailed(self, code: str) -> tuple[str, ...]:
        """Detailed occupations under a code of any level or a prefix of one: ``13``, ``13-2``, ``13-20``, ``13-2050``.

        O*NET's codes (``13-2051.01``) count as the occupation that they refine. Raises UsageError for what is none.
        """
        bare = code.strip().partition(".")[0]
        found = self._below.get(f"{bare}0" if len(bare) == 6 else bare, [])
        short = bare.rstrip("0").rstrip("-") if len(bare) == 7 else bare
        if not found and re.fullmatch(r"\d\d(-\d*)?", short):
            found = [one.code for one in self.level("detailed") if one.code.startswith(short)]
        if not found:
            raise UsageError(f"{code!r}: no occupation of SOC 2018 has such a code", fix=_FIX)
        return tuple(found)

    def many(self, codes: Iterable[str] | None) -> tuple[str, ...]:
        """Detailed occupations under any of some codes, each once; all 867 for None. Raises UsageError."""
        if codes is None:
            return tuple(found.code for found in self.level("detailed"))
        return tuple(sorted({found for code in codes for found in self.detailed(code)}))

    def line(self, code: str) -> tuple[Occupation, ...]:
        """An occupation with all that it belongs to, from wide to narrow."""
        found = self.all[code]
        return (*(self.all[parent] for parent in found.parents), found)

    def like(self, title: str, most: int = 5) -> tuple[Occupation, ...]:
        """Detailed occupations whose titles are most like some words, best first."""
        said = _words(title)

        def nearness(found: Occupation) -> tuple[float, float]:
            there = _words(found.title)
            shared = len(said & there) / max(1, len(said | there))
            return shared, difflib.SequenceMatcher(None, title.casefold(), found.title.casefold()).ratio()

        ranked = sorted(self.level("detailed"), key=nearness, reverse=True)
        return tuple(ranked[:most])


def _code(short: str, level: Level) -> str:
    return {"major": f"{short}-0000", "broad": f"{short}0"}.get(level, short)


def _words(title: str) -> frozenset[str]:
    words = ("".join(sign if sign.isalnum() else " " for sign in title.casefold())).split()
    return frozenset(word.removesuffix("s") for word in words)


@functools.cache
def soc() -> Soc:
    """SOC 2018."""
    return Soc(TABLE.read_text("utf-8"))


def codes(written: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """``13-20,29-1`` as a list of codes; None stays None. Raises UsageError where one is no code."""
    if written is None:
        return None
    parts = [part for text in ([written] if isinstance(written, str) else written) for part in text.split(",")]
    found = tuple(part.strip() for part in parts if part.strip())
    for code in found:
        soc().detailed(code)
    if not found:
        raise UsageError("no code of an occupation is given", fix=_FIX)
    return found
