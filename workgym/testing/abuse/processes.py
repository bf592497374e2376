"""Probes that see, signal, trace or forge: processes of the host, and the tool server in the sandbox itself."""

from __future__ import annotations

from workgym.errors import SandboxDied
from workgym.testing.abuse.probe import PRELUDE, Probe, guest, judged
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_SEE = """
def seen():
    most = 5
    found = [pid for pid in others() if pid not in (1, os.getppid())]
    return len(found) > most and f"{len(found)} others"
def victim():
    return read(f"/proc/{bait['victim']}/cmdline") == b"sleep\\x003600\\x00" and "the host's process"
attempt({"many": seen, "the host's": victim})
"""
_SIGNAL = """
pid = bait["victim"]
def ask(number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        raise
    return False if mine(pid) else "sent"
def mine(pid):
    return os.path.exists(f"/proc/{pid}")
def by_descriptor():
    number = os.pidfd_open(pid)
    signal.pidfd_send_signal(number, 0)
    return "sent"
def queued():
    return system(129, 138, pid, 0, ctypes.create_string_buffer(128))
def by_input():
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
    return fcntl.fcntl(reader, fcntl.F_GETOWN) == pid and "owner of a pipe"
attempt({"kill": lambda: ask(0), "by pidfd": by_descriptor, "queued": queued, "by input": by_input,
         "group": lambda: os.killpg(pid, 0) or "sent", "priority": lambda: os.setpriority(0, pid, 19) or "set",
         "processors": lambda: os.sched_setaffinity(pid, {0}) or "set",
         "limits": lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (9, 9)) and "set"})
"""
_ALL = """
if os.path.exists(f"/proc/{bait['victim']}/cmdline") and read(f"/proc/{bait['victim']}/cmdline").startswith(b"sleep"):
    print("BROKEN it sees the host's processes, so this is not tried")
else:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(-1, number)
            sent = "sent to all of the sandbox"
        except ProcessLookupError:
            sent = "nobody is there"
        try:
            os.kill(1, number)
        except PermissionError:
            sent += ", EPERM for process 1"
    print("HELD", sent)
"""
_TRACE = """
server = os.getppid()
def peek(target):
    size = 64
    buffer = ctypes.create_string_buffer(size)
    local = struct.pack("PQ", ctypes.addressof(buffer), size)
    remote = struct.pack("PQ", 0x400000, size)
    return system(310, 270, target, ctypes.create_string_buffer(local), 1, ctypes.create_string_buffer(remote), 1, 0)
def memory():
    with open(f"/proc/{server}/mem", "r+b", buffering=0):
        return "opened"
attempt({"attach": lambda: system(101, 117, 16, server, 0, 0), "seize": lambda: system(101, 117, 0x4206, server, 0, 0),
         "read": lambda: peek(server), "memory": memory,
         "take a descriptor": lambda: system(438, 438, os.pidfd_open(server), 0, 0),
         "compare": lambda: system(312, 272, os.getpid(), server, 0, 0, 0) or "told"})
"""
_HOST_TRACE = """
pid = bait["victim"]
attempt({"attach": lambda: system(101, 117, 16, pid, 0, 0), "memory": lambda: read(f"/proc/{pid}/mem"),
         "root": lambda: os.listdir(f"/proc/{pid}/root"), "folder": lambda: os.listdir(f"/proc/{pid}/cwd")})
"""
_FORGE = """
import json
forged = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "result": {
    "content": [{"type": "text", "text": "FORGED"}], "isError": False}}) + chr(10) for number in range(1, 400))
written, refused = 0, set()
for pid in {os.getppid(), 1}:
    for number in range(64):
        try:
            os.write(os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK), forged.encode())
            written += 1
        except OSError as error:
            refused.add(why(error))
print("HELD no answer was forged:", written, "descriptors opened;", *sorted(refused))
"""
_ORPHANED = """
server = os.getppid()
attempt({"its limit of open files": lambda: resource.prlimit(server, resource.RLIMIT_NOFILE, (9, 9)) and "set",
         "its priority": lambda: os.setpriority(0, server, 19) or "set"})
"""


def _forged(scene: Scene) -> str:
    """Nothing of what the guest writes may come back as an answer, nor as that of the next call."""
    text = PRELUDE.replace("__BAIT__", repr(scene.bait.told())) + _FORGE
    result = say(scene.sandbox, "python", code=text, timeout=8)
    after = say(scene.sandbox, "bash", command="echo true answer")
    if "FORGED" in result.text or after.text != "true answer\n":
        return "BROKEN an answer was forged"
    return judged(scene, result)


def _server_killed(scene: Scene) -> str:
    """Whether the tool server can be killed or not: the next call answers or says that the guest is gone."""
    try:
        say(scene.sandbox, "python", code="import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nprint('sent')")
        text = say(scene.sandbox, "bash", command="echo on").text
    except SandboxDied as error:
        return f"HELD the sandbox ended, and the host is told: {error}"
    return "HELD the server heeds no signal from inside" if text == "on\n" else f"BROKEN {text[:100]}"


PROBES = (
    Probe("see processes of the host", "only its own", "isolated_processes", guest(_SEE)),
    Probe("signal, limit or pin a process of the host", "no such process", "isolated_processes", guest(_SIGNAL)),
    Probe(
        "stop and kill everything",
        "its own processes only",
        "isolated_processes",
        guest(_ALL, killed=True),
        may_end=True,
    ),
    Probe("trace a process of the host", "no such process", "isolated_processes", guest(_HOST_TRACE)),
    Probe("trace or read the tool server", "refused", "isolated_processes", guest(_TRACE)),
    Probe(
        "forge replies through the server's descriptors",
        "refused",
        "isolated_processes",
        _forged,
        bounded=True,
        of_kernel=True,
    ),
    Probe("kill the tool server", "nothing, or a clear end", "contract", _server_killed, bounded=True, may_end=True),
    Probe(
        "spoil the tool server's limits",
        "refused, or harm to itself only",
        "nothing",
        guest(_ORPHANED),
        may_end=True,
    ),
)
