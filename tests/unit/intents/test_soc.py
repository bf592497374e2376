"""SOC 2018: counts, lookup by code and prefix, parents; what is covered and what comes next; the drawn settings."""

from __future__ import annotations

from collections import Counter

import pytest

from workgym.errors import UsageError
from workgym.intents import coverage, soc, spread
from workgym.intents.strata import SHAPES, SIZES, setting
from workgym.records import FORMATS
from workgym.records.soc import codes


def test_the_table_is_whole() -> None:
    counts = {level: len(soc().level(level)) for level in ("major", "minor", "broad", "detailed")}
    assert counts == {"major": 23, "minor": 98, "broad": 459, "detailed": 867}
    assert all(one.title and one.title != "=" for one in soc().all.values())
    for one in soc().level("detailed"):
        assert [soc().all[code].level for code in one.parents] == ["major", "minor", "broad"]
        assert one.code[:2] == one.parents[0][:2] and one.code.startswith(one.parents[1])


@pytest.mark.parametrize(
    ("code", "count", "first"),
    [
        ("13", 35, "13-1011"),
        ("13-0000", 35, "13-1011"),
        ("13-2", 15, "13-2011"),
        ("13-2000", 15, "13-2011"),
        ("13-20", 15, "13-2011"),
        ("29-1", 45, "29-1011"),
        ("15-1200", 15, "15-1211"),
        ("13-2050", 4, "13-2051"),
        ("13-205", 4, "13-2051"),
        ("13-1081", 1, "13-1081"),
        ("13-1081.00", 1, "13-1081"),
        ("29-1210", 13, "29-1211"),
    ],
)
def test_codes_of_any_level_and_prefixes_are_found(code: str, count: int, first: str) -> None:
    found = soc().detailed(code)
    assert (len(found), found[0]) == (count, first)


def test_a_broad_occupation_may_have_members_with_other_digits() -> None:
    assert [one.title for one in soc().line("29-1221")] == [
        "Healthcare Practitioners and Technical Occupations",
        "Healthcare Diagnosing or Treating Practitioners",
        "Physicians",
        "Pediatricians, General",
    ]


@pytest.mark.parametrize("code", ["", "1", "99", "13-9999", "1300", "13-1081x", "accountants", "[1", "-"])
def test_what_is_no_code_is_refused_in_one_line(code: str) -> None:
    with pytest.raises(UsageError, match="no occupation of SOC 2018") as caught:
        soc().detailed(code)
    assert "\n" not in str(caught.value) and "13-20" in str(caught.value)


def test_lists_of_codes() -> None:
    assert codes("13-20, 29-1") == ("13-20", "29-1") and codes(None) is None
    assert soc().many(["13-2051", "13-205"]) == soc().detailed("13-2050")
    with pytest.raises(UsageError):
        codes(" , ")


def test_titles_lead_to_codes() -> None:
    assert soc().like("accountant")[0].title == "Accountants and Auditors"
    assert "13-1081" in [one.code for one in soc().like("Logistics specialist, logisticians")]


def test_what_comes_next_is_what_is_covered_least() -> None:
    first = spread(soc().many(None), 867, seed=5)
    assert len({code[:2] for code in first[:23]}) == 23, "each major group first"
    assert len(set(first)) == 867, "and every occupation before one comes twice"
    assert spread(soc().many(None), 40, seed=5) == first[:40] and spread(soc().many(None), 40, seed=6) != first[:40]
    assert {code[:4] for code in spread(soc().many(["13-20", "29-1"]), 30, seed=1)} == {"13-2", "29-1"}
    again = spread(soc().many(["13-2050"]), 5, seed=1, have={"13-2051": 3, "13-2052": 1, "13-2053": 1, "11-1011": 9})
    assert again[0] == "13-2054" and Counter(again)["13-2051"] == 0


def test_coverage_counts_each_level() -> None:
    told = coverage(Counter({"13-2051": 2, "13-2052": 1, "29-1221": 1}))
    assert [(share.level, share.covered) for share in told.levels] == [
        ("major", 2),
        ("minor", 2),
        ("broad", 2),
        ("detailed", 3),
    ]
    business = next(group for group in told.groups if group.code == "13-0000")
    assert (business.intents, business.covered, business.total) == (3, 2, 35)


def test_settings_are_dealt_evenly_and_are_the_same_again() -> None:
    drawn = [setting(3, number) for number in range(400)]
    assert drawn == [setting(3, number) for number in range(400)] and drawn[0] != setting(4, 0)
    sizes = Counter(one.size for one in drawn)
    assert sizes.keys() == set(SIZES) and max(sizes.values()) - min(sizes.values()) <= 1
    assert len({(one.size, one.trigger, one.stakes, one.work) for one in drawn}) > 380
    assert all(form in FORMATS for shape in SHAPES for form in shape)
