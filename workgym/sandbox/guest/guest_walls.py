# mypy: ignore-errors
"""The walls around one episode, put up by the process that is to live behind them. Standard library only.

What bubblewrap does in a process that it starts, this does in one that was forked: the same namespaces, the same root.
The rights that this takes a zygote has in a user namespace of its own, and no guest keeps any.
Source: namespaces(7), mount(2), pivot_root(2), capabilities(7), devpts in the kernel's documentation.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

PID, NET, IPC = 0x20000000, 0x40000000, 0x08000000
UTS, CGROUP, USER, MOUNT = 0x04000000, 0x02000000, 0x10000000, 0x00020000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_REMOUNT, _BIND, _ALL, _PRIVATE = 32, 4096, 16384, 1 << 18
_DETACH = 2
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_NODES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
_LINKS |= {"fd": "/proc/self/fd", "core": "/proc/kcore", "ptmx": "pts/ptmx"}
_CAPABILITIES_3 = 0x20080522
_MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _FSPICK = 429, 430, 431, 432, 433
_CLOSE_ON_EXEC, _SET_TEXT, _CREATE, _CHANGE = 1, 1, 6, 7
_PICKED = 1 | 8
"""Closed on exec, and given by the descriptor alone."""
_FROM_DESCRIPTOR, _HERE = 4, -100
_FILES = 65536
"""How many files a workspace may hold: each is memory of the kernel."""
_libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A function of the C library that says 0. Raises OSError with its name where it says anything else."""
    sent = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    if getattr(_libc, name)(*sent) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def system(number, *arguments):
    """A system call that the C library may not know, on all processors the same. Raises OSError."""
    sent = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = _libc.syscall(ctypes.c_long(number), *sent)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return result


def workspace(size):
    """A descriptor of a new file system in memory that holds so many bytes; it is mounted nowhere yet.

    It is gone with the last descriptor and mount of it: nobody has to remove it.
    """
    opened = system(_FSOPEN, b"tmpfs", _CLOSE_ON_EXEC)
    try:
        _configure(opened, _CREATE, source="tmpfs", size=size, nr_inodes=_FILES, mode="0700")
        return system(_FSMOUNT, opened, _CLOSE_ON_EXEC, _NO_SUID | _NO_DEVICES)
    finally:
        os.close(opened)


def enlarge(work, more):
    """Make room for so many bytes more in such a file system, and for a few files."""
    holds = os.fstatvfs(work)
    opened = system(_FSPICK, work, b"", _PICKED)
    try:
        _configure(opened, _CHANGE, size=holds.f_blocks * holds.f_frsize + more, nr_inodes=holds.f_files + 64)
    finally:
        os.close(opened)


def _configure(opened, command, **options):
    for name, value in options.items():
        system(_FSCONFIG, opened, _SET_TEXT, name.encode(), str(value).encode(), 0)
    system(_FSCONFIG, opened, command, None, None, 0)


def rule():
    """Go into a user namespace in which this process may do what follows here; its next child is the first of its own.

    Not by bubblewrap's ``--cap-add``: whoever was *started* by user 0 of a namespace owns his folders in ``/proc`` also
    when he is not dumpable, and so would every guest's tool server.
    """
    call("unshare", USER | MOUNT | PID)
    _map_user("0 1000 1")


def enter(setup, work):
    """Put this process, the first of its process namespace, behind walls of its own; ``work`` comes from ``workspace``.

    Raises OSError where the kernel does not allow a step of it: nothing of a stranger may run then.
    """
    call("unshare", MOUNT | NET | IPC | UTS | CGROUP)
    name = setup["hostname"].encode()
    call("sethostname", name, len(name))
    _loopback()
    kept = os.umask(0)
    _root(setup, work)
    os.umask(kept)
    os.chdir(setup["workspace"])
    _become_nobody()
    _filter(bytes.fromhex(setup["filter"]))


def _loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        request = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(asked, _GET_FLAGS, request)
        (flags,) = struct.unpack_from("h", request, 16)
        fcntl.ioctl(asked, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))


def _root(setup, work):
    """A root as bubblewrap makes it; the one that all episodes come from is gone afterwards."""
    new = setup["new"]
    _mount(None, "/", None, _ALL | _PRIVATE)
    _mount(setup["base"], new, None, _BIND)
    for path in setup["binds"]:
        _mount(path, new + path, None, _BIND | _ALL)
    _mount("proc", f"{new}/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
    _devices(f"{new}/dev", setup["shm_bytes"])
    size = f"mode=1777,size={setup['tmp_bytes']}"
    _mount("tmpfs", f"{new}/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, size)
    os.mkdir(new + setup["home"], 0o755)
    for path in setup["last"]:
        _mount(path, new + path, None, _BIND | _ALL)
    system(_MOVE_MOUNT, work, b"", _HERE, (new + setup["workspace"]).encode(), _FROM_DESCRIPTOR)
    os.chdir(new)
    call("pivot_root", b".", b".")
    call("umount2", b".", _DETACH)
    os.chdir("/")


def _devices(folder, shm_bytes):
    _mount("tmpfs", folder, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=755")
    for name in _NODES:
        os.close(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        _mount(f"/dev/{name}", f"{folder}/{name}", None, _BIND)
    for name, target in _LINKS.items():
        os.symlink(target, f"{folder}/{name}")
    for name in ("pts", "shm"):
        os.mkdir(f"{folder}/{name}", 0o755)
    _mount("devpts", f"{folder}/pts", "devpts", _NO_SUID | _NO_PROGRAMS, "newinstance,ptmxmode=0666,mode=620")
    size = f"mode=1777,size={shm_bytes}"
    _mount("tmpfs", f"{folder}/shm", "tmpfs", _NO_SUID | _NO_DEVICES, size)
    _mount(None, folder, None, _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _mount(source, target, kind, flags, options=None):
    try:
        call("mount", _text(source), _text(target), _text(kind), flags, _text(options))
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror} ({kind or source or 'remount'})") from None


def _text(value):
    return None if value is None else value.encode()


def _become_nobody():
    """A user namespace in which this is user 1000 and owns nothing that was made before it; no rights, for good."""
    call("unshare", USER)
    _map_user("1000 0 1")
    for number in range(64):
        if _libc.prctl(24, ctypes.c_ulong(number), 0, 0, 0) != 0:  # PR_CAPBSET_DROP; EINVAL beyond the last
            break
    call("capset", struct.pack("Ii", _CAPABILITIES_3, 0), bytes(24))
    call("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS


def _map_user(line):
    for name, text in (("setgroups", "deny"), ("uid_map", line), ("gid_map", line)):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise OSError(error.errno, f"{name}: {error.strerror}") from None


def _filter(program):
    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    held = Filter(len(program) // 8, program)
    call("prctl", 22, 2, ctypes.byref(held), 0, 0)  # PR_SET_SECCOMP, a filter
