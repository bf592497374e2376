"""Verdicts audited by people: a stratified sample, labels that are given blind, and rates with intervals."""

from workgym.quality.audit.cards import Card, cards
from workgym.quality.audit.population import Draw, Item, Population, Stratum, population, sample
from workgym.quality.audit.report import AuditReport, report
from workgym.quality.audit.sheets import Label, Labels, read, write

__all__ = [
    "AuditReport",
    "Card",
    "Draw",
    "Item",
    "Label",
    "Labels",
    "Population",
    "Stratum",
    "cards",
    "population",
    "read",
    "report",
    "sample",
    "write",
]
