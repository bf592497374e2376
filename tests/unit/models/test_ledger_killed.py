"""kill -9 at random moments: what is stored is never asked again, what was in flight at most once for each kill."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from workgym.model import Message, ModelRequest, Usage
from workgym.models import Ledger, Ledgered, ScriptedModel
from workgym.testing.endpoint import Endpoint

THREADS = 4
CHILD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from workgym.model import Message, ModelRequest
from workgym.models import Ledger, Ledgered, OpenAIConfig, OpenAIModel

url, path, calls, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
model = Ledgered(OpenAIModel(OpenAIConfig(model="m", base_url=url, key_env="NO_SUCH_KEY")), Ledger(path), stage="s")
print("ready", flush=True)
def one(n):
    return model.complete(ModelRequest(messages=(Message.of("user", f"question {n}"),))).text
with ThreadPoolExecutor(threads) as pool:
    print("\\n".join(pool.map(one, range(calls))), flush=True)
"""


def question(body: dict[str, Any]) -> str:
    said: str = body["messages"][0]["content"]
    return said


def stored(path: Path) -> int:
    base = sqlite3.connect(path, timeout=60)
    try:
        found: int = base.execute("select count(*) from calls where reply is not null").fetchone()[0]
        return found
    finally:
        base.close()


def start(endpoint: Endpoint, path: Path, calls: int) -> subprocess.Popen[str]:
    arguments = [endpoint.url, str(path), str(calls), str(THREADS)]
    child = subprocess.Popen([sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    return child


def answers(child: subprocess.Popen[str]) -> list[str]:
    out, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return out.split("\n")[:-1]


def kill_once_it_works(child: subprocess.Popen[str], path: Path, after: float) -> None:
    """Kill when five more replies are stored than when it began, and ``after`` seconds later."""
    done = stored(path)
    while stored(path) < done + 5:
        time.sleep(0.005)
    time.sleep(after)
    child.kill()
    child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL, "it was at work"


def test_nothing_that_is_stored_is_asked_again(tmp_path: Path, full_size: bool) -> None:
    path = tmp_path / "ledger.sqlite"
    kills, draw = 30 if full_size else 3, random.Random(5)
    calls = 20 * kills
    wanted = [f"answer to question {n}" for n in range(calls)]
    took = Usage(prompt=10, completion=3)
    with Endpoint(lambda body, _: f"answer to {question(body)}", delay=0.05, usage=took) as endpoint:
        Ledger(path).close()
        for _ in range(kills):
            kill_once_it_works(start(endpoint, path, calls), path, after=draw.random() * 0.08)
        assert answers(start(endpoint, path, calls)) == wanted
        sends = Counter(question(body) for body in endpoint.bodies)
        assert answers(start(endpoint, path, calls)) == wanted
        assert len(endpoint.bodies) == sends.total(), "all of it was stored"
    spent = Ledger(path).spent()
    extra = sends.total() - calls
    assert len(sends) == calls and max(sends.values()) <= 1 + kills
    assert 0 < extra <= spent.repeats <= kills * THREADS, "a marked call may be killed before it is sent"
    assert (spent.calls, spent.failures, spent.prompt, spent.completion) == (calls, 0, 10 * calls, 3 * calls)


def test_two_processes_share_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Endpoint(lambda body, _: "a", delay=0.02) as endpoint:
        children = [start(endpoint, path, 60) for _ in range(2)]
        for child in children:
            assert answers(child) == ["a"] * 60
        assert len(endpoint.bodies) == 60, "each question was asked once"
    spent = Ledger(path).spent()
    assert (spent.calls, spent.hits, spent.repeats, spent.uncounted) == (60, 60, 0, 60)


def test_of_many_who_ask_at_once_one_calls(tmp_path: Path) -> None:
    gate = threading.Event()

    def slow(_: ModelRequest) -> str:
        gate.wait(10)
        return "a"

    inner = ScriptedModel(slow)
    model = Ledgered(inner, Ledger(tmp_path / "ledger.sqlite"))
    request = ModelRequest(messages=(Message.of("user", "Go."),))
    replies: list[str] = []
    threads = [threading.Thread(target=lambda: replies.append(model.complete(request).text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    gate.set()
    for thread in threads:
        thread.join()
    assert replies == ["a"] * 8 and len(inner.requests) == 1
    assert (model.ledger.spent().calls, model.ledger.spent().hits) == (1, 7)


FORKS = """
import os, sys
from workgym.model import Message, ModelRequest
from workgym.models import Ledger, Ledgered, ScriptedModel

ledger = Ledger(sys.argv[1])
model = Ledgered(ScriptedModel(lambda request: "a"), ledger)
def ask(n):
    return model.complete(ModelRequest(messages=(Message.of("user", f"question {n}"),))).text
ask(0)
child = os.fork()
ask(0), ask(1 if child else 2)
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ask(1), ask(2)
    spent = ledger.spent()
    print(spent.calls, spent.hits, len(os.listdir(sys.argv[1] + ".owners")))
"""


def test_a_forked_child_has_a_connection_and_marks_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", FORKS, str(tmp_path / "ledger.sqlite")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("3 4 1\n", ""), "the child's file went with it, the parent's stayed"
