"""The conformance suite over the backends of this machine; docker's turn is in e2e."""

from __future__ import annotations

import warnings

import pytest

from workgym.sandbox import create
from workgym.sandbox.contract import Limits, Sandbox
from workgym.testing import sandbox_suite


@pytest.mark.parametrize("check", sandbox_suite.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["bubblewrap", "unsafe-local"])
def test_backend_keeps_the_contract(name: str, check: sandbox_suite.Check) -> None:
    def factory(limits: Limits | None) -> Sandbox:
        return create(name, limits)

    with warnings.catch_warnings():
        if name == "unsafe-local":
            warnings.simplefilter("ignore", UserWarning)
        check(factory)
