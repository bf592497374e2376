"""Carriers of a family file: files of the workspace, and pages of an offline site, which have a ``url`` for a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from workgym.plan import PageSpec
from workgym.records import PageState, Record, WebAccess, page_path
from workgym.records.formats import FORMATS, by_ending

Problem = tuple[tuple[str | int, ...], str]
"""The keys where something is wrong, and what."""


class CarrierSpec(Record):
    """One carrier, or one for each row of a unit."""

    path: str = ""
    """Path; where ``each`` is given, columns of its row stand in braces: ``quotes/{supplier}/quotation.pdf``."""
    url: str = ""
    """In place of a path the address of a page that web tools find: ``https://rates.example/reference/march``."""
    state: PageState = "live"
    """What happens when the page is fetched: ``dead`` is gone, ``slow`` never answers, ``moved`` leads elsewhere."""
    moved_to: str = ""
    """Where a moved page is found now."""
    title: str = ""
    """What a person would call it."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor holds no needed value."""
    each: str | None = None
    """A unit: one file for each of its rows; or ``unit where ...``."""
    template: str | None = None
    """Prose: a file of the family's ``templates/``."""
    content: Any = None
    """Structured formats: a tree; see ``docs/families.md``."""
    after: tuple[str, ...] = ()
    """Paths or addresses of carriers that are written before this one."""


def placed(written: str) -> str:
    """The path of a carrier that is named by its path or by its address. Raises ValueError for a wrong address."""
    return page_path(written) if "://" in written else written


def site_problems(carriers: Sequence[CarrierSpec], external: Iterable[str], web: WebAccess | None) -> Iterator[Problem]:
    """What is wrong with the pages of a family, and with those who need them: the external units, by name."""
    for number, carrier in enumerate(carriers):
        for key, message in _page_problems(carrier):
            yield ("carriers", number, *key), message
    if any(carrier.url for carrier in carriers):
        return
    for name in external:
        yield ("units", name, "status"), "is external, and no carrier has a `url` where it could be found"
    if web is not None:
        yield ("web",), "says how web tools work, and no carrier has a `url`"


def file_problems(carriers: Sequence[CarrierSpec], deliverables: Iterable[str]) -> Iterator[Problem]:
    """What is wrong with the paths of files, and with what they are written from."""
    for path in deliverables:
        if leaves(path):
            yield ("deliverables", path), "leaves the workspace"
    for number, carrier in enumerate(carriers):
        if carrier.url:
            continue
        form, here = by_ending(carrier.path), ("carriers", number)
        if leaves(carrier.path):
            yield (*here, "path"), f"{carrier.path} leaves the workspace"
        elif form is None:
            ending = carrier.path.rpartition(".")[2].lower()
            yield (*here, "path"), f"no writer for .{ending}; use one of {', '.join(FORMATS)}"
        elif form.source == "tree" and carrier.content is None:
            yield here, f"a {form.name} file is written from a `content`, and there is none"
        elif form.source == "template" and carrier.template is None:
            yield here, f"a {form.name} file is written from a `template`, and there is none"


def leaves(path: str) -> bool:
    """Whether a path is not one of a file below the folder that it is in."""
    return "\\" in path or bool({"", ".", ".."} & {*path.split("/")})


def _page_problems(carrier: CarrierSpec) -> Iterator[Problem]:
    if bool(carrier.url) == bool(carrier.path):
        yield (), "needs either a path in the workspace or the url of a page"
        return
    if not carrier.url:
        for key in ("state", "moved_to"):
            if key in carrier.model_fields_set:
                yield (key,), "is a matter of pages, and this carrier has no `url`"
        return
    for key, written in (("url", carrier.url), ("moved_to", carrier.moved_to)):
        wrong = _wrong(written.replace("{", "").replace("}", "") if carrier.each else written) if written else None
        if wrong is not None:
            yield (key,), wrong
    if carrier.content is not None:
        yield ("content",), "a page is prose: write it as a `template`"
    if carrier.state == "moved" and not carrier.moved_to:
        yield ("state",), "a page that has moved says by `moved_to` where it is found now"
    if carrier.state != "moved" and carrier.moved_to:
        yield ("moved_to",), "only a page with `state: moved` is found elsewhere"


def _wrong(url: str) -> str | None:
    try:
        page_path(url)
    except ValueError as error:
        return str(error)
    return None


def page(carrier: CarrierSpec) -> PageSpec | None:
    """What the plan says of a carrier that is a page; None for a file."""
    if not carrier.url:
        return None
    return PageSpec(state=carrier.state, moved_to=page_path(carrier.moved_to) if carrier.moved_to else None)
