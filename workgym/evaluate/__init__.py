"""What a corpus and its making show: defects, drop-outs, behaviour, cost, as one report and a data card."""

from workgym.evaluate.card import card
from workgym.evaluate.entries import entries
from workgym.evaluate.rates import Rate
from workgym.evaluate.report import CorpusReport, report

__all__ = ["CorpusReport", "Rate", "card", "entries", "report"]
