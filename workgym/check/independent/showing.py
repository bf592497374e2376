"""A solver's view as a prompt tells it: the request, files and web pages, and what stands in them, within limits.

They may be a stranger's: they are read in a limited child, and what they say is put in as it is.
"""

from __future__ import annotations

from pathlib import Path

from workgym.documents import Document, read_all
from workgym.env.web import NAMES
from workgym.package import SolverView
from workgym.package.pages import body, card
from workgym.plan import PageSpec
from workgym.records import page_path
from workgym.records.prompts import prompts
from workgym.verify.judging.rendering import View, bounded
from workgym.verify.judging.rendering import view as reading

PROMPTS = prompts(Path(__file__).with_name("prompts"))
FILE = 8_000
"""Characters of one file or page that are shown; its beginning and its end where there are more."""
ALL = 120_000
"""Characters of all files and pages together; what comes later is only listed. Some 30,000 tokens."""
REQUEST = 20_000
"""Characters of the request that are shown."""
LISTED = 400
"""Files that are listed; of more, the number."""


def desk(view: SolverView) -> str:
    """What a script has to work with: the web, too, where the task has any."""
    return "\n\n".join(PROMPTS[name].text for name in ("desk", *(["web"] if view.external else [])))


def task(view: SolverView) -> str:
    """The prompt that shows a task."""
    listed = [f"- {path} ({len(content):,} bytes)" for path, content in sorted(view.files.items())]
    if len(listed) > LISTED:
        listed[LISTED:] = [f"- and {len(listed) - LISTED} more"]
    allowed = (f"{name} {'allowed' if told else 'not allowed'}" for name, told in view.interfaces.permissions.items())
    return PROMPTS["task"].render(
        request=view.request[:REQUEST],
        files="\n".join(listed) or "There are none.",
        interfaces=", ".join((*view.interfaces.tools, *(NAMES if view.external else ()), *allowed)),
        contents=_contents(view),
    )


def _contents(view: SolverView) -> str:
    pages = {page_path(url): url for url in sorted(view.external)}
    given = {**dict(sorted(view.files.items())), **{path: view.external[url] for path, url in pages.items()}}
    parts: dict[bool, list[str]] = {False: [], True: []}
    room = ALL
    for path, found in read_all(given).items():
        of_web = path in pages
        said = f"## {pages.get(path, path)}\n\n"
        longest = min(FILE, room)
        if not isinstance(found, Document):
            said += f"It cannot be read: {found.reason}."
        elif longest <= 0:
            said += f"It is not shown here: the {'pages and files' if of_web else 'files'} are too long together."
        else:
            shown = _page(found, longest) if of_web else reading(found, withhold=False, longest=longest)
            room -= len(shown.text)
            pictures = f" Pages {', '.join(found.pictures)} are pictures." if found.pictures else ""
            said += f"({shown.note}.{pictures})\n\n{shown.text}"
        parts[of_web].append(said)
    files, web = ("\n\n".join(parts[of_web]) for of_web in (False, True))
    return f"{files}\n\n{PROMPTS['pages'].render(pages=web)}" if web else files


def _page(found: Document, longest: int) -> View:
    """A page as the web tools show it: title, date, text."""
    told = card(PageSpec(), found)
    dated = [f"Published: {told.published}"] if told.published else []
    return bounded("\n".join((told.title, *dated, *body(found))), withhold=False, longest=longest)
