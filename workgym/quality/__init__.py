"""The quality of a grader: mutants that must fail, equivalents that must pass, and why a wrong value is wrong."""

from workgym.quality.attribution import Cause, attribute
from workgym.quality.equivalents import REWRITES, Equivalent, equivalents
from workgym.quality.mutants import MUTATIONS, Mutant, mutants
from workgym.quality.rates import Count, Rates, Survivor, merged, rates
from workgym.quality.sound import Sound, sound

__all__ = [
    "MUTATIONS",
    "REWRITES",
    "Cause",
    "Count",
    "Equivalent",
    "Mutant",
    "Rates",
    "Sound",
    "Survivor",
    "attribute",
    "equivalents",
    "merged",
    "mutants",
    "rates",
    "sound",
]
