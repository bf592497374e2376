"""A script is answered in order and fails loudly at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from workgym.errors import ModelError, UsageError
from workgym.model import Message, ModelRequest, ToolCallBlock
from workgym.models import ScriptedModel

ASK = ModelRequest(messages=(Message.of("user", "Go."),))


def test_entries_of_every_form_then_a_loud_end() -> None:
    model = ScriptedModel(
        [
            {"tool": "read_file", "arguments": {"path": "a"}},
            {"say": "Two at once.", "calls": [{"tool": "glob"}, {"tool": "grep", "arguments": "{broken"}]},
            "All done.",
        ]
    )
    first, second, third = (model.complete(ASK) for _ in range(3))
    assert first.calls == (ToolCallBlock(id="call-1-0", name="read_file", arguments={"path": "a"}),)
    assert (second.text, [call.malformed for call in second.calls]) == ("Two at once.", [None, "{broken"])
    assert (third.text, third.calls, third.stop) == ("All done.", (), "end")
    with pytest.raises(ModelError, match="3 replies, and one more was asked for"):
        model.complete(ASK)
    assert len(model.requests) == 4


def test_a_callable_sees_the_request() -> None:
    assert ScriptedModel(lambda request: request.messages[0].role).complete(ASK).text == "user"


@pytest.mark.parametrize("text", ["tool: submit", "- {tol: submit}", "- {calls: [{name: x}]}", "- {tool: [1]}"])
def test_a_script_that_is_none_is_refused_when_it_is_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match="script.yaml"):
        ScriptedModel.from_file(file)
