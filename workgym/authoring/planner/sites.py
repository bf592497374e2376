"""Pages of a planned task's offline site: what is wrong with them, and the frame that a page is written in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from workgym.authoring.planner.artifacts import PageDraft
from workgym.authoring.planner.forms import GraphDraft
from workgym.authoring.planner.limits import LONGEST_PATH
from workgym.authoring.planner.records import External, Problem
from workgym.plan import ArtifactSpec, PageSpec
from workgym.records import PageCard, page_path, page_url

_FRAME = ("---", 'published: "{published}"', "letterhead: true", 'company: "{company}"', "---")
_LINE = re.compile(r"\bline (\d+)")


def status_problems(draft: GraphDraft, external: External) -> Iterator[Problem]:
    """External units where a task may have none, and none where it must have one."""
    outside = [unit for unit in draft.units if unit.status == "external"]
    if external == "never":
        for unit in outside:
            fix = "make it provided, and print it in a file"
            yield _problem(f"units.{unit.name[:60]}.status", "this task has no web tools", fix, code="external")
    elif external == "must" and not any(unit.role == "needed" for unit in outside):
        fix = "make what an outside body would publish `external`, such as a rate, a tariff or a regulation"
        yield _problem(
            "units", "nothing that is needed stands on the web, and this task wants it", fix, code="external"
        )


def named(page: PageDraft | ArtifactSpec) -> str:
    """The place of a page in a draft, as problems name it."""
    return f"pages.{(page.url if isinstance(page, PageDraft) else page_url(page.path))[:160]}"


def address_problem(page: PageDraft, url: str) -> Problem | None:
    """What is wrong with one of a page's addresses."""
    wrong = _wrong(url)
    if wrong is None and len(url) > LONGEST_PATH:  # it becomes a path on disk
        return _problem(f"{named(page)}.url", f"is longer than {LONGEST_PATH} characters", "choose a shorter one")
    return None if wrong is None else _problem(f"{named(page)}.url", wrong, "all hosts are invented")


def _wrong(url: str) -> str | None:
    try:
        page_path(url)
    except ValueError as error:
        return str(error)
    return None


def page_problems(
    pages: Sequence[PageDraft], sites: Mapping[str, str], specs: Sequence[ArtifactSpec]
) -> Iterator[Problem]:
    """What is wrong with each page, and with each host; ``specs`` are those that could be made."""
    for host in sites:
        if (wrong := _wrong(f"https://{host}/")) is not None:
            yield _problem(f"sites.{host[:120]}", wrong, "all hosts are invented")
    live = {spec.path for spec in specs if spec.page and spec.page.state == "live"}
    for page in pages:
        yield from _host(page, sites)
        yield from _state(page, live)
        if page.template.lstrip().startswith("---"):
            fix = "give `published`, say in `sites` who runs the host, and begin the text with # and its title"
            yield _problem(f"{named(page)}.template", "a page has no front matter of its own", fix)


def _host_of(page: PageDraft) -> str:
    return page.url.removeprefix("https://").partition("/")[0]


def _host(page: PageDraft, sites: Mapping[str, str]) -> Iterator[Problem]:
    host = _host_of(page)
    if "{" in host:
        yield _problem(
            f"{named(page)}.url", "columns in braces stand behind the host", "name one host, and who runs it"
        )
    if _wrong(f"https://{host}/") is None and not sites.get(host, "").strip():
        known = f", or use one that is there: {', '.join(list(sites)[:8])}" if sites else ""
        yield _problem(named(page), f"nobody is said to run {host[:120]}", f"name it in `sites`{known}")


def _state(page: PageDraft, live: Collection[str]) -> Iterator[Problem]:
    if page.state != "live" and page.role == "needed":
        fix = "make it live, or a distractor whose values stand elsewhere"
        yield _problem(f"{named(page)}.state", f"a {page.state} page shows nothing, and this one is needed", fix)
    if page.state != "moved":
        if page.moved_to:
            yield _problem(f"{named(page)}.moved_to", "only a page with `state: moved` is found elsewhere")
        return
    wrong = _wrong(page.moved_to)
    if wrong is not None:
        yield _problem(f"{named(page)}.moved_to", wrong, "give the address of a live page")
    elif page_path(page.moved_to) not in live:
        message = f"no live page is at {page.moved_to[:160]}"
        yield _problem(f"{named(page)}.moved_to", message, "give the address of a live page")


def twice(specs: Iterable[ArtifactSpec]) -> Iterator[Problem]:
    """Pages with one address, case and ending aside, pages that are a folder too, and pages that are a file."""
    given: dict[str, ArtifactSpec] = {}
    for spec in specs:
        other = given.setdefault(spec.path.casefold(), spec)
        if spec.page is not None and other is not spec:
            whose = "is there twice" if other.page is not None else f"is the file {other.path}, too"
            yield _problem(named(spec), whose, "give each page an address of its own")
    for spec in given.values():
        if spec.page is not None and any(path.startswith(f"{spec.path.casefold()}/") for path in given):
            yield _problem(named(spec), "is a page and a folder at once", "give it another address")


def missing(pages: Sequence[PageDraft], external: Sequence[str]) -> Iterator[Problem]:
    """External units without a page that opens, and pages without an external unit."""
    if external and not any(page.state == "live" for page in pages):
        message = f"{', '.join(external[:8])}: external, and there is no page that opens"
        yield _problem("pages", message, "write the pages where it is found")
    if pages and not external:
        fix = "leave the pages out, or make the unit that stands there alone external"
        yield _problem("pages", "no unit is external: nobody would look on the web", fix)


def late(cards: Iterable[PageCard], today: str) -> Iterator[Problem]:
    """Pages that bear a day behind the one on which the task plays."""
    for card in cards:
        if card.published is not None and card.published > today:
            message = f"the page is of {card.published}, and the task plays on {today}"
            yield _problem(f"pages.{card.url}.published", message, "give it an earlier day")


def page_of(page: PageDraft) -> PageSpec:
    """What the plan says of a page. A move that leads nowhere is told as a problem; the page then counts as dead."""
    if page.state == "moved":
        target = page_path(page.moved_to) if _wrong(page.moved_to) is None else None
        return PageSpec(state="moved", moved_to=target) if target else PageSpec(state="dead")
    return PageSpec(state=page.state)


def framed(page: PageDraft, sites: Mapping[str, str]) -> str:
    """The template of a page: below its date and the name of whoever runs the host."""
    host = _host_of(page)
    told = {"published": page.published, "company": sites.get(host, "").strip() or host or "a site"}
    fields = {name: " ".join(text.split()) for name, text in told.items()}
    return "\n".join((*(line.format(**fields) for line in _FRAME), page.template))


def as_drafted(message: str) -> str:
    """What is said of a line of a page's template, with the line as the draft counts it."""
    return _LINE.sub(lambda match: f"line {max(1, int(match[1]) - len(_FRAME))}", message, count=1)


def _problem(place: str, message: str, fix: str = "", code: str = "site") -> Problem:
    return Problem(code=code, place=place, message=message, fix=fix)
