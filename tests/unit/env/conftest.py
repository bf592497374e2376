"""The family of these tests whose premises stand on the web, and its tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workgym.authoring import blueprint
from workgym.authoring.compiler import compile_family
from workgym.authoring.families import package
from workgym.package import TaskPackage

IMPORTS = Path(__file__).parent / "shelf" / "envs" / "import-quote"


def built(folder: Path, seed: int = 1) -> TaskPackage:
    """A task of the family in a folder."""
    family = blueprint.load(folder)
    return package(family, family.blueprint.default, seed, compile_family(family, family.blueprint.default, seed))


@pytest.fixture(scope="session")
def imports() -> TaskPackage:
    """One task; nobody changes it."""
    return built(IMPORTS)


@pytest.fixture
def build() -> Callable[..., TaskPackage]:
    """Builds a task of a folder and a seed."""
    return built


@pytest.fixture
def home() -> Path:
    """The family's folder."""
    return IMPORTS
