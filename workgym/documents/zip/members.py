"""Zip archives as files that hold files: one is read at a time, and one is exchanged without touching the others.

Names that could lead out of a folder are refused, and so is whatever ``documents.archive`` refuses. When a member is
exchanged, all other bytes of the archive stay: only the member itself, its entry in the directory and the offsets of
those behind it are written anew.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from workgym.documents.archive import Archive
from workgym.documents.limits import LIMITS
from workgym.errors import EditRefused, Unreadable

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_ZIP64 = b"\x01\x00\x10\x00"
_DESCRIPTOR = 0x8
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]|^[A-Za-z]:")
"""Control characters, back slashes and drives in the name of a file."""


class Members(Mapping[str, bytes]):
    """The files of an archive by name; each is unpacked when it is asked for."""

    def __init__(self, path: str, content: bytes) -> None:
        """Open it. Raises :class:`Unreadable` where it is no sound archive within the limits."""
        self.archive = Archive(path, content)
        self._names = [name for name in self.archive.names() if not name.endswith("/")]
        for name in self.archive.names():
            _check(path, name)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return self.archive.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _check(path: str, name: str) -> None:
    parts = name.removesuffix("/").split("/")
    if any(part.strip() in ("", ".", "..") for part in parts) or _UNSAFE.search(name):
        raise Unreadable(path, "corrupt", f"the name {name[:60]!r} would lead out of the archive")


def members(path: str, content: bytes) -> Members:
    """The files in their order; folders are left out. Raises :class:`Unreadable`."""
    return Members(path, content)


def replaced(path: str, content: bytes, name: str, member: bytes) -> bytes:
    """The archive with one file exchanged. Raises :class:`EditRefused` where that cannot be done in place."""
    archive = Members(path, content).archive
    if name not in archive:
        raise EditRefused(f"{path} holds no {name}")
    if len(member) > LIMITS.part_bytes:
        raise EditRefused(f"{path}: {name} would be larger than {LIMITS.part_bytes:,} bytes")
    info = next(info for info in archive.infos if info.filename == name)
    end = content.rfind(_END)
    count, size, first = struct.unpack_from("<HLL", content, end + 10)
    entries = list(_entries(content, first, size))
    start, stop, local = _segment(content, info)
    others = [other.header_offset for other in archive.infos if other is not info]
    if len(entries) != count or count != len(archive.infos) or any(start <= offset < stop for offset in others):
        raise EditRefused(f"{path}: its directory is laid out in a way that cannot be edited in place")
    packed = _packed(path, info, member)
    figures = struct.pack("<LLL", zlib.crc32(member), len(packed), len(member))
    made = bytearray(local)
    made[14:26] = figures
    _without_descriptor(made, 6)
    shift = len(made) + len(packed) - (stop - start)
    directory = bytearray(content[first : first + size])
    for at, own in entries:
        offset = struct.unpack_from("<L", directory, at - first + 42)[0]
        if offset > start:
            struct.pack_into("<L", directory, at - first + 42, offset + shift)
        elif offset == start and own == info.orig_filename:
            directory[at - first + 16 : at - first + 28] = figures
            _without_descriptor(directory, at - first + 8)
    tail = bytearray(content[first + size :])
    struct.pack_into("<L", tail, end - first - size + 16, first + shift)
    whole = content[:start] + made + packed + content[stop:first] + directory + tail
    if len(whole) > LIMITS.file_bytes:
        raise EditRefused(f"{path}: it would be larger than {LIMITS.file_bytes:,} bytes")
    if Members(path, bytes(whole))[name] != member:
        raise EditRefused(f"{path}: {name} does not read back as it was written")
    return bytes(whole)


def _entries(content: bytes, first: int, size: int) -> Iterator[tuple[int, str]]:
    """Offset and name of each entry of the directory, as far as it is one after the other."""
    at = first
    while at < first + size and content.startswith(_CENTRAL, at):
        flags = struct.unpack_from("<H", content, at + 8)[0]
        name, extra, comment = struct.unpack_from("<HHH", content, at + 28)
        yield at, content[at + 46 : at + 46 + name].decode("utf-8" if flags & 0x800 else "cp437", "replace")
        at += 46 + name + extra + comment


def _segment(content: bytes, info: zipfile.ZipInfo) -> tuple[int, int, bytes]:
    """Where a member stands, a descriptor behind its data included, and its local header."""
    start = info.header_offset
    name, extra = struct.unpack_from("<HH", content, start + 26)
    header = content[start : start + 30 + name + extra]
    if len(header) < 30 + name + extra or _ZIP64 in header[30 + name :]:
        raise EditRefused(f"{info.filename} is packed in the form for very large archives")
    stop = start + len(header) + info.compress_size
    if info.flag_bits & _DESCRIPTOR:
        figures = struct.pack("<LLL", info.CRC, info.compress_size, info.file_size)
        for mark in (b"PK\x07\x08", b""):
            if content.startswith(mark + figures, stop):
                return start, stop + len(mark) + 12, header
    return start, stop, header


def _packed(path: str, info: zipfile.ZipInfo, member: bytes) -> bytes:
    if info.compress_type == zipfile.ZIP_STORED:
        return member
    if info.compress_type != zipfile.ZIP_DEFLATED:
        raise EditRefused(f"{path}: {info.filename} is packed by a method that only few programs know")
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(member) + packer.flush()


def _without_descriptor(header: bytearray, at: int) -> None:
    """The sizes stand in the header itself, and no descriptor follows the data."""
    flags = struct.unpack_from("<H", header, at)[0]
    struct.pack_into("<H", header, at, flags & ~_DESCRIPTOR)
