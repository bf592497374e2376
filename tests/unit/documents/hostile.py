"""Hostile files, made in code: what each is, under which name, and what may come of it. See ``test_hostile_files``."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from workgym.verify.probes import probe

READ = "read"
"""The outcome of a file that is read within the limits, whatever is refused inside it."""


class Case(NamedTuple):
    """A hostile file."""

    path: str
    """Its name."""
    make: Callable[[], bytes]
    """Makes it; its name says what it is."""
    outcomes: tuple[str, ...]
    """What may come of it: ``read``, or reasons of :class:`workgym.errors.Unreadable`."""

    slow: bool = False
    """Whether it takes long to make or to refuse: it is left to soak runs."""
    dealt: bool = True
    """Whether it is the one of its maker's names, dealt in turn, that is tried in every run; soak runs try all."""

    @property
    def name(self) -> str:
        return f"{self.path}-{self.make.__name__}"


CASES: list[Case] = []


def hostile(outcomes: str, *paths: str, slow: bool = False) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
    """Register what a function makes, under each of some names."""

    def register(make: Callable[[], bytes]) -> Callable[[], bytes]:
        dealt = len({case.make for case in CASES}) % len(paths)
        CASES.extend(
            Case(path, make, tuple(outcomes.split()), slow, number == dealt) for number, path in enumerate(paths)
        )
        return make

    return register


def sound(path: str) -> bytes:
    """A small file of that format with nothing wrong."""
    made = probe(path)
    assert made is not None
    return made


class Packed(NamedTuple):
    """Deflated bytes that were never there as a whole."""

    data: bytes
    crc: int
    size: int


def repeated(head: bytes, unit: bytes, times: int, tail: bytes) -> Packed:
    """``head + unit * times + tail``, deflated without making it: blocks of it are packed once and copied."""
    block = unit * max(1, min(times, (1 << 18) // len(unit)))
    blocks, rest = divmod(times * len(unit), len(block))
    first, last = zlib.compressobj(9, zlib.DEFLATED, -15), zlib.compressobj(9, zlib.DEFLATED, -15)
    middle = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = first.compress(head) + first.flush(zlib.Z_FULL_FLUSH)
    packed += (middle.compress(block) + middle.flush(zlib.Z_FULL_FLUSH)) * blocks
    packed += last.compress(block[:rest] + tail) + last.flush()
    crc = zlib.crc32(head)
    for _ in range(blocks):
        crc = zlib.crc32(block, crc)
    return Packed(packed, zlib.crc32(block[:rest] + tail, crc), len(head) + times * len(unit) + len(tail))


def zipped(parts: Iterable[tuple[str, bytes | Packed]], *, flags: int = 0, method: int = 8) -> bytes:
    """A zip, its headers written by hand so that they may say anything."""
    body, directory = [], []
    at = 0
    for name, part in parts:
        encoded = name.encode()
        if isinstance(part, bytes):
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            part = Packed(packer.compress(part) + packer.flush(), zlib.crc32(part), len(part))
        sizes = part.crc, len(part.data), part.size, len(encoded), 0
        fields = struct.pack("<HHHHHLLLHH", 20, flags, method, 0, 33, *sizes)
        directory.append(b"PK\x01\x02\x14\x00" + fields + struct.pack("<HHHLL", 0, 0, 0, 0, at) + encoded)
        body.append(b"PK\x03\x04" + fields + encoded + part.data)
        at += len(body[-1])
    listed = b"".join(directory)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(body), len(body), len(listed), at, 0)
    return b"".join(body) + listed + end


def container(content: bytes, parts: Mapping[str, bytes | Packed], **how: int) -> bytes:
    """An Office file with some parts exchanged or added."""
    with zipfile.ZipFile(io.BytesIO(content)) as old:
        kept = [(info.filename, old.read(info)) for info in old.infolist() if info.filename not in parts]
    return zipped([*kept, *parts.items()], **how)


def part(content: bytes, name: str) -> bytes:
    """A part of an Office file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(name)
