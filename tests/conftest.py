"""What all tests share: the soak switch, and neither shelves nor corpora from the developer's shell."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the soak tests, at full size")
    parser.addoption("--record", action="store_true", help="write the golden digests anew (run without -n)")


def pytest_configure(config: pytest.Config) -> None:
    for name in ("WORKGYM_CORPUS", "WORKGYM_PATH"):
        os.environ.pop(name, None)
    # Examples are counted; how long one takes is the machine's.
    settings.register_profile("counted", deadline=None, max_examples=100 if config.getoption("--soak") else 30)
    settings.load_profile("counted")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


def pytest_collection_finish() -> None:
    # Thousands of collected tests are there to stay: no collection of garbage has to walk them again.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def full_size(pytestconfig: pytest.Config) -> bool:
    """Whether samples are drawn at full size (``--soak``)."""
    return bool(pytestconfig.getoption("--soak"))
