"""The probe: a solver attempts a task on what a solver sees, and what is wrong with the task is diagnosed and grounded.

``probe`` measures and never looks at the graph; ``triage`` does, for repair, and is kept apart.
"""

from workgym.probe.model import Ground, ProbeReport, Problem, Rejected
from workgym.probe.run import REPORT, examine, held_out, load, probe, probed, save
from workgym.probe.triage import Sighting, Sorted, Triage, to_repair, triage

__all__ = [
    "REPORT",
    "Ground",
    "ProbeReport",
    "Problem",
    "Rejected",
    "Sighting",
    "Sorted",
    "Triage",
    "examine",
    "held_out",
    "load",
    "probe",
    "probed",
    "save",
    "to_repair",
    "triage",
]
