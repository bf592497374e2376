"""The two things that are compared: a request, and a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedIOBase


@dataclass(frozen=True)
class Request:
    """One thing that is asked for."""

    owner: str
    """The task, or the file and line, that it belongs to."""
    text: str
    """What is asked."""


@dataclass(frozen=True)
class Held:
    """One file."""

    owner: str
    """The task that it belongs to; for a loose file its folder's name."""
    path: str
    """Its path there."""
    open: Callable[[], BufferedIOBase]
    """Opens its content for reading. Raises OSError."""
    size: int
    """Its bytes."""

    @property
    def name(self) -> str:
        """Owner and path."""
        return f"{self.owner}/{self.path}"

    def read(self) -> bytes:
        """All of it. Raises OSError."""
        with self.open() as file:
            return file.read()

    def digest(self) -> str:
        """sha256 of its bytes, in hexadecimal, with little memory for a large one. Raises OSError."""
        with self.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
