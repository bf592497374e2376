"""Configurations that people write, read into records."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.records import Record
from workgym.records.yaml12 import read_yaml

_Kind = TypeVar("_Kind", bound=Record)


def read_record(kind: type[_Kind], path: Path | str) -> _Kind:
    """A record that is written as YAML. Raises UsageError with file, key and reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    data = read_yaml(text, str(path))
    try:
        return kind.model_validate({} if data is None else data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {f'{key}: ' if key else ''}{first['msg']}") from None
