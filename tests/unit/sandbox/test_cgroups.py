"""Control groups: what they hold, where they stand, and that nothing of them is left over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workgym.errors import SandboxDied
from workgym.sandbox import Limits, cgroups, clean, state, zygote
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.sandbox.slots import memory_bytes
from workgym.testing.sandbox_kit import opened, say

HERE = Path(__file__).parents[3]
SMALL = Limits(memory_mib=192, workspace_mib=16)
BOMB = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(b"x") * (60 << 20)
        time.sleep(4)
        os._exit(0)
os._exit(max(os.wait()[1] != 0 for _ in range(6)))
"""
SEGMENTS = """
import ctypes, os
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(40):
    at = libc.shmat(libc.shmget(0, 16 << 20, 0o1600), None, 0)
    ctypes.memset(at, 1, 16 << 20)
    libc.shmdt(ctypes.c_void_p(at))
"""
HOST = """
import time
from workgym.sandbox import cgroups
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.testing.sandbox_kit import opened, say
sandbox = opened(Bubblewrap)
say(sandbox, "bash", command="setsid sleep 93 > /dev/null 2>&1 &")
print(*cgroups._mine().folders, flush=True)
time.sleep(60)
"""


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Skips where nothing is counted; else with no zygote before, and none of the test's afterwards."""
    if wrong := cgroups.reason():
        pytest.skip(f"SKIPPED, the memory of all together is not tested here: {wrong}")
    monkeypatch.setattr(zygote, "_living", {})
    yield
    zygote._end_all()


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """No group of this process before; those of the test stand in a folder of plain files."""
    monkeypatch.setattr(cgroups, "_own", None)
    monkeypatch.setattr(cgroups, "_reason", None)
    yield tmp_path


def groups_of(process: Path) -> list[Path]:
    lines = (process / "groups").read_text().splitlines()
    return [Path(line) for line in lines if Path(line).is_dir()]


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("warm", [True, False])
def test_memory_of_many_processes_is_limited_and_the_sandbox_lives_on(warm: bool) -> None:
    with opened(lambda limits: Bubblewrap(limits, warm=warm), limits=SMALL) as sandbox:
        result = say(sandbox, "python", code=BOMB, timeout=20)
        assert result.is_error
        assert result.text.endswith("[killed: the processes of this sandbox had more than 192 MiB of memory together]")
        failed = say(sandbox, "bash", command="exit 3")
        assert failed.text == "[exit code 3]"
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"


@pytest.mark.usefixtures("counted")
def test_memory_of_nobody_ends_the_guest_and_neither_slot_nor_others() -> None:
    with opened(Bubblewrap, limits=SMALL) as one, opened(Bubblewrap, limits=SMALL) as two:
        with pytest.raises(SandboxDied, match="gone; the processes of this sandbox had more than 192 MiB"):
            for _ in range(20):
                say(one, "python", code=SEGMENTS)
        assert one.collect()
        assert say(two, "bash", command="echo alive").text == "alive\n"
    (living,) = zygote._living.values()
    with opened(Bubblewrap, limits=SMALL) as three:
        assert say(three, "bash", command="echo alive").text == "alive\n"
    assert living in zygote._living.values()


@pytest.mark.usefixtures("counted")
def test_a_slot_serves_one_guest_after_another_with_their_own_limits() -> None:
    with opened(Bubblewrap):
        pass
    (living,) = zygote._living.values()
    zygote.settle()
    with opened(Bubblewrap):
        pass
    free = list(living.slots._free)
    for limits in (SMALL, Limits(memory_mib=300), SMALL):
        with opened(Bubblewrap, limits=limits) as sandbox:
            say(sandbox, "bash", command="head -c 8000000 /dev/zero > left; head -c 8000000 /dev/zero > /tmp/left")
            taken = living.slots._all - set(living.slots._free)
            assert len(taken) == 1 and taken <= set(free)
            group = taken.pop().group
            assert int((group.folders[0] / cgroups._MEMORY[group.version]).read_text()) == memory_bytes(limits)
            assert group.used() > 16_000_000
        assert group.used() < 12_000_000
        assert len((group.folders[0] / "cgroup.procs").read_text().split()) == 1


@pytest.mark.usefixtures("counted")
def test_a_slot_that_was_killed_is_replaced() -> None:
    with opened(Bubblewrap):
        pass
    (living,) = zygote._living.values()
    for slot in list(living.slots._all):
        (pid,) = (slot.group.folders[0] / "cgroup.procs").read_text().split()
        os.kill(int(pid), signal.SIGKILL)
    with opened(Bubblewrap) as sandbox:
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"
    assert living in zygote._living.values()


