"""Models by name: SPEC texts and YAML files, read into the same configurations.

=========================================  ========================================================================
``openai:NAME``                            any endpoint that speaks OpenAI's chat completions; ``OPENAI_BASE_URL`` and
                                           ``OPENAI_API_KEY`` say where and with what key, options say otherwise
``scripted:FILE.yaml``                     replies from a file, in order
``recorded:PATH``                          a cassette, strict; with ``?live=SPEC`` it is filled up
``mailbox:FOLDER``                         requests and replies are files: a person or a program is the model
``FILE.yaml``                              one of these written down, with ``provider:`` and the options as keys
=========================================  ========================================================================

Options follow a question mark, as in an address: ``openai:qwen3?base_url=http://localhost:8000/v1&key_env=MY_KEY`` or
``&sampling.temperature=0&limits.concurrency=4``; what stands in a value is quoted as in an address (``%26`` is ``&``).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl

from pydantic import Field, ValidationError

from workgym.errors import UsageError
from workgym.model import Model, ModelCard
from workgym.models.limits import Limited, RateLimits
from workgym.models.mailbox import MailboxModel
from workgym.models.openai import OpenAIConfig, OpenAIModel
from workgym.models.recorded import RecordedModel
from workgym.models.retry import Retries, Retrying
from workgym.models.scripted import ScriptedModel
from workgym.records import Record
from workgym.records.yaml12 import read_yaml

FIX = "write openai:NAME, scripted:FILE.yaml, recorded:PATH, mailbox:FOLDER, or a YAML file with a provider"
_KEYS = ("key", "api_key", "token", "secret", "password")


class ScriptedConfig(Record):
    """``scripted:FILE``."""

    file: Path
    """The list of replies."""


class RecordedConfig(Record):
    """``recorded:PATH``."""

    path: Path
    """Folder of recordings, or a ledger."""
    live: str | None = None
    """The model that is asked for what is not recorded; None for none: strict."""
    name: str | None = None
    """What records call it; None is the live model's name, or ``recorded:`` and the path's."""
    structured: Literal["schema", "json", "text"] = "text"
    """How the recorded model was held to forms, which its requests depend on."""
    context: int | None = Field(default=None, ge=1)
    """Tokens of the recorded model's context, which harnesses that sum up go by; None where it was not known."""


class MailboxConfig(Record):
    """``mailbox:FOLDER``."""

    folder: Path
    """Where requests and replies lie."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds for one reply; None for ever."""
    poll: float = Field(default=0.2, gt=0)
    """Seconds between two looks."""
    context: int | None = Field(default=None, ge=1)
    """Tokens that prompt and reply may have together; None where it is not known."""
    name: str | None = None
    """What records call it; None is ``mailbox:`` and the folder's name."""


_FORMS: dict[str, tuple[type[Record], str]] = {
    "openai": (OpenAIConfig, "model"),
    "scripted": (ScriptedConfig, "file"),
    "recorded": (RecordedConfig, "path"),
    "mailbox": (MailboxConfig, "folder"),
}


Tell = Callable[[str], None]
"""Is told in a line what is waited for."""


def create(spec: str, *, tell: Tell = lambda line: None) -> Model:
    """The model that ``spec`` names, retries and limits included; a mailbox tells how many replies it waits for.

    Raises UsageError for what names none.
    """
    try:
        return _created(spec, tell)
    except (OSError, ValueError) as error:  # a path that no system takes, a file that is no text
        raise UsageError(f"{_shown(spec)}: {error}", fix=FIX) from None


def _created(spec: str, tell: Tell) -> Model:
    kind, _, rest = spec.partition(":")
    if kind in _FORMS and rest:
        return _made(_config(kind, _options(kind, rest), spec), tell)
    path = Path(spec)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        data = read_yaml(path.read_text(encoding="utf-8"), spec)
        if not isinstance(data, dict):
            raise UsageError(f"{spec}: a mapping is wanted", fix=FIX)
        kind = data.pop("provider", "openai")
        if kind not in _FORMS:
            raise UsageError(f"{spec}: provider: unknown provider {kind!r}", fix=f"use {', '.join(_FORMS)}")
        return _made(_config(kind, data, spec), tell)
    raise UsageError(f"unknown model {_shown(spec)!r}", fix=FIX)


def _shown(spec: str) -> str:
    """A spec without its options, among which somebody may have put a key."""
    return spec.partition("?")[0][:200]


def _options(kind: str, rest: str) -> dict[str, Any]:
    named, _, query = rest.partition("?")
    data: dict[str, Any] = {_FORMS[kind][1]: named}
    for option, value in parse_qsl(query, keep_blank_values=True):
        inner = data
        *folders, last = option.split(".")
        for folder in folders:
            inner = inner.setdefault(folder, {})
            if not isinstance(inner, dict):
                raise UsageError(f"{kind}:{named}: {option}: {folder} is no group of options")
        inner[last] = value
    if kind == "openai" and "base_url" not in data:
        data["base_url"] = OpenAIConfig.from_environment(named).base_url
    return data


def _config(kind: str, data: dict[str, Any], spec: str) -> Record:
    form, _ = _FORMS[kind]
    where = _shown(spec)
    try:
        return form.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "file"
        if key.rpartition(".")[2].lower() in _KEYS:
            raise UsageError(
                f"{where}: {key}: keys do not stand in configurations, which are copied and shown",
                fix="name an environment variable (key_env) or a file (key_file)",
            ) from None
        raise UsageError(f"{where}: {key}: {first['msg']}") from None


def _made(config: Record, tell: Tell) -> Model:
    if isinstance(config, OpenAIConfig):
        model: Model = OpenAIModel(config)
        if config.limits != RateLimits():
            model = Limited(model, config.limits)
        return Retrying(model, Retries(times=config.retries))
    if isinstance(config, ScriptedConfig):
        return ScriptedModel.from_file(config.file)
    if isinstance(config, RecordedConfig):
        live = None if config.live is None else create(config.live, tell=tell)
        known = ModelCard(structured=config.structured, context=config.context)
        return RecordedModel(config.path, live, config.name, known)
    assert isinstance(config, MailboxConfig)  # the last of _FORMS
    return MailboxModel(
        config.folder, timeout=config.timeout, poll=config.poll, context=config.context, name=config.name, tell=tell
    )
