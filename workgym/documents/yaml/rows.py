"""Members of YAML collections as ranges of the text: taken out, or copied behind themselves."""

from __future__ import annotations

import re

from workgym.documents.patches import Patch, apply
from workgym.documents.records import runs
from workgym.documents.yaml.places import Node
from workgym.errors import EditRefused


class Edges:
    """The text of a file and what stands around its nodes."""

    def __init__(self, path: str, body: str, comments: list[tuple[int, int]]) -> None:
        self.path, self.body, self.comments = path, body, comments
        self.newline = "\r\n" if "\r\n" in body else "\n"

    def line(self, at: int) -> int:
        """Where the line of a character begins."""
        return max(self.body.rfind("\n", 0, at), self.body.rfind("\r", 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Where it ends, before its line break."""
        match = re.compile(r"\r?\n|\r|\Z").search(self.body, at)
        return match.start() if match else len(self.body)

    def next_line(self, at: int) -> int:
        """Where the next one begins."""
        match = re.compile(r"\r\n|\n|\r|\Z").search(self.body, at)
        return match.end() if match else len(self.body)

    def alone(self, at: int) -> bool:
        """Whether nothing but blanks stands before a character in its line."""
        return not self.body[self.line(at) : at].strip(" ")

    def indent(self, node: Node) -> int:
        """How far the lines of a block scalar are indented."""
        first = self.body.find("\n", node.start, node.end) + 1
        lines = [line for line in self.body[first : node.end].splitlines() if line.strip()]
        return min((len(line) - len(line.lstrip(" ")) for line in lines), default=2) if first else 2

    def exchange(self, node: Node, written: str) -> Patch:
        """A scalar written anew; one that is left out after its key gets a blank before it."""
        apart = node.start == node.end and node.start > 0 and not self.body[node.start - 1].isspace()
        return Patch(node.start, node.end, f" {written}" if apart else written)

    def emptied(self, node: Node) -> Patch:
        """A collection without members, behind its key."""
        brackets = "[]" if node.kind == "seq" else "{}"
        start = node.start
        if not node.style:
            start = len(self.body[:start].rstrip())
        return Patch(start, node.end, f" {brackets}" if start and start < node.start else brackets)

    def region(self, parent: Node, index: int) -> int:
        """Where a member begins: at its dash or key."""
        member = parent.members[index]
        if member.key is not None:
            return member.key.start
        if parent.style or index == 0:
            return member.start if parent.style else parent.start
        column = parent.start - self.line(parent.start)
        dash = re.compile(rf"^[ ]{{{column}}}-(?=\s|\Z)", re.M)
        match = dash.search(self.body, parent.members[index - 1].end, max(member.start, 1))
        if match is None:
            raise EditRefused(f"{self.path}: the list is written in a way that is not edited")
        return match.end() - 1


def removals(edges: Edges, parent: Node, gone: set[int]) -> list[Patch]:
    """Members of a collection are gone, with their lines; remarks on lines of their own stay."""
    members, body = parent.members, edges.body
    if any(other.lent for other in members if other.key is not None):
        raise EditRefused(f"{edges.path}: what is merged into a mapping is not edited")
    if len(gone) == len(members):
        return [edges.emptied(parent) if not parent.style else Patch(parent.start + 1, parent.end - 1, "")]
    patches: list[Patch] = []
    for first, last in runs(gone):
        start = edges.region(parent, first)
        following = edges.region(parent, last + 1) if last + 1 < len(members) else None
        if parent.style and following is None:
            patches.append(Patch(members[first - 1].end, members[last].end, ""))
        elif following is not None and (parent.style or not edges.alone(start)):
            patches.append(Patch(start, following, ""))
        else:
            for number in range(first, last + 1):
                begin, end = edges.line(edges.region(parent, number)), edges.next_line(members[number].end)
                if end == len(body) and not body.endswith(("\n", "\r")):
                    begin = len(body[:begin].rstrip("\r\n"))
                patches.append(Patch(begin, end, ""))
    return patches


def addition(edges: Edges, parent: Node, index: int, changes: list[Patch]) -> Patch:
    """A copy of a list's member behind it, with some of its text changed and without its remarks."""
    member = parent.members[index]
    start = edges.region(parent, index)
    drops = [_remark(edges, *span) for span in edges.comments if start < span[0] < member.end]
    moved = [Patch(first - start, last - start, new) for first, last, new in (*changes, *drops)]
    copy = apply(edges.path, edges.body[start : member.end], moved)
    if parent.style:
        gap = edges.body[parent.members[index - 1].end : member.start] if index else ", "
        return Patch(member.end, member.end, (gap if "#" not in gap else ", ") + copy)
    column = parent.start - edges.line(parent.start)
    at = edges.line_end(member.end)
    return Patch(at, at, f"{edges.newline}{' ' * column}{copy}")


def _remark(edges: Edges, start: int, end: int) -> Patch:
    """A comment is gone: with its line where it has one for itself, else with the blanks before it."""
    if edges.alone(start):
        return Patch(edges.line(start), edges.next_line(end), "")
    return Patch(len(edges.body[:start].rstrip(" \t")), end, "")
