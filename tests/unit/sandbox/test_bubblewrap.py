"""The default backend against hostile code, a killed host, other users and threads that end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workgym.errors import SandboxError, UsageError
from workgym.sandbox import Limits, Sandbox, available, clean, create, state
from workgym.sandbox.own_places import own_places
from workgym.testing.sandbox_kit import opened, say

from .ordinary import ordinary_user

HERE = Path(__file__).parents[3]


def factory(limits: Limits | None) -> Sandbox:
    return create("bubblewrap", limits)


def commands(word: str) -> list[str]:
    """Numbers of the processes whose command line holds ``word``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if word in (entry / "cmdline").read_text():
                    found.append(entry.name)
            except OSError:
                continue
    return found


def gone(word: str) -> bool:
    deadline = time.monotonic() + 10
    while commands(word) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not commands(word)


def test_nothing_writes_any_more_once_it_is_halted() -> None:
    with create("bubblewrap") as sandbox:
        sandbox.open({"a.txt": b"1"}, ("shell",))
        say(sandbox, "bash", command="(while :; do date +%N > a.txt; date +%N > b.txt; done) > /dev/null 2>&1 &")
        sandbox.halt()
        files = sandbox.collect()
        time.sleep(0.2)
        assert files == sandbox.collect() and "a.txt" in files
        with pytest.raises(SandboxError, match="halted, not open"):
            say(sandbox, "bash", command="true")
        sandbox.halt()


def test_everything_dies_at_close() -> None:
    word = f"98.{os.getpid()}1"
    sandbox = opened(factory)
    say(
        sandbox,
        "bash",
        command=f"setsid sleep {word} & (setsid setsid sleep {word} & ) ; nohup sleep {word} & sleep 0.3",
    )
    assert len(commands(f"sleep\0{word}")) >= 3
    sandbox.close()
    assert commands(f"sleep\0{word}") == []


def test_everything_dies_with_a_killed_host() -> None:
    word = f"98.{os.getpid()}2"
    code = (
        "import time\n"
        "from workgym.sandbox import create, state\n"
        "from workgym.testing.sandbox_kit import opened, say\n"
        "sandbox = opened(lambda limits: create('bubblewrap', limits))\n"
        f"say(sandbox, 'bash', command='setsid sleep {word} & sleep 0.1')\n"
        "print(state.own(), flush=True)\n"
        f"say(sandbox, 'bash', command='sleep {word}')\n"
    )
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=HERE)
    assert host.stdout is not None
    folder = Path(host.stdout.readline().strip())
    time.sleep(0.3)
    assert len(commands(f"sleep\0{word}")) == 2
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    assert gone(word)
    assert folder.is_dir()
    assert f"folder {folder.name}" in clean()
    assert not folder.exists()


def test_forked_copy_of_the_host_does_not_keep_the_guest() -> None:
    word = f"98.{os.getpid()}3"
    code = (
        "import os, time\n"
        "from workgym.sandbox import create\n"
        "from workgym.testing.sandbox_kit import opened, say\n"
        "sandbox = opened(lambda limits: create('bubblewrap', limits))\n"
        f"say(sandbox, 'bash', command='setsid sleep {word} & sleep 0.1')\n"
        "copy = os.fork()\n"
        "if copy == 0:\n"
        "    os.close(1)\n"
        "    sandbox.close()\n"
        "    time.sleep(60)\n"
        "assert say(sandbox, 'bash', command='echo alive').text == 'alive\\n'\n"
        "print(copy, flush=True)\n"
        "time.sleep(60)\n"
    )
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=HERE)
    assert host.stdout is not None
    copy = int(host.stdout.readline())
    try:
        assert commands(f"sleep\0{word}")
        host.kill()
        host.wait()
        assert gone(f"sleep\0{word}")
    finally:
        os.kill(copy, signal.SIGKILL)
        host.stdout.close()
    clean()


def test_nothing_is_left_after_a_regular_end() -> None:
    with opened(factory):
        pass  # what all guests have in common is made with the first
    before = sorted(os.listdir(state.own()))
    for _ in range(3):
        with opened(factory) as sandbox:
            say(sandbox, "bash", command="mkdir -p a/b && chmod 0 a; echo x > y")
    assert sorted(os.listdir(state.own())) == before


def test_long_listings_say_the_same_at_another_time() -> None:
    seen = []
    for _ in range(2):
        with opened(factory) as sandbox:
            sandbox.put("data/late.txt", b"1")
            seen.append(
                say(sandbox, "bash", command="ls -laR --time-style=full-iso; ls -lad --time-style=full-iso ..").text
            )
    assert seen[0] == seen[1] and seen[0].count("2026-01-01 00:00:00.000000000") == 9


