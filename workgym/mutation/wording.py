"""Texts of a plan: finding one, replacing it, and what the words of a repair may not do.

A repair writes words and prints values. It brings no loop, condition or query of its own: a template that chooses
among provided rows could tell the solver what it has to find out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jinja2
from jinja2 import nodes

from workgym.errors import MutationError
from workgym.materialize.template import ENVIRONMENT
from workgym.plan import ArtifactSpec, ConstructionPlan

_FORMS = frozenset(
    "money amount quantity percent date time plain words says decor slug left right upper lower title capitalize "
    "trim".split()
)
"""Filters that choose how a value is printed, and nothing else."""
_PLAIN = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.CallBlock, nodes.Scope)
_NAMES = (nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Keyword, nodes.Dict, nodes.Pair, nodes.NSRef)
_ROWS = frozenset({"rows", "each", "matrix", "down", "across"})
"""Keys of content trees under which stands which rows are shown: a unit's name, or a mapping with a condition."""
_TITLES = re.compile(
    r"\s*(?:title|subtitle|header|footer|address|contact|date|stamp|signature|subject|from|to|cc|reply-to)\s*:",
    re.IGNORECASE,
)
"""Lines of front matter that say words; others say what a file is: a picture, a chart of rows, a mail with files."""
_HIDDEN = re.compile(r"<!--\s*hidden\s*-->")


class Text(NamedTuple):
    """A text of a specification."""

    way: tuple[str | int, ...]
    """The keys and indices that lead to it; empty for a template."""
    text: str
    """The text."""
    key: bool = False
    """Whether it is the last of those keys itself: the headings of tables are keys."""
    number: bool = False
    """Whether it is a number of the tree."""

    @property
    def pointer(self) -> str:
        """Its JSON pointer; empty for a template."""
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.way)


def spec_of(plan: ConstructionPlan, path: str) -> ArtifactSpec:
    """The specification of a carrier. Raises MutationError where the plan has none of that path."""
    if path == "request.md":
        return plan.request
    for spec in plan.artifacts:
        if spec.path == path:
            return spec
    known = ", ".join(["request.md", *(spec.path for spec in plan.artifacts)])
    raise MutationError(f"the plan has no carrier {path}; it has {known}")


def with_spec(plan: ConstructionPlan, path: str, spec: ArtifactSpec) -> ConstructionPlan:
    """The plan with another specification of one carrier."""
    if path == "request.md":
        return plan.model_copy(update={"request": spec})
    artifacts = tuple(spec if other.path == path else other for other in plan.artifacts)
    return plan.model_copy(update={"artifacts": artifacts})


def reworded(spec: ArtifactSpec, old: str, new: str, *, closed: bool, at: str = "") -> ArtifactSpec:
    """The specification with ``new`` in place of ``old``, which stands there exactly once.

    ``at`` is the JSON pointer of the text that is meant, in a content tree; empty for wherever it stands. ``closed`` is
    for repairs: no loop, condition, query or choice of rows may be new. Raises MutationError.
    """
    places = [place for place in texts(spec) if not at or place.pointer == at]
    found = [place for place in places for _ in range(place.text.count(old))]
    if len(found) != 1:
        quoted = old if len(old) <= 60 else f"{old[:57]}..."
        hint = "quote it as the template has it" if not found else "quote more of what stands around it"
        where = f"at {at} of its tree" if at else "in its template"
        hint += f", or say at which of {', '.join(place.pointer for place in found[:4])}" if found and not at else ""
        raise MutationError(f"{spec.path}: {quoted!r} stands {len(found)} times {where}; {hint}")
    place = found[0]
    changed = place.text.replace(old, new)
    if closed:
        _refuse_programs(spec.path, place, changed)
    if spec.template is not None:
        return spec.model_copy(update={"template": changed})
    return spec.model_copy(update={"content": _replaced(spec.path, spec.content, place, changed)})


def texts(spec: ArtifactSpec) -> Iterator[Text]:
    """Every text of a carrier's template or content tree, headings (keys) included."""
    if spec.template is not None:
        yield Text((), spec.template)
    else:
        yield from _within((), spec.content)


def _within(way: tuple[str | int, ...], tree: Any) -> Iterator[Text]:
    if isinstance(tree, str):
        yield Text(way, tree)
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        yield Text(way, json.dumps(tree), number=True)
    elif isinstance(tree, Mapping):
        for key, value in tree.items():
            yield Text((*way, key), str(key), key=True)
            yield from _within((*way, key), value)
    elif isinstance(tree, list | tuple):
        for index, value in enumerate(tree):
            yield from _within((*way, index), value)


