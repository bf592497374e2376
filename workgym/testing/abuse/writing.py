"""Probes that change what is not theirs: files, settings, devices, flags of files.

Each is the smallest that tells and is undone where it succeeds: a backend that is not sound yet costs its author
little.
"""

from __future__ import annotations

from workgym.testing.abuse.probe import Probe, guest

_ROOT = """
paths = ["/" + bait["token"], "/usr/" + bait["token"], "/usr/bin/" + bait["token"], "/usr/local/bin/" + bait["token"],
         "/opt/" + bait["token"], "/bin/" + bait["token"], "/lib/" + bait["token"], "/proc/" + bait["token"]]
def make(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
    os.unlink(path)
    return "made"
attempt({os.path.dirname(path): lambda path=path: make(path) for path in paths})
"""
_ETC = 'opens_to_write("/etc/passwd", "/etc/profile", "/etc/ld.so.preload", "/etc/ld.so.cache", "/etc/hosts")'
_PYTHON = """
site = next(path for path in sys.path if path.endswith("site-packages"))
opens_to_write(sys.executable, site + "/sitecustomize.py", site + "/openpyxl/__init__.py", os.__file__,
               os.path.dirname(os.path.dirname(sys.executable)) + "/pyvenv.cfg")
"""
_SETTINGS = """
names = ("kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "kernel/panic", "kernel/sysrq",
         "fs/suid_dumpable", "vm/overcommit_memory", "kernel/random/boot_id", "user/max_user_namespaces")
paths = ["/proc/sys/" + name for name in names] + ["/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"]
opens_to_write(*[path for path in paths if os.path.exists(path)])
"""
_CGROUPS = """
files = glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)[:20]
files += glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True)[:20]
files += ["/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
def make():
    os.mkdir("/sys/fs/cgroup/" + bait["token"])
    os.rmdir("/sys/fs/cgroup/" + bait["token"])
    return "a group was made"
def opened(path):
    os.close(os.open(path, os.O_WRONLY))
    return "opened to write"
attempt({path: lambda path=path: opened(path) for path in files} | {"make a group": make})
"""
_SCORE = """
def lower(pid, value):
    with open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write(value)
    return "lowered"
attempt({"own": lambda: lower("self", "-1000"), "of its parent": lambda: lower(os.getppid(), "-1000")})
"""
_NAMES = """
def back(done, undo):
    done()
    undo()
    return "done"
env, to = "/usr/bin/env", "/usr/bin/" + bait["token"]
attempt({
    "rename": lambda: back(lambda: os.rename(env, to), lambda: os.rename(to, env)),
    "second name beside": lambda: back(lambda: os.link(env, to), lambda: os.unlink(to)),
    "second name in the workspace": lambda: back(lambda: os.link("/etc/passwd", "linked"), lambda: os.unlink("linked")),
    "mode": lambda: os.chmod(env, 0o755) or "changed",
    "owner": lambda: os.chown(env, os.getuid(), -1) or "changed",
    "times": lambda: os.utime(env, ns=(os.stat(env).st_atime_ns, os.stat(env).st_mtime_ns)) or "changed",
    "attribute": lambda: back(lambda: os.setxattr(env, "user.x", b"1"), lambda: os.removexattr(env, "user.x")),
})
"""
_REOPEN = """
number = os.open("/usr/bin/env", os.O_RDONLY)
def again():
    os.close(os.open(f"/proc/self/fd/{number}", os.O_RDWR))
    return "opened to write"
def mapped():
    import mmap
    mmap.mmap(number, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    return "mapped to write"
def running(path):
    os.close(os.open(path, os.O_WRONLY))
    return "opened to write"
attempt({"by /proc/self/fd": again, "by a shared mapping": mapped,
         "the running program": lambda: running("/proc/self/exe"),
         "process 1's program": lambda: running("/proc/1/exe"),
         "by truncate": lambda: os.truncate("/usr/bin/env", os.stat("/usr/bin/env").st_size) or "done"})
"""
_PLAN = """
plan, away = bait["plan"], bait["plan"] + "-away"
def write():
    with open(plan, "r+"):
        return "opened to write"
def move():
    os.rename(plan, away)
    os.rename(away, plan)
    return "renamed"
def beside():
    os.mkdir(away)
    os.rmdir(away)
    return "a folder was made"
attempt({"the plan": write, "rename it": move, "beside it": beside})
"""
_DEVICES = """
def make(kind, number):
    os.mknod("made", kind | 0o600, number)
    os.unlink("made")
    return "made"
attempt({"disk": lambda: make(stat.S_IFBLK, os.makedev(254, 0))}
        | {name: lambda numbers=numbers: make(stat.S_IFCHR, os.makedev(*numbers))
           for name, numbers in (("memory", (1, 1)), ("fuse", (10, 229)), ("kvm", (10, 232)))})
"""
_FLAGS = """
def flag(bits):
    with open("flagged", "w") as file:
        fcntl.ioctl(file, 0x40086602, struct.pack("l", bits))
    return "set"
def freeze(path):
    folder = os.open(path, os.O_RDONLY)
    fcntl.ioctl(folder, 0xC0045877, 0)
    fcntl.ioctl(folder, 0xC0045878, 0)
    return "frozen"
attempt({"immutable": lambda: flag(0x10), "append only": lambda: flag(0x20),
         "freeze the disk of the workspace": lambda: freeze("."), "freeze that of /usr": lambda: freeze("/usr")})
"""
_PLACES = """
own = ("/work", "/tmp", "/dev/shm", "/dev/pts", "/dev/mqueue", os.getcwd(), os.environ["HOME"])
points = [line.split()[4] for line in open("/proc/self/mountinfo")]
def make(folder):
    path = os.path.join(folder, bait["token"])
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    os.unlink(path)
    return "a file was made"
attempt({point: lambda point=point: make(point) for point in points if os.path.isdir(point) and point not in own})
"""

PROBES = (
    Probe("write to /, /usr, /opt, /lib", "read-only", "isolated_files", guest(_ROOT)),
    Probe("write to /etc", "read-only", "isolated_files", guest(_ETC)),
    Probe("write to the guest's Python and its libraries", "read-only", "isolated_files", guest(_PYTHON)),
    Probe("write any other mount", "none of them", "isolated_files", guest(_PLACES)),
    Probe("kernel settings, core_pattern, sysrq", "read-only or refused", "isolated_files", guest(_SETTINGS)),
    Probe("control groups and /sys", "not there, or read-only", "isolated_files", guest(_CGROUPS)),
    Probe("make oneself hard to kill", "refused", "isolated_processes", guest(_SCORE), of_kernel=True),
    Probe("rename, link, chmod, touch programs", "read-only", "isolated_files", guest(_NAMES)),
    Probe("write through what was opened to read", "read-only", "isolated_files", guest(_REOPEN)),
    Probe("write or move the hidden plan", "no such file", "isolated_files", guest(_PLAN)),
    Probe("make devices", "refused", "isolated_files", guest(_DEVICES)),
    Probe("files that cannot be removed, frozen disks", "refused", "isolated_files", guest(_FLAGS)),
)
