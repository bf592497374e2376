"""The info graph as a picture: carriers, premises, derived units, deliverables, from left to right."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from workgym.graph import SupportGraph, depths
from workgym.package import TaskPackage

WIDTH, ROW, GAP, MARGIN = 200, 44, 16, 14
LANE = 12
"""Height of what passes through a column on its way to a later one."""
COLUMN = WIDTH + 64
HEAD, LEGEND = 28, 34
_SWEEPS = 8

STYLE = """
.wg-graph text{font:12px system-ui,sans-serif;fill:#1d2733}
.wg-graph .kind,.wg-graph .legend{font-size:10.5px;fill:#66727f}
.wg-graph .head{font-size:11px;letter-spacing:.08em;text-transform:uppercase;fill:#66727f}
.wg-graph .ground{fill:#fff}
.wg-graph g rect{fill:#fff;stroke:#c9d2dc;stroke-width:1.2}
.wg-graph .carrier rect{stroke:#8a97a6}.wg-graph .provided rect{stroke:#2f7d6b}.wg-graph .rule rect{stroke:#8a6d1d}
.wg-graph .derived rect{stroke:#3b62b5}.wg-graph .judgement rect{stroke:#8750a8}
.wg-graph .deliverable rect{stroke:#b4472f;stroke-width:1.8}
.wg-graph .distractor rect{stroke-dasharray:4 3}.wg-graph .distractor text{opacity:.62}
.wg-graph path{fill:none;stroke:#c9d2dc;stroke-width:1.1}.wg-graph path.info{stroke:#3b62b5;opacity:.5}
.wg-graph path.stated,.wg-graph path.judged{stroke:#b4472f;opacity:.55}.wg-graph path.judged{stroke-dasharray:2 3}
"""
BOXES = {
    "carrier": "file or page",
    "provided": "premise",
    "rule": "rule",
    "derived": "computed",
    "judgement": "judged",
    "deliverable": "handed in",
    "carrier distractor": "not needed, or superseded",
}
LINES = {
    "loc": "stands in",
    "info": "is computed from",
    "stated": "is stated in",
    "judged": "is what a judge looks for",
}
"""What the legend says, by style."""


@dataclass
class _Node:
    name: str
    title: str
    kind: str
    style: str
    column: int
    row: float = 0.0

    @property
    def height(self) -> int:
        return ROW + GAP if self.title else LANE


Edge = tuple[str, str, str]
"""Start, end, style."""
Spot = tuple[float, float]
"""Left end of a node, at the height of its middle."""


def graph_svg(package: TaskPackage) -> str:
    """The graph of a task as a self-contained SVG."""
    graph = package.hidden.graph
    nodes = _nodes(graph)
    steps = _routed(nodes, _edges(graph, nodes))
    columns = _placed(nodes, steps)
    tall = [sum(node.height for node in column) for column in columns]
    bottom = MARGIN + HEAD + max(tall)
    height = bottom + LEGEND + MARGIN
    width = MARGIN * 2 + COLUMN * (len(columns) - 1) + WIDTH
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wg-graph" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="Information support graph of {escape(package.id)}">',
        f'<style>{STYLE}</style><rect class="ground" width="{width}" height="{height}"/>',
    ]
    parts += [
        f'<text class="head" x="{MARGIN + COLUMN * place}" y="{MARGIN + 12}">{head}</text>'
        for place, head in enumerate(_heads(len(columns)))
    ]
    spots: dict[str, Spot] = {}
    for column, taken in zip(columns, tall, strict=True):
        y = MARGIN + HEAD + (max(tall) - taken) / 2
        for node in column:
            spots[node.name] = MARGIN + COLUMN * node.column, y + (node.height - (GAP if node.title else 0)) / 2
            y += node.height
    lanes = sorted({(node.name, style) for start, _, style in steps if not (node := nodes[start]).title})
    parts += [_path(spots[start], spots[end], style) for start, end, style in steps]
    parts += [_line(spots[name], style) for name, style in lanes]
    parts += [_box(node, *spots[node.name]) for node in nodes.values() if node.title]
    parts += [*_legend(bottom + LEGEND / 2), "</svg>"]
    return "".join(parts)


def _heads(columns: int) -> list[str]:
    derived = ["Derived", *(f"Derived, step {step}" for step in range(2, columns - 2))]
    return ["Carriers", "Premises", *derived[: columns - 3], "Deliverables"]


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


def _edges(graph: SupportGraph, nodes: dict[str, _Node]) -> list[Edge]:
    found = {
        (f"file:{binding.carrier}", binding.unit, "loc")
        for binding in graph.bindings
        if binding.visible and binding.unit in nodes
    }
    found |= {(edge.premise, edge.unit, "info") for edge in graph.supports}
    stated = {(item.unit, f"out:{out.path}") for out in graph.deliverables for item in out.states}
    rests = {
        (name.partition(".")[0], f"out:{out.path}")
        for out in graph.deliverables
        for item in out.rubric
        for name in item.rests_on
        if item.about == "deliverable"
    }
    found |= {(*edge, "stated") for edge in stated} | {(*edge, "judged") for edge in rests - stated}
    return sorted(edge for edge in found if edge[0] in nodes and edge[1] in nodes)


def _routed(nodes: dict[str, _Node], edges: list[Edge]) -> list[Edge]:
    """The edges from column to column: what passes one has a lane there, shared by all that comes from one node."""
    steps: set[Edge] = set()
    for start, end, style in edges:
        at = start
        for column in range(nodes[start].column + 1, nodes[end].column):
            lane = f"lane:{style}:{start}:{column}"
            nodes.setdefault(lane, _Node(lane, "", "", style, column))
            steps.add((at, lane, style))
            at = lane
        steps.add((at, end, style))
    return sorted(steps)


def _placed(nodes: dict[str, _Node], edges: list[Edge]) -> list[list[_Node]]:
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


def _path(start: Spot, end: Spot, style: str) -> str:
    x1, y1, x2, y2 = start[0] + WIDTH, start[1], *end
    bend = max(40.0, (x2 - x1) / 2)
    curve = f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    return f'<path class="{style}" d="{curve}"/>'


def _line(spot: Spot, style: str, length: int = WIDTH) -> str:
    return f'<path class="{style}" d="M{spot[0]:.0f} {spot[1]:.0f}h{length}"/>'


def _legend(y: float) -> list[str]:
    x, parts = float(MARGIN), []
    for style, text in BOXES.items():
        parts.append(f'<g class="{style}"><rect x="{x:.0f}" y="{y - 7:.0f}" width="22" height="14" rx="4"/></g>')
        parts.append(f'<text class="legend" x="{x + 28:.0f}" y="{y + 4:.0f}">{text}</text>')
        x += 48 + 6 * len(text)
    for style, text in LINES.items():
        parts.append(_line((x, y), style, 22))
        parts.append(f'<text class="legend" x="{x + 28:.0f}" y="{y + 4:.0f}">{text}</text>')
        x += 48 + 6 * len(text)
    return parts


def _box(node: _Node, x: float, y: float) -> str:
    return (
        f'<g class="{node.style}"><title>{escape(node.name.removeprefix("file:").removeprefix("out:"))}</title>'
        f'<rect x="{x:.0f}" y="{y - ROW / 2:.0f}" width="{WIDTH}" height="{ROW}" rx="7"/>'
        f'<text x="{x + 10:.0f}" y="{y - 3:.0f}">{escape(_cut(node.title, 26))}</text>'
        f'<text class="kind" x="{x + 10:.0f}" y="{y + 13:.0f}">{escape(_cut(node.kind, 31))}</text></g>'
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
