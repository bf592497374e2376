"""Sources: which files have to be named, what names them, and where in a deliverable that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workgym.authoring import families
from workgym.documents import read
from workgym.package import TaskPackage
from workgym.verify.stated.sources import sources, unnamed


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 1)


def test_rows_in_files_of_their_own_need_each_of_them(package: TaskPackage) -> None:
    wanted = {source.path for group in sources(package, "quote") for source in group}
    assert len(sources(package, "quote")) == len(package.truth("quote").rows)
    assert wanted == {path for path in package.files if path.startswith("quotes/")}


def test_a_unit_that_stands_nowhere_asks_for_nothing(package: TaskPackage) -> None:
    assert sources(package, "npv") == ()


def quotations(package: TaskPackage) -> list[str]:
    return sorted(path for path in package.files if path.startswith("quotes/"))


def test_files_of_one_name_are_told_apart_by_their_folder(package: TaskPackage, word: Callable[..., bytes]) -> None:
    first, *others = quotations(package)
    folder = first.split("/")[1]
    wanted = sources(package, "quote")

    def missing(*lines: str) -> tuple[str, ...]:
        return unnamed(read("memo.docx", word("# Sources", *lines)), wanted, ())

    assert missing(*quotations(package)) == ()
    assert missing(f"Quotation of {folder.replace('-', ' ').title()}") == tuple(others)
    assert missing("The quotations (quotation.pdf)") == (first, *others)


FORECAST = "planning/packaging_demand_released.xlsx"


@pytest.mark.parametrize(
    ("sheets", "named"),
    [
        ({"Result": [["Total", 1]], "Sources": [["packaging demand released"]]}, True),
        ({"Result": [["Item", "Value", "Source"], ["Total", 1, FORECAST]]}, True),
        ({"Result": [["Total", 1], [], ["Source:", "Packaging_Demand_Released.xlsx"]]}, True),
        ({"Result": [["Total", 1], ["taken from packaging_demand_released"]]}, True),
        ({"Result": [["Total", 1]], "Diary": [["opened packaging_demand_released.xlsx"]]}, False),
        ({"Result": [["Total", 1]], "Sources": [["packaging demand"]]}, False),
    ],
)
def test_a_workbook_names_its_sources(
    package: TaskPackage, book: Callable[..., bytes], sheets: dict[str, list[list[Any]]], named: bool
) -> None:
    document = read("result.xlsx", book(sheets))
    (group,) = sources(package, "demand")
    assert FORECAST in [source.path for source in group]
    assert (unnamed(document, [group], ["Other!A1"]) == ()) is named


def test_near_the_statement_counts_and_far_from_it_does_not(package: TaskPackage, word: Callable[..., bytes]) -> None:
    wanted = sources(package, "demand")
    plain = "The file packaging_demand_released.xlsx says so."
    far = word("# One", "The total is 5.", *["More."] * 6, "# Two", plain)
    assert unnamed(read("memo.docx", far), wanted, ["p2"]) == (FORECAST,)
    near = word("# One", "The total is 5.", "More.", plain)
    assert unnamed(read("memo.docx", near), wanted, ["p2"]) == ()
