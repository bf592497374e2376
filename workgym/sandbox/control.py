"""The host's end of a conversation with a process that forks guests: JSON lines over a socket, with descriptors."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import Any

from workgym.errors import SandboxUnavailable

PATIENCE_SECONDS = 60.0
"""How long an answer may take: the largest of the libraries is loaded in a second, on a busy machine in ten."""


class Unfit(SandboxUnavailable):
    """Guests cannot be forked here, though bubblewrap works: they start cold."""


class Control:
    """One such conversation; not thread-safe."""

    def __init__(self) -> None:
        self._socket, self.theirs = socket.socketpair()
        """``theirs`` is the other end: whoever hands it on closes it here."""
        self._socket.settimeout(PATIENCE_SECONDS)
        self._pending = b""

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Say something. Raises ConnectionError where the other side has ended, TimeoutError where it does not read."""
        data = json.dumps(message).encode() + b"\n"
        sent = socket.send_fds(self._socket, [data], list(descriptors)) if descriptors else 0
        self._socket.sendall(data[sent:])

    def say(self, line: str) -> None:
        """The same of a line that is written already."""
        self._socket.sendall(line.encode())

    def answer(self) -> tuple[dict[str, Any], list[int]]:
        """What comes back, and its descriptors, ours from now on. Raises Unfit for a complaint, and as ``send``."""
        descriptors: list[int] = []
        while b"\n" not in self._pending:
            data, found, _, _ = socket.recv_fds(self._socket, 4096, 4, socket.MSG_CMSG_CLOEXEC)
            descriptors += found
            if not data:
                raise ConnectionResetError("it has ended")
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if message["wrong"]:
            raise Unfit(message["wrong"])
        return message, descriptors

    def close(self) -> None:
        """End it: so does the process at the other end."""
        self._socket.close()
