"""``python -m benchmarks.factory [N]``: N intents (1,000) through every stage of the factory, by the rehearsal model.

The model answers at once, so that what is measured is ours: planning, compiling, writing, checking in limited children,
expert scripts and probes in sandboxes. Prints what a task takes, memory, and whether the ledger's sums are the usage
that the model gave out; exits with 1 where they are not. ``--keep DIR`` keeps the run, and goes on with one.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from benchmarks.sandbox_many import available
from workgym.engine import Crew, Settings, run
from workgym.model import ModelReply, ModelRequest
from workgym.models import Ledger
from workgym.testing.rehearsal import Rehearsal, intents


class Counted(Rehearsal):
    """The rehearsal, which keeps account of what it gave out itself."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens: Counter[str] = Counter()
        self._account = threading.Lock()

    def complete(self, request: ModelRequest) -> ModelReply:
        reply = super().complete(request)
        with self._account:
            self.tokens["prompt"] += reply.usage.prompt or 0
            self.tokens["completion"] += reply.usage.completion or 0
        return reply


def main() -> int:
    parser = argparse.ArgumentParser(description="Throughput and memory of the factory.")
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workgym-factory-") as scratch:
        out = arguments.keep or Path(scratch)
        model, ledger = Counted(), Ledger(out / "ledger.sqlite")
        memory = Memory()
        before, began, ended = ledger.spent(), time.monotonic(), 0

        def progress(line: str) -> None:
            nonlocal ended
            if line.split(" ")[0].count("/"):
                ended += 1
                if ended % 50 == 0:
                    print(f"{time.monotonic() - began:7.0f} s  {line}  {memory}", flush=True)

        settings = Settings(at_once=arguments.at_once, desk=False)
        summary = run(intents(arguments.count), Crew(model, ledger), settings, out, progress=progress)
        seconds, spent = time.monotonic() - began, ledger.spent()
        ends = Counter((entry.last.stage, entry.last.outcome, entry.last.reason) for entry in summary.entries)
        print(f"{len(summary.entries)} intents, {summary.kept} tasks kept, {arguments.at_once} at once")
        for (stage, outcome, reason), number in ends.most_common():
            print(f"  {number:5} {outcome} at {stage} {reason}")
        print(f"{seconds:.0f} s: {seconds / max(1, ended):.2f} s a task, {3600 * ended / seconds:.0f} tasks an hour")
        print(f"memory: {memory}")
        given = spent.prompt - before.prompt, spent.completion - before.completion
        print(f"ledger: {spent.calls} calls, {spent.hits} stored replies given again, tokens {given}")
        told = model.tokens["prompt"], model.tokens["completion"]
        sound = given == told and spent.calls - before.calls == len(model.requests) == len(set(model.requests))
        print(f"the model gave out {told} in {len(model.requests)} replies: {'the same' if sound else 'NOT THE SAME'}")
        return 0 if sound and not summary.waiting else 1


class Memory:
    """What the run takes of this machine, looked at four times a second: other programs count too."""

    def __init__(self) -> None:
        self._before = self._least = available()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(0.25)
            self._least = min(self._least, available())

    def __str__(self) -> str:
        mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        return f"{mine} MB in this process, {self._before - self._least} MB with all its children"


if __name__ == "__main__":
    sys.exit(main())
