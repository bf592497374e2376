"""Probes that look for what is not theirs: files, environment, command lines, descriptors, kernel memory."""

from __future__ import annotations

from workgym.testing.abuse.probe import Probe, guest

_ACCOUNTS = """
reads("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_rsa_key", bait["superuser"] + "/.ssh/id_rsa")
"""
_BY_PATH = """
path = bait["plan"]
ways = {"by its path": path, "from the workspace up": "/work/../../../.." + path}
ways |= {f"by {root}": root + path for root in ("/proc/self/root", "/proc/1/root", "/proc/1/cwd/../..")}
attempt({name: lambda way=way: read(way) for name, way in ways.items()})
"""
_FOLDERS = """
folders = [bait["folder"], bait["state"], *map(os.path.dirname, bait["neighbour_files"])]
attempt({folder.replace(bait["token"], "TOKEN"): lambda folder=folder: os.listdir(folder) for folder in folders})
"""
_HOMES = """
folders = (bait["superuser"], "/home", "/srv", "/mnt", "/media", "/lost+found")
folders += tuple("/proc/1/root" + folder for folder in folders[:2])
attempt({folder: lambda folder=folder: os.listdir(folder) for folder in (*folders, bait["home"])})
"""
_SOCKETS = """
paths = ("/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private",
         "/run/dbus/system_bus_socket", "/tmp/.X11-unix", bait["folder"] + "/socket")
def reach(path):
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(path)
        return "connected"
attempt({path.replace(bait["token"], "TOKEN"): lambda path=path: reach(path) for path in paths})
"""
_ENVIRONMENT = """
def spy():
    seen = dict(os.environ)
    names = sorted(set(seen) - {"_", "PWD", "OLDPWD", "SHLVL", "HOSTNAME"})
    if "WORKGYM_PROBE_SECRET" in seen:
        return "in its own"
    for pid in others():
        try:
            if b"WORKGYM_PROBE_SECRET" in read(f"/proc/{pid}/environ", 1 << 20):
                return f"in that of {pid}"
        except OSError:
            pass
attempt({"own and of all processes seen": spy})
"""
_FIRST = """
def looks(name):
    text = read("/proc/1/" + name, 1 << 20)
    marks = (bait["token"], bait["folder"], bait["state"], "WORKGYM", "workgym")
    return [mark for mark in marks if mark.encode() in text]
def descriptors():
    names = [os.readlink("/proc/1/fd/" + number) for number in os.listdir("/proc/1/fd")]
    return [name for name in names if name.startswith("/") and name != "/dev/null"]
def memory():
    with open("/proc/1/mem", "r+b", buffering=0):
        return "opened"
attempt({name: lambda name=name: looks(name) for name in ("environ", "cmdline", "maps", "comm")}
        | {"fd": descriptors, "mem": memory} | {"root": lambda: os.listdir("/proc/1/root" + bait["superuser"])})
"""
_COMMANDS = """
marks = (bait["folder"], bait["state"], "workgym-", "hidden", "workfactory")
def named():
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) != os.getpid():
            try:
                text = read(f"/proc/{pid}/cmdline", 1 << 20).decode(errors="replace")
            except OSError:
                continue
            if any(mark in text for mark in marks):
                return text[:100]
attempt({"command lines": named})
"""
_MOUNTS = """
text = read("/proc/self/mountinfo", 1 << 20).decode() + read("/proc/self/cgroup", 1 << 16).decode()
roots = sorted({line.split()[3] for line in text.splitlines() if len(line.split()) > 6} - {"/"})
"""
_TASKS = """
found = [mark for mark in (bait["folder"], bait["token"], "hidden", "workfactory") if mark in text]
neutral = sorted({"/".join(root.split("/")[:3]) for root in roots})
print(*("BROKEN it names", *found) if found else ("HELD host paths:", ", ".join(neutral) or "none"))
"""
_USER = """
found = [root for root in roots if (root + "/").startswith(bait["home"] + "/") or root.startswith("/home/")
         or bait["user"] in root.split("/")]
print(*("BROKEN it names", *found) if found else ("HELD", "none of", len(roots), "paths"))
"""
_DESCRIPTORS = """
found = {}
for number in range(3, 4096):
    try:
        found[number] = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        pass
kinds = [os.readlink(f"/proc/self/fd/{number}").split(":")[0] for number in range(3)]
print(*("BROKEN", found) if found else ("HELD only", ", ".join(kinds)))
"""
_KERNEL = """
def addresses():
    lines = read("/proc/kallsyms", 4096).splitlines()
    return any(int(line.split()[0], 16) for line in lines[:-1]) and lines[0]
def log():
    return system(103, 116, 3, ctypes.create_string_buffer(4096), 4096)
files = ("/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmsg", "/dev/kmsg", "/proc/vmallocinfo")
attempt({path: lambda path=path: read(path) for path in files} | {"addresses": addresses, "syslog": log})
"""
_DISKS = """
try:
    names = [line.split()[3] for line in read("/proc/partitions", 1 << 16).decode().splitlines()[2:]]
except OSError:
    names = []
paths = ["/dev/" + name for name in (*names, "vda", "sda", "nvme0n1", "dm-0", "loop0", "loop-control")]
reads(*dict.fromkeys(paths))
"""
_HANDLE = """
handle = struct.pack("<Ii8s", 8, 1, struct.pack("<Q", 2))
mount = os.open("/usr", os.O_RDONLY)
attempt({"ask for a handle": lambda: system(303, 264, -100, b"/usr", ctypes.create_string_buffer(handle, 16),
                                            ctypes.byref(ctypes.c_int()), 0),
         "open the host's root by one": lambda: system(304, 265, mount, ctypes.create_string_buffer(handle, 16), 0)})
"""
_OURS = """
def found():
    places = ("/usr/lib*/python*/*-packages", "/usr/local/lib*/python*/*-packages", "/opt/*/lib/python*/*-packages",
              "/usr/share", "/usr/local/share", "/usr/local", "/usr/local/src", "/usr/src", "/opt", "/srv", "/tmp", "/")
    names = ("workgym*", "workfactory*", "envs", "harnesses", "family.yaml", "*hidden*")
    kept = [path for place in places for name in names for path in glob.glob(f"{place}/{name}")]
    return [path for path in kept if os.path.isfile(path) or os.listdir(path)]
def imports():
    try:
        import workgym
    except ImportError:
        return None
    return workgym.__file__
attempt({"files": found, "import": imports})
"""

