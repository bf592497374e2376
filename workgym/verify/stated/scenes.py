"""What is said of another scene than the one that was asked for: another scenario, version or time, or of no one.

A value that is said there contradicts nothing: it is not the same attribute of the same entity in the same scenario.
"""

from __future__ import annotations

import re

_CASES = r"(?:stress|best|worst|low|high|upper|lower|up|down)[ -]?(?:case|side)|what[ -]if|scenario|sensitivity"
_VERSIONS = (
    r"draft|previous\w*|older?|earlier|former\w*|prior|initial\w*|original\w*|superseded|outdated|obsolete|"
    r"last (?:year|month|quarter|week)"
)
INVERTED = r"(?:^|[,;:(\u2013\u2014]\s*)(?:were|had)\b|\b(?:were to|had been)\b"
"""*Were the order to fall*, *had it come in time*; ``the hours were 50`` is a plain sentence."""
ASIDE = re.compile(
    rf"{INVERTED}|\b(?:if|would|could|without|instead|excluding|exclusive|except|before|{_CASES}|{_VERSIONS}|assum\w+|"
    r"falls?|rises?|drops?|hypothetical\w*|unless|otherwise|at a (?:discount )?rate|alone|budgeted|wrong\w*|"
    r"incorrect\w*|mistaken\w*|compared|versus|vs|than|less|more|higher|lower|difference|undiscounted|not)\b",
    re.IGNORECASE,
)
"""What makes a sentence an aside: it contradicts nothing."""
SUPPOSED = re.compile(
    rf"{INVERTED}|\b(?:if|would|could|without|instead|excluding|exclusive|{_CASES}|{_VERSIONS}|assum\w+|falls?|rises?|"
    r"drops?|hypothetical\w*|unless|otherwise|case|undiscounted|budgeted|wrong\w*|incorrect\w*|mistaken\w*)\b",
    re.IGNORECASE,
)
"""What makes a sentence count only where no plainer one says anything."""
_TITLE = re.compile(
    rf"\b(?:{_CASES}|{_VERSIONS}|hypothetical\w*|optimistic|pessimistic|alternative|superseded)\b", re.IGNORECASE
)
_BASE = re.compile(r"\b(?:base(?:line)?|main|final|central)[ -]?(?:case|scenario|version)?\b", re.IGNORECASE)


def other_scene(title: str, own: str) -> bool:
    """Whether the title of a table, or the name of its sheet, says that it is of another scene than the one asked for.

    ``own`` is what the request calls that: words that it has itself do not tell a table apart.
    """
    if _BASE.search(title):
        return False
    asked = own.casefold()
    return any(match[0].casefold() not in asked for match in _TITLE.finditer(title))
