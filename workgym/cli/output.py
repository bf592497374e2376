"""What the command line prints: results on standard output, progress on standard error, JSON where it is asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any


class Output:
    """Prints for people, or one JSON document for programs."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def say(self, line: str = "") -> None:
        """A line of the result, for people only."""
        if not self.as_json:
            print(line)

    def progress(self, line: str) -> None:
        """What is being done now; overwritten on a terminal, a line of its own elsewhere."""
        if sys.stderr.isatty():
            print(f"\r\x1b[2K{line[:110]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clear the line of progress."""
        if sys.stderr.isatty():
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)

    def result(self, data: Any) -> None:
        """The result for programs."""
        if self.as_json:
            print(json.dumps(data, indent=1, ensure_ascii=False, default=str))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Columns aligned to their widest cell."""
        texts = [[str(cell) for cell in row] for row in (head, *rows)]
        widths = [max(len(row[place]) for row in texts) for place in range(len(head))]
        for number, row in enumerate(texts):
            self.say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
            if number == 0:
                self.say("  ".join("-" * width for width in widths))
