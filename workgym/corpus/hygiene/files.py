"""Which files are the same: by their bytes, by their words, by their table rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from workgym.corpus.hygiene.extracts import Extract
from workgym.corpus.hygiene.held import Held
from workgym.corpus.hygiene.model import Kind, Match, Settings, pair_name
from workgym.corpus.hygiene.words import excerpt

COMMON = 20
"""A row in more of their files than this tells nothing."""
FEWEST = 3
"""Rows in common from which a table is told."""
_SHOWN = 3


class Files:
    """Their files, to be compared with ours one by one."""

    def __init__(self, theirs: Iterable[tuple[Held, Extract]], settings: Settings) -> None:
        self._settings = settings
        self._bytes: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._rows: dict[str, list[int]] = defaultdict(list)
        self._tables: list[tuple[str, str, int]] = []
        self.refused: dict[str, str] = {}
        """Theirs that could not be read, by name."""
        self.texts = self.rows = 0
        """How many of theirs have a text, and how many distinctive rows there are."""
        for file, extract in theirs:
            self._add(file, extract)

    def _add(self, file: Held, extract: Extract) -> None:
        if extract.refused:
            self.refused[file.name] = extract.refused
        if extract.digest and file.size:
            self._bytes.setdefault(extract.digest, file.name)
        if extract.text:
            self.texts += 1
        if extract.words >= self._settings.words:
            self._texts.setdefault(extract.text, file.name)
        for row in extract.rows:
            self._rows[row].append(len(self._tables))
        self.rows += len(extract.rows)
        self._tables.append((file.name, extract.digest, len(extract.rows)))

    def same(self, file: Held, extract: Extract) -> Iterator[Match]:
        """What a file of ours has in common with theirs: the strongest of the three, and with whom."""
        if extract.digest in self._bytes:
            yield self._copy(
                "file copy", file, self._bytes[extract.digest], extract.digest, "the files are equal bytes"
            )
        elif extract.text in self._texts:
            reason = f"the same {extract.words:,} words in their order, in other bytes"
            yield self._copy("text copy", file, self._texts[extract.text], extract.text, reason)
        else:
            yield from self._shared(file, extract)

    def _copy(self, kind: Kind, file: Held, theirs: str, digest: str, reason: str) -> Match:
        return Match(
            pair=pair_name(kind, digest, digest),
            kind=kind,
            severity="hard",
            ours=file.name,
            theirs=theirs,
            share=1.0,
            reason=reason,
        )

    def _shared(self, file: Held, extract: Extract) -> Iterator[Match]:
        telling = [row for row in extract.rows if 0 < len(self._rows.get(row, ())) <= COMMON]
        counts = Counter(number for row in telling for number in self._rows[row])
        if len(telling) < FEWEST:
            return
        number, count = max(counts.items(), key=lambda item: (item[1], -item[0]))
        theirs, digest, size = self._tables[number]
        here, there = len(telling) / len(extract.rows), count / size
        copied = max(here, there) >= 0.5 and len(telling) >= self._settings.rows
        rows = [row for row in telling if number in self._rows[row]]
        yield Match(
            pair=pair_name("table rows", extract.digest, digest),
            kind="table rows",
            severity="hard" if copied else "soft",
            ours=file.name,
            theirs=theirs,
            share=max(here, there),
            reason=f"{count:,} distinctive rows stand in both, {there:.0%} of theirs; {here:.0%} of ours somewhere",
            here="\n".join(excerpt(row, 160) for row in rows[:_SHOWN]),
        )
