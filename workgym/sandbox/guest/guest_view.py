# mypy: ignore-errors
"""What tools see of the guest: paths of the workspace, and output that is kept short. Standard library only."""

from __future__ import annotations

import os

WORKSPACE_NAME = "/work"
TOLD = 250
"""Exit code of a child that has said itself what went wrong."""


class ToolError(Exception):
    """What a tool says when it cannot do what it was asked."""


class Guest:
    """What a pack's functions get as their first argument."""

    ToolError = ToolError
    TOLD = TOLD

    def __init__(self, workspace, limits):
        self.workspace = os.path.realpath(workspace)
        self.limits = limits

    def path(self, given, exists=True):
        """The real path of a path in the workspace; refuses what leads outside, names the nearest to the unknown."""
        inside = given
        for prefix in (WORKSPACE_NAME, self.workspace):
            if given == prefix or given.startswith(prefix + "/"):
                inside = given[len(prefix) :].lstrip("/") or "."
                break
        real = os.path.realpath(os.path.join(self.workspace, inside))
        if "\0" in given or (real != self.workspace and not real.startswith(self.workspace + os.sep)):
            raise ToolError(
                f"{given} is outside the workspace. "
                f"Use a path inside it, such as report.xlsx or {WORKSPACE_NAME}/report.xlsx."
            )
        if exists and not os.path.exists(real):
            raise ToolError(self._unknown(self.show(real)))
        return real

    def show(self, real):
        """A real path as the solver writes it: from the workspace's root."""
        return os.path.relpath(real, self.workspace)

    def files(self, most=5000):
        """Paths of all files of the workspace, sorted; links to folders are not entered."""
        found = []
        for folder, folders, names in os.walk(self.workspace):
            folders.sort()
            found += [self.show(os.path.join(folder, name)) for name in sorted(names)]
            if len(found) >= most:
                break
        return sorted(found[:most])

    def _unknown(self, shown):
        import difflib  # 3 ms, for errors only

        known = self.files()
        names = {os.path.basename(path).lower(): path for path in known}
        near = difflib.get_close_matches(shown, known, n=3, cutoff=0.5)
        near += [
            names[name] for name in difflib.get_close_matches(os.path.basename(shown).lower(), names, n=3, cutoff=0.6)
        ]
        if near:
            return f"There is no {shown}. Did you mean {' or '.join(dict.fromkeys(near))}?"
        listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
        return f"There is no {shown}. The workspace holds: {listed or 'nothing'}."


class Output:
    """What a call printed: all of it while it is short, else beginning, end and how many characters were between."""

    def __init__(self, chars):
        self.chars, self.room = chars, 4 * chars
        self.head, self.tail, self.total, self.dropped = bytearray(), bytearray(), 0, 0

    def add(self, data):
        self.total += len(data)
        free = self.room - len(self.head)
        self.head += data[:free]
        self.tail += data[free:] if free > 0 else data
        if len(self.tail) > 2 * self.room:
            gone = self.tail[: -self.room]
            # Continuation bytes of UTF-8 are no characters of their own.
            self.dropped += len(gone.translate(None, bytes(range(0x80, 0xC0))))
            del self.tail[: -self.room]

    def text(self, stopped=False):
        head, tail = self.head.decode(errors="replace"), self.tail.decode(errors="replace")
        if stopped:
            # How far it came is chance: only the beginning is the same every time.
            return head[: self.chars // 2] + "\n[... cut ...]" if len(head) > self.chars // 2 else head
        if self.dropped == 0:
            head = (self.head + self.tail).decode(errors="replace")
            if len(head) <= self.chars:
                return head
            tail = head
        half = self.chars // 2
        cut = len(head) - 2 * half if self.dropped == 0 else len(head) + self.dropped + len(tail) - 2 * half
        note = f"\n[... {cut} characters cut; read less at a time, or write to a file and look at parts of it ...]\n"
        return head[:half] + note + tail[-half:]
