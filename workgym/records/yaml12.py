"""Safe YAML with the scalars of YAML 1.2, for manifests and blueprints.

PyYAML follows YAML 1.1, where ``12:30`` is the number 750, ``NO`` is false and ``2026-03-01`` a date. Here only
the core schema's words are more than text: ``null``, ``true`` and ``false``, decimal integers, and floats.
Keys stand once, and aliases are refused: a foreign file of a few lines could unfold without end.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from workgym.errors import UsageError, not_utf8
from workgym.records.base import Record

_Kind = TypeVar("_Kind", bound=Record)


class CoreLoader(yaml.SafeLoader):
    """A safe loader whose plain scalars are those of YAML 1.2's core schema."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = None if parent is None else parent.start_mark
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} stands twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


CoreLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"^(?:null|Null|NULL|~|)$", "nN~"),
    ("bool", r"^(?:[tT]rue|TRUE|[fF]alse|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9]\d*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.\d+|\d+\.\d*)(?:[eE][-+]?\d+)?$|^[-+]?\d+[eE][-+]?\d+$", "-+.0123456789"),
):
    _letters = [*_first, ""] if _tag == "null" else list(_first)
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _letters)


def read_yaml(text: str, file: str) -> Any:
    """The data of one YAML document; ``file`` is what an error calls it.

    Raises UsageError with file, line and reason where the text is not YAML.
    """
    try:
        return yaml.load(text, Loader=CoreLoader)  # a SafeLoader: it builds plain data only
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise UsageError(f"{file}{line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"{file}: {' '.join(str(error).split())}") from error


def read_record(kind: type[_Kind], path: Path | str) -> _Kind:
    """A record that is written as YAML. Raises UsageError with file, key and reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line, says = not_utf8(error)
        raise UsageError(f"{path}:{line}: {says}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    data = read_yaml(text, str(path))
    try:
        return kind.model_validate({} if data is None else data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {f'{key}: ' if key else ''}{first['msg']}") from None
