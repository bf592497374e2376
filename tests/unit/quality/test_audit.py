"""Audits: intervals that cover, samples that hold rare strata, labels that are blind, and rates that are known."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from workgym.errors import UsageError
from workgym.quality.audit import Draw, Item, Label, Labels, Population, Stratum, report, sample
from workgym.quality.audit.intervals import Part, against, kappa, share, wilson
from workgym.quality.audit.population import allocation, family_of
from workgym.quality.audit.sheets import ending, read

SIZES = {
    Stratum("bank", "fact", "passed"): 4000,
    Stratum("bank", "fact", "failed"): 700,
    Stratum("bank", "guard", "failed"): 6,
    Stratum("pay", "fact", "passed"): 900,
    Stratum("pay", "structure", "failed"): 60,
    Stratum("pay", "file", "passed"): 1,
}


def world(sizes: dict[Stratum, int], wrong: dict[Stratum, float], seed: int) -> tuple[Population, dict[str, bool]]:
    """A population, and of each item whether its verdict is wrong: exactly the share that is said."""
    chance = random.Random(seed)
    there, truth = Population(), {}
    for stratum, size in sizes.items():
        items = [
            Item(f"i{'-'.join(stratum)}-{number:05}", stratum, Path("runs/a"), f"check {number}")
            for number in range(size)
        ]
        bad = set(chance.sample(range(size), round(size * wrong.get(stratum, 0.0))))
        truth |= {item.id: number in bad for number, item in enumerate(items)}
        there.strata[stratum] = items
    return there, truth


def labelled(there: Population, truth: dict[str, bool], count: int, seed: int) -> Labels:
    """What a labeller says who knows the truth."""
    drawn = sample(there, count, seed)
    holds = {
        name: Label((item.stratum.state == "passed") != truth[name], "seen" if truth[name] else "")
        for name, item in drawn.items()
    }
    return Labels(Draw(there.digest, count, seed), holds, frozenset(drawn))


# -- figures -------------------------------------------------------------------------------------------------------


def test_wilson_as_published() -> None:
    low, high = wilson(8, 10)  # statsmodels proportion_confint(8, 10, method="wilson")
    assert (low, high) == (pytest.approx(0.490162, abs=1e-6), pytest.approx(0.943318, abs=1e-6))
    assert wilson(0, 10)[0] == 0.0 and wilson(10, 10)[1] == pytest.approx(1.0)


def test_a_count_of_zero_gives_an_upper_bound() -> None:
    found = share([Part(10**9, 100, 0)])
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(1 - 0.05**0.01, rel=1e-6) and found.high < 3 / 100
    assert "at most" in str(found) and "at least" in str(share([Part(10**9, 9, 9)]))


def test_one_count_does_not_begin_too_high() -> None:
    found = share([Part(10**9, 60, 1)])
    assert found.low == pytest.approx(0.051293 / 60, rel=1e-4) and found.low < wilson(1, 60)[0]
    assert share([Part(10**9, 60, 59)]).high == pytest.approx(1 - 0.051293 / 60, rel=1e-6)
    assert (share([Part(10**9, 60, 9)]).low, share([Part(10**9, 60, 9)]).high) == pytest.approx(wilson(9, 60), abs=1e-6)


def test_where_all_was_looked_at_nothing_is_uncertain() -> None:
    found = share([Part(4, 4, 1), Part(6, 6, 2)])
    assert (found.value, found.low, found.high) == (0.3, 0.3, 0.3) and "all were looked at" in str(found)


def test_shares_are_weighted_back() -> None:
    found = share([Part(9000, 30, 0), Part(1000, 30, 15)])
    assert found.value == pytest.approx(0.05) and found.low < 0.05 < found.high
    assert against(share([Part(100, 100, 10)]), share([Part(50, 50, 30)])) is not None
    both = against(share([Part(100, 100, 10)]), share([Part(50, 50, 30)]))
    assert both is not None and (both.value, both.low, both.high) == (0.25, 0.25, 0.25)
    assert against(share([Part(10, 10, 0)]), share([Part(10, 10, 0)])) is None


def test_kappa_as_published() -> None:
    assert kappa(20, 5, 10, 15) == pytest.approx(0.4)  # Cohen's own kind of example: 0.7 observed, 0.5 by chance
    assert kappa(10, 0, 0, 0) is None


@example([(1, 261, 261), (1, 388, 388), (1, 388, 388)])  # weights that add up to a little more than 1
@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 500), st.integers(0, 500)), min_size=1, max_size=6))
def test_an_interval_holds_its_estimate(drawn: list[tuple[int, int, int]]) -> None:
    parts = [Part(max(size, seen), seen, min(hits, seen)) for size, seen, hits in drawn]
    found = share(parts)
    assert 0 <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= 1
    assert not math.isnan(found.low + found.high)


# -- sample --------------------------------------------------------------------------------------------------------


def test_rare_strata_are_drawn_and_none_beyond_its_size() -> None:
    given = allocation(SIZES, 120)
    assert sum(given.values()) == 120 and all(1 <= given[name] <= SIZES[name] for name in SIZES)
    rare, common = Stratum("bank", "guard", "failed"), Stratum("bank", "fact", "passed")
    assert given[rare] / SIZES[rare] > 10 * given[common] / SIZES[common]
    assert allocation({common: 3, rare: 2}, 99) == {common: 3, rare: 2}


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    there, _ = world(SIZES, {}, 0)
    assert list(sample(there, 60, 5)) == list(sample(there, 60, 5)) == sorted(sample(there, 60, 5))
    assert set(sample(there, 60, 5)) != set(sample(there, 60, 6))
    with pytest.raises(UsageError, match="--sample 5 is fewer than the 6 strata.*; draw at least 6"):
        sample(there, 5, 0)
    with pytest.raises(UsageError, match="no verdict with checks"):
        sample(Population(), 5, 0)


def test_families() -> None:
    assert family_of("workfactory/supplier-selection.easy-000007-v1") == "supplier-selection"
    assert family_of("test/by-hand") == "test"
    assert Draw.parse(str(Draw("0123456789ab", 40, -3))) == Draw("0123456789ab", 40, -3)
    assert Draw.parse("d0123-n4-s1") is None


# -- rates ---------------------------------------------------------------------------------------------------------

WRONG = (
    {Stratum("bank", "fact", "passed"): 0.03, Stratum("bank", "fact", "failed"): 0.1},
    {Stratum("pay", "fact", "passed"): 0.3, Stratum("pay", "structure", "failed"): 0.5},
    dict.fromkeys(SIZES, 0.15),
    {Stratum("bank", "fact", "passed"): 0.002},
)


@pytest.mark.parametrize("wrong", WRONG)
def test_intervals_cover_the_known_rates_of_a_simulated_labeller(wrong: dict[Stratum, float]) -> None:
    there, truth = world(SIZES, wrong, 1)
    states = {item.id: item.stratum.state for items in there.strata.values() for item in items}
    bad = {state: sum(truth[name] for name in states if states[name] == state) for state in ("passed", "failed")}
    all_of = {state: sum(one == state for one in states.values()) for state in ("passed", "failed")}
    known = {
        "accepted_wrongly": bad["passed"] / all_of["passed"],
        "rejected_wrongly": bad["failed"] / all_of["failed"],
        "false_accept_rate": bad["passed"] / (bad["passed"] + all_of["failed"] - bad["failed"]),
        "false_reject_rate": bad["failed"] / (bad["failed"] + all_of["passed"] - bad["passed"]),
        "agreement": 1 - sum(truth.values()) / len(truth),
    }
    inside = dict.fromkeys(known, 0)
    means = dict.fromkeys(known, 0.0)
    rounds = 120
    for seed in range(rounds):
        found = report(there, labelled(there, truth, 150, seed))
        for name, right in known.items():
            one = getattr(found, name)
            inside[name] += one.low - 1e-12 <= right <= one.high + 1e-12
            means[name] += one.value / rounds
    assert all(count / rounds >= 0.92 for count in inside.values()), inside
    for name in ("accepted_wrongly", "rejected_wrongly", "agreement"):
        assert means[name] == pytest.approx(known[name], abs=0.02), "weighting back leaves no bias"


def test_a_report_counts_what_is_not_labelled_and_lists_disagreements() -> None:
    there, truth = world(SIZES, {Stratum("pay", "fact", "passed"): 0.3}, 2)
    full = labelled(there, truth, 80, 4)
    some = {name: label for name, label in full.given.items() if "bank" not in name}
    found = report(there, full._replace(given=some))
    assert found.labelled == len(some) and found.unlabelled == 80 - len(some) and found.uncovered == 4706
    wrong = [name for name in some if truth[name]]
    assert sorted(one.item for one in found.disagreements) == sorted(wrong) != []
    assert {one.verdict for one in found.disagreements} == {"passed"}
    text = found.table()
    assert "NOT COVERED: 4,706 checks" in text and "have no label and are left out" in text
    assert "passed, and people say otherwise (seen): check" in text and "Intervals are 95 %" in text
    assert found.false_accept_rate is not None and found.kappa is not None
    nothing = report(there, full._replace(given={}))
    assert nothing.agreement is None and nothing.kappa is None and "not known" in nothing.table()


def test_labels_of_another_population_or_of_other_items_are_refused() -> None:
    there, truth = world(SIZES, {}, 3)
    labels = labelled(there, truth, 30, 0)
    with pytest.raises(UsageError, match="these folders hold other verdicts.*give the folders of that time"):
        report(there, labels._replace(draw=Draw("0" * 12, 30, 0)))
    with pytest.raises(UsageError, match="inothing: item: it is none of the sample"):
        report(there, labels._replace(items=frozenset({*labels.items, "inothing"})))


# -- files ---------------------------------------------------------------------------------------------------------

DRAW = "d0123456789ab-n4-s1"


def yaml_file(path: Path, *items: object, draw: object = DRAW) -> Path:
    path.write_text(yaml.safe_dump({"draw": draw, "items": list(items)}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([{"item": "ia", "label": "maybe"}], "ia: label: 'maybe' is neither yes nor no; or leave it empty"),
        ([{"item": "ia", "lable": "yes"}], "ia: lable: no such key; keep item,"),
        ([{"item": "ia"}, {"item": "ia"}], "ia: item: it stands twice"),
        ([{"label": "yes"}], "entry 1: item: its name is missing"),
        (["yes"], "entry 1: not a mapping"),
    ],
)
def test_bad_labels_name_item_and_key(tmp_path: Path, items: list[object], says: str) -> None:
    with pytest.raises(UsageError) as error:
        read(yaml_file(tmp_path / "labels.yaml", *items))
    assert says in str(error.value) and str(tmp_path / "labels.yaml") in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_are_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "labels.yaml"
    path.write_text("draw: x\nitems: [\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"labels.yaml:\d"):
        read(path)
    with pytest.raises(UsageError, match="draw: 'x' is not what workgym audit wrote"):
        read(yaml_file(path, draw="x"))
    path.write_text("- a\n", encoding="utf-8")
    with pytest.raises(UsageError, match="holds 'draw' and 'items'"):
        read(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read(path)
    with pytest.raises(UsageError, match="labels.xlsx.*YAML or CSV"):
        ending(Path("labels.xlsx"))
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "nothing.csv")


def test_yes_and_no_in_any_form(tmp_path: Path) -> None:
    said = {"ia": "yes", "ib": "No", "ic": True, "id": False, "ie": "", "if": None, "ig": "?", "ih": 1, "ij": "n"}
    found = read(yaml_file(tmp_path / "l.yml", *({"item": name, "label": label} for name, label in said.items())))
    holds = {name: label.holds for name, label in found.given.items()}
    assert holds == {"ia": True, "ib": False, "ic": True, "id": False, "ih": True, "ij": False}
    assert found.items == frozenset(said) and found.draw == Draw("0123456789ab", 4, 1)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_sheet_that_a_spreadsheet_saved(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "labels.csv"
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([("draw", "item", "label", "note"), (DRAW, "ia", "YES", "a; b, c"), (DRAW, "ib", "", "")])
    assert read(path).given == {"ia": Label(True, "a; b, c")}
    path.write_text(f"draw,item,label\n{DRAW},ia,yes\nd0123456789ab-n4-s2,ib,no\n", encoding="utf-8")
    with pytest.raises(UsageError, match="draw: the rows are of 2 samples"):
        read(path)
    path.write_text("item,label\nia,yes\n", encoding="utf-8")
    with pytest.raises(UsageError, match="the columns draw, item and label have to be there"):
        read(path)
    path.write_text(f"draw,item,label\n{DRAW},ia,yes,no,maybe\n", encoding="utf-8")
    with pytest.raises(UsageError, match="ia: there are more cells than columns"):
        read(path)
