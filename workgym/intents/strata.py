"""What code draws so that intents differ: the setting that a model has to fill with work.

Each table is dealt out like a pack of cards: shuffled by the seed, used up, shuffled anew, so that all of it comes
equally often however many intents are made, and the n-th setting is the same however many are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from workgym.records import FormatName, Record

T = TypeVar("T")

INDUSTRIES = (
    "arable farming", "aquaculture", "forestry", "quarrying", "water supply", "electricity distribution",
    "solar parks", "food processing", "brewing", "clothing manufacture", "furniture making", "printing and packaging",
    "chemicals", "pharmaceutical manufacture", "metal fabrication", "machine building", "electronics assembly",
    "shipbuilding", "house building", "civil engineering", "building services", "car repair",
    "wholesale of building materials", "wholesale of foods", "supermarkets", "online retail", "pharmacies",
    "road haulage", "rail freight", "port services", "warehousing", "parcel delivery", "public transport", "hotels",
    "restaurants and catering", "book publishing", "broadcasting", "software", "telecommunications", "data centres",
    "retail banking", "credit unions", "insurance", "pension funds", "property management", "law practices",
    "accounting practices", "architecture", "market research", "veterinary practices", "staffing", "cleaning services",
    "security services", "travel agencies", "municipal government", "tax administration", "courts", "fire and rescue",
    "primary schools", "universities", "vocational training", "hospitals", "outpatient clinics", "dental practices",
    "nursing homes", "child day care", "social services", "museums", "theatres", "sports clubs", "charities",
    "trade unions", "laboratories", "waste collection", "recycling",
)  # fmt: skip
SIZES = (
    "somebody working alone, with clients", "a shop or practice of fewer than ten people", "a firm of 20 to 60 people",
    "a firm of 100 to 400 people with a few departments", "a site of a group with 1,000 to 5,000 people",
    "a national organisation with branches", "a public body", "a non-profit with paid staff and volunteers",
)  # fmt: skip
SENIORITIES = (
    "in the first year after training", "two to four years in", "experienced, works without supervision",
    "senior, others' work is checked by this person", "lead of a small team", "head of a department",
    "owner or partner", "on loan from another department",
)  # fmt: skip
TRIGGERS = (
    "a periodic close or report is due", "an audit or inspection has been announced",
    "an auditor's or inspector's finding", "a complaint of a customer, patient or citizen",
    "a supplier has changed its terms", "a rule or tariff has changed", "two records of the same thing do not agree",
    "a predecessor has left and the work is half done", "a meeting that decides is close",
    "an application or bid is due", "a contract ends or is to be renewed", "an incident has happened",
    "the budget is to be cut or moved", "demand has jumped or dropped",
    "a system was changed and its data have to be carried over", "somebody is absent and the plan no longer works",
    "a new site, service or product starts", "a claim or refund is disputed", "a customer or funder asks for proof",
    "quality or timeliness has slipped for some weeks",
)  # fmt: skip
STAKES = (
    "money that is paid or lost", "a deadline with a penalty", "the safety of people", "compliance with a rule",
    "a customer or partner who may leave", "fair treatment of staff", "a decision that is costly to reverse",
    "the organisation's standing with a regulator or funder", "continuity of service",
    "the credibility of the figures",
)  # fmt: skip
WORK = (
    "comparing alternatives under stated rules", "reconciling two or more records line by line",
    "working out amounts from rates, conditions and exceptions", "planning or rostering under constraints",
    "finding out why something deviated", "checking documents against requirements, point by point",
    "forecasting from history and known changes", "allocating scarce money, stock, places or hours",
    "turning scattered notes and records into one account of what happened", "classifying cases by written criteria",
    "drafting a position or an answer that rests on evidence", "updating an existing document or model with new facts",
)  # fmt: skip
PLACES = (
    "Germany", "France", "Spain", "Portugal", "Italy", "the Netherlands", "Poland", "Sweden", "Ireland",
    "the United Kingdom", "the United States", "Canada", "Mexico", "Brazil", "Chile", "South Africa", "Kenya",
    "Nigeria", "Egypt", "Turkey", "the United Arab Emirates", "India", "Indonesia", "Vietnam", "South Korea", "Japan",
    "Australia", "New Zealand", "the United States", "the United States",
)  # fmt: skip
SHAPES: tuple[tuple[FormatName, ...], ...] = (
    ("xlsx",), ("xlsx",), ("xlsx", "docx"), ("xlsx", "docx"), ("xlsx", "docx"), ("docx",), ("docx",), ("xlsx", "pptx"),
    ("xlsx", "md"), ("xlsx", "eml"), ("csv", "docx"), ("csv", "md"), ("pptx",), ("docx", "eml"), ("xlsx", "pdf"),
    ("xlsx", "docx", "eml"), ("xlsx", "csv", "docx"), ("json", "md"), ("ics", "docx"), ("docx", "pptx"),
)  # fmt: skip
"""Formats of the files that come out; some shapes stand there more than once, as they do in offices."""


class Setting(Record):
    """What was drawn for one intent."""

    industries: tuple[str, ...]
    """Lines of business to choose from: not every occupation is found in each."""
    size: str
    """How large the organisation is."""
    seniority: str
    """How experienced the person is."""
    trigger: str
    """The kind of thing that happened."""
    stakes: str
    """The kind of thing that depends on the result."""
    work: str
    """The kind of work that most of it is."""
    place: str
    """Country, for its currency, units and customs."""
    formats: tuple[FormatName, ...]
    """Formats of the files that come out."""

    @property
    def label(self) -> str:
        """All of it on one line, for provenance."""
        return "; ".join([self.size, self.seniority, self.trigger, self.stakes, self.work, self.place])


def setting(seed: int, number: int) -> Setting:
    """The setting of the ``number``-th intent (from 0) of a seed."""

    def drawn(name: str, table: Sequence[T]) -> T:
        return dealt(table, number, f"{seed}/{name}")

    return Setting(
        industries=tuple(dealt(INDUSTRIES, 3 * number + place, f"{seed}/industry") for place in range(3)),
        size=drawn("size", SIZES),
        seniority=drawn("seniority", SENIORITIES),
        trigger=drawn("trigger", TRIGGERS),
        stakes=drawn("stakes", STAKES),
        work=drawn("work", WORK),
        place=drawn("place", PLACES),
        formats=drawn("formats", SHAPES),
    )


def dealt(table: Sequence[T], number: int, seed: str) -> T:
    """The ``number``-th card of a pack that is shuffled again whenever it is used up."""
    round_, place = divmod(number, len(table))
    pack = list(table)
    random.Random(f"{seed}/{round_}").shuffle(pack)
    return pack[place]
