"""Single rules of the grounding code, each with what holds beside what does not."""

from __future__ import annotations

from typing import Any

import pytest

from workgym.package import Interfaces, SolverView
from workgym.probe import Ground, Problem
from workgym.probe.evidence import Evidence, Read
from workgym.probe.grounds import checked
from workgym.probe.words import plain, stands, telling, together

RATES = "Shipper;Place;Freight per unit\nCalder Ltd;Rosedene;0.1213\nLinden Co;Marlow;\nAlso served: Harrow Ltd\n"
POLICY = "# Policy, version 6\n\nThe discount rate is 8.5 % a year.\nPaid at the end\nof the year, never before.\n"
OLD = "# Policy, version 5\n\nThe discount rate is 7.5 % a year.\n"
LETTER = """[header] Harrow Ltd, Purchasing
[footer] Offer, version 12 Page 1
Dear Ann,

our price is USD -1,853.09 for 1,200 units.

Kind regards,
Bo Harrow
"""
FILES = {"rates.csv": RATES, "policy/now.md": POLICY, "policy/old.md": OLD, "mail/letter.txt": LETTER}
REQUEST = "Please compare the offers of Calder and Linden under our policy, for the contract year 2026."


def evidence(*reads: tuple[str, Any, str], failed: tuple[int, ...] = (), **changed: int) -> Evidence:
    """A run with these calls (tool, arguments, answer); ``changed`` are files by the call that changed them."""
    view = SolverView(REQUEST, {path: text.encode() for path, text in FILES.items()}, Interfaces())
    made = []
    for number, (tool, arguments, text) in enumerate(reads, 1):
        files = tuple(path.replace("__", "/") + ".md" for path, call in changed.items() if call == number)
        made.append(Read(number, tool, arguments, text, number in failed, files))
    return Evidence(view, tuple(made), view.files)


def read(path: str) -> tuple[str, Any, str]:
    return "read_file", {"path": path}, FILES[path]


ALL = evidence(
    ("list_files", {}, "policy/\n" + "\n".join(FILES)),
    *(read(path) for path in FILES),  # calls 2 to 5
    ("bash", {"command": "cat policy/now.md policy/old.md"}, POLICY + OLD),
    ("bash", {"command": "cd policy && cat *.md"}, POLICY + OLD),
    (
        "python",
        {"code": "print(open('rates.csv').read().count('Ltd'), 'suppliers have a rate')"},
        "2 suppliers have a rate",
    ),
    ("grep", {"pattern": "rate"}, "policy/now.md:3: The discount rate is 8.5 % a year."),
    ("read_file", {"path": "plan/volumes.csv"}, "plan/volumes.csv: there is no such file."),
    ("submit", {"message": "Is it 2026 or 2027?"}, "Take the calendar year, please."),
    failed=(10,),
)


def why(call: int, source: str, quote: str, missing: str = "", found: Evidence = ALL) -> str | None:
    ground = Ground(call=call, source=source, quote=quote, missing=missing)
    return checked(Problem(defect="broken derivation", what="w", blocks="b", grounds=(ground,)), found)[1]


HOLDS = (
    (0, "request.md", "compare the offers of Calder and Linden"),
    (1, ".", "policy/old.md"),
    (1, "policy", "policy/old.md"),
    (2, "rates.csv", "Calder Ltd;Rosedene;0.1213"),
    (2, "./rates.csv", "Calder Ltd;Rosedene;0.1213\nLinden Co;Marlow;"),
    (3, "now.md", "The discount rate is 8.5\u00a0% a year."),
    (3, "policy/now.md", "# Policy, version 6"),
    (5, "mail/letter.txt", "USD \u22121,853.09 for 1,200 units"),
    (5, "mail/letter.txt", "Dear Ann, our price is USD"),
    (5, "mail/letter.txt", "[footer] Offer, version 12"),
    (6, "policy/old.md", "The discount rate is 7.5 % a year."),
    (7, "policy/old.md", "The discount rate is 7.5 % a year."),
    (8, "rates.csv", "2 suppliers have a rate"),
    (9, "policy/now.md", "The discount rate is 8.5 % a year."),
    (10, "plan/volumes.csv", "there is no such file"),
    (11, "user", "Take the calendar year"),
)


