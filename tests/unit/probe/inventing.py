"""What a model invents when it diagnoses a scripted probe, a kind at a time; what happens to be true is left out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from workgym.probe import Ground
from workgym.trajectory import Call

from .scripted import ECHO, OWN, Played, answer_of, ending, failed, lines, path_of, squeezed


def hallucinated(played: Played, rng: random.Random) -> Iterator[tuple[str, Ground]]:
    """What models invent, a kind at a time; a ground that happens to be true is left out."""
    reads = [call for path in sorted(played.package.files) for call in played.alone(path) if lines(answer_of(call))]
    for kind, make in MAKERS.items():
        for _ in range(3):
            call = rng.choice(reads)
            ground = make(played, call, rng)
            if ground is not None:
                yield kind, ground


Maker = Callable[[Played, Call, random.Random], Ground | None]


def _of(call: Call, quote: str, played: Played) -> Ground | None:
    """A ground with a quote that must not stand in the call's answer."""
    stands = squeezed(quote) in squeezed(answer_of(call))
    return None if stands else Ground(call=call.call.index, source=path_of(call), quote=quote)


def invented(played: Played, call: Call, rng: random.Random) -> Ground | None:
    amount = f"{rng.randint(1000, 99999):,}.{rng.randint(10, 99)}"
    said = (
        f"The total for {rng.choice(('May', 'the year', 'the plant'))} is {amount}",
        "Freight is to be agreed separately with the carrier before signing.",
        f"Version {rng.randint(7, 12)} replaces all earlier versions of this document.",
        f"Employees of group {rng.choice('ABC')} are paid {rng.randint(110, 190)} % from the first hour on.",
    )
    return _of(call, rng.choice(said), played)


def wrong_call(played: Played, call: Call, rng: random.Random) -> Ground | None:
    other = rng.choice([one for one in played.calls if one.call.index != call.call.index and not failed(one)])
    quote = rng.choice(lines(answer_of(call)))
    if squeezed(quote) in squeezed(answer_of(other)):
        return None
    return Ground(call=other.call.index, source=path_of(call), quote=quote)


def wrong_source(played: Played, call: Call, rng: random.Random) -> Ground | None:
    path = rng.choice([path for path in sorted(played.package.files) if path != path_of(call)])
    quote = rng.choice(lines(answer_of(call)))
    if path in answer_of(call):
        return None
    return Ground(call=call.call.index, source=path, quote=quote)


def no_such_call(played: Played, call: Call, rng: random.Random) -> Ground | None:
    quote = rng.choice(lines(answer_of(call)))
    return Ground(call=len(played.calls) + rng.randint(1, 40), source=path_of(call), quote=quote)


