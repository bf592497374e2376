"""Seccomp filters as BPF programs, made in pure Python: no libseccomp on either side.

A program reads ``struct seccomp_data`` (number at 0, architecture at 4, the low word of argument n
at 16 + 8n, little-endian) and returns what the kernel does; see seccomp(2) and linux/filter.h.
"""

from __future__ import annotations

import errno
import platform
import struct

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_CLONE_THREAD = 0x00010000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_SETLEASE, _NOTIFY = 1024, 1026
"""Commands of fcntl by which one holds up or watches those who open the same file."""
_FAMILIES = (1, 2, 10)
"""AF_UNIX, AF_INET, AF_INET6: what a program in a network namespace of its own may still ask for."""

_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "unshare": (272, 97),
    "chroot": (161, 51),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "vhangup": (153, 58),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "set_mempolicy": (238, 237),
    "fanotify_init": (300, 262),
    "personality": (135, 92),
    "io_setup": (206, 0),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
}
"""Numbers on x86_64 and aarch64 (asm/unistd_64.h, asm-generic/unistd.h of Linux 6.1); None where there is none."""

_UNKNOWN = ("clone3", "io_setup", "inotify_init", "inotify_init1")
"""Answered as by a kernel without them, which programs are ready for: what asynchronous requests and watches there may
be is counted for the whole machine or user, and watches on files that all guests share tell of the others."""
_SPECIAL = frozenset(
    "clone clone3 io_setup inotify_init inotify_init1 socket socketpair fcntl ioctl execve execveat fork vfork "
    "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal".split()
)
_SYSTEM = tuple(name for name in _NUMBERS if name not in _SPECIAL)


def supported() -> bool:
    """Whether a filter can be made for this machine's processor."""
    return platform.machine() in _ARCH


def guest() -> bytes:
    """The filter of a sandbox: no tracing, mounts, new namespaces, keyrings, io_uring, bpf, exotic sockets."""
    program = _Program()
    program.refuse(_SYSTEM)
    program.refuse_bits("clone", 0, _NEW_NAMESPACES)
    program.refuse(_UNKNOWN, errno.ENOSYS)
    program.refuse_unless("socket", 0, _FAMILIES, errno.EAFNOSUPPORT)
    program.refuse_unless("socketpair", 0, _FAMILIES, errno.EAFNOSUPPORT)
    program.refuse_if("ioctl", 1, (_TIOCSTI, _TIOCLINUX))
    program.refuse_if("fcntl", 1, (_SETLEASE, _NOTIFY))
    return program.finish()


def reader(pid: int) -> bytes:
    """The filter of a process ``pid`` that only computes: also no sockets, programs, processes, signals to others."""
    program = _Program()
    program.refuse(_SYSTEM)
    program.refuse(("socket", "execve", "execveat", "fork", "vfork", "kill", "tkill"))
    program.refuse(("rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"))
    program.refuse(_UNKNOWN, errno.ENOSYS)
    program.refuse_unless_bits("clone", 0, _CLONE_THREAD)
    program.refuse_unless("tgkill", 0, (pid,), errno.EPERM)
    return program.finish()


class _Program:
    """Instructions in order; every rule is skipped when the number is another, so that jumps stay short."""

    def __init__(self) -> None:
        machine = platform.machine()
        self.column = list(_ARCH).index(machine)
        self.code: list[tuple[int, int, int, int]] = [
            (_LOAD, 0, 0, 4),
            (_EQUAL, 1, 0, _ARCH[machine]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, 0),
        ]
        if machine == "x86_64":
            self.code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]

    def refuse(self, names: tuple[str, ...], error: int = errno.EPERM) -> None:
        for name in names:
            number = _NUMBERS[name][self.column]
            if number is not None:
                self.code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]

    def refuse_if(self, name: str, argument: int, values: tuple[int, ...], error: int = errno.EPERM) -> None:
        checks = [(_EQUAL, len(values) - n, 0, value) for n, value in enumerate(values)]
        self._rule(name, argument, [*checks, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | error)])

    def refuse_unless(self, name: str, argument: int, values: tuple[int, ...], error: int) -> None:
        checks = [(_EQUAL, len(values) - n, 0, value) for n, value in enumerate(values)]
        self._rule(name, argument, [*checks, (_RETURN, 0, 0, _ERRNO | error), (_RETURN, 0, 0, _ALLOW)])

    def refuse_bits(self, name: str, argument: int, bits: int) -> None:
        deny = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
        self._rule(name, argument, [(_ANY_BIT, 1, 0, bits), (_RETURN, 0, 0, _ALLOW), deny])

    def refuse_unless_bits(self, name: str, argument: int, bits: int) -> None:
        deny = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
        self._rule(name, argument, [(_ANY_BIT, 1, 0, bits), deny, (_RETURN, 0, 0, _ALLOW)])

    def _rule(self, name: str, argument: int, body: list[tuple[int, int, int, int]]) -> None:
        number = _NUMBERS[name][self.column]
        if number is not None:
            self.code += [(_EQUAL, 0, len(body) + 1, number), (_LOAD, 0, 0, 16 + 8 * argument), *body]

    def finish(self) -> bytes:
        self.code.append((_RETURN, 0, 0, _ALLOW))
        return b"".join(struct.pack("=HBBI", *instruction) for instruction in self.code)
