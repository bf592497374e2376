"""Probes that fill up memory and disks: pages of one process and of many, memory of none, files, folders, outputs.

The limits of these sandboxes are small (``probe.LIMITS``), and every probe stops by itself at about twice the limit.
"""

from __future__ import annotations

import time

from workgym.errors import SandboxDied, WorkspaceOverLimit
from workgym.testing.abuse.probe import LIMITS, Probe, guest
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_ONE_BIG = f"""
import mmap
limit = {LIMITS.memory_mib}
def heap():
    kept = bytearray(4 << 30)
    return len(kept)
def touched():
    kept = mmap.mmap(-1, 2 * limit << 20)
    for at in range(0, len(kept), 4096):
        kept[at] = 1
    return f"{{len(kept) >> 20}} MiB of {{limit}}"
def private():
    kept = mmap.mmap(-1, 2 * limit << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, len(kept), 4096):
        kept[at] = 1
    return f"{{len(kept) >> 20}} MiB of {{limit}}"
attempt({{"4 GiB at once": heap, "private pages": private}})
"""
_MANY_SMALL = f"""
limit = {LIMITS.memory_mib}
def lists():
    kept = []
    for _ in range(2 * limit << 4):
        kept.append(bytearray(65536))
    return f"{{len(kept) >> 4}} MiB of {{limit}}"
attempt({{"64 KiB each": lists}})
"""
_TOGETHER = f"""
limit, each = {LIMITS.memory_mib}, {LIMITS.memory_mib} // 3
reader, writer = os.pipe()
living, full = set(), set()
for number in range(6):
    pid = os.fork()
    if pid == 0:
        kept = bytearray(b"x") * (each << 20)
        os.write(writer, bytes([number]))
        time.sleep(20)
        os._exit(0)
    living.add((number, pid))
def look():
    try:
        full.update(os.read(reader, 6))
    except BlockingIOError:
        time.sleep(0.01)
    living.difference_update([one for one in living if os.waitpid(one[1], os.WNOHANG)[0]])
os.set_blocking(reader, False)
end = time.monotonic() + 8
while any(number not in full for number, _ in living) and time.monotonic() < end:
    look()
# One that was full and was killed for another holds nothing: who is killed has a moment to be gone.
for _ in range(30):
    look()
held = sum(number in full for number, _ in living)
for _, pid in living:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
print("BROKEN" if held * each > limit + each else "HELD", held * each, "MiB held by", held, "processes, limit", limit)
"""
_OUTSIDE = f"""
limit = {LIMITS.memory_mib}
def files():
    kept = []
    for number in range(2 * limit // 4):
        kept.append(os.memfd_create(str(number)))
        os.write(kept[-1], bytes(4 << 20))
    return f"{{len(kept) * 4}} MiB in files of memory, limit {{limit}}"
def segments():
    libc.shmat.restype = ctypes.c_void_p
    made = []
    try:
        for number in range(2 * limit // 16):
            made.append(libc.shmget(0, 16 << 20, 0o1600))
            checked(made[-1])
            at = libc.shmat(made[-1], None, 0)
            if at in (None, ctypes.c_void_p(-1).value):
                raise MemoryError
            ctypes.memset(at, 1, 16 << 20)
            libc.shmdt(ctypes.c_void_p(at))
        return f"{{len(made) * 16}} MiB in shared memory, limit {{limit}}"
    finally:
        for segment in made:
            libc.shmctl(segment, 0, None)
attempt({{"files of memory": files, "System V": segments}})
"""
_FILL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill(folder, most):
    written, names = 0, []
    try:
        for number in range(most // (4 << 20) + 2):
            names.append(f"{folder}/fill{number}")
            with open(names[-1], "wb") as file:
                written += file.write(bytes(4 << 20))
    except OSError as error:
        stopped = why(error)
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            pass
    if written > most:
        print("BROKEN", written >> 20, "MiB in", folder)
    else:
        print("HELD", stopped, "after", written >> 20, "MiB")
"""
_HUGE = f"""
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
most = {LIMITS.file_mib} << 20
def write():
    with open("huge", "wb", buffering=0) as file:
        for _ in range(2 * most >> 20):
            file.write(bytes(1 << 20))
    return os.path.getsize("huge") > most and "written"
def sparse():
    os.truncate("huge", 10 << 40)
    return "10 TiB"
def seek():
    with open("huge", "r+b", buffering=0) as file:
        file.seek(4 << 30)
        file.write(b"x")
    return "4 GiB"
def reserve():
    with open("huge", "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 4 * most)
    return "reserved"
attempt({{"write": write, "truncate": sparse, "seek and write": seek, "reserve": reserve}})
os.unlink("huge")
"""


def _filled(scene: Scene) -> str:
    """More than the workspace may hold: refused to the guest, or at the latest when the host collects."""
    return guest(_FILL + f"fill(os.getcwd(), {2 * LIMITS.workspace_mib << 20})")(scene)


def _collected(scene: Scene) -> str:
    code = f"for n in range({LIMITS.workspace_mib // 4 + 2}): open(f'part{{n}}', 'wb').write(bytes(4 << 20))"
    say(scene.sandbox, "python", code=code)
    try:
        size = sum(map(len, scene.sandbox.collect().values()))
    except WorkspaceOverLimit as error:
        return f"HELD {error}"
    finally:
        say(scene.sandbox, "bash", command="rm -f part*")
    return f"BROKEN {size >> 20} MiB collected" if size > LIMITS.workspace_mib << 20 else f"HELD {size >> 20} MiB fit"


def _many_files(scene: Scene) -> str:
    """More than ten thousand files: collecting them is refused, and does not take for ever."""
    with scene.fresh() as sandbox:
        code = "import os\nfor n in range(10500): os.close(os.open(f'f{n}', os.O_CREAT | os.O_WRONLY))"
        try:
            said = say(sandbox, "python", code=code).text.strip().splitlines()[-1]
            began = time.monotonic()
            number = len(sandbox.collect())
        except (WorkspaceOverLimit, SandboxDied) as error:
            return f"HELD {error}"
        slow = time.monotonic() - began > 20
    return f"BROKEN {number} files collected" if number > 10_000 or slow else f"HELD {number} files stand there: {said}"


PROBES = (
    Probe("one big allocation", "refused, or killed", "contract", guest(_ONE_BIG, killed=True), bounded=True),
    Probe("many small allocations", "refused, or killed", "contract", guest(_MANY_SMALL, killed=True), bounded=True),
    Probe(
        "memory of many processes",
        "the limit holds for all together",
        "total_memory",
        guest(_TOGETHER, killed=True),
        bounded=True,
        may_end=True,
    ),
    Probe(
        "memory that belongs to no process",
        "the limit holds for all together",
        "total_memory",
        guest(_OUTSIDE, killed=True),
        bounded=True,
        may_end=True,
    ),
    Probe("fill the workspace", "refused at its limit", "workspace_quota", _filled, bounded=True),
    Probe("hand in more than the limit", "collecting is refused", "contract", _collected, bounded=True),
    Probe("hand in 10,500 files", "refused", "contract", _many_files, bounded=True),
    Probe("fill /tmp", "refused", "isolated_files", guest(_FILL + 'fill("/tmp", 300 << 20)', killed=True)),
    Probe("fill /dev/shm", "refused", "isolated_files", guest(_FILL + 'fill("/dev/shm", 80 << 20)', killed=True)),
    Probe("a huge file, written, sparse and reserved", "refused", "contract", guest(_HUGE, killed=True), bounded=True),
)
