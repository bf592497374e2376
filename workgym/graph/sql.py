"""Queries, closed: what a unit's SQL may say, and what it reads.

A query is one SELECT (or a union of them) over units. Everything else is refused by an allow-list
of syntax nodes, so that a construct nobody thought of is refused too. Literals in a derived query
are premises that no check would see; they are refused unless they are free (see ``_free_literal``).
"""

from __future__ import annotations

import re
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
    Limit Fetch Coalesce AnyValue First Last FirstValue LastValue GenerateSeries Unnest
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


@lru_cache(maxsize=4096)
def named(unit: str, text: str) -> frozenset[str]:
    """Every table that a query of the closed language names, folded as the database folds names. Raises QueryError."""
    return frozenset(table.name.casefold() for table in parse(unit, text).find_all(exp.Table))


def _spoken(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"function {str(node.this).lower()}"
    if isinstance(node, exp.Func):
        written = re.fullmatch(r"(\w+)\(.*\)", node.sql("duckdb"), re.S)  # as DuckDB has it: ``random``, not ``rand``
        return f"function {written[1].lower() if written else node.sql_name().lower()}"
    return type(node).__name__.lower()


def _check_table(unit: str, node: exp.Table) -> None:
    if node.args.get("db") or node.args.get("catalog"):
        raise QueryError(unit, f"{node.sql('duckdb')} names a schema; units have plain names")
    if not isinstance(node.this, exp.Identifier | exp.GenerateSeries):
        raise QueryError(unit, f"{_spoken(node.this)} is not allowed as a table", fix="use a unit, range or unnest")


Frozen = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def freeze(schema: Schema) -> Frozen:
    return tuple((name, tuple(columns.items())) for name, columns in schema.items())


@lru_cache(maxsize=4096)
def qualified(unit: str, text: str, frozen: Frozen) -> exp.Expr:
    """The tree with every column under the table that it comes from, not to be changed. Raises QueryError."""
    known: dict[str, object] = {name: dict(columns) for name, columns in frozen}
    try:
        return qualify(parse(unit, text).copy(), schema=known, dialect="duckdb", quote_identifiers=False)
    except SqlglotError as error:
        raise QueryError(unit, f"{str(error).splitlines()[0].rstrip('.')}") from error


@lru_cache(maxsize=4096)
def _compiled(unit: str, text: str, frozen: Frozen) -> Query:
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
    tree_of_units = qualified(unit, text, frozen)
    reads: dict[str, set[str]] = {table.name: set() for table in tables if table.name not in local}
    for source, column in _columns(tree_of_units):
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
    return _compiled(unit, text, freeze(schema))


@lru_cache(maxsize=4096)
def projection(unit: str, text: str) -> tuple[str, tuple[str, ...]] | None:
    """The unit and its columns, where a checked query is nothing but distinct columns of one unit; else None."""
    tree = parse(unit, text)
    if not isinstance(tree, exp.Select):
        return None
    used = {name for name, value in tree.args.items() if value}
    reads = sources(tree)
    if used - {"expressions", "distinct", "from_", "from", "kind"} or tree.args.get("distinct") is None:
        return None
    plain = (
        all(isinstance(column, exp.Column) for column in tree.expressions)
        and tree.args["distinct"].args.get("on") is None
    )
    if not plain or len(reads) != 1 or not is_named(reads[0]) or reads[0].alias:
        return None
    return reads[0].name, tuple(column.name for column in tree.expressions)


def equalities(unit: str, text: str, schema: Schema) -> frozenset[tuple[str, str]]:
    """(unit, column) of everything that a checked query compares for being equal, unequal or a member."""
    return _equalities(unit, text, freeze(schema))


@lru_cache(maxsize=4096)
def _equalities(unit: str, text: str, frozen: Frozen) -> frozenset[tuple[str, str]]:
    tree = qualified(unit, text, frozen)
    found: set[tuple[str, str]] = set()
    compared = [*tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Is)]
    compared += [case.this for case in tree.find_all(exp.Case) if case.this is not None]
    for node in compared:
        for column in node.find_all(exp.Column):
            source = source_of(column)
            if source is not None:
                found.add((source, column.name))
    return frozenset(found)


def _columns(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """(unit, column) of every column of a qualified tree, aliases undone scope by scope."""
    for select in tree.find_all(exp.Select):
        for column in select.find_all(exp.Column):
            source = source_of(column)
            if source is not None:
                yield source, column.name


def source_of(column: exp.Column) -> str | None:
    node: exp.Expr | None = column
    while node is not None:
        node = node.parent
        if isinstance(node, exp.Select):
            for source in sources(node):
                if source.alias_or_name == column.table:
                    return source.name if is_named(source) else None
    return None


def sources(select: exp.Expr) -> list[exp.Expr]:
    """What a SELECT reads from: units, common table expressions, subqueries, ranges."""
    found: Any = select.args.get("from_") or select.args.get("from")
    return [*([] if found is None else [found.this]), *(join.this for join in select.args.get("joins") or [])]


def is_named(source: exp.Expr) -> bool:
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


@lru_cache(maxsize=4096)
def without_rounding(unit: str, text: str) -> str:
    """The same query computed exactly: no intermediate ``round``, decimals as doubles; as it is where it has none."""
    query = parse(unit, text)
    if not any(isinstance(node, exp.Round) or _decimal(node) for node in query.walk()):
        return text

    def exact(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Round):
            return exp.Cast(this=node.this.transform(exact), to=exp.DataType.build("double"))
        if _decimal(node):
            return exp.Cast(this=node.this.transform(exact), to=exp.DataType.build("double"))
        return node

    return query.transform(exact).sql("duckdb")


def _decimal(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DECIMAL
