"""A guest's tool server on this process's standard input and output: what a client of MCP starts as its server.

The host does nothing but start the guest and pass bytes on: every word of the conversation is the client's and the
guest's own.
"""

from __future__ import annotations

import os
import threading

from workgym.sandbox import packs
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.sandbox.session import boot_line

FILES = {"notes.md": b"# Notes\n\nfirst\nsecond\n", "data/orders.csv": b"id,amount\n1,10.50\n2,7\n"}


class Bridged(Bubblewrap):
    """A sandbox whose conversation is somebody else's."""

    def bridge(self) -> tuple[int, int]:
        """Start the guest; descriptors to write to it and to read from it."""
        self._packs = packs.load_all(("files", "shell", "office"))
        sink, source = self._begin(FILES)
        _write(sink, boot_line("server", self._setup(), self._modules()).encode())
        return sink, source


def main() -> None:
    """Pass on until the client closes its end."""
    sandbox = Bridged()
    try:
        sink, source = sandbox.bridge()
        threading.Thread(target=_passed, args=(source, 1), daemon=True).start()
        _passed(0, sink)
        os.close(sink)
    finally:
        sandbox.close()


def _passed(source: int, sink: int) -> None:
    while data := os.read(source, 1 << 16):
        _write(sink, data)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
