"""The base of every record: frozen, closed to unknown keys, with one canonical form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. Unknown keys are refused; ``fingerprint()`` is over the canonical JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def fingerprint(self) -> str:
        """sha256, in hexadecimal, of the canonical JSON of this record."""
        return digest(self.model_dump(mode="json"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields replaced; cached properties are worked out anew (pydantic carries them over)."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


def canonical(data: Any) -> str:
    """The one JSON text of ``data``: sorted keys, no spaces, UTF-8 kept as it is."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(data: Any) -> str:
    """sha256, in hexadecimal, of the canonical JSON of ``data`` (JSON types only)."""
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def pretty(data: Any) -> str:
    """JSON for files that people open: indented, keys in their given order, a final newline."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
