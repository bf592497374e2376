"""The web tools of an episode: what is on offer, what is answered, what fails, and that none of it is the guest's."""

from __future__ import annotations

import dataclasses
import gc
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import workgym
from workgym.env import OfficeEnv
from workgym.env.web import Web
from workgym.package import TaskPackage, load, save
from workgym.records import PageCard, ToolCall, ToolResult, WebAccess, page_path
from workgym.testing import DummySandbox, grade, toy_task
from workgym.trajectory import Trajectory

PAGES = {
    "https://rates.example/": "All rates\nWe publish rates for rent and power.",
    "https://rates.example/rent": "Rent in towns\nRent is 30 in every town.\n" + "More about rent. " * 1200,
    "https://rates.example/power": "Power\nPower costs 12 a unit; see the page about rents for rent.",
    "https://old.example/café-notes".replace("é", "e"): "Café notes\nLes prix du café: 4.",
}


def task(**states: str) -> TaskPackage:
    """The toy task with a site; ``rent="dead"`` says what happens to a page."""
    made = toy_task(pages=PAGES)
    cards = [_card(card, states.get(Path(card.path).stem, "live")) for card in made.pages]
    return made.with_external(made.external, cards)


def _card(card: PageCard, state: str) -> PageCard:
    moved = page_path("https://rates.example/power") if state == "moved" else None
    return card.model_copy(update={"state": state, "moved_to": moved})


def ask(package: TaskPackage, tool: str, number: int = 1, access: WebAccess | None = None, **given: Any) -> ToolResult:
    return Web(7, access).call(package, ToolCall(tool=tool, arguments=given), number)


def environment(package: TaskPackage, **options: Any) -> OfficeEnv:
    return OfficeEnv(package=package, sandbox=DummySandbox, grade=grade, **options)


def step(env: OfficeEnv, tool: str, **arguments: Any) -> tuple[str, bool]:
    seen, *_ = env.step({"tool": tool, "arguments": arguments})
    return seen["text"], bool(seen["error"])


def test_the_tools_are_there_where_a_site_is() -> None:
    with_site, without = environment(task()), environment(toy_task())
    for env, wanted in ((with_site, True), (without, False)):
        text = env.reset()[0]["text"]
        assert [spec.name for spec in env.tools][-3:-1] == ["web_search", "web_fetch"] if wanted else True
        assert ("web_search(query: string, max_results?: integer)" in text) is wanted
        assert ("web" in env.reset()[1]) is wanted
    said, error = step(without, "web_search", query="rent")
    assert error and "There is no tool 'web_search'" in said
    with_site.close()
    without.close()


def test_a_search_names_pages_best_first() -> None:
    said = ask(task(), "web_search", query="rent in towns").text
    assert said.index("https://rates.example/rent\n") < said.index("https://rates.example/power")
    assert "1. Rent in towns\n   https://rates.example/rent\n   Rent is 30 in every town." in said
    assert said.count("https://") == 3
    assert ask(task(), "web_search", query="rent", max_results=1).text.count("https://") == 1
    assert ask(task(), "web_search", query="CAFE").text.startswith("1. Café notes"), (
        "accents and case are not asked for"
    )
    assert ask(task(), "web_search", query="zebra").text == "No page fits these words. Use fewer or other ones."


def test_a_page_that_shares_no_word_of_matter_is_no_result() -> None:
    """A site of a few pages would answer each query with all of them."""
    old = WebAccess(ranking=1)
    asked = "what is the notice of the power office for every month"
    assert ask(task(), "web_search", query=asked, access=old).text.count("https://") == 3
    said = ask(task(), "web_search", query=asked).text
    assert said.count("https://") == 2 and "https://rates.example/rent" not in said and said.startswith("1. Power\n")
    assert ask(task(), "web_search", query="is this in the").text.count("https://") > 0, "nothing else was asked for"


