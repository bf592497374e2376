"""The event log: what is written is read, whatever the text; a kill loses at most the torn line; secrets stay out."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workgym.errors import ReplayError, UsageError
from workgym.model import ReasoningBlock, TextBlock, ToolCallBlock, Usage
from workgym.records import FileChange
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    EpisodeEvent,
    Event,
    MessageEvent,
    ObservationEvent,
    Redactor,
    SegmentEvent,
    Trajectory,
    TrajectoryWriter,
    UserEvent,
    WorkspaceEvent,
)

START = EpisodeEvent(task_id="t", task_digest="d", harness="h", sandbox="dummy", turns=9, workspace="w")
TEXT = st.text(st.characters(codec=None), max_size=50) | st.just("é\ud800" * 2000)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT | st.sampled_from(["$blob", "$text", "size"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def write(folder: Path, *events: Event, **options: Any) -> Trajectory:
    with TrajectoryWriter(folder, redactor=Redactor(environment={}), **options) as writer:
        for event in events:
            writer.append(event)
    return Trajectory.open(folder)


def test_events_of_every_kind_come_back_equal(tmp_path: Path) -> None:
    blocks = (
        ReasoningBlock(text="hm", signature="opaque=="),
        TextBlock(text="x" * 5000),
        ToolCallBlock(id="1", name="n", arguments={"a": [1, None, {"$blob": "no", "size": 3}]}),
    )
    events: list[Event] = [
        START,
        SegmentEvent(segment=0, parent=None, reason="request"),
        MessageEvent(segment=0, role="assistant", blocks=blocks, usage=Usage(prompt=3), stop="tool_calls", model="m"),
        CallEvent(index=1, segment=0, tool="n", arguments={"$blob": "no", "size": 3}),
        ObservationEvent(
            index=1,
            text="é" * 3000,
            is_error=False,
            workspace="w2",
            changes=(FileChange(path="a", change="removed", digest=None, size=0),),
        ),
        UserEvent(segment=0, message="done?", say="No.", files={"a.txt": "QQ==", "b.txt": None}, closes=False),
        CallEvent(index=2, segment=0, tool="", arguments="not json", refused=True),
        EndEvent(reason="closed", detail={"x": None}),
    ]
    trajectory = write(tmp_path, *events)
    assert list(trajectory.events()) == events
    assert [(call.call.index, call.observation is None) for call in trajectory.calls()] == [(1, False), (2, True)]
    longest = max(len(line) for line in (tmp_path / "events.jsonl").read_bytes().splitlines())
    assert longest < 4096, "long bodies stand in blobs"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(arguments=JSON, text=TEXT)
def test_any_arguments_and_any_text_survive(
    tmp_path_factory: pytest.TempPathFactory, arguments: Any, text: str
) -> None:
    call = CallEvent(index=1, segment=0, tool=text, arguments=arguments)
    seen = ObservationEvent(index=1, text=text, is_error=True, workspace="w")
    trajectory = write(tmp_path_factory.mktemp("t"), START, call, seen, durable=False)
    assert list(trajectory.events()) == [START, call, seen]


def test_a_torn_last_line_is_dropped_when_read_and_cut_when_continued(tmp_path: Path) -> None:
    write(tmp_path, START)
    with open(tmp_path / "events.jsonl", "ab") as log:
        log.write(b'{"event":"end","reas')
    assert list(Trajectory.open(tmp_path).events()) == [START]
    end = EndEvent(reason="closed")
    assert list(write(tmp_path, end).events()) == [START, end]


def test_kill_minus_nine_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    program = """
        import sys
        from workgym.trajectory import *
        writer = TrajectoryWriter(sys.argv[1])
        writer.append(EpisodeEvent(task_id="t", task_digest="d", harness="h", sandbox="s", turns=9, workspace="w"))
        for index in range(1, 10_000):
            writer.append(CallEvent(index=index, segment=0, tool="t", arguments={"text": f"{index} " * 2000}))
            print(index, flush=True)
    """
    root = Path(__file__).parents[3]
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert child.stdout is not None
    acknowledged = 0
    while acknowledged < 20:
        acknowledged = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    rest = child.stdout.read().split()
    child.stdout.close()
    child.wait()
    acknowledged = max([acknowledged, *map(int, rest)])
    calls = [call.call for call in Trajectory.open(tmp_path).calls()]
    assert [call.index for call in calls] == list(range(1, len(calls) + 1))
    assert len(calls) >= acknowledged and calls[-1].arguments["text"].startswith(str(len(calls)))


def test_secrets_are_redacted_in_lines_and_blobs(tmp_path: Path) -> None:
    key = "sk-" + "A1b2" * 8
    redactor = Redactor(
        ["my-secret-value", "short"], environment={"SOME_API_KEY": "from-environment", "HOME": "/home/someone"}
    )
    with TrajectoryWriter(tmp_path, redactor=redactor) as writer:
        writer.append(START)
        leaks = {"my-secret-value": [key, "from-environment"], "kept": "short /home/someone my-secret"}
        writer.append(CallEvent(index=1, segment=0, tool="t", arguments=leaks))
        writer.append(ObservationEvent(index=1, text=f"{key} " * 500, is_error=False, workspace="w"))
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).decode()
    assert all(secret not in written for secret in (key, "my-secret-value", "from-environment"))
    (call,) = Trajectory.open(tmp_path).calls()
    assert call.call.arguments == {"[redacted]": ["[redacted]", "[redacted]"], "kept": "short /home/someone my-secret"}


def test_files_that_were_handed_in_keep_their_bytes(tmp_path: Path) -> None:
    content = b"my-secret-value, sk-" + b"A1b2" * 8
    name = hashlib.sha256(content).hexdigest()
    with TrajectoryWriter(tmp_path, redactor=Redactor(["my-secret-value"], environment={})) as writer:
        writer.append(START)
        writer.append(WorkspaceEvent(digests={"a.txt": name}, kept={"a.txt": writer.blob(content)}))
    assert Trajectory.open(tmp_path).handed_in({}) == {"a.txt": content}


def test_damage_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no trajectory is there"):
        Trajectory.open(tmp_path)
    trajectory = write(tmp_path, START, ObservationEvent(index=1, text="x" * 3000, is_error=False, workspace="w"))
    (blob,) = (tmp_path / "blobs").iterdir()
    blob.write_bytes(b"other")
    with pytest.raises(ReplayError, match=f"blob {blob.name} is damaged"):
        list(trajectory.events())
    blob.unlink()
    with pytest.raises(ReplayError, match="cannot be read"):
        list(trajectory.events())
    log = tmp_path / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + b'{"event":"observation","index":"one"}\n' + lines[1])
    with pytest.raises(ReplayError, match=r"events.jsonl:2: .*index"):
        list(trajectory.events())
    log.write_bytes(lines[0] + b"}{\n" + lines[1])
    with pytest.raises(ReplayError, match=r"events.jsonl:2: not an event"):
        list(trajectory.events())
    log.write_text(json.dumps(json.loads(lines[0]) | {"format": 2}) + "\n")
    with pytest.raises(ReplayError, match="format 2 is newer than 1; upgrade workgym"):
        Trajectory.open(tmp_path)


def test_what_was_handed_in_is_put_together_again(tmp_path: Path) -> None:
    def sha(content: bytes) -> str:
        return hashlib.sha256(content).hexdigest()

    with TrajectoryWriter(tmp_path) as writer:
        writer.append(START)
        kept = {"out.txt": writer.blob(b"made")}
        writer.append(WorkspaceEvent(digests={"in.txt": sha(b"given"), "out.txt": sha(b"made")}, kept=kept))
    trajectory = Trajectory.open(tmp_path)
    assert trajectory.handed_in({"in.txt": b"given"}) == {"in.txt": b"given", "out.txt": b"made"}
    with pytest.raises(ReplayError, match="in.txt is not the file"):
        trajectory.handed_in({"in.txt": b"other"})
