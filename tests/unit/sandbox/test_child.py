"""Work on untrusted data in a limited child: results, limits by kind, what it may not touch, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workgym.errors import ChildFailed
from workgym.sandbox import child
from workgym.sandbox.child import JobLimits


def fails(code: str, **limits: float) -> ChildFailed:
    with pytest.raises(ChildFailed) as caught:
        child.run("builtins:eval", code, limits=JobLimits.model_validate(limits))
    return caught.value


def test_json_goes_in_and_comes_out() -> None:
    assert child.run("json:loads", '{"a": [1, "ü", null]}') == {"a": [1, "ü", None]}
    big = "x" * 5_000_000
    assert child.run("json:dumps", big) == f'"{big}"'


@pytest.mark.parametrize(
    ("code", "limits", "kind"),
    [
        ("len(bytearray(10**9))", {"memory_mib": 100}, "memory"),
        ("sum(1 for _ in iter(int, 1))", {"cpu_seconds": 1}, "cpu"),
        ("__import__('time').sleep(30)", {"wall_seconds": 0.3}, "wall"),
        ("'x' * (3 << 20)", {"output_mib": 1}, "output"),
        ("__import__('os').abort()", {}, "crash"),
        ("__import__('ctypes').string_at(0)", {}, "crash"),
        ("__import__('os')._exit(3)", {}, "crash"),
        ("__import__('os')._exit(0)", {}, "crash"),
        ("1 / 0", {}, "error"),
        ("object()", {}, "error"),
        ("open('big', 'wb').write(bytes(2 << 20))", {"file_mib": 1}, "error"),
    ],
)
def test_each_end_has_its_kind(code: str, limits: dict[str, float], kind: str) -> None:
    assert fails(code, **limits).kind == kind
    assert child.run("json:loads", "1") == 1


def test_error_names_what_the_function_raised() -> None:
    assert "ZeroDivisionError: division by zero" in str(fails("1 / 0"))
    with pytest.raises(ChildFailed, match="ModuleNotFoundError"):
        child.run("workgym.nothing:here", None)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")
@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "open('/proc/1/environ').read()",
        "__import__('os').listdir('/home')",
        "open('/tmp/x', 'w')",
        "__import__('socket').socket()",
        "__import__('os').fork()",
        "__import__('os').execv('/bin/true', ['true'])",
        "__import__('os').kill(__import__('os').getppid(), 9)",
        "open('/proc/%d/mem' % __import__('os').getppid(), 'rb')",
    ],
)
def test_hostile_code_reaches_nothing(code: str) -> None:
    assert "PermissionError" in str(fails(code))


def test_environment_is_scrubbed() -> None:
    os.environ["WORKGYM_TEST_SECRET"] = "secret"
    try:
        child.stop()
        names = child.run("builtins:eval", "sorted(__import__('os').environ)")
    finally:
        del os.environ["WORKGYM_TEST_SECRET"]
    assert "WORKGYM_TEST_SECRET" not in names and "HOME" not in names


def test_temporary_files_are_its_own_and_vanish() -> None:
    made = Path(child.run("builtins:eval", "__import__('tempfile').mkdtemp()"))
    deadline = time.monotonic() + 5
    while made.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not made.exists()


def test_threads_share_one_warm_process() -> None:
    results: list[int] = []

    def work(number: int) -> None:
        results.extend(child.run("builtins:eval", f"{number} * 100 + {turn}") for turn in range(5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [number * 100 + turn for number in range(6) for turn in range(5)]


def test_warm_process_that_was_killed_is_started_again() -> None:
    child.run("json:loads", "1")
    assert child._warm is not None
    os.kill(child._warm.process.pid, signal.SIGKILL)
    child._warm.process.wait()
    assert child.run("json:loads", "2") == 2


def test_forked_host_gets_its_own() -> None:
    child.run("json:loads", "1")
    code = (
        "import os\n"
        "from workgym.sandbox import child, state\n"
        "assert child.run('json:loads', '1') == 1\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    assert child.run('json:loads', '2') == 2\n"
        "    child.stop()\n"
        "    state.leave()\n"
        "    os._exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "assert child.run('json:loads', '3') == 3\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr


def test_nothing_is_left_when_the_host_is_killed() -> None:
    code = (
        "import sys, time\n"
        "from workgym.sandbox import child\n"
        "child.run('json:loads', '1')\n"
        "print(child._warm.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    )
    assert host.stdout is not None
    warm = int(host.stdout.readline())
    host.kill()
    host.wait()
    host.stdout.close()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{warm}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{warm}").exists()
