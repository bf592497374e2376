"""Code looks every ground up: the call was made, it opened the source, and the quote stands in its answer.

What is checked, in this order, each with a reason of its own where it does not hold:

1. the call exists, and the source is one of the task's (its own writings are no evidence about the task);
2. the call's arguments or its answer name the source, and it did not merely list it;
3. the quote is long enough, says something of its own, and stands in that answer, word for word;
4. where the call names several sources or ran a program, or the solver had changed this one, the words are not those
   of another source, nor the solver's own;
5. what is said to be missing stands nowhere in what was read, nor anywhere in the files that the solver was given.
"""

from __future__ import annotations

import re

from workgym.probe.evidence import FETCH, LISTING, SEARCH, USER, WEB, Evidence, Read
from workgym.probe.model import REQUEST, Ground, Problem
from workgym.probe.words import plain, share, stands, telling, together, tokens

SHORTEST = 8
"""Letters and digits that a quote has at least."""
OWN, OTHERS = 0.6, 0.8
"""Share of a quote that its source has at least, where it is in doubt; from which another file is taken to be it."""
COMMON = 4
"""From so many sources on that say the same, and more than half of those opened, it is no evidence of anything."""

_MARKS = re.compile(r"\[(?:end of )?(?:table|sheet|slide|page|part)\b[^\]]*\]|^\W+$", re.IGNORECASE)
_MARGIN = re.compile(r"^\s*\[(?:header|footer)\]|^\s*(?:message-id|mime-version|content-[\w-]+):", re.IGNORECASE)
_PAGE = re.compile(r"\bpage\s+\d+(?:\s+of\s+\d+)?\b", re.IGNORECASE)
_COURTESY = re.compile(
    r"^\W*(?:hello|hi|dear|good (?:morning|afternoon|evening)|thanks|thank you|many thanks|"
    r"(?:kind |best |warm )?regards|best wishes|sincerely|yours (?:sincerely|faithfully)|please find attached)\b"
    r"[^.:;]{0,60}\W*$",
    re.IGNORECASE,
)


def checked(problem: Problem, evidence: Evidence) -> tuple[Problem, str | None]:
    """The problem with its sources' paths written out, and why it is rejected; None where each ground holds."""
    if not problem.grounds:
        return problem, "it has no grounds"
    grounds = []
    for number, ground in enumerate(problem.grounds, 1):
        source = evidence.source(ground.source)
        if source is None:
            return problem, f"ground {number}: {ground.source} is no source of this task"
        grounds.append(ground.model_copy(update={"source": source}))
    problem = problem.model_copy(update={"grounds": tuple(grounds)})
    for number, ground in enumerate(grounds, 1):
        wrong = fault(ground, evidence)
        if wrong is not None:
            return problem, f"ground {number}: {wrong}"
    if problem.defect == "cross-file inconsistency" and len(problem.sources) < 2:
        return problem, "two sources are said to differ, and the grounds come from one"
    return problem, None


def fault(ground: Ground, evidence: Evidence) -> str | None:
    """Why a ground does not hold, or None. Its source is one of the task's, as ``Evidence.source`` writes it."""
    quote = plain(ground.quote)
    if (ground.call == 0) != (ground.source == REQUEST):
        return f"call 0 is the request, and nothing else is ({ground.source}, call {ground.call})"
    if ground.call == 0:
        said, wrong = evidence.view.request, None
    else:
        read = evidence.by_number.get(ground.call)
        if read is None:
            return f"there is no call {ground.call}"
        said, wrong = read.text, _not_opened(ground, read, evidence)
    wrong = wrong or _empty(quote, said, evidence)
    if wrong is not None:
        return wrong
    if not stands(quote, plain(said)):
        return f"the quote does not stand in the answer to call {ground.call}" + _elsewhere(quote, evidence)
    if ground.call and _is_file(ground.source, evidence):
        wrong = _of_another(ground, evidence.by_number[ground.call], evidence)
    return wrong or (_present(ground.missing, evidence) if ground.missing else None)


def _is_file(source: str, evidence: Evidence) -> bool:
    return source in evidence.given


def _not_opened(ground: Ground, read: Read, evidence: Evidence) -> str | None:
    """Why a call did not open a source, or None."""
    source = ground.source
    if read.failed and evidence.asks(read, source):  # it cannot be opened, or is not there: the answer says so
        opens = read.tool == FETCH and source in evidence.view.external
        return f"call {read.number} failed by chance: {source} can be fetched" if opens else None
    if source == USER:
        return None if read.tool in ("", "submit") else f"call {read.number} did not hand over to the user"
    if source == WEB and read.tool == SEARCH:
        return f"the search of call {read.number} failed" if read.failed else None
    if not _is_file(source, evidence) and "://" not in source:  # a folder
        listed = read.tool in LISTING or read.program
        return None if listed and (source == "." or f"{source}/" in f"{read.said}/ {read.text}") else _never(ground)
    if read.tool in LISTING:
        return f"call {read.number} lists files and opens none"
    if "://" in source:
        return None if evidence.fetched(read, source) else _never(ground)
    if not (evidence.asks(read, source) or evidence.tells(read, source)):
        return _never(ground)
    return None


