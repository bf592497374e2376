"""Checks of a sandbox's life: calls that hang, overlap or go on, and what is left when it halts and closes."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

from workgym.errors import SandboxDied, SandboxError
from workgym.records import ToolResult
from workgym.sandbox.contract import Limits, Sandbox
from workgym.testing.sandbox_kit import FILES, Factory, opened, refuses, say


def long_calls_are_stopped(factory: Factory) -> None:
    """A call beyond its time is stopped with its children; others go on meanwhile; the sandbox lives on."""
    with opened(factory, limits=Limits(call_seconds=2.0)) as sandbox:
        results: list[ToolResult] = []
        command = "trap '' TERM; (while :; do sleep 0.1; date > ticking; done) & while :; do :; done"
        slow = threading.Thread(target=lambda: results.append(say(sandbox, "bash", command=command)))
        slow.start()
        assert say(sandbox, "bash", command="echo meanwhile").text == "meanwhile\n"
        slow.join()
        assert results[0].is_error and "more than 2 s" in results[0].text
        sandbox.changed()
        say(sandbox, "bash", command="sleep 0.5")
        assert sandbox.changed() == ()
        assert "more than 1 s" in say(sandbox, "python", code="while True: pass", timeout=1).text


def background_may_stay(factory: Factory) -> None:
    """What a tool starts on purpose lives on after its call, which does not wait for it."""
    with opened(factory) as sandbox:
        say(sandbox, "bash", command="(sleep 0.3; echo later > later.txt) & echo started")
        assert "later.txt" not in sandbox.collect()
        say(sandbox, "bash", command="sleep 0.6")
        assert sandbox.collect()["later.txt"] == b"later\n"


def calls_keep_apart(factory: Factory) -> None:
    """Calls from several threads at once each get their own answer."""
    with opened(factory) as sandbox:
        wrong: list[str] = []

        def ask(number: int) -> None:
            for turn in range(5):
                word = f"{number}-{turn}"
                text = say(sandbox, "bash" if turn % 2 else "python", **_echo(word, turn)).text
                if text != word + "\n":
                    wrong.append(f"{word}: {text}")

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong


def outlives_its_thread(factory: Factory) -> None:
    """A sandbox that a worker thread opened lives on when that thread has ended."""
    made: list[Sandbox] = []
    worker = threading.Thread(target=lambda: made.append(opened(factory)))
    worker.start()
    worker.join()
    with made[0] as sandbox:
        assert say(sandbox, "bash", command="sleep 0.2; echo alive").text == "alive\n"


def halting_ends_the_guest(factory: Factory) -> None:
    """After it nothing writes any more, also what was started to outlive its call; files can still be taken."""
    with opened(factory) as sandbox:
        write = "while :; do date +%N > ticking; sleep 0.01; done"
        say(sandbox, "bash", command=f"(setsid bash -c '{write}' &) > /dev/null 2>&1; sleep 0.3")
        sandbox.halt()
        files = sandbox.collect()
        assert "ticking" in files and files["notes.md"] == FILES["notes.md"]
        time.sleep(0.3)
        assert sandbox.collect() == files
        assert "ticking" in [change.path for change in sandbox.changed()] and sandbox.changed() == ()
        refuses(SandboxError, lambda: say(sandbox, "list_files"))
        sandbox.halt()
    sandbox.halt()
    refuses(SandboxError, sandbox.collect)


def halting_finds_who_hides(factory: Factory) -> None:
    """A process that forked twice, heeds no signal and killed the tool server if it could is dead once it is halted."""
    mark = f"hides-{os.getpid()}-{time.monotonic_ns()}"
    writer = (
        "import signal, time\n"
        "for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)\n"
        "while True:\n"
        "    open('ticking', 'w').write(str(time.monotonic_ns()))\n"
    )
    code = (
        "import os, signal, sys, time\n"
        "server = os.getppid()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        while not os.path.exists('go'): time.sleep(0.01)\n"
        f"        os.execv(sys.executable, [sys.executable, '-c', {writer!r}, {mark!r}])\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "open('go', 'w').close()\n"
        "while not os.path.exists('ticking'): time.sleep(0.01)\n"
        "try: os.kill(server, signal.SIGKILL)\n"
        "except PermissionError: pass\n"
    )
    with opened(factory) as sandbox:
        with contextlib.suppress(SandboxDied):
            say(sandbox, "python", code=code)
        sandbox.halt()
        assert _running(mark) == []
        files = sandbox.collect()
        assert "ticking" in files
        time.sleep(0.1)
        assert sandbox.collect() == files


def closing_is_final(factory: Factory) -> None:
    """A sandbox is used once; closing it again does nothing; after that it refuses."""
    sandbox = opened(factory)
    refuses(SandboxError, lambda: sandbox.open({}, ()))
    sandbox.close()
    sandbox.close()
    refuses(SandboxError, lambda: say(sandbox, "list_files"))
    refuses(SandboxError, sandbox.collect)
    never = factory(None)
    never.close()


def _running(mark: str) -> list[str]:
    """Processes of this machine that have a word on their command line; those in containers and sandboxes, too."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(entry.name)
    return found


def _echo(word: str, turn: int) -> dict[str, str]:
    return {"command": f"sleep 0.01; echo {word}"} if turn % 2 else {"code": f"print({word!r})"}
