"""Intents: what somebody at work wants done, from occupations, documented skills and real files; reviewed, without
repeats, in a library that knows what of all occupations it covers."""

from workgym.intents.chaining import chain
from workgym.intents.composing import compose
from workgym.intents.coverage import Coverage, coverage, spread
from workgym.intents.drafting import Job
from workgym.intents.entries import Entry, Stats
from workgym.intents.expanding import expand
from workgym.intents.filling import fill
from workgym.intents.inferring import infer
from workgym.intents.library import Library
from workgym.intents.onet import Onet, import_onet
from workgym.intents.reviewing import Opinion, Review, review
from workgym.records.soc import Occupation, Soc, soc

__all__ = [
    "Coverage",
    "Entry",
    "Job",
    "Library",
    "Occupation",
    "Onet",
    "Opinion",
    "Review",
    "Soc",
    "Stats",
    "chain",
    "compose",
    "coverage",
    "expand",
    "fill",
    "import_onet",
    "infer",
    "review",
    "soc",
    "spread",
]
