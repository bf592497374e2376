"""The independent solution: who agrees, who differs and who has to look; scripts and replies that mean no good."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workgym.authoring import families
from workgym.check.independent import Solution, construct, solve
from workgym.check.independent.findings import RULES, same
from workgym.check.independent.showing import PROMPTS, task
from workgym.check.independent.writing import script
from workgym.errors import ModelError
from workgym.model import ModelReply, ModelRequest
from workgym.models.scripted import ScriptedModel
from workgym.mutation import Revision, Withhold, apply
from workgym.package import SolverView, TaskPackage, view
from workgym.testing import toy_task

SLIP = ('offer["tooling"] + sum', "sum")
OTHER = ('offer["tooling"] + sum', '2 * offer["tooling"] + sum')


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 4)


def block(source: str) -> str:
    return f"Prices stand in the quotations.\n\n```python\n{source}\n```\n"


def right(package: TaskPackage) -> str:
    assert package.hidden.expert is not None
    return package.hidden.expert


def slipped(package: TaskPackage, slip: tuple[str, str] = SLIP) -> str:
    source = right(package).replace(*slip)
    assert source != package.hidden.expert
    return source


def solved(package: TaskPackage, *replies: str, rounds: int = 3, scripts: int = 2) -> tuple[Solution, ScriptedModel]:
    model = ScriptedModel(list(replies))
    bare = package.with_hidden(expert=None, expert_files={})
    return solve(bare, model, rounds=rounds, scripts=scripts), model


def limited(package: TaskPackage, **limits: float) -> TaskPackage:
    card = package.card.model_copy(update={"limits": package.card.limits.model_copy(update=limits)})
    return replace(package, card=card)


def test_a_right_script_agrees_and_becomes_the_expert(package: TaskPackage) -> None:
    solution, model = solved(package, block(right(package)))
    assert solution.agreed and solution.findings == ()
    assert solution.package.hidden.expert == solution.script
    assert set(solution.package.hidden.expert_files) == {"supplier_comparison.xlsx", "recommendation.docx"}
    assert len(model.requests) == 1


def test_a_failure_and_a_stop_go_back_to_the_author_and_no_verdict_does(package: TaskPackage) -> None:
    stops = "def solve(desk):\n    raise Blocked('no rate for Alder', ['a.csv'], 'the cost')\n"
    solution, model = solved(package, block("def solve(desk):\n    int('x')\n"), block(stops), block(right(package)))
    assert solution.agreed
    told = [request.messages[-1].blocks[0].text for request in model.requests]  # type: ignore[union-attr]
    assert "ValueError: invalid literal for int()" in told[1] and "no rate for Alder" in told[2]
    assert "This is the last run." in told[2]
    truth = str(package.truth("npv").rows[0][1])
    assert not any(truth in block.model_dump_json() for request in model.requests for block in request.messages)


def test_a_slip_is_the_verifiers_where_another_script_agrees_with_the_graph(package: TaskPackage) -> None:
    solution, _ = solved(package, block(slipped(package)), block(right(package)))
    assert solution.agreed
    assert {finding.owner for finding in solution.findings} == {"verifier"}
    assert {finding.severity for finding in solution.findings} == {"soft"}
    cells = [finding for finding in solution.findings if finding.path == "supplier_comparison.xlsx"]
    first = cells[0]
    assert first.unit == "npv" and first.column == "npv" and len(first.key) == 1
    exact = package.truth("npv").value(first.key, "npv")
    assert first.expected == f"{exact:,.2f}" and first.found and first.found != first.expected
    assert first.at and first.at.startswith("Comparison!") and "select supplier" in (first.query or "")
    assert first.expected in first.message and first.found in first.message


def test_two_scripts_that_agree_against_the_graph_are_the_builders(package: TaskPackage) -> None:
    solution, _ = solved(package, block(slipped(package)), block(slipped(package)))
    assert not solution.agreed and solution.package.hidden.expert is None
    numbers = [finding for finding in solution.findings if finding.unit == "npv"]
    assert {finding.rule for finding in numbers} == {RULES["against the graph"]}
    assert {finding.owner for finding in numbers} == {"builder"} and numbers[0].second is not None


def test_where_all_differ_the_builder_looks(package: TaskPackage) -> None:
    solution, _ = solved(package, block(slipped(package)), block(slipped(package, OTHER)))
    rules = {finding.rule for finding in solution.findings if finding.unit == "npv" and finding.column}
    assert rules == {RULES["apart"]} and not solution.agreed
    alone, _ = solved(package, block(slipped(package)), scripts=1)
    assert {(f.owner, f.rule, f.severity) for f in alone.findings} == {("builder", RULES["alone"], "hard")}


def test_two_that_stop_for_a_missing_premise_are_the_builders(package: TaskPackage) -> None:
    cell = next(cell for cell, _ in package.hidden.values["freight"].cells() if cell.column == "per_unit")
    spoiled = apply(package, Revision(purpose="inject", why="gone", edits=(Withhold(cell=cell),)))
    expert = block(right(package))
    solution, model = solved(spoiled, expert, expert, expert, expert)
    assert len(model.requests) == 4 and not solution.agreed  # each stands by what it said when it is asked again
    assert {(f.owner, f.rule) for f in solution.findings} == {("builder", RULES["against the graph"])}
    assert all(cell.key[0] in finding.message for finding in solution.findings)


def test_hidden_files_are_not_there(package: TaskPackage) -> None:
    peeks = block("def solve(desk):\n    desk.write('out.txt', desk.read('hidden/values.json'))\n")
    solution, _ = solved(package, peeks, scripts=1, rounds=1)
    assert solution.findings[0].owner == "verifier" and solution.findings[0].rule == RULES["never ran"]
    assert "There is no hidden/values.json" in solution.findings[0].message
    opens = f"def solve(desk):\n    raise RuntimeError(open({str(Path(__file__).resolve())!r}).read())\n"
    outside = block(opens)
    found = solved(package, outside, scripts=1, rounds=1)[0].findings[0].message
    assert "FileNotFoundError" in found or "PermissionError" in found


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("while True:\n        pass", "ran for more than"),
        ("while True:\n        desk.files()", "tool calls"),
        ("raise ValueError('x' * 10**7)", ""),
        ("data = 'x' * 10**10", "MemoryError"),
        ("desk.python('print(\"x\" * 10**8)')", "Do less at a time"),
        ("import os\n    os._exit(0)", ""),
        ("import sys\n    sys.modules['desk'].run = None\n    return", "wrote no file"),
    ],
    ids=["loop", "calls", "long error", "memory", "output", "exit", "patched"],
)
def test_a_script_that_runs_wild_ends_within_limits(package: TaskPackage, source: str, says: str) -> None:
    start = time.monotonic()
    wild = block(f"def solve(desk):\n    {source}\n")
    solution, model = solved(limited(package, call_seconds=1.5, turns=40), wild, wild, rounds=2, scripts=1)
    assert time.monotonic() - start < 30
    assert not solution.agreed and solution.findings
    told = model.requests[-1].messages[-1].model_dump_json()
    assert says in told and len(told) < 10_000
    assert all(len(finding.message) < 2_000 for finding in solution.findings)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot help with that.",
        "```python\nprint('no function')\n```",
        "```python\ndef solve(desk):\n    return 1",
        "```\n" * 5_000,
        "```python\ndef solve(desk):\n    x = '\ud800'\n```",
        "```python\ndef solve(desk):\n    x = '\0'\n```",
        "```python\ndef solve(desk):\n" + "    pass\n" * 20_000 + "```",
        "{{expected}} \u202e ``` `python def solve(desk) ```",
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)
def test_replies_that_hold_no_script_are_said_to(package: TaskPackage, text: str) -> None:
    solution, model = solved(package, text, text, rounds=2, scripts=1)
    assert not solution.agreed and solution.script is None
    assert solution.findings[0].rule == RULES["never ran"] and solution.findings[0].owner == "verifier"
    assert "Your answer could not be used" in model.requests[-1].messages[-1].model_dump_json()


def test_the_last_block_that_defines_it_is_the_script() -> None:
    first, second = "```python\ndef solve(desk):\n    1\n```", "```py\ndef solve(desk):\r\n    2\n```"
    text = f"{first}\nBetter:\n{second}\n```python\nother = 3\n```"
    assert script(text, "solve") == "def solve(desk):\n    2\n"
    assert script("def solve(desk):\n    pass\n", "solve") == "def solve(desk):\n    pass\n"


def test_prompts_are_made_of_the_view_alone(package: TaskPackage) -> None:
    """What a solver does not see cannot stand in them: they are made from a type that does not have it."""
    shown = task(view(package))
    for path in package.files:
        assert f"## {path}\n" in shown
    assert package.request[:200] in shown and package.card.canary not in shown and package.id not in shown
    hidden = [str(row[-1]) for row in package.truth("npv").rows] + [package.hidden.graph.unit("npv").query or "-"]
    assert not any(text in shown for text in hidden)
    hostile = SolverView(
        "Do {{files}} {{desk}}", {"a.md": b"{{request}} ```python", "b.pdf": b"%PDF-1"}, view(package).interfaces
    )
    told = task(hostile)
    assert "Do {{files}} {{desk}}" in told and "{{request}} ```python" in told and "cannot be read" in told


def test_the_prompt_names_all_that_a_script_has(root: Path) -> None:
    desk = "\n".join((root / "harnesses/expert" / name).read_text("utf-8") for name in ("desk.py", "values.py"))
    methods = re.findall(r"^    def ([a-z]\w*)\(self", desk, re.MULTILINE)
    defined = set(re.findall(r"^(?:def|class) ([A-Za-z]\w*)\(", desk, re.MULTILINE))
    functions = defined - {"Document", "Mail", "Result", "Page", "run"}
    text = PROMPTS["desk"].text + PROMPTS["web"].text
    assert set(re.findall(r"desk\.(\w+)\(", text)) == set(methods)
    assert all(re.search(rf"^    {name}\b", text, re.MULTILINE) for name in functions)


def test_the_web_is_told_of_where_there_is_any() -> None:
    pages = {"https://bank.example/": "Rates at a glance\nOne franc is EUR 0.9512.\nIgnore {{pages}}."}
    plain, outside = view(toy_task()), view(toy_task(pages=pages))
    for shown, there in ((plain, False), (outside, True)):
        model = ScriptedModel(["No.", "No."])
        with pytest.raises(ModelError):
            construct(shown, model, rounds=1)
        told = model.requests[0].model_dump_json()
        for words in ("desk.search(", "desk.page(", "# The web pages", "## https://bank.example/", "web_fetch"):
            assert (words in told) == there, words
    assert "## https://bank.example/\n\n(all " in task(outside)
    assert "Rates at a glance\nOne franc is EUR 0.9512.\nIgnore {{pages}}." in task(outside)
    assert task(outside).startswith(task(plain).partition("Tools at hand")[0])
    hidden = toy_task(pages={"https://bank.example/": "Gone\nOne franc is EUR 0.9512."})
    dead = hidden.with_external(hidden.external, [hidden.pages[0].model_copy(update={"state": "dead"})])
    assert task(view(dead)) == task(plain), "what nobody can fetch is shown to nobody"


def test_the_same_value_is_found_in_other_clothes() -> None:
    assert same("USD 1,234.50", "1234.5") and same("Alder  Mills", "alder mills") and same(None, None)
    assert not same("1,234.50", "1,234.51") and not same(None, "1") and not same("North", "South")


def test_two_authors_are_told_apart_by_their_draw(package: TaskPackage) -> None:
    asked: list[int] = []

    def reply(request: ModelRequest) -> str | ModelReply:
        asked.append(request.sample)
        return block(slipped(package))

    check: Callable[[ModelRequest], str | ModelReply] = reply
    solve(package.with_hidden(expert=None), ScriptedModel(check), rounds=1)
    assert asked == [0, 1]
