"""Cassettes: what was recorded is played without a model, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workgym.errors import ModelError, UsageError
from workgym.model import Message, ModelReply, ModelRequest, ReasoningBlock, TextBlock, ToolCallBlock, Usage
from workgym.models import Ledger, Ledgered, RecordedModel, ScriptedModel, create

GO = ModelRequest(messages=(Message.of("user", "Go."),))
REPLY = ModelReply(
    blocks=(
        ReasoningBlock(text="hm", signature="s"),
        TextBlock(text="Grüße"),
        ToolCallBlock(id="1", name="t", arguments={"b": [1], "a": None}),
        ToolCallBlock(id="2", name="t", malformed="{"),
    ),
    usage=Usage(prompt=3),
    stop="tool_calls",
    model="served",
)


def test_a_folder_is_recorded_once_and_played_as_it_was(tmp_path: Path) -> None:
    live = ScriptedModel([REPLY])
    recording = RecordedModel(tmp_path / "c", live)
    assert recording.complete(GO) == recording.complete(GO) == REPLY and len(live.requests) == 1
    (file,) = (tmp_path / "c").iterdir()
    assert file.name == f"{GO.key}.json" and "Grüße" in file.read_text("utf-8")
    player = create(f"recorded:{tmp_path / 'c'}")
    assert (player.complete(GO), player.name) == (REPLY, "recorded:c")


def test_a_request_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    RecordedModel(tmp_path / "c", ScriptedModel([REPLY])).complete(GO)
    other = GO.model_copy(update={"sample": 1})
    with pytest.raises(ModelError, match=rf"no reply is recorded for request {other.key[:16]} \(1 messages.*'Go\.'\)"):
        RecordedModel(tmp_path / "c").complete(other)
    with pytest.raises(UsageError, match="there is no cassette.*live="):
        RecordedModel(tmp_path / "none")


def test_a_ledger_is_a_cassette(tmp_path: Path) -> None:
    Ledgered(ScriptedModel([REPLY]), Ledger(tmp_path / "l.sqlite")).complete(GO)
    assert create(f"recorded:{tmp_path / 'l.sqlite'}").complete(GO) == REPLY
    with pytest.raises(ModelError, match="no reply is recorded"):
        RecordedModel(tmp_path / "l.sqlite").complete(ModelRequest(messages=()))
    with pytest.raises(UsageError, match="played as it stands"):
        RecordedModel(tmp_path / "l.sqlite", ScriptedModel([]))


def test_a_damaged_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / f"{GO.key}.json").write_text('{"format": 1, "model": "m", "request": {"messages": []}}')
    with pytest.raises(UsageError, match=r"\.json: reply: Field required"):
        RecordedModel(tmp_path).complete(GO)
    (tmp_path / f"{GO.key}.json").write_text("{")
    with pytest.raises(UsageError, match="Invalid JSON"):
        RecordedModel(tmp_path).complete(GO)


def test_the_live_models_secrets_stay_out(tmp_path: Path) -> None:
    live = ScriptedModel(["the key is the-secret-key"])
    live.secrets = ("the-secret-key",)
    RecordedModel(tmp_path, live).complete(GO)
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["reply"]["blocks"][0]["text"] == "the key is [redacted]"
