"""A solver's view as a prompt tells it: the request, the files and what stands in them, within limits.

The files may be a stranger's: they are read in a limited child, and what they say is put in as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workgym.documents import Document, read_all
from workgym.package import SolverView
from workgym.records.prompts import prompts
from workgym.verify.judging.rendering import view as reading

PROMPTS = prompts(Path(__file__).with_name("prompts"))
FILE = 8_000
"""Characters of one file that are shown; its beginning and its end where there are more."""
ALL = 120_000
"""Characters of all files together; files that come later are only listed. Some 30,000 tokens."""
REQUEST = 20_000
"""Characters of the request that are shown."""
LISTED = 400
"""Files that are listed; of more, the number."""


def task(view: SolverView) -> str:
    """The prompt that shows a task."""
    listed = [f"- {path} ({len(content):,} bytes)" for path, content in sorted(view.files.items())]
    if len(listed) > LISTED:
        listed[LISTED:] = [f"- and {len(listed) - LISTED} more"]
    allowed = (f"{name} {'allowed' if told else 'not allowed'}" for name, told in view.interfaces.permissions.items())
    return PROMPTS["task"].render(
        request=view.request[:REQUEST],
        files="\n".join(listed) or "There are none.",
        interfaces=", ".join((*view.interfaces.tools, *allowed)),
        contents="\n\n".join(_contents(view)),
    )


def _contents(view: SolverView) -> Iterator[str]:
    room = ALL
    for path, found in read_all(dict(sorted(view.files.items()))).items():
        if not isinstance(found, Document):
            yield f"## {path}\n\nIt cannot be read: {found.reason}."
            continue
        shown = reading(found, withhold=False, longest=min(FILE, room)) if room > 0 else None
        if shown is None:
            yield f"## {path}\n\nIt is not shown here: the files are too long together."
            continue
        room -= len(shown.text)
        pictures = f" Pages {', '.join(found.pictures)} are pictures." if found.pictures else ""
        yield f"## {path}\n\n({shown.note}.{pictures})\n\n{shown.text}"
