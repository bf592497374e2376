"""Distinct work of a folder of packages, whoever wrote them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.corpus.works import GRAPH, works
from workgym.package import save
from workgym.testing import toy_task


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for name, seed in (("supplier-selection", 0), ("supplier-selection", 1), ("overtime-payroll", 0)):
        package = families.build(name, "easy", seed)
        save(package, folder / package.id.rpartition("/")[2])
    save(toy_task(), folder / "toy")
    return folder


def test_tasks_and_work_are_counted_apart(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = works(sorted(corpus.iterdir()))
    assert (found.tasks, found.distinct, found.largest, found.without) == (4, 2, 2, ("toy",))
    assert str(found) == (
        "4 tasks, 2 distinct pieces of work (one of them stands behind 2); 1 without a graph to tell by"
    )
    assert main(["list", str(corpus)]) == 0
    listed = capsys.readouterr().out
    assert str(found) in listed and listed.count(found.of["supplier-selection.easy-000000-v1"][:8]) == 2


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: "[" * 100_000, "hidden/graph.json"),
        (lambda text: text.replace("select", "drop table", 1), "hidden/graph.json"),
        (lambda text: json.dumps({"units": [{"name": "x"}], "carriers": []}), "Field required"),
    ],
    ids=["nesting", "query", "record"],
)
def test_a_strangers_graph_harms_no_other(corpus: Path, tmp_path: Path, spoil: object, reason: str) -> None:
    text = (corpus / "supplier-selection.easy-000000-v1" / GRAPH).read_text()
    (tmp_path / "bad" / "hidden").mkdir(parents=True)
    (tmp_path / "bad" / GRAPH).write_text(spoil(text))  # type: ignore[operator]
    found = works([tmp_path / "bad", corpus / "overtime-payroll.easy-000000-v1"])
    assert reason in found.refused["bad"] and found.distinct == 1


def test_a_missing_or_linked_graph_is_told(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "linked" / "hidden").mkdir(parents=True)
    (tmp_path / "linked" / GRAPH).symlink_to(corpus / "toy" / GRAPH)
    found = works([tmp_path / "none", tmp_path / "linked"])
    assert set(found.refused) == {"none", "linked"} and found.tasks == 2 and found.distinct == 0