@pytest.mark.parametrize(("call", "source", "quote"), HOLDS)
def test_a_ground_that_holds(call: int, source: str, quote: str) -> None:
    assert why(call, source, quote) is None


FAILS = (
    (12, "rates.csv", "Calder Ltd;Rosedene", "there is no call 12"),
    (2, "costs.csv", "Calder Ltd;Rosedene", "costs.csv is no source"),
    (2, "policy/now.md", "Calder Ltd;Rosedene;0.1213", "did not open"),
    (1, "rates.csv", "rates.csv and more", "lists files and opens none"),
    (0, "rates.csv", "compare the offers", "call 0 is the request"),
    (2, "request.md", "compare the offers", "call 0 is the request"),
    (2, "rates.csv", "compare the offers of Calder", "it stands in the request"),
    (2, "rates.csv", "The discount rate is 8.5 %", "it stands in the answer to call 3"),
    (2, "rates.csv", "Calder Ltd;Rosedene;0.1214", "does not stand"),
    (2, "rates.csv", "Calder Ltd;Rosedene;0.121", "does not stand"),
    (2, "rates.csv", "alder Ltd;Rosedene;0.1213", "does not stand"),
    (2, "rates.csv", "Calder Ltd ... Marlow", "does not stand"),
    (5, "mail/letter.txt", "853.09 for 1,200 units", "does not stand"),
    (5, "mail/letter.txt", "1,853.09 for 1,200 units", "does not stand"),
    (5, "mail/letter.txt", "price is USD -1,853.09 for 1", "does not stand"),
    (2, "rates.csv", "Calder", "too short"),
    (2, "rates.csv", "0.1213", "too short"),
    (5, "mail/letter.txt", "Kind regards,\nBo", "boilerplate"),
    (5, "mail/letter.txt", "Harrow Ltd, Purchasing", "boilerplate"),
    (6, "policy/now.md", "The discount rate is 7.5 % a year.", "the quote is of policy/old.md"),
    (7, "policy/now.md", "The discount rate is 7.5 % a year.", "the quote is of policy/old.md"),
    (9, "rates.csv", "The discount rate is 8.5 % a year.", "did not open"),
    (10, "plan/other.csv", "there is no such file", "no source"),
    (3, "user", "The discount rate is 8.5 % a year.", "did not hand over"),
)


@pytest.mark.parametrize(("call", "source", "quote", "reason"), FAILS)
def test_a_ground_that_does_not_hold(call: int, source: str, quote: str, reason: str) -> None:
    assert reason in str(why(call, source, quote))


MISSING = (
    ("Linden freight", None),
    ("Linden Freight per unit", None),
    ("Harrow freight rate", None),
    ("value added tax", None),
    ("Calder freight per unit", "rates.csv has"),
    ("discount rate", "policy/now.md has"),
    ("paid before end of year", "policy/now.md has"),
    ("calendar year", "the answer to call 11 has"),
    ("offers Linden 2026", "request.md has"),
    ("of the", "not said in words"),
)


@pytest.mark.parametrize(("missing", "reason"), MISSING)
def test_what_is_said_to_be_missing_stands_on_no_line(missing: str, reason: str | None) -> None:
    said = why(2, "rates.csv", "Calder Ltd;Rosedene;0.1213", missing)
    assert said is None if reason is None else reason in str(said)


def test_what_stands_in_a_file_that_nobody_opened_is_not_missing() -> None:
    alone = evidence(read("rates.csv"))
    assert "policy/old.md has" in str(why(1, "rates.csv", "Calder Ltd;Rosedene;0.1213", "version 5", alone))


