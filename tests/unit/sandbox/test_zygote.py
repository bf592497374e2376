"""Warm starts: what stands between two guests of one zygote, what becomes of it, and where it cannot work."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workgym.cli import main
from workgym.errors import SandboxError
from workgym.sandbox import Limits, Sandbox, bwrap, cgroups, zygote
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.testing.sandbox_kit import PACKS, opened, say

HERE = Path(__file__).parents[3]
LISTEN = (
    "import os, socket, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    held = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]\n"
    "    for one, address in zip(held, (chr(0) + 'here', ('127.0.0.1', 9000))):\n"
    "        one.bind(address)\n"
    "        one.listen()\n"
    "    os.close(1)\n"
    "    os.close(2)\n"
    "    time.sleep(100)\n"
    "time.sleep(0.3)\n"
)
REACH = (
    "import socket\n"
    "for family, address in ((socket.AF_UNIX, chr(0) + 'here'), (socket.AF_INET, ('127.0.0.1', 9000))):\n"
    "    with socket.socket(family) as talk:\n"
    "        try: talk.connect(address); print('reached')\n"
    "        except ConnectionRefusedError: print('nobody')\n"
)
HOST = """
import threading
from workgym.sandbox import create
from workgym.testing.sandbox_kit import opened, say
def work():
    while True:
        with opened(lambda limits: create("bubblewrap", limits)) as sandbox:
            say(sandbox, "bash", command="setsid sleep 97 & sleep 0.01")
            say(sandbox, "python", code="print(1)")
for _ in range(2):
    threading.Thread(target=work).start()
print("begun", flush=True)
"""


def warm(limits: Limits | None = None) -> Sandbox:
    sandbox = opened(Bubblewrap, limits=limits)
    assert isinstance(sandbox, Bubblewrap) and sandbox.warm, zygote.reason()
    return sandbox


@pytest.fixture
def pair() -> Iterator[tuple[Sandbox, Sandbox]]:
    with warm() as one, warm() as two:
        yield one, two


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No zygote before, and none of the test's afterwards."""
    monkeypatch.setattr(zygote, "_living", {})
    monkeypatch.setattr(zygote, "_unfit", None)
    monkeypatch.setattr(zygote, "_crashed", False)
    yield
    zygote._end_all()


def numbers() -> tuple[int, int]:
    """Process numbers of the only zygote and of the process above it."""
    (living,) = zygote._living.values()
    above = bwrap.first(living._running._info)
    assert above is not None
    (below,) = children(above)
    return below, above


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def listed(pid: int) -> list[str]:
    return os.listdir(f"/proc/{pid}/fd")


def descendants(pid: int) -> dict[int, str]:
    """When each process that came of ``pid`` started: with its number, a name that no other has."""
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for each in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            for child in map(int, each.read_text().split()):
                found[child] = started(child)
                waiting.append(child)
    return found


