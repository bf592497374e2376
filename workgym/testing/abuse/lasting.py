"""Probes that will not end: loops, floods, daemons, deaf and stopped processes. Afterwards the sandbox still works."""

from __future__ import annotations

import time

from workgym.testing.abuse.leftovers import running
from workgym.testing.abuse.probe import Probe
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_DAEMONS = """
import os, signal, sys, time
def away(how):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in set(signal.Signals) - {{signal.SIGKILL, signal.SIGSTOP}}:
        signal.signal(number, signal.SIG_IGN)
    if how == "closed":
        os.closerange(0, 64)
    os.environ.clear()
    act = "os.kill(os.getpid(), 19)" if how == "stopped" else "time.sleep(600)"
    os.execv(sys.executable, [sys.executable, "-c", "import os, time; " + act, {mark!r}])
for how in ("plain", "closed", "stopped"):
    away(how)
time.sleep(0.2)
print("gone")
"""


def _stopped(scene: Scene, tool: str, text: str, *, timeout: int = 1) -> str:
    """Run what does not end for one second: it is stopped, in about that time, and what it says is short."""
    began = time.monotonic()
    argument = {"code" if tool == "python" else "command": text, "timeout": timeout}
    result = say(scene.sandbox, tool, **argument)
    seconds = time.monotonic() - began
    if not result.is_error or seconds > timeout + 10 or len(result.text) > 2 * scene.limits.output_chars:
        return f"BROKEN after {seconds:.0f} s: {result.text[-100:]}"
    return f"HELD {result.text.strip().splitlines()[-1]}"


def _loop(scene: Scene) -> str:
    return _stopped(scene, "python", "while True: pass")


def _deaf(scene: Scene) -> str:
    return _stopped(
        scene, "bash", "trap '' TERM INT HUP QUIT; (trap '' TERM; while :; do :; done) & while :; do :; done"
    )


def _asleep(scene: Scene) -> str:
    return _stopped(scene, "bash", "kill -STOP $$")


def _flood(scene: Scene) -> str:
    return _stopped(scene, "bash", "yes", timeout=9)


def _unbroken(scene: Scene) -> str:
    return _stopped(scene, "bash", "tr '\\0' x < /dev/zero", timeout=9)


def _holding(scene: Scene) -> str:
    """A call whose children keep its output open returns all the same."""
    began = time.monotonic()
    text = say(scene.sandbox, "bash", command="for n in 1 2 3; do setsid sleep 6 & done; echo back").text
    seconds = time.monotonic() - began
    return f"HELD it returned with {text.strip()!r}" if seconds < 4 else f"BROKEN it took {seconds:.0f} s"


def _zombies(scene: Scene) -> str:
    code = (
        "import os\nfor _ in range(400):\n    try:\n        if os.fork() == 0: os._exit(0)\n"
        "    except OSError: break\nprint('made')"
    )
    say(scene.sandbox, "python", code=code)
    text = say(scene.sandbox, "bash", command="echo on").text
    return "HELD they are gone with their parent" if text == "on\n" else f"BROKEN {text[:100]}"


def _daemons(scene: Scene) -> str:
    """Daemons of three kinds, deaf to all signals, in a sandbox of their own: dead when it is closed."""
    mark = f"{scene.bait.token}-daemon"
    with scene.fresh() as sandbox:
        say(sandbox, "python", code=_DAEMONS.format(mark=mark))
        # A backend behind another kernel shows none of its processes here; then the end of that is what counts.
        alive = len(running(mark))
    left = running(mark)
    return f"BROKEN {len(left)} of {alive} live on" if left else f"HELD {alive} seen while it was open, none afterwards"


PROBES = (
    Probe("an endless loop", "stopped in time", "contract", _loop, bounded=True),
    Probe("deaf to every signal, with children", "killed in time", "contract", _deaf, bounded=True),
    Probe("a process that stops itself", "killed in time", "contract", _asleep, bounded=True),
    Probe("endless output", "stopped, and cut", "contract", _flood, bounded=True),
    Probe("endless output without a line's end", "stopped, and cut", "contract", _unbroken, bounded=True),
    Probe("children that hold the output open", "the call returns", "contract", _holding, bounded=True),
    Probe("hundreds of dead children", "the sandbox lives on", "contract", _zombies, bounded=True),
    Probe("daemons that forked twice", "dead when it closes", "isolated_processes", _daemons, bounded=True),
)
