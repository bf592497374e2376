"""What a process can take away from itself on Linux: files (Landlock), system calls (seccomp), its own exposure.

Each function does what this kernel offers and says whether it did; there is nothing to install.
Source: landlock(7), seccomp(2), prctl(2).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable

_NO_NEW_PRIVS, _SET_DUMPABLE, _SET_PDEATHSIG, _SET_SECCOMP = 38, 4, 1, 22
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS = ((5, 1 << 15), (3, 1 << 14), (2, 1 << 13), (1, 0x1FFF))
"""Rights that each Landlock version added (ioctl on devices, truncate, refer, the first thirteen)."""


limited = False
"""Whether this process is a job's: set once, by the job itself, before it looks at anything untrusted."""


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that forked it ends."""
    if sys.platform == "linux":
        _prctl(_SET_PDEATHSIG, 9)


def hide() -> None:
    """Nobody of the same user may read this process's memory, descriptors or environment, or trace it."""
    if sys.platform == "linux":
        _prctl(_SET_DUMPABLE, 0)


def filter_calls(program: bytes) -> None:
    """Install a seccomp program for good. Raises OSError where the kernel refuses it."""

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    _prctl(_NO_NEW_PRIVS, 1)
    held = Filter(len(program) // 8, program)
    _prctl(_SET_SECCOMP, 2, ctypes.addressof(held))


def only_files(readable: Iterable[str], writable: Iterable[str]) -> bool:
    """Allow the file trees named, and no others, for good; False where the kernel has no Landlock."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = sum(right for since, right in _RIGHTS if since <= version)
    attributes = ctypes.c_uint64(handled)
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(libc, ruleset, path, _READ_FILE | _READ_DIR)
        for path in writable:
            _allow(libc, ruleset, path, handled)
        _prctl(_NO_NEW_PRIVS, 1)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    class Beneath(ctypes.Structure):
        _pack_ = 1
        _layout_ = "ms"
        _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]

    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _READ_FILE | 1 << 1 | 1 << 14
        libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(Beneath(rights, opened)), 0)
    finally:
        os.close(opened)


def _prctl(option: int, value: int, third: int = 0) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(third), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {option}: {os.strerror(number)}")
