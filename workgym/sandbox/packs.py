"""Tool packs: a manifest and the text of guest code that the host never imports.

The code is every ``.py`` file beside the manifest. In the guest these are the modules of one package, loaded when a
tool needs them, and they import each other as ``from .other import name``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from workgym import shelves
from workgym.errors import UsageError, not_utf8
from workgym.records import Record, ToolCall, ToolSpec


class PackTool(Record):
    """One tool, as the manifest declares it."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name that a call gives; the function of its module has the same."""
    description: str
    """What it does, for the model."""
    input_schema: dict[str, Any]
    """JSON Schema of the arguments object."""
    module: str | None = None
    """The file with its function; None for the pack's own module."""
    process: bool = False
    """Whether each call runs in a process of its own, with a time limit: for what may hang or crash."""
    program: bool = False
    """Whether its function returns a command line, to be run as such a process: that is started, not forked."""
    warm: tuple[str, ...] = ()
    """Libraries that the server imports once, at this tool's first call: its children start with them."""
    warm_when_named: tuple[str, ...] = ()
    """Libraries that the server imports once, at the first call with an argument that names them."""


class Manifest(Record):
    """``pack.yaml``."""

    name: str
    """Name of the pack; its folder's name."""
    version: str
    """Version; it is recorded with every trajectory."""
    side: Literal["guest"]
    """Where it runs. Host tools belong to the environment, not to the shelf."""
    description: str
    """What the pack is for, one sentence."""
    module: str = "pack.py"
    """The file with the functions of those tools that name no other, beside the manifest."""
    tools: tuple[PackTool, ...]
    """Its tools, in the order in which they are offered."""

    def home(self, tool: PackTool) -> str:
        """The file in which a tool's function stands."""
        return tool.module or self.module


class Pack(Record):
    """A pack, loaded."""

    manifest: Manifest
    """What it declares."""
    sources: Mapping[str, str]
    """The texts of its guest code by file name."""

    def libraries(self, call: ToolCall) -> tuple[str, ...]:
        """What the server imports before a call to one of its tools, as ``guest/server.py`` does: *warm* and named."""
        text = " ".join(value for value in call.arguments.values() if isinstance(value, str))
        for tool in self.manifest.tools:
            if tool.name == call.tool:
                named = (name for name in tool.warm_when_named if re.search(rf"\b{name}\b", text))
                return (*tool.warm, *named)
        return ()

    def specs(self) -> tuple[ToolSpec, ...]:
        """Its tools as they are offered to a solver."""
        return tuple(
            ToolSpec(name=tool.name, description=tool.description.strip(), input_schema=tool.input_schema)
            for tool in self.manifest.tools
        )


def names() -> tuple[str, ...]:
    """All packs on the shelves; no code of theirs is read."""
    return shelves.names("tools")


def manifest(name: str) -> Manifest:
    """A pack's manifest. Raises UsageError for an unknown name or a manifest that is wrong, with the key."""
    try:
        return Manifest.model_validate(shelves.manifest("tools", name))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"tools/{name}/pack.yaml: {key}: {first['msg']}") from None


def load(name: str) -> Pack:
    """A pack with its source. Raises UsageError where the manifest is wrong or the module is missing."""
    folder = shelves.folder("tools", name)
    # An episode opens in milliseconds; reading YAML takes ten. What was read is kept while its files stand unchanged.
    stamps = tuple((file.name, file.stat().st_mtime_ns) for file in sorted(folder.iterdir()) if file.is_file())
    return _load(name, folder, stamps)


@functools.lru_cache(maxsize=64)
def _load(name: str, folder: Path, stamps: tuple[tuple[str, int], ...]) -> Pack:
    declared = manifest(name)
    sources = {file: _source(folder / file, f"tools/{name}") for file, _ in stamps if file.endswith(".py")}
    for tool in declared.tools:
        if declared.home(tool) not in sources:
            raise UsageError(f"tools/{name}/pack.yaml: module: there is no {declared.home(tool)} beside it")
    return Pack(manifest=declared, sources=sources)


def _source(path: Path, called: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line, says = not_utf8(error)
        raise UsageError(f"{called}/{path.name}:{line}: {says}") from error


def load_all(wanted: tuple[str, ...]) -> tuple[Pack, ...]:
    """Packs by name, in that order. Raises UsageError where two of them offer a tool of one name."""
    loaded = tuple(load(name) for name in wanted)
    owners: dict[str, str] = {}
    for pack in loaded:
        for tool in pack.manifest.tools:
            if tool.name in owners:
                raise UsageError(f"packs {owners[tool.name]} and {pack.manifest.name} both offer the tool {tool.name}")
            owners[tool.name] = pack.manifest.name
    return loaded
