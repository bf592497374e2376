# mypy: ignore-errors
"""Processes of the guest: becoming a tool's child, running a script, stopping a whole tree. Standard library only."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import resource
import signal
import sys

from guest_view import TOLD, ToolError

LEAST_MIB = 256
"""What the server may always have for itself: it holds the tools' libraries, however little its calls are given."""
LIMITED = 'ulimit -d "$1" && ulimit -v "$2" && shift 2 && exec "$@"'
"""Limits in KiB, then the program in the same process: for calls that are given less than the server has."""
SCORE = "/proc/self/oom_score_adj"
"""A process's own score for when memory ends."""
_score = -1
"""A descriptor of the server's, where the kernel heeds it: once nobody may look into it, it cannot open that."""


def settle(limits):
    """Limits of the server and of all that it starts, and no way for the guest's code into the server itself.

    That of memory is the server's own, too, so that what it starts has it from its first moment, at no cost for a call.
    """
    global _score
    die_before_others(500)
    with contextlib.suppress(OSError):
        with open("/proc/self/oom_score") as file:
            heeded = int(file.read()) > 0
        if heeded:  # other kernels take the number and make nothing of it, and show what is open to everybody
            _score = os.open(SCORE, os.O_WRONLY | os.O_CLOEXEC)
    prctl(4, 0)  # PR_SET_DUMPABLE: else agent code forges replies through /proc/PPID/fd
    prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: orphans stay findable
    if limits["filter"] and os.uname().machine == limits["machine"]:
        filter_calls(base64.b64decode(limits["filter"]))
    megabyte = 1 << 20
    wanted = {
        # Not 0: where the host pipes cores into a program of its own, 0 stops nothing, and the kernel takes 1 for none.
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_FSIZE: limits["file_mib"] * megabyte,
    }
    if limits["count_processes"]:
        wanted[resource.RLIMIT_NPROC] = limits["processes"]
    for kind, most in wanted.items():
        limit(kind, most)
    hold(max(limits["memory_mib"], LEAST_MIB) * megabyte)


def hold(memory):
    """Keep this process and its children to so many bytes each."""
    # Data is what a program fills; the address space that runtimes merely reserve may be twice that.
    limit(resource.RLIMIT_DATA, memory)
    limit(resource.RLIMIT_AS, 2 * memory)


def limit(kind, most):
    """Set a limit, or leave the one that is there and lower."""
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def die_before_others(score):
    """Where memory ends the kernel kills tools' children first, then the server, and what is below last."""
    with contextlib.suppress(OSError), open(SCORE, "w") as file:
        file.write(str(score))


def risked(score):
    """The same for the server itself, once nobody may look into it."""
    with contextlib.suppress(OSError):
        os.pwrite(_score, str(score).encode(), 0)