def test_what_fits_far_worse_than_the_best_is_cut_off() -> None:
    pages = {f"https://many.example/{n}": f"Notice {n}\nA notice of the board." for n in range(9)}
    tariff = "Tariff of grid fees 2026\nThe tariff of grid fees for dairies holds from this notice on."
    made = toy_task(pages={**pages, "https://grid.example/tariff": tariff})
    asked = {"query": "notice tariff grid fees dairies", "max_results": 10}
    assert ask(made, "web_search", access=WebAccess(ranking=1), **asked).text.count("https://") == 10
    assert ask(made, "web_search", **asked).text.count("https://") == 1


def test_a_log_from_before_is_run_again_with_the_search_of_its_time(tmp_path: Path) -> None:
    """A log says which search answered; one that says none is older than the newer ones."""
    query = "what is the notice of the power office for every month"
    env = environment(task(), out=tmp_path / "run", web=WebAccess(ranking=1))
    env.reset(seed=1)
    step(env, "web_search", query=query)
    env.step({"tool": "submit", "arguments": {}})
    log = tmp_path / "run" / "events.jsonl"
    assert b'"ranking":1' in log.read_bytes()
    said = Trajectory.open(tmp_path / "run").episode.web
    assert said is not None and said.model_copy(update={"ranking": None}).model_dump() == {
        "search_failures": 0.0,
        "fetch_failures": 0.0,
    }, "what is written without it keeps its bytes"
    log.write_bytes(log.read_bytes().replace(b',"ranking":1', b""))
    assert workgym.replay(tmp_path / "run", sandbox=DummySandbox, grade=grade).exact
    env.close()


def test_a_long_page_comes_in_parts_that_make_the_whole() -> None:
    package, start, parts = task(), 0, []
    while True:
        body = ask(package, "web_fetch", url="https://rates.example/rent", start=start).text.partition("\n\n")[2]
        text, _, tail = body.rpartition("\n[characters ")
        parts.append(text)
        if "go on with start=" not in tail:
            break
        start = int(tail.partition("start=")[2].rstrip("]"))
    whole = "".join(parts)
    assert len(parts) == 3 and whole == PAGES["https://rates.example/rent"].partition("\n")[2].rstrip()
    beyond = ask(package, "web_fetch", url="https://rates.example/rent", start=10**9)
    assert beyond.is_error and "behind its end" in beyond.text


@pytest.mark.parametrize(
    "written",
    [
        "https://rates.example/rent", "http://rates.example/rent", "rates.example/rent", "https://RATES.example/rent/",
        "https://rates.example/rent.html", "  https://www.rates.example/rent#top ",
    ],
)  # fmt: skip
def test_addresses_as_people_write_them(written: str) -> None:
    assert ask(task(), "web_fetch", url=written).text.startswith(
        "Rent in towns\nhttps://rates.example/rent\n\nRent is 30"
    )


@pytest.mark.parametrize(
    "written",
    [
        "file:///etc/passwd", "../../etc/passwd", "https://rates.example/../../../etc/passwd", "/etc/passwd", "https://",
        "rates.example/rent\x00", "https://rates.example/%2e%2e/rent", "javascript:alert(1)", "hidden/graph.json", "💸",
        "https://rates.example/rent?x=1", "https://user@rates.example/rent", "http://169.254.169.254/latest", "\ud800",
    ],
)  # fmt: skip
def test_what_is_no_page_is_a_dead_link_and_never_a_file(written: str) -> None:
    answer = ask(task(), "web_fetch", url=written)
    assert answer.is_error and "(404). Take an address that web_search gives." in answer.text
    assert "root:" not in answer.text


def test_pages_that_are_gone_slow_or_moved() -> None:
    listed = ask(task(rent="dead"), "web_search", query="rent in towns").text
    assert "https://rates.example/rent\n" in listed, "an index is never quite up to date"
    for state, says in (("dead", "is not there any more (404)"), ("slow", "did not answer, and will not")):
        answer = ask(task(rent=state), "web_fetch", url="https://rates.example/rent")
        assert answer.is_error and says in answer.text and "Look for another page" in answer.text
    moved = ask(task(rent="moved"), "web_fetch", url="https://rates.example/rent")
    first = "https://rates.example/rent has moved to https://rates.example/power\nPower\nhttps://rates.example/power\n"
    assert not moved.is_error and moved.text.startswith(first)
    gone = ask(task(rent="moved", power="dead"), "web_fetch", url="https://rates.example/rent")
    assert gone.is_error and "has moved, and is not there any more" in gone.text


