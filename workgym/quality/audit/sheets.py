"""The file that people label: written as YAML or CSV by its ending, and read again with every mistake named.

Only ``item``, ``label`` and ``note`` are read back: what was shown may be edited without harm. Names of items begin
with a letter, so that no spreadsheet takes one for a number, and cells that a spreadsheet would compute are quoted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from workgym.errors import UsageError
from workgym.quality.audit.cards import Card
from workgym.quality.audit.population import Draw
from workgym.records.yaml12 import read_yaml

FIELDS = tuple(Card.model_fields)
YES = frozenset(("yes", "y", "true", "1"))
NO = frozenset(("no", "n", "false", "0"))
_NONE = frozenset(("", "?", "null", "~"))
_HEAD = """\
# Answer each question with yes or no behind "label:", by what the deliverable says and not by how it looks.
# Leave it empty where you cannot tell: it is left out. "file" is a copy of what was handed in, to be opened.
# "place" and "found" say where the grader looked and what it read there; they do not say how it decided.
# Then: workgym audit DIR... --labels THIS-FILE
"""


class Label(NamedTuple):
    """What a person says of one item."""

    holds: bool
    """Whether what is asked holds."""
    note: str
    """What they noted."""


class Labels(NamedTuple):
    """A file of labels."""

    draw: Draw
    """How its sample was drawn."""
    given: Mapping[str, Label]
    """By item; those that nobody labelled are absent."""
    items: frozenset[str]
    """All items of the file."""


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are, and nothing for None."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _nothing(dumper: yaml.SafeDumper, _: None) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:null", "")


_Dumper.add_representer(str, _text)
_Dumper.add_representer(type(None), _nothing)


def ending(path: Path) -> str:
    """``yaml`` or ``csv``. Raises UsageError for another one."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("yaml", "yml", "csv"):
        raise UsageError(f"{path}: labels are kept as YAML or CSV", fix="name it labels.yaml or labels.csv")
    return "csv" if kind == "csv" else "yaml"


def write(path: Path, draw: Draw, shown: Iterable[Card]) -> None:
    """Write the file. Raises UsageError for an ending that is none of ours, or where it is there already."""
    kind = ending(path)
    rows = [card.model_dump() for card in shown]
    text = _csv(draw, rows) if kind == "csv" else _yaml(draw, rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already, and may hold labels", fix="name another file (-o)") from None


def _yaml(draw: Draw, rows: list[dict[str, Any]]) -> str:
    tidy = [{name: _tidy(value) for name, value in row.items()} for row in rows]
    data = {"draw": str(draw), "items": tidy}
    dumped = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return _HEAD + dumped.replace("\n- item:", "\n\n- item:")


def _tidy(value: Any) -> Any:
    """A text without blanks at the ends of its lines: YAML shows it as it is then."""
    return "\n".join(line.rstrip() for line in value.splitlines()) if isinstance(value, str) else value


def _csv(draw: Draw, rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(("draw", *FIELDS))
    for row in rows:
        writer.writerow((str(draw), *(_quoted(row[name]) for name in FIELDS)))
    return out.getvalue()


def _quoted(value: str | None) -> str:
    """A cell that no spreadsheet computes: text that looks like a formula gets an apostrophe."""
    text = value or ""
    if text[:1] in ("=", "+", "-", "@", "\t") and not text.lstrip("+-").replace(",", "").replace(".", "").isdigit():
        return f"'{text}"
    return text


def read(path: Path) -> Labels:
    """The labels in a file. Raises UsageError with file, item and key for whatever is wrong with it."""
    kind = ending(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start})", fix="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    draw, rows = _from_csv(path, text) if kind == "csv" else _from_yaml(path, text)
    given: dict[str, Label] = {}
    items: set[str] = set()
    for number, row in enumerate(rows, 1):
        item = row.get("item")
        if not isinstance(item, str) or not item:
            raise UsageError(f"{path}: entry {number}: item: its name is missing")
        if item in items:
            raise UsageError(f"{path}: {item}: item: it stands twice")
        unknown = sorted(str(name) for name in row if name not in FIELDS)
        if unknown:
            raise UsageError(f"{path}: {item}: {unknown[0]}: no such key", fix=f"keep {', '.join(FIELDS)}")
        items.add(item)
        holds = _answer(path, item, row.get("label"))
        if holds is not None:
            given[item] = Label(holds, str(row.get("note") or ""))
    return Labels(draw, given, frozenset(items))


def _answer(path: Path, item: str, label: Any) -> bool | None:
    """What a label says; None where it is left open."""
    said = "" if label is None else str(label).strip().lower()
    if said in _NONE:
        return None
    if said not in YES | NO:
        raise UsageError(f"{path}: {item}: label: {str(label)[:60]!r} is neither yes nor no", fix="or leave it empty")
    return said in YES


def _from_yaml(path: Path, text: str) -> tuple[Draw, list[dict[str, Any]]]:
    data = read_yaml(text, str(path))
    if not isinstance(data, dict) or set(data) != {"draw", "items"}:
        raise UsageError(f"{path}: draw: a file of labels holds 'draw' and 'items', and nothing else")
    rows = data["items"]
    if not isinstance(rows, list):
        raise UsageError(f"{path}: items: not a list")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise UsageError(f"{path}: entry {number}: not a mapping with 'item' and 'label'")
    return _drawn(path, data["draw"]), rows


def _from_csv(path: Path, text: str) -> tuple[Draw, list[dict[str, Any]]]:
    first = text.partition("\n")[0]
    rows = list(
        csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    )
    if not rows or "draw" not in rows[0] or "item" not in rows[0] or "label" not in rows[0]:
        raise UsageError(f"{path}: the columns draw, item and label have to be there")
    draws = {str(row.pop("draw")) for row in rows}
    if len(draws) > 1:
        raise UsageError(f"{path}: draw: the rows are of {len(draws)} samples", fix="label each sample in its own file")
    for row in rows:
        if None in row:
            raise UsageError(f"{path}: {row.get('item')}: there are more cells than columns")
    return _drawn(path, draws.pop()), [dict(row) for row in rows]


def _drawn(path: Path, text: Any) -> Draw:
    draw = Draw.parse(str(text))
    if draw is None:
        raise UsageError(
            f"{path}: draw: {str(text)[:60]!r} is not what workgym audit wrote", fix="draw the sample anew"
        )
    return draw
