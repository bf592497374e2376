"""Rollouts with one planted fault each, and sound ones that come close to a fault: to see what a selection finds.

``plant`` writes them; the name of a folder says which fault it has. Whoever sets other thresholds sees here what they
cost (``python -m benchmarks.select``).
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from workgym.testing.planted.faults import FAULTS
from workgym.testing.planted.scenes import Scene, work
from workgym.testing.planted.sounds import SOUNDS

__all__ = ["FAULTS", "SOUND", "SOUNDS", "plant"]

SOUND = "sound"
"""What sound ones are called."""


def plant(out: Path, *, sound: int = 40, each: int = 8, seed: int = 0) -> dict[Path, str]:
    """Write ``sound`` sound rollouts and ``each`` of every fault; by folder, the filter that is to find it."""
    found: dict[Path, str] = {}
    number = seed
    for fault, kinds in ({SOUND: SOUNDS} | FAULTS).items():
        for at in range(sound if fault == SOUND else each):
            number += 1
            job, draw = work(number, suppliers=3 + number % 5), Random(number)
            scene = Scene(out / f"{fault}-{at:03}", job)
            found[kinds[at % len(kinds)](scene, draw)] = fault
    return found
