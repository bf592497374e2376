"""Requests and replies as files: whoever writes the reply is the model, and a bad one is told what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workgym.errors import ModelError, ModelUnavailable, UsageError
from workgym.model import Message, ModelReply, ModelRequest, TextBlock, ToolCallBlock
from workgym.models import MailboxModel, create
from workgym.records import ToolSpec

TOOL = ToolSpec(name="read_file", description="Read.", input_schema={"type": "object"})
GO = ModelRequest(messages=(Message.of("system", "Work."), Message.of("user", "Go.")), tools=(TOOL,))
NAME = GO.key[:32]


class Postman:
    """Sleeps in place of the mailbox, and does one thing each time."""

    def __init__(self, *does: Callable[[], object]) -> None:
        self.does, self.now = list(does), 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.does:
            self.does.pop(0)()


def mailbox(folder: Path, *does: Callable[[], object], timeout: float | None = 60) -> MailboxModel:
    postman = Postman(*does)
    return MailboxModel(folder, timeout=timeout, clock=postman.clock, sleep=postman.sleep)


def writes(folder: Path, ending: str, text: str) -> Callable[[], object]:
    return lambda: (folder / f"{NAME}.reply.{ending}").write_text(text)


def test_a_person_reads_the_markdown_and_writes_a_text(tmp_path: Path) -> None:
    reply = mailbox(tmp_path, writes(tmp_path, "md", "All done.\n")).complete(GO)
    assert reply == ModelReply(blocks=(TextBlock(text="All done.\n"),), model="mailbox")
    page = (tmp_path / f"{NAME}.request.md").read_text()
    assert "## user\n\nGo." in page and "`read_file`: Read." in page
    asked = json.loads((tmp_path / f"{NAME}.request.json").read_text())
    assert ModelRequest.model_validate(asked["request"]) == GO and asked["id"] == NAME
    assert sorted(file.name.partition(".")[2] for file in tmp_path.iterdir()) == [
        "reply.md",
        "request.json",
        "request.md",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        {"say": "Let me look.", "calls": [{"tool": "read_file", "arguments": {"path": "a"}}]},
        {
            "blocks": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_call", "id": f"call-{NAME[:8]}-0", "name": "read_file", "arguments": {"path": "a"}},
            ]
        },
    ],
)
def test_a_program_writes_json(tmp_path: Path, reply: dict[str, object]) -> None:
    got = mailbox(tmp_path, writes(tmp_path, "json", json.dumps(reply))).complete(GO)
    assert (got.text, got.stop) == ("Let me look.", "tool_calls")
    assert got.calls == (ToolCallBlock(id=f"call-{NAME[:8]}-0", name="read_file", arguments={"path": "a"}),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{broken", "not JSON: "),
        ('{"blocks": [{"type": "txt"}]}', "blocks.0: Input tag 'txt'"),
        ('{"blocks": [], "stop": "bored"}', "stop: Input should be"),
        ('{"sya": "hello"}', "write a text, {tool, arguments}"),
        ("[1]", "write a text"),
        ("\ufeff", "not JSON"),
    ],
)
def test_a_malformed_reply_is_told_what_is_wrong_and_can_be_mended(tmp_path: Path, text: str, says: str) -> None:
    complaint = tmp_path / f"{NAME}.error"
    seen: list[str] = []

    def mend() -> None:
        seen.append(complaint.read_text())
        writes(tmp_path, "json", '{"say": "Mended, and longer than before."}')()

    reply = mailbox(tmp_path, writes(tmp_path, "json", text), lambda: None, mend).complete(GO)
    assert reply.text == "Mended, and longer than before." and not complaint.exists()
    assert seen[0].startswith(f"{NAME}.reply.json: ") and says in seen[0]


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text(), lambda x: st.dictionaries(st.text(), x)).map(
        lambda data: json.dumps(data).encode()
    )
)
@example(b"[" * 100_000)
@example(b'{"calls": ' * 300 + b"1" + b"}" * 300)
@example(json.dumps({"say": "\ud83d"}).encode())
def test_any_bytes_are_a_reply_or_told_to_be_none(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{NAME}.reply.json").write_bytes(content)
        try:
            reply = mailbox(folder, timeout=0.1).complete(GO)
        except ModelError:
            assert (folder / f"{NAME}.error").read_text().startswith(f"{NAME}.reply.json: ")
        else:
            assert ModelReply.model_validate_json(reply.model_dump_json()) == reply


def test_no_reply_in_time_is_an_error_and_a_late_one_is_found_by_who_asks_again(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no reply within 1 seconds.*run again"):
        mailbox(tmp_path, timeout=1).complete(GO)
    writes(tmp_path, "txt", "Late.")()
    assert mailbox(tmp_path, timeout=1).complete(GO).text == "Late."
    assert mailbox(tmp_path, timeout=1).complete(GO).text == "Late.", "nothing is removed"


def test_who_waits_is_told_for_how_many(tmp_path: Path) -> None:
    lines: list[str] = []
    model = create(f"recorded:{tmp_path / 'kept'}?live=mailbox:{tmp_path / 'box'}", tell=lines.append)
    both = [ModelRequest(messages=(Message.of("user", text),)) for text in ("one", "two")]
    threads = [threading.Thread(target=model.complete, args=(request,)) for request in both]
    for thread in threads:
        thread.start()
    while len(lines) < 2:
        time.sleep(0.01)
    assert lines == [f"waiting for 1 reply in {tmp_path / 'box'}", f"waiting for 2 replies in {tmp_path / 'box'}"]
    for request in both:
        (tmp_path / "box" / f"{request.key[:32]}.reply.md").write_text("yes")
    for thread in threads:
        thread.join()
    assert [model.complete(request).text for request in both] == ["yes", "yes"] and len(lines) == 2


def test_an_empty_or_binary_text_waits_for_a_better_one(tmp_path: Path) -> None:
    def binary() -> None:
        assert "it is empty" in (tmp_path / f"{NAME}.error").read_text()
        (tmp_path / f"{NAME}.reply.md").write_bytes(b"\xff\xfe")

    def good() -> None:
        assert "not UTF-8" in (tmp_path / f"{NAME}.error").read_text()
        writes(tmp_path, "md", "Good.")()

    assert mailbox(tmp_path, writes(tmp_path, "md", " \n"), binary, good).complete(GO).text == "Good."


def test_another_process_is_the_model(tmp_path: Path) -> None:
    program = """
