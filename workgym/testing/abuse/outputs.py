"""Probes that leave things for the host to stumble over when it collects, watches, writes and removes."""

from __future__ import annotations

import time

from workgym.errors import SandboxDied, WorkspaceOverLimit
from workgym.testing.abuse.probe import Probe
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import FILES, say

_SWAP = """
import os, sys, time
open("plain", "w").write("mine")
if os.fork() == 0:
    os.setsid()
    end = time.monotonic() + 2
    os.makedirs("real", exist_ok=True)
    open("real/hidden-plan.txt", "w").write("mine")
    while time.monotonic() < end:
        for target in ({plan!r}, "plain"):
            try:
                os.symlink(target, "next")
                os.rename("next", "swapped.txt")
                os.unlink("swapped.txt")
                os.link("plain", "swapped.txt")
                os.unlink("swapped.txt")
                os.symlink({folder!r}, "folder")
                os.unlink("folder")
                os.rename("real", "folder")
                os.rename("folder", "real")
            except OSError:
                pass
    os._exit(0)
print("swapping")
"""
_ODD = """
import os
made = 0
names = (b"-rf", b"a\\nb", b"\\xff\\xfe", b" ", b"...", b"x" * 255, "\\u202egpj.txt".encode(), b"CON", b"a\\x1b[2Jb")
for name in (*names, b"'; rm"):
    try:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        made += 1
    except OSError:
        pass
print(made, "names")
"""
_DEEP = """
import os
for level in range(600):
    os.mkdir("deep")
    os.chdir("deep")
print("made")
"""
_CLOSED = """
import os
os.makedirs("closed/below/more")
open("closed/below/file", "w").write("x")
open("locked", "w").write("x")
os.chmod("locked", 0)
os.chmod("closed/below", 0)
os.chmod("closed", 0)
os.chmod(".", 0o500)
print("closed")
"""
_PIPES = """
import os, socket
os.mkfifo("pipe")
os.mkfifo("pipe.xlsx")
kept = socket.socket(socket.AF_UNIX)
kept.bind("socket")
for name, kind in (("disk", 0o060600), ("memory", 0o020600)):
    try:
        os.mknod(name, kind, os.makedev(1, 1))
    except OSError:
        pass
print("made")
"""


def _clean(scene: Scene, found: dict[str, bytes], *refused: str) -> str:
    """Evidence that nothing of the host came along and none of ``refused`` was taken."""
    if any(scene.bait.secret.encode() in content or b"root:" in content for content in found.values()):
        return "BROKEN a file of the host was collected"
    taken = sorted(set(refused) & found.keys())
    return f"BROKEN {taken} were collected" if taken else f"HELD {len(found)} plain files, and nothing of the host"


def _links(scene: Scene) -> str:
    plan, folder = f"{scene.bait.folder}/hidden-plan.txt", scene.bait.folder
    with scene.fresh() as sandbox:
        command = (
            f"ln -s /etc/shadow shadow.txt; ln -s {plan} plan.txt; ln -s {folder} folder; ln -s / root; "
            f"ln -s /proc/self/environ environ; ln -s . loop; ln -s ../../../../../../{plan} up.txt"
        )
        say(sandbox, "bash", command=command)
        links = ("shadow.txt", "plan.txt", "folder/hidden-plan.txt", "environ", "up.txt")
        return _clean(scene, sandbox.collect(), *links)


def _second_names(scene: Scene) -> str:
    with scene.fresh() as sandbox:
        say(
            sandbox,
            "bash",
            command="ln notes.md twice.md; ln /etc/passwd passwd; ln /usr/bin/env env; ln /proc/1/exe exe",
        )
        return _clean(scene, sandbox.collect(), "twice.md", "notes.md", "passwd", "env", "exe")


def _pipes(scene: Scene) -> str:
    with scene.fresh() as sandbox:
        say(sandbox, "python", code=_PIPES)
        began = time.monotonic()
        found = sandbox.collect()
        sandbox.changed()
        if time.monotonic() - began > 5:
            return "BROKEN the host was kept waiting"
        return _clean(scene, found, "pipe", "pipe.xlsx", "socket", "disk", "memory")


