"""Golden digests: a family whose tasks change must raise its version.

Digests are over normalised content, so they hold wherever the lock file does. After raising a version,
``pytest tests/golden --record`` writes the new ones.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workgym.authoring import families

FILE = Path(__file__).with_name("digests.json")
CASES = [
    (name, preset, seed)
    for name in families.names()
    for preset in families.family(name).blueprint.presets
    for seed in (0, 42)
]


def digests(family: str, preset: str, seed: int) -> dict[str, object]:
    """The public digests of a task, and the digest of all of it but the expert, who may learn."""
    package = families.build(family, preset, seed).with_hidden(expert=None)
    return {"version": package.card.version, "package": package.digest, "public": dict(package.card.digests)}


@pytest.mark.parametrize(("family", "preset", "seed"), CASES)
def test_the_same_seed_is_the_same_task_as_ever(
    family: str, preset: str, seed: int, request: pytest.FixtureRequest
) -> None:
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    name = f"{family}.{preset}-{seed}"
    found = digests(family, preset, seed)
    if request.config.getoption("--record"):
        known[name] = found
        FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")
        return
    assert name in known, "never recorded: pytest tests/golden --record"
    if known[name]["version"] == found["version"]:
        changed = [path for path, digest in known[name]["public"].items() if found["public"].get(path) != digest]  # type: ignore[attr-defined]
        assert found == known[name], f"{name} changed without a new version of {family}: {changed or 'its hidden side'}"