def test_the_solvers_own_words_are_no_evidence() -> None:
    said = "The freight of Linden is 0.40 per unit."
    own = evidence(
        ("write_file", {"path": "notes.md", "content": said}, "written"),
        ("read_file", {"path": "notes.md"}, said),
        ("edit_file", {"path": "policy/now.md", "old": "8.5", "new": "9.5"}, "edited"),
        ("read_file", {"path": "policy/now.md"}, POLICY.replace("8.5", "9.5 dollars, as Bo told me yesterday,")),
        ("bash", {"command": "echo 'Freight of Linden in rates.csv: 0.40'"}, "Freight of Linden in rates.csv: 0.40"),
        ("read_file", {"path": "policy/now.md"}, POLICY.replace("8.5", "9.5")),
        notes=1,
        policy__now=3,
    )
    assert "no source" in str(why(2, "notes.md", said, found=own))
    assert "had changed" in str(why(4, "policy/now.md", "9.5 dollars, as Bo told me yesterday", found=own))
    assert why(4, "policy/now.md", "of the year, never before", found=own) is None
    assert "had changed" in str(why(6, "policy/now.md", "The discount rate is 9.5 % a year.", found=own))
    assert "let a program print" in str(why(5, "rates.csv", "Freight of Linden in rates.csv: 0.40", found=own))
    assert why(2, "notes.md", said, "Linden freight", own) is not None
    assert why(4, "policy/now.md", "of the year, never before", "Linden freight", own) is None, (
        "said by the solver alone"
    )


def test_two_sources_are_needed_where_two_are_said_to_differ() -> None:
    def problem(*grounds: Ground) -> str | None:
        return checked(Problem(defect="cross-file inconsistency", what="w", blocks="b", grounds=grounds), ALL)[1]

    now = Ground(call=3, source="policy/now.md", quote="The discount rate is 8.5 % a year.")
    old = Ground(call=4, source="policy/old.md", quote="The discount rate is 7.5 % a year.")
    assert problem(now, old) is None
    assert "from one" in str(problem(now, now))
    assert "ground 2" in str(problem(now, old.model_copy(update={"call": 3})))


def test_pages_of_the_web_are_sources_by_their_address() -> None:
    page = "https://rates.example/lanes"
    web = evidence(
        ("web_search", {"query": "lanes"}, f"1. Lanes and rates, {page}"),
        ("web_fetch", {"url": page}, "From Marlow the rate is 0.33 a unit."),
    )
    assert why(2, page, "From Marlow the rate is 0.33", found=web) is None
    assert "did not open" in str(why(2, "https://other.example/", "From Marlow the rate is 0.33", found=web))


SITE = {
    "https://bank.example/rates/franc": "<title>Rate of the franc</title><p>One franc is EUR 0.9512.</p>",
    "https://bank.example/": "<title>The bank</title><p>The reference rate: https://bank.example/rates/franc</p>",
}
FRANC, BANK = SITE


def fetched(url: str, *, moved: str = "") -> str:
    title, text = SITE[url].removeprefix("<title>").removesuffix("</p>").split("</title><p>")
    return f"{f'{moved} has moved to {url}' if moved else ''}\n{title}\n{url}\n\n{text}".lstrip("\n")


def test_a_page_is_opened_by_fetching_it_and_by_nothing_else() -> None:
    view = SolverView(REQUEST, {}, Interfaces(), {url: text.encode() for url, text in SITE.items()})
    old = "https://bank.example/franc"
    calls: tuple[tuple[str, Any, str], ...] = (
        ("web_search", {"query": "franc"}, f"1. Rate of the franc\n   {FRANC}\n   One franc is EUR 0.9512."),
        ("web_fetch", {"url": "http://www.bank.example/rates/franc/"}, fetched(FRANC)),
        ("web_fetch", {"url": BANK}, fetched(BANK)),
        ("web_fetch", {"url": old}, fetched(FRANC, moved=old)),
        ("web_fetch", {"url": "https://bank.example/dollar"}, "There is no page at https://bank.example/dollar (404)."),
    )
    reads = tuple(Read(n, tool, said, text, n == 5, ()) for n, (tool, said, text) in enumerate(calls, 1))
    given = dict(view.external)
    found = Evidence(view, reads, given)
    quote = "One franc is EUR 0.9512"
    for call, source in ((2, FRANC), (2, "bank.example/rates/franc.html"), (4, FRANC), (4, old)):
        assert why(call, source, quote, found=found) is None, (call, source)
    assert why(5, "https://bank.example/dollar", "There is no page at", found=found) is None
    refused = ("web_fetch", {"url": FRANC}, "The site refused the connection (403). Try again.")
    unlucky = Evidence(view, (Read(1, *refused, True, ()),), given)
    assert "failed by chance" in str(why(1, FRANC, "The site refused the connection (403)", found=unlucky))
    assert "lists files and opens none" in str(why(1, FRANC, quote, found=found))
    assert "did not open" in str(why(3, FRANC, "The reference rate: https", found=found))
    assert "did not open" in str(why(2, BANK, quote, found=found))
    missing = why(3, BANK, "The reference rate: https", "franc EUR 0.9512", found=found)
    assert missing is not None and f"not missing: {FRANC}" in missing
    assert found.opened == {FRANC, BANK}
    unread = Evidence(view, reads[:1], given)
    assert unread.opened == frozenset() and unread.texts[FRANC].text == "Rate of the franc\nOne franc is EUR 0.9512."