def _sparse(scene: Scene) -> str:
    with scene.fresh() as sandbox:
        say(sandbox, "bash", command=f"truncate -s 10T giant; truncate -s {scene.limits.file_mib}M one")
        began = time.monotonic()
        found = sandbox.collect()
        if time.monotonic() - began > 5 or sum(map(len, found.values())) > scene.limits.workspace_mib << 20:
            return "BROKEN a sparse giant was read"
        return f"HELD the largest file is {max(map(len, found.values())) >> 20} MiB"


def _odd(scene: Scene) -> str:
    with scene.fresh() as sandbox:
        said = say(sandbox, "python", code=_ODD).text.strip()
        found = sandbox.collect()
        names = {change.path for change in sandbox.changed()}
        wrong = [name for name in found.keys() | names if "\0" in name or "\n" in name or name.startswith("/")]
        broken = [name for name in found if name.encode(errors="surrogateescape").decode(errors="replace") != name]
        return f"BROKEN {wrong + broken}" if wrong + broken else f"HELD of {said} {len(found) - len(FILES)} are taken"


def _deep(scene: Scene) -> str:
    with scene.fresh() as sandbox:
        say(sandbox, "python", code=_DEEP)
        try:
            sandbox.collect()
        except WorkspaceOverLimit as error:
            return f"HELD {error}"
        return "BROKEN 600 levels were collected"


def _closed(scene: Scene) -> str:
    """Folders without rights: the host still watches, writes and removes."""
    sandbox = scene.fresh()
    try:
        say(sandbox, "python", code=_CLOSED)
        sandbox.put("from-host.txt", b"mine")
        found = sandbox.collect()
        sandbox.changed()
    finally:
        sandbox.close()
    return (
        "HELD it writes, collects and removes" if found.get("from-host.txt") == b"mine" else "BROKEN its file is gone"
    )


def _swapped(scene: Scene) -> str:
    """A file that turns into a link to the plan and back while the host collects."""
    with scene.fresh() as sandbox:
        code = _SWAP.format(plan=f"{scene.bait.folder}/hidden-plan.txt", folder=scene.bait.folder)
        say(sandbox, "python", code=code)
        turns, end = 0, time.monotonic() + 1.5
        while time.monotonic() < end:
            turns += 1
            found = sandbox.collect()
            said = _clean(scene, found)
            sandbox.put("folder/hidden-plan.txt", b"from the host")
            if said.startswith("BROKEN"):
                return said
            if scene.bait.harmed():
                return f"BROKEN {scene.bait.harmed()}"
        return f"HELD collected and written {turns} times meanwhile, and nothing of the host"


def _handed_in_late(scene: Scene) -> str:
    """What goes on writing after the end of the work: nothing of it counts."""
    with scene.fresh() as sandbox:
        write = "while :; do date +%N > late.txt; done"
        try:
            say(
                sandbox,
                "bash",
                command=f"(setsid bash -c 'trap \"\" TERM HUP INT; {write}' &) > /dev/null 2>&1; sleep 0.2",
            )
        except SandboxDied as error:
            return f"HELD {error}"
        sandbox.halt()
        first = sandbox.collect()
        time.sleep(0.2)
        return "HELD nothing changes any more" if first == sandbox.collect() else "BROKEN it writes after the end"


PROBES = (
    Probe("links to files of the host", "left out", "contract", _links, bounded=True),
    Probe("second names of files", "left out", "contract", _second_names, bounded=True),
    Probe("pipes, sockets and devices as outputs", "left out, at once", "contract", _pipes, bounded=True),
    Probe("a sparse giant as output", "left out, at once", "contract", _sparse, bounded=True),
    Probe("strange names", "left out, or plain text", "contract", _odd, bounded=True),
    Probe("600 levels of folders", "refused", "contract", _deep, bounded=True),
    Probe("folders and files without rights", "still watched and removed", "contract", _closed, bounded=True),
    Probe("links swapped while the host collects", "never followed", "contract", _swapped, bounded=True),
    Probe("write on after handing in", "everything has ended", "contract", _handed_in_late, bounded=True),
)