def _replaced(path: str, tree: Any, place: Text, text: str, depth: int = 0) -> Any:
    if depth == len(place.way):
        return _number(text) if place.number else text
    step = place.way[depth]
    if isinstance(tree, Mapping):
        if place.key and depth == len(place.way) - 1:
            if text != step and text in tree:
                raise MutationError(f"{path}: there is {text!r} beside {step!r} already")
            return {text if key == step else key: value for key, value in tree.items()}
        return {k: _replaced(path, v, place, text, depth + 1) if k == step else v for k, v in tree.items()}
    return [_replaced(path, v, place, text, depth + 1) if at == step else v for at, v in enumerate(tree)]


def difference(spec: ArtifactSpec, wanted: ArtifactSpec) -> list[tuple[str, str, str]]:
    """Replacements (pointer, old, new) that make one carrier's words another's; none where there are none such: where
    the trees differ in more than texts."""
    old, new = list(texts(spec)), list(texts(wanted))
    if len(old) != len(new):
        return []
    return [(a.pointer, *_least(a.text, b.text)) for a, b in zip(old, new, strict=True) if a.text != b.text]


def _least(old: str, new: str) -> tuple[str, str]:
    """The part of ``old`` that differs, and what stands there in ``new``, with as much around it as tells it apart."""
    ahead = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - ahead
    behind = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    while True:
        part = old[ahead : len(old) - behind]
        if (part and old.count(part) == 1) or not (ahead or behind):
            return part, new[ahead : len(new) - behind]
        ahead, behind = max(0, ahead - 1), max(0, behind - 1)


def _number(text: str) -> int | float | str:
    """A number where the text is one, as JSON has them."""
    try:
        found = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    return found if isinstance(found, int | float) and not isinstance(found, bool) else text


def _refuse_programs(path: str, place: Text, changed: str) -> None:
    if _chooses(place.way):
        raise MutationError(f"{path}: a repair does not change which rows are shown ({place.pointer})")
    front = _front(changed), _front(place.text)
    other = [line for line in (front[0] - front[1]) + (front[1] - front[0]) if not _TITLES.match(line)]
    if other and not place.way:
        raise MutationError(f"{path}: a repair does not change what kind of file it is ({other[0].strip()[:80]})")
    brought = _programs(path, changed) - _programs(path, place.text)
    if brought:
        kind = next(iter(brought))[0]
        raise MutationError(f"{path}: a repair writes words and prints values; it brings no {kind} of its own")


def _chooses(way: tuple[str | int, ...]) -> bool:
    """Whether a text of a tree says which rows are shown."""
    last, above, over = (None, None, *way)[:-4:-1] if way else (None, None, None)
    if last in _ROWS or (above in _ROWS and last in ("unit", "where", "order", "match")):
        return True
    return above == "match" and over in _ROWS


def _front(text: str) -> Counter[str]:
    """The lines of the front matter."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return Counter()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), len(lines))
    return Counter(line for line in lines[1:end] if line.strip())


def _programs(path: str, text: str) -> Counter[tuple[str, str]]:
    """What a template does besides printing values: kind, and what tells it from others of its kind."""
    try:
        tree = ENVIRONMENT.parse(text)
        return Counter(_doing(tree)) + Counter(("hidden slide", "") for _ in _HIDDEN.finditer(text))
    except jinja2.TemplateSyntaxError as error:
        raise MutationError(f"{path}: line {error.lineno} of its template: {error.message}") from error
    except RecursionError as error:
        raise MutationError(f"{path}: its template is nested too deeply") from error


def _doing(node: nodes.Node) -> Iterator[tuple[str, str]]:
    if isinstance(node, nodes.For):
        yield "loop", repr((node.target, node.iter, node.test, node.recursive))
    elif isinstance(node, nodes.If):
        yield "condition", repr(node.test)
    elif isinstance(node, nodes.Call):
        if not isinstance(node.node, nodes.ExtensionAttribute) and not _row_of(node):
            yield "call", repr(node)
    elif isinstance(node, nodes.Filter):
        if node.name not in _FORMS:
            yield f"filter {node.name}", repr(node)
    elif isinstance(node, nodes.Tuple):
        pass
    elif not isinstance(node, _PLAIN + _NAMES):
        yield type(node).__name__.lower(), repr(node)
    for child in node.iter_child_nodes():
        if not isinstance(child, nodes.ExtensionAttribute):
            yield from _doing(child)


def _row_of(node: nodes.Call) -> bool:
    """``unit.of(key)``: the row with a key that somebody wrote down."""
    return isinstance(node.node, nodes.Getattr) and node.node.attr == "of"
