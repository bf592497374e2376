"""``python -m benchmarks.dedup``: near-duplicates among as many requests as WorkFactory has, with planted copies.

Requests are generated: sentences by a chain of words over the interpreter's own documentation, between sentences of
requests with slots, so that they share phrases and templates as requests do. Copies are planted, each of some request
before it: as it is, with other numbers, with other names, with its sentences in another order, and said in other words
(a share of all words is exchanged for synonyms). Printed are time, memory of the process and recall by kind, and how
many were taken for repeats that nobody planted, with the nearest of them to look at. One core: ``taskset -c 0``.
"""

from __future__ import annotations

import argparse
import pydoc_data.topics
import random
import re
import resource
import time
from collections.abc import Callable, Iterator

from workgym.intents.dedup import Deduplicated, deduplicate

REQUESTS = 112_686
"""As many tasks as WorkFactory has."""
PLANTED = 1_000
"""Copies of each kind."""
FREE = 0.75
"""How often a word follows the last one alone: 0 repeats the source's triples and no others."""
BOUNDS = {"seconds": 60.0, "MB": 1500.0}
"""The most that it may take: seconds of processor time (one thread: as on an idle machine), memory of the process."""
FIRMS = "Norvale Halden Brixby Tarrow Quillon Marsk Ostrey Pellan Corvane Drayholm Lindrow Vasker Ambry Keldon".split()
KINDS = "Logistics Clinics Foods Systems Partners Textiles Energy Rail Schools Housing Water Seeds Optics".split()
PEOPLE = "Ana Bruno Chidi Dana Emre Farah Goran Hana Ines Jonas Kofi Lena Mirko Nadia Omar Petra".split()
FAMILIES = "Abara Brandt Castro Dahl Eriksen Fofana Greco Huber Ivanov Jansen Kowal Lindt Moreau Novak".split()
MONTHS = "January February March April May June July August September October November December".split()
OPENING = (
    "{who} at {firm} needs the figures for {month} put together from {number} files before the meeting on the {day}th.",
    "Please prepare the workbook for {firm} with {number} lines, checked against what {who} sent in {month}.",
    "We have {number} open items from {month}, and {who} of {firm} wants to know which of them can be closed.",
    "For {firm} I need a short memo by the {day}th that says what happened in {month}; {who} has {number} questions.",
)
CLOSING = (
    "Send it to {who} as a workbook and a short note, and name the files that each figure comes from.",
    "Where something is missing, say so to {who} and do not guess; the limit is {number} lines on one page.",
    "{who} will read it on the {day}th of {month}, so keep it to {number} pages with the sources.",
)
SYNONYMS = (
    "object item,value amount,function routine,method procedure,called invoked,returns yields,given supplied,"
    "string text,list series,number figure,name label,used employed,first initial,last final,example instance,"
    "default standard,same identical,new fresh,default usual,defined laid,following subsequent,contains holds,"
    "raised thrown,error fault,type kind,class category,module unit,argument parameter,result outcome,"
    "must shall,may might,also likewise,only solely,when whenever,if provided,all every,any some,other further,"
    "one single,two both,not never,can could,will would,is remains,are remain,has bears,with using,into within,"
    "between among,after following,before ahead,while whereas,because since,then next,see consult,"
    "this that,the its,a some,and plus,or else,for toward,in inside,of from,to unto,by through,as like,"
    "files documents,workbook spreadsheet,memo note,figures numbers,prepare compile,short brief,needs requires"
)
WORD = re.compile(r"\w+|\W+")


def chain() -> tuple[dict[str, list[str]], dict[tuple[str, str], list[str]]]:
    """Which words follow a word, and a pair of words, in the interpreter's documentation."""
    found = re.findall(r"[A-Za-z]{1,14}[.,]?", " ".join(pydoc_data.topics.topics.values()))
    one: dict[str, list[str]] = {}
    two: dict[tuple[str, str], list[str]] = {}
    for first, second, third in zip(found, found[1:], found[2:], strict=False):
        one.setdefault(first, []).append(second)
        two.setdefault((first, second), []).append(third)
    return one, two


def requests(count: int, seed: int) -> Iterator[str]:
    """Generated requests of some 160 words; a half of their word triples stand in more than 50 of 100,000."""
    one, two = chain()
    starts = sorted(word for word in one if word[0].isupper() and not word.endswith("."))
    rng = random.Random(seed)
    for _ in range(count):
        said = [slots(rng.choice(OPENING), rng)]
        said += [sentence(one, two, starts, rng) for _ in range(rng.randrange(6, 11))]
        said.append(slots(rng.choice(CLOSING), rng))
        yield " ".join(said)


def sentence(
    one: dict[str, list[str]], two: dict[tuple[str, str], list[str]], starts: list[str], rng: random.Random
) -> str:
    """A sentence: the next word follows the last two, or, as often as ``FREE`` says, the last alone."""
    line = [starts[int(rng.random() * len(starts))]]
    while len(line) < 24 and not line[-1].endswith("."):
        after = two.get((line[-2], line[-1])) if len(line) > 1 and rng.random() > FREE else None
        after = after or one.get(line[-1])
        if not after:
            break
        line.append(after[int(rng.random() * len(after))])
    return " ".join(line).rstrip(".,") + "."


