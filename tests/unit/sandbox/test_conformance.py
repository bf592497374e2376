"""The conformance suite over the backends of this machine; docker's turn is in e2e."""

from __future__ import annotations

import warnings

import pytest

from workgym.errors import SandboxError
from workgym.sandbox import create
from workgym.sandbox.contract import Limits, Sandbox
from workgym.testing import DummySandbox, sandbox_kit, sandbox_suite


@pytest.mark.parametrize("check", sandbox_suite.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["bubblewrap", "unsafe-local"])
def test_backend_keeps_the_contract(name: str, check: sandbox_kit.Check) -> None:
    def factory(limits: Limits | None) -> Sandbox:
        return create(name, limits)

    with warnings.catch_warnings():
        if name == "unsafe-local":
            warnings.simplefilter("ignore", UserWarning)
        check(factory)


def test_the_double_halts_and_clears_the_way_like_the_others() -> None:
    with DummySandbox() as sandbox:
        sandbox.open({"a/b.txt": b"1", "c": b"2"}, ())
        sandbox.put("a", b"3")
        sandbox.put("c/d/e.txt", b"4")
        sandbox.halt()
        sandbox.halt()
        assert sandbox.collect() == {"a": b"3", "c/d/e.txt": b"4"} and sandbox.state == "halted"
        with pytest.raises(SandboxError, match="halted"):
            sandbox_kit.say(sandbox, "list_files")
    sandbox.halt()
    assert sandbox.state == "closed"
