"""YAML for people's files: 1.2 scalars (``NO`` is text, ``12:30`` is text), no duplicates, line numbers kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from workgym.errors import BlueprintError, not_utf8
from workgym.records.yaml12 import CoreLoader

Keys = tuple[str | int, ...]
"""Keys from the root of a file to one of its values."""


@dataclass
class Source:
    """A YAML file as data, with the line of every value."""

    file: str
    """Name for messages."""
    data: Any
    """Plain dicts, lists and scalars."""
    lines: dict[Keys, int] = field(default_factory=dict)
    """Line, from 1, of each value by its keys."""
    text: str = ""
    """The file as it stands."""

    def line(self, where: Iterable[str | int]) -> int | None:
        """The line of a value, or of the nearest value around it."""
        keys = tuple(where)
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys)

    def error(self, where: Iterable[str | int], message: str, *, fix: str | None = None) -> BlueprintError:
        """A BlueprintError at that place."""
        keys = tuple(where)
        return BlueprintError(
            self.file, self.line(keys), ".".join(str(key) for key in keys) or "(file)", message, fix=fix
        )


def load(path: Path, name: str | None = None) -> Source:
    """Read a file. Raises BlueprintError with file and line."""
    file = name or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        at, says = not_utf8(error)
        raise BlueprintError(file, at, "(file)", says) from error
    except OSError as error:
        raise BlueprintError(file, None, "(file)", f"cannot be read: {error}") from error
    source = Source(file, None, text=text)
    try:
        loader = CoreLoader(text)
    except yaml.reader.ReaderError as error:
        at = text.count("\n", 0, error.position) + 1
        raise BlueprintError(
            file, at, "(syntax)", f"character #x{ord(text[error.position]):04x} is not YAML"
        ) from error
    try:
        node = loader.get_single_node()
        source.data = None if node is None else _build(node, (), source, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else None
        raise BlueprintError(file, line, "(syntax)", error.problem or "not YAML") from error
    finally:
        loader.dispose()
    return source


def _build(node: yaml.Node, keys: Keys, source: Source, loader: CoreLoader) -> Any:
    source.lines[keys] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in result:
                raise BlueprintError(
                    source.file, key_node.start_mark.line + 1, ".".join(map(str, (*keys, key))), "is there twice"
                )
            source.lines[(*keys, key)] = key_node.start_mark.line + 1
            result[key] = _build(value_node, (*keys, key), source, loader)
            source.lines[(*keys, key)] = key_node.start_mark.line + 1
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_build(child, (*keys, index), source, loader) for index, child in enumerate(node.value)]
    return loader.construct_object(node)
