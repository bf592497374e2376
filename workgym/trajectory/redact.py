"""No secret value reaches a record: known values and well-known key patterns are replaced at the write boundary.

Keys have turned up in public trajectories, logs and judges' rationales; the boundary is therefore the writer, not
its callers. Files are the exception: what was handed in (``TrajectoryWriter.blob``) and what a user policy wrote
(``UserEvent.files``, in base64) are kept as they are, because a verdict and a replay need the bytes that their digests
name. No secret of the host reaches them by itself: the guest's environment is made anew, without any of the host's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

MARK = "[redacted]"
"""What stands in place of a secret."""

_NAMES = re.compile(r"(?:^|_)(?:API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)(?:_|$)", re.IGNORECASE)
_PATTERNS = re.compile(
    r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic, OpenRouter
    r"|\bgh[pousr]_[A-Za-z0-9]{36,}"  # GitHub
    r"|\bAKIA[0-9A-Z]{16}\b"  # AWS
    r"|\bhf_[A-Za-z0-9]{30,}"  # Hugging Face
    r"|\bAIza[A-Za-z0-9_-]{35}"  # Google
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{1,20000}?-----END [A-Z ]*PRIVATE KEY-----"
)
_SHORTEST = 8  # a shorter value would hit ordinary words


class Redactor:
    """Replaces secrets in texts and in JSON."""

    def __init__(self, secrets: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> None:
        """``secrets`` are known; variables of ``environment`` (the process's own) that are named like one are too."""
        named = (os.environ if environment is None else environment).items()
        values = {value for name, value in named if _NAMES.search(name)} | set(secrets)
        longest_first = sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """``text`` without secrets."""
        if self._known is not None:
            text = self._known.sub(MARK, text)
        return _PATTERNS.sub(MARK, text)

    def json(self, data: Any) -> Any:
        """JSON without secrets, in keys and values."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, Mapping):
            return {self.text(str(key)): self.json(value) for key, value in data.items()}
        if isinstance(data, list | tuple):
            return [self.json(value) for value in data]
        return data