def test_what_a_search_listed_or_did_not_find_is_a_ground_of_its_own() -> None:
    found = evidence(
        (
            "web_search",
            {"query": "franc"},
            f"1. Rate of the franc (2026-03-04)\n   {FRANC}\n   One franc is EUR 0.9512.",
        ),
        ("web_search", {"query": "dollar"}, "No page fits these words. Use fewer or other ones."),
        ("web_fetch", {"url": FRANC}, fetched(FRANC)),
    )
    assert why(1, "web", "Rate of the franc (2026-03-04)", found=found) is None
    assert why(2, "web", "No page fits these words", "dollar rate", found=found) is None
    assert "does not stand in the answer to call 2" in str(why(2, "web", "One franc is EUR 0.9512.", found=found))
    assert "did not open web" in str(why(3, "web", "One franc is EUR 0.9512.", found=found))
    busy = ("web_search", {"query": "euro"}, "The search engine is busy (503). Try again.")
    failed = evidence(busy, failed=(1,))
    assert "the search of call 1 failed" in str(why(1, "web", "The search engine is busy", found=failed))
    assert evidence().source("web") is None, "where nobody searched there is no web"


def test_what_stands_in_most_files_is_boilerplate() -> None:
    line = "Confidential: property of the Beacon group"
    texts = {f"f{number}.txt": f"{line}\nFact number {number} stands here alone.\n" for number in range(5)}
    view = SolverView("Go.", {path: text.encode() for path, text in texts.items()}, Interfaces())
    reads = tuple(Read(n, "read_file", {"path": path}, texts[path], False, ()) for n, path in enumerate(texts, 1))
    found = Evidence(view, reads, view.files)
    assert "boilerplate" in str(why(1, "f0.txt", line, found=found))
    assert why(1, "f0.txt", "Fact number 0 stands here alone.", found=found) is None


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    (
        ("8.5 %", "rate 8.5 % a year", True),
        ("8.5", "rate 18.5", False),
        ("8.5", "rate 8.55", False),
        ("12", "12.5", False),
        ("12", "of 12. Then", True),
        ("500", "12,500", False),
        ("05-05", "2026-05-05", False),
        ("CH152781", "- CH152781: 4", True),
        ("", "anything", False),
    ),
)
def test_a_quote_is_whole_words_and_numbers(quote: str, text: str, found: bool) -> None:
    assert stands(plain(quote), plain(text)) is found


def test_words_stand_together_in_a_row_with_its_headings() -> None:
    table = "Name\tIn\tOut\nAnn\t06:00\t\nBo\t07:00\t15:00\n\nDay  Mark\n"
    assert together(telling("Bo Out"), table) == "Bo 07:00 15:00 Name In Out"
    assert together(telling("Ann Out"), table) is None
    assert together(telling("Ann In"), table) is not None
    assert together(telling("Bo Mark"), table) is None
    assert together(telling("ends early"), "the year ends\nearly, they say") is not None
    assert together(telling("ends early"), "the year ends\n\nearly, they say") is None
