"""The pool: guests opened ahead, a bound that holds, turns in order, dead guests replaced; and what is carried."""

from __future__ import annotations

import os
import resource
import threading
import time
from pathlib import Path

import pytest

from workgym.cli import main
from workgym.errors import SandboxError, SandboxUnavailable
from workgym.records import ToolCall
from workgym.sandbox import Limits, Sandbox, capacity, cgroups
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.sandbox.pool import Pool
from workgym.testing import DummySandbox, sandbox_suite
from workgym.testing.sandbox_kit import FILES, PACKS, opened, say


def until(true: object, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:  # type: ignore[operator]
        time.sleep(0.01)
    return bool(true())  # type: ignore[operator]


class Counted(DummySandbox):
    """The double, which counts how many of it are open."""

    now, most, made = 0, 0, 0
    guard = threading.Lock()

    def open(self, files, packs):  # type: ignore[no-untyped-def]
        super().open(files, packs)
        with Counted.guard:
            Counted.made += 1
            Counted.now += 1
            Counted.most = max(Counted.most, Counted.now)

    def close(self) -> None:
        if self.state in ("open", "dead", "halted"):
            with Counted.guard:
                Counted.now -= 1
        super().close()

    def answers(self) -> bool:
        return self.state == "open"


@pytest.fixture(autouse=True)
def none_counted() -> None:
    Counted.now = Counted.most = Counted.made = 0


def test_a_pooled_sandbox_is_one_like_any_other() -> None:
    with Pool(Bubblewrap, PACKS, Limits(output_chars=1000), at_once=3, ahead=1) as pool:
        for _ in range(2):
            assert until(lambda: len(pool._ready) == 1)
            sandbox_suite.files_stand_there(lambda limits: pool.sandbox())
            assert until(lambda: len(pool._ready) == 1)
            sandbox_suite.changes_are_seen(lambda limits: pool.sandbox())
            assert until(lambda: len(pool._ready) == 1)
            sandbox_suite.closing_is_final(lambda limits: pool.sandbox())
        sandbox_suite.snapshots_come_back(lambda limits: pool.sandbox())
        with opened(lambda limits: pool.sandbox()) as sandbox:
            assert sandbox.name == "bubblewrap" and sandbox.capabilities == Bubblewrap().capabilities
    assert pool._lent == 0 and not pool._ready


def test_a_guest_that_died_while_it_waited_is_replaced() -> None:
    with Pool(Bubblewrap, PACKS, at_once=2, ahead=1) as pool:
        assert until(lambda: len(pool._ready) == 1)
        ready = pool._ready[0]
        assert ready.answers()
        assert isinstance(ready, Bubblewrap) and ready._guest is not None
        ready._guest.end()
        assert not ready.answers()
        with opened(lambda limits: pool.sandbox()) as sandbox:
            assert say(sandbox, "bash", command="echo alive").text == "alive\n" and sandbox.collect() == FILES


def test_no_more_are_open_than_it_is_told() -> None:
    with Pool(Counted, PACKS, at_once=3, ahead=2) as pool:

        def work() -> None:
            for _ in range(20):
                with opened(lambda limits: pool.sandbox()) as sandbox:
                    time.sleep(0.001)
                    sandbox.collect()

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 <= Counted.most <= 3 and Counted.made >= 160
    assert Counted.now == 0


def test_who_came_first_is_served_first() -> None:
    with Pool(Counted, PACKS, at_once=1, ahead=0) as pool:
        order: list[int] = []
        first = opened(lambda limits: pool.sandbox())

        def work(number: int) -> None:
            with opened(lambda limits: pool.sandbox()):
                order.append(number)

        threads = []
        for number in range(6):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            assert until(lambda: len(pool._waiting) == len(threads))
        assert order == []
        first.close()
        first.close()
        for thread in threads:
            thread.join()
        assert order == list(range(6)) and Counted.most == 1


def test_other_packs_get_a_guest_of_their_own_within_the_bound() -> None:
    with Pool(Counted, PACKS, at_once=1, ahead=1) as pool:
        assert until(lambda: len(pool._ready) == 1)
        sandbox = pool.sandbox()
        sandbox.open({"a": b"1"}, ("shell",))
        assert Counted.most == 1 and Counted.made == 2 and sandbox.collect() == {"a": b"1"}
        sandbox.close()
        never = pool.sandbox()
        never.close()
        with pytest.raises(SandboxError, match="used once"):
            never.open({}, ())


def test_what_cannot_be_opened_is_told_to_whoever_asks_and_its_place_is_free() -> None:
    class Broken(Counted):
        works = False

        def open(self, files, packs):  # type: ignore[no-untyped-def]
            if not Broken.works:
                raise SandboxUnavailable("no daemon answers", fix="start one")
            super().open(files, packs)

    with Pool(Broken, PACKS, at_once=1, ahead=1) as pool:
        assert until(lambda: pool._failed)
        for _ in range(3):
            with pytest.raises(SandboxUnavailable, match="no daemon answers"):
                pool.sandbox().open({}, PACKS)
        Broken.works = True
        with opened(lambda limits: pool.sandbox()):
            pass
        assert until(lambda: len(pool._ready) == 1)


def test_its_end_is_told_to_those_who_wait() -> None:
    pool = Pool(Counted, PACKS, at_once=1, ahead=0)
    lent = opened(lambda limits: pool.sandbox())
    told: list[str] = []

    def work() -> None:
        try:
            pool.sandbox().open({}, PACKS)
        except SandboxError as error:
            told.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    assert until(lambda: len(pool._waiting) == 1)
    pool.close()
    thread.join()
    assert told == ["the pool of sandboxes is closed"]
    assert lent.call(ToolCall(tool="list_files", arguments={})).text
    lent.close()
    pool.close()
    assert Counted.now == 0


def test_what_the_machine_carries_follows_its_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroups, "places", lambda: iter([(2, (tmp_path,))]))
    monkeypatch.setattr(capacity, "_available", lambda: 64 << 30)
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 1073741824\n")
    (tmp_path / "memory.current").write_text(str(3 << 30))
    (tmp_path / "memory.max").write_text(str(10 << 30))
    found = capacity.capacity(Limits(memory_mib=1024, workspace_mib=256))
    assert found.memory_mib == 8 << 10 and found.by_memory == (6 << 10) // 320
    (tmp_path / "memory.max").write_text("max")
    found = capacity.capacity(Limits(memory_mib=100, workspace_mib=10))
    assert found.memory_mib == 64 << 10 and found.by_memory == (48 << 10) // 64
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (128 + 80, hard))
    found = capacity.capacity()
    assert found.by_descriptors == 10 and found.by_cores == 16 * found.cores
    assert found.at_once == min(10, found.by_cores) and found.said().startswith(f"{found.at_once} (memory for ")
    assert soft > 0


def test_doctor_tells_what_is_carried_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("sandboxes at once") and "open files for" in line for line in lines)
    assert any(line.startswith("memory of a sandbox") for line in lines) == bool(cgroups.reason())


def test_a_real_pool_leaves_nothing() -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    def some() -> None:
        with Pool(Bubblewrap, PACKS, at_once=3, ahead=2) as pool:
            boxes: list[Sandbox] = [opened(lambda limits: pool.sandbox()) for _ in range(3)]
            for box in boxes:
                box.close()

    some()
    before = count()
    some()
    assert count() == before
