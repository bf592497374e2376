"""Manifests, schemas, and what a solver is told about a bad call; nothing here starts a guest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workgym import tool
from workgym.errors import UsageError
from workgym.records import ToolCall, ToolSpec
from workgym.tool import complaint

OBJECT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path"],
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "mode": {"enum": ["r", "w"]},
        "lines": {"type": "array", "minItems": 1, "items": {"type": ["string", "null"]}},
        "deep": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}},
    },
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "a"}, None),
        ({"path": "a", "count": 3.0, "mode": "r", "lines": ["x", None], "deep": {"x": 1, "y": 2}}, None),
        ({}, "'path' is missing"),
        ({"path": ""}, "must not be empty"),
        ({"path": 1}, "path must be a string, not 1"),
        ({"path": "a", "count": "3"}, "count must be an integer, not '3'"),
        ({"path": "a", "count": True}, "count must be an integer, not True"),
        ({"path": "a", "count": 0}, "at least 1"),
        ({"path": "a", "count": 10}, "at most 9"),
        ({"path": "a", "mode": "x"}, "one of 'r', 'w'"),
        ({"path": "a", "lines": []}, "at least 1 item"),
        ({"path": "a", "lines": ["x", 3]}, "lines[1] must be a string or null"),
        ({"path": "a", "deep": {}}, "'x' is missing in deep"),
        ({"path": "a", "deep": {"x": "1"}}, "deep.x must be a number"),
        ({"path": "a", "pth": "b"}, "no argument 'pth'; did you mean 'path'?"),
    ],
)
def test_complaints(arguments: dict[str, Any], words: str | None) -> None:
    found = complaint(arguments, OBJECT)
    assert (found is None) if words is None else (found is not None and words in found), found


def test_refusal_says_what_to_do() -> None:
    spec = ToolSpec(name="read_file", description="Read.", input_schema=OBJECT)
    assert tool.refusal(ToolCall(tool="read_file", arguments={"path": "a"}), [spec]) is None
    unknown = tool.refusal(ToolCall(tool="read_fil"), [spec])
    assert unknown == "There is no tool 'read_fil'. Did you mean read_file? The tools are: read_file."
    bad = tool.refusal(ToolCall(tool="read_file"), [spec])
    assert bad is not None and bad.startswith(
        "read_file: the argument 'path' is missing. Arguments: path (string, required)"
    )


def test_packs_of_the_shelf() -> None:
    assert {"files", "office", "shell"} <= set(tool.names())
    for manifest in tool.packs():
        assert manifest.side == "guest" and manifest.description
        pack = tool.load(manifest.name)
        assert [spec.name for spec in pack.specs()] == [each.name for each in manifest.tools]
        for file, source in pack.sources.items():
            compile(source, file, "exec")
            assert "import workgym" not in source
        for each in manifest.tools:
            assert each.input_schema["additionalProperties"] is False
            assert f"def {each.name}(guest" in pack.sources[manifest.home(each)]


def pack(root: Path, name: str, manifest: str, source: str = "def hello(guest):\n    return 'hi'\n") -> None:
    folder = root / "tools" / name
    folder.mkdir(parents=True)
    (folder / "pack.yaml").write_text(manifest)
    (folder / "pack.py").write_text(source)


GOOD = """\
name: NAME
version: "1"
side: guest
description: A pack.
tools:
  - {name: hello, description: Greets., input_schema: {type: object, additionalProperties: false, properties: {}}}
"""


def test_tools_stand_in_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = GOOD.replace("NAME", "many").replace("description: Greets.", "description: Greets., module: greeting.py")
    pack(tmp_path, "many", manifest, "WORD = 'hi'\n")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"tools/many/pack.yaml: module: there is no greeting.py beside it"):
        tool.load("many")
    (tmp_path / "tools" / "many" / "greeting.py").write_text("from .pack import WORD\n\ndef hello(guest): ...\n")
    loaded = tool.load("many")
    assert set(loaded.sources) == {"pack.py", "greeting.py"}
    assert loaded.manifest.home(loaded.manifest.tools[0]) == "greeting.py"


def test_third_party_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path, "greet", GOOD.replace("NAME", "greet"))
    pack(tmp_path, "greet2", GOOD.replace("NAME", "greet2"))
    pack(tmp_path, "wrong", GOOD.replace("NAME", "wrong").replace("side: guest", "side: host"))
    pack(tmp_path, "bare", GOOD.replace("NAME", "bare") + "module: nothing.py\n")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    assert tool.load("greet").specs()[0].name == "hello"
    with pytest.raises(UsageError, match="both offer the tool hello"):
        tool.load_all(("greet", "greet2"))
    with pytest.raises(UsageError, match=r"tools/wrong/pack.yaml: side: "):
        tool.load("wrong")
    with pytest.raises(UsageError, match=r"there is no nothing.py"):
        tool.load("bare")
    with pytest.raises(UsageError, match="did you mean"):
        tool.load("greeet")
    (tmp_path / "tools" / "greet" / "pack.py").write_text("def hello(guest):\n    return 'changed'\n")
    assert "changed" in tool.load("greet").sources["pack.py"]