def _never(ground: Ground) -> str:
    return f"call {ground.call} did not open {ground.source}"


def _empty(quote: str, said: str, evidence: Evidence) -> str | None:
    """Why a quote is too little to rest anything on, or None."""
    if sum(map(str.isalnum, quote)) < SHORTEST or len(tokens(quote)) < 2:
        return "the quote is too short"
    dull = [line for line in said.splitlines() if _is_boilerplate(line)]
    rest = "" if any(quote in plain(line) for line in dull) else quote
    for line in dull:
        rest = rest.replace(plain(line), " ") if plain(line) else rest
    if sum(map(str.isalnum, rest)) < SHORTEST and not _matters(quote, dull):
        return "the quote is boilerplate"
    opened = [path for path in evidence.opened if path in evidence.texts]
    if len(opened) >= COMMON:
        alike = sum(stands(quote, evidence.plain_texts[path]) for path in opened)
        if alike >= COMMON and alike > len(opened) / 2:
            return f"the quote stands in {alike} of {len(opened)} files: boilerplate"
    return None


def _is_boilerplate(line: str) -> bool:
    return any(pattern.search(line) for pattern in (_MARKS, _MARGIN, _COURTESY))


def _matters(quote: str, lines: list[str]) -> bool:
    """Whether a quote of a page's margin states something, a version say: it has a number that is no page's."""
    of_margin = any(_MARGIN.search(line) and quote in plain(line) for line in lines)
    return of_margin and re.search(r"\d", _PAGE.sub("", quote)) is not None


def _elsewhere(quote: str, evidence: Evidence) -> str:
    """Where a quote stands instead, for the record."""
    if stands(quote, plain(evidence.view.request)):
        return "; it stands in the request"
    found = next((read.number for read in evidence.reads if stands(quote, plain(read.text))), None)
    return "" if found is None else f"; it stands in the answer to call {found}"


def _of_another(ground: Ground, read: Read, evidence: Evidence) -> str | None:
    """Why a quote that stands in an answer is not this source's, or None."""
    own = evidence.texts.get(ground.source)
    if own is None:  # a picture, or a file that the user brought: nothing to compare with
        return None
    has = share(ground.quote, own.words, own.pairs)
    said = set(tokens(ground.quote))
    changed = evidence.changed_before(read, ground.source)
    if changed and (has < OWN or not {token for token in said if token[0].isdigit()} <= own.words):
        return f"the solver had changed {ground.source}, and the quote is not in it as it was given"
    if evidence.exactly(read, ground.source):
        return None
    if not evidence.asks(read, ground.source) and has < OWN:
        return f"call {read.number} names {ground.source}, and the quote is not in that file"
    quote = plain(ground.quote)
    if stands(quote, evidence.plain_texts[ground.source]):
        return None
    if read.program and has < OWN and said <= set(tokens(read.said)):
        return f"the solver let a program print these words in call {read.number}"
    for path, other in evidence.texts.items():
        if path != ground.source and (evidence.asks(read, path) or evidence.tells(read, path)):
            theirs = share(ground.quote, other.words, other.pairs)
            if stands(quote, evidence.plain_texts[path]) or has < OWN <= OTHERS <= theirs:
                return f"the quote is of {path}"
    return None


def _present(missing: str, evidence: Evidence) -> str | None:
    """Why what is said to be missing is not, or None."""
    wanted = telling(missing)
    if sum(map(len, wanted)) < 3:
        return "it is not said in words what is missing"
    places = {REQUEST: evidence.view.request}
    places |= {path: text.text for path, text in evidence.texts.items() if wanted <= text.words}
    for read in evidence.reads:
        if read.tool and read.tool not in LISTING and not read.failed and not _retells(read, evidence):
            places[f"the answer to call {read.number}"] = read.text
    for place, text in places.items():
        found = together(wanted, text)
        if found is not None:
            return f'"{missing}" is not missing: {place} has "{" ".join(found.split())[:160]}"'
    return None


def _retells(read: Read, evidence: Evidence) -> bool:
    """Whether a call's answer can only say what files say that are looked through anyway, or the solver itself."""
    if evidence.of_own(read) or (read.program and len(evidence.texts) == len(evidence.given)):
        return True
    return any(evidence.asks(read, path) or evidence.tells(read, path) for path in evidence.texts)
