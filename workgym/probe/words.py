"""How a quote is found in what was read: normalised, whole words and numbers only; and when words stand together."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator

_SAME = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′´`", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"),
    }
)
_BLANKS = re.compile(r"[\s|]+")
_DATE = r"\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}:\d{2}"
_TOKEN = re.compile(rf"{_DATE}|\d[\d,']*(?:\.\d+)?|[^\W\d_]+")
_IDLE = frozenset("a an the of for in on at to by per and or is are be no not with from as it its this that".split())
_CELLS = ("\t", "|", ";", ",")
_PROSE = frozenset(("\n", ","))  # a comma divides cells, and sentences too
EMPTY = frozenset(("", "-", "--", "?", "null", "none", "nan", "n/a", "na", "tbd", "tba", "unknown", "missing"))
"""What a cell says that says nothing, in lower case."""


def plain(text: str) -> str:
    """``text`` as quotes are compared: one form of marks and dashes, bars and blanks as one blank, no bold."""
    text = unicodedata.normalize("NFKC", text).translate(_SAME).replace("**", "")
    return _BLANKS.sub(" ", text).strip()


def stands(quote: str, text: str) -> bool:
    """Whether ``quote`` stands in ``text`` (both plain), beginning and ending with whole words and whole numbers."""
    at = text.find(quote) if quote else -1
    while at != -1:
        if not (_cut_before(text, at) or _cut_after(text, at + len(quote))):
            return True
        at = text.find(quote, at + 1)
    return False


def _cut_before(text: str, at: int) -> bool:
    """Whether a word or number goes on before ``at``; a sign belongs to its number."""
    first, before = text[at], text[at - 1 : at]
    if not first.isalnum() or not before:
        return False
    if before.isalnum():
        return True
    if not first.isdigit():
        return False
    if before == "-":
        return True
    return before in ".,'" and text[at - 2 : at - 1].isdigit()


def _cut_after(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if not last.isalnum() or not after:
        return False
    if after.isalnum():
        return True
    return last.isdigit() and after in ".,'" and text[end + 1 : end + 2].isdigit()


def tokens(text: str) -> list[str]:
    """Words and numbers of a text: words in lower case and singular, numbers without separators and closing zeros."""
    return [_token(match) for match in _TOKEN.findall(plain(text).casefold())]


def _token(word: str) -> str:
    if word[0].isdigit():
        number = word.replace(",", "").replace("'", "")
        return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def telling(text: str) -> frozenset[str]:
    """The words and numbers of a text that say something; one with a capital does, since it may be a heading."""
    return frozenset(_token(word.casefold()) for word in _TOKEN.findall(plain(text)) if word not in _IDLE)


def share(quote: str, words: frozenset[str], pairs: frozenset[tuple[str, str]]) -> float:
    """How much of a quote a text has, 0 to 1: of its words and of its neighbouring pairs, given those of the text."""
    own = tokens(quote)
    if not own:
        return 0.0
    single = sum(token in words for token in own) / len(own)
    both = list(itertools.pairwise(own))
    return single if not both else (single + sum(pair in pairs for pair in both) / len(both)) / 2


def together(wanted: frozenset[str], text: str) -> str | None:
    """The first stretch of ``text`` in which all ``wanted`` words stand together; None where there is none.

    A stretch is a line, two lines of prose that follow one another, or a row of a table with the headings of those of
    its columns that are filled.
    """
    if not wanted <= set(tokens(text)):
        return None
    return next((stretch for stretch in _stretches(text.splitlines()) if wanted <= set(tokens(stretch))), None)


def _stretches(lines: list[str]) -> Iterator[str]:
    for mark, block in itertools.groupby(lines, key=_mark):
        yield from _rows(list(block), mark)
    for first, second in itertools.pairwise(lines):
        if {_mark(first), _mark(second)} <= _PROSE:
            yield f"{first} {second}"


def _rows(block: list[str], mark: str) -> Iterator[str]:
    """The lines of a block, each with the headings of its filled cells; the headings are its first row of several."""
    head: list[str] = []
    for line in block:
        cells = line.split(mark)
        filled = [cell.strip().casefold() not in EMPTY for cell in cells]
        if head and len(cells) <= len(head):
            yield " ".join((*cells, *itertools.compress(head, filled)))
        else:
            head = cells if sum(filled) > 1 else []
            yield line


def _mark(line: str) -> str:
    """What divides the cells of a line; a line break, which it has none of, where it is prose or empty."""
    return next((mark for mark in _CELLS if mark in line), "\n" if line.strip() else "\r")