def prctl(option, value):
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def filter_calls(program):
    """A seccomp filter on top of the container's own, for this process and all that come of it."""

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
    held = Filter(len(program) // 8, program)
    ctypes.CDLL(None).prctl(22, ctypes.c_ulong(2), ctypes.byref(held), 0, 0)


def spawned(writer, guest, line):
    """Run a command line in a process of its own, with its output going to ``writer``; the process's number.

    Never by a fork of the server: with the tools' libraries loaded, copying its page tables costs 6 ms, a start 1.
    """
    import subprocess  # 5 ms, and some sandboxes never run a program

    memory = guest.limits["memory_mib"]
    if memory < LEAST_MIB:
        line = ["/bin/sh", "-c", LIMITED, "sh", str(memory << 10), str(memory << 11), *line]
    # What it starts is as ready to die as it is itself meanwhile.
    risked(1000)
    try:
        with open("/dev/null", "rb") as null:
            process = subprocess.Popen(
                line, stdin=null, stdout=writer, stderr=writer, cwd=guest.workspace, start_new_session=True
            )
    finally:
        risked(500)
    process.returncode = 0  # the server waits for all its children itself
    return process.pid


def forked(writer, guest, function, arguments):
    """Call a pack's function in a child, with its output going to ``writer``; the child's number."""
    pid = os.fork()
    if pid == 0:
        become(writer, guest, lambda: run_tool(guest, function, arguments))
    return pid


def become(writer, guest, body):
    """The rest of a tool's child: ``body`` with its output going to ``writer``. Never returns."""
    code = 70
    try:
        plain_signals()
        os.setsid()
        null = os.open("/dev/null", os.O_RDONLY)
        for old, new in ((null, 0), (writer, 1), (writer, 2)):
            os.dup2(old, new)
        os.closerange(3, 256)
        prctl(4, 1)
        die_before_others(1000)
        hold(guest.limits["memory_mib"] << 20)
        os.chdir(guest.workspace)
        code = body()
    except BaseException as error:  # noqa: BLE001 - the child's last words
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(code)


def run_tool(guest, function, arguments):
    """Call a pack's function in this child, print what it returns; the exit code."""
    try:
        text = function(guest, **arguments)
        code = 0
    except ToolError as error:
        text, code = str(error), TOLD
    except MemoryError:
        text, code = "Out of memory: the file or the result is too large for this tool.", TOLD
    except Exception as error:  # noqa: BLE001 - the boundary between a pack and the server
        text, code = f"{function.__name__} failed: {type(error).__name__}: {error}", TOLD
    if isinstance(text, int):
        code, text = text, ""
    sys.stdout.flush()
    data = memoryview((text or "").encode(errors="replace"))
    while data:
        data = data[os.write(1, data) :]
    return code


def run_script(conversation, source, memory):
    """The script's child: run a program away from the workspace; its calls go through ``conversation``.

    Programs of models are run like this, too: it is held to ``memory`` bytes, as tools are.
    """
    code = 0
    try:
        plain_signals()
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(conversation, 3)
        for new in (0, 1, 2):
            os.dup2(null, new)
        os.closerange(4, 256)
        hold(memory)
        os.chdir("/")
        lines = os.fdopen(3, "rb")

        def call(tool, **arguments):
            say(3, {"tool": tool, "arguments": arguments})
            answer = json.loads(lines.readline())
            if "text" not in answer:
                raise RuntimeError("the host did not answer this call")
            return answer["text"], answer["is_error"]

        import linecache

        linecache.cache["<script>"] = (len(source), None, source.splitlines(keepends=True), "<script>")
        names = {"__name__": "script", "__builtins__": __builtins__}
        try:
            exec(compile(source, "<script>", "exec"), names)
            say(3, {"result": json.dumps(names["main"](call), ensure_ascii=False)})
        except BaseException as error:  # noqa: BLE001 - it is told to the host
            say(3, {"error": told(error, "<script>")})
    except BaseException:  # noqa: BLE001 - the host hears of the exit code
        code = 70
    finally:
        os._exit(code)


def say(descriptor, message):
    data = memoryview((json.dumps(message) + "\n").encode())
    while data:
        data = data[os.write(descriptor, data) :]


def told(error, filename):
    """The traceback of an error from the first frame in ``filename`` on: nothing of the server in it."""
    import traceback

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != filename:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def plain_signals():
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def kill_tree(top):
    """Kill a call's child, all its descendants and all of its session, as far as /proc shows them."""
    for _ in range(3):
        doomed, added = {top}, True
        table = processes()
        while added:
            added = {pid for pid, (parent, session) in table.items() if parent in doomed or session == top} - doomed
            doomed |= added
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if len(doomed) == 1:
            return


def kill_all():
    """Kill everything below this process until nothing is left; for backends without a process namespace."""
    for _ in range(200):
        table = processes()
        below, added = {os.getpid()}, True
        while added:
            added = {pid for pid, (parent, _) in table.items() if parent in below} - below
            below |= added
        below.discard(os.getpid())
        if not below:
            return
        for pid in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def processes():
    """Parent and session of every process."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
                table[int(name)] = (int(fields[1]), int(fields[3]))
    return table


def verdict(job, code):
    """The observation of a call that ended: its text, and whether it failed."""
    text = job.output.text(job.stopped is not None)
    if job.stopped is not None:
        note = f"[stopped: {job.stopped}; everything it started was stopped too. Do less at a time.]"
        return (text.rstrip("\n") + "\n" + note).lstrip("\n"), True
    if code == 0:
        return text or "(no output)", False
    if code == TOLD:
        return text or "(no output)", True
    how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return (text.rstrip("\n") + f"\n[{how}]").lstrip("\n"), True
