"""What can be found from inside the sandbox: a program that looks around, and what of it gives something away."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from workgym.package import TaskPackage
from workgym.quality.suite.texts import hidden_texts
from workgym.records import Record

PROGRAM = """
import os
import socket

SKIPPED = ("/proc", "/sys", "/dev", "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc")
SMALL, ALL = 262144, 8000000


def text(path):
    try:
        with open(path, "rb") as file:
            return file.read(SMALL).decode("utf-8", "replace")
    except OSError:
        return ""


def main(call):
    files, contents, room = {}, {}, ALL
    for folder, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in SKIPPED]
        library = "site-packages" in folder or "/lib/python" in folder
        for name in names:
            path = os.path.join(folder, name)
            try:
                found = os.lstat(path)
            except OSError:
                continue
            files[path] = int(found.st_mtime)
            if not library and room > 0 and not os.path.islink(path):
                contents[path] = text(path)
                room -= len(contents[path])
    processes = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            for name in ("environ", "cmdline"):
                processes[entry + " " + name] = text("/proc/" + entry + "/" + name).replace("\\\\0", " ")
    variables = {name: str(value) for name, value in os.environ.items()}
    try:
        links = [name for _, name in socket.if_nameindex()]
    except OSError:
        links = []  # no socket of the internet's families can be made at all
    routes = [line.split()[0] for line in text("/proc/net/route").splitlines()[1:] if line.strip()]
    return {
        "files": files, "contents": contents, "processes": processes, "variables": variables,
        "host": socket.gethostname(), "links": links, "routes": routes,
    }
"""
"""Runs in the guest, standard library only. It reads what an agent's tools could read."""
_NUMBER = 6
"""Digits from which on a hidden value is looked for: a shorter number stands somewhere by chance."""
_LIBRARY = re.compile(r"/(?:site-packages|lib/python[\d.]+)/")


class Inventory(Record):
    """What the program found."""

    files: Mapping[str, int]
    """Modification time, in seconds, of every file outside the system's folders, by path."""
    contents: Mapping[str, str]
    """What small files outside libraries say, by path."""
    processes: Mapping[str, str]
    """Variables and arguments of every process, by ``pid environ`` and ``pid cmdline``."""
    variables: Mapping[str, str]
    """Variables of the program itself."""
    host: str
    """The machine's name in the guest."""
    links: tuple[str, ...]
    """Network interfaces."""
    routes: tuple[str, ...]
    """Interfaces that a route goes by."""

    def root(self, package: TaskPackage) -> str | None:
        """The workspace, with a slash at its end: the folder in which the task's files are; None where it has none."""
        for path in package.files:
            for found in self.files:
                if found.endswith(f"/{path}"):
                    return found.removesuffix(path)
        return None


def given_away(package: TaskPackage, seen: Inventory) -> Iterator[str]:
    """What the guest can read and must not: hidden texts and values, ids, host paths; files that were not given."""
    secret = {**dict(hidden_texts(package)), package.card.canary: "the canary", **dict(_values(package)), **_host()}
    root = seen.root(package)
    for name, texts in _places(package, seen, root).items():
        every = "\n".join(texts.values())
        for needle in (one for one in secret if one in every):
            where = next(place for place, text in texts.items() if needle in text)
            yield f"{name} {where}: it holds {secret[needle]}: {needle[:60]!r}"
    for path in seen.files:
        if "workgym" in path and not path.startswith(root or "//"):
            yield f"{path} is named after what runs the task"
    if root is None:
        if package.files:
            yield "the task's files are not there"
        return
    own = {path.removeprefix(root): time for path, time in seen.files.items() if path.startswith(root)}
    for path in sorted(own.keys() ^ set(package.files)):
        yield f"{path} is in the workspace, and no file of the task" if path in own else f"{path} is not there"
    times = sorted(set(own.values()))
    if len(times) > 1:
        yield f"the files' times differ, by up to {times[-1] - times[0]} s"


def _places(package: TaskPackage, seen: Inventory, root: str | None) -> dict[str, dict[str, str]]:
    """All texts that the guest can read and that are none of the task's files, by kind of place and place."""
    public = {f"{root}{path}" for path in package.files} if root else set()
    return {
        "machine": {"name": seen.host},
        "variable": dict(seen.variables),
        "process": {name: _plain(text) for name, text in seen.processes.items()},
        "name": {path: path for path in seen.files if not _LIBRARY.search(path) and path not in public},
        "file": {path: _plain(text) for path, text in seen.contents.items() if path not in public},
    }


def _plain(text: str) -> str:
    return " ".join(text.split())


def _values(package: TaskPackage) -> Iterator[tuple[str, str]]:
    """Numbers that the solver has to work out."""
    for unit in package.hidden.graph.relations("derived"):
        for row in package.hidden.values[unit.name].rows:
            for column, value in zip(unit.columns, row, strict=True):
                if isinstance(value, Decimal) and len(value.as_tuple().digits) >= _NUMBER:
                    what = f"a value of {unit.name}"
                    yield from {str(value): what, f"{value:,}": what, column.type.show(value): what}.items()


def _host() -> dict[str, str]:
    """Places of this machine that a guest has no business to know."""
    found = {str(Path(__file__).resolve().parents[3]): "a folder of the host"}
    home = str(Path.home())
    if len(home) > len("/root"):
        found[home] = "the home folder of the host's user"
    user = getpass.getuser()
    if len(user) > 4:
        found[f"/{user}/"] = "the host's user"
    return found