def never_opened(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """True words of a file that no call opened, with the number of the call that listed it, or of another."""
    path = rng.choice(sorted(played.skipped))
    said = lines("\n".join(piece.text for piece in played.fragments(path)))
    if not said:
        return None
    return Ground(call=rng.choice((1, call.call.index)), source=path, quote=rng.choice(said))


def only_listed(played: Played, call: Call, rng: random.Random) -> Ground | None:
    path = rng.choice(sorted(played.skipped))
    return Ground(call=1, source=path, quote=path)


def paraphrased(played: Played, call: Call, rng: random.Random) -> Ground | None:
    quote = rng.choice(lines(answer_of(call)))
    words = quote.split()
    if len(words) < 4:
        return None
    at = rng.randrange(1, len(words) - 1)
    told = (
        [*words[:at], *words[at + 1 :]],
        [*words[at:], *words[:at]],
        [*words[:at], "reportedly", *words[at:]],
    )
    return _of(call, " ".join(rng.choice(told)), played)


def of_request(played: Played, call: Call, rng: random.Random) -> Ground | None:
    return _of(call, rng.choice(lines(played.package.request)), played)


def as_request(played: Played, call: Call, rng: random.Random) -> Ground | None:
    quote = rng.choice(lines(answer_of(call)))
    if squeezed(quote) in squeezed(played.package.request):
        return None
    return Ground(call=0, source="request.md", quote=quote)


def spliced(played: Played, call: Call, rng: random.Random) -> Ground | None:
    found = lines(answer_of(call))
    if len(found) < 2:
        return None
    first, second = rng.sample(found, 2)
    half = first.split(), second.split()
    joint = rng.choice((" ", " ... ", "; "))
    quote = joint.join((" ".join(half[0][: len(half[0]) // 2 + 1]), " ".join(half[1][len(half[1]) // 2 :])))
    return _of(call, quote, played)


def one_digit(played: Played, call: Call, rng: random.Random) -> Ground | None:
    found = [line for line in lines(answer_of(call)) if re.search(r"\d{2}", line)]
    if not found:
        return None
    quote = rng.choice(found)
    at = rng.choice([match.start() for match in re.finditer(r"\d", quote)])
    other = rng.choice([digit for digit in "0123456789" if digit != quote[at]])
    return _of(call, f"{quote[:at]}{other}{quote[at + 1 :]}", played)


def shortened_number(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """A line whose last number, or first, has lost a digit: the rest stands there word for word."""
    found = [line for line in lines(answer_of(call)) if re.search(r"\d\d$|^-?\d\d", line) and len(line) > 16]
    if not found:
        return None
    quote = rng.choice(found)
    cut = quote[:-1] if re.search(r"\d\d$", quote) else quote.lstrip("-")[1:]
    whole = rf"(?<![\w.,-]){re.escape(cut)}(?![\w]|[.,]\d)"
    return None if re.search(whole, answer_of(call)) else Ground(call=call.call.index, source=path_of(call), quote=cut)


def own_words(played: Played, call: Call, rng: random.Random) -> Ground | None:
    mine = next(one for one in played.calls if one.call.tool == "read_file" and one.call.arguments == {"path": OWN})
    return Ground(call=mine.call.index, source=rng.choice((OWN, path_of(call))), quote=answer_of(mine).strip())


def echoed(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """What the solver let a program print about a file."""
    mine = next(one for one in played.calls if ECHO in str(one.call.arguments))
    path = str(mine.call.arguments["command"]).rpartition("(")[2].rstrip(")'")
    return Ground(call=mine.call.index, source=rng.choice((path, path_of(call))), quote=ECHO)


def of_neighbour(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """Of a call that printed several files, a line of one as if it were another's."""
    several = next(one for one in played.calls if one.call.tool == "bash")
    paths = str(several.call.arguments["command"]).split()[1:]
    if len(paths) < 2:
        return None
    own, other = rng.sample(paths, 2)
    quote = rng.choice(lines(played.package.files[own].decode("utf-8", "replace")) or [""])
    if not quote or quote in played.package.files[other].decode("utf-8", "replace"):
        return None
    return Ground(call=several.call.index, source=other, quote=quote)


def too_little(played: Played, call: Call, rng: random.Random) -> Ground | None:
    quote = rng.choice(("2026", "the", "USD", "Page 1", "[end of table 1]", "Kind regards,", "a", "1,"))
    return Ground(call=call.call.index, source=path_of(call), quote=quote)


def there_after_all(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """Something is said to be missing that stands on a line of some file, opened or not."""
    quote = rng.choice(lines(answer_of(call)))
    found = played.documents[rng.choice(sorted(played.documents))]
    said = [line for line in found.text.splitlines() if len(set(re.findall(r"[A-Za-z]{5,}", line))) >= 3]
    if not said:
        return None
    words = rng.sample(sorted(set(re.findall(r"[A-Za-z]{5,}", rng.choice(said)))), rng.choice((2, 3)))
    return Ground(call=call.call.index, source=path_of(call), quote=quote, missing=" ".join(words))


def filled_after_all(played: Played, call: Call, rng: random.Random) -> Ground | None:
    """A value of a table is said to be missing, by its row and its heading, and the cell is filled."""
    quote = rng.choice(lines(answer_of(call)))
    anchors = [anchor for anchor in played.package.hidden.anchors if anchor.kind == "value" and anchor.cell]
    rng.shuffle(anchors)
    for anchor in anchors:
        path = anchor.place.path
        if (
            path not in played.package.files
            or not anchor.cell
            or not anchor.cell.key
            or ending(path) not in ("csv", "xlsx")
        ):
            continue
        pieces = played.fragments(path)
        cell = next((piece for piece in pieces if piece.at == anchor.place.base), None)
        if cell is None or cell.row is None:
            continue
        above = [
            one.text
            for one in pieces
            if (one.table, one.column) == (cell.table, cell.column) and (one.row or 0) < cell.row
        ]
        head = next((text for text in reversed(above) if re.fullmatch(r"[A-Za-z ()]{4,}", text)), None)
        row = [one for one in pieces if (one.table, one.row) == (cell.table, cell.row)]
        key = next((one.text for one in row if one.text == anchor.cell.key[0]), None)
        if head and key and cell.text != key:
            return Ground(call=call.call.index, source=path_of(call), quote=quote, missing=f"{key} {head}")
    return None


NAMES = {
    "Units": "purchase volume",
    "Freight per unit": "shipping price",
    "Hourly rate": "basic wage",
    "Amount": "sum of money",
    "Contra account": "offsetting ledger",
    "Paid hours": "remunerated time",
}
"""Headings of the families, and other words for what stands under them."""


def by_another_name(played: Played) -> Iterator[Ground]:
    """What stands in a table is said to be missing, under another name than its heading: code cannot see that."""
    reads = [call for path in sorted(played.package.files) for call in played.alone(path) if lines(answer_of(call))]
    for name, other in NAMES.items():
        cells = [anchor.cell for anchor in played.package.hidden.anchors if anchor.kind == "value" and anchor.cell]
        graph = played.package.hidden.graph
        keys = [cell.key[0] for cell in cells if cell.key and graph.unit(cell.unit).column(cell.column).label == name]
        if keys:
            call = reads[len(keys) % len(reads)]
            quote = lines(answer_of(call))[0]
            yield Ground(call=call.call.index, source=path_of(call), quote=quote, missing=f"{keys[0]} {other}")


MAKERS: dict[str, Maker] = {
    "an invented quote": invented,
    "the right quote, another call": wrong_call,
    "the right quote, another file": wrong_source,
    "a call that was not made": no_such_call,
    "a file that was never opened": never_opened,
    "a file that was only listed": only_listed,
    "a paraphrase": paraphrased,
    "the request's words as a file's": of_request,
    "a file's words as the request's": as_request,
    "two places spliced": spliced,
    "one digit changed": one_digit,
    "a number shortened": shortened_number,
    "the solver's own words": own_words,
    "the solver's words, printed by a program": echoed,
    "a neighbour's words": of_neighbour,
    "too little to say anything": too_little,
    "missing, and there": there_after_all,
    "missing, and in a table": filled_after_all,
}
