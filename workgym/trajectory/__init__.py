"""Trajectories: what an episode's event log says, how it is written, and how it is read again."""

from workgym.trajectory.content import normal_digest, workspace_digest
from workgym.trajectory.events import (
    Call,
    CallEvent,
    EndEvent,
    EpisodeEvent,
    Event,
    MessageEvent,
    MutationEvent,
    ObservationEvent,
    SegmentEvent,
    UserEvent,
    VerdictEvent,
    WorkspaceEvent,
)
from workgym.trajectory.redact import Redactor
from workgym.trajectory.store import Trajectory, TrajectoryWriter

__all__ = [
    "Call",
    "CallEvent",
    "EndEvent",
    "EpisodeEvent",
    "Event",
    "MessageEvent",
    "MutationEvent",
    "ObservationEvent",
    "Redactor",
    "SegmentEvent",
    "Trajectory",
    "TrajectoryWriter",
    "UserEvent",
    "VerdictEvent",
    "WorkspaceEvent",
    "normal_digest",
    "workspace_digest",
]