import json, os, sys, time
folder, answered = sys.argv[1], 0
while answered < 3:
    for name in os.listdir(folder):
        if name.endswith(".request.json"):
            reply = os.path.join(folder, name.replace("request", "reply"))
            if not os.path.exists(reply):
                asked = json.load(open(os.path.join(folder, name)))["request"]["messages"][-1]["blocks"][0]["text"]
                with open(reply + ".part", "w") as file:
                    json.dump({"say": asked.upper()}, file)
                os.replace(reply + ".part", reply)
                answered += 1
    time.sleep(0.01)
"""
    model = create(f"mailbox:{tmp_path}?timeout=60&poll=0.01")
    child = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    said: list[str] = []

    def one(text: str) -> None:
        said.append(model.complete(ModelRequest(messages=(Message.of("user", text),))).text)

    threads = [threading.Thread(target=one, args=(text,)) for text in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["ONE", "THREE", "TWO"] and child.wait(timeout=30) == 0


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="requests cannot be written here"):
        MailboxModel(tmp_path / "file" / "box").complete(GO)


def test_the_real_clock_is_used_where_none_is_given(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(ModelError, match="no reply"):
        MailboxModel(tmp_path, timeout=0.05, poll=0.01).complete(GO)
    assert time.monotonic() - begun >= 0.05
