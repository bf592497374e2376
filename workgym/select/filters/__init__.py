"""The filters: what each says of a trajectory, by the names that a configuration has them under."""

from workgym.select.filters.integrity import damaged, integrity
from workgym.select.filters.outcome import is_control, outcome, unscored
from workgym.select.filters.recoverability import recoverability
from workgym.select.filters.repeated_calls import repeated_calls
from workgym.select.filters.repeated_reasoning import repeated_reasoning
from workgym.select.filters.thin_deliverables import thin_deliverables
from workgym.select.filters.unsupported_claims import unsupported_claims

__all__ = [
    "damaged",
    "integrity",
    "is_control",
    "outcome",
    "recoverability",
    "repeated_calls",
    "repeated_reasoning",
    "thin_deliverables",
    "unscored",
    "unsupported_claims",
]
