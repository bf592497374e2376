"""The base of every record: frozen, closed to unknown keys, with one canonical form."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. Unknown keys are refused; ``fingerprint()`` is over the canonical JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def fingerprint(self) -> str:
        """sha256, in hexadecimal, of the canonical JSON of this record."""
        return digest(self.model_dump(mode="json"))


def canonical(data: Any) -> str:
    """The one JSON text of ``data``: sorted keys, no spaces, UTF-8 kept as it is."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(data: Any) -> str:
    """sha256, in hexadecimal, of the canonical JSON of ``data`` (JSON types only)."""
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def pretty(data: Any) -> str:
    """JSON for files that people open: indented, keys in their given order, a final newline."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
