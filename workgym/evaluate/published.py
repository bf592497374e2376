"""What the published systems report, beside which a corpus of one's own is read.

Source: the figures of WorkFactory (defects of 5,000 tasks under three conditions; behaviour of students by number of
training tasks; cost of inference). ``inferred`` are figures that the text implies without stating them so.
"""

from __future__ import annotations

from collections.abc import Mapping

from workgym.records import DefectClass, Record
from workgym.records.factory import Condition


class Published(Record):
    """One figure of theirs."""

    value: float
    """A share from 0 to 1, or a difference of shares."""
    note: str = ""
    """``computed`` from two others, ``inferred`` from the order of words, or a ``difference``; empty where stated."""

    def __str__(self) -> str:
        if self.note == "difference":
            return f"{self.value * 100:+.2f} points against direct"
        return f"{self.value:.2%}" + (f" ({self.note})" if self.note else "")


DIRECT, PLANNED, REPAIRED = "direct", "planned", "planned + repair"
CONDITIONS = (DIRECT, PLANNED, REPAIRED)
"""Artifacts planned at once; the information planned first; the same, repaired by execution."""
PLANNED_AS: Mapping[str, Condition] = {DIRECT: "direct", PLANNED: "planned", REPAIRED: "planned"}
"""How the tasks of each were planned."""

DEFECTS: Mapping[DefectClass, Mapping[str, Published]] = {
    "broken derivation": {DIRECT: Published(value=0.2486), PLANNED: Published(value=0.0686)},
    "request under-specification": {DIRECT: Published(value=0.0722), PLANNED: Published(value=0.0062)},
    "leakage or shortcut": {
        DIRECT: Published(value=0.0192, note="computed"),
        PLANNED: Published(value=0.0336),
        REPAIRED: Published(value=0.0084),
    },
    "self-inconsistency": {PLANNED: Published(value=0.0118, note="difference")},
    "cross-file inconsistency": {
        PLANNED: Published(value=0.2574, note="inferred"),
        REPAIRED: Published(value=0.0484),
    },
    "executability defect": {PLANNED: Published(value=0.0664, note="inferred"), REPAIRED: Published(value=0.0048)},
}
"""Share of tasks with a defect of each class; what is not there was not published."""

BEHAVIOUR: Mapping[str, str] = {
    "turns": "24.87 before training, 162.88 after 2K tasks, 85.90 after 110K",
    "limit hit": "21.9 % after 2K tasks, 2.7 % after 110K",
    "code": "16.0 % before training to 6.3 % after",
    "search": "22.4 % after 2K tasks, 10.4 % after 110K",
    "fetch": "40 to 48 %",
    "cost": "0.012, 0.396 and 0.031 USD of inference a task (students of 4B, 27B and 35B-A3B)",
}
"""What students do, by how much they were trained; ours are teachers and probes, so that only orders compare."""
