"""The review queue: pairs that a person should look at, in a file that keeps what they say.

YAML or CSV by its ending. A pair is known by both contents, so that a decision holds wherever the files lie, and is
honoured by every later run: *same* makes the pair a hard one, *different* takes it from the list, *unsure* leaves it.
What people wrote is never lost: decided pairs stay in the file, also when the corpus no longer holds them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml

from workgym.corpus.hygiene.model import Judged, Match
from workgym.errors import UsageError
from workgym.records import Record
from workgym.records.whole import write_whole
from workgym.records.yaml12 import read_yaml

JUDGED: tuple[Judged, ...] = get_args(Judged)
_HEAD = """\
# Pairs of a task of ours and an evaluation task, the nearest first. Write behind "decision:" same, different or unsure,
# and who you are, when it was and why, as you like. Nothing else has to be touched; leave open what you do not judge.
# The next run keeps what stands here: "same" is then an error of the corpus, "different" is told no more.
"""


class Entry(Record):
    """One pair in the file."""

    pair: str
    """Its name."""
    decision: str = ""
    """What a person says: ``same``, ``different``, ``unsure``; empty where nobody did."""
    who: str = ""
    """Who said it."""
    when: str = ""
    """When, in any form."""
    note: str = ""
    """Why."""
    kind: str = ""
    """What they have in common."""
    share: str = ""
    """How much, as a percentage."""
    ours: str = ""
    """The task of the corpus."""
    theirs: str = ""
    """The evaluation task."""
    reason: str = ""
    """Why it is asked about."""
    here: str = ""
    """How ours begins, or the rows in common."""
    there: str = ""
    """How theirs begins."""

    @property
    def by(self) -> str:
        """The decision with all that was written beside it, as one line."""
        said = ", ".join(part for part in (self.who, self.when) if part)
        return f"decided {self.decision}" + (f" by {said}" if said else "") + (f" ({self.note})" if self.note else "")


FIELDS = tuple(Entry.model_fields)
_PEOPLES = ("decision", "who", "when", "note")


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are, and nothing for an empty one."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if not text:
        return dumper.represent_scalar("tag:yaml.org,2002:null", "")
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def read(path: Path) -> dict[str, Entry]:
    """The pairs of a file, by name; none where there is no file yet. Raises UsageError with file, pair and key."""
    kind = _ending(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start})", fix="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    found: dict[str, Entry] = {}
    for number, row in enumerate(_from_csv(path, text) if kind == "csv" else _from_yaml(path, text), 1):
        entry = _entry(path, number, row)
        if entry.pair in found:
            raise UsageError(f"{path}: {entry.pair}: pair: it stands twice")
        found[entry.pair] = entry
    return found


def write(path: Path, known: Mapping[str, Entry], asked: Iterable[Match]) -> int:
    """Write the pairs that are asked about, then all that were decided before; returns how many are open.

    The file is replaced at once, so that a run that is killed leaves the old one.
    """
    kind = _ending(path)
    entries: dict[str, Entry] = {}
    for match in asked:
        entries[match.pair] = _of(match, known.get(match.pair))
    for name, entry in known.items():
        if name not in entries and any(getattr(entry, field) for field in _PEOPLES):
            entries[name] = entry
    ordered = sorted(entries.values(), key=lambda entry: entry.decision != "")
    rows = [entry.model_dump() for entry in ordered]
    write_whole(path, _csv(rows) if kind == "csv" else _yaml(rows))
    return sum(not entry.decision for entry in ordered)


def _of(match: Match, known: Entry | None) -> Entry:
    said = {name: getattr(known, name) for name in _PEOPLES} if known else {}
    return Entry(
        pair=match.pair,
        kind=match.kind,
        share=f"{match.share:.0%}",
        ours=match.ours,
        theirs=match.theirs,
        reason=match.reason,
        here=_tidy(match.here),
        there=_tidy(match.there),
        **said,
    )


def _tidy(text: str) -> str:
    """A text that YAML shows as it is: no blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


def _ending(path: Path) -> str:
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("yaml", "yml", "csv"):
        raise UsageError(f"{path}: a queue is kept as YAML or CSV", fix="name it queue.yaml or queue.csv")
    return "csv" if kind == "csv" else "yaml"


def _entry(path: Path, number: int, row: Any) -> Entry:
    if not isinstance(row, dict):
        raise UsageError(f"{path}: entry {number}: not a mapping with 'pair' and 'decision'")
    told = {str(name): "" if value is None else str(value).strip() for name, value in row.items()}
    if not told.get("pair"):
        raise UsageError(f"{path}: entry {number}: pair: its name is missing")
    unknown = sorted(told.keys() - set(FIELDS))
    if unknown:
        raise UsageError(f"{path}: {told['pair']}: {unknown[0]}: no such key", fix=f"keep {', '.join(FIELDS)}")
    decision = told.get("decision", "").lower()
    if decision and decision not in JUDGED:
        said = told["decision"][:60]
        raise UsageError(
            f"{path}: {told['pair']}: decision: {said!r} is none of {', '.join(JUDGED)}", fix="or leave it"
        )
    return Entry(**{**told, "decision": decision})


def _from_yaml(path: Path, text: str) -> list[Any]:
    data = read_yaml(text, str(path))
    if data is None:
        return []
    if not isinstance(data, dict) or set(data) != {"pairs"} or not isinstance(data["pairs"] or [], list):
        raise UsageError(f"{path}: pairs: a queue holds a list 'pairs', and nothing else")
    return list(data["pairs"] or [])


def _from_csv(path: Path, text: str) -> list[Any]:
    first = text.partition("\n")[0]
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ","))
    for number, row in enumerate(rows, 1):
        if None in row:
            raise UsageError(f"{path}: entry {number}: there are more cells than columns")
    return [{name: _bare(value) for name, value in row.items()} for row in rows]


def _yaml(rows: list[dict[str, str]]) -> str:
    dumped = yaml.dump({"pairs": rows}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return _HEAD + dumped.replace("\n- pair:", "\n\n- pair:")


def _csv(rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(FIELDS)
    writer.writerows([_quoted(row[name]) for name in FIELDS] for row in rows)
    return out.getvalue()


def _quoted(text: str) -> str:
    """A cell that no spreadsheet computes: text that looks like a formula gets an apostrophe."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "'") else text


def _bare(text: str | None) -> str:
    return (text or "").removeprefix("'")
