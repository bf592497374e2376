"""The loop harnesses of a style: their tools, their ends, and what they say to a model that does not get along."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import workgym
from workgym.env import OfficeEnv
from workgym.errors import ContextExceeded
from workgym.harness import Episode
from workgym.harness.loop import Loop
from workgym.model import (
    Message,
    ModelCard,
    ModelReply,
    ModelRequest,
    Price,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from workgym.models import Budget, Ledger, Ledgered, ScriptedModel
from workgym.records import ToolSpec
from workgym.rollout import Rollout
from workgym.testing import DummySandbox, grade, toy_task
from workgym.trajectory import MessageEvent, SegmentEvent, Trajectory
from workgym.user import ScriptedUser, UserTurn

STYLES = ("stirrup-style", "claude-code-style")


def bash(files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    """A shell that knows three commands: write the sum, look whether a file is there, print a lot."""
    command = arguments["command"]
    if command.startswith("echo 42"):
        files["sum.txt"] = b"42\n"
        return ""
    if command.startswith("for path in"):
        named = command.removeprefix("for path in ").partition(";")[0].split()
        return "\n".join(f"missing: {path}" for path in named if path not in files)
    return "x" * 3000 if command == "long" else "power.txt rent.txt"


def sandbox() -> DummySandbox:
    schema = {"type": "object", "properties": {"command": {"type": "string"}, "timeout": {"type": "number"}}}
    return DummySandbox(extra={"bash": (ToolSpec(name="bash", description="Run.", input_schema=schema), bash)})


def office(**options: Any) -> OfficeEnv:
    return OfficeEnv(**({"package": toy_task(), "sandbox": sandbox, "grade": grade} | options))


def code(command: str) -> dict[str, Any]:
    return {"tool": "code_exec", "arguments": {"cmd": command}}


def finish(*paths: str) -> dict[str, Any]:
    return {"tool": "finish", "arguments": {"reason": "Added up.", "paths": list(paths)}}


WORK = {
    "stirrup-style": [code("ls"), code("echo 42 > sum.txt"), finish("sum.txt")],
    "claude-code-style": [
        {"tool": "Read", "arguments": {"file_path": "rent.txt"}},
        {"tool": "Write", "arguments": {"file_path": "sum.txt", "content": "42\n"}},
        "The sum is in sum.txt.",
    ],
}
LOOK = {"stirrup-style": code("ls"), "claude-code-style": {"tool": "Bash", "arguments": {"command": "ls"}}}


def texts(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, TextBlock | ToolResultBlock))


@pytest.mark.parametrize("style", STYLES)
def test_the_work_is_done_and_handed_in(style: str, tmp_path: Path) -> None:
    model = ScriptedModel(WORK[style])
    result = workgym.rollout(office(), style, model=model, out=tmp_path / "t")
    assert (result.solved, result.end, result.harness) == (True, "closed", style), result.error
    offered = [tool.name for tool in model.requests[0].tools]
    if style == "stirrup-style":
        assert offered == ["code_exec", "finish"]
    else:
        assert offered == ["Bash", "Read", "Write", "Glob", "TodoWrite", "submit"]
    assert model.requests[0].messages[1] == Message.of("user", toy_task().request)


@pytest.mark.parametrize("style", STYLES)
def test_the_user_goes_on(style: str) -> None:
    env = office(user=ScriptedUser([UserTurn(say="Please check once more.")]))
    last = WORK[style][-1]
    model = ScriptedModel([*WORK[style], last])
    assert workgym.rollout(env, style, model=model).solved
    assert "Please check once more." in texts(model.requests[-1].messages[-1])


@pytest.mark.parametrize("style", STYLES)
def test_calls_that_cannot_be_made_are_answered_and_cost_no_action(style: str) -> None:
    name = LOOK[style]["tool"]
    wrong = {"calls": [{"tool": "launch"}, {"tool": name, "arguments": "{oops"}, {"tool": name, "arguments": {"x": 1}}]}
    model = ScriptedModel([wrong, *WORK[style]])
    result = workgym.rollout(office(), style, model=model)
    assert result.solved
    unknown, malformed, bad = model.requests[1].messages[-1].blocks
    assert isinstance(unknown, ToolResultBlock) and "There is no tool 'launch'. The tools are: " in unknown.text
    assert isinstance(malformed, ToolResultBlock) and malformed.text.endswith("no JSON object: {oops")
    assert isinstance(bad, ToolResultBlock) and bad.text.startswith(f"{name}: ")
    assert all(isinstance(block, ToolResultBlock) and block.is_error for block in (unknown, malformed, bad))
    assert result.turns == len(WORK[style]) + (style == "stirrup-style"), "the finish looks for its files"


@pytest.mark.parametrize("style", STYLES)
def test_a_silent_a_cut_and_a_withheld_reply_are_each_told_so_and_then_it_gives_up(style: str) -> None:
    replies = [
        ModelReply(blocks=()),
        ModelReply(blocks=(TextBlock(text="I wi"),), stop="length"),
        LOOK[style],
        " ",
        ModelReply(blocks=(TextBlock(text="I will not."),), stop="filter"),
        "",
        "never reached",
    ]
    model = ScriptedModel(replies)
    result = workgym.rollout(office(), style, model=model)
    assert (result.end, result.error, result.turns) == ("gave up", None, 1)
    heard = [texts(request.messages[-1]) for request in model.requests]
    assert "empty" in heard[1] and "cut off" in heard[2] and "empty" in heard[4] and "withheld" in heard[5]
    assert len(model.requests) == 6


def test_stirrup_a_reply_without_a_call_ends_nothing() -> None:
    model = ScriptedModel(["I have done it.", *WORK["stirrup-style"]])
    assert workgym.rollout(office(), "stirrup-style", model=model).solved
    assert "called no tool" in texts(model.requests[1].messages[-1])


def test_stirrup_finish_wants_files_that_are_there_and_stands_alone() -> None:
    both = {"calls": [finish("rent.txt"), code("echo 42 > sum.txt"), finish("sum.txt")]}
    as_text = {"tool": "finish", "arguments": {"reason": "Done.", "paths": '["sum.txt"]'}}
    no_list = {"tool": "finish", "arguments": {"reason": "Done.", "paths": "{}"}}
    model = ScriptedModel([finish("total.txt", "rent.txt"), both, no_list, as_text])
    assert workgym.rollout(office(), "stirrup-style", model=model).solved
    assert "no files in the folder: total.txt." in texts(model.requests[1].messages[-1])
    first, made, second = model.requests[2].messages[-1].blocks
    assert isinstance(first, ToolResultBlock) and isinstance(second, ToolResultBlock)
    assert first.is_error and second.is_error and "Only one `finish`" in first.text
    assert isinstance(made, ToolResultBlock) and not made.is_error
    assert "finish: paths must be an array" in texts(model.requests[3].messages[-1])


def test_stirrup_warns_in_the_last_turns() -> None:
    model = ScriptedModel([code("ls")] * 22)
    result = workgym.rollout(office(package=toy_task(turns=22)), "stirrup-style", model=model)
    assert (result.end, result.turns) == ("turns", 22)
    warned = ["turns left. Bring" in texts(request.messages[-1]) for request in model.requests]
    assert warned == [False] * 2 + [True] * 20
    assert "You have 20 turns left." in texts(model.requests[2].messages[-1])


def test_stirrup_needs_a_shell() -> None:
    result = workgym.rollout(office(sandbox=DummySandbox), "stirrup-style", model=ScriptedModel([]))
    assert result.fault == "harness" and "works through a shell" in str(result.error)


def test_claude_code_keeps_a_todo_list_that_costs_nothing_and_survives_compaction() -> None:
    todos = [{"content": "Read", "status": "completed"}, {"content": "Add", "status": "in_progress"}]
    full = Usage(prompt=9000, completion=10)
    listed = ModelReply(
        blocks=(ToolCallBlock(id="1", name="TodoWrite", arguments={"todos": todos}),), usage=full, stop="tool_calls"
    )
    look = ModelReply(blocks=(ToolCallBlock(id="2", name="Bash", arguments={"command": "ls"}),), stop="tool_calls")
    model = ScriptedModel([look, listed, "SUMMARY: nothing yet.", *WORK["claude-code-style"]])
    model.card = ModelCard(context=10_000)
    result = workgym.rollout(office(), "claude-code-style", model=model)
    assert result.solved and result.turns == 4, "ls, read, write, answer"
    assert "[x] Read\n[>] Add" in texts(model.requests[2].messages[-2])
    after = model.requests[3].messages
    assert len(after) == 2 and "SUMMARY: nothing yet." in texts(after[1]) and "[>] Add" in texts(after[1])
    assert texts(after[1]).startswith(toy_task().request)


def replies(style: str, usage: Sequence[Usage]) -> list[ModelReply]:
    name, arguments = LOOK[style]["tool"], LOOK[style]["arguments"]
    return [
        ModelReply(
            blocks=(ToolCallBlock(id=f"c{number}", name=name, arguments=arguments),), usage=used, stop="tool_calls"
        )
        for number, used in enumerate(usage)
    ]


@pytest.mark.parametrize(("style", "share"), [("stirrup-style", 0.7), ("claude-code-style", 0.8)])
def test_the_context_is_summed_up_at_its_share_in_a_segment_of_its_own(
    style: str, share: float, tmp_path: Path
) -> None:
    below, above = int(100_000 * share) - 200, int(100_000 * share)
    filled = replies(style, [Usage(prompt=100, completion=1), Usage(prompt=below, completion=1), Usage(prompt=above)])
    model = ScriptedModel([*filled, "What was found.", *WORK[style]])
    model.card = ModelCard(context=100_000)
    result = workgym.rollout(office(), style, model=model, out=tmp_path / "t")
    assert result.solved
    lengths = [len(request.messages) for request in model.requests]
    assert lengths[:5] == [2, 4, 6, 9, 2], "the summary is asked at the end of the conversation, then it starts anew"
    trajectory = Trajectory.open(tmp_path / "t")
    segments = [(event.segment, event.parent, event.reason) for event in trajectory.of(SegmentEvent)]
    assert segments == [(0, None, "request"), (1, 0, "compaction")]
    summary = [event for event in trajectory.of(MessageEvent) if "What was found." in str(event.blocks)]
    assert [(event.segment, event.role) for event in summary] == [(0, "assistant"), (1, "user")]


@pytest.mark.parametrize("style", STYLES)
def test_a_model_that_answers_a_summary_with_calls_is_asked_again_and_then_given_up(style: str) -> None:
    over = replies(style, [Usage(prompt=10, completion=1), Usage(prompt=99_000, completion=1)])
    stubborn = ScriptedModel([*over, LOOK[style], "Now in words.", *WORK[style]])
    stubborn.card = ModelCard(context=100_000)
    assert workgym.rollout(office(), style, model=stubborn).solved
    hopeless = ScriptedModel([*over, LOOK[style], "", LOOK[style]])
    hopeless.card = ModelCard(context=100_000)
    result = workgym.rollout(office(), style, model=hopeless)
    assert (result.end, result.error, result.turns) == ("gave up", None, 2)
    assert hopeless.requests[-1].tools == () and hopeless.requests[-2].tools != ()


@pytest.mark.parametrize("style", STYLES)
def test_without_counts_the_context_is_estimated_by_length(style: str) -> None:
    name, key = LOOK[style]["tool"], next(iter(LOOK[style]["arguments"]))
    long = {"tool": name, "arguments": {key: "long"}}
    model = ScriptedModel([long, long, long, "In short.", *WORK[style]])
    model.card = ModelCard(context=4600)
    result = workgym.rollout(office(), style, model=model)
    assert result.solved, (result.error, [len(request.messages) for request in model.requests])
    assert "In short." in texts(model.requests[4].messages[1])


@pytest.mark.parametrize("style", STYLES)
def test_an_overrun_context_is_cut_and_summed_up(style: str) -> None:
    asked: list[int] = []
    script = iter(
        [LOOK[style], {"tool": LOOK[style]["tool"], "arguments": {next(iter(LOOK[style]["arguments"])): "long"}}]
    )
    rest = iter(["In short.", *WORK[style]])

    def answer(request: ModelRequest) -> Any:
        asked.append(len(request.messages))
        if len(asked) <= 2:
            return next(script)
        if len(asked) == 3:
            raise ContextExceeded("too long", status=400)
        return next(rest)

    result = workgym.rollout(office(), style, model=ScriptedModel(answer))
    assert result.solved and asked[:5] == [2, 4, 6, 7, 2]


@pytest.mark.parametrize("style", STYLES)
def test_what_is_left_of_the_budget_is_told_and_its_end_is_no_fault(style: str, tmp_path: Path) -> None:
    inner = ScriptedModel(replies(style, [Usage(prompt=200, completion=50)] * 9))
    inner.card = ModelCard(price=Price(input=Decimal(1000), output=Decimal(1000)))
    model = Ledgered(inner, Ledger(), budget=Budget(money=Decimal(1), tokens=5000, tell=True))
    result = workgym.rollout(office(), style, model=model, out=tmp_path / "t")
    assert (result.end, result.error, result.fault, result.turns) == ("budget", None, None, 4)
    assert result.verdict == "failed" and result.usage == Usage(prompt=800, completion=200)
    told = ["of what may be spent" in heard or "of the budget" in heard for heard in heard_of(inner)]
    assert told == [False, False, True, True]
    ends = [event for event in Trajectory.open(tmp_path / "t").events() if event.event == "end"]
    assert [(end.reason, str(end.detail)) for end in ends] == [  # type: ignore[union-attr]
        ("budget", "scripted: the budget is used up: $1.0000 of $1.00 are spent")
    ]


def heard_of(model: ScriptedModel) -> list[str]:
    return [texts(request.messages[-1]) for request in model.requests]


@pytest.mark.parametrize("style", STYLES)
def test_a_killed_rollout_goes_on_from_its_stored_replies(style: str, tmp_path: Path) -> None:
    def run(script: list[Any], seed: int = 0) -> tuple[Rollout, ScriptedModel]:
        inner = ScriptedModel(script)
        return workgym.rollout(office(), style, model=Ledgered(inner, Ledger(tmp_path / "l")), seed=seed), inner

    cut, _ = run(WORK[style][:2])
    assert cut.fault == "model" and not cut.solved
    again, inner = run(WORK[style][2:])
    assert again.solved and len(inner.requests) == 1, "two replies were stored"
    other, inner = run(WORK[style], seed=1)
    assert other.solved and len(inner.requests) == 3, "another seed draws anew"


def test_a_loop_without_its_texts_says_which_is_missing() -> None:
    def bare(episode: Episode) -> None:
        Loop(episode, {}, "You work.", (), compact_at=0.5).run()

    result = workgym.rollout(office(), bare, model=ScriptedModel([]))
    assert (result.fault, result.error) == ("harness", "the harness brings no prompts/budget.md along")


def test_250_turns_are_the_end_even_of_a_loop_that_never_acts() -> None:
    todo = {"tool": "TodoWrite", "arguments": {"todos": []}}
    model = ScriptedModel(lambda _: todo)
    result = workgym.rollout(office(), "claude-code-style", model=model)
    assert (len(model.requests), result.end, result.turns) == (250, "gave up", 0)
