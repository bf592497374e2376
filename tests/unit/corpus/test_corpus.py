"""From ids to packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym import corpus, package
from workgym.corpus import FamilyTask, bare, family_task
from workgym.errors import UsageError
from workgym.testing import toy_task


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("supplier-selection-000042", FamilyTask("supplier-selection", None, 42, None)),
        ("supplier-selection.easy-7-v3", FamilyTask("supplier-selection", "easy", 7, 3)),
        ("overtime-2-5", FamilyTask("overtime-2", None, 5, None)),
        ("acme-annual-report", None),
        ("supplier-selection", None),
        ("Supplier-1", None),
    ],
)
def test_ids_say_family_preset_seed_and_version(name: str, meant: FamilyTask | None) -> None:
    assert family_task(bare(f"workfactory/{name}")) == meant


@given(
    st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z][a-z0-9]{0,4}){0,2}", fullmatch=True),
    st.none() | st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True),
    st.integers(0, 10**9),
    st.none() | st.integers(1, 99),
)
def test_every_id_that_is_written_is_read(family: str, preset: str | None, seed: int, version: int | None) -> None:
    written = f"{family}{f'.{preset}' if preset else ''}-{seed:06d}{f'-v{version}' if version else ''}"
    assert family_task(bare(written)) == (family, preset, seed, version)


@pytest.mark.parametrize("name", ["", "../etc", "a/b", ".hidden", "a b", "workfactory/../x", "a\n"])
def test_what_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no task id"):
        bare(name)
    assert not corpus.has(name)


def test_folders_lists_and_the_environment_are_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = toy_task()
    package.save(task, tmp_path / "packages" / "toy")
    with pytest.raises(UsageError, match="unknown task 'workfactory/toy'.*WORKGYM_CORPUS"):
        corpus.find("workfactory/toy")
    monkeypatch.setenv("WORKGYM_CORPUS", str(tmp_path / "packages"))
    found = corpus.find("workfactory/toy")
    assert found.home == (tmp_path / "packages" / "toy").resolve()
    assert found.load().digest == task.digest == corpus.load("toy").digest
    monkeypatch.setenv("WORKGYM_CORPUS", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="nowhere is not there"):
        corpus.find("workfactory/toy")
    monkeypatch.delenv("WORKGYM_CORPUS")
    listing = tmp_path / "ids.txt"
    listing.write_text("# a split\nworkfactory/supplier-selection-000001\r\nsupplier-selection-000002\n")
    source = corpus.add(listing)
    try:
        assert list(source) == ["supplier-selection-000001", "supplier-selection-000002"]  # type: ignore[call-overload]
        assert corpus.find("workfactory/supplier-selection-000002").source is source
        assert corpus.find("workfactory/supplier-selection-000003").home is None
    finally:
        corpus.remove(listing)
    assert corpus.at(tmp_path / "packages" / "toy").load().id == "workfactory/toy"
    with pytest.raises(UsageError, match="neither a folder nor a file"):
        corpus.add(tmp_path / "nowhere")


def test_a_name_stands_for_one_task_or_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for where in ("out/tasks/toy", "out/tasks/toy-2", "out/work/i-1.planned/package", "both/toy", "both/tasks/toy"):
        package.save(toy_task(), tmp_path / where)
    (tmp_path / "list.txt").write_text("supplier-selection-000001\nsupplier-selection-000002\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, homes in (
        ("out", ["out/tasks/toy", "out/tasks/toy-2"]),
        ("out/tasks", ["out/tasks/toy", "out/tasks/toy-2"]),
        ("out/tasks/toy", ["out/tasks/toy"]),
        ("both", ["both/toy"]),
        ("list.txt", ["supplier-selection-000001", "supplier-selection-000002"]),
        ("workfactory/supplier-selection-000007", ["supplier-selection-000007"]),
    ):
        assert list(map(str, corpus.named(name))) == homes
    assert corpus.named("out")[0].load().id == "workfactory/toy"
    monkeypatch.chdir(tmp_path / "out" / "tasks" / "toy")
    assert str(corpus.named(".")[0].home) == str(tmp_path / "out/tasks/toy")
    with pytest.raises(UsageError, match="no task package is there; give packages"):
        corpus.named(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="or a folder that is there"):
        corpus.named("corpus/tasks")
    monkeypatch.setenv("WORKGYM_CORPUS", str(tmp_path / "out"))
    assert corpus.find("workfactory/toy-2").home == (tmp_path / "out/tasks/toy-2").resolve()


def test_a_family_builds_what_its_id_says() -> None:
    built = corpus.load("workfactory/supplier-selection.easy-000003")
    assert built.id == "workfactory/supplier-selection.easy-000003-v1"
    with pytest.raises(UsageError, match="version 1, not 9"):
        corpus.load("workfactory/supplier-selection-1-v9")
