"""At full size: hosts killed at random moments, and many episodes in one host. ``make soak`` runs these."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workgym.sandbox import Limits, Sandbox, clean, create, state
from workgym.testing.sandbox_kit import opened, say

HERE = Path(__file__).parents[3]
WORD = f"97.{os.getpid()}"
HOST = f"""
import threading
from workgym.sandbox import child, create, state
from workgym.testing.sandbox_kit import opened, say
def work():
    while True:
        with opened(lambda limits: create("bubblewrap", limits)) as sandbox:
            say(sandbox, "bash", command="setsid sleep {WORD} & sleep 0.01")
            say(sandbox, "python", code="print(1)")
        child.run("json:loads", "1")
for _ in range(2):
    threading.Thread(target=work).start()
print(state.own(), flush=True)
"""


def factory(limits: Limits | None) -> Sandbox:
    return create("bubblewrap", limits)


def stray(words: list[str]) -> list[str]:
    """Command lines of processes that belong to the killed hosts."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_text().replace("\0", " ")
                orphan = "bwrap" in line and (entry / "stat").read_text().rpartition(")")[2].split()[1] == "1"
            except OSError:
                continue
            if orphan or any(word in line for word in words):
                found.append(line)
    return found


@pytest.mark.soak
def test_thirty_killed_hosts_leave_nothing() -> None:
    draw = random.Random(7)
    folders = []
    for _ in range(30):
        host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True, cwd=HERE)
        assert host.stdout is not None
        folders.append(host.stdout.readline().strip())
        time.sleep(draw.uniform(0, 1))
        host.kill()
        host.wait()
        host.stdout.close()
    deadline = time.monotonic() + 20
    while stray([WORD, *folders]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert stray([WORD, *folders]) == []
    clean()
    assert not any(Path(folder).exists() for folder in folders)
    names = {f"workgym-{Path(folder).name}" for folder in folders}
    assert not [folder for folder, below, _ in os.walk("/sys/fs/cgroup") if names & set(below)]


@pytest.mark.soak
def test_a_thousand_episodes_leave_host_as_it_was() -> None:
    def episode() -> None:
        with opened(factory) as sandbox:
            say(sandbox, "bash", command="setsid sleep 100 & echo x > y")
            say(sandbox, "python", code="print(1)")
            sandbox.changed()
            sandbox.collect()

    def some() -> None:
        for _ in range(250):
            episode()

    def size() -> tuple[int, int]:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return len(os.listdir("/proc/self/fd")), pages // 256

    together = [opened(factory) for _ in range(4)]  # what waits for the next ones is there from now on
    for sandbox in together:
        sandbox.close()
    episode()
    descriptors, memory = size()
    threads = [threading.Thread(target=some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert size()[0] == descriptors
    assert size()[1] < memory + 30
    # One process lives on, and is noted: the one from which guests are forked.
    assert len([name for name in os.listdir(state.own()) if name.startswith("process")]) == 1
