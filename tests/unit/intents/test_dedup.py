"""The join against counting by hand, the index against the join, and copies that have to be found."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dedup import COPIES, corpus, hits
from workgym.intents.dedup import Index, deduplicate, matches
from workgym.intents.dedup.join import COMMON, LEAST
from workgym.intents.dedup.words import Vocabulary, exact, skeleton, words

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=14).map(" ".join), max_size=12)

FEW = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=14).map(" ".join), max_size=4)


def by_hand(texts: list[str], containment: float) -> set[tuple[int, int]]:
    """Near pairs among texts that are no copies, where no triple is common."""
    sets = []
    for text in texts:
        found = words(text)
        sets.append({tuple(found[at : at + 3]) for at in range(max(1, len(found) - 2))} if found else set())
    return {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if (shared := len(sets[one] & sets[other])) >= LEAST
        and shared >= containment * min(len(sets[one]), len(sets[other]))
    }


@given(TEXTS, st.sampled_from([0.2, 0.5, 0.8]))
def test_the_join_is_what_counting_gives(texts: list[str], containment: float) -> None:
    unlike = list({skeleton(text): text for text in texts}.values())
    found = {(match.first, match.second) for match in matches(unlike, containment=containment)}
    assert found == by_hand(unlike, containment)


@given(FEW, FEW)
def test_between_two_lists_it_is_what_the_pairs_give(texts: list[str], others: list[str]) -> None:
    found = {(match.first, match.second) for match in matches(texts, others, containment=0.3)}
    pairs = {(one, two) for one in range(len(texts)) for two in range(len(others))}
    assert found == {(one, two) for one, two in pairs if matches([texts[one], others[two]], containment=0.3)}


def test_the_index_says_what_the_join_says() -> None:
    texts, plan = corpus(900, 20, seed=3)
    base = texts[: min(plan)]
    index = Index()
    for text in base[:100]:
        index.add(text)
    index.extend(base[100:])
    assert len(index) == len(base) and index.nearest("Something else altogether.") is None
    for copy in sorted(plan)[:70:9]:
        said = index.nearest(texts[copy])
        joined = [match for match in matches([*base, texts[copy]]) if match.second == len(base)]
        assert said is not None and said.first == plan[copy][0]
        best = max(joined, key=lambda match: match.containment)
        assert (said.first, said.second, said.kind) == (best.first, best.second, best.kind)
        assert said.containment == pytest.approx(best.containment, abs=0.02)


def test_planted_copies_are_found() -> None:
    texts, plan = corpus(3000, 60, seed=5)
    found = deduplicate(texts)
    recall = {kind: sum(hits(found, copy, one) for copy, (one, how) in plan.items() if how == kind) for kind in COPIES}
    assert all(recall[kind] >= 59 for kind in COPIES if kind != "30 % synonyms"), recall
    assert recall["30 % synonyms"] >= 50, recall
    assert len(found.repeats.keys() - plan.keys()) <= 6
    assert sorted([*found.kept, *found.repeats]) == list(range(3000))


def test_more_copies_than_are_common_are_still_found() -> None:
    rng = random.Random(1)
    body = " ".join(rng.choice("kiln silo rota ward herd docket module beacon".split()) for _ in range(40))
    texts = [f"Write to {name} Marsh about {number} lines: {body}." for number in range(10) for name in "ABCDEFGHIJ"]
    found = deduplicate(texts)
    assert len(texts) > COMMON and found.kept == (0,)
    assert {match.kind for match in found.repeats.values()} == {"masked"}
    assert matches(texts, [texts[0].upper()])[0].kind == "exact" and len(matches(texts, [texts[0]])) == len(texts)


def test_a_template_is_no_copy() -> None:
    opening = "please take the usual form of the office and fill in all that is asked for on its two pages for "
    rng = random.Random(2)
    texts = [
        opening + " ".join("".join(rng.choices("aeioukmnrst", k=7)) for _ in range(12)) for _ in range(COMMON + 30)
    ]
    assert deduplicate(texts).repeats == {}
    assert deduplicate(texts[:5]).repeats.keys() == {1, 2, 3, 4}, "five of them are"


@pytest.mark.parametrize(
    ("one", "other", "same_words", "same_skeleton"),
    [
        ("Send it.", "send  IT", True, True),
        ("pay 1,200.50 EUR", "pay 7 EUR", False, True),
        ("ask Ana Brandt now", "ask Omar now", False, True),
        ("ask Ana now", "tell Ana now", False, False),
        ("발주 목록을 보내", "발주 목록을 보내!", True, True),
    ],
)
def test_masks(one: str, other: str, same_words: bool, same_skeleton: bool) -> None:
    assert (exact(one) == exact(other), skeleton(one) == skeleton(other)) == (same_words, same_skeleton)


def test_texts_of_no_words_and_few() -> None:
    assert deduplicate([]).kept == () and matches([], []) == []
    assert deduplicate(["", "a", "a b", "!"]).kept == (0, 1, 2)
    assert Vocabulary().triples(["", "a"]).texts.tolist() == [1]
    assert words("Preise 2.500,00 €") == ["preise", "#"] and words("価格12円") == ["価", "格", "#", "円"]
