# mypy: ignore-errors
"""The process from which episodes are forked, with the tools' libraries loaded. Standard library only.

It lives in a sandbox of its own, which no episode sees: first process of a process namespace that holds all of them,
so that they end with it, and it ends when the host closes its socket. Above it is only a process that waits. A request
is a JSON line with three descriptors, input, output and complaints of the new guest; the answer comes with descriptors
of the guest's process and of its workspace. It never reads what a guest says, and holds nothing of the host but that
socket. A *slot* is a copy of it that does nothing but fork guests, for the host to put into a control group.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import selectors
import signal
import socket
import subprocess  # noqa: F401 - what guests need at their first calls they find loaded
import sys
import traceback  # noqa: F401 - the same

import guest_packs
import guest_walls as walls


class Zygote:
    def __init__(self, setup):
        self.setup = setup
        control = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 10)
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1):
            os.dup2(null, number)
        self.control = socket.socket(fileno=control)
        self.home = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.pending, self.ends, self.lessons, self.own = b"", [], [], []
        self.knows = 0

    def serve(self):
        freeze()
        self.answer({"wrong": self.rehearsed()})
        self.listen()

    def listen(self):
        """Obey until the host closes the socket."""
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        selector = selectors.DefaultSelector()
        selector.register(wake, selectors.EVENT_READ)
        selector.register(self.control, selectors.EVENT_READ)
        self.own = [wake, waker, selector.fileno()]
        while True:
            ready = selector.select(0 if self.lessons else None)
            if not ready:
                self.learn()
            for key, _ in ready:
                if key.fileobj == wake:
                    os.read(wake, 4096)
                elif not self.receive():
                    return
            reap()

    def receive(self):
        data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 18, 64)
        if not data:
            return False
        self.ends += descriptors
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))
        return True

    def obey(self, request):
        if "size" in request:
            ends, self.ends = self.ends[:3], self.ends[3:]
            self.begin(request["size"], ends)
            for end in ends:
                os.close(end)
        elif "slot" in request:
            self.slot(self.ends.pop(0))
        elif "more" in request:
            self.enlarge(request["more"], self.ends.pop(0))
        elif "pack" in request:
            guest_packs.KNOWN[request["as"]] = request["pack"]
            self.knows += 1
        elif "learn" in request:
            self.lessons.append((request["of"], request["learn"]))
        else:
            while self.lessons:
                self.learn()
            self.answer({"wrong": ""})

    def answer(self, message, descriptors=()):
        socket.send_fds(self.control, [json.dumps(message).encode() + b"\n"], descriptors)

    def begin(self, size, ends):
        told = []
        try:
            told.append(walls.workspace(size))
            told.insert(0, os.pidfd_open(self.fork(told[0], ends)))
            self.answer({"wrong": ""}, told)
        except OSError as error:
            self.answer({"wrong": str(error)})
        finally:
            for one in told:
                os.close(one)

    def enlarge(self, more, work):
        wrong = ""
        try:
            walls.enlarge(work, more)
        except OSError as error:
            wrong = str(error)
        os.close(work)
        self.answer({"wrong": wrong})

    def slot(self, control):
        try:
            pid = os.fork()
            if pid == 0:
                self.become_slot(control)
            process = os.pidfd_open(pid)
        except OSError as error:
            self.answer({"wrong": str(error)})
            return
        finally:
            os.close(control)
        self.answer({"wrong": "", "knows": self.knows}, [process])
        os.close(process)

    def become_slot(self, control):
        """The rest of a slot. Never returns."""
        try:
            signal.set_wakeup_fd(-1)
            for one in (*self.own, self.control.detach()):
                os.close(one)
            self.control = socket.socket(fileno=os.dup(control))
            os.close(control)
            self.pending, self.ends, self.lessons = b"", [], []
            self.listen()
        finally:
            os._exit(0)

    def fork(self, work, ends, rehearsing=False):
        """A guest's first process, in a process namespace of its own; its number here."""
        walls.call("unshare", walls.PID)
        try:
            pid = os.fork()
            if pid == 0:
                self.become(work, ends, rehearsing)
            return pid
        finally:
            # Children go to the namespace that was made last: the next one has to start from here again.
            walls.call("setns", self.home, walls.PID)

    def become(self, work, ends, rehearsing):
        """The rest of a guest's first process. Never returns."""
        try:
            for number, end in enumerate((*ends, work)):
                os.dup2(end, number)
            os.closerange(4, 256)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            walls.enter(self.setup, 3)
            os.close(3)
            if rehearsing:
                os._exit(0)
            if "numpy.random" in sys.modules:
                # Python's own generator is seeded anew in every forked process; this one is not.
                sys.modules["numpy.random"].seed()
            sys.modules["__main__"].boot()
        except BaseException as error:  # noqa: BLE001 - the host reads it
            with contextlib.suppress(OSError):
                os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
        finally:
            os._exit(70)

    def rehearsed(self):
        """Put up all walls once, around a process that ends then; what was in the way."""
        said, saying = os.pipe()
        held = [saying]
        try:
            held.append(walls.workspace(1 << 20))
            held.append(os.open("/dev/null", os.O_RDWR))
            pid = self.fork(held[1], [held[2], held[2], saying], rehearsing=True)
            os.close(os.pidfd_open(pid))
        except OSError as error:
            os.close(said)
            return str(error)
        finally:
            for one in held:
                os.close(one)
        with open(said, errors="replace") as words:
            wrong = words.read().strip()
        _, status = os.waitpid(pid, 0)
        return wrong if wrong or status == 0 else f"the rehearsal ended with {status}"

    def learn(self):
        """Do one more of the things that first calls would: guests that are forked from now on start with it done."""
        pack, library = self.lessons.pop(0)
        with contextlib.suppress(Exception):  # a guest that needs it fails at it, and says so
            guest_packs.learn(guest_packs.KNOWN[pack], library)
        self.knows += 1
        if not self.lessons:
            freeze()


def freeze():
    """What is frozen is never scanned again, and so its pages stay shared with the children."""
    gc.collect()
    gc.freeze()


def reap():
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main(setup, rest):
    """Fork a guest for each request until the host closes the socket; all guests end with this process."""
    try:
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2:
                with contextlib.suppress(OSError):  # that of the listing is closed already
                    os.close(int(name))
        walls.rule()
        pid = os.fork()
        if pid == 0:
            Zygote(setup).serve()
        else:
            os.closerange(0, 256)
            os.waitpid(pid, 0)
    except BaseException as error:  # noqa: BLE001 - the host reads it
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(0)
