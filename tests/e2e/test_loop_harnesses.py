"""The loop harnesses in a real sandbox, from the command line: by script, over HTTP, with a ledger, by a mailbox."""

from __future__ import annotations

import base64
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import workgym
from workgym import cli
from workgym.model import Usage
from workgym.models import Ledger
from workgym.testing import toy_task
from workgym.testing.endpoint import Endpoint, Failure
from workgym.testing.toy import grade
from workgym.trajectory import Trajectory

TASK = "workfactory/supplier-selection.easy-000003"
STYLES = ("stirrup-style", "claude-code-style")


@pytest.fixture(scope="module")
def deliverables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the expert hands in."""
    folder = tmp_path_factory.mktemp("expert")
    done = workgym.rollout(TASK, "expert", out=folder / "t")
    assert done.solved
    package = workgym.make(TASK).unwrapped.package
    files = Trajectory.open(str(done.trajectory)).handed_in(dict(package.files))
    return {path: content for path, content in files.items() if path not in package.files}


def script(style: str, files: dict[str, bytes]) -> list[Any]:
    """The replies of a model that looks around and then knows the files by heart."""
    tool, key = {"stirrup-style": ("code_exec", "cmd"), "claude-code-style": ("Bash", "command")}[style]
    lines = []
    for path, content in files.items():
        lines.append(f"mkdir -p $(dirname '{path}') && base64 -d > '{path}' <<'END'")
        lines.append(base64.encodebytes(content).decode().strip() + "\nEND")
    replies: list[Any] = [
        {"say": "I look first.", "calls": [{"tool": tool, "arguments": {key: "ls -R"}}]},
        {"tool": tool, "arguments": {key: "\n".join(lines)}},
    ]
    if style == "stirrup-style":
        finish = {"tool": "finish", "arguments": {"reason": "Made the files.", "paths": [*files, "nothing.xlsx"]}}
        mended = {"tool": "finish", "arguments": {"reason": "Made the files.", "paths": [*files]}}
        return [*replies, finish, mended]
    todo = {"tool": "TodoWrite", "arguments": {"todos": [{"content": "Make the files", "status": "completed"}]}}
    search = {
        "calls": [{"tool": "Glob", "arguments": {"pattern": "**/*"}}, {"tool": "Grep", "arguments": {"pattern": "a"}}]
    }
    notes = {"tool": "Write", "arguments": {"file_path": "notes.txt", "content": "one\ntwo\n"}}
    edit = {"tool": "Edit", "arguments": {"file_path": "notes.txt", "old_string": "one", "new_string": "1"}}
    read = {"tool": "Read", "arguments": {"file_path": "/work/notes.txt", "offset": 1, "limit": 1}}
    gone = {"tool": "Bash", "arguments": {"command": "rm notes.txt", "timeout": 5000, "description": "Remove my notes"}}
    return [*replies, todo, search, notes, edit, read, gone, "The files are made."]


def run(*arguments: str) -> int:
    return cli.main(["rollout", TASK, *arguments])


@pytest.mark.parametrize("style", STYLES)
def test_a_script_solves_a_task_from_the_command_line(
    style: str, deliverables: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(yaml.safe_dump(script(style, deliverables)))
    out = tmp_path / "t"
    assert run("--harness", style, "--model", f"scripted:{file}", "-o", str(out), "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["reward"], done["end"], done["harness"], done["error"]) == (1.0, "closed", style, None)
    observed = [str(call.observation and call.observation.text) for call in Trajectory.open(out).calls()]
    if style == "stirrup-style":
        assert "missing: nothing.xlsx" in observed[2]
    else:
        assert any(text.startswith("1\t1") for text in observed), "read with numbered lines"
        assert not any(call.observation and call.observation.is_error for call in Trajectory.open(out).calls())
    assert cli.main(["replay", str(out)]) == 0


@pytest.mark.parametrize("style", STYLES)
def test_over_http_with_a_ledger_nothing_is_asked_twice(
    style: str, deliverables: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = script(style, deliverables)

    def answer(body: dict[str, Any], number: int) -> Any:
        if number == 1:
            return Failure(429, headers={"retry-after-ms": "1"})
        return replies[sum(message["role"] == "assistant" for message in body["messages"])]

    ledger = str(tmp_path / "ledger.sqlite")
    with Endpoint(answer, usage=Usage(prompt=900, completion=100)) as endpoint:
        spec = f"openai:m?base_url={endpoint.url}&key_env=NO_SUCH_KEY&price.input=1&price.output=10"
        told = ("--harness", style, "--model", spec, "--ledger", ledger, "--json")
        assert run(*told, "--budget-usd", "0.0038", "-o", str(tmp_path / "a")) == 0
        cut = json.loads(capsys.readouterr().out)
        assert (cut["end"], cut["turns"], cut["spent"]["calls"]) == ("budget", 2, 2), "what lay there was graded"
        assert run(*told, "--budget-usd", "1", "-o", str(tmp_path / "b")) == 0
        done = json.loads(capsys.readouterr().out)
        assert (done["reward"], done["spent"]["hits"], done["spent"]["retries"]) == (1.0, 1, 1)
        assert len(endpoint.bodies) == 2 + len(replies), "half of the budget was gone, which the model was told"
        assert run(*told, "-o", str(tmp_path / "c")) == 0
        assert len(endpoint.bodies) == 2 + len(replies), "all of it was stored"
    capsys.readouterr()
    assert run("--harness", style, "--model", f"recorded:{ledger}", "-o", str(tmp_path / "d")) == 0
    assert "passed, reward 1.000" in capsys.readouterr().out, "a ledger is a cassette"


def test_a_rollout_that_is_killed_and_run_again_pays_for_no_reply_twice(
    deliverables: dict[str, bytes], tmp_path: Path, full_size: bool
) -> None:
    replies = script("stirrup-style", deliverables)
    ledger = tmp_path / "ledger.sqlite"
    kills, draw = 0, random.Random(3)

    def step(body: dict[str, Any]) -> int:
        return sum(message["role"] == "assistant" for message in body["messages"])

    with Endpoint(lambda body, _: replies[step(body)], delay=0.4) as endpoint:
        spec = f"openai:m?base_url={endpoint.url}&key_env=NO_SUCH_KEY"
        told = ("--harness", "stirrup-style", "--model", spec, "--ledger", str(ledger), "-o", str(tmp_path / "t"))
        # Killed a random while after the request for each reply, or every second one.
        for wanted in range(1, len(replies), 1 if full_size else 2):
            child = subprocess.Popen([sys.executable, "-m", "workgym", "rollout", TASK, *told])
            while len({step(body) for body in endpoint.bodies}) < wanted and child.poll() is None:
                time.sleep(0.01)
            time.sleep(draw.random() * 0.6)
            child.kill()
            child.wait()
            kills += child.returncode == -signal.SIGKILL
        assert run(*told) == 0
        sends = Counter(step(body) for body in endpoint.bodies)
    spent = Ledger(ledger).spent()
    assert kills >= 2 and set(sends) == set(range(len(replies)))
    assert sends.total() - len(replies) <= spent.repeats <= kills, "only what was in flight, once for each kill"
    assert (spent.calls, spent.failures) == (len(replies), 0)


def test_a_mailbox_is_a_model(tmp_path: Path) -> None:
    box = tmp_path / "box"
    replies = iter(
        [
            ("json", json.dumps({"tool": "code_exec", "arguments": {"cmd": "cat *.txt"}})),
            ("json", "{broken"),
            (
                "json",
                json.dumps(
                    {"say": "I see.", "calls": [{"tool": "code_exec", "arguments": {"cmd": "echo 42 > sum.txt"}}]}
                ),
            ),
            ("json", json.dumps({"tool": "finish", "arguments": {"reason": "Done.", "paths": ["sum.txt"]}})),
        ]
    )
    seen: list[str] = []

    def person() -> None:
        answered: set[str] = set()
        ending, text = next(replies)
        while True:
            names = {path.name.partition(".")[0] for path in box.glob("*.request.json")} if box.is_dir() else set()
            wrong = {path.name.partition(".")[0] for path in box.glob("*.error")} if box.is_dir() else set()
            for name in (names - answered) | wrong:
                seen.extend(path.read_text() for path in box.glob(f"{name}.error"))
                (box / f"{name}.reply.{ending}").write_text(text)
                answered.add(name)
                ending, text = next(replies, ("", ""))
                if not text:
                    return
                time.sleep(0.2)
            time.sleep(0.02)

    thread = threading.Thread(target=person, daemon=True)
    thread.start()
    result = workgym.rollout(
        toy_task(), "stirrup-style", model=f"mailbox:{box}?timeout=60&poll=0.02", grade=grade, out=tmp_path / "t"
    )
    thread.join(timeout=30)
    assert (result.solved, result.model) == (True, "mailbox:box"), result.error
    assert len(seen) == 1 and "not JSON" in seen[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--budget-tokens", "5"), "a ledger and a budget are for a model; give one (--model)"),
        (("--model", "openai:no-such-model", "--budget-usd", "1"), "nobody knows the price of openai:no-such-model"),
        (("--model", "openai:m", "--budget-usd", "much"), "a budget is a number"),
        (("--model", "openai:m?key=abc"), "keys do not stand in configurations"),
        (("--model", "gpt"), "unknown model 'gpt'"),
    ],
)
def test_mistakes_are_one_line(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--harness", "react", "-o", str(tmp_path / "t"), *arguments) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1 and "Traceback" not in told
