"""What a derived query may say beyond the closed language: nothing that hides an absent row or a premise.

Literals, unordered limits and constructs that put something in the place of nothing are premises that no
file states. Each is refused unless it is free, or a rule unit that the solver can read allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workgym.errors import QueryError
from workgym.graph.sql import Query, Schema, freeze, is_named, parse, qualified, source_of, sources

_FREE_NUMBERS = frozenset({"0", "1", "0.0", "1.0"})
_EXPONENTS = frozenset({"2", "3"})
"""Exponents that are no premise: a square is a product."""
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Length, exp.Round, exp.Abs)
_VARYING = (exp.Column, exp.AggFunc, exp.Window, exp.Star, exp.Subquery)


def refused(
    query: Query,
    schema: Schema,
    keys: Mapping[str, tuple[str, ...]],
    rules: frozenset[str],
    permits: Mapping[str, str],
    choices: frozenset[str],
) -> Iterator[QueryError]:
    """What is refused in a compiled query of a derived unit, each with the way out where there is one.

    Literals must be free (0, 1, rounding places, the exponent of a square or cube, options of a choice) or stand in a
    branch of a ``case`` on a rule unit; a ``limit`` needs a total order, a numbering window some order; coalesce, outer
    joins, any_value, first and what is spelled otherwise but means the same need the rule unit that permits them.
    """
    tree = parse(query.unit, query.text)
    for construct in (*query.permits, *(("is null",) if _fills_gaps(tree) else ())):
        rule = permits.get(construct)
        if rule is None:
            yield QueryError(
                query.unit,
                f"{construct} hides absent rows",
                fix=f"name the rule that allows it: permits: {{{construct}: <rule unit>}}",
            )
    for construct, rule in permits.items():
        if rule not in rules:
            yield QueryError(query.unit, f"{construct} is permitted by {rule}, which is not a rule unit")
    for select in tree.find_all(exp.Query):
        if (select.args.get("limit") or select.args.get("fetch")) and "limit" not in permits:
            yield from _unordered(query.unit, select, keys)
    for window in tree.find_all(exp.Window):
        if isinstance(window.this, exp.RowNumber | exp.Lag | exp.Lead) and window.args.get("order") is None:
            yield QueryError(query.unit, "a numbering window without an order", fix="say over (order by ...)")
    units = qualified(query.unit, query.text, freeze(schema))
    for literal in units.find_all(exp.Literal):
        if not _free(literal, rules, choices):
            yield _premise(query.unit, literal)
    for node in units.find_all(*_ARITHMETIC):
        if not any(True for _ in node.find_all(*_VARYING)) and not _in_rule_case(node, rules):
            yield _premise(query.unit, node)


def _premise(unit: str, node: exp.Expr) -> QueryError:
    kind = "literal" if isinstance(node, exp.Literal) else "constant"
    return QueryError(
        unit,
        f"the {kind} {node.sql('duckdb')} is a premise that no file states",
        fix="make it a rule unit, or the branch of a case on one",
    )


def _fills_gaps(tree: exp.Expr) -> bool:
    """Whether absence is given a value by another name than coalesce."""
    if any(isinstance(node.expression, exp.Null) for node in tree.find_all(exp.Is)):
        return True
    return any(any(True for _ in node.find_all(exp.Subquery)) for node in tree.find_all(exp.Greatest, exp.Least))


def _unordered(unit: str, select: exp.Query, keys: Mapping[str, tuple[str, ...]]) -> Iterator[QueryError]:
    order = select.args.get("order")
    ordered = {term.this.name for term in order.expressions if isinstance(term.this, exp.Column)} if order else set()
    group = select.args.get("group")
    read = sources(select)
    if group is not None and group.expressions:
        needed = {column.name for column in group.find_all(exp.Column)}
    elif isinstance(select, exp.Select) and all(is_named(source) and source.name in keys for source in read):
        needed = {part for source in read for part in keys[source.name]}
    else:
        yield QueryError(unit, "limit over what has no key", fix="order and limit a unit, or groups")
        return
    if order is None or needed - ordered:
        what = ", ".join(sorted(needed - ordered)) or "a key"
        yield QueryError(unit, f"limit without a total order: {what} is not in the order by")


def _free(literal: exp.Literal, rules: frozenset[str], choices: frozenset[str]) -> bool:
    parent = literal.parent
    if literal.is_string:
        if literal.this in choices or (isinstance(parent, exp.Interval) and literal.this in _FREE_NUMBERS):
            return True
    elif (
        literal.this in _FREE_NUMBERS
        or isinstance(parent, exp.DataTypeParam | exp.DataType)
        or (isinstance(parent, exp.Round) and parent.args.get("decimals") is literal)
        or (isinstance(parent, exp.Pow) and parent.expression is literal and literal.this in _EXPONENTS)
    ):
        return True
    elif isinstance(parent, exp.Limit | exp.Fetch):
        return bool(literal.this == "1")
    return _in_rule_case(literal, rules)


def _in_rule_case(node: exp.Expr, rules: frozenset[str]) -> bool:
    """Whether a branch of a ``case`` that compares rule units with their options decides whether ``node`` counts."""
    here: exp.Expr | None = node
    while here is not None and not isinstance(here, exp.Select):
        if isinstance(here, exp.Case) and _asks_rules(here, rules):
            return True
        here = here.parent
    return False


def _asks_rules(case: exp.Case, rules: frozenset[str]) -> bool:
    tests = [branch.this for branch in case.args.get("ifs") or []]
    subject = case.args.get("this")
    if subject is not None:
        return all(_compares(subject, value, rules) for value in tests)
    return all(_is_rule_test(test, rules) for test in tests)


def _is_rule_test(test: exp.Expr, rules: frozenset[str]) -> bool:
    if isinstance(test, exp.And | exp.Or):
        return _is_rule_test(test.left, rules) and _is_rule_test(test.right, rules)
    if isinstance(test, exp.Paren | exp.Not):
        return _is_rule_test(test.this, rules)
    return isinstance(test, exp.EQ | exp.NEQ) and _compares(test.left, test.right, rules)


def _compares(one: exp.Expr, other: exp.Expr, rules: frozenset[str]) -> bool:
    """Whether a column of a rule unit is compared with one of its options."""
    column, option = (other, one) if isinstance(one, exp.Literal) else (one, other)
    return isinstance(option, exp.Literal) and isinstance(column, exp.Column) and source_of(column) in rules
