"""Probes between two episodes of one backend: files, shared memory, sockets, locks, watches, signals."""

from __future__ import annotations

from workgym.testing.abuse.probe import PRELUDE, Probe, guest, judged
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_FILES = """
paths = [*bait["neighbour_files"], "/tmp/" + bait["token"] + "-neighbour", "/work/neighbour-secret.txt"]
attempt({path.replace(bait["token"], "TOKEN"): lambda path=path: read(path) for path in paths}
        | {"search": lambda: glob.glob("/tmp/**/neighbour-secret.txt", recursive=True)})
"""
_MEMORY = """
key, name = bait["key"], bait["token"]
names = ("/dev/shm/" + name + "-neighbour", "/dev/shm/" + name + "-host")
def queue():
    library = ctypes.CDLL("librt.so.1", use_errno=True)
    return checked(library.mq_open(b"/" + name.encode(), 0))
attempt({"System V memory": lambda: checked(libc.shmget(key, 0, 0)), "POSIX queue": queue,
         "semaphores": lambda: checked(libc.semget(key, 0, 0)), "messages": lambda: checked(libc.msgget(key, 0))}
        | {path[5:].replace(name, "TOKEN"): lambda path=path: read(path) for path in names}
        | {"listed": lambda: [kind for kind in ("shm", "sem", "msg") if os.path.exists("/proc/sysvipc/" + kind)
                              and len(open("/proc/sysvipc/" + kind).readlines()) > 1]})
"""
_SOCKETS = """
def abstract():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(chr(0) + bait["token"] + "-neighbour")
        return "connected"
def port():
    with socket.create_connection(("127.0.0.1", bait["neighbour_port"]), timeout=2):
        return "connected"
attempt({"abstract socket": abstract, "its loopback": port,
         "listed": lambda: bait["token"] in open("/proc/net/unix").read() and "its name"})
"""
_PROCESSES = """
def seen():
    for pid in others():
        try:
            if (bait["token"] + "-neighbour").encode() in read(f"/proc/{pid}/cmdline", 4096):
                return f"process {pid}"
        except OSError:
            pass
attempt({"its processes": seen})
"""
_HOLD = """
import fcntl, os, sys, time
kept = [os.open(path, os.O_RDONLY) for path in ("/usr/bin/env", sys.executable, "/etc/passwd", "/usr")]
for number in kept:
    fcntl.flock(number, fcntl.LOCK_EX)
if os.fork() == 0:
    os.setsid()
    time.sleep(4)
    os._exit(0)
print("held")
"""
_LOCKED = """
def look(path):
    number = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "the other's lock is seen"
attempt({path: lambda path=path: look(path) for path in ("/usr/bin/env", sys.executable, "/etc/passwd", "/usr")})
"""
_LEASE = """
def lease(path):
    number = os.open(path, os.O_RDONLY)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    kind = fcntl.F_WRLCK
    fcntl.fcntl(number, fcntl.F_SETLEASE, kind)
    return "who opens it next has to wait"
def told(path):
    fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
    return "it is told who reads there"
site = next(path for path in sys.path if path.endswith("site-packages"))
paths = ("/usr/bin/who", site + "/openpyxl/chart/radar_chart.py", "/etc/passwd")
attempt({path: lambda path=path: lease(path) for path in paths if os.path.exists(path)}
        | {f"watch {path}": lambda path=path: told(path) for path in ("/usr/bin", site, "/etc")})
"""
_WATCH = """
import ctypes, os, select, sys, time
libc = ctypes.CDLL(None, use_errno=True)
number = libc.inotify_init1(0)
if number < 0:
    print("refused", os.strerror(ctypes.get_errno()))
    sys.exit()
for path in (b"/usr/bin/env", b"/usr/bin", b"/etc"):
    libc.inotify_add_watch(number, path, 0x20 | 0x1)
print("watching")
ready = select.select([number], [], [], 4)[0]
open("seen", "w").write("something was opened" if ready else "")
"""


def _locks(scene: Scene) -> str:
    """A lock on a file that both read tells one of the other: a channel between episodes."""
    say(scene.neighbour, "python", code=_HOLD)
    return guest(_LOCKED)(scene)


def _watches(scene: Scene) -> str:
    """The sandbox watches shared files while the neighbour opens them."""
    code = _WATCH.replace('print("watching")', 'open("watching", "w").close()\nif os.fork(): sys.exit()\nos.setsid()')
    said = say(scene.sandbox, "python", code=code).text
    if said.startswith("refused"):
        return f"HELD {said.strip()}"
    say(
        scene.neighbour,
        "bash",
        command="cat /usr/bin/env > /dev/null; ls /etc > /dev/null; cat /etc/passwd > /dev/null",
    )
    seen = say(scene.sandbox, "bash", command="for n in $(seq 50); do [ -e seen ] && break; sleep 0.1; done; cat seen")
    found = "something was opened" in seen.text
    return "BROKEN it sees what the other episode opens" if found else "HELD it sees nothing of what the other opens"


def _signals(scene: Scene) -> str:
    """The neighbour's processes are numbered as its own are: signals to those numbers stay inside."""
    code = (
        "sent = 0\n"
        "for pid in range(2, 200):\n"
        "    if pid not in (os.getpid(), os.getppid()):\n"
        "        try:\n            os.kill(pid, signal.SIGKILL)\n            sent += 1\n"
        "        except OSError:\n            pass\n"
        "print('HELD the other episode lives;', sent, 'signals stayed inside')\n"
    )
    text = PRELUDE.replace("__BAIT__", repr(scene.bait.told())) + code
    evidence = judged(scene, say(scene.sandbox, "python", code=text))
    mark = f"{scene.bait.token}-neighbour"
    alive = say(scene.neighbour, "bash", command=f"grep -l {mark} /proc/[0-9]*/cmdline | wc -l").text
    return evidence if int(alive) > 0 else "BROKEN the other episode's process was killed"


PROBES = (
    Probe("files of another episode", "no such file", "isolated_files", guest(_FILES)),
    Probe("shared memory, semaphores, queues", "another table of them", "isolated_processes", guest(_MEMORY)),
    Probe("sockets of another episode", "refused", "isolated_network", guest(_SOCKETS)),
    Probe("processes of another episode", "not seen", "isolated_processes", guest(_PROCESSES)),
    Probe("signals to another episode", "stay inside", "isolated_processes", _signals),
    Probe("leases and old watches on files that others open", "refused", "isolated_processes", guest(_LEASE)),
    Probe("watch what others open (inotify)", "refused, or nothing seen", "isolated_processes", _watches),
    Probe("tell one's neighbour by locks on shared files", "not seen", "nothing", _locks, bounded=True),
)
