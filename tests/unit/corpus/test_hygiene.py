"""A corpus beside evaluation sets: planted copies of each kind are found, and nothing else."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import openpyxl
import pytest

from workgym.cli import main
from workgym.corpus import hygiene
from workgym.corpus.hygiene import Held, Report, Request, Settings, tables
from workgym.corpus.hygiene.extracts import Extracts
from workgym.corpus.hygiene.requests import overlaps
from workgym.errors import UsageError
from workgym.package import save
from workgym.testing import toy_task

RANDOM = random.Random(5)
WORDS = ["".join(RANDOM.choices("abcdefghijklmnop", k=6)) for _ in range(4000)]


def prose(words: int = 120) -> str:
    return " ".join(RANDOM.choices(WORDS, k=words))


def edited(text: str, share: float) -> str:
    return " ".join(word if RANDOM.random() > share else RANDOM.choice(WORDS) for word in text.split())


def lying(path: Path, content: str) -> Held:
    """A loose file."""
    path.write_text(content)
    return Held(path.parent.name, path.name, partial(open, path, "rb"), path.stat().st_size)


def task(folder: Path, name: str, request: str, files: Mapping[str, bytes] = {}) -> Path:
    """A package on disk with a request and files of its own."""
    package = toy_task()
    return save(package.with_files({**package.files, **files}, request), folder / name)


def compared(ours: Path, theirs: Path, **more: object) -> Report:
    return hygiene.compare(hygiene.ours([str(ours)]), hygiene.theirs([str(theirs)], [str(ours)]), **more)  # type: ignore[arg-type]


def kinds(found: Report) -> list[tuple[str, str, str]]:
    """(severity, kind, name of our task) of every pair but those of the toy's own files."""
    return sorted((match.severity, match.kind, match.ours.split("/")[0]) for match in found.matches)


