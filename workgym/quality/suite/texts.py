"""Checks of what the solver reads: nothing hidden in it, nothing dangerous or real, nothing that cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from workgym.package import TaskPackage
from workgym.quality.suite.archives import parts
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome
from workgym.records import by_ending

_RESERVED = re.compile(r"(?:^|\.)(?:example|test|invalid|localhost)$|(?:^|\.)example\.(?:com|net|org)$")
"""Domains that belong to nobody: RFC 2606 and RFC 6761."""
_STANDARD = re.compile(
    r"(?:^|\.)(?:w3\.org|openxmlformats\.org|purl\.org|microsoft\.com|adobe\.com|sodipodi\.net|schemas\.xmlsoap\.org)$"
)
"""Hosts of namespaces in markup, which nobody visits."""
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_LINK = re.compile(
    r"\b(?:https?|ftp)://(?:[^/\s@]*@)?([A-Za-z0-9.-]+)|\bwww\.([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", re.I
)
SECRETS = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    "an AWS key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{22,}\b"),
    "a model provider's key": re.compile(r"\bsk-(?:[a-z]+-)?[A-Za-z0-9_-]{20,}\b"),
    "a Google key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "a Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b"),
    "a JSON web token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b"),
    "a payment card": re.compile(r"(?<!\d)(?:4\d{3}|5[1-5]\d{2}|3[47]\d{2})[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}(?!\d)"),
}
"""What must not stand in a file that goes round, by name."""
_SIGNS = frozenset(
    "\u0394\u03a3\u03a6\u03a9\u03b1\u03b2\u03b3\u03b4\u03b5\u03b7\u03b8\u03bb\u03bc\u03c0\u03c1\u03c3\u03c6\u03c9"
)
_ALLOWED = frozenset("\t\n\r\u00a0\u00ad\u200c\u200d\u200e\u200f\u2009\u202f")
_UNFILLED = re.compile(r"\{\{[^{}]*\}\}|\{%.*?%\}")
_CODE = re.compile(r"\s*(?:def \w+\(|(?:if|for|while|with) .*:$|return .*[(\[]|raise \w+\(|\w+ = .*\()")
"""Lines of a script that are code, not the texts of files that it looks for."""
_LONG = 24


def canary_kept(bench: Bench) -> Outcome:
    """The canary stands in the card alone: a solver that prints it would mark its own work as contaminated."""
    marks = [
        bench.package.card.canary,
        *re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", bench.package.card.canary),
    ]
    found = [path for path, text in _raw(bench) if any(mark and mark in text for mark in marks)]
    return Outcome(tuple(f"{path} holds the canary" for path in dict.fromkeys(found)))


def hidden_kept(bench: Bench) -> Outcome:
    """No text of the hidden side stands in a public file: queries, rubric, the expert's script, names, id and seed."""
    secret = dict(hidden_texts(bench.package))
    wrong: dict[str, None] = {}
    for path, text in _raw(bench):
        plain = " ".join(text.split())
        for needle, what in secret.items():
            if needle in plain:
                wrong[f"{path} holds {what}: {needle[:60]!r}"] = None
    for path, fragment in bench.fragments():
        mark = _UNFILLED.search(fragment.text)
        if mark and bench.documents[path].format != "code":
            wrong[f"{path} {fragment.at}: a template was not filled in: {mark[0][:60]!r}"] = None
    return Outcome(tuple(wrong)[:20], numbers={"texts looked for": len(secret)})


def hidden_texts(package: TaskPackage) -> Iterator[tuple[str, str]]:
    """Texts of the hidden side that are long or odd enough to be no chance, and what each is."""
    hidden, graph = package.hidden, package.hidden.graph
    yield package.id, "the task's id"
    yield package.id.rpartition("/")[2], "the task's id"
    if hidden.origin.family:
        yield f"{hidden.origin.family}.{hidden.origin.preset}", "family and preset"
    columns = {column.name for unit in graph.units for column in unit.columns}
    for unit in graph.units:
        if unit.status == "derived" and "_" in unit.name and unit.name not in columns:
            yield unit.name, "a derived unit's name"
        if unit.query:
            yield " ".join(unit.query.split())[:120], "a query"
    for deliverable in graph.deliverables:
        for item in deliverable.rubric:
            if len(item.item) >= _LONG:
                yield " ".join(item.item.split()), "an item of the rubric"
    for trap in graph.traps:
        for query in trap.given.values():
            yield " ".join(query.split())[:120], "a trap's query"
    if hidden.expert:
        for line in hidden.expert.splitlines():
            if len(line.strip()) >= _LONG and _CODE.match(line):
                yield " ".join(line.split()), "a line of the expert's script"
    yield "hidden/", "a path of the hidden side"


