"""Whatever lies in the workspace: a verdict comes out, it is never *unscored*, and no junk earns anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workgym.verify import grade

some = settings().max_examples // 3  # of make test, or of --soak
few = settings(max_examples=some, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@few
@given(book=st.binary(max_size=200), memo=st.binary(max_size=200))
def test_junk_earns_nothing(work: Any, book: bytes, memo: bytes) -> None:
    verdict = grade(work.package, work.files(book=book, memo=memo))
    assert (verdict.state, verdict.reward) == ("failed", 0.0)


@few
@given(damage=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_workbook_is_never_unscored(work: Any, damage: list[tuple[float, int]]) -> None:
    right = work.files()["book.xlsx"]
    broken = bytearray(right)
    for where, byte in damage:
        broken[int(where * len(broken))] = byte
    package = work.package.with_hidden(expert_files={"book.xlsx": right})
    assert grade(package, work.files(book=bytes(broken))).state in ("passed", "failed")


cells = st.one_of(
    st.sampled_from(
        ["Supplier", "Year", "Landed cost (USD)", "Total cost (USD)", "Alder Mills Ltd", "Calder & Sons Inc", ""]
    ),
    st.sampled_from(
        [2026, 2027, 95890.0, 301696.43, 0.113, None, True, "#REF!", "=1/0", "=A1", "1,234", "(5)", "3/2/2026"]
    ),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8).filter(lambda text: not text.startswith("=")),
)


@few
@given(rows=st.lists(st.lists(cells, min_size=1, max_size=5), min_size=1, max_size=12))
def test_any_grid_of_cells_is_judged(work: Any, book: Callable[..., bytes], rows: list[list[Any]]) -> None:
    verdict = grade(work.package, work.files(book=book({"Yearly": rows, "Totals": rows[::-1]}), memo=None))
    assert verdict.state == "failed"
    assert verdict.reward < 0.2


@few
@given(
    parts=st.lists(
        st.sampled_from(
            [
                "We recommend",
                "Alder Mills Ltd",
                "Birchfield Box GmbH",
                "Calder & Sons Inc",
                "301,696",
                "284,718",
                "320,994",
                ".",
                "(",
                ")",
                "for",
                "respectively",
                "not",
                "total cost",
                "USD",
                "2026",
                "\n",
                "|",
                "if",
            ]
        ),
        max_size=40,
    )
)
def test_any_words_are_judged(work: Any, word: Callable[..., bytes], parts: list[str]) -> None:
    verdict = grade(work.package, work.files(book=None, memo=word(" ".join(parts))))
    assert verdict.state == "failed"
    assert verdict.reward <= 3 / 9
