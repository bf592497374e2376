"""What a request has to say beyond names: how precisely, in which words, and of which files there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from workgym.check.reading import Visible
from workgym.documents import sentences
from workgym.graph import Column, Deliverable, Stated
from workgym.records import Finding, by_ending
from workgym.verify.stated.sheets import words

_PLACES = {
    0: "whole|full|nearest|no decimals?|without (?:cents|pence|decimals?)|integers?|zero decimals?|rounded to [a-z]+"
    "|to the (?:yen|won|rupiah|rupee|forint|dollar|euro|pound|franc|kron[ae]r?|peso|real|kilogram(?:me)?|hour|minute"
    "|day|piece|unit|tonne)",
    1: "one decimals?|one place|tenths?|to the (?:decimet(?:re|er)|millimet(?:re|er))",
    2: "cents?|pence|penny|centavos?|c[eé]ntimos?|centimes?|rappen|[öø]re|grosz[ey]?|hal[eé]ř[ůe]?|kuru[sş]|paisa|paise"
    "|two decimals?|two places|two digits|hundredths?|to the (?:centimet(?:re|er)|centilit(?:re|er))",
    3: "three decimals?|three places|three digits|thousandths?"
    "|to the (?:millimet(?:re|er)|millilit(?:re|er)|gram(?:me)?)",
    4: "four decimals?|four places|four digits",
    5: "five decimals?|five places|five digits",
    6: "six decimals?|six places|six digits",
}
"""How people say to how many places a number is wanted."""
_NAMED = re.compile(r"`([^`\n]{1,200})`|(?<![\w/`.@-])((?:[\w.-]+/)+[\w.-]+\.\w{2,8})(?![\w/])")
_PATTERN = re.compile(r"[*?<>{}\[\]|\s:]")
"""What makes a name a pattern or a placeholder."""


def precision(view: Visible) -> Iterator[Finding]:
    """The request says to how many decimal places the numbers of a deliverable are wanted."""
    asked = " ".join(view.package.request.split()).casefold()
    for deliverable in view.package.hidden.graph.deliverables:
        wanted: dict[int, list[str]] = {}
        for stated, column in _columns(view, deliverable):
            places = stated.places.get(column.name, column.type.places)
            if column.type.kind in ("money", "quantity", "percent") and (places or column.type.places):
                wanted.setdefault(places, []).append(stated.labels[column.name])
        for places, labels in wanted.items():
            if not deliverable.edits and not _said(places).search(asked):
                how = "whole numbers" if places == 0 else f"{places} decimal places"
                yield _finding(
                    "precision",
                    expected=how,
                    message=f"the request does not say to how many places it wants {', '.join(labels)} "
                    f"of {deliverable.path} ({how})",
                )


@cache
def _said(places: int) -> re.Pattern[str]:
    zeros = "0" * places
    digits = (
        rf"|{places} (?:decimal|place|digit)s?|(?<![\d.,])[0-9#x,.]*[.,](?:{zeros}|{zeros[:-1]}1|{'x' * places})(?!\w)"
    )
    return re.compile(rf"(?<!\w)(?:{_PLACES.get(places, '(?!)')})(?!\w)" + (digits if places else ""))


def vocabulary(view: Visible) -> Iterator[Finding]:
    """Each word that a deliverable has to use of a closed list stands somewhere in sight."""
    seen: str | None = None
    for deliverable in view.package.hidden.graph.deliverables:
        for stated, column in _columns(view, deliverable, keys=True):
            relation = view.package.hidden.values[stated.unit]
            at = relation.index[column.name]
            for option in dict.fromkeys(str(row[at]) for row in relation.rows) if column.type.options else ():
                seen = _text(view) if seen is None else seen
                if not re.search(rf"(?<!\w){re.escape(' '.join(option.split()).casefold())}(?!\w)", seen):
                    yield _finding(
                        "vocabulary",
                        expected=option,
                        message=f"nothing says {option!r}, which {deliverable.path} has to say under "
                        f"{stated.labels[column.name]}",
                    )


def wording(view: Visible) -> Iterator[Finding]:
    """Each result that a text has to state is asked for in words that its label has: it is looked for by them."""
    said = [_stems(sentence) for line in view.package.request.splitlines() for sentence in sentences(line)]
    for deliverable in view.package.hidden.graph.deliverables:
        for stated, column in _columns(view, deliverable):
            label = _stems(stated.labels[column.name])
            if stated.form == "prose" and not deliverable.edits and not any(label <= one for one in said):
                yield _finding(
                    "wording",
                    expected=stated.labels[column.name],
                    message=f"no sentence of the request has the words of {stated.labels[column.name]!r}, "
                    f"by which it is looked for in {deliverable.path}",
                )


_JOINING = frozenset(("that", "which", "with", "from", "into", "each", "have", "has", "are", "was", "been", "not"))


def _stems(text: str) -> frozenset[str]:
    """Beginnings of the words of a text, those of two letters and less left out."""
    return frozenset(word[:5].rstrip("s") for word in words(text) if len(word) > 2 and word not in _JOINING)


def _text(view: Visible) -> str:
    texts = (f.text for document in view.documents.values() for f in document.fragments if not f.hidden)
    return " ".join(" ".join(texts).replace("`", " ").split()).casefold()


def _columns(view: Visible, deliverable: Deliverable, *, keys: bool = False) -> Iterator[tuple[Stated, Column]]:
    for stated in deliverable.states:
        unit = view.package.hidden.graph.unit(stated.unit)
        for column in unit.columns:
            if column.name in stated.labels and (keys or column.name not in unit.key):
                yield stated, column


def paths(view: Visible) -> Iterator[Finding]:
    """Each file that the request names is there, or is to be handed in."""
    package = view.package
    there = {*package.files, *view.documents, *(one.path for one in package.hidden.graph.deliverables), "request.md"}
    known = {part.casefold() for path in there for part in (path, path.rpartition("/")[2], *path.split("//"))}
    for match in _NAMED.finditer(package.request):
        name = (match[1] or match[2]).strip().removeprefix("./")
        plain = "." in name.strip(".") and not name.startswith(".") and not _PATTERN.search(name)
        if not plain or by_ending(name) is None or name.casefold() in known:
            continue
        if not any(path.casefold().endswith(f"/{name.casefold()}") for path in there):
            yield Finding(
                check="paths",
                severity="hard",
                defect="executability defect",
                path="request.md",
                found=name,
                message=f"the request names {name}, which is not there and is not to be handed in",
            )


def _finding(check: str, *, expected: str, message: str) -> Finding:
    return Finding(
        check=check,
        severity="hard",
        defect="request under-specification",
        path="request.md",
        expected=expected,
        message=message,
    )
