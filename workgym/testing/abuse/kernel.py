"""Probes that ask the kernel for more: namespaces, mounts, other users, keys, tracing, modules, clocks, devices."""

from __future__ import annotations

from workgym.testing.abuse.probe import Probe, guest

_NAMESPACES = """
kinds = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000,
         "pid": 0x20000000, "net": 0x40000000, "time": 0x80}
def cloned(flags):
    pid = libc.syscall(56 if INTEL else 220, flags | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    checked(pid)
    os.waitpid(pid, 0)
    return "made"
calls = {f"unshare {name}": lambda bit=bit: checked(libc.unshare(bit)) for name, bit in kinds.items()}
calls |= {f"clone {name}": lambda bit=bit: cloned(bit) for name, bit in kinds.items() if name != "time"}
calls |= {"unshare user and mount": lambda: checked(libc.unshare(0x10020000)),
          "clone3": lambda: system(435, 435, struct.pack("11Q", 0x10000000, *[0] * 10), 88)}
attempt(calls)
"""
_ENTER = """
def enter(path):
    return checked(libc.setns(os.open(path, os.O_RDONLY), 0))
names = ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup")
attempt({f"{name} of {pid}": lambda pid=pid, name=name: enter(f"/proc/{pid}/ns/{name}")
         for pid in ("self", 1, bait["victim"]) for name in names})
"""
_MOUNTS = """
null = ctypes.c_char_p(None)
os.mkdir("/tmp/mounted")
def mount(source, kind, flags=0, data=null):
    checked(libc.mount(source, b"/tmp/mounted", kind, flags, data))
    libc.umount2(b"/tmp/mounted", 2)
    return "mounted"
attempt({
    "tmpfs": lambda: mount(b"none", b"tmpfs"), "proc": lambda: mount(b"proc", b"proc"),
    "cgroup": lambda: mount(b"none", b"cgroup2"),
    "overlay": lambda: mount(b"none", b"overlay", 0, b"lowerdir=/usr:/etc"),
    "bind": lambda: mount(b"/usr", null, 4096),
    "remount for writing": lambda: checked(libc.mount(b"none", b"/usr", null, 32 | 4096, null)),
    "unmount": lambda: checked(libc.umount2(b"/opt/guest", 2)),
    "pivot": lambda: checked(libc.syscall(155 if INTEL else 41, b"/tmp", b"/tmp")),
    "open_tree": lambda: system(428, 428, -100, b"/usr", 1),
    "fsopen": lambda: system(430, 430, b"tmpfs", 0),
    "move_mount": lambda: system(429, 429, -100, b"/usr", -100, b"/tmp", 0),
    "mount_setattr": lambda: system(442, 442, -100, b"/usr", 0, ctypes.create_string_buffer(32), 32),
    "chroot": lambda: os.chroot("/tmp") or "done",
})
os.rmdir("/tmp/mounted")
"""
_USERS = """
import shutil
null = subprocess.DEVNULL
found = [path for folder in ("/usr/bin", "/usr/sbin", "/usr/lib") for path in glob.glob(folder + "/*")
         if os.path.isfile(path) and os.stat(path).st_mode & 0o6000]
def own():
    shutil.copy("/usr/bin/id", "mine")
    os.chmod("mine", 0o6755)
    said = subprocess.run(["./mine", "-u"], capture_output=True, text=True).stdout.strip()
    os.unlink("mine")
    return said != str(os.getuid()) and f"user {said}"
def programs():
    for path in found:
        if os.access(path, os.X_OK):
            child = subprocess.Popen([path], stdin=null, stdout=null, stderr=null)
            time.sleep(0.02)
            try:
                status = dict(line.split(":", 1) for line in open(f"/proc/{child.pid}/status") if ":" in line)
            except OSError:
                status = {}
            child.kill()
            child.wait()
            if status.get("Uid", "").split()[1:2] not in ([], [str(os.getuid())]):
                return path
def powers():
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    return [name for name in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(status.get(name, "0"), 16)]
def open_to_gain():
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    return status.get("NoNewPrivs", "1").strip() != "1" and "new privileges are possible"
attempt({"become root": lambda: os.setuid(0) or "done", "become another": lambda: os.setresuid(1, 1, 1) or "done",
         "groups": lambda: os.setgroups([0]) or "done", "a program of its own": own,
         f"{len(found)} programs of the system": programs, "capabilities": powers, "new privileges": open_to_gain})
"""
_KEYS = """
attempt({"join": lambda: system(250, 219, 1, b"mine"), "the user's": lambda: system(250, 219, 0, -4, 1),
         "the session's": lambda: system(250, 219, 0, -3, 1),
         "add": lambda: system(248, 217, b"user", b"k", b"x", 1, -4),
         "request": lambda: system(249, 218, b"user", b"k", 0, -4)})
"""
_MACHINERY = """
buffer = ctypes.create_string_buffer(256)
attempt({
    "bpf": lambda: system(321, 280, 0, buffer, 72), "perf events": lambda: system(298, 241, buffer, 0, -1, -1, 0),
    "page faults": lambda: system(323, 282, 1), "io_uring": lambda: system(425, 425, 8, buffer),
    "fanotify": lambda: system(300, 262, 0, 0), "quotas": lambda: system(179, 60, 0, 0, 0, 0),
    "accounting": lambda: system(163, 89, b"/tmp/none"), "swap": lambda: system(167, 224, b"/tmp/none", 0),
    "module": lambda: system(175, 105, 0, 0, b""), "module by file": lambda: system(313, 273, 0, b"", 0),
    "unload": lambda: system(176, 106, b"none", 0), "another kernel": lambda: system(246, 104, 0, 0, 0, 0),
    "reboot": lambda: system(169, 142, 0, 0, 0, 0), "hang up": lambda: system(153, 58),
    "personality": lambda: system(135, 92, 0x0040000), "ports": lambda: system(172, -1, 3),
    "pages": lambda: system(279, 239, 1, 0, 0, 0, 0, 0),
})
"""
_CLOCK = """
name = os.uname().nodename.encode()
domain = b"(none)"
def set_clock():
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return "set"
def adjust():
    return system(159, 171, ctypes.create_string_buffer(struct.pack("Iq", 0x4000, 10000) + bytes(200)))
def date():
    done = subprocess.run(["date", "-s", f"@{time.time():.0f}"], capture_output=True, text=True)
    return done.returncode == 0 and "set"
attempt({"set": set_clock, "settimeofday": lambda: system(164, 170, struct.pack("qq", int(time.time()), 0), 0),
         "adjust": adjust, "clock of the board": lambda: os.open("/dev/rtc0", os.O_RDONLY) and "opened",
         "host's name": lambda: checked(libc.sethostname(name, len(name))),
         "domain": lambda: checked(libc.setdomainname(domain, len(domain)))})
"""
_TABLES = """
import mmap
if not INTEL:
    print("ABSENT this processor has one table of system calls")
    sys.exit()
def run(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
def old():
    pid = os.fork()
    if pid == 0:
        # mov eax, 310 (unshare of the 32-bit table); mov ebx, CLONE_NEWUSER; int 0x80; ret
        call = run(bytes.fromhex("53b836010000bb00000010cd805bc3"))
        os._exit(0 if call() == 0 else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status < 0:
        raise RuntimeError(signal.Signals(-status).name)
    return status == 0 and "a new user namespace"
def x32():
    return system(0x40000000 | 272, -1, 0x10000000)
attempt({"32-bit unshare": old, "x32 unshare": x32})
"""
_TERMINAL = """
def push(number):
    return checked(libc.ioctl(number, ctypes.c_ulong(0x5412), b"x"), "pushed")
def wide(number):
    return checked(libc.syscall(ctypes.c_long(16 if INTEL else 29), ctypes.c_long(number),
                                ctypes.c_long(0x100005412), b"x"), "pushed")
def mine():
    master, slave = os.openpty()
    try:
        os.setsid()
    except OSError:
        pass
    fcntl.ioctl(slave, 0x540E, 0)
    return push(slave)
def console():
    return checked(libc.ioctl(os.open("/dev/tty", os.O_RDWR), ctypes.c_ulong(0x541C), b"x"), "asked")
attempt({"input": lambda: push(0), "output": lambda: push(1), "with high bits": lambda: wide(1),
         "terminal": lambda: os.open("/dev/tty", os.O_RDWR), "console": console,
         "the system's": lambda: os.open("/dev/console", os.O_RDWR), "first": lambda: os.open("/dev/tty1", os.O_RDWR)})
"""
_NODES = """
plain = {"null", "zero", "full", "random", "urandom", "tty", "shm", "pts", "ptmx", "fd", "stdin", "stdout", "stderr",
         "core", "mqueue", "console"}
found = sorted(set(os.listdir("/dev")) - plain)
def reach(path):
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    return "opened"
names = ["kvm", "fuse", "kmsg", "mem", "net/tun", "vhost-net", "vsock", "uinput", "userfaultfd", "dri/card0", "nvidia0"]
attempt({name: lambda name=name: reach("/dev/" + name) for name in dict.fromkeys(names + found)})
"""
_CORE = """
try:
    pattern = read("/proc/sys/kernel/core_pattern").decode().strip()
except OSError:
    pattern = ""
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
pid = os.fork()
if pid == 0:
    os.abort()
status = os.waitpid(pid, 0)[1]
files = glob.glob("core*") + glob.glob("/tmp/core*")
if files or os.WCOREDUMP(status):
    print("BROKEN a core was dumped:", files)
elif pattern.startswith("|") and soft == 0:
    print("BROKEN the host runs", pattern.split()[0], "for a crash: a limit of 0 does not stop pipes")
elif soft > 1 or hard > 1:
    print("BROKEN the limit is", soft, hard)
else:
    print("HELD no core; the limit is", soft)
"""

PROBES = (
    Probe("new namespaces by unshare, clone and clone3", "refused", "isolated_files", guest(_NAMESPACES)),
    Probe("enter other namespaces", "refused", "isolated_files", guest(_ENTER)),
    Probe("mount, unmount, pivot, change root", "refused", "isolated_files", guest(_MOUNTS)),
    Probe("other users, setuid programs, capabilities", "none is gained", "isolated_files", guest(_USERS)),
    Probe("keyrings", "refused", "isolated_files", guest(_KEYS)),
    Probe("bpf, perf, io_uring, modules, reboot", "refused", "isolated_files", guest(_MACHINERY)),
    Probe("clock and name of the host", "refused", "isolated_processes", guest(_CLOCK), of_kernel=True),
    Probe("system calls of other tables", "killed, or unknown", "isolated_files", guest(_TABLES)),
    Probe("push keys into a terminal", "refused", "isolated_processes", guest(_TERMINAL)),
    Probe("devices", "null, zero, random and their like", "isolated_files", guest(_NODES), of_kernel=True),
    Probe("core dumps", "none, and no handler of the host", "isolated_files", guest(_CORE)),
)
