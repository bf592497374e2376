"""Mistakes with pages in a family file have a file, a line and a key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.errors import BlueprintError
from workgym.package import TaskPackage
from workgym.records import WebAccess

UNIT = Path(__file__).parents[1]
HOME = UNIT / "env" / "shelf" / "envs" / "import-quote"
ROSTER = UNIT / "verify" / "shelf" / "envs" / "shift-roster"
URL = "  - url: https://bank.example/rates/franc\n"


def spoiled(tmp_path: Path, old: str, new: str, home: Path = HOME, file: str = "family.yaml") -> Path:
    folder = tmp_path / home.name
    shutil.copytree(home, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def build(folder: Path) -> TaskPackage:
    family = blueprint.load(folder)
    return package(family, family.blueprint.default, 1, compile_family(family, family.blueprint.default, 1))


FILE = "  - path: quotes/quotation.csv\n"
MOVED = "moved_to: https://customs.example/regulations/metal-goods\n"
RULE = "resolved_by: policies/purchasing_policy.docx}"
REQUEST = "request: request.md.j2"


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (URL, "  - url: http://bank.example/rates/franc\n", "carriers.2.url", "is no address; write https://"),
        (URL, "  - url: https://bank.com/rates/franc\n", "carriers.2.url", "'bank.com' is no name of a site"),
        (URL, "  - url: https://bank.example/../franc\n", "carriers.2.url", "'..' is no part of an address"),
        (URL, f"{URL}    path: x.html\n", "carriers.2", "needs either a path in the workspace or the url of a page"),
        (URL, "  - role: needed\n", "carriers.2", "needs either a path in the workspace or the url of a page"),
        (URL, f"{URL}    state: gone\n", "carriers.2.state", "input should be 'live', 'dead', 'slow' or 'moved'"),
        (URL, f"{URL}    state: moved\n", "carriers.2.state", "says by `moved_to` where it is found now"),
        (URL, f"{URL}    moved_to: https://bank.example/\n", "carriers.2.moved_to", "only a page with `state: moved`"),
        (MOVED, "moved_to: ftp://x\n", "carriers.7.moved_to", "is no address"),
        (
            MOVED,
            "moved_to: https://no.example/\n",
            "carriers",
            "moved to no.example/index.html, and no carrier is there",
        ),
        (FILE, f"{FILE}    state: dead\n", "carriers.0.state", "is a matter of pages, and this carrier has no `url`"),
        ("    template: rate.md.j2\n", "    content: {table: {}}\n", "carriers.2.content", "a page is prose"),
        (RULE, "resolved_by: https://bank.com/}", "conflicts.0.resolved_by", "is no name of a site"),
        (REQUEST, f"web: {{fetch_failures: 1.5}}\n{REQUEST}", "web.fetch_failures", "less than 1"),
        (REQUEST, f"web: {{fetches: 0.5}}\n{REQUEST}", "web.fetches", "is not a key that is known here"),
        (URL, "  - url: https://bank.example/archive/franc\n", "carriers", "two carriers have the path bank.example/"),
        (URL, "  - url: https://bank.example/{x}\n    each: duty\n", "carriers.2.url", "'x' is not a column of duty"),
    ],
)
def test_mistakes_have_a_line_and_a_key(tmp_path: Path, old: str, new: str, key: str, says: str) -> None:
    with pytest.raises(BlueprintError) as caught:
        build(spoiled(tmp_path, old, new))
    said = str(caught.value)
    assert says in said
    assert said.startswith("import-quote/family.yaml:") and f" {key}:" in said


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            "  rest:\n    status: provided",
            "  rest:\n    status: external",
            "units.rest.status",
            "no carrier has a `url`",
        ),
        ("request: request", "web: {search_failures: 0.1}\nrequest: request", "web", "no carrier has a `url`"),
    ],
)
def test_what_needs_a_site_says_that_there_is_none(tmp_path: Path, old: str, new: str, key: str, says: str) -> None:
    with pytest.raises(BlueprintError) as caught:
        build(spoiled(tmp_path, old, new, ROSTER))
    assert says in str(caught.value) and f" {key}" in str(caught.value)


def test_a_date_that_is_none_is_said_with_the_page(tmp_path: Path) -> None:
    folder = spoiled(tmp_path, "{{ context.dates.rate_now }}", "last week", file="templates/rate.md.j2")
    with pytest.raises(
        BlueprintError,
        match=r"/templates/rate.md.j2: bank.example/rates/franc.html.*'last week' is no date; write YYYY-MM-DD",
    ):
        build(folder)


def test_one_page_for_each_row_and_a_rule_that_stands_on_a_page(tmp_path: Path) -> None:
    folder = spoiled(
        tmp_path,
        URL,
        "  - url: https://bank.example/{heading}/\n    each: duty\n    role: distractor\n"
        + "    template: notes.md.j2\n"
        + URL,
    )
    text = (folder / "family.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "request: request.md.j2", "web: {search_failures: 0.15, fetch_failures: 0.44}\nrequest: request.md.j2"
    )
    text = text.replace("resolved_by: policies/purchasing_policy.docx", "resolved_by: https://bank.example/", 1)
    (folder / "family.yaml").write_text(text, encoding="utf-8")
    made = build(folder)
    assert {"bank.example/castings/index.html", "bank.example/fittings/index.html"} <= made.external.keys()
    assert made.card.interfaces.web == WebAccess(search_failures=0.15, fetch_failures=0.44)
    assert made.hidden.graph.conflicts[0].resolved_by == "bank.example/index.html"