def slots(template: str, rng: random.Random) -> str:
    """A sentence of a request with names and numbers."""
    return template.format(
        who=f"{rng.choice(PEOPLE)} {rng.choice(FAMILIES)}",
        firm=f"{rng.choice(FIRMS)} {rng.choice(KINDS)}",
        month=rng.choice(MONTHS),
        number=rng.randrange(3, 400),
        day=rng.randrange(4, 28),
    )


def other_numbers(text: str, rng: random.Random) -> str:
    """Every number another one."""
    return re.sub(r"\d+", lambda _: str(rng.randrange(3, 400)), text)


def other_names(text: str, rng: random.Random) -> str:
    """Every person, firm and month another one."""
    tables = (FIRMS, KINDS, PEOPLE, FAMILIES, MONTHS)
    swap = {name: rng.choice([one for one in table if one != name]) for table in tables for name in table}
    return re.sub("|".join(swap), lambda match: swap[match[0]], text)


def other_order(text: str, rng: random.Random) -> str:
    """The sentences shuffled."""
    sentences = re.findall(r"[^.]+\.\s*", text)
    rng.shuffle(sentences)
    return " ".join(sentence.strip() for sentence in sentences)


def other_words(share: float) -> Callable[[str, random.Random], str]:
    """Words exchanged for synonyms, at most this share of all."""
    table: dict[str, str] = {}
    for pair in SYNONYMS.split(","):
        one, other = pair.split()
        table.setdefault(one, other)
        table.setdefault(other, one)

    def said(text: str, rng: random.Random) -> str:
        parts = WORD.findall(text)
        known = [place for place, part in enumerate(parts) if part.lower() in table]
        total = sum(part[0].isalnum() for part in parts)
        for place in rng.sample(known, min(len(known), round(share * total))):
            parts[place] = table[parts[place].lower()]
        return "".join(parts)

    return said


COPIES: dict[str, Callable[[str, random.Random], str]] = {
    "exact": lambda text, _: text,
    "numbers changed": other_numbers,
    "names changed": other_names,
    "sentences reordered": other_order,
    "10 % synonyms": other_words(0.10),
    "20 % synonyms": other_words(0.20),
    "30 % synonyms": other_words(0.30),
}


def corpus(count: int, planted: int, seed: int) -> tuple[list[str], dict[int, tuple[int, str]]]:
    """Texts, and for each planted copy its original's number and its kind."""
    rng = random.Random(seed + 1)
    texts = list(requests(count - planted * len(COPIES), seed))
    originals = rng.sample(range(len(texts)), planted * len(COPIES))
    plan = {}
    for number, original in enumerate(originals):
        kind = tuple(COPIES)[number % len(COPIES)]
        plan[len(texts)] = (original, kind)
        texts.append(COPIES[kind](texts[original], rng))
    return texts, plan


def hits(found: Deduplicated, copy: int, original: int) -> bool:
    """Whether a copy is taken for a repeat of its original, or of the same one as that is."""
    heads = {original} | ({found.repeats[original].first} if original in found.repeats else set())
    return copy in found.repeats and found.repeats[copy].first in heads


def main() -> int:
    """Print what it takes and finds; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dedup")
    parser.add_argument("--count", type=int, default=REQUESTS)
    parser.add_argument("--planted", type=int, default=PLANTED, help="copies of each kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=2, help="unplanted pairs to print")
    asked = parser.parse_args()
    texts, plan = corpus(asked.count, asked.planted, asked.seed)
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    print(f"{len(texts):,} requests of {words:.0f} words in the mean, {len(plan):,} of them copies", flush=True)
    start, cpu = time.perf_counter(), time.process_time()
    found = deduplicate(texts)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{seconds:.1f} s ({cpu:.1f} s of processor time), {memory:,.0f} MB for the whole process, texts included")
    for kind in COPIES:
        wanted = [(copy, original) for copy, (original, one) in plan.items() if one == kind]
        hit = sum(hits(found, copy, original) for copy, original in wanted)
        print(f"{kind:<22} {hit:>6,} of {len(wanted):,} found ({hit / max(1, len(wanted)):.1%})")
    others = sorted(
        (match for copy, match in found.repeats.items() if copy not in plan), key=lambda match: -match.jaccard
    )
    print(f"{len(others):,} more are taken for repeats ({len(others) / len(texts):.2%}); kept: {len(found.kept):,}")
    for match in others[: asked.show]:
        print(
            f"  {match.kind}, {match.containment:.2f}:\n    {texts[match.first][:300]}\n    {texts[match.second][:300]}"
        )
    return 1 if cpu > BOUNDS["seconds"] or memory > BOUNDS["MB"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
