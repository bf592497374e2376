# mypy: ignore-errors
"""The guest's tool server: MCP (JSON-RPC 2.0, a message a line) over one pipe. Standard library only.

The host reads this file as text and sends it over; it is never imported there. One process and one
event loop; tools that may hang or crash run in a forked child each, in a session of its own. Besides
MCP it speaks ``workgym/script``: a trusted program whose tool calls go to the host as requests ``workgym/act``.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import re
import selectors
import signal
import sys
import time

from guest_packs import known, load
from guest_process import forked, kill_all, kill_tree, run_script, settle, spawned, verdict
from guest_view import Guest, Output, ToolError

DONT_WAIT = 0x40
"""MSG_DONTWAIT of Linux."""
OUTPUT_BUDGET = 64 << 20
"""Bytes of output after which a call is stopped."""


class Job:
    """A forked child: a tool call, or the script."""

    def __init__(self, request, pipe, deadline):
        self.request, self.pipe, self.deadline = request, pipe, deadline
        self.output, self.stopped, self.is_script = None, None, False
        self.line, self.answer = b"", None


class Server:
    def __init__(self, setup, rest):
        self.limits = setup["limits"]
        self.guest = Guest(setup["workspace"], self.limits)
        self.tools = {tool["name"]: (pack, tool) for pack in map(known, setup["packs"]) for tool in pack["tools"]}
        self.jobs = {}
        self.acts = {}
        self.number = 0
        self.buffer = rest
        # Children start with nothing on 0, 1 and 2; the pipe to the host moves out of their reach.
        self.source, self.sink = (fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10) for number in (0, 1))
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1):
            os.dup2(null, number)
        os.close(null)
        self.selector = selectors.DefaultSelector()

    def serve(self):
        wake, waker = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(wake, selectors.EVENT_READ, "wake")
        self.selector.register(self.source, selectors.EVENT_READ, "host")
        self.lines()
        while True:
            waits = [job.deadline for job in self.jobs.values() if job.deadline is not None]
            timeout = max(0.0, min(waits) - time.monotonic()) if waits else None
            for key, _ in self.selector.select(timeout):
                if key.data == "host":
                    data = os.read(self.source, 1 << 20)
                    if not data:
                        return
                    self.buffer += data
                    self.lines()
                elif key.data == "wake":
                    os.read(wake, 4096)
                else:
                    self.drain(key.fd, key.data)
            self.expire()
            self.reap()

    # --- the host's side ---

    def lines(self):
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                self.send({"id": None, "error": {"code": -32700, "message": "not JSON"}})
                continue
            if "method" in message:
                self.handle(message)
            elif message.get("id") in self.acts:
                self.act_answered(message)

    def send(self, message):
        data = memoryview((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        while data:
            data = data[os.write(self.sink, data) :]

    def handle(self, message):
        method, number, params = message["method"], message.get("id"), message.get("params") or {}
        if method == "initialize":
            version = params.get("protocolVersion", "2025-06-18")
            about = {"name": "guest-tools", "version": "1"}
            self.send(
                {
                    "id": number,
                    "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about},
                }
            )
        elif method == "tools/list":
            listed = [
                {key: tool[key] for key in ("name", "description", "inputSchema")} for _, tool in self.tools.values()
            ]
            self.send({"id": number, "result": {"tools": listed}})
        elif method == "tools/call":
            self.call(number, params.get("name"), params.get("arguments") or {})
        elif method == "workgym/script":
            self.script(number, params["source"])
        elif method == "ping":
            self.send({"id": number, "result": {}})
        elif number is not None:
            self.send({"id": number, "error": {"code": -32601, "message": f"unknown method {method}"}})

    def result(self, number, text, is_error):
        self.send({"id": number, "result": {"content": [{"type": "text", "text": text}], "isError": is_error}})

    # --- tools ---

    def call(self, number, name, arguments):
        if name not in self.tools:
            self.result(number, f"There is no tool {name!r}. The tools are: {', '.join(sorted(self.tools))}.", True)
            return
        pack, tool = self.tools[name]
        try:
            function = load(pack, tool)
        except Exception as error:  # noqa: BLE001 - the boundary between a pack and the server
            self.result(number, f"the pack {pack['name']} cannot be loaded: {type(error).__name__}: {error}", True)
            return
        self.warm(tool, arguments)
        if tool["process"]:
            seconds = min(float(arguments.get("timeout") or self.limits["call_seconds"]), self.limits["call_seconds"])
            if tool["program"]:
                self.begin(
                    number, lambda writer: spawned(writer, self.guest, function(self.guest, **arguments)), seconds
                )
            else:
                self.begin(number, lambda writer: forked(writer, self.guest, function, arguments), seconds)
            return
        output = Output(self.limits["output_chars"])
        try:
            output.add(function(self.guest, **arguments).encode(errors="replace"))
            self.result(number, output.text(), False)
        except ToolError as error:
            self.result(number, str(error), True)
        except Exception as error:  # noqa: BLE001 - the boundary between a pack and the server
            self.result(number, f"{name} failed: {type(error).__name__}: {error}", True)

    def warm(self, tool, arguments):
        """Import in this process what the call is going to need: its child, and all later ones, start with it."""
        text = " ".join(value for value in arguments.values() if isinstance(value, str))
        named = [name for name in tool["warm_when_named"] if re.search(rf"\b{name}\b", text)]
        fresh = [name for name in (*tool["warm"], *named) if name not in sys.modules]
        for library in fresh:
            with contextlib.suppress(Exception):
                importlib.import_module(library)
        if fresh:
            # What is frozen is never scanned again: a child's collection at its end takes 2 ms instead of 20.
            gc.collect()
            gc.freeze()

    def begin(self, number, start, seconds):
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        try:
            pid = start(writer)
        except BlockingIOError:
            os.close(reader)
            self.result(
                number, "No more processes can be started here: stop those that run in the background first.", True
            )
            return
        except OSError as error:
            os.close(reader)
            self.result(number, f"It cannot be started: {error.strerror}.", True)
            return
        finally:
            os.close(writer)
        job = Job(number, reader, time.monotonic() + seconds)
        job.output, job.seconds = Output(self.limits["output_chars"]), seconds
        self.jobs[pid] = job
        self.selector.register(reader, selectors.EVENT_READ, job)

    def drain(self, descriptor, job):
        """Take what is there. After the call's end the pipe may still be held by what it left in the background."""
        for _ in range(16):
            try:
                data = job.writer.recv(1 << 16, DONT_WAIT) if job.is_script else os.read(descriptor, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                self.forget(job)
                return
            if job.is_script:
                self.script_said(job, data)
            elif job.output is not None:
                job.output.add(data)
                if job.output.total > OUTPUT_BUDGET and job.stopped is None:
                    self.stop(job, f"more than {OUTPUT_BUDGET >> 20} MiB of output")

    def forget(self, job):
        if job.pipe is not None:
            self.selector.unregister(job.pipe)
            if job.is_script:
                job.writer.close()
            else:
                os.close(job.pipe)
            job.pipe = None

    def stop(self, job, why):
        job.stopped, job.deadline = why, None
        kill_tree(next(pid for pid, other in self.jobs.items() if other is job))

    def expire(self):
        now = time.monotonic()
        for job in list(self.jobs.values()):
            if job.deadline is not None and job.deadline <= now:
                self.stop(job, f"it ran for more than {job.seconds:g} s")

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            job = self.jobs.pop(pid, None)
            if job is None:
                continue
            if job.pipe is not None:
                # Once is enough: a pipe holds 64 KiB, and whoever still writes there does so in the background.
                self.drain(job.pipe, job)
            code = os.waitstatus_to_exitcode(status)
            if job.is_script:
                self.script_ended(job, code)
            else:
                self.result(job.request, *verdict(job, code))
                job.output = None

    # --- the script ---

    def script(self, number, source):
        import socket  # 2 ms, and most sandboxes never run a script

        ours, theirs = socket.socketpair()
        try:
            pid = os.fork()
        except OSError:
            self.send({"id": number, "error": {"code": -32000, "message": "no process for the script"}})
            return
        if pid == 0:
            run_script(theirs.fileno(), source, self.limits["memory_mib"] << 20)
        theirs.close()
        job = Job(number, ours.fileno(), time.monotonic() + self.limits["call_seconds"])
        job.is_script, job.seconds, job.writer = True, self.limits["call_seconds"], ours
        self.jobs[pid] = job
        self.selector.register(ours, selectors.EVENT_READ, job)

    def script_said(self, job, data):
        *lines, job.line = (job.line + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "tool" in message:
                self.number += 1
                job.deadline = None
                self.acts[f"act-{self.number}"] = job
                self.send({"id": f"act-{self.number}", "method": "workgym/act", "params": message})
            else:
                job.answer = message

    def act_answered(self, message):
        job = self.acts.pop(message["id"])
        job.deadline = time.monotonic() + job.seconds
        with contextlib.suppress(OSError):
            job.writer.sendall((json.dumps(message.get("result") or {"failed": True}) + "\n").encode())

    def script_ended(self, job, code):
        self.forget(job)
        if job.answer is not None and "result" in job.answer:
            self.send({"id": job.request, "result": {"json": job.answer["result"]}})
            return
        said = (
            job.answer["error"] if job.answer else f"the script was stopped: {job.stopped or f'it ended with {code}'}"
        )
        self.send({"id": job.request, "error": {"code": -32000, "message": said}})


def main(setup, rest):
    """Serve until the host closes the pipe, then end everything that was started here."""
    settle(setup["limits"])
    try:
        Server(setup, rest).serve()
    finally:
        if os.getpid() != 1:
            kill_all()
        os._exit(0)
