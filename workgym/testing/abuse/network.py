"""Probes that talk to somebody: sockets of every family, the host's loopback, its abstract sockets, any route."""

from __future__ import annotations

import contextlib
import socket

from workgym.testing.abuse.probe import Probe, guest
from workgym.testing.abuse.scene import Scene
from workgym.testing.sandbox_kit import say

_FAMILIES = """
kinds = {"stream": 1, "datagram": 2, "raw": 3, "packet": 5}
def make(family):
    for name, kind in kinds.items():
        try:
            socket.socket(family, kind).close()
            return name
        except OSError as error:
            last = error
    raise last
attempt({str(number): lambda number=number: make(number) for number in range(3, 47) if number != 10})
"""
_PAIRS = """
def pair(family):
    two = (ctypes.c_int * 2)()
    return system(53, 199, family, 1, 0, two)
attempt({str(family): lambda family=family: pair(family) for family in (2, 10, 16, 30, 38, 40)})
"""
_RAW = """
attempt({f"{name} {protocol}": lambda family=family, protocol=protocol: bool(socket.socket(family, 3, protocol))
         for name, family in (("IPv4", 2), ("IPv6", 10)) for protocol in (1, 6, 17, 58, 255)}
        | {"packets": lambda: bool(socket.socket(17, 3, 768))})
"""
_LOOPBACK = """
def reach(family, host, port):
    with socket.socket(family) as talk:
        talk.settimeout(2)
        talk.connect((host, port))
        return "connected"
port = bait["port"]
attempt({"127.0.0.1": lambda: reach(2, "127.0.0.1", port), "0.0.0.0": lambda: reach(2, "0.0.0.0", port),
         "127.1.2.3": lambda: reach(2, "127.1.2.3", port), "::1": lambda: reach(10, "::1", port),
         "mapped": lambda: reach(10, "::ffff:127.0.0.1", port), "a bridge": lambda: reach(2, "172.17.0.1", port)})
"""
_ROUTES = """
def route(family, host):
    with socket.socket(family, socket.SOCK_DGRAM) as talk:
        talk.connect((host, 53))
        return talk.getsockname()
def cast():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
        talk.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return talk.sendto(b"x", ("255.255.255.255", 9))
attempt({host: lambda family=family, host=host: route(family, host) for family, host in (
    (2, "8.8.8.8"), (2, "10.0.0.1"), (2, "192.168.0.1"), (2, "172.17.0.1"), (10, "2001:4860:4860::8888"))}
    | {"broadcast": cast})
"""
_METADATA = """
def reach(family, host, port):
    with socket.socket(family) as talk:
        talk.settimeout(1)
        talk.connect((host, port))
        return "connected"
attempt({host: lambda family=family, host=host: reach(family, host, 80) for family, host in (
    (2, "169.254.169.254"), (2, "169.254.170.2"), (2, "100.100.100.200"), (2, "168.63.129.16"), (10, "fd00:ec2::254"))})
"""
_NAMES = """
def ask(name):
    return socket.gethostbyname(name)
attempt({name: lambda name=name: ask(name) for name in ("example.com", "metadata.google.internal", bait["host"] + ".")})
"""
_ABSTRACT = """
def reach(name, kind):
    with socket.socket(socket.AF_UNIX, kind) as talk:
        talk.settimeout(2)
        talk.connect(chr(0) + name)
        return "connected"
attempt({"of the host": lambda: reach(bait["token"] + "-host", 1),
         "X11": lambda: reach("/tmp/.X11-unix/X0", 1), "containerd": lambda: reach("/containerd-shim/", 1)})
"""
_INTERFACES = """
names = sorted(line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:])
up = [name for name in names if name != "lo"]
def active():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        found = []
        for name in up:
            flags = struct.unpack("16sh14x", fcntl.ioctl(asking, 0x8913, struct.pack("16s16x", name.encode())))[1]
            if flags & 1:
                found.append(name)
        return found
def rename():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, 0x8914, struct.pack("16sh14x", b"lo", 0))
        return "changed"
attempt({"interfaces up besides lo": active, "change one": rename})
"""
_SERVE = """
import socket, time
talk = socket.socket()
talk.bind(("0.0.0.0", 0))
talk.listen()
print(talk.getsockname()[1], flush=True)
if __import__("os").fork() == 0:
    __import__("os").setsid()
    time.sleep(5)
    __import__("os")._exit(0)
"""


def _served(scene: Scene) -> str:
    """A port that the guest opens must not be reachable from the host."""
    port = int(say(scene.sandbox, "python", code=_SERVE).text)
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return f"BROKEN the host reached port {port} of the guest"
    return "HELD the host's connection to the guest's port is refused"


PROBES = (
    Probe("sockets of 43 families", "refused, but unix and internet", "isolated_network", guest(_FAMILIES)),
    Probe("socket pairs of exotic families", "refused", "isolated_network", guest(_PAIRS)),
    Probe("raw and packet sockets", "refused", "isolated_network", guest(_RAW)),
    Probe("the host's loopback", "refused: it is another one", "isolated_network", guest(_LOOPBACK)),
    Probe("routes to the internet and the local network", "unreachable", "isolated_network", guest(_ROUTES)),
    Probe("metadata addresses of clouds", "unreachable", "isolated_network", guest(_METADATA)),
    Probe("names", "not resolved", "isolated_network", guest(_NAMES, timeout=9)),
    Probe("abstract sockets of the host", "refused", "isolated_network", guest(_ABSTRACT)),
    Probe("interfaces", "lo, and none may be changed", "isolated_network", guest(_INTERFACES)),
    Probe("serve to the host", "not reachable", "isolated_network", _served),
)
