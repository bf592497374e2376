"""A guest that cannot be ended: nothing may seem dead that is not, and nobody waits for ever."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import requests
from docker.errors import APIError, NotFound

from workgym.errors import SandboxError
from workgym.sandbox import bwrap, docker


class Container:
    """What the daemon answers to each attempt to remove it; nothing is an end."""

    def __init__(self, *answers: Exception | None, status: str = "running") -> None:
        self.answers, self.status, self.waited = list(answers), status, 0

    def remove(self, *, force: bool, v: bool) -> None:
        assert force and v
        answer = self.answers.pop(0)
        if answer is not None:
            raise answer

    def wait(self, **options: Any) -> None:
        self.waited += 1
        if self.answers:
            raise self.answers.pop(0) or NotFound("gone")

    def reload(self) -> None:
        if self.status == "gone":
            raise NotFound("gone")


def said(status: int) -> APIError:
    response = requests.Response()
    response.status_code = status
    return APIError("no", response=response, explanation=f"the daemon says {status}")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker.time, "sleep", lambda seconds: None)


def test_bubblewrap_says_whether_its_guest_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "PATIENCE_SECONDS", 0.05)
    process = subprocess.Popen(["sleep", "100"])
    assert not bwrap.end(process, None)
    assert process.poll() is not None
    process = subprocess.Popen(["true"])
    process.wait()
    assert bwrap.end(process, None)


def test_a_container_that_waits_in_the_kernel_is_killed_again() -> None:
    container = Container(said(500), said(500), None)
    docker._discard(container)
    assert container.answers == []


def test_a_container_that_is_being_removed_is_waited_for() -> None:
    for end in (None, NotFound("gone")):
        container = Container(said(409), end) if end else Container(said(409))
        docker._discard(container)
        assert container.waited == 1
    docker._discard(Container(NotFound("gone")))


def test_a_daemon_that_does_not_end_it_is_our_fault_and_told() -> None:
    with pytest.raises(SandboxError, match="does not end, though it was killed"):
        docker._discard(Container(*[said(500)] * 30))
    with pytest.raises(SandboxError, match="the daemon says 500"):
        docker._discard(Container(said(500), status="exited"))
    for error in (requests.exceptions.ConnectionError("cut"), requests.exceptions.ReadTimeout("late")):
        with pytest.raises(SandboxError, match="the daemon does not answer"):
            docker._discard(Container(error))
    with pytest.raises(SandboxError, match="the daemon does not answer"):
        docker._discard(Container(said(409), requests.exceptions.ReadTimeout("late")))