def test_copies_of_requests_in_tables_of_every_kind(tmp_path: Path) -> None:
    texts = [prose() for _ in range(6)]
    ours, theirs = tmp_path / "ours", tmp_path / "eval"
    for number, text in enumerate(texts):
        task(ours, f"t{number}", f"# Request\n\n{text}, please, by 12 May for Mr Adams at 300 USD.")
    theirs.mkdir()
    copied = f"REQUEST: {texts[0].upper()}\n please by 12 MAY for mr adams at 300 usd"
    other_figures = f"Request {texts[1]}, please, by 3 June for Mr Clarke at 45,000.50 USD."
    chat = [{"role": "system", "content": "s"}, {"role": "user", "content": edited(texts[2], 0.08)}]
    rows = [{"prompt": copied, "id": 1}, {"Prompt": other_figures}, {"messages": chat}]
    (theirs / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with open(theirs / "b.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "task"], ["1", edited(texts[3], 0.25)], ["2", prose()]])
    (theirs / "c.json").write_text(json.dumps({"data": [{"question": prose()}, {"other": texts[5]}]}))
    found = compared(ours, theirs)
    assert found.compared["theirs requests"] == 6 and list(found.unread_requests) == ["eval/c.json"]
    assert found.unread_requests["eval/c.json"].startswith("1 of 2 rows (data.2 first) have no column that is known")
    assert kinds(found) == [
        ("hard", "request copy", "t0"),
        ("hard", "request overlap", "t1"),
        ("hard", "request overlap", "t2"),
        ("soft", "request overlap", "t3"),
    ]
    assert not found.passed and found.matches[0].theirs == "eval/a.jsonl#1"


def test_a_template_of_ours_is_no_turn_of_phrase() -> None:
    template = prose(200).split()
    filled = [" ".join(RANDOM.choice(WORDS) if place % 9 == 0 else word for place, word in enumerate(template))]
    filled += [
        " ".join(RANDOM.choice(WORDS) if place % 9 == 0 else w for place, w in enumerate(template)) for _ in "x" * 80
    ]
    ours = [Request(str(number), text) for number, text in enumerate(filled[1:])]
    found = list(overlaps(ours, [Request("eval", filled[0])], Settings(), lambda line: None))
    assert len(found) == 80
    strangers = [Request(str(number), prose()) for number in range(200)]
    assert list(overlaps(strangers, [Request("eval", filled[0])], Settings(), lambda line: None)) == []


TABLE = [["Lot", "Buyer", "Weight kg", "Paid EUR"]] + [
    [f"L-{number:04d}", f"{WORDS[number]} {WORDS[number + 1]}", f"{number * 37.5 + 1000:.1f}", f"{number * 811 + 90:d}"]
    for number in range(20)
]


def as_csv(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def as_book(rows: list[list[str]]) -> bytes:
    """The same rows as numbers, columns in another order."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append([row[3] if row is rows[0] else float(row[3]), row[0], row[2], row[1]])
    book.save(out)
    return out.getvalue()


def own(count: int) -> list[list[str]]:
    """Rows of nobody else."""
    return [[f"Z-{RANDOM.randrange(10**6)}", prose(2), f"{RANDOM.random() * 1e6:.2f}", "1"] for _ in range(count)]


def test_files_by_bytes_by_text_and_by_rows(tmp_path: Path) -> None:
    memo = prose(60)
    files = {
        "same.bin": b"\x00\x01 bytes",
        "empty.txt": b"",
        "memo.txt": memo.encode(),
        "table.csv": as_csv(TABLE),
        "few.csv": as_csv([TABLE[0], *TABLE[1:4], *[["x", f"{prose(2)}", f"{n}123.5", "9,999"] for n in range(1, 18)]]),
        "own.csv": as_csv([["Lot", "Buyer", "Weight"], ["L-1", "somebody else", "17.25"]]),
    }
    task(tmp_path / "ours", "t", prose(), files)
    theirs = tmp_path / "eval"
    (theirs / "deep").mkdir(parents=True)
    (theirs / "deep/other-name").write_bytes(b"\x00\x01 bytes")
    (theirs / "nothing.txt").write_bytes(b"")
    (theirs / "memo.md").write_text("\r\n\r\n".join(memo.upper().split(" ")))
    (theirs / "book.xlsx").write_bytes(as_book(TABLE[:1] + TABLE[3:18]))
    found = compared(tmp_path / "ours", theirs)
    told = {match.ours.rpartition("/")[2]: (match.severity, match.kind) for match in found.matches}
    assert told == {
        "same.bin": ("hard", "file copy"),
        "memo.txt": ("hard", "text copy"),
        "table.csv": ("hard", "table rows"),
    }
    rows = next(match for match in found.matches if match.kind == "table rows")
    assert (
        rows.reason == "15 distinctive rows stand in both, 100% of theirs; 75% of ours somewhere"
        and "l 0002" in rows.here
    )
    again = tmp_path / "eval2"
    again.mkdir()
    (again / "book.xlsx").write_bytes(as_book(TABLE))
    for number in range(3):  # a data set in parts is the data set
        (tmp_path / "eval3").mkdir(exist_ok=True)
        (tmp_path / "eval3" / f"part{number}.csv").write_bytes(as_csv([TABLE[0], *TABLE[number + 1 :: 3], *own(60)]))
    parts = {match.ours.rpartition("/")[2]: match for match in compared(tmp_path / "ours", tmp_path / "eval3").matches}
    assert parts["table.csv"].severity == "hard" and "100% of ours somewhere" in parts["table.csv"].reason
    soft = {match.ours.rpartition("/")[2]: match.severity for match in compared(tmp_path / "ours", again).matches}
    assert soft == {"table.csv": "hard", "few.csv": "soft"}


def test_packages_are_compared_with_their_files_pages_and_deliverables(tmp_path: Path) -> None:
    text = prose(50).encode()
    evaluation = task(tmp_path / "eval" / "nested", "one", prose(), {"plan.txt": text})
    (evaluation / "hidden/expert/files").mkdir(parents=True)
    (evaluation / "hidden/expert/files/answer.txt").write_bytes(prose(40).encode())
    answer = (evaluation / "hidden/expert/files/answer.txt").read_bytes()
    task(tmp_path / "ours", "t", prose(), {"a.txt": text, "b.txt": answer})
    found = compared(tmp_path / "ours", tmp_path / "eval")
    theirs = {match.ours.rpartition("/")[2]: match.theirs for match in found.matches if "rent" not in match.ours}
    assert theirs["a.txt"] == "one/files/plan.txt" and theirs["b.txt"] == "one/hidden/expert/files/answer.txt"


def test_hostile_files_are_told_and_harm_nothing(tmp_path: Path) -> None:
    task(tmp_path / "ours", "t", prose(), {"broken.xlsx": b"PK\x03\x04 no book", "deep.json": b"[" * 50_000})
    theirs = tmp_path / "eval"
    theirs.mkdir()
    (theirs / "deep.jsonl").write_text('{"prompt": ' + "[" * 50_000)
    (theirs / "bad.csv").write_bytes(b"prompt\n\xff\xfe\xfa")
    (theirs / "link.txt").symlink_to("/etc/hostname")
    os.mkfifo(theirs / "pipe.jsonl")
    (theirs / "good.jsonl").write_text(json.dumps({"prompt": prose()}))
    (theirs / "set.parquet").write_bytes(b"PAR1 nothing PAR1")
    found = compared(tmp_path / "ours", theirs)
    assert {Path(name).name for name in found.unread_requests} == {
        *("deep.jsonl", "bad.csv", "link.txt", "pipe.jsonl", "set.parquet"),
    }
    assert "parquet" in found.unread_requests["eval/set.parquet"] and "not csv" in found.unread_requests["eval/bad.csv"]
    assert "t/files/broken.xlsx" in found.unread and "t/files/deep.json" in found.unread
    assert not found.passed and not found.hard  # what was not compared is not clean


@pytest.mark.parametrize(
    "name, written",
    [
        ("a.json", [{"task_description": "..."}]),
        ("a.jsonl", {"data": {"prompt": "..."}}),
        ("a.json", {"data": [{"id": 1, "User Request": {"text": "..."}}]}),
        ("a.json", {"one": {"problem-statement": "..."}}),
        ("a.json", {"version": "a set of five words", "train": [{"prompt": "x"}], "test": [{"prompt": "..."}]}),
        ("a.json", [{"role": "user", "content": "..."}, {"role": "assistant", "content": "Done, as you asked me to."}]),
        ("a.json", {"log": [{"role": "user", "content": [{"type": "text", "text": "..."}]}]}),
        ("a.jsonl", {"conversations": [{"from": "human", "value": "..."}, {"from": "gpt", "value": "Done."}]}),
        ("a.jsonl", {"messages": [{"content": "..."}]}),
        ("a.json", {"instructions": ["...", "another"]}),
    ],
)
def test_requests_are_found_in_nested_records_and_under_many_names(tmp_path: Path, name: str, written: object) -> None:
    text = prose(40)
    asked = tables.requests([lying(tmp_path / name, json.dumps(written).replace("...", text))])
    assert text in [found for _, found in asked.found] and not asked.unread


@pytest.mark.parametrize(
    "name, written, told",
    [
        ("a.json", '[{"foo": "..."}]', "it has no column that is known to hold requests, but foo:"),
        ("a.jsonl", '{"id": 7, "foo": {"bar": "..."}}', "requests, but id, foo:"),
        ("a.json", '["..."]', "but texts without a name:"),
        ("a.json", '{"foo": "...", "items": [{"n": 1}]}', "but foo:"),
        ("a.json", '{"a": [{"foo": "..."}], "b": [{"prompt": "one two three four five"}]}', "1 of 2 rows (a.1 first)"),
        ("a.jsonl", '{"messages": [{"role": "system", "content": "..."}]}', "but messages:"),
        ("a.csv", "id;prompt\n1;...", "but id;prompt:"),
        ("a.json", '[{"task": "math", "foo": "..."}]', "no request in it has 5 words, but other texts of it do"),
        ("a.json", '[{"prompt": "", "foo": "..."}]', "no request in it has 5 words, but other texts of it do"),
        ("a.jsonl.gz", "...", "a table in a form that is not read"),
    ],
)
def test_a_table_without_a_known_column_is_not_compared(tmp_path: Path, name: str, written: str, told: str) -> None:
    asked = tables.requests([lying(tmp_path / name, written.replace("...", prose(40)))])
    assert told in asked.unread[name] and not any(len(text) > 40 for _, text in asked.found)


def test_tables_of_figures_ask_for_nothing(tmp_path: Path) -> None:
    """None of their texts has as many words as a copy."""
    rows = "Lot,Buyer,Day,Paid\nL-1,Ana Brandt Ltd,2026-05-12 10:30,1 250.00\n"
    assert tables.requests([lying(tmp_path / "a.csv", rows)]) == tables.Asked()


def test_a_column_that_is_named_is_compared_and_nothing_else_is_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = prose()
    task(tmp_path / "ours", "t", text)
    (tmp_path / "set.json").write_text(json.dumps([{"foo": {"deep": text}, "bar": prose()}]))
    check = ["check", str(tmp_path / "ours"), "--against", str(tmp_path / "set.json")]
    assert main([*check, "-o", str(tmp_path / "h.json")]) == 1
    said = capsys.readouterr().out
    assert "NOT CLEAN" in said and "NOT COMPARED: " in said
    assert "set.json: it has no column" in said and "foo, bar" in said
    assert main([*check, "--column", "BAR"]) == 0 and "nothing was reused" in capsys.readouterr().out
    assert main([*check, "--column", "bar", "--column", "Foo"]) == 1 and "request copy" in capsys.readouterr().out
    assert main([*check, "--column", "baz"]) == 2 and "--column baz: no table of" in capsys.readouterr().err
    assert main([*check[:2], "--column", "bar"]) == 2 and "--against DIR" in capsys.readouterr().err


def test_a_set_without_a_request_is_not_clean(tmp_path: Path) -> None:
    task(tmp_path / "ours", "t", prose())
    (tmp_path / "set.yaml").write_text(f"- prompt: {prose()}\n")
    found = compared(tmp_path / "ours", tmp_path / "set.yaml")
    assert list(found.unread_requests.values()) == ["no request is in it; only its files were compared"]
    assert not found.passed


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="NOT CHECKED: workgym[parquet] is missing")
def test_requests_in_parquet(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    text = prose()
    task(tmp_path / "ours", "t", text)
    table = pyarrow.table({"task_id": ["a", "b"], "prompt": [prose(), text], "blob": [b"1", b"2"]})
    parquet.write_table(table, tmp_path / "set.parquet")
    found = compared(tmp_path / "ours", tmp_path / "set.parquet")
    assert [match.theirs.partition("/")[2] for match in found.hard] == ["set.parquet#2"] and not found.unread_requests
    nested = pyarrow.table({"n": [1], "data": [{"id": "a", "turns": [{"role": "user", "content": text}]}]})
    parquet.write_table(nested, tmp_path / "nested.parquet")
    parquet.write_table(pyarrow.table({"task": ["math"], "foo": [text]}), tmp_path / "foo.parquet")
    parquet.write_table(pyarrow.table({"prompt": [text.encode()], "blob": [b"1"]}), tmp_path / "bytes.parquet")
    for name, hard, unread in (("nested", 1, 0), ("foo", 0, 1), ("bytes", 1, 0)):
        found = compared(tmp_path / "ours", tmp_path / f"{name}.parquet")
        assert (len(found.hard), len(found.unread_requests)) == (hard, unread), name


def test_what_files_say_is_read_once(tmp_path: Path) -> None:
    contents = [prose(30).encode() for _ in range(5)]

    def held(name: str, content: bytes) -> Held:
        return Held("t", name, partial(io.BytesIO, content), len(content))

    files = [held(f"{number}.txt", content) for number, content in enumerate(contents)]
    with Extracts(tmp_path / "cache.sqlite") as first:
        before = [extract for _, extract in first.of(files[:3])]
        assert (first.read, first.kept) == (3, 0)
    with Extracts(tmp_path / "cache.sqlite") as second:
        after = [extract for _, extract in second.of([*files, held("copy.txt", contents[0])])]
        assert (second.read, second.kept) == (2, 4)  # the copy is known by its digest
    assert after[:3] == before and after[-1] == before[0] and all(extract.words == 30 for extract in after)
    vast = Held("t", "vast.csv", partial(io.BytesIO, contents[0]), 2**40)
    with Extracts(tmp_path / "cache.sqlite") as third:
        ((_, extract),) = third.of([vast])
    assert extract.digest == before[0].digest and "only its bytes are compared" in extract.refused
    (tmp_path / "no.sqlite").write_text("something else, long enough to be no database at all")
    with pytest.raises(UsageError, match="no cache of texts"):
        Extracts(tmp_path / "no.sqlite")


def test_nothing_is_compared_with_itself(tmp_path: Path) -> None:
    task(tmp_path / "ours", "t", prose())
    for theirs in (tmp_path / "ours", tmp_path / "ours" / "t", tmp_path):
        with pytest.raises(UsageError, match="compared with itself"):
            compared(tmp_path / "ours", theirs)
    (tmp_path / "empty").mkdir()
    for theirs, says in ((tmp_path / "empty", "neither a request nor a file"), (tmp_path / "gone", "nothing is there")):
        with pytest.raises(UsageError, match=says):
            compared(tmp_path / "ours", theirs)
    with pytest.raises(UsageError, match="no task package"):
        hygiene.ours([str(tmp_path / "empty")])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = prose()
    task(tmp_path / "ours", "t", text)
    clean, dirty = tmp_path / "clean.jsonl", tmp_path / "dirty.jsonl"
    clean.write_text(json.dumps({"prompt": prose()}))
    dirty.write_text(json.dumps({"prompt": text}))
    check = ["check", str(tmp_path / "ours"), "--against"]
    assert main([*check, str(clean)]) == 0 and "nothing was reused" in capsys.readouterr().out
    out = tmp_path / "hygiene.json"
    assert main([*check, str(clean), "--against", str(dirty), "-o", str(out)]) == 1
    assert "NOT CLEAN" in capsys.readouterr().out
    assert [match.kind for match in Report.model_validate_json(out.read_text()).hard] == ["request copy"]
    assert main([*check, str(clean), "--copy", "7"]) == 2 and "--copy 7.0: not a share" in capsys.readouterr().err
    assert main([*check, str(clean), "--expert"]) == 2
