"""The review queue: what people decide is kept, and honoured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workgym.cli import main
from workgym.corpus.hygiene import Match, queue
from workgym.errors import UsageError
from workgym.package import save
from workgym.testing import toy_task

OURS = "please add what we paid in every month of the year and tell me which supplier was late more often than agreed"
THEIRS = (
    "tell me which supplier was late more often than agreed and write a letter to the one that you would drop first"
)


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    """A corpus of one task and an evaluation set with a request that is a little like it."""
    save(toy_task().with_files({}, OURS), tmp_path / "ours" / "t")
    (tmp_path / "eval.jsonl").write_text(json.dumps({"prompt": THEIRS}))
    return tmp_path / "ours", tmp_path / "eval.jsonl"


def asked(sets: tuple[Path, Path], path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = main(["check", str(sets[0]), "--against", str(sets[1]), "--queue", str(path), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("ending", ["yaml", "csv"])
def test_decisions_are_kept_and_honoured(
    ending: str, sets: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"queue.{ending}"
    code, found = asked(sets, path, capsys)
    assert code == 0 and found["counts"] == {"request overlap, soft": 1}
    (entry,) = queue.read(path).values()
    assert entry.decision == "" and entry.here.startswith("please add") and entry.there.startswith("tell me")
    for decision, counts, expected in (
        ("different", {"different": 1}, 0),
        ("unsure", {"request overlap, soft": 1}, 0),
        ("same", {"request overlap, hard": 1}, 1),
    ):
        said = {"decision": decision.upper(), "who": "Ada", "when": "3 May, noon", "note": '=1+1, "checked"\nby hand'}
        decide(path, entry.pair, said)
        code, found = asked(sets, path, capsys)
        assert (code, found["counts"]) == (expected, counts)
        kept = queue.read(path)[entry.pair]
        assert (kept.decision, kept.who, kept.when) == (decision, "Ada", "3 May, noon")
        assert kept.note == '=1+1, "checked"\nby hand'
    assert found["matches"][0]["by"].startswith("decided same by Ada, 3 May, noon")  # type: ignore[index]
    sets[1].write_text(json.dumps({"prompt": "something else entirely that nobody in this corpus has ever asked for"}))
    code, found = asked(sets, path, capsys)
    assert code == 0 and queue.read(path)[entry.pair].who == "Ada"  # the pair is gone, what was said of it is not


def decide(path: Path, pair: str, said: dict[str, str]) -> None:
    """Write as a person does: the file with other fields filled in."""
    entries = queue.read(path)
    entry = entries[pair].model_copy(update=said)
    match = Match(
        pair=pair,
        kind="request overlap",
        severity="soft",
        ours=entry.ours,
        theirs=entry.theirs,
        share=0.5,
        reason=entry.reason,
        here=entry.here,
        there=entry.there,
    )
    queue.write(path, {pair: entry}, [match])


def test_a_person_edits_the_text(sets: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "queue.yaml"
    asked(sets, path, capsys)
    text = path.read_text()
    assert text.startswith("# Pairs of a task of ours") and "\n  decision:\n  who:\n  when:\n  note:\n" in text
    path.write_text(
        text.replace("decision:\n  who:", "decision: different\n  who: Bo").replace("when:", "when: 2027-01-05")
    )
    code, found = asked(sets, path, capsys)
    assert code == 0 and found["counts"] == {"different": 1}
    assert queue.read(path)[next(iter(queue.read(path)))].when == "2027-01-05"


def test_a_copy_that_is_none_is_named_by_hand_and_an_equal_request_stays(
    sets: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "queue.yaml"
    for theirs, expected in ((OURS.replace("late", "tardy"), 0), (OURS, 1)):
        sets[1].write_text(json.dumps({"prompt": theirs}))
        code, found = asked(sets, path, capsys)
        (pair,) = (match["pair"] for match in found["matches"])  # type: ignore[attr-defined]
        assert code == 1
        path.write_text(f"pairs:\n- pair: {pair}\n  decision: different\n  who: Ada\n")
        code, found = asked(sets, path, capsys)
        assert code == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pairs:\n- pair: p-1\n  decision: maybe\n", "p-1: decision: 'maybe' is none of same, different, unsure"),
        ("pairs:\n- pair: p-1\n- pair: p-1\n", "p-1: pair: it stands twice"),
        ("pairs:\n- decision: same\n", "entry 1: pair: its name is missing"),
        ("pairs:\n- pair: p-1\n  by: me\n", "p-1: by: no such key"),
        ("pairs: 7\n", "a queue holds a list 'pairs'"),
        ("- a\n", "a queue holds a list 'pairs'"),
        ("pairs:\n- 7\n", "entry 1: not a mapping"),
        ("pairs: [\n", "queue.yaml:2"),
    ],
)
def test_mistakes_are_named(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "queue.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as told:
        queue.read(path)
    assert says in str(told.value) and str(path) in str(told.value)


def test_other_endings_are_refused_and_no_file_is_no_decision(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="YAML or CSV"):
        queue.read(tmp_path / "queue.txt")
    assert queue.read(tmp_path / "none.yaml") == {}
    (tmp_path / "empty.yaml").write_text("")
    assert queue.read(tmp_path / "empty.yaml") == {}
