"""Probes that use things up: processes, threads, descriptors, priority, what the kernel counts for the machine.

Every probe stops by itself; bombs are tried only where a bounded number of forks has met its limit.
"""

from __future__ import annotations

import time

from workgym.testing.abuse.probe import Probe, guest
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_FORKS = """
children = []
try:
    for _ in range(300):
        pid = os.fork()
        if pid == 0:
            time.sleep(5)
            os._exit(0)
        children.append(pid)
except OSError as error:
    stopped = why(error)
for pid in children:
    os.kill(pid, signal.SIGKILL)
for pid in children:
    os.waitpid(pid, 0)
print(*("BROKEN", len(children), "processes") if len(children) >= 300 else ("HELD", stopped, "after", len(children)))
"""
_THREADS = """
import _thread
alive, gate, stopped = [], _thread.allocate_lock(), "nothing"
def wait():
    alive.append(1)
    gate.acquire()
    gate.release()
gate.acquire()
_thread.stack_size(65536)
try:
    for _ in range(300):
        _thread.start_new_thread(wait, ())  # not threading: it waits for ever for one that has no memory to begin
except (RuntimeError, MemoryError) as error:
    stopped = repr(error)
time.sleep(0.5)
gate.release()
print(*("BROKEN", len(alive), "threads") if len(alive) >= 300 else ("HELD", stopped, "after", len(alive)))
"""
_SHELL_BOMB = "bomb() { bomb | bomb & }; bomb; sleep 20"
_SETSID_BOMB = """
def bomb():
    end = time.monotonic() + 3
    while time.monotonic() < end:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            time.sleep(0.01)
if os.fork() == 0:
    os.setsid()
    bomb()
    os._exit(0)
time.sleep(1)
print("HELD it burns")
"""
_DESCRIPTORS = """
kept = []
try:
    for _ in range(20000):
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    stopped = why(error)
opened = len(kept)
os.closerange(3, 30000)
print(*("BROKEN", opened, "open files") if opened >= 20000 else ("HELD", stopped, "after", opened))
"""
_KERNEL_WIDE = """
def aio():
    context = ctypes.c_ulong(0)
    got = system(206, 0, 60000, ctypes.byref(context))
    system(207, 1, context.value)
    return "60,000 of the machine's asynchronous requests"
def watchers():
    kept = []
    try:
        for _ in range(100):
            kept.append(libc.inotify_init1(0))
            checked(kept[-1])
        return f"{len(kept)} of the user's inotify instances"
    finally:
        for number in kept:
            if number >= 0:
                os.close(number)
def locked():
    import mmap
    kept = mmap.mmap(-1, 64 << 20)
    return checked(libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(kept))), 64 << 20), "64 MiB")
attempt({"aio": aio, "inotify": watchers, "locked memory": locked})
"""
_PRIORITY = """
def real_time(policy):
    os.sched_setscheduler(0, policy, os.sched_param(1 if policy != 6 else 0))
    return "set"
attempt({"nice -5": lambda: os.nice(-5) < 0 and "set",
         "of its parent": lambda: os.setpriority(0, os.getppid(), os.getpriority(0, os.getppid()) - 1) or "set",
         "first in first out": lambda: real_time(os.SCHED_FIFO), "round robin": lambda: real_time(os.SCHED_RR),
         "deadline": lambda: system(314, 274, 0, struct.pack("IIQiIQQQ", 48, 6, 0, 0, 0, 10**6, 10**7, 10**7), 0),
         "real-time input and output": lambda: system(251, 30, 1, 0, 1 << 13)})
"""
_RAISE = """
names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
def more(kind):
    soft, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY:
        return None
    resource.setrlimit(kind, (hard, hard + 1))
    return f"{hard} raised"
attempt({name[7:]: lambda name=name: more(getattr(resource, name)) for name in names})
"""


def _unlimited(scene: Scene) -> bool:
    """Whether a bomb would have no end: then the first of these probes has told so already."""
    return guest(_FORKS)(scene).startswith("BROKEN")


def _bombed(scene: Scene) -> str:
    """A shell's fork bomb for two seconds: the neighbour answers meanwhile, and the sandbox afterwards."""
    if _unlimited(scene):
        return "BROKEN processes are not limited, so this is not tried"
    result = say(scene.sandbox, "bash", command=_SHELL_BOMB, timeout=2)
    began = time.monotonic()
    if say(scene.neighbour, "bash", command="echo here").text != "here\n":
        return "BROKEN the other episode cannot start processes"
    return f"HELD {result.text.strip().splitlines()[-1]} The neighbour {_quick(began)}"


def _bombed_aside(scene: Scene) -> str:
    """A bomb whose processes all leave for sessions of their own, and burn on after the call."""
    if _unlimited(scene):
        return "BROKEN processes are not limited, so this is not tried"
    say(scene.sandbox, "python", code="import os, time\n" + _SETSID_BOMB)
    began = time.monotonic()
    if say(scene.neighbour, "bash", command="echo here").text != "here\n":
        return "BROKEN the other episode cannot start processes"
    answered = _quick(began)
    time.sleep(1)
    return f"HELD the other episode {answered} while it burns"


def _quick(began: float) -> str:
    seconds = time.monotonic() - began
    return "answers at once" if seconds < 5 else f"answers after {seconds:.0f} s"


PROBES = (
    Probe("fork until it ends", "refused at the limit", "isolated_processes", guest(_FORKS)),
    Probe("threads until it ends", "refused at the limit", "isolated_processes", guest(_THREADS), of_kernel=True),
    Probe("a shell's fork bomb", "stopped with its call; neighbours answer", "isolated_processes", _bombed),
    Probe(
        "a fork bomb in sessions of its own",
        "neighbours answer; it ends with the episode",
        "isolated_processes",
        _bombed_aside,
        may_end=True,
    ),
    Probe("20,000 open files", "refused", "contract", guest(_DESCRIPTORS), bounded=True),
    Probe("what the kernel counts for machine or user", "refused", "nothing", guest(_KERNEL_WIDE), bounded=True),
    Probe("raise one's priority", "refused", "isolated_processes", guest(_PRIORITY), of_kernel=True),
    Probe("raise one's limits", "refused", "isolated_processes", guest(_RAISE)),
)
