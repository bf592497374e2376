"""What stands somewhere and belongs to no unit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workgym.authoring import families
from workgym.check import Visible
from workgym.check.loose import loose


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("Form,State\nLeave for parents,APPROVED", []),
        ("Form,Decision\nLeave for parents,Approved", ["'Approved' repeats"]),
        ("Who,State\nZofia Dabrowa,approved", ["'Zofia Dabrowa' names", "'approved' repeats"]),
        ("Form,Holds\nLeave for parents,The approved request", ["'The approved request' repeats"]),
    ],
)
def test_an_option_of_one_word_says_something_beside_a_row_or_under_its_heading(table: str, found: list[str]) -> None:
    """A stamp that says *approved* is no value of the table in which requests are approved or refused."""
    package = families.build("overtime-payroll", "easy", 1)
    said = loose(Visible(replace(package, files={**package.files, "notes/forms.csv": table.encode()})))
    assert [" ".join(one.message.split(" ")[: len(start.split())]) for one, start in zip(said, found, strict=True)] == (
        found
    )
