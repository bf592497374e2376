"""Every prompt of the project stands on a side, and nothing hidden is said on the solver's.

The *solver's* side is asked about a task from a ``SolverView`` and from what tools answered: harnesses, the independent
solution and verifier, the probe and its diagnosis. *Builders* plan and repair a task and know all of it. *Judges*
grade, with what their item rests on. *Forms* tell a schema. Whoever adds a folder of prompts has to say whose it is.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import workgym
from workgym import shelves
from workgym.check.independent import construct, solve
from workgym.env import OfficeEnv
from workgym.errors import ModelError
from workgym.model import ModelRequest
from workgym.models import ScriptedModel
from workgym.package import view
from workgym.probe import probe
from workgym.records import ToolSpec
from workgym.records.prompts import Prompt, prompts
from workgym.testing import MARK, DummySandbox, grade, marked_task

SIDES = {
    "harnesses/claude_code_style": "solver",
    "harnesses/react": "solver",
    "harnesses/stirrup_style": "solver",
    "workgym/authoring/planner": "builder",
    "workgym/check/independent": "solver",
    "workgym/intents": "builder",
    "workgym/models": "form",
    "workgym/probe": "solver",
    "workgym/repair": "builder",
    "workgym/select": "judge",
    "workgym/verify/judging": "judge",
}
"""Whose the prompts in each folder's ``prompts/`` are."""
SOLVERS = [folder for folder, side in SIDES.items() if side == "solver"]
HIDDEN = frozenset({"TaskPackage", "Hidden", "SupportGraph", "ConstructionPlan", "Values", "Relation", "Intent"})
"""Types that no function of a module with prompts takes on the solver's side: each holds what is hidden, or may."""


def folders(root: Path) -> Iterator[str]:
    """Folders that hold prompts, from the root."""
    for top in ("workgym", *shelves.MANIFESTS):
        for folder in sorted((root / top).rglob("prompts")):
            if folder.is_dir() and any(folder.glob("*.md")):
                yield folder.parent.relative_to(root).as_posix()


def test_every_folder_of_prompts_is_on_a_side(root: Path) -> None:
    assert [folder for folder in folders(root) if folder not in SIDES] == [], "say in SIDES whose these are"


def test_an_unknown_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "workgym" / "new" / "prompts").mkdir(parents=True)
    (tmp_path / "workgym" / "new" / "prompts" / "ask.md").write_text("Go.")
    assert list(folders(tmp_path)) == ["workgym/new"]


