"""Many abusive episodes, one after another: what a host looks like when an agent tries all day."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from workgym.errors import SandboxError
from workgym.testing.abuse.leftovers import had, left
from workgym.testing.abuse.probe import LIMITS
from workgym.testing.abuse.running import used
from workgym.testing.abuse.scene import Bait, baited
from workgym.testing.sandbox_kit import Factory, opened, say

_MANY = """
import os, time
for _ in range(60):
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        break
"""
_KILL = """
import os, signal
for pid in (os.getppid(), -1):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
"""
_DAEMON = """
import ctypes, os
ctypes.CDLL(None).shmget(7, 1 << 20, 0o1666)
if os.fork():
    os._exit(0)
os.setsid()
os.closerange(0, 64)
os.execv("/bin/sleep", ["sleep", "600.5", "{mark}"])
"""
_ABUSES: tuple[tuple[str, str], ...] = (
    ("bash", "(setsid bash -c 'trap \"\" TERM HUP; sleep 600 {mark}' &) > /dev/null 2>&1; echo x > y"),
    ("python", _MANY),
    ("bash", "ln -s /etc/shadow a; mkfifo b; ln notes.md c; mkdir -p d/e; chmod 0 d"),
    ("python", "import os\nfor n in range(300): os.mkdir('deep'); os.chdir('deep')"),
    ("python", _KILL),
    ("bash", "bomb() {{ bomb | bomb & }}; bomb"),
    ("python", "kept = []\nwhile True: kept.append(bytearray(16 << 20))"),
    ("bash", "head -c 4000000 /dev/zero > /dev/shm/{mark}; head -c 4000000 /dev/zero > /tmp/{mark}; yes"),
    ("python", _DAEMON),
    ("bash", "kill -STOP $$"),
)


def soak(
    factory: Factory,
    episodes: int,
    *,
    at_once: int = 2,
    spare: int = 0,
    told: Callable[[str], None] = lambda line: None,
) -> list[str]:
    """Run abusive episodes, ``at_once`` side by side; what is left over, a line each. ``spare`` as in ``run_all``."""
    used(factory, at_once)
    with baited() as bait:
        before = had(spare)
        numbers, guard = iter(range(episodes)), threading.Lock()
        wrong: list[str] = []

        def work() -> None:
            while True:
                with guard:
                    number = next(numbers, None)
                if number is None:
                    return
                if number % 100 == 0:
                    told(f"episode {number}")
                try:
                    _episode(factory, bait, number)
                except Exception as error:  # noqa: BLE001 - told at the end
                    wrong.append(f"episode {number}: {type(error).__name__}: {error}")

        threads = [threading.Thread(target=work) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        harm = bait.harmed()
        return [*wrong, *([harm] if harm else []), *left(before, bait)]


def _episode(factory: Factory, bait: Bait, number: int) -> None:
    limits = LIMITS.model_copy(update={"call_seconds": 1.0})
    with opened(factory, limits=limits) as sandbox:
        for turn in range(2):
            tool, text = _ABUSES[(number + turn * 3) % len(_ABUSES)]
            mark = f"{bait.token}-{number}"
            # The guest may end by its own hand; where it has, the rest of the episode is its close.
            with contextlib.suppress(SandboxError):
                say(sandbox, tool, **{"code" if tool == "python" else "command": text.format(mark=mark)})
        with contextlib.suppress(SandboxError):
            sandbox.collect()
