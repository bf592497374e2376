"""What a probe is, and how a small guest program is run and believed.

A guest program prints one line: ``HELD`` and what stopped it, ``BROKEN`` and what it reached, or ``ABSENT`` and why it
cannot be tried on this machine. The host looks too: a program that shows the secret has reached it, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from workgym.records import ToolResult
from workgym.sandbox.contract import Limits
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

Rests = Literal[
    "contract",
    "isolated_files",
    "isolated_network",
    "isolated_processes",
    "total_memory",
    "workspace_quota",
    "nothing",
]
"""What promises that a probe is stopped: a flag of ``Capabilities``, the contract itself, or nothing at all."""

Act = Callable[[Scene], str]
"""Tries it; the line of evidence, which begins with ``HELD``, ``BROKEN`` or ``ABSENT``."""

LIMITS = Limits(memory_mib=256, processes=48, file_mib=8, workspace_mib=24, call_seconds=10.0)
"""Limits of the sandboxes that probes run in: small, so that reaching beyond them costs the host little."""

PRELUDE = """
import ctypes, errno, fcntl, glob, os, resource, signal, socket, stat, struct, subprocess, sys, threading, time
bait = __BAIT__
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
INTEL = os.uname().machine == "x86_64"
def checked(result, what="done"):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return what
def system(intel, arm, *arguments):
    ctypes.set_errno(0)
    plain = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    number = intel if INTEL else arm
    return checked(libc.syscall(ctypes.c_long(number), *plain), f"system call {number} went through")
def why(error):
    return errno.errorcode.get(getattr(error, "errno", None), type(error).__name__)
def attempt(actions):
    held, reached = {}, []
    for name, action in actions.items():
        try:
            got = action()
        except (OSError, MemoryError, RuntimeError, OverflowError, ValueError) as error:
            held.setdefault(why(error), []).append(name)
        else:
            if got:
                reached.append(f"{name}: {str(got)[:160]}")
            else:
                held.setdefault("nothing there", []).append(name)
    if reached:
        print("BROKEN", "; ".join(reached))
    else:
        print("HELD", "; ".join(f"{how} ({', '.join(names)})" for how, names in held.items()))
def read(path, most=200):
    with open(path, "rb") as file:
        return file.read(most)
def reads(*paths):
    attempt({path: lambda path=path: read(path) for path in paths})
def opens_to_write(*paths):
    def touch(path):
        existed = os.path.lexists(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
        if not existed:
            os.unlink(path)
        return "opened to write"
    attempt({path: lambda path=path: touch(path) for path in paths})
def others():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
"""


@dataclass(frozen=True)
class Probe:
    """One attempt at something that a guest must not be able to do."""

    name: str
    """What is tried, in a few words."""
    sound: str
    """What a sound sandbox answers."""
    rests: Rests
    """What promises that."""
    act: Act
    """How it is tried."""
    bounded: bool = False
    """Whether it does no harm where it succeeds, and so is tried without a promise too."""
    may_end: bool = False
    """Whether the sandbox may die of it: harm that a guest does to itself."""
    of_kernel: bool = False
    """Whether it reaches no further than the kernel that the guest runs on: no harm where that is its own."""


def guest(code: str, *, killed: bool = False, tool: str = "python", timeout: int = 8) -> Act:
    """Run ``code`` in the guest, with the prelude. ``killed`` says that being killed for it is an answer, too."""

    def act(scene: Scene) -> str:
        text = PRELUDE.replace("__BAIT__", repr(scene.bait.told())) + code if tool == "python" else code
        argument = {"code" if tool == "python" else "command": text, "timeout": timeout}
        return judged(scene, say(scene.sandbox, tool, **argument), killed=killed)

    return act


def judged(scene: Scene, result: ToolResult, *, killed: bool = False) -> str:
    """The evidence in what a call returned. Raises AssertionError where the program did not come to an answer."""
    if scene.bait.secret in result.text:
        return "BROKEN the host's secret was read"
    if scene.bait.neighbour_secret in result.text:
        return "BROKEN the other episode's secret was read"
    lines = [line for line in result.text.splitlines() if line.startswith(("HELD", "BROKEN", "ABSENT"))]
    if lines:
        return lines[-1]
    if killed and result.is_error:
        return f"HELD {result.text.strip().splitlines()[-1]}"
    raise AssertionError(f"the probe did not run: {result.text.strip()[-400:]}")
