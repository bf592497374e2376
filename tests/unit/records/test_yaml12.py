"""YAML scalars mean what a person who writes them means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.errors import UsageError
from workgym.records.yaml12 import read_yaml


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("12:30", "12:30"),
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("2026-03-01", "2026-03-01"),
        ("0x1f", "0x1f"),
        ("012", "012"),
        ("1_000", "1_000"),
        ("=", "="),
        ("<<", "<<"),
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-3", -3),
        ("+7", 7),
        ("0.15", 0.15),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'7'", "7"),
    ],
)
def test_plain_scalars(written: str, read: object) -> None:
    value = read_yaml(f"key: {written}\n", "f.yaml")["key"]
    assert (value, type(value)) == (read, type(read))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [2\n", "f.yaml:3: "),
        ("a: 1\na: 2\n", "f.yaml:2: 'a' stands twice"),
        ("a: !!python/object/apply:os.system [x]\n", "f.yaml:1: could not determine a constructor"),
        ("a: &x [1]\nb: [*x, *x]\n", r"f.yaml:2: aliases \(\*name\) are not read"),
        ("a: \x01\n", "f.yaml: unacceptable character"),
    ],
)
def test_errors_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_yaml(text, "f.yaml")


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_yaml(text, "f.yaml")
    except UsageError as error:
        assert str(error).startswith("f.yaml")
