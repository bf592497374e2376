"""Jinja2 for carriers: a closed environment, filters that choose printed forms, and blocks for states and decor."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import TracebackType
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.filters import do_indent
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

from workgym.errors import GraphError, MaterializeError
from workgym.materialize import forms
from workgym.materialize.bound import Bound, decor
from workgym.materialize.marks import DECOR, Marked, MarkError, free_of_marks, wrap
from workgym.materialize.scope import Fault, Row, Unit, View

_FILE = "<template>"
_WHOLE = "template"
"""What the text of a whole carrier is called."""
_KEPT = (
    "batch default first groupby join last length count list lower map max min reject rejectattr replace select "
    "selectattr sort trim unique upper string"
).split()
_KEPT_TESTS = "defined undefined eq ne lt le gt ge equalto greaterthan lessthan even odd divisibleby in string".split()
_TAGS_ALONE = re.compile(r"^[ \t]*((?:\{%(?:[^%\n]|%(?!\}))*%\}|\{#[^\n]*?#\})+)[ \t]*\n", re.MULTILINE)
"""A line of tags alone, whose end a comment swallows: jinja's ``trim_blocks`` would swallow that of text lines too."""
_UNKNOWN = re.compile(r"^'(\w+)' is undefined$")
_WORD = re.compile(r"(?:[^\W\d_]|['\u2019])+")
_LETTER = re.compile(r"[^\W_]")


class Environment(SandboxedEnvironment):
    """A sandbox in which units, rows and values answer for their own attributes."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, (Unit, Row)):
            return obj.attribute(attribute)
        if isinstance(obj, Bound):
            raise Fault(f"{obj.name} is a value and has no .{attribute}; filters choose printed forms")
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, (Unit, Row)) and isinstance(argument, str):
            return obj.attribute(argument)
        if isinstance(obj, Bound):
            return obj[argument]
        return super().getitem(obj, argument)


class Blocks(Extension):
    """``{% state a, b %}...{% endstate %}`` and ``{% decor %}...{% enddecor %}``."""

    tags = {"state", "decor"}  # noqa: RUF012 - jinja declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        tag = next(parser.stream)
        args: list[nodes.Expr] = []
        if tag.value == "state":
            parsed = parser.parse_tuple(with_condexpr=False)
            args = list(parsed.items) if isinstance(parsed, nodes.Tuple) else [parsed]
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        call = self.call_method("_state" if tag.value == "state" else "_decor", args)
        return nodes.CallBlock(call, [], [], body).set_lineno(tag.lineno)

    def _state(self, *of: object, caller: Callable[[], str]) -> str:
        return state(list(of), caller())

    def _decor(self, caller: Callable[[], str]) -> str:
        return wrap(DECOR, caller())


def _value(of: object) -> Bound:
    if isinstance(of, Bound):
        return of
    if isinstance(of, Row):
        return of.single()
    if isinstance(of, Unit):
        rows = of.here()
        if len(rows) == 1:
            return rows[0].single()
        raise Fault(f"unit {of.name} has {len(rows)} rows: say which one")
    raise Fault(f"{of!r} is no value of a unit")


def state(of: list[object], text: str) -> str:
    """``text``, marked as depending on these values."""
    values = [_value(one) for one in of]
    cells = tuple(cell for value in values for cell in value.cells)
    registry = next((value.registry for value in values if value.registry is not None), None)
    if not cells or registry is None:
        raise Fault("a state names the value of a unit that its text depends on")
    return wrap(registry.opening("state", cells), text)


def _form(write: Callable[..., str], typed: bool = True) -> Callable[..., Bound]:
    """A filter that prints a value with ``write``; None stays as it is."""

    def form(value: object, *args: Any, **named: Any) -> Bound:
        if isinstance(value, (Unit, Row)):
            value = _value(value)
        bound = value if isinstance(value, Bound) else None
        if bound is None:
            raise Fault(f"{value!r} is no value of a unit or fact of the context: its form cannot be chosen")
        if bound.value is None:
            return bound
        own = (bound.type,) if typed else ()
        return bound.formed(write(bound.value, *own, *args, **named))

    return form


def _says(value: object, told: Mapping[str, str]) -> Bound:
    bound = _value(value)
    key = str(bound.type.dump(bound.value))
    if key not in told:
        raise Fault(f"says: {bound.name} is {key!r}, which is not told")
    return bound.formed(told[key], state=True)


def _padded(left: bool) -> Callable[[object, int], str]:
    def pad(value: object, width: int) -> str:
        text = str(value)
        gap = " " * max(0, width - sum(free_of_marks(char) or "\ue100" <= char <= "\ue17f" for char in text))
        return text + gap if left else gap + text

    return pad


def _capitalize(value: object) -> str:
    return _LETTER.sub(lambda match: match[0].upper(), str(value), count=1)


def _title(value: object) -> str:
    return _WORD.sub(lambda match: match[0][:1].upper() + match[0][1:].lower(), str(value))


def _slug(value: object) -> Any:
    return value.formed(forms.slug(value.shown)) if isinstance(value, Bound) else forms.slug(str(value))


def _printable(value: object) -> object:
    if value is None:
        raise Fault("there is nothing to print here (none)")
    return value


def _environment() -> Environment:
    env = Environment(
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        extensions=[Blocks],
        finalize=_printable,
        cache_size=0,
    )
    env.filters = {name: env.filters[name] for name in _KEPT} | {
        "money": _form(forms.money),
        "amount": _form(forms.amount),
        "quantity": _form(forms.quantity),
        "percent": _form(forms.percent),
        "plain": _form(forms.plain),
        "words": _form(forms.words),
        "date": _form(forms.date, typed=False),
        "time": _form(forms.time, typed=False),
        "says": _says,
        "decor": decor,
        "indent": lambda value, *args, **named: do_indent(str(value), *args, **named),
        "left": _padded(True),
        "right": _padded(False),
        "capitalize": _capitalize,
        "title": _title,
        "slug": _slug,
    }
    env.tests = {name: env.tests[name] for name in _KEPT_TESTS} | {
        "absent": _absent,
        "none": _absent,
    }
    env.globals = {"range": env.globals["range"]}
    return env


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, Bound) and value.value is None)


ENVIRONMENT = _environment()


@lru_cache(maxsize=4096)
def _compiled(source: str) -> jinja2.Template:
    if not free_of_marks(source):
        raise MarkError("the template holds a character of the private use area")
    code = ENVIRONMENT.compile(_TAGS_ALONE.sub(r"\1{#\n#}", source), filename=_FILE)
    return jinja2.Template.from_code(ENVIRONMENT, code, dict(ENVIRONMENT.globals))


class located:
    """Turns what a template did wrong into a MaterializeError that names carrier, place and line.

    A class, since it stands around every cell: a generator would take three times as long.
    """

    __slots__ = ("path", "where")

    def __init__(self, path: str, where: str = _WHOLE) -> None:
        self.path, self.where = path, where

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, _FAULTS):
            line, says = _told(error)
            place = self.where if line is None else f"{self.where}, line {line}"
            own = line if self.where == _WHOLE else None
            reason = says if self.where == _WHOLE else f"{place}: {says}"
            raise MaterializeError(f"{self.path}: {place}: {says}", line=own, reason=reason) from error


_FAULTS = (jinja2.TemplateError, GraphError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError)


def _told(error: Exception) -> tuple[int | None, str]:
    """The line of the template, where there is one, and what is wrong there."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return error.lineno, str(error.message)
    named = _UNKNOWN.match(str(error.message)) if isinstance(error, jinja2.UndefinedError) else None
    return _spot(error), f"there is no unit and no name {named[1]!r}" if named else str(error)