def started(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def test_two_guests_have_nothing_in_common(pair: tuple[Sandbox, Sandbox]) -> None:
    one, two = pair
    say(one, "bash", command="for place in /tmp /tmp/home /dev/shm /work; do echo secret > $place/left; done")
    assert say(two, "bash", command="ls -A /tmp /tmp/home /dev/shm; ls /work").text == (
        "/dev/shm:\n\n/tmp:\nhome\n\n/tmp/home:\ndata\nnotes.md\n"
    )
    say(one, "python", code=LISTEN)
    assert [say(box, "python", code=REACH).text for box in pair] == ["reached\n" * 2, "nobody\n" * 2]
    spaces = [
        set(say(box, "bash", command="readlink /proc/self/ns/{cgroup,ipc,mnt,net,pid,user,uts}").text.split())
        for box in pair
    ]
    assert len(spaces[0]) == 7 and not spaces[0] & spaces[1]
    say(two, "bash", command="ipcmk -M 1000 > /dev/null && ipcs -m | grep -c 1000 > mine")
    assert two.collect()["mine"] == b"1\n"
    assert say(one, "bash", command="ipcs -m | grep -c 1000").text.startswith("0\n")


def test_a_guest_can_do_nothing_to_another(pair: tuple[Sandbox, Sandbox]) -> None:
    one, two = pair
    say(one, "bash", command="setsid sleep 96 > /dev/null 2>&1 & sleep 0.1")
    seen = "for place in /proc/[0-9]*; do tr '\\0' ' ' < $place/cmdline | head -c 8; echo; done | sort"
    assert "sleep 96" in say(one, "bash", command=seen).text
    assert "sleep" not in say(two, "bash", command=seen).text
    numbers = "kill -9 -1; for ((pid = 2; pid < 3000; pid++)); do [ $pid = $$ ] || kill -9 $pid; done 2> /dev/null"
    say(two, "bash", command=numbers)
    assert "sleep 96" in say(one, "bash", command=seen).text
    for place in ("fd", "ns", "root", "cwd", "environ", "mem"):
        assert "denied" in say(two, "bash", command=f"ls -l /proc/1/{place}/ 2>&1; cat /proc/1/{place}").text, place


def test_a_guest_sees_nothing_of_the_zygote(pair: tuple[Sandbox, Sandbox]) -> None:
    one, two = pair
    mounts = say(one, "bash", command="cat /proc/self/mountinfo").text
    assert "zygote" not in mounts and mounts.count(" /work ") == 1
    assert say(one, "bash", command="ls -d /tmp/zygote").is_error
    listed = [say(box, "bash", command="echo $PPID; cd /proc; echo [0-9]*; echo 1 $$").text for box in pair]
    for parent, numbered, expected in (text.splitlines() for text in listed):
        assert parent == "1" and numbered == expected
    assert say(two, "bash", command="ls -A /; ls /opt").text == (say(one, "bash", command="ls -A /; ls /opt").text)


def test_it_is_the_sandbox_that_a_cold_start_makes() -> None:
    command = (
        "cut -d' ' -f4-6,8- /proc/self/mountinfo | grep -v ' /work '; env; id; ulimit -a; hostname; umask; pwd;"
        "grep -E '^(Cap|NoNew|Secc|Uid|Gid|NSpid|Threads)' /proc/1/status /proc/self/status; cat /proc/self/uid_map;"
        "ls -la --time-style=+ / /dev /dev/pts /etc /opt /tmp; ls -ld /proc/1/fd /proc/1/ns; echo $$ $PPID;"
        "stat -c '%A %u %g' /work /work/*;"
        "tr '\\0' ' ' < /proc/1/cmdline; cat /proc/self/cgroup /proc/net/dev /proc/1/oom_score_adj"
    )
    texts = []
    for sandbox in (Bubblewrap(Limits(output_chars=100_000)), Bubblewrap(Limits(output_chars=100_000), warm=False)):
        with sandbox:
            sandbox.open({"a.txt": b"1"}, PACKS)
            texts.append(say(sandbox, "bash", command=command).text.replace("dr-xr-xr-x", "").splitlines())
    # The number of folders in ``/proc`` is that of the machine's processes, and so is the width of its column; a folder
    # in memory has another size.
    other = (" proc", " work")
    here, there = (
        [" ".join(line.split()) for line in lines if not line.endswith(other) and line[:5] != "total"]
        for lines in texts
    )
    assert here == there and len(here) > 100


def test_processes_are_counted_for_each(pair: tuple[Sandbox, Sandbox]) -> None:
    many = "for ((n = 0; n < 45; n++)); do sleep 95 & done > /dev/null 2>&1; jobs -r | wc -l"
    assert [say(box, "bash", command=many).text for box in pair] == ["45\n", "45\n"]


def test_it_learns_what_its_guests_use(anew: None) -> None:
    # Names in one piece would have the server load what they name.
    code = "import random, sys\nprint(sorted({'open' 'pyxl', 'num' 'py', 'do' 'cx', 'pan' 'das'} & set(sys.modules)))\n"
    draw = code + "import numpy\nprint(random.random(), numpy.random.random())\n"
    with warm() as one:
        say(one, "read_workbook", path="none.xlsx")
        say(one, "python", code=draw)
        zygote.settle()
        with warm() as two:
            assert say(two, "python", code=code).text == "[]\n"
    zygote.settle()
    with warm() as one, warm() as two:
        texts = [say(box, "python", code=draw).text.splitlines() for box in (one, two)]
    assert [text[0] for text in texts] == ["['numpy', 'openpyxl']"] * 2
    assert not set(texts[0][1].split()) & set(texts[1][1].split())
    status = Path(f"/proc/{numbers()[0]}/status").read_text()
    assert "Threads:\t1\n" in status


def test_two_hundred_guests_leave_it_as_it_was(anew: None) -> None:
    def episode() -> None:
        with warm() as sandbox:
            say(sandbox, "bash", command="setsid sleep 94 > /dev/null 2>&1 & mkdir -p a; echo x > a/y")
            sandbox.collect()

    def size() -> list[Any]:
        for _ in range(2):
            zygote.settle()  # when it answers for the second time, it has heard of all that ended before the first
        pid, above = numbers()
        counted = [len(os.listdir(f"/proc/{each}/fd")) for each in ("self", pid)]
        lines = [Path(f"/proc/{each}/mountinfo").read_text().count("\n") for each in (pid, above)]
        return [*counted, *lines, children(pid)]

    for _ in range(3):
        episode()
    before, memory = size(), int(Path(f"/proc/{numbers()[0]}/statm").read_text().split()[1])
    for _ in range(200):
        episode()
    assert size() == before and len(before[-1]) == (0 if cgroups.reason() else 1)
    assert int(Path(f"/proc/{numbers()[0]}/statm").read_text().split()[1]) < memory + (40 << 20) // 4096


def test_one_that_was_killed_is_replaced(anew: None) -> None:
    with warm() as sandbox:
        pid, _ = numbers()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match="guest is gone"):
            for _ in range(50):
                say(sandbox, "list_files")
                time.sleep(0.05)
        assert sandbox.collect()
        with warm() as another:
            assert say(another, "bash", command="echo alive").text == "alive\n"
            assert numbers()[0] != pid