@pytest.mark.usefixtures("counted")
def test_a_slot_that_died_under_its_guest_serves_no_other() -> None:
    with opened(Bubblewrap) as sandbox:
        (living,) = zygote._living.values()
        (slot,) = living.slots._all - set(living.slots._free)
        pid = min(map(int, (slot.group.folders[0] / "cgroup.procs").read_text().split()))
        os.kill(pid, signal.SIGKILL)
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"
    assert slot not in living.slots._all and not slot.group.folders[0].exists()
    with opened(Bubblewrap) as sandbox:
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"


@pytest.mark.usefixtures("counted")
def test_many_at_once_have_a_slot_each() -> None:
    wrong: list[str] = []

    def episode() -> None:
        for _ in range(3):
            with opened(Bubblewrap, limits=SMALL) as sandbox:
                if (text := say(sandbox, "bash", command="echo alive").text) != "alive\n":
                    wrong.append(text)

    threads = [threading.Thread(target=episode) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    (living,) = zygote._living.values()
    assert len(living.slots._all) == len(living.slots._free) >= 2


@pytest.mark.usefixtures("counted")
def test_killed_hosts_leave_groups_that_clean_removes() -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True, cwd=HERE)
    assert host.stdout is not None
    left = [Path(word) for word in host.stdout.readline().split()]
    assert left and all(folder.is_dir() for folder in left)
    host.kill()
    host.wait()
    host.stdout.close()
    mine = groups_of(state.own())
    removed = clean()
    assert not any(folder.exists() for folder in left)
    assert {f"control group {folder}" for folder in left} <= set(removed)
    assert mine and groups_of(state.own()) == mine


@pytest.mark.usefixtures("counted")
def test_a_regular_end_leaves_no_group() -> None:
    code = HOST.replace("time.sleep(60)", "")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE, check=True)
    assert done.stdout.split() and not any(Path(word).exists() for word in done.stdout.split())


def test_version_two_is_asked_from_our_own_group_upwards(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter([("cgroup2", "/", places, "rw,nsdelegate")]))
    monkeypatch.setattr(cgroups, "_path", lambda controller: "/user.slice/app.slice/run.scope")
    assert list(cgroups.places()) == [
        (2, (places / "user.slice/app.slice/run.scope",)),
        (2, (places / "user.slice/app.slice",)),
        (2, (places / "user.slice",)),
        (2, (places,)),
    ]
    # Only the second has been given to us, with its controllers.
    given = places / "user.slice/app.slice"
    given.mkdir(parents=True)
    group = cgroups.make()
    assert group.version == 2 and group.folders[0].parent.parent == given
    assert (group.folders[0].parent / "cgroup.subtree_control").read_text() == "+pids"
    (group.folders[0] / "pids.max").touch()
    (group.folders[0] / "memory.swap.max").touch()
    group.bound(1 << 30, 64)
    found = {name: (group.folders[0] / name).read_text() for name in ("memory.max", "memory.swap.max", "pids.max")}
    assert found == {"memory.max": str(1 << 30), "memory.swap.max": "0", "pids.max": "64"}
    (group.folders[0] / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 0\n")
    assert group.overrun() and not group.overrun()


@pytest.mark.parametrize(
    ("mounts", "own", "expected"),
    [
        ([("cgroup", "/", "m", "rw,memory"), ("cgroup2", "/", "u", "rw")], "/a/b", [(1, ("m/a/b",))]),
        (
            [("cgroup", "/docker/1", "m", "rw,memory"), ("cgroup", "/docker/1", "p", "rw,pids")],
            "/docker/1",
            [(1, ("m", "p"))],
        ),
        ([("cgroup", "/docker/1", "m", "rw,memory")], "/docker/2", []),
        ([("cgroup", "/", "c", "rw,cpu")], "/a", []),
        ([], "/", []),
    ],
)
def test_where_groups_may_stand(
    mounts: list[tuple[str, str, str, str]],
    own: str,
    expected: list[tuple[int, tuple[str, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [(kind, root, Path("/fs", place), options) for kind, root, place, options in mounts]
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter(found))
    monkeypatch.setattr(cgroups, "_path", lambda controller: own)
    wanted = [(version, tuple(Path("/fs", place) for place in places)) for version, places in expected]
    assert list(cgroups.places()) == wanted


def test_where_nobody_counts_memory_it_says_so(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter([]))
    assert cgroups.reason() == "no hierarchy of control groups counts memory here"
    monkeypatch.setattr(cgroups, "_reason", None)
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter([("cgroup", "/", places / "none", "memory")]))
    assert cgroups.reason().startswith("No such file or directory: ")
    with Bubblewrap() as sandbox:
        assert not sandbox.capabilities.total_memory and sandbox.capabilities.workspace_quota
        sandbox.open({}, ("shell",))
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"
        begun = time.monotonic()
    assert time.monotonic() - begun < 5