def test_failures_come_at_their_rate_and_are_the_same_for_a_seed() -> None:
    package, access = task(), WebAccess(search_failures=0.15, fetch_failures=0.44)
    calls = {"web_search": {"query": "rent"}, "web_fetch": {"url": "rates.example/power"}}
    for (tool, given), rate in zip(calls.items(), (0.15, 0.44), strict=True):
        web, again, other = Web(3, access), Web(3, access), Web(4, access)
        call = ToolCall(tool=tool, arguments=given)
        answers = [web.call(package, call, number) for number in range(1, 2001)]
        share = sum(answer.is_error for answer in answers) / 2000
        assert abs(share - rate) < 0.035, share
        assert web.counts == {tool: 2000, "failed": sum(answer.is_error for answer in answers)}
        assert answers == [again.call(package, call, number) for number in range(1, 2001)]
        assert answers != [other.call(package, call, number) for number in range(1, 2001)]
        assert all("Try again" in answer.text for answer in answers if answer.is_error)
    assert not any(ask(package, "web_fetch", number, url="rates.example/power").is_error for number in range(500))


def test_the_task_says_how_well_the_web_works_and_the_episode_may_say_otherwise() -> None:
    package = task()
    interfaces = package.card.interfaces.model_copy(update={"web": WebAccess(fetch_failures=0.999)})
    bad = dataclasses.replace(package, card=package.card.model_copy(update={"interfaces": interfaces}))
    assert ask(bad, "web_fetch", url="rates.example/power").is_error
    assert not ask(bad, "web_fetch", access=WebAccess(), url="rates.example/power").is_error


@pytest.mark.parametrize("query", ["x" * 2**20, "(a+)+" * 70 + "$", "\x00\ud800 💸 \u202e", " ", "a " * 200, "?*[\\"])
def test_a_query_of_any_kind_is_answered_at_once(query: str) -> None:
    began = time.process_time()
    answer = ask(task(), "web_search", query=query)
    assert time.process_time() - began < 1.0
    assert answer.is_error is (len(query) > 400)
    assert len(answer.text) < 8_000
    assert not answer.is_error or "at most 400" in answer.text


def test_arguments_that_do_not_fit_are_refused_by_their_schema() -> None:
    env = environment(task())
    env.reset()
    for tool, given, says in (
        ("web_search", {"query": ""}, "query must not be empty"),
        ("web_search", {"query": "rent", "max_results": 11}, "max_results must be at most 10"),
        ("web_search", {"query": 5}, "query must be a string"),
        ("web_fetch", {"url": "rates.example", "start": -1}, "start must be at least 0"),
        ("web_fetch", {}, "the argument 'url' is missing"),
    ):
        said, error = step(env, tool, **given)
        assert error and says in said
    env.close()


def test_a_huge_page_is_read_once_and_served_in_parts() -> None:
    huge = toy_task(pages={"https://big.example/": "Big\n" + "word " * 400_000})
    began = time.process_time()
    first = ask(huge, "web_fetch", url="big.example")
    assert "of 1999999; go on with start=8000]" in first.text and len(first.text) < 9_000
    assert time.process_time() - began < 20
    began = time.process_time()
    assert not ask(huge, "web_fetch", url="big.example", start=1_000_000).is_error
    assert time.process_time() - began < 1.0, "it is not read again"
    gc.collect()


def test_a_strangers_page_is_read_in_a_child_and_one_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    made = toy_task(pages=PAGES)
    path = page_path("https://rates.example/rent")
    bomb = b"<!DOCTYPE html><title>Rent in towns</title>" + b"<div>" * 5000 + b"deep"
    made = made.with_external({**made.external, path: bomb}, made.pages)
    stranger = load(save(made, tmp_path / "task"))
    assert not stranger.ours
    assert "https://rates.example/rent" in ask(stranger, "web_search", query="rent in towns").text
    assert ask(stranger, "web_fetch", url="rates.example/rent").text.endswith("The page is empty.")
    assert "Power costs 12" in ask(stranger, "web_fetch", url="rates.example/power").text


