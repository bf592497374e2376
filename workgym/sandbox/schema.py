"""Arguments against a JSON Schema: the part of the standard that tool arguments use, with teaching messages.

``type``, ``required``, ``properties``, ``additionalProperties``, ``enum``, ``items``, ``minimum``, ``maximum``,
``minLength``, ``minItems``. Other keywords are not checked here; the tool itself is the last to refuse.
Source: JSON Schema 2020-12, validation vocabulary.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from workgym.records import ToolCall, ToolSpec

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def refusal(call: ToolCall, offered: Iterable[ToolSpec]) -> str | None:
    """What is wrong with a call, in words for the solver that made it; None where nothing is."""
    specs = {spec.name: spec for spec in offered}
    if call.tool not in specs:
        near = difflib.get_close_matches(call.tool, specs, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}?" if near else ""
        return f"There is no tool {call.tool!r}.{hint} The tools are: {', '.join(sorted(specs))}."
    schema = specs[call.tool].input_schema
    wrong = complaint(call.arguments, schema)
    return None if wrong is None else f"{call.tool}: {wrong} {_usage(schema)}"


def complaint(value: Any, schema: dict[str, Any], where: str = "") -> str | None:
    """The first thing wrong with ``value``, one sentence, or None; ``where`` is its path, for the message."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    label = where or "the arguments"
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{label} must be {_article(' or '.join(kinds))}, not {_show(value)}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{label} must be one of {', '.join(map(_show, schema['enum']))}, not {_show(value)}."
    if isinstance(value, dict):
        return _object(value, schema, where)
    if isinstance(value, list | tuple):
        return _array(value, schema, label)
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return f"{label} must not be empty."
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            return f"{label} must be at least {schema['minimum']}, not {_show(value)}."
        if "maximum" in schema and value > schema["maximum"]:
            return f"{label} must be at most {schema['maximum']}, not {_show(value)}."
    return None


def _object(value: dict[str, Any], schema: dict[str, Any], where: str) -> str | None:
    properties: dict[str, Any] = schema.get("properties", {})
    within = f" in {where}" if where else ""
    for name in schema.get("required", []):
        if name not in value:
            return f"the argument {name!r} is missing{within}."
    for name, item in value.items():
        if name not in properties:
            if schema.get("additionalProperties", True) is False:
                near = difflib.get_close_matches(str(name), properties, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                return f"there is no argument {name!r}{within}{hint}"
            continue
        wrong = complaint(item, properties[name], f"{where}.{name}" if where else name)
        if wrong is not None:
            return wrong
    return None


def _array(value: list[Any] | tuple[Any, ...], schema: dict[str, Any], label: str) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"{label} must have at least {schema['minItems']} item(s)."
    for number, item in enumerate(value):
        wrong = complaint(item, schema.get("items", {}), f"{label}[{number}]")
        if wrong is not None:
            return wrong
    return None


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        # Models write 3.0 for 3; JSON Schema counts it as an integer.
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))


def _article(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _usage(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    parts = [
        f"{name} ({_type(rule)}{', required' if name in required else ''})"
        for name, rule in schema.get("properties", {}).items()
    ]
    return f"Arguments: {', '.join(parts)}." if parts else "It takes no arguments."


def _type(rule: dict[str, Any]) -> str:
    if "enum" in rule:
        return " | ".join(str(option) for option in rule["enum"])
    kind = rule.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
