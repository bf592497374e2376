"""Every prompt is rendered: nothing hidden is in it, and every tool that it names is there.

The task has a text of its own in each hidden field. Each harness is led through all that it can say, with everything
that the model is sent kept; each judge's question is put together as grading does.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import workgym
from workgym import harness as harnesses
from workgym import shelves
from workgym.env import OfficeEnv
from workgym.model import (
    ImageBlock,
    Message,
    ModelCard,
    ModelReply,
    ModelRequest,
    Price,
    TextBlock,
    ToolCallBlock,
    Usage,
)
from workgym.models import Asker, Budget, Ledger, Ledgered, ScriptedModel
from workgym.package import Hidden, Interfaces, TaskPackage
from workgym.records import ToolSpec
from workgym.records.prompts import Prompt, prompts
from workgym.testing import DummySandbox, grade, mark, marked_task, toy_task
from workgym.tool import load as load_pack
from workgym.user import ScriptedUser, UserTurn
from workgym.verify.judging.questions import ask_of
from workgym.verify.judging.rendering import View

MODELS = [name for name in shelves.names("harnesses") if harnesses.manifest(name).needs_model]
FOLDERS = [*(shelves.folder("harnesses", name) / "prompts" for name in MODELS)]
ROOT = Path(workgym.__file__).parent
JUDGES = (ROOT / "verify" / "judging" / "prompts", ROOT / "models" / "prompts")


def task() -> TaskPackage:
    return marked_task(turns=40)


def test_every_hidden_field_has_its_text() -> None:
    made = task().hidden
    for field in dataclasses.fields(Hidden):
        assert f"SENTINEL-{field.name}" in repr(getattr(made, field.name)), f"a new hidden field: {field.name}"


def sandbox() -> DummySandbox:
    """The double with a shell in which a file is always missing."""
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    spec = ToolSpec(name="bash", description="Run.", input_schema=schema)
    return DummySandbox(extra={"bash": (spec, lambda files, arguments: "missing: nothing.txt")})


def led_through(name: str) -> list[ModelRequest]:
    """What a model is sent by a harness in every situation."""
    inner = ScriptedModel(lambda request: _said(request, len(inner.requests)))
    inner.card = ModelCard(context=100_000, price=Price(input=Decimal(1), output=Decimal(1)))
    model = Ledgered(inner, Ledger(), budget=Budget(tokens=4_000_000, tell=True))
    user = ScriptedUser([UserTurn(say="There is more to do.")] * 50)
    env = OfficeEnv(package=task(), sandbox=sandbox, grade=grade, user=user)
    result = workgym.rollout(env, name, model=model)
    assert (result.end, result.error) == ("turns", None)
    return inner.requests


def _said(request: ModelRequest, number: int) -> ModelReply:
    """Empty, cut, withheld, wrong and right replies in turn; usage that grows until a summary is due."""
    usage = Usage(prompt=10_000 + 8_000 * (number % 12), completion=10)
    text = (TextBlock(text="A word."),)
    if not request.tools or any(word in words([request]) for word in ("Write a summary", "replaced by a summary")):
        return ModelReply(blocks=text, usage=usage)
    if number % 10 == 2:
        return ModelReply(blocks=(), usage=usage)
    if number % 10 in (3, 6):
        return ModelReply(blocks=text, usage=usage, stop="length" if number % 10 == 3 else "filter")
    if number % 10 == 4:
        return ModelReply(blocks=text, usage=usage)
    if number % 10 == 5:
        ends = [ToolCallBlock(id=f"{number}-{end}", name="finish", arguments={}) for end in range(2)]
        return ModelReply(blocks=tuple(ends), usage=usage, stop="tool_calls")
    names = [tool.name for tool in request.tools if tool.name != "submit"]
    name = names[number % len(names)]
    known: dict[str, Any] = {"code_exec": {"cmd": "ls"}, "finish": {"reason": "r", "paths": ["nothing.txt"]}}
    known |= {"list_files": {}, "Glob": {"pattern": "*"}, "Bash": {"command": "ls"}, "Read": {"file_path": "rent.txt"}}
    call = ToolCallBlock(id=str(number), name=name, arguments=known.get(name, {"odd": 1}))
    return ModelReply(blocks=(*text, call), usage=usage, stop="tool_calls")


@pytest.mark.parametrize("name", MODELS)
def test_nothing_hidden_is_in_what_a_harness_says(name: str) -> None:
    requests = led_through(name)
    assert len(requests) > 20
    sent = "\n".join(request.model_dump_json() for request in requests)
    assert "SENTINEL" not in sent and toy_task().card.canary not in sent
    heard = words(requests)
    found = prompts(shelves.folder("harnesses", name) / "prompts").items()
    # Two of a real tool are not offered by the double.
    unheard = {key for key, prompt in found if not said_in(heard, prompt)} - {"edit", "grep"}
    assert unheard == set(), "each of its prompts was said"


def words(requests: Sequence[ModelRequest]) -> str:
    """All that a model is sent, as it reads it."""
    blocks = [block for request in requests for message in request.messages for block in message.blocks]
    offered = [tool.description for request in requests for tool in request.tools]
    return "\n".join([*(block.text for block in blocks if not isinstance(block, ToolCallBlock | ImageBlock)), *offered])


def said_in(heard: str, prompt: Prompt) -> bool:
    """Whether a prompt was said, whatever its values were."""
    pieces = [piece.strip() for piece in re.split(r"\{\{ *\w+ *\}\}", prompt.text)]
    return all(piece in heard for piece in pieces)


@pytest.mark.parametrize("folder", [*FOLDERS, *JUDGES], ids=lambda folder: folder.parent.name)
def test_every_prompt_renders(folder: Path) -> None:
    found = prompts(folder)
    assert found
    for prompt in found.values():
        rendered = prompt.render(**dict.fromkeys(prompt.places, "VALUE {{other}}"))
        assert rendered.strip() and rendered.count("VALUE {{other}}") >= len(prompt.places)
        with pytest.raises(ValueError, match="values and places differ in: one_too_many"):
            prompt.render(**dict.fromkeys(prompt.places, ""), one_too_many="")


@pytest.mark.parametrize("name", MODELS)
def test_every_tool_that_a_prompt_names_is_on_offer(name: str) -> None:
    environment = {spec.name for spec in pack_specs()}
    offered = offered_in_full(name)
    everywhere = environment | {"submit", "code_exec", "finish"}
    everywhere |= {"Bash", "Read", "Write", "Edit", "Glob", "Grep", "TodoWrite", "WebSearch", "Task", "python"}
    for prompt in prompts(shelves.folder("harnesses", name) / "prompts").values():
        quoted = set(re.findall(r"`([^`]+)`", prompt.text))
        named = {word for word in re.findall(r"\b\w+\b", prompt.text) if word in everywhere and "_" in word}
        assert (quoted | named) <= offered, f"{name}/{prompt.name}"


def pack_specs() -> list[ToolSpec]:
    return [spec for name in Interfaces().tools for spec in load_pack(name).specs()]


def offered_in_full(name: str) -> set[str]:
    """Tools that a harness offers where the environment has all of its packs."""
    specs = pack_specs()

    def sandbox() -> DummySandbox:
        return DummySandbox(extra={spec.name: (spec, lambda files, arguments: "") for spec in specs})

    model = ScriptedModel(["", "", "", ""])
    workgym.rollout(OfficeEnv(package=task(), sandbox=sandbox, grade=grade), name, model=model)
    return {tool.name for tool in model.requests[0].tools}


def test_a_judge_is_told_what_its_item_rests_on_and_nothing_else_that_is_hidden() -> None:
    package = task()
    (item,) = package.hidden.graph.deliverables[0].rubric
    question = ask_of(package, item, [View("hello", "all of it")])
    asked = "\n".join(message.model_dump_json() for message in question.messages())
    told = set(re.findall(r"SENTINEL-[\w-]+-TEXT", asked))
    assert told == {mark("graph"), mark("values-rested")}, "the unit's name and its value"


def test_a_form_is_told_without_anything_but_its_schema() -> None:
    model = ScriptedModel(["{}", "{}"])
    with pytest.raises(workgym.errors.ModelError):
        Asker(model, list[int]).ask(ModelRequest(messages=(Message.of("user", "Go."),)))
    assert "SENTINEL" not in "".join(request.model_dump_json() for request in model.requests)
