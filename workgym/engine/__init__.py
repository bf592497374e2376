"""The factory: many intents through all stages, on this machine, to packages, entries and a ledger."""

from workgym.engine.crew import ROLES, Crew
from workgym.engine.factory import Summary, run
from workgym.engine.intake import Intake, intake
from workgym.engine.opening import opened
from workgym.engine.settings import Settings

__all__ = ["ROLES", "Crew", "Intake", "Settings", "Summary", "intake", "opened", "run"]
