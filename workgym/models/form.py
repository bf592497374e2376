"""The base of what a model fills in."""

from __future__ import annotations

from pydantic import ConfigDict

from workgym.records import Record


class Form(Record):
    """A record whose sentences below its fields are told to the model, as descriptions in the JSON Schema."""

    model_config = ConfigDict(use_attribute_docstrings=True)
