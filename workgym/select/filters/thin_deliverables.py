"""Thin deliverables: less than was asked for, or far less than other rollouts of the same task handed in.

What was asked for is known by number only: how many facts each deliverable states. No fact is looked at here, and none
is told.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from workgym.select.config import ThinDeliverables
from workgym.select.look import Looked
from workgym.select.score import Evidence, Score, scored

NAME = "thin_deliverables"


def thin_deliverables(
    handed: Mapping[str, Looked], peers: Mapping[str, Sequence[int]], config: ThinDeliverables
) -> Score | None:
    """The least ratio of what is there to what was to be there; None where nothing is known of the deliverables.

    ``peers`` are sizes of the same deliverables in other rollouts of the task, by path.
    """
    if not handed:
        return None
    ratios = [found for one in handed.values() for found in _ratios(one, peers.get(one.path, ()), config)]
    low = [found for found in ratios if found[0] < 1]
    worst = min(ratios, default=(1.0, ""))
    evidence = [Evidence(what=what) for _, what in sorted(low)]
    return scored(NAME, worst[0], config.least, worst[1], evidence)


def _ratios(one: Looked, peers: Sequence[int], config: ThinDeliverables) -> Iterator[tuple[float, str]]:
    if one.missing:
        yield 0.0, f"{one.path}: {one.missing}"
        return
    if one.pictured:
        return
    if one.size == 0:
        yield 0.0, f"{one.path} shows nothing"
        return
    kind = "words" if one.cells is None else "filled cells or values"
    if one.empty:
        names = ", ".join(one.empty[:5])
        yield (
            1 - len(one.empty) / one.sheets,
            f"{len(one.empty)} of {one.sheets} sheets of {one.path} are empty: {names}",
        )
    each = config.words_per_fact if one.cells is None else config.cells_per_fact
    least = (one.facts or 0) * each
    if least > 0:
        yield one.size / least, f"{one.path} has {one.size} {kind}, and {one.facts} facts are asked for in it"
    median = statistics.median(peers) if len(peers) >= config.peers else 0
    if median > 0 and config.of_peers > 0:
        told = f"{one.path} has {one.size} {kind}, other rollouts of the task {median:g} in the median"
        yield one.size / (config.of_peers * median), told
