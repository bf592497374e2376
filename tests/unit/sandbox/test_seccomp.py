"""The filter, by a small interpreter of its instructions: what it answers for which call."""

from __future__ import annotations

import errno
import platform
import struct

import pytest

from workgym.sandbox import seccomp

pytestmark = pytest.mark.skipif(not seccomp.supported(), reason="no filter for this processor")
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = 0x7FFF0000, 0x80000000


def answer(program: bytes, name: str, *arguments: int, arch: int | None = None, number: int | None = None) -> int:
    """What the kernel's interpreter gives: ALLOW, KILL or an error number."""
    machine = platform.machine()
    if number is None:
        known = seccomp._NUMBERS[name][list(ARCH).index(machine)]
        if known is None:
            pytest.skip(f"{name} does not exist on {machine}")
        number = known
    words = {0: number, 4: ARCH[machine] if arch is None else arch}
    words |= {16 + 8 * place: value & 0xFFFFFFFF for place, value in enumerate(arguments)}
    code = [struct.unpack("=HBBI", program[at : at + 8]) for at in range(0, len(program), 8)]
    at, accumulator = 0, 0
    while True:
        operation, then, other, operand = code[at]
        at += 1
        if operation == 0x20:
            accumulator = words.get(operand, 0)
        elif operation == 0x06:
            return operand if operand in (ALLOW, KILL) else operand & 0xFFFF
        else:
            met = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}
            at += then if met[operation] else other


def test_guest_filter() -> None:
    program = seccomp.guest()
    for name in ("ptrace", "mount", "unshare", "setns", "bpf", "keyctl", "io_uring_setup", "userfaultfd"):
        assert answer(program, name) == errno.EPERM
    assert answer(program, "clone3") == errno.ENOSYS
    assert answer(program, "clone", 0x10000000) == errno.EPERM
    assert answer(program, "clone", 0x01200011) == ALLOW
    assert [answer(program, "socket", family) for family in (1, 2, 10)] == [ALLOW] * 3
    assert answer(program, "socket", 16) == answer(program, "socket", 40) == errno.EAFNOSUPPORT
    assert answer(program, "ioctl", 0, 0x5412) == errno.EPERM
    assert answer(program, "ioctl", 0, 0x5401) == ALLOW
    assert [answer(program, "socketpair", family) for family in (1, 30)] == [ALLOW, errno.EAFNOSUPPORT]
    assert [answer(program, name) for name in ("io_setup", "inotify_init1")] == [errno.ENOSYS] * 2
    assert [answer(program, "fcntl", 3, command) for command in (2, 1024, 1026)] == [ALLOW, errno.EPERM, errno.EPERM]
    assert answer(program, "execve") == answer(program, "kill") == ALLOW
    assert answer(program, "read", number=0) == ALLOW


def test_other_architectures_are_killed() -> None:
    assert answer(seccomp.guest(), "ptrace", arch=0x40000003) == KILL
    if platform.machine() == "x86_64":
        assert answer(seccomp.guest(), "", number=0x40000000 + 101) == errno.ENOSYS


def test_reader_filter() -> None:
    program = seccomp.reader(77)
    for name in ("socket", "execve", "fork", "kill", "ptrace"):
        assert answer(program, name) == errno.EPERM
    assert answer(program, "tgkill", 77) == ALLOW
    assert answer(program, "tgkill", 78) == errno.EPERM
    assert answer(program, "clone", 0x01200011) == errno.EPERM
    assert answer(program, "clone", 0x003D0F00) == ALLOW
