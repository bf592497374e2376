"""A workspace of 300 files and 30 MB: what looking costs follows what changed, not what is there."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator

import pytest

from workgym.errors import SandboxError
from workgym.sandbox import Limits, Sandbox, collect, create
from workgym.sandbox.bubblewrap import Bubblewrap
from workgym.testing.sandbox_kit import opened, say

FILES = {f"{n % 12}/{n}.bin": random.Random(n).randbytes(100_000) for n in range(300)}


@pytest.fixture(params=[True, False], ids=["in memory", "in a folder"])
def large(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with opened(lambda limits: Bubblewrap(limits, warm=request.param), FILES) as sandbox:
        time.sleep(0.15)  # what was written just now is read once more
        sandbox.changed()
        yield sandbox


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def test_its_digest_takes_less_than_fifty_milliseconds(large: Sandbox) -> None:
    taken = [milliseconds(large.digest) for _ in range(9)]
    print(f"digest of 300 files, 30 MB: {statistics.median(taken):.1f} ms")
    assert statistics.median(taken) < 50


def test_only_what_changed_is_read(large: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    digest = collect._digest
    monkeypatch.setattr(collect, "_digest", lambda opened, found: read.append(found.st_size) or digest(opened, found))
    before = large.digest()
    assert large.changed() == () and read == []
    say(large, "bash", command="echo more >> 3/3.bin; echo new > new.txt; rm 4/4.bin")
    assert [change.path for change in large.changed()] == ["3/3.bin", "4/4.bin", "new.txt"]
    assert sorted(read) == [4, 100_005]
    assert large.digest() != before


def test_a_snapshot_comes_back_and_only_what_differs_is_written(
    large: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = large.snapshot()
    say(large, "bash", command="echo more >> 3/3.bin; rm -r 4; mkdir -p x/y; mv 5/5.bin x/y")
    written: list[str] = []
    put = collect.Workspace.put
    monkeypatch.setattr(
        collect.Workspace, "put", lambda self, path, content: written.append(path) or put(self, path, content)
    )
    large.restore(taken)
    assert large.digest() == taken.digest and large.collect() == FILES
    assert sorted(written) == sorted(["3/3.bin", "5/5.bin", *(path for path in FILES if path.startswith("4/"))])
    large.halt()
    large.put("3/3.bin", None)
    large.restore(taken)
    assert large.snapshot() == taken
    large.close()
    with pytest.raises(SandboxError, match="closed, not open"):
        large.restore(taken)


def test_equal_workspaces_have_equal_digests_on_every_backend() -> None:
    digests = set()
    for warm in (True, False):
        with opened(lambda limits, warm=warm: Bubblewrap(limits, warm=warm)) as sandbox:  # type: ignore[misc]
            digests.add(sandbox.digest())
            digests.add(sandbox.snapshot().digest)
    assert len(digests) == 1


def test_what_the_guest_fills_up_ends_at_the_quota_and_is_its_own_memory() -> None:
    with opened(lambda limits: create("bubblewrap", limits), limits=Limits(workspace_mib=8)) as sandbox:
        if not sandbox.capabilities.workspace_quota:
            pytest.skip("SKIPPED, no quota is tested here: guests start cold")
        result = say(sandbox, "bash", command="for n in 1 2 3; do head -c 5000000 /dev/zero > $n; done; ls -1 | wc -l")
        assert "No space left on device" in result.text
        assert 7 << 20 < sum(map(len, sandbox.collect().values())) <= 8 << 20
        many = "import os\nfor n in range(70000): os.close(os.open(f'm{n}', os.O_CREAT | os.O_WRONLY))"
        assert "No space left" in say(sandbox, "python", code="import os\n[os.unlink(n) for n in '123']\n" + many).text
        sandbox.put("late.txt", b"the host's")
        assert say(sandbox, "bash", command="cat late.txt").text == "the host's"
