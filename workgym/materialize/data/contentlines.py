"""Content lines, the common form of calendars and cards (RFC 5545, 3.1; RFC 6350, 3.3): escapes, folds, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workgym.materialize.carrier import Job
from workgym.materialize.marks import Marked, Span
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow

_WHEN = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?$")


def escaped(text: str) -> str:
    """A text value as it is written."""
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def folded(line: str) -> bytes:
    """A content line of at most 75 octets, goes on after CRLF and a space."""
    parts, current = [], b""
    for char in line:
        encoded = char.encode()
        if len(current) + len(encoded) > 75:
            parts.append(current)
            current = b" "
        current += encoded
    return b"\r\n".join([*parts, current]) + b"\r\n"


def items(job: Job, tree: Tree, spec: object, what: str) -> Iterator[tuple[object, str, Mapping[str, object]]]:
    """Each event or card (``what``): its item, its place in the tree, and the row that its templates see, by name."""
    for at, part in enumerate(spec if isinstance(spec, list) else [spec], 1):
        where = f"{what}[{at}]" if isinstance(spec, list) else what
        with located(job.path, where):
            if not isinstance(part, Mapping):
                raise Fault(f"{what}: a list of items, or a mapping with `each` and `item`, is needed")
        if "each" not in part:
            yield part, where, {}
            continue
        with located(job.path, where):
            allow(part, ("each", "as", "item"))
        for row in tree.rows(part["each"], f"{where}.each"):
            yield part.get("item"), f"{where}.item", {str(part.get("as", "row")): row}


def one_kind_of_break(text: Marked) -> Marked:
    """With a line feed for each carriage return: the only line break that a value can hold."""
    return Marked(text.plain.replace("\r", "\n"), text.spans)


def compact(text: Marked) -> tuple[Marked, bool]:
    """A date or moment in the form of the file, its marks moved along, and whether it is a day alone. Raises Fault."""
    match = _WHEN.match(text.plain)
    if match is None:
        raise Fault(f"{text.plain!r} is neither 2026-04-06 nor 2026-04-06T07:30")
    made, places = "", [0] * (len(text.text) + 1)
    for at, char in enumerate(text.plain):
        places[at] = len(made)
        made += "" if char in "-:" else char
    places[-1] = len(made)
    made += "" if match[4] is None or match[6] is not None else "00"
    spans = tuple(Span(places[s.start], places[s.end], s.kind, s.cells) for s in text.spans)
    return Marked(made, spans or (Span(0, len(made), "decor", ()),)), match[4] is None
