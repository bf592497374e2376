"""What models fill in; the sentences below the fields are told to them.

What a model is to think first comes first by declaration and by the alphabet: endpoints show schemas in either order.
"""

from __future__ import annotations

from pydantic import Field

from workgym.models import Form
from workgym.records import FormatName


class WantedFile(Form):
    """A file that is to come out."""

    what: str = Field(min_length=3, max_length=80)
    """What it is, as a short phrase: "reconciliation of the call-outs"."""
    format: FormatName
    """Its format."""


class Step(Form):
    """One operation of the work."""

    skill: str
    """Name of the documented skill that it uses, as it was written; empty where it uses none."""
    does: str = Field(min_length=3, max_length=200)
    """What is done, as a phrase."""
    takes: tuple[str, ...] = Field(min_length=1, max_length=8)
    """What it needs, each as a short phrase; what an earlier operation gives stands here in exactly the same words."""
    gives: str = Field(min_length=3, max_length=120)
    """What comes out of it, as a short phrase that no other operation gives."""


class Draft(Form):
    """An intent."""

    background: str = Field(min_length=20)
    """Think here first: how this work is done in practice, out of which records, and where it goes wrong."""
    title: str = Field(min_length=2, max_length=90)
    """What the person is called at work, not the name of the occupation in a classification."""
    industry: str = Field(min_length=2, max_length=120)
    """The line of business."""
    size: str = Field(min_length=2, max_length=160)
    """How large the organisation is, in words: "a clinic of 140 people on two sites"."""
    seniority: str = Field(min_length=2, max_length=160)
    """How experienced the person is."""
    trigger: str = Field(min_length=20, max_length=400)
    """What happened, so that this has to be done now: one or two sentences with particulars."""
    stakes: str = Field(min_length=20, max_length=400)
    """What depends on the result: one or two sentences."""
    goal: str = Field(min_length=80, max_length=1200)
    """What is wanted, in two to five sentences, without amounts of money, percentages, decimals or conclusions."""
    wanted: tuple[WantedFile, ...] = Field(min_length=1, max_length=5)
    """The files that are to come out, in the order and the formats that were asked for."""


class Placed(Draft):
    """An intent whose occupation the model chooses."""

    occupation: str = Field(pattern=r"^\d\d-\d{4}$")
    """SOC 2018 code of the detailed occupation: "13-1081"."""
    occupation_title: str
    """Title of that occupation in the classification: "Logisticians"."""


class Composed(Placed):
    """An intent made of operations."""

    operations: tuple[Step, ...] = Field(min_length=2, max_length=7)
    """The work in its order."""


class Chained(Placed):
    """A whole task that starts from what another one gave."""

    starts_from: tuple[str, ...] = Field(min_length=1)
    """The files of the first task that this one takes, in exactly the words in which they were named."""
    operations: tuple[Step, ...] = Field(min_length=1, max_length=4)
    """The work in its order."""


class Ground(Form):
    """What in a file an inferred goal rests on."""

    file: str
    """Path of the file, as it was written."""
    shows: str = Field(min_length=10, max_length=400)
    """What in it shows that the goal is what such a person wants."""


class Inferred(Placed):
    """An intent whose goal was inferred from files."""

    grounds: tuple[Ground, ...] = Field(min_length=1, max_length=12)
    """The files that the goal rests on."""


class Choice(Form):
    """Skills for one piece of work."""

    because: str = Field(min_length=20)
    """Which piece of work uses them one after another, and what each hands to the next."""
    skills: tuple[str, ...] = Field(min_length=2, max_length=5)
    """Their names, as they were written, in the order of the work."""


class Scores(Form):
    """A review: for each thing the reasons first, then the score that follows from them."""

    about_coherence: str = Field(min_length=20)
    """What holds together and what does not, naming the parts."""
    coherence: int = Field(ge=1, le=5)
    """Score for coherence, 1 to 5."""
    about_fit: str = Field(min_length=20)
    """Why this is, or is not, the work of people in this occupation, at this seniority and place."""
    fit: int = Field(ge=1, le=5)
    """Score for fit, 1 to 5."""
    about_plausibility: str = Field(min_length=20)
    """Why it would, or would not, happen like this."""
    plausibility: int = Field(ge=1, le=5)
    """Score for plausibility, 1 to 5."""
