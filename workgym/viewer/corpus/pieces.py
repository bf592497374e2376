"""Pieces of the report's page: tiles, tables, bars. Everything that is shown is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from workgym.evaluate.published import Published
from workgym.evaluate.rates import Rate

NOT_MEASURED = "<em class='none'>not measured</em>"


def tile(value: str, says: str) -> str:
    """A figure with what it is."""
    kind = "tile" if value[:1].isdigit() else "tile words"
    return f"<div class='{kind}'><b>{escape(value)}</b><span>{escape(says)}</span></div>"


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page, to be jumped to."""
    return f"<section id='{name}'><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def says(text: str, kind: str = "soft") -> str:
    """A paragraph."""
    return f"<p class='{kind}'>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """A table of texts whose first cells are headings; ``numbers`` are the columns that are set to the right."""
    right = set(numbers)

    def cell(place: int, text: str) -> str:
        tag, kind = ("th" if place == 0 else "td"), (" class='num'" if place in right else "")
        return f"<{tag}{kind}>{escape(text)}</{tag}>"

    titles = "".join(
        f"<th{' class=num' if place in right else ''}>{escape(text)}</th>" for place, text in enumerate(head)
    )
    lines = "".join("<tr>" + "".join(cell(*item) for item in enumerate(row)) + "</tr>" for row in rows)
    return f"<div class='box'><table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>"


def rate(found: Rate, scale: float, published: Published | None = None, more: str = "") -> str:
    """A rate with its interval as a bar, and what was published beside it; the bar ends at ``scale``.

    ``more`` is told beside its counts.
    """
    told = f"<em class='pub'>published {escape(str(published))}</em>" if published is not None else ""
    if found.value is None or found.low is None or found.high is None:
        return f"<div class='rate'>{NOT_MEASURED}{told}</div>"
    mark = f"<s style='left:{_at(published.value, scale)}'></s>" if published and published.note != "difference" else ""
    left, right = min(found.low, found.value), max(found.high, found.value)
    band = f"<i style='left:{_at(left, scale)};width:{_at(right - left, scale)}'></i>"
    return (
        f"<div class='rate'><b>{found.share}</b><span>{found.hits:,} of {found.of:,}{escape(more)}</span>"
        f"<div class='bar'>{band}<u style='left:{_at(found.value, scale)}'></u>{mark}</div>"
        f"<em>{escape(found.interval)}</em>{told}</div>"
    )


def _at(share: float, scale: float) -> str:
    return f"{min(1.0, share / scale) * 100:.2f}%"


def bars(counts: Mapping[str, int], most: int = 14) -> str:
    """Counts by name, as bars; what is beyond the first ones is summed up."""
    if not counts:
        return "<p class='soft'>none</p>"
    shown = list(counts.items())[:most]
    rest = sum(counts.values()) - sum(count for _, count in shown)
    if rest:
        shown.append((f"{len(counts) - most} others", rest))
    top = max(count for _, count in shown) or 1
    lines = "".join(
        f"<div>{escape(name)}</div><div class='track'><i class='{'' if count else 'zero'}' "
        f"style='display:block;width:{count / top * 100:.1f}%'></i></div><span class='num'>{count:,}</span>"
        for name, count in shown
    )
    return f"<div class='hbar'>{lines}</div>"


def badge(text: str, kind: str) -> str:
    """A word that says good, bad or wait."""
    return f"<span class='badge {kind}'>{escape(text)}</span>"


def words(items: Iterable[tuple[str, str]]) -> str:
    """Titles with their texts."""
    lines = "".join(f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in items)
    return f"<dl class='words'>{lines}</dl>"