def test_permissions_hold_for_web_tools_too() -> None:
    package = task()
    interfaces = package.card.interfaces.model_copy(update={"permissions": {"web_fetch": False}})
    env = environment(dataclasses.replace(package, card=package.card.model_copy(update={"interfaces": interfaces})))
    env.reset()
    said, error = step(env, "web_fetch", url="rates.example")
    assert error and "web_fetch is not permitted in this task" in said
    env.close()


def test_an_episode_is_counted_recorded_and_replayed_exactly(tmp_path: Path) -> None:
    access = WebAccess(search_failures=0.3, fetch_failures=0.5)
    package = task()
    env = environment(package, out=tmp_path / "run", web=access)
    env.reset(seed=11)
    for _ in range(6):
        step(env, "web_search", query="power")
        step(env, "web_fetch", url="https://rates.example/power")
    step(env, "web_fetch", url="https://nowhere.example/")
    *_, info = env.step({"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42\n"}})
    counted = info["web"]
    assert counted["web_search"] == 6 and counted["web_fetch"] == 7 and 0 < counted["failed"] < 13
    env.step({"tool": "submit", "arguments": {}})
    recorded = Trajectory.open(tmp_path / "run")
    assert recorded.episode.web == access.model_copy(update={"ranking": 2})
    assert env.handed_in.keys() == {"power.txt", "rent.txt", "sum.txt"}, "no page was in the workspace"
    errors = [call.observation.is_error for call in recorded.calls() if call.observation]
    assert 1 < sum(errors) < 13
    report = workgym.replay(tmp_path / "run", sandbox=DummySandbox, grade=grade)
    assert report.exact and report.complete and report.reward == 1.0
    env.close()


def test_a_trajectory_without_a_site_says_nothing_of_the_web(tmp_path: Path) -> None:
    env = environment(toy_task(), out=tmp_path / "run")
    env.reset()
    env.close()
    assert b'"web"' not in (tmp_path / "run" / "events.jsonl").read_bytes()


def test_the_desk_reads_the_web_through_the_tools() -> None:
    script = """
def solve(desk):
    found = desk.search("rent in towns", 3)
    assert [one.title for one in found][0] == "Rent in towns", found
    assert found[0].url == "https://rates.example/rent" and found[0].excerpt == "Rent is 30 in every town."
    page = desk.page(found[0].url)
    assert page.lines[0] == "Rent is 30 in every town." and page.published == "" and len(page.lines) == 2
    assert len(page.lines[1]) == 1200 * len("More about rent. ") - 1
    assert desk.page("rates.example/power").title == "Power"
    assert desk.search("zebra") == []
    desk.write("sum.txt", "42")
"""
    package = task()
    package = package.with_hidden(expert=script)
    access = WebAccess(search_failures=0.2, fetch_failures=0.45)
    result = workgym.rollout(environment(dataclasses.replace(package), web=access), "expert", seed=5)
    assert (result.error, result.end, result.reward) == (None, "closed", 1.0)


def offered(name: str, package: TaskPackage) -> Mapping[str, Any]:
    from workgym.models import ScriptedModel
    from workgym.records import ToolSpec

    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    spec = ToolSpec(name="bash", description="Run.", input_schema=schema)
    model = ScriptedModel(["", "", "", ""])
    box = DummySandbox(extra={"bash": (spec, lambda files, arguments: "")})
    workgym.rollout(OfficeEnv(package=package, sandbox=lambda: box, grade=grade), name, model=model)
    return {tool.name: tool for tool in model.requests[0].tools}


def test_harnesses_offer_the_web_under_their_own_names() -> None:
    names = {
        "react": {"web_search", "web_fetch"},
        "stirrup-style": {"web_search", "web_fetch"},
        "claude-code-style": {"WebSearch", "WebFetch"},
    }
    for harness, wanted in names.items():
        assert wanted <= offered(harness, task()).keys(), harness
        every = {"web_search", "web_fetch", "WebSearch", "WebFetch"}
        assert not every & offered(harness, toy_task()).keys(), harness
        assert every & offered(harness, task()).keys() == wanted, "and under no other"
