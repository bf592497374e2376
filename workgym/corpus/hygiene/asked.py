"""Which texts of a table's rows are requests: what stands under a known name, at any depth, and users' words in chats.

Nothing is guessed from what a text says. A table with texts that could be a request, and none of them under a known
name, is told with its columns, so that somebody can name the one that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workgym.corpus.hygiene.requests import SHORT
from workgym.intents.dedup.words import words

_NAMES = """
    prompt prompts prompt_text user_prompt task_prompt request requests request_text user_request task_request
    instruction instructions user_instruction task_instruction task_instructions task tasks task_description task_text
    question questions question_text user_question query queries query_text user_query problem problems
    problem_statement problem_description input inputs user_input message messages user_message
    conversation conversations dialogue dialog chat goal user_goal intent user_intent objective task_objective
"""
FIELDS = frozenset(_NAMES.replace("_", "").split())
"""Names of columns whose texts are requests; letter case, blanks, ``_`` and ``-`` aside."""
_MARKS = re.compile(r"[\s_-]+")
_SAYS = ("role", "from")
_SAID = ("content", "value", "text")
_PEOPLE = ("user", "human")
_SHOWN = 12


def plain(name: str) -> str:
    """A column's name as it is compared."""
    return _MARKS.sub("", name).casefold()


@dataclass
class Reading:
    """The requests of one table, and which of its rows have none."""

    columns: Collection[str]
    """Names that were given beside the known ones, as they are compared."""
    most: int
    """Characters of a text that are taken."""
    found: list[tuple[str, str]] = field(default_factory=list)
    """Place and text of each."""
    met: set[str] = field(default_factory=set)
    """Those of ``columns`` that are there."""
    rows: int = 0
    """Rows that were looked at."""
    _without: int = 0
    _first: str = ""
    _names: dict[str, None] = field(default_factory=dict)
    _long: bool = False
    _other: dict[str, None] = field(default_factory=dict)

    def take(self, place: str, row: Any, *, around: bool = False) -> None:
        """Look at a row. What stands ``around`` rows needs no request where one of them has one."""
        self.rows += not around
        texts = list(self._asked(row))
        self.found += [(place, text[: self.most]) for text in texts if text.strip()]
        self._long = self._long or any(_long(text) for text in texts)
        if not self._long and _wordy(row):
            self._other |= dict.fromkeys(_columns(row))
        if not texts and not (around and self.found) and _wordy(row):
            self._first = self._first or place
            self._without += 1
            self._names |= dict.fromkeys(_columns(row))

    @property
    def unread(self) -> str:
        """Why it is not known what the table asks for; empty where that is known."""
        if self._without:
            some = f"{self._without:,} of {self.rows:,} rows ({self._first} first) have" if self.found else "it has"
            return f"{some} no column that is known to hold requests, but {_listed(self._names)}"
        if not self._long and self._other and not self.met:
            return f"no request in it has {SHORT} words, but other texts of it do; it has {_listed(self._other)}"
        return ""

    def knows(self, path: str) -> bool:
        """Whether a part of a column's path is a known name."""
        return any(plain(name) in FIELDS or plain(name) in self.columns for name in path.split("."))

    def _asked(self, value: Any) -> Iterator[str]:
        """The texts of a record that are requests; an empty one where a known name has none."""
        if isinstance(value, list):
            if is_chat(value):
                yield from _conversation(value)
            else:
                for one in value:
                    yield from self._asked(one)
        elif isinstance(value, dict):
            if _is_message(value):
                yield _said(value) if _by_user(value) else ""
                return
            for name, inner in value.items():
                known = plain(name) if isinstance(name, str) else ""
                if known in self.columns:
                    self.met.add(known)
                    yield from _texts(inner)
                elif known in FIELDS:
                    yield from self._under(inner)
                else:
                    yield from self._asked(inner)

    def _under(self, value: Any) -> Iterator[str]:
        """The requests in what stands under a known name."""
        if isinstance(value, dict) and not _is_message(value):
            found = list(self._asked(value))
            yield from found or _texts(value)
        elif isinstance(value, list) and not is_chat(value, told=False):
            for one in value:
                yield from _texts(one) if isinstance(one, str | bytes) else self._asked(one)
        elif isinstance(value, list | dict):
            yield from _conversation(value if isinstance(value, list) else [value])
        else:
            yield from _texts(value)


def is_records(value: Any) -> bool:
    """Whether it is a list of records, as a table is, and no conversation."""
    return isinstance(value, list) and all(isinstance(one, dict) for one in value or [None]) and not is_chat(value)


def is_chat(value: Any, *, told: bool = True) -> bool:
    """Whether it is a list of messages; each says who speaks unless it is not ``told``, and then it is the user."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(_is_message(one) or (not told and isinstance(one, dict) and "content" in one) for one in value)
    )


def _texts(value: Any) -> Iterator[str]:
    """Every text in it; an empty one for nothing."""
    if value is None:
        yield ""
    elif isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, list) and is_chat(value) and (said := list(_conversation(value))):
        yield from said
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else value.values():
            yield from _texts(one) if one is not None else ()


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and any(isinstance(value.get(name), str) for name in _SAYS)
        and any(name in value for name in _SAID)
    )


def _by_user(message: dict[str, Any]) -> bool:
    return next((message[name] for name in _SAYS if isinstance(message.get(name), str)), "user").lower() in _PEOPLE


def _said(message: dict[str, Any]) -> str:
    said = next((message[name] for name in _SAID if name in message), "")
    parts = said if isinstance(said, list) else [said]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _conversation(value: list[Any]) -> Iterator[str]:
    """What the user says in a list of messages, as one text."""
    said = "\n".join(filter(None, (_said(one) for one in value if _by_user(one))))
    if said:
        yield said


def _long(text: str) -> bool:
    return len(words(text[:2000])) >= SHORT


def _wordy(value: Any) -> bool:
    """Whether a text in it is long enough to be told as a copy."""
    return any(_long(text) for text in _texts(value))


def _columns(row: Any) -> Iterator[str]:
    names = [name for name in row if isinstance(name, str)] if isinstance(row, dict) else []
    yield from (" ".join(name.split())[:40] for name in names) if names else ("texts without a name",)


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return f"{', '.join(listed[:_SHOWN])}{more}: name the one that does (--column NAME)"
