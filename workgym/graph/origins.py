"""Where the parts of a query come from: which columns of which units stand behind them, and what sort they are.

Columns that carry no table are looked for by name among what the query reads; what cannot be told is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from sqlglot import exp

from workgym.graph import sql
from workgym.graph.model import SupportGraph

Sort = Literal["date", "number", "text"]
_SORTS: dict[str, Sort] = {"date": "date", "time": "number", "text": "text", "choice": "text"}
_SAME = (exp.Greatest, exp.Least, exp.Max, exp.Min, exp.Paren, exp.DateTrunc)
"""What gives the same sort of thing as it is given."""


class Origins:
    """The queries of a graph, to be asked about their parts."""

    def __init__(self, graph: SupportGraph) -> None:
        self.graph = graph
        self._kept: dict[tuple[str, str, str], frozenset[tuple[str, str]]] = {}

    @cached_property
    def _rules(self) -> frozenset[str]:
        return frozenset(unit.name for unit in self.graph.units if unit.rule)

    def query(self, unit: str) -> str:
        """The query of a derived unit."""
        return self.graph.unit(unit).query or ""

    def chosen(self, unit: str, node: exp.Expr) -> bool:
        """Whether a ``case`` on a rule unit decides whether a part of the query counts."""
        here = node.parent
        while here is not None and not isinstance(here, exp.Query):
            if isinstance(here, exp.Case):
                asked = [here.this] if here.this is not None else [branch.this for branch in here.args.get("ifs") or []]
                read = {name for test in asked for name, _ in self.reads(unit, test)}
                if read and read <= self._rules:
                    return True
            here = here.parent
        return False

    def reads(self, unit: str, node: exp.Expr) -> frozenset[tuple[str, str]]:
        """(unit, column) of what stands in a part of the query of ``unit``; names that the query gives are undone."""
        return frozenset().union(*(self._behind(unit, column) for column in node.find_all(exp.Column)))

    def _behind(self, unit: str, column: exp.Column) -> frozenset[tuple[str, str]]:
        known = (unit, column.table, column.name)
        if known not in self._kept:
            self._kept[known] = frozenset()  # a name that is given to itself
            named = frozenset(self._named(unit, column))
            given = () if named else self._given(unit, column)
            self._kept[known] = named.union(*(self.reads(unit, one) for one in given))
        return self._kept[known]

    def _named(self, unit: str, column: exp.Column) -> list[tuple[str, str]]:
        """The units' columns that a name can mean: those of the SELECT that it stands in, else of the one around it."""
        here = column.parent
        while here is not None:
            read = sql.sources(here) if isinstance(here, exp.Select) else []
            if column.table:
                read = [source for source in read if source.alias_or_name == column.table]
            units = [source.name for source in read if source.name in self.graph.by_name]
            found = [(name, column.name) for name in dict.fromkeys(units) if column.name in self._columns(name)]
            if found or len(units) < len(read):
                return found  # what is not found among units is named by the query itself
            here = here.parent
        return []

    def _columns(self, name: str) -> frozenset[str]:
        return frozenset(column.name for column in self.graph.unit(name).columns)

    def _given(self, unit: str, column: exp.Column) -> Iterator[exp.Expr]:
        """What the query itself gives that name to."""
        for alias in self._tree(unit).find_all(exp.Alias):
            if alias.alias == column.name:
                yield alias.this

    def _tree(self, unit: str) -> exp.Query:
        return sql.parse(unit, self.query(unit))

    def kind(self, unit: str, node: exp.Expr, depth: int = 0) -> Sort:
        """What sort of thing a part is; a number where it cannot be told."""
        if depth > 8:
            return "number"
        if isinstance(node, exp.Column):
            named = self._named(unit, node)
            if named:
                return _SORTS.get(self.graph.unit(named[0][0]).column(named[0][1]).type.kind, "number")
            given = next(self._given(unit, node), None)
            return "number" if given is None else self.kind(unit, given, depth + 1)
        if isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DATE:
            return "date"
        if isinstance(node, exp.Literal):
            return "text" if node.is_string else "number"
        if isinstance(node, exp.Add | exp.Sub):
            sorts = [self.kind(unit, side, depth + 1) for side in (node.left, node.right)]
            return "date" if sorts.count("date") == 1 else "number"
        if isinstance(node, _SAME):
            return self.kind(unit, node.this, depth + 1)
        if isinstance(node, exp.Case):
            branches = node.args.get("ifs") or []
            return self.kind(unit, branches[0].args["true"], depth + 1) if branches else "number"
        return "number"

    def ranks(self, unit: str, node: exp.Expr) -> bool:
        """Whether a part is a place in an order that a query numbers."""
        return self._holds(exp.RowNumber, unit, node, set())

    def counts(self, unit: str, node: exp.Expr) -> bool:
        """Whether a part counts rows."""
        return self._holds(exp.Count, unit, node, set())

    def _holds(self, kind: type[exp.Expr], unit: str, node: exp.Expr, seen: set[int]) -> bool:
        """Whether such a thing stands in a part, or behind one of its names."""
        if id(node) in seen:
            return False
        seen.add(id(node))
        if any(True for _ in node.find_all(kind)):
            return True
        return any(self._holds(kind, other, given, seen) for other, given in self._defined(unit, node))

    def _defined(self, unit: str, node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
        """The expressions behind the names of a part, with the unit in whose query each stands."""
        for column in node.find_all(exp.Column):
            named = self._named(unit, column)
            for name, part in named:
                if self.graph.unit(name).query:
                    for alias in self._tree(name).find_all(exp.Alias):
                        if alias.alias == part:
                            yield name, alias.this
            if not named:
                yield from ((unit, given) for given in self._given(unit, column))

    def scale(self, unit: str, node: exp.Expr) -> int | None:
        """Decimal places of a column; None where it cannot be told."""
        if not isinstance(node, exp.Column):
            return 0
        named = self._named(unit, node)
        return self.graph.unit(named[0][0]).column(named[0][1]).type.scale if named else None


_KEPT = 16
_known: dict[int, tuple[object, Origins]] = {}


def origins(graph: SupportGraph) -> Origins:
    """The origins of a graph; tasks of one family share their units, and what was found of them."""
    kept = _known.get(id(graph.units))
    if kept is None or kept[0] is not graph.units:
        kept = (graph.units, Origins(graph))
        _known[id(graph.units)] = kept
        for old in list(_known)[:-_KEPT]:
            _known.pop(old, None)
    return kept[1]
