"""Starting processes from one thread that lives as long as the host does.

The kernel's "die with your parent" means the parent *thread*: a guest that a worker thread started
would be killed when that worker ends, in the middle of its episode (prctl(2), PR_SET_PDEATHSIG).
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable

_Order = tuple[Callable[[], "subprocess.Popen[bytes]"], "queue.SimpleQueue[subprocess.Popen[bytes] | BaseException]"]
_guard = threading.Lock()
_orders: queue.SimpleQueue[_Order] | None = None


def spawn(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Call ``start`` in that thread; what it returned. Raises what it raised."""
    global _orders
    done: queue.SimpleQueue[subprocess.Popen[bytes] | BaseException] = queue.SimpleQueue()
    with _guard:
        if _orders is None:
            _orders = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(_orders,), name="sandbox-spawn", daemon=True).start()
        _orders.put((start, done))
    result = done.get()
    if isinstance(result, BaseException):
        raise result
    return result


def _serve(orders: queue.SimpleQueue[_Order]) -> None:
    while True:
        start, done = orders.get()
        try:
            done.put(start())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
            done.put(error)


def _forget() -> None:
    global _orders, _guard
    _orders, _guard = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