def test_a_host_without_descriptors_keeps_its_guests(anew: None) -> None:
    with warm() as sandbox:
        pid, _ = numbers()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            for spare in range(2, 14):
                held = max(map(int, os.listdir("/proc/self/fd"))) + 1
                resource.setrlimit(resource.RLIMIT_NOFILE, (held + spare, hard))
                with contextlib.suppress(OSError, SandboxError), opened(Bubblewrap) as another:
                    assert isinstance(another, Bubblewrap)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"
        assert numbers()[0] == pid


def test_it_holds_no_descriptor_of_the_host(anew: None) -> None:
    held = [os.open("/etc/passwd", os.O_RDONLY) for _ in range(300)]
    try:
        with warm():
            links = {os.readlink(f"/proc/{pid}/fd/{name}") for pid in numbers() for name in listed(pid)}
    finally:
        for one in held:
            os.close(one)
    assert all(link.startswith(("socket:", "pipe:", "anon_inode:", "pid:", "/dev/null", "/tmp/#")) for link in links)


def test_where_it_cannot_work_guests_start_cold(
    anew: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = zygote._setup()
    monkeypatch.setattr(zygote, "_setup", lambda: {**setup, "binds": ["/nowhere"]})
    with opened(Bubblewrap) as sandbox:
        assert isinstance(sandbox, Bubblewrap) and not sandbox.warm
        assert not sandbox.capabilities.workspace_quota and sandbox.capabilities.isolated_files
        assert say(sandbox, "bash", command="echo $PPID; ls /nowhere; cat /proc/1/mem").text.startswith("1\n")
    assert zygote.reason().endswith("mount: No such file or directory (/nowhere)")
    assert zygote._living == {}
    assert main(["doctor"]) == 0
    told = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("warm starts"))
    assert "no: FileNotFoundError" in told and "(/nowhere); each sandbox starts an interpreter of its own" in told


def test_hosts_killed_at_any_moment_leave_no_process(full_size: bool) -> None:
    draw = random.Random(11)
    for _ in range(30 if full_size else 4):
        host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True, cwd=HERE)
        assert host.stdout is not None and host.stdout.readline() == "begun\n"
        time.sleep(draw.uniform(0.02, 0.8))
        host.send_signal(signal.SIGSTOP)
        left = descendants(host.pid)
        host.kill()
        host.wait()
        host.stdout.close()
        deadline = time.monotonic() + 20
        while any(started(pid) == since for pid, since in left.items()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not [pid for pid, since in left.items() if started(pid) == since]


def test_a_forked_copy_of_the_host_has_its_own() -> None:
    code = (
        "import os\n"
        "from workgym.sandbox import cgroups, zygote\n"
        "from workgym.sandbox.bubblewrap import Bubblewrap\n"
        "from workgym.testing.sandbox_kit import opened, say\n"
        "def said(sandbox):\n"
        "    assert sandbox.warm\n"
        "    return say(sandbox, 'bash', command='readlink /proc/self/ns/user').text\n"
        "one = opened(Bubblewrap)\n"
        "groups = cgroups.reason() or cgroups._mine().folders\n"
        "if (copy := os.fork()) == 0:\n"
        "    with opened(Bubblewrap) as two: said(two)\n"
        "    assert cgroups.reason() or cgroups._mine().folders != groups\n"
        "    zygote._end_all()\n"
        "    os._exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 7\n"
        "said(one)\n"
        "with opened(Bubblewrap) as three: said(three)\n"
        "one.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
