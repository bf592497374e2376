"""Prompts: texts in files that people can read and review, with named places for values.

A place is ``{{name}}``. A value is put in as it is and never looked at again, so that no text of a task can open a
place of its own. A prompt that is rendered gets exactly the values that it names: one too many or too few is an error,
so that nothing is passed that nobody sees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")


@dataclass(frozen=True)
class Prompt:
    """One prompt."""

    name: str
    """What an error calls it: its file."""
    text: str
    """The text with its places."""

    @classmethod
    def read(cls, file: Path) -> Prompt:
        """The prompt in a file, without the line break at its end."""
        return cls(f"{file.parent.parent.name}/{file.parent.name}/{file.name}", file.read_text("utf-8").rstrip("\n"))

    @property
    def places(self) -> frozenset[str]:
        """Names of the values that it wants."""
        return frozenset(_PLACE.findall(self.text))

    def render(self, **values: object) -> str:
        """The text with its values. Raises ValueError where they are not exactly those that it names."""
        if values.keys() != self.places:
            wrong = ", ".join(sorted(values.keys() ^ self.places))
            raise ValueError(f"{self.name}: values and places differ in: {wrong}")
        return _PLACE.sub(lambda match: str(values[match[1]]), self.text)


def prompts(folder: Path) -> dict[str, Prompt]:
    """All prompts (``*.md``) of a folder, by name."""
    return {file.stem: Prompt.read(file) for file in sorted(folder.glob("*.md"))}
