"""Probes that ask what machine this is. What names the host or the user must not show; what the kernel tells everybody
is listed: no flag promises that it is hidden."""

from __future__ import annotations

from workgym.testing.abuse.probe import Probe, guest

_NAME = """
told = {os.uname().nodename, socket.gethostname(), read("/proc/sys/kernel/hostname").decode().strip()}
told |= {read(path).decode().strip() for path in ("/etc/hostname",) if os.path.exists(path)}
hosts = read("/etc/hosts").decode() if os.path.exists("/etc/hosts") else ""
name = bait["host"]
print(*("BROKEN", told) if name in told or (len(name) > 3 and name in hosts.split()) else ("HELD", *sorted(told)))
"""
_IDS = """
reads("/etc/machine-id", "/var/lib/dbus/machine-id", "/sys/class/dmi/id/product_uuid", "/sys/class/dmi/id/board_serial",
      "/etc/ssh/ssh_host_ed25519_key.pub", "/var/lib/cloud/data/instance-id")
"""
_PLACE = """
zone = (os.environ.get("TZ"), time.tzname[0], os.path.realpath("/etc/localtime"))
language = {name: value for name, value in os.environ.items() if name.startswith(("LC_", "LANG"))}
wrong = [zone] if time.tzname[0] != "UTC" else []
wrong += [language] if set(language.values()) - {"C.UTF-8"} else []
wrong += [os.environ["HOME"]] if bait["home"] == os.environ["HOME"] else []
print(*("BROKEN", *wrong) if wrong else ("HELD", time.tzname[0], *language.values()))
"""
_STAMPS = """
stamps = {os.stat(path).st_mtime for path in (".", "data", "notes.md", "data/orders.csv")}
same = len(stamps) == 1 and min(stamps) < time.time() - 86400
print("HELD all the same:" if same else "BROKEN", *stamps)
"""
_PROC = """
def shown(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else read(path, 4096).strip()
    except OSError:
        return None
found = [path for path in ("/proc/sys/kernel/random/boot_id", "/proc/uptime", "/proc/loadavg", "/proc/cmdline",
    "/proc/version", "/proc/cpuinfo", "/proc/meminfo", "/proc/partitions", "/proc/modules", "/proc/interrupts",
    "/proc/key-users", "/proc/diskstats", "/sys/class/net") if shown(path)]
print(*("BROKEN", ", ".join(path.removeprefix("/proc/") for path in found)) if found else ("HELD", "nothing of it"))
"""

PROBES = (
    Probe("the host's name", "another one", "isolated_files", guest(_NAME)),
    Probe("numbers of the machine", "not there", "isolated_files", guest(_IDS)),
    Probe("time zone, language, home", "UTC, C.UTF-8, another home", "contract", guest(_PLACE), bounded=True),
    Probe("hours of the workspace's files", "a fixed one", "contract", guest(_STAMPS), bounded=True),
    Probe("what the kernel tells of the machine", "little", "nothing", guest(_PROC), bounded=True),
)
