"""What a guest finds at ``/`` under bubblewrap: options that build it, and the folder of ours that lies below all else.

The host's own ``/`` is never bound: as root that hands out ``/etc/shadow``.
"""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

from workgym.sandbox import guestenv, state
from workgym.sandbox.collect import MTIME
from workgym.sandbox.own_places import covered
from workgym.sandbox.piped import WORKSPACE, guest_environment

SHM_BYTES, TMP_BYTES = 16 << 20, 128 << 20
"""Sizes of ``/dev/shm`` and ``/tmp``."""
HOSTNAME = "sandbox"
HOME = "/tmp/home"
"""Home of the guest's user."""
SYSTEM = ("bin", "sbin", "lib", "lib64")
"""Folders of ``/`` that are links into ``/usr`` on most systems, and folders on others."""
_SETTINGS = ("alternatives", "fonts", "libreoffice")
"""Folders of ``/etc`` that programs below ``/usr`` cannot do without: Debian's awk and 200 others are links that lead
through the first, and LibreOffice's registry lies in the last. Bound, because copying takes 10 ms."""
_guard = threading.Lock()
_base: tuple[int, Path] | None = None


def options(*, environment: bool = True) -> list[str]:
    """Options that build the guest's root, all but the workspace."""
    built = ["--unshare-all", "--new-session", "--as-pid-1", "--hostname", HOSTNAME]
    built += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000"]
    built += ["--ro-bind", str(base_folder()), "/", "--ro-bind", "/usr", "/usr"]
    for name in SYSTEM:
        if _is_folder(f"/{name}"):
            built += ["--ro-bind", f"/{name}", f"/{name}"]
    built += covered()
    for name in _SETTINGS:
        built += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    built += ["--proc", "/proc", "--dev", "/dev"]
    built += ["--size", str(SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    built += ["--size", str(TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", HOME]
    built += ["--clearenv"]
    for name, value in guest_environment(HOME, f"{guestenv.GUEST_PATH}/bin").items():
        built += ["--setenv", name, value]
    if environment:
        built += ["--ro-bind", str(guestenv.path()), guestenv.GUEST_PATH]
    return built


def bound() -> list[str]:
    """The folders of the host's system that stand in the guest at their own places, in the order of ``options``."""
    found = ["/usr", *(f"/{name}" for name in SYSTEM if _is_folder(f"/{name}"))]
    return [*found, *(f"/etc/{name}" for name in _SETTINGS if os.path.isdir(f"/etc/{name}"))]


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def base_folder() -> Path:
    """What stands at ``/`` before anything is bound there, made once for each host process."""
    global _base
    with _guard:
        if _base is None or _base[0] != os.getpid() or not _base[1].is_dir():
            _base = (os.getpid(), _make_base())
        return _base[1]


def _make_base() -> Path:
    base = state.folder("base")
    for name in ("usr", "proc", "dev", "tmp", WORKSPACE[1:], guestenv.GUEST_PATH[1:]):
        (base / name).mkdir(parents=True)
    for name in SYSTEM:
        if os.path.islink(f"/{name}"):
            (base / name).symlink_to(f"usr/{name}")
        elif os.path.isdir(f"/{name}"):
            (base / name).mkdir()
    _make_etc(base / "etc")
    # ``ls -la`` in the workspace shows the hour of ``..`` too, and has to say the same when it is replayed.
    for place in (*base.rglob("*"), base):
        if not place.is_symlink():
            place.chmod(0o755 if place.is_dir() else 0o644)
        os.utime(place, (MTIME, MTIME), follow_symlinks=False)
    return base


def _make_etc(folder: Path) -> None:
    folder.mkdir()
    path = guest_environment(HOME, f"{guestenv.GUEST_PATH}/bin")["PATH"]
    texts = {
        "passwd": f"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:{HOME}:/bin/bash\n",
        "group": "root:x:0:\nuser:x:1000:\n",
        "hosts": "127.0.0.1 localhost sandbox\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        # Login shells reset PATH: the guest environment comes first there too.
        "profile": f"export PATH={path}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    if os.path.isfile("/etc/ld.so.cache"):
        shutil.copyfile("/etc/ld.so.cache", folder / "ld.so.cache")
    for name in _SETTINGS:
        (folder / name).mkdir()