def _spot(error: Exception) -> int | None:
    trace: TracebackType | None = error.__traceback__
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def text(source: str, view: View, names: Mapping[str, Any] | None = None) -> Marked:
    """The text that ``source`` gives. Errors are raw: call it inside :func:`located`."""
    if "{" not in source:
        return view.registry.read(source)
    return view.registry.read(_compiled(source).render({**view.names, **(names or {})}))


_SINGLE = re.compile(r"^\s*\{\{(.*)\}\}\s*$", re.DOTALL)
_COLUMN = re.compile(r"([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)\Z")
"""A column of a row, as most cells of data files have it: it needs no template, which takes 15 us."""


def expression(source: str, view: View, names: Mapping[str, Any] | None = None) -> Any:
    """The object that a Jinja expression gives; raises what printing an undefined name would."""
    named = _COLUMN.match(source)
    if named is not None:
        row = names[named[1]] if names and named[1] in names else view.names.get(named[1])
        if isinstance(row, Row) and named[2] in row.unit.relation.index:
            return row.bound(named[2])
    kept: list[Any] = []

    def keep(found: Any) -> str:
        kept.append(found)
        return ""

    _compiled(f"{{{{ __keep({source}) }}}}").render({**view.names, **(names or {}), "__keep": keep})
    if isinstance(kept[0], jinja2.Undefined):
        str(kept[0])
    return kept[0]


@lru_cache(maxsize=4096)
def column_of(source: str) -> tuple[str, str] | None:
    """The names of a row and its column, where ``source`` prints such a value and nothing else; None otherwise."""
    named = _COLUMN.match(single(source) or "")
    return None if named is None else (named[1], named[2])


@lru_cache(maxsize=4096)
def single(source: str) -> str | None:
    """The expression, where ``source`` is exactly one ``{{ ... }}``; None otherwise."""
    match = _SINGLE.match(source)
    return None if match is None or "{{" in match[1] or "}}" in match[1] or "{%" in match[1] else match[1].strip()
