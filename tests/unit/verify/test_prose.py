"""Facts in memos: sentences, lists and tables that say it pass; those that say something else do not."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from workgym.verify import Verdict, grade

ALDER, BIRCHFIELD, CALDER = "Alder Mills Ltd", "Birchfield Box GmbH", "Calder & Sons Inc"


@pytest.fixture(scope="module")
def memo(work: Any, word: Callable[..., bytes]) -> Callable[..., Verdict]:
    def graded(*blocks: Any) -> Verdict:
        return grade(work.package, work.files(memo=word(*blocks)))

    return graded


def totals(work: Any) -> dict[str, Decimal]:
    return dict(work.rows("total"))


def wrong(verdict: Verdict) -> list[str]:
    return [check.name.removesuffix(" in memo.docx") for check in verdict.failed()]


CHOSEN = f"We recommend {BIRCHFIELD}."
SAID = (
    "The total cost of Alder Mills Ltd is USD 301,696.",
    "The total cost of Birchfield Box GmbH is USD 284,718.",
    "The total cost of Calder & Sons Inc is USD 320,994.",
)


def test_the_numbers_of_this_file_are_those_of_the_task(work: Any) -> None:
    assert {name: f"{total:,.0f}" for name, total in totals(work).items()} == {
        ALDER: "301,696",
        BIRCHFIELD: "284,718",
        CALDER: "320,994",
    }


RIGHT: dict[str, tuple[Any, ...]] = {
    "plain": (CHOSEN, *SAID),
    "to the cent": (CHOSEN, f"{ALDER} costs $301,696.43, {BIRCHFIELD} $284,717.59 and {CALDER} $320,994.47."),
    "one sentence": (
        CHOSEN,
        f"{BIRCHFIELD} is cheapest at USD 284,718, then {ALDER} at USD 301,696 and {CALDER} at 320,994.",
    ),
    "for": (CHOSEN, f"Total costs are $284,718 for {BIRCHFIELD}, $301,696 for {ALDER} and $320,994 for {CALDER}."),
    "in brackets": (CHOSEN, f"{BIRCHFIELD} (USD 284,718) beats {ALDER} (USD 301,696) and {CALDER} (USD 320,994)."),
    "brackets behind": (CHOSEN, f"We compared $284,718 ({BIRCHFIELD}), $301,696 ({ALDER}) and $320,994 ({CALDER})."),
    "respectively": (
        CHOSEN,
        f"{ALDER}, {BIRCHFIELD} and {CALDER} cost 301,696, 284,718 and 320,994 dollars respectively.",
    ),
    "a table": (
        CHOSEN,
        [["Supplier", "Total cost (USD)"], [ALDER, "301,696"], [BIRCHFIELD, "284,718"], [CALDER, "320,994"]],
    ),
    "another heading": (CHOSEN, [["Offer", "NPV"], [ALDER, "301,696"], [BIRCHFIELD, "284,718"], [CALDER, "320,994"]]),
    "a wide table": (
        CHOSEN,
        [
            ["", ALDER, BIRCHFIELD, CALDER],
            ["Price", "1.05", "0.99", "1.12"],
            ["Total cost", "301,696", "284,718", "320,994"],
        ],
    ),
    "a next sentence": (CHOSEN, f"We looked at {ALDER}. Its total cost is 301,696.", *SAID[1:]),
    "short names": (CHOSEN, *(text.replace(" Ltd", "").replace(" GmbH", "") for text in SAID)),
    "european": (CHOSEN, *(text.replace(",", ".") for text in SAID)),
    "in thousands, finely": (CHOSEN, SAID[0], "The total cost of Birchfield Box GmbH is $284.718K.", SAID[2]),
    "with differences": (CHOSEN, *SAID, f"{ALDER} is 16,980 dearer than {BIRCHFIELD}, a gap of 6.0 %."),
    "with a scenario": (CHOSEN, *SAID, f"If freight fell, the total cost of {ALDER} would be 290,000."),
    "with a comparison": (CHOSEN, *SAID, f"At 301,696 {ALDER} is above the 284,718 that {BIRCHFIELD} asks."),
    "award": (f"The contract should be awarded to {BIRCHFIELD} rather than to {ALDER}.", *SAID),
    "passive": (f"{BIRCHFIELD} is recommended over {ALDER}.", *SAID),
    "label": (f"Recommended supplier: {BIRCHFIELD}", *SAID),
    "heading": ("# Recommendation", f"Award to {BIRCHFIELD}.", *SAID),
    "heading, bare": ("# Our recommendation", f"{BIRCHFIELD}.", *SAID),
    "choice in a table": ([["Recommended supplier", BIRCHFIELD]], *SAID),
    "and not": (f"We recommend {BIRCHFIELD}. {ALDER} was not selected.", *SAID),
    "runner-up": (f"We recommend {BIRCHFIELD}. The second-best choice is {ALDER}.", *SAID),
    "with a not": (f"We recommend {BIRCHFIELD}, which is not the cheapest by its price.", *SAID),
    "supposed": (f"We recommend {BIRCHFIELD}. Without the freight we would choose {ALDER}.", *SAID),
    "coarse table beside": (
        CHOSEN,
        *SAID,
        [["Supplier", "Total cost (USD thousands)"], [ALDER, "302"], [BIRCHFIELD, "285"]],
    ),
    "coarse sentence beside": (CHOSEN, *SAID, f"In short, the total cost of {ALDER} is about 302,000."),
    "ask another": (CHOSEN, *SAID, f"As a next step we recommend asking {ALDER} for a price that holds longer."),
    "long award": (
        f"I propose to award tender T-4531 for folding cartons for our plant in Kingsholt to {BIRCHFIELD}.",
        *SAID,
    ),
    "should be": (f"{BIRCHFIELD} should be awarded the contract.", *SAID),
    "proposed": (f"It is proposed that {BIRCHFIELD} be selected.", *SAID),
    "our choice": (f"Our choice is {BIRCHFIELD}; {ALDER} comes next.", *SAID),
    "therefore": (f"{BIRCHFIELD} offers the best value and is therefore our recommended supplier.", *SAID),
    "preferred": (f"The preferred supplier is {BIRCHFIELD}, ahead of {ALDER}.", *SAID),
    "others in passing": (CHOSEN, *SAID, f"Supplier {ALDER} quotes FCA, {CALDER} gives us the choice of terms."),
    "select terms": (CHOSEN, *SAID, f"The award criteria were set before {ALDER} sent its offer."),
    "compared in passing": (
        CHOSEN,
        f"At a total cost of 301,696 {ALDER} is higher than {BIRCHFIELD} at 284,718.",
        SAID[2],
        f"If freight fell, {ALDER} would ask 290,000.",
    ),
    "yearly figures first": (
        CHOSEN,
        f"The first year's costs are 99,000 for {ALDER}, 98,000 for {BIRCHFIELD} and 105,000 for {CALDER}.",
        f"Total costs are 301,696 for {ALDER}, 284,718 for {BIRCHFIELD} and 320,994 for {CALDER}.",
    ),
    "another cost of one supplier first": (CHOSEN, f"The cost of {ALDER} for 2026 alone is 110,000.", *SAID),
    "sensitivity first": (
        CHOSEN,
        "# Sensitivity",
        *(f"If freight rises, the total cost of {name} would be 310,000." for name in (ALDER, BIRCHFIELD, CALDER)),
        "# Result",
        f"{ALDER}: 301,696",
        f"{BIRCHFIELD}: 284,718",
        f"{CALDER}: 320,994",
    ),
    "before discounting": (
        CHOSEN,
        *SAID[:2],
        f"{CALDER}: 350,000 before discounting, 320,994 in present value.",
    ),
    "capacity first": (CHOSEN, f"{ALDER} can make 300,000 a year.", *SAID),
    "beside the undiscounted": (
        CHOSEN,
        f"{ALDER}: undiscounted 330,000, net 301,696.",
        f"{BIRCHFIELD}: list price 300,000, total cost 284,718.",
        f"{CALDER}: 320,994 (undiscounted 350,000).",
    ),
    "another total of the paragraph": (CHOSEN, *SAID[1:], f"{SAID[0]} The cost in the budget is 310,000."),
    "a table of parts": (
        CHOSEN,
        [
            ["Offer", "2026", "2027", "2028", "Undiscounted", "NPV"],
            [ALDER, "99,000", "105,000", "110,000", "330,000", "301,696"],
            [BIRCHFIELD, "98,000", "101,000", "102,000", "310,000", "284,718"],
            [CALDER, "105,000", "115,000", "120,000", "350,000", "320,994"],
        ],
    ),
    "not the cheapest": (f"Although it is not the cheapest by price, we recommend {BIRCHFIELD}.", *SAID),
    "terms not comparable": (f"As the terms cannot be compared by price, {BIRCHFIELD} is recommended.", *SAID),
    "rejects the other": (f"We reject {ALDER} and recommend {BIRCHFIELD}.", *SAID),
    "rejects before": (f"We do not recommend {ALDER}; we recommend {BIRCHFIELD}.", *SAID),
    "not but": (f"Not {ALDER} but {BIRCHFIELD} is our recommended supplier.", *SAID),
    "without hesitation": (f"Without hesitation we recommend {BIRCHFIELD}.", *SAID),
    "not decisive": (f"The price alone is not decisive and {BIRCHFIELD} is recommended.", *SAID),
    "not only": (f"{BIRCHFIELD} is not only cheapest, it is our recommended supplier: {BIRCHFIELD}.", *SAID),
    "no longer open": (f"The offer of {ALDER} is no longer open; we therefore recommend {BIRCHFIELD}.", *SAID),
    "heading, not cheap": ("# Recommendation", f"{BIRCHFIELD}, although its price is not the lowest.", *SAID),
    "purpose": ("This memo compares three offers and gives a recommendation.", CHOSEN, *SAID),
}


@pytest.mark.parametrize("name", RIGHT)
def test_an_equivalent_memo_passes(memo: Callable[..., Verdict], name: str) -> None:
    verdict = memo(*RIGHT[name])
    assert wrong(verdict) == []
    assert verdict.reward == 1.0


ALL_TOTALS = [f"total[{name}].total" for name in (ALDER, BIRCHFIELD, CALDER)]
WRONG: dict[str, tuple[tuple[Any, ...], list[str]]] = {
    "off by one": ((CHOSEN, SAID[0].replace("301,696", "301,697"), *SAID[1:]), ALL_TOTALS[:1]),
    "cut, not rounded": ((CHOSEN, SAID[0], SAID[1].replace("284,718", "284,717"), SAID[2]), ALL_TOTALS[1:2]),
    "too coarse": ((CHOSEN, SAID[0].replace("301,696", "301.7K"), *SAID[1:]), ALL_TOTALS[:1]),
    "negative": ((CHOSEN, SAID[0].replace("301,696", "-301,696"), *SAID[1:]), ALL_TOTALS[:1]),
    "euros": ((CHOSEN, SAID[0].replace("USD 301,696", "€301,696"), *SAID[1:]), ALL_TOTALS[:1]),
    "euros by code": ((CHOSEN, SAID[0].replace("USD", "EUR"), *SAID[1:]), ALL_TOTALS[:1]),
    "a table in euros": (
        (CHOSEN, [["Supplier", "Total cost (EUR)"], [ALDER, "301,696"], [BIRCHFIELD, "284,718"], [CALDER, "320,994"]]),
        ALL_TOTALS,
    ),
    "swapped": (
        (CHOSEN, SAID[0].replace("301,696", "284,718"), SAID[1].replace("284,718", "301,696"), SAID[2]),
        ALL_TOTALS[:2],
    ),
    "swapped in one sentence": (
        (CHOSEN, f"{BIRCHFIELD} costs 301,696, {ALDER} 284,718 and {CALDER} 320,994."),
        ALL_TOTALS[:2],
    ),
    "one missing": ((CHOSEN, *SAID[:2]), ALL_TOTALS[2:]),
    "numbers without names": ((CHOSEN, "Totals: 301,696; 284,718; 320,994."), ALL_TOTALS),
    "cases": (
        (
            CHOSEN,
            *SAID[1:],
            *(f"If case {k} holds, the total cost of {ALDER} would be {301_696 + 1000 * k:,}." for k in range(-5, 1)),
        ),
        ALL_TOTALS[:1],
    ),
    "eleven cases": (
        (
            CHOSEN,
            *SAID[1:],
            *(f"In case {k} the total cost of {ALDER} would be {301_696 + 1000 * k:,}." for k in range(-5, 6)),
        ),
        ALL_TOTALS[:1],
    ),
    "cases for all": (
        (
            CHOSEN,
            *(
                f"View {k}: {ALDER} has 30{k},696, {BIRCHFIELD} 28{k + 3},718, {CALDER} 32{k - 1},994 in total cost."
                for k in (3, 2, 1)
            ),
        ),
        ALL_TOTALS,
    ),
    "bare candidates": ((CHOSEN, *SAID[1:], *(f"{ALDER}: 30{k},696." for k in (0, 2, 1))), ALL_TOTALS[:1]),
    "a list of candidates": (
        (CHOSEN, *SAID[1:], f"{ALDER}: 271,526, 331,866, 301,696, 362,035"),
        ALL_TOTALS[:1],
    ),
    "a list that begins right": ((CHOSEN, *SAID[1:], f"{ALDER}: 301,696 or 331,866."), ALL_TOTALS[:1]),
    "candidates in words": (
        (CHOSEN, *SAID[1:], f"The total cost of {ALDER} is 290,000 on one view and 301,696 on another."),
        ALL_TOTALS[:1],
    ),
    "candidates in columns": (
        (CHOSEN, *SAID[1:], [["Offer", "A", "B", "C", "D"], [ALDER, "290,000", "295,000", "301,696", "310,000"]]),
        ALL_TOTALS[:1],
    ),
    "carried": (
        (CHOSEN, *SAID[1:], f"{ALDER} made an offer. The total cost is 305,000. The total cost is 301,696."),
        ALL_TOTALS[:1],
    ),
    "carried, right first": (
        (CHOSEN, *SAID[1:], f"{ALDER} made an offer. The total cost is 301,696. The total cost is 305,000."),
        ALL_TOTALS[:1],
    ),
    "carried, then named": (
        (CHOSEN, *SAID[1:], f"{ALDER} made an offer. The total cost is 305,000.", SAID[0]),
        ALL_TOTALS[:1],
    ),
    **{
        f"refused: {sentence}": ((sentence, *SAID), ["best.supplier"])
        for sentence in (
            f"We cannot in good conscience recommend {BIRCHFIELD}.",
            f"You should avoid awarding the contract to {BIRCHFIELD}.",
            f"We would not, all things considered, award it to {BIRCHFIELD}.",
            f"We recommend against {BIRCHFIELD}.",
            f"We strongly recommend against awarding the contract to {BIRCHFIELD}.",
            f"We recommend that the contract not be awarded to {BIRCHFIELD}.",
            f"We recommend that {BIRCHFIELD} not be awarded the contract.",
            f"We do not think that {BIRCHFIELD} should be selected.",
            f"{BIRCHFIELD} cannot in any case be recommended.",
            f"{BIRCHFIELD} is not our recommended supplier.",
            f"We are unable, for these reasons and others, to recommend {BIRCHFIELD}.",
            f"We recommend avoiding {BIRCHFIELD}.",
            f"We recommend anyone except {BIRCHFIELD}.",
            f"The least recommended supplier is {BIRCHFIELD}.",
            f"Under no circumstances should the contract be awarded to {BIRCHFIELD}.",
            f"It would be wrong to award the contract to {BIRCHFIELD}.",
            f"We do not, we repeat, recommend {BIRCHFIELD}.",
            f"We recommend neither {BIRCHFIELD} nor {ALDER}.",
        )
    },
    "refused under a heading": (
        ("# Recommendation", f"We cannot in good conscience recommend {BIRCHFIELD}.", *SAID),
        ["best.supplier"],
    ),
    "refused under a heading, behind": (("# Recommendation", f"{BIRCHFIELD} is not chosen.", *SAID), ["best.supplier"]),
    "a heap": ((CHOSEN, *(f"{name}: 320,994, 301,696, 284,718." for name in (ALDER, BIRCHFIELD))), ALL_TOTALS),
    "contradiction": ((CHOSEN, *SAID, "The total cost of Alder Mills Ltd is USD 305,000."), ALL_TOTALS[:1]),
    "wrong table, right text": (
        (CHOSEN, *SAID, [["Supplier", "Total cost (USD)"], [ALDER, "301,750"]]),
        ALL_TOTALS[:1],
    ),
    "wrong supplier": ((f"We recommend {ALDER}.", *SAID), ["best.supplier"]),
    "two suppliers": (
        (CHOSEN, f"We would like to award the contract to {BIRCHFIELD}. We select {ALDER}.", *SAID),
        ["best.supplier"],
    ),
    "guesses": (
        (CHOSEN, *SAID[1:], f"{ALDER}: " + " ".join(str(number) for number in range(301_680, 301_710))),
        ALL_TOTALS[:1],
    ),
    "guesses in rows": (
        (CHOSEN, *SAID[1:], [[ALDER, f"{number:,}"] for number in range(301_680, 301_710)]),
        ALL_TOTALS[:1],
    ),
    "a list of suppliers": ((f"We recommend {BIRCHFIELD}, {ALDER} and {CALDER}.", *SAID), ["best.supplier"]),
    "another should be": ((f"{ALDER} should be awarded the contract.", *SAID), ["best.supplier"]),
    "all of them": ((*(f"We recommend {name}." for name in (ALDER, BIRCHFIELD, CALDER)), *SAID), ["best.supplier"]),
    "all of them, hedged": (
        (*(f"We recommend {name}, not knowing better." for name in (ALDER, BIRCHFIELD, CALDER)), *SAID),
        ["best.supplier"],
    ),
    "all of them, supposed": (
        (*(f"If pressed, we would recommend {name}." for name in (ALDER, BIRCHFIELD, CALDER)), *SAID),
        ["best.supplier"],
    ),
    "another to be asked": ((f"We recommend asking {ALDER} first.", *SAID), ["best.supplier"]),
    "negated": ((f"We do not recommend {BIRCHFIELD}.", *SAID), ["best.supplier"]),
    "compared away": ((f"We recommend {ALDER} over {BIRCHFIELD}.", *SAID), ["best.supplier"]),
    "only named": ((f"{BIRCHFIELD} made an offer.", *SAID), ["best.supplier"]),
    "empty": (("Nothing to say.",), ["best.supplier", *ALL_TOTALS]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_memo_fails(memo: Callable[..., Verdict], name: str) -> None:
    blocks, expected = WRONG[name]
    verdict = memo(*blocks)
    assert set(expected) <= set(wrong(verdict))
    assert verdict.reward < 1.0
    if name not in ("a heap", "numbers without names"):
        assert wrong(verdict) == expected


def test_a_memo_in_markdown(make: Callable[..., Any], work: Any) -> None:
    asked = work.package.hidden.graph.deliverables[1].model_copy(update={"path": "memo.md"})
    package = make([asked])
    table = "\n".join(
        [
            "| Supplier | Total cost (USD) |",
            "|---|---|",
            *(f"| {name} | **{total:,.0f}** |" for name, total in work.rows("total")),
        ]
    )
    text = f"# Recommendation\n\nWe recommend **{BIRCHFIELD}**.\n\n{table}\n"
    assert grade(package, dict(package.files) | {"memo.md": text.encode()}).reward == 1.0
    lines = "# Recommendation\n\nWe recommend Birchfield\nBox GmbH.\n\n" + "\n".join(f"- {text}" for text in SAID)
    assert grade(package, dict(package.files) | {"memo.md": lines.encode()}).reward == 1.0