def secrets(bench: Bench) -> Outcome:
    """Nothing looks like a real credential."""
    wrong: dict[str, None] = {}
    for path, fragment in bench.fragments():
        for what, pattern in SECRETS.items():
            match = pattern.search(fragment.text)
            if match and (what != "a payment card" or _luhn(match[0])):
                wrong[f"{path} {fragment.at}: {what}, {match[0][:12]}..."] = None
    return Outcome(tuple(wrong))


def domains(bench: Bench) -> Outcome:
    """Mail addresses and links lead to domains that belong to nobody."""
    if bench.package.hidden.origin.author == "real files":
        raise NotApplicable("its files are real: whose they are stands in their licence")
    wrong: dict[str, None] = {}
    seen = 0
    for path, fragment in bench.fragments():
        hosts = [match[1] for match in _MAIL.finditer(fragment.text)]
        hosts += [match[1] or match[2] for match in _LINK.finditer(fragment.text)]
        seen += len(hosts)
        for host in hosts:
            plain = host.casefold().rstrip(".")
            if not _RESERVED.search(plain) and not _STANDARD.search(plain):
                wrong[f"{path} {fragment.at}: {host} may be somebody's"] = None
    return Outcome(tuple(wrong), numbers={"addresses": seen})


def visible(bench: Bench) -> Outcome:
    """No character that cannot be seen, that turns text round, or that looks like a letter of another script."""
    wrong: dict[str, None] = {}
    for path, fragment in bench.fragments():
        for sign in fragment.text:
            if ord(sign) > 127 or ord(sign) < 32:
                category = unicodedata.category(sign)
                if category in ("Cc", "Cf", "Co", "Cn", "Cs") and sign not in _ALLOWED:
                    wrong[f"{path} {fragment.at}: U+{ord(sign):04X} cannot be seen"] = None
        for word in re.findall(r"\w+", fragment.text) if not fragment.text.isascii() else ():
            if _mixed(word):
                wrong[f"{path} {fragment.at}: {word!r} mixes letters of two scripts"] = None
    return Outcome(tuple(wrong))


def empty(bench: Bench) -> Outcome:
    """Every file says something."""
    said: dict[str, bool] = {}
    for path, fragment in bench.fragments():
        said[path.partition("//")[0]] = said.get(path.partition("//")[0], False) or bool(fragment.text.strip())
    pictures = {path for path, document in bench.documents.items() if document.pictures}
    wrong = [path for path, content in bench.public.items() if not content.strip()]
    wrong += [
        path
        for path in bench.public
        if path in bench.documents and not said.get(path) and path not in pictures and path not in wrong
    ]
    return Outcome(tuple(f"{path} says nothing" for path in wrong))


def _raw(bench: Bench) -> Iterator[tuple[str, str]]:
    """Every public file as text: what readers find, and the bytes of files and of the parts of archives."""
    for path, document in bench.documents.items():
        yield path, "\n".join(fragment.text for fragment in document.fragments)
    for path, content in bench.public.items():
        form = by_ending(path)
        if form is not None and form.name in ("pdf", "png", "jpg"):
            continue  # compressed: what stands there was read above
        yield path, content.decode("utf-8", "replace")
        for info, part in parts(content):
            yield f"{path} ({info.filename})", part.decode("utf-8", "replace")


def _luhn(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()][::-1]
    return sum(sum(divmod(digit * (1 + at % 2), 10)) for at, digit in enumerate(digits)) % 10 == 0


def _mixed(word: str) -> bool:
    """Latin letters among others that look like them; a Greek sign beside a Latin letter is a unit or a variable."""
    scripts = {unicodedata.name(sign, "").split(" ")[0] for sign in word if sign.isalpha() and sign not in _SIGNS}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
