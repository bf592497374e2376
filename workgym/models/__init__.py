"""Models by name, for the command line and for configuration files.

=======================  ==================================================================================
``openai:NAME``          any endpoint that speaks OpenAI's chat completions; see ``OpenAIConfig.from_environment``
``scripted:FILE.yaml``   replies from a file, in order
``FILE.yaml``            an ``OpenAIConfig`` written down
=======================  ==================================================================================
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.model import Model
from workgym.models.openai import OpenAIConfig, OpenAIModel
from workgym.models.scripted import ScriptedModel
from workgym.records.yaml12 import read_yaml

__all__ = ["OpenAIConfig", "OpenAIModel", "ScriptedModel", "create"]


def create(spec: str) -> Model:
    """The model that ``spec`` names. Raises UsageError for anything that is not in the module's table."""
    kind, _, rest = spec.partition(":")
    if kind == "openai" and rest:
        return OpenAIModel(OpenAIConfig.from_environment(rest))
    if kind == "scripted" and rest:
        return ScriptedModel.from_file(Path(rest))
    path = Path(spec)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        try:
            return OpenAIModel(OpenAIConfig.model_validate(read_yaml(path.read_text(encoding="utf-8"), spec)))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"]) or "file"
            raise UsageError(f"{spec}: {key}: {first['msg']}") from error
    raise UsageError(
        f"unknown model {spec!r}", fix="write openai:NAME, scripted:FILE.yaml or a YAML file with an endpoint"
    )