PROBES = (
    Probe(
        "read accounts and keys",
        "no such file, or another one",
        "isolated_files",
        guest(_ACCOUNTS),
    ),
    Probe("read the hidden plan by its host path", "no such file, whichever way", "isolated_files", guest(_BY_PATH)),
    Probe("list folders of the host and of other episodes", "no such folder", "isolated_files", guest(_FOLDERS)),
    Probe("list homes and mounts", "nothing there", "isolated_files", guest(_HOMES)),
    Probe("reach sockets in the file system", "no such file", "isolated_files", guest(_SOCKETS)),
    Probe("the host's environment", "variables of its own only", "isolated_processes", guest(_ENVIRONMENT)),
    Probe("process 1: environ, cmdline, fd, mem, root", "closed, or neutral", "isolated_processes", guest(_FIRST)),
    Probe("names on command lines", "none of the host's", "isolated_processes", guest(_COMMANDS)),
    Probe("tasks and packages in mountinfo and cgroup", "not named", "isolated_files", guest(_MOUNTS + _TASKS)),
    Probe("users in mountinfo", "not named", "nothing", guest(_MOUNTS + _USER), bounded=True),
    Probe("descriptors of the host", "0, 1, 2 and no more", "contract", guest(_DESCRIPTORS), bounded=True),
    Probe("kernel memory, addresses and log", "closed", "isolated_files", guest(_KERNEL)),
    Probe("read disks", "no such device", "isolated_files", guest(_DISKS)),
    Probe("open files by handle", "refused", "isolated_files", guest(_HANDLE)),
    Probe("find workgym, its families or an answer", "nowhere", "isolated_files", guest(_OURS)),
)
