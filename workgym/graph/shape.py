"""The shape of a query: what it does, whatever it calls things and whatever figures it names.

Two queries have one shape where they differ in names, aliases, literals, the order of what has none (selected columns,
groups, joins, the sides of ``and``, ``or``, ``+``, ``*`` and ``=``) and in ``a > b`` for ``b < a``.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from workgym.graph import sql

_BLANK: dict[type[Any], str] = {
    exp.Literal: "?",
    exp.Boolean: "?",
    exp.Identifier: "_",
    exp.Column: "column",
    exp.Table: "table",
}
_FLAT = (exp.And, exp.Or, exp.Add, exp.Mul)
_EITHER = (exp.EQ, exp.NEQ)
_TURNED: dict[type[Any], str] = {exp.GT: "LT", exp.GTE: "LTE"}
_UNORDERED = (exp.Select, exp.Group, exp.With)


def shape(name: str, text: str) -> str:
    """The shape of a query in words; ``name`` is what an error calls it. Raises QueryError for what is no query."""
    return _shape(sql.parse(name, text))


def _shape(node: Any) -> str:
    if not isinstance(node, exp.Expr):
        return str(node)
    if type(node) in _BLANK:
        return _BLANK[type(node)]
    if isinstance(node, exp.Alias | exp.Paren | exp.CTE | exp.Subquery):
        return _shape(node.this) if not isinstance(node, exp.CTE | exp.Subquery) else f"({_shape(node.this)})"
    if isinstance(node, _FLAT):
        return f"{type(node).__name__}({' '.join(sorted(_shape(part) for part in _terms(node, type(node))))})"
    if isinstance(node, _EITHER):
        return f"{type(node).__name__}({' '.join(sorted((_shape(node.this), _shape(node.expression))))})"
    if type(node) in _TURNED:
        return f"{_TURNED[type(node)]}(expression={_shape(node.this)} this={_shape(node.expression)})"
    return f"{type(node).__name__}({' '.join(_arguments(node))})"


def _terms(node: Any, kind: type[exp.Expr]) -> list[Any]:
    """What a chain of one operation joins, brackets aside."""
    if isinstance(node, exp.Paren):
        return _terms(node.this, kind) if isinstance(node.this, kind) else [node]
    return [*_terms(node.this, kind), *_terms(node.expression, kind)] if isinstance(node, kind) else [node]


def _arguments(node: exp.Expr) -> list[str]:
    found = []
    for name, value in sorted(node.args.items()):
        if name == "alias" or value is None or value is False or value == []:
            continue
        if isinstance(value, list):
            parts = [_shape(part) for part in value]
            found.append(f"{name}=[{' '.join(sorted(parts) if isinstance(node, _UNORDERED) else parts)}]")
        else:
            found.append(f"{name}={_shape(value)}")
    return found
