"""The order in which an episode ends: the guest dies, its files are taken, the sandbox goes, the copy is graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workgym.env import OfficeEnv
from workgym.testing import DummySandbox, grade, toy_task


class Noting(DummySandbox):
    """Notes what is asked of it, in order."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__()
        self.notes = notes

    def halt(self) -> None:
        self.notes.append("halt")
        super().halt()

    def collect(self) -> dict[str, bytes]:
        self.notes.append("collect")
        return super().collect()

    def close(self) -> None:
        self.notes.append("close")
        super().close()


def test_graded_is_a_copy_taken_from_the_dead() -> None:
    notes: list[str] = []

    def graded(package: Any, files: Mapping[str, bytes]) -> Any:
        notes.append("grade")
        return grade(package, files)

    env = OfficeEnv(package=toy_task(), sandbox=lambda: Noting(notes), grade=graded)
    env.reset(seed=0)
    env.step({"tool": "write_file", "arguments": {"path": "sum.txt", "content": "42\n"}})
    *_, info = env.step({"tool": "submit", "arguments": {}})
    assert info["verdict"] == "passed"
    assert notes == ["halt", "collect", "close", "grade"]
    env.close()
