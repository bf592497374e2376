"""The info graph as a picture: carriers, premises, derived units, deliverables, from left to right."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from workgym.graph import SupportGraph, depths
from workgym.package import TaskPackage

WIDTH, ROW, GAP, MARGIN = 200, 44, 16, 14
COLUMN = WIDTH + 64
_SWEEPS = 8

STYLE = """
.wg-graph text{font:12px system-ui,sans-serif;fill:var(--ink,#1d2733)}
.wg-graph .kind{font-size:10.5px;fill:var(--soft,#66727f)}
.wg-graph .head{font-size:11px;letter-spacing:.08em;text-transform:uppercase;fill:var(--soft,#66727f)}
.wg-graph rect{fill:var(--card,#fff);stroke:var(--line,#c9d2dc);stroke-width:1.2}
.wg-graph .carrier rect{stroke:#8a97a6}.wg-graph .provided rect{stroke:#2f7d6b}.wg-graph .rule rect{stroke:#8a6d1d}
.wg-graph .derived rect{stroke:#3b62b5}.wg-graph .judgement rect{stroke:#8750a8}
.wg-graph .deliverable rect{stroke:#b4472f;stroke-width:1.8}
.wg-graph .distractor rect{stroke-dasharray:4 3}.wg-graph .distractor text{opacity:.62}
.wg-graph path{fill:none;stroke:var(--line,#c9d2dc);stroke-width:1.1}.wg-graph path.info{stroke:#3b62b5;opacity:.5}
.wg-graph path.stated{stroke:#b4472f;opacity:.55}
"""


@dataclass
class _Node:
    name: str
    title: str
    kind: str
    style: str
    column: int
    row: float = 0.0


def graph_svg(package: TaskPackage) -> str:
    """The graph of a task as a self-contained SVG."""
    graph = package.hidden.graph
    nodes = _nodes(graph)
    edges = _edges(graph, nodes)
    columns = _placed(nodes, edges)
    height = MARGIN * 2 + 28 + max(len(column) for column in columns) * (ROW + GAP)
    width = MARGIN * 2 + COLUMN * (len(columns) - 1) + WIDTH
    heads = {0: "Carriers", 1: "Premises", 2: "Derived", len(columns) - 1: "Deliverables"}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wg-graph" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="Information support graph of {escape(package.id)}">',
        f"<style>{STYLE}</style>",
    ]
    parts += [
        f'<text class="head" x="{MARGIN + COLUMN * place}" y="{MARGIN + 12}">{head}</text>'
        for place, head in heads.items()
    ]
    tallest = max(len(column) for column in columns)
    spots = {
        node.name: (
            MARGIN + COLUMN * node.column,
            MARGIN + 28 + (row + (tallest - len(column)) / 2) * (ROW + GAP),
        )
        for column in columns
        for row, node in enumerate(column)
    }
    parts += [_path(spots[start], spots[end], style) for start, end, style in edges]
    parts += [_box(node, *spots[node.name]) for node in nodes.values()]
    parts.append("</svg>")
    return "".join(parts)


def _nodes(graph: SupportGraph) -> dict[str, _Node]:
    depth = depths(graph)
    last = 2 + max(depth.values(), default=0)
    nodes: dict[str, _Node] = {}
    for carrier in graph.carriers:
        if carrier.kind in ("reference", "request", "external"):
            style = "carrier" + (" distractor" if carrier.role == "distractor" else "")
            folder, _, file = carrier.path.rpartition("/")
            where = f"web · {folder}" if carrier.kind == "external" else folder or carrier.kind
            nodes[f"file:{carrier.path}"] = _Node(f"file:{carrier.path}", file, where, style, 0)
    for unit in graph.units:
        if unit.status == "internal":
            continue
        style = "derived" if unit.status == "derived" else "rule" if unit.rule else "provided"
        style = "judgement" if unit.status == "derived" and not unit.columns else style
        style += " distractor" if unit.role == "distractor" else ""
        kind = "rule" if unit.rule else unit.status if unit.columns else "judgement"
        about = f"{kind} · {unit.entity}"
        nodes[unit.name] = _Node(unit.name, unit.name.replace("_", " "), about, style, 1 + depth.get(unit.name, 0))
    for deliverable in graph.deliverables:
        what = "to be filled in" if deliverable.edits else "to be handed in"
        nodes[f"out:{deliverable.path}"] = _Node(f"out:{deliverable.path}", deliverable.path, what, "deliverable", last)
    return nodes


def _edges(graph: SupportGraph, nodes: dict[str, _Node]) -> list[tuple[str, str, str]]:
    found = {
        (f"file:{binding.carrier}", binding.unit, "loc")
        for binding in graph.bindings
        if binding.visible and binding.unit in nodes
    }
    found |= {(edge.premise, edge.unit, "info") for edge in graph.supports}
    found |= {(item.unit, f"out:{out.path}", "stated") for out in graph.deliverables for item in out.states}
    return sorted(edge for edge in found if edge[0] in nodes and edge[1] in nodes)


def _placed(nodes: dict[str, _Node], edges: list[tuple[str, str, str]]) -> list[list[_Node]]:
    """Columns of nodes, ordered so that edges cross little (barycentre sweeps)."""
    columns: list[list[_Node]] = [[] for _ in range(1 + max(node.column for node in nodes.values()))]
    for node in nodes.values():
        columns[node.column].append(node)
    near: dict[str, list[str]] = {name: [] for name in nodes}
    for start, end, _ in edges:
        near[start].append(end)
        near[end].append(start)
    for column in columns:
        for row, node in enumerate(column):
            node.row = row / max(1, len(column))
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            for node in column:
                rows = [nodes[name].row for name in near[node.name]]
                node.row = sum(rows) / len(rows) if rows else node.row
            column.sort(key=lambda node: (node.row, node.name))
            for row, node in enumerate(column):
                node.row = (row + 0.5) / len(column)
    return columns


def _path(start: tuple[float, float], end: tuple[float, float], style: str) -> str:
    x1, y1 = start[0] + WIDTH, start[1] + ROW / 2
    x2, y2 = end[0], end[1] + ROW / 2
    bend = max(40.0, (x2 - x1) / 2)
    curve = f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    return f'<path class="{style}" d="{curve}"/>'


def _box(node: _Node, x: float, y: float) -> str:
    return (
        f'<g class="{node.style}"><title>{escape(node.name.removeprefix("file:").removeprefix("out:"))}</title>'
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{ROW}" rx="7"/>'
        f'<text x="{x + 10:.0f}" y="{y + 19:.0f}">{escape(_cut(node.title, 26))}</text>'
        f'<text class="kind" x="{x + 10:.0f}" y="{y + 35:.0f}">{escape(_cut(node.kind, 31))}</text></g>'
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