def takers(tree: ast.Module) -> list[str]:
    """Functions of a module that take something hidden, or something of no type, as ``name(parameter: type)``."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        given += [extra for extra in (node.args.vararg, node.args.kwarg) if extra is not None]
        for argument in given:
            said = ast.unparse(argument.annotation) if argument.annotation else ""
            if argument.arg in ("self", "cls"):
                continue
            if not said or set(re.findall(r"\w+", said)) & HIDDEN:
                found.append(f"{node.name}({argument.arg}: {said or 'no type'})")
    return found


def with_prompts(folder: Path) -> list[Path]:
    """The modules of a folder that render prompts, or read them."""
    return [
        file
        for file in sorted(folder.glob("*.py"))
        if re.search(r"\.render\(|\bprompts\(Path|\bPROMPTS\[|ModelRequest\(", file.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("folder", SOLVERS)
def test_no_function_beside_a_solvers_prompts_takes_what_is_hidden(folder: str, root: Path) -> None:
    modules = with_prompts(root / folder)
    assert modules
    found = [f"{file.name}: {one}" for file in modules for one in takers(ast.parse(file.read_text("utf-8")))]
    assert found == []


def test_a_function_that_takes_a_package_is_found() -> None:
    source = "def shown(package: TaskPackage, view: SolverView) -> str: ...\ndef told(x, *, graph: 'SupportGraph'): ..."
    assert takers(ast.parse(source)) == [
        "shown(package: TaskPackage)",
        "told(x: no type)",
        "told(graph: 'SupportGraph')",
    ]


# -- all of them are led through what they can say, on a task whose hidden side is full of marks -----------------------

SCRIPTS = (
    "I would rather not.",
    "```python\ndef solve(desk):\n    raise ValueError('odd')\n```",
    "```python\ndef solve(desk):\n    return None\n```",
    "```python\nfrom desk import Blocked\ndef solve(desk):\n    raise Blocked('rent', ['rent.txt'], 'the sum')\n```",
    "I give up.",
)


def with_shell() -> DummySandbox:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    spec = ToolSpec(name="bash", description="Run.", input_schema=schema)
    return DummySandbox(extra={"bash": (spec, lambda files, arguments: "nothing")})


def harness(name: str) -> Callable[[], list[ModelRequest]]:
    """A harness reads a file and hands over; ``unit/harness/test_prompts.py`` leads it through the rest."""

    def drive() -> list[ModelRequest]:
        model = ScriptedModel(["", "A word.", "A word.", "A word."])
        env = OfficeEnv(package=marked_task(), sandbox=with_shell, grade=grade)
        workgym.rollout(env, name, model=model)
        return model.requests

    return drive


def of_independent() -> list[ModelRequest]:
    model = ScriptedModel(SCRIPTS)
    solved = solve(marked_task(), model, rounds=5, scripts=1)
    assert not solved.agreed
    checker = ScriptedModel(["No.", "No.", "No."])
    with pytest.raises(ModelError):
        construct(view(marked_task()), checker)
    return [*model.requests, *checker.requests]


def of_probe() -> list[ModelRequest]:
    ground = {"call": 0, "source": "request.md", "quote": "Please add the amounts in rent.txt", "missing": ""}
    bad = {**ground, "quote": "Please subtract the amounts"}
    said = {"seen": "s", "defect": "broken derivation", "what": "w", "blocks": "b"}
    found = {"seen": "s", "problems": [{**said, "grounds": [ground]}, {**said, "grounds": [bad]}]}
    again = [{"problem": 1, "grounds": []}]
    rulings = [{"problem": 1, "why": "w", "verdict": "defect", "severity": "hard"}]
    diagnoser = ScriptedModel([json.dumps(reply) for reply in (found, again, rulings)])
    solver = ScriptedModel([{"tool": "read_file", "arguments": {"path": "rent.txt"}}, "Done."])
    report = probe(marked_task(), harness="react", model=solver, diagnoser=diagnoser, out=None, sandbox=DummySandbox)
    assert report.hard and report.measured
    return [*solver.requests, *diagnoser.requests]


DRIVERS: dict[str, Callable[[], list[ModelRequest]]] = {
    **{
        folder: harness(folder.rpartition("/")[2].replace("_", "-"))
        for folder in SOLVERS
        if folder.startswith("harnesses/")
    },
    "workgym/check/independent": of_independent,
    "workgym/probe": of_probe,
}


def words(request: ModelRequest) -> str:
    """All that a model is sent, as it reads it."""
    blocks: list[Any] = [block for message in request.messages for block in message.blocks]
    return "\n".join(getattr(block, "text", "") for block in blocks)


def said_in(heard: str, prompt: Prompt) -> bool:
    """Whether a prompt was said, whatever its values were."""
    pieces = [piece.strip() for piece in re.split(r"\{\{ *\w+ *\}\}", prompt.text)]
    return all(piece in heard for piece in pieces)


@pytest.mark.parametrize("folder", SOLVERS)
def test_nothing_hidden_is_said_on_the_solvers_side(folder: str, root: Path) -> None:
    requests = DRIVERS[folder]()
    assert requests
    sent = "\n".join(request.model_dump_json() for request in requests)
    task = marked_task()
    assert MARK.search(sent) is None
    assert task.card.canary not in sent and task.id not in sent and task.card.title not in sent
    if not folder.startswith("harnesses/"):
        heard = "\n".join(map(words, requests))
        unsaid = [name for name, prompt in prompts(root / folder / "prompts").items() if not said_in(heard, prompt)]
        assert unsaid == [], "each of its prompts was said"


def test_a_mark_is_found_where_a_prompt_tells_too_much() -> None:
    task = marked_task()
    for told in (task.hidden.graph, task.hidden.plan, task.hidden.values, task.hidden.origin, task.hidden.expert):
        assert MARK.search(str(told))