def test_command_line_shows_no_host_path() -> None:
    with opened(factory):
        lines = [Path(f"/proc/{pid}/cmdline").read_text() for pid in commands("bwrap\0--args")]
    assert lines and not any(str(state.root()) in line for line in lines)


def test_tasks_and_other_copies_below_usr_are_hidden(tmp_path: Path) -> None:
    usr = tmp_path / "usr"
    other, old = usr / "lib/python3/dist-packages/workgym", usr / "local/lib/python3.9/site-packages/workgym"
    shelf, corpus, ids = usr / "share/shelf", usr / "share/corpus", usr / "share/ids.txt"
    for folder in (other, old, shelf / "envs", corpus / "inner", tmp_path / "elsewhere", usr / "lib/python3/json"):
        folder.mkdir(parents=True)
    ids.touch()
    (tmp_path / "link").symlink_to(corpus)
    corpora = os.pathsep.join(map(str, (tmp_path / "link", ids, corpus / "inner", tmp_path / "elsewhere")))
    assert own_places(usr, str(shelf), corpora) == tuple(sorted((other, old, shelf, corpus, ids)))
    with pytest.raises(SandboxError, match=f"{tmp_path} holds {usr}, which every guest sees; move what"):
        own_places(usr, "", str(tmp_path))


@pytest.mark.skipif(not Path("/usr/share/doc").is_dir(), reason="there is no folder to stand for a corpus")
def test_a_corpus_below_usr_is_empty_for_the_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(factory) as sandbox:
        assert say(sandbox, "bash", command="ls /usr/share/doc").text != "(no output)"
    files = (path for path in sorted(Path("/usr/share").rglob("*")) if path.is_file() and path.stat().st_size)
    note = next(path for path in files if path.parts[3] != "doc")
    monkeypatch.setenv("WORKGYM_CORPUS", f"/usr/share/doc{os.pathsep}{note}")
    with opened(factory) as sandbox:
        assert say(sandbox, "bash", command="ls /usr/share/doc").text == "(no output)"
        assert say(sandbox, "bash", command="touch /usr/share/doc/x").is_error
        assert say(sandbox, "bash", command=f"head -c 1 '{note}' 2> /dev/null | wc -c").text == "0\n"


def test_descriptors_do_not_leak() -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    with opened(factory):
        pass
    before = count()
    for _ in range(5):
        with opened(factory) as sandbox:
            say(sandbox, "bash", command="true")
    assert count() == before


def is_ours(pid: int) -> bool:
    """Whether this process started it: tests run beside others whose guests must live."""
    while pid > 1 and pid != os.getpid():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid == os.getpid()


def test_guest_ends_and_the_host_hears_of_it() -> None:
    with opened(factory) as sandbox:
        # Nothing inside can end process 1; from outside, it is as if the machine had run out of memory.
        for pid in commands("def boot():"):
            # The zygote's end is theirs, too.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if "bwrap" not in Path(f"/proc/{pid}/cmdline").read_text() and is_ours(int(pid)):
                    os.kill(int(pid), signal.SIGKILL)
        with pytest.raises(SandboxError, match="guest is gone"):
            for _ in range(50):
                say(sandbox, "list_files")
                time.sleep(0.05)


def test_names() -> None:
    assert set(available()) == {"bubblewrap", "docker", "docker-office", "unsafe-local"}
    assert available()["bubblewrap"] == ""
    with pytest.raises(UsageError, match="use one of bubblewrap"):
        create("nothing")


def test_as_an_ordinary_user() -> None:
    code = (
        "from workgym.sandbox import cold, create\n"
        "from workgym.testing import sandbox_suite\n"
        "assert cold() == '', cold()\n"
        "for check in (sandbox_suite.scripts_act_through_tools, sandbox_suite.closing_is_final):\n"
        "    check(lambda limits: create('bubblewrap', limits))\n"
    )
    with ordinary_user() as (python, variables):
        done = subprocess.run(
            [*python, "-c", code], env=variables, cwd="/", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("memory", [48, 256, 1024])
def test_programs_and_python_are_held_to_the_memory_of_a_call(memory: int) -> None:
    code = "import resource as r\nprint([r.getrlimit(kind)[1] >> 20 for kind in (r.RLIMIT_DATA, r.RLIMIT_AS)])"
    with create("bubblewrap", Limits(memory_mib=memory)) as sandbox:
        sandbox.open({"a.txt": b"a"}, ("files", "shell", "office"))
        told = say(sandbox, "bash", command="ulimit -Hd; ulimit -Hv; cat /proc/self/oom_score_adj").text
        assert told == f"{memory << 10}\n{memory << 11}\n1000\n"
        assert say(sandbox, "python", code=code).text == f"{[memory, 2 * memory]}\n"
        assert "MemoryError" in say(sandbox, "python", code=f"bytearray({memory} << 20)").text
        assert say(sandbox, "list_files").text == "a.txt"
