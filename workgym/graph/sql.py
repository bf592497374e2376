"""Queries, closed: what a unit's SQL may say, and what it reads.

A query is one SELECT (or a union of them) over units. Everything else is refused by an allow-list
of syntax nodes, so that a construct nobody thought of is refused too. Literals in a derived query
are premises that no check would see; they are refused unless they are free (see ``_free_literal``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from workgym.errors import QueryError

Schema = Mapping[str, Mapping[str, str]]
"""Column types by column by unit, as DuckDB writes them."""

_NODES = frozenset(
    """
    Abs Add Alias And Between Boolean Case Cast Ceil CTE Column Concat Count CurrentRow DataType DataTypeParam DateAdd
    DateDiff DatePart DateSub DateTrunc DayOfWeek Distinct Div Dot EQ Except Exists Extract Filter Floor From GT GTE
    Greatest Group Having Identifier If IgnoreNulls In IntDiv Intersect Interval Is Join LT LTE Lag Lead Least Like
    Literal Lower Max
    Min Mod Mul NEQ Neg Not Null Nullif Or Order Ordered Paren Pow RowNumber Round Select Sign Star Sub Subquery
    Substring Sum Table TableAlias TimestampTrunc Trim Union Upper Values Var Where Window WindowSpec With Tuple
    Dayofweek DayOfWeekIso Year Month Day Hour Minute StrPosition Length TsOrDsToDate StartsWith
    Limit Fetch Coalesce AnyValue First Last FirstValue LastValue GenerateSeries Unnest Sqrt Exp Ln Cos Sin
    """.split()
)
_TABLE_FUNCTIONS = (exp.GenerateSeries, exp.Unnest)
_PERMITTED_ONLY = {
    exp.Coalesce: "coalesce",
    exp.AnyValue: "any_value",
    exp.First: "first",
    exp.Last: "last",
    exp.FirstValue: "first",
    exp.LastValue: "last",
}
_FREE_NUMBERS = frozenset({"0", "1", "0.0", "1.0"})


@dataclass(frozen=True)
class Query:
    """A query that passed: its text, and what it reads."""

    unit: str
    text: str
    reads: Mapping[str, tuple[str, ...]]
    """Columns read, sorted, by unit; every unit that it names is there."""
    permits: tuple[str, ...]
    """Constructs that it uses and that only a rule unit can permit."""


@lru_cache(maxsize=4096)
def parse(unit: str, text: str) -> exp.Query:
    """The syntax tree of one SELECT, not to be changed. Raises QueryError where it is anything else."""
    try:
        trees = sqlglot.parse(text, read="duckdb")
    except SqlglotError as error:
        line = str(error).splitlines()[0]
        raise QueryError(unit, f"cannot be parsed: {line}") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise QueryError(unit, "must be one SELECT")
    tree = trees[0]
    for node in tree.walk():
        name = type(node).__name__
        if name not in _NODES:
            raise QueryError(
                unit, f"{_spoken(node)} is not allowed", fix="see docs/families.md for what queries may use"
            )
        if isinstance(node, exp.Table):
            _check_table(unit, node)
        if isinstance(node, exp.Interval) and not isinstance(node.this, exp.Expr):
            raise QueryError(unit, "an interval needs a value")
        if isinstance(node, exp.Subquery) and (isinstance(node.this, exp.Table) or node.args.get("joins")):
            raise QueryError(unit, "a join in parentheses is not allowed")
        if isinstance(node, exp.With) and node.args.get("recursive"):
            raise QueryError(unit, "a recursive query is not allowed", fix="use range")
    return tree


def _spoken(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"function {str(node.this).lower()}"
    if isinstance(node, exp.Func):
        return f"function {node.sql_name().lower()}"
    return type(node).__name__.lower()


def _check_table(unit: str, node: exp.Table) -> None:
    if node.args.get("db") or node.args.get("catalog"):
        raise QueryError(unit, f"{node.sql('duckdb')} names a schema; units have plain names")
    if not isinstance(node.this, exp.Identifier | exp.GenerateSeries):
        raise QueryError(unit, f"{_spoken(node.this)} is not allowed as a table", fix="use a unit, range or unnest")


_Frozen = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def _freeze(schema: Schema) -> _Frozen:
    return tuple((name, tuple(columns.items())) for name, columns in schema.items())


@lru_cache(maxsize=4096)
def _qualified(unit: str, text: str, frozen: _Frozen) -> exp.Expr:
    """The tree with every column under the table that it comes from, not to be changed. Raises QueryError."""
    known: dict[str, object] = {name: dict(columns) for name, columns in frozen}
    try:
        return qualify(parse(unit, text).copy(), schema=known, dialect="duckdb", quote_identifiers=False)
    except SqlglotError as error:
        raise QueryError(unit, f"{str(error).splitlines()[0].rstrip('.')}") from error


@lru_cache(maxsize=4096)
def _compiled(unit: str, text: str, frozen: _Frozen) -> Query:
    tree = parse(unit, text)
    known: dict[str, object] = {name: dict(columns) for name, columns in frozen}
    local = {cte.alias for cte in tree.find_all(exp.CTE)}
    for name in sorted(local):  # a unit behind such a name would be read unseen; DuckDB's names have no case
        if name.casefold() in {taken.casefold() for taken in known}:
            raise QueryError(unit, f"{name} names a unit and a common table expression")
    tables = [table for table in tree.find_all(exp.Table) if isinstance(table.this, exp.Identifier)]
    for table in tables:
        if table.name not in known and table.name not in local:
            raise QueryError(unit, f"there is no unit {table.name}")
    qualified = _qualified(unit, text, frozen)
    reads: dict[str, set[str]] = {table.name: set() for table in tables if table.name not in local}
    for source, column in _columns(qualified):
        if source in reads:
            reads[source].add(column)
    return Query(
        unit=unit,
        text=text,
        reads={name: tuple(sorted(columns)) for name, columns in sorted(reads.items())},
        permits=tuple(sorted(set(_needs_permission(tree)))),
    )


def compile_query(unit: str, text: str, schema: Schema) -> Query:
    """Check a query against the units that there are, and read its lineage off it.

    Raises QueryError for a forbidden construct, an unknown unit or an unknown column.
    """
    return _compiled(unit, text, _freeze(schema))


def equalities(unit: str, text: str, schema: Schema) -> frozenset[tuple[str, str]]:
    """(unit, column) of everything that a checked query compares for being equal, unequal or a member."""
    return _equalities(unit, text, _freeze(schema))


@lru_cache(maxsize=4096)
def _equalities(unit: str, text: str, frozen: _Frozen) -> frozenset[tuple[str, str]]:
    tree = _qualified(unit, text, frozen)
    found: set[tuple[str, str]] = set()
    compared = [*tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Is)]
    compared += [case.this for case in tree.find_all(exp.Case) if case.this is not None]
    for node in compared:
        for column in node.find_all(exp.Column):
            source = _source(column)
            if source is not None:
                found.add((source, column.name))
    return frozenset(found)


def _columns(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """(unit, column) of every column of a qualified tree, aliases undone scope by scope."""
    for select in tree.find_all(exp.Select):
        for column in select.find_all(exp.Column):
            source = _source(column)
            if source is not None:
                yield source, column.name


def _source(column: exp.Column) -> str | None:
    node: exp.Expr | None = column
    while node is not None:
        node = node.parent
        if isinstance(node, exp.Select):
            for source in _sources(node):
                if source.alias_or_name == column.table:
                    return source.name if _is_named(source) else None
    return None


def _sources(select: exp.Expr) -> list[exp.Expr]:
    """What a SELECT reads from: units, common table expressions, subqueries, ranges."""
    found: Any = select.args.get("from_") or select.args.get("from")
    return [*([] if found is None else [found.this]), *(join.this for join in select.args.get("joins") or [])]


def _is_named(source: exp.Expr) -> bool:
    return isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)


def _needs_permission(tree: exp.Expr) -> Iterator[str]:
    for node in tree.walk():
        for kind, name in _PERMITTED_ONLY.items():
            if isinstance(node, kind):
                yield name
        if isinstance(node, exp.Join) and (
            (node.side or "").upper() in ("LEFT", "RIGHT", "FULL") or (node.method or "").upper() == "POSITIONAL"
        ):
            yield "outer join"
        if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
            yield "first"


def check_derived(
    query: Query,
    schema: Schema,
    keys: Mapping[str, tuple[str, ...]],
    rules: frozenset[str],
    permits: Mapping[str, str],
    choices: frozenset[str],
) -> None:
    """What holds for derived queries beyond the closed language. Raises QueryError.

    Literals must be free or stand in a branch of a ``case`` on a rule unit; a ``limit`` needs a total
    order; coalesce, outer joins, any_value and first need the rule unit that permits them, and read it.
    """
    tree = parse(query.unit, query.text)
    for construct in query.permits:
        rule = permits.get(construct)
        if rule is None:
            raise QueryError(
                query.unit,
                f"{construct} hides absent rows",
                fix=f"name the rule that allows it: permits: {{{construct}: <rule unit>}}",
            )
        if rule not in rules:
            raise QueryError(query.unit, f"{construct} is permitted by {rule}, which is not a rule unit")
    if "limit" in permits and permits["limit"] not in rules:
        raise QueryError(query.unit, f"limit is permitted by {permits['limit']}, which is not a rule unit")
    for select in tree.find_all(exp.Query):
        if (select.args.get("limit") or select.args.get("fetch")) and "limit" not in permits:
            _check_order(query.unit, select, keys)
    for literal in _qualified(query.unit, query.text, _freeze(schema)).find_all(exp.Literal):
        if not _free_literal(literal, rules, choices):
            raise QueryError(
                query.unit,
                f"the literal {literal.sql('duckdb')} is a premise that no file states",
                fix="make it a rule unit, or the branch of a case on one",
            )


def _check_order(unit: str, select: exp.Query, keys: Mapping[str, tuple[str, ...]]) -> None:
    order = select.args.get("order")
    ordered = {term.this.name for term in order.expressions if isinstance(term.this, exp.Column)} if order else set()
    group = select.args.get("group")
    sources = _sources(select)
    if group is not None and group.expressions:
        needed = {column.name for column in group.find_all(exp.Column)}
    elif isinstance(select, exp.Select) and all(_is_named(source) and source.name in keys for source in sources):
        needed = {part for source in sources for part in keys[source.name]}
    else:
        raise QueryError(unit, "limit over what has no key", fix="order and limit a unit, or groups")
    if order is None or needed - ordered:
        what = ", ".join(sorted(needed - ordered)) or "a key"
        raise QueryError(unit, f"limit without a total order: {what} is not in the order by")


def _free_literal(literal: exp.Literal, rules: frozenset[str], choices: frozenset[str]) -> bool:
    parent = literal.parent
    if literal.is_string:
        if literal.this in choices or (isinstance(parent, exp.Interval) and literal.this in _FREE_NUMBERS):
            return True
    elif (
        literal.this in _FREE_NUMBERS
        or isinstance(parent, exp.DataTypeParam | exp.DataType)
        or (isinstance(parent, exp.Round) and parent.args.get("decimals") is literal)
    ):
        return True
    elif isinstance(parent, exp.Limit | exp.Fetch):
        return bool(literal.this == "1")
    return _in_rule_case(literal, rules)


def _in_rule_case(literal: exp.Literal, rules: frozenset[str]) -> bool:
    node: exp.Expr | None = literal
    while node is not None and not isinstance(node, exp.Select):
        if isinstance(node, exp.Case):
            subject = node.args.get("this")
            tested = [subject] if subject is not None else [branch.this for branch in node.args.get("ifs") or []]
            sources = {_source(column) for part in tested for column in part.find_all(exp.Column)}
            if sources and sources <= rules:
                return True
        node = node.parent
    return False


@lru_cache(maxsize=4096)
def without_rounding(unit: str, text: str) -> str:
    """The same query computed exactly: no intermediate ``round``, decimals as doubles."""

    def exact(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Round):
            return exp.Cast(this=node.this.transform(exact), to=exp.DataType.build("double"))
        if isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DECIMAL:
            return exp.Cast(this=node.this.transform(exact), to=exp.DataType.build("double"))
        return node

    return parse(unit, text).transform(exact).sql("duckdb")
