"""Checks of the card and of the package as data: what a catalogue, a loader and a licence reader rely on."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from workgym import shelves
from workgym.authoring import families
from workgym.errors import WorkgymError
from workgym.package import canary, members
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome
from workgym.records import by_ending

LICENCES = frozenset("Apache-2.0 MIT BSD-2-Clause BSD-3-Clause CC0-1.0 CC-BY-4.0 CC-BY-SA-4.0 ODC-By-1.0".split())
"""SPDX identifiers under which tasks may be passed on and changed."""
MAJORS = frozenset(range(11, 56, 2))
"""The 23 major groups of SOC 2018: 11 to 55, every second number."""
MOST_TURNS = 250
"""The turn limit of the published systems (WorkFactory)."""
MOST_SECONDS, MOST_MEMORY, MOST_WORKSPACE = 600.0, 8192, 1024
"""Ceilings of what a card may grant: seconds of one call, MiB of memory, MiB of workspace."""
MOST_BYTES, MOST_FILE, MOST_FILES = 64 << 20, 16 << 20, 500
"""Ceilings of a package: bytes in all, bytes of one file, files."""
_OCCUPATION = re.compile(r"(\d\d)-\d{4}(?:\.\d\d)?")
_SLUG = re.compile(r"[a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*")
_RESERVED = re.compile(r'(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*[<>:"|?*\\\x00-\x1f]|.*[. ]', re.IGNORECASE)
_WRITERS = frozenset({"workgym", "duckdb"})


def canary_present(bench: Bench) -> Outcome:
    """The card carries the canary that belongs to its id."""
    card = bench.package.card
    wanted = canary(card.id)
    wrong = (
        ()
        if card.canary == wanted
        else (f"task.yaml says {card.canary[:80]!r}, the canary of {card.id} is {wanted!r}",)
    )
    return Outcome(wrong)


def licence(bench: Bench) -> Outcome:
    """The content may be passed on and changed."""
    said = bench.package.card.licence
    return Outcome(() if said in LICENCES else (f"{said!r} is none of {', '.join(sorted(LICENCES))}",))


def occupation(bench: Bench) -> Outcome:
    """The occupation is a code of SOC 2018 (or of O*NET, with two more digits)."""
    said = bench.package.card.occupation
    match = _OCCUPATION.fullmatch(said)
    good = match is not None and int(match[1]) in MAJORS and said[3:7] != "0000"
    return Outcome(() if good else (f"{said!r} is no detailed SOC 2018 code such as 13-1023",))


def described(bench: Bench) -> Outcome:
    """Title, role and capabilities say in plain words what the work is."""
    card = bench.package.card
    wrong = []
    if not 8 <= len(card.title) <= 120 or "\n" in card.title:
        wrong.append(f"the title has {len(card.title)} characters: one line of 8 to 120 is asked for")
    if not card.role.strip():
        wrong.append("no role is named")
    if not card.capabilities:
        wrong.append("no capability is named")
    wrong += [f"capability {name!r} is not in small letters" for name in card.capabilities if not _SLUG.fullmatch(name)]
    wrong += [f"capability {name!r} is named twice" for name, count in Counter(card.capabilities).items() if count > 1]
    return Outcome(tuple(wrong))


def deliverables(bench: Bench) -> Outcome:
    """The card names the deliverables that grading looks for, in formats that are written and read here."""
    package = bench.package
    named = [one.path for one in package.card.deliverables]
    edited = {one.path for one in package.hidden.graph.deliverables if one.edits}
    wrong = [f"{path} is graded, and the card does not name it" for path in bench.outputs if path not in named]
    wrong += [f"{path} is named, and nothing of it is graded" for path in named if path not in bench.outputs]
    for one in package.card.deliverables:
        form = by_ending(one.path)
        if form is None or one.format not in form.endings:
            wrong.append(f"{one.path}: {one.format!r} is no format that is read, or not the one that its name says")
        if one.path in package.files and one.path not in edited:
            wrong.append(f"{one.path} is given already")
    wrong += [f"{path} is named twice" for path, count in Counter(named).items() if count > 1]
    return Outcome(tuple(wrong), numbers={"deliverables": len(named)})


def limits(bench: Bench) -> Outcome:
    """What an episode may use is declared, and below the ceilings."""
    said = bench.package.card.limits
    bounds = (
        ("turns", said.turns, MOST_TURNS),
        ("call_seconds", said.call_seconds, MOST_SECONDS),
        ("memory_mib", said.memory_mib, MOST_MEMORY),
        ("workspace_mib", said.workspace_mib, MOST_WORKSPACE),
    )
    wrong = [
        f"{name} is {value:g}: above 0 and at most {most:g} is asked for"
        for name, value, most in bounds
        if not 0 < value <= most
    ]
    return Outcome(tuple(wrong), numbers={name: value for name, value, _ in bounds})


def toolchain(bench: Bench) -> Outcome:
    """The versions of what wrote the files are recorded, so that its bytes can be had again."""
    pinned = bench.package.card.toolchain
    missing = sorted(_WRITERS - pinned.keys()) + sorted(name for name, said in pinned.items() if not said.strip())
    return Outcome(tuple(f"no version of {name} is recorded" for name in missing), numbers={"libraries": len(pinned)})


def interfaces(bench: Bench) -> Outcome:
    """The tool packs and skills that the card offers are there."""
    said = bench.package.card.interfaces
    there = shelves.names("tools")
    wrong = [f"there is no tool pack {name}; there are {', '.join(there)}" for name in said.tools if name not in there]
    wrong += [f"there is no skill {name} in the package" for name in said.skills]
    if not said.tools:
        wrong.append("no tool pack is offered: nothing can be read or written")
    return Outcome(tuple(wrong), numbers={"packs": len(said.tools)})


def bounded(bench: Bench) -> Outcome:
    """The package is small enough to be passed around: bytes, largest file, number of files."""
    sizes = {path: len(content) for path, content in members(bench.package.with_hidden(qa=None)).items()}
    public = {path: len(content) for path, content in bench.public.items()}
    wrong = []
    if sum(sizes.values()) > MOST_BYTES:
        wrong.append(f"{sum(sizes.values()):,} bytes in all: at most {MOST_BYTES:,}")
    wrong += [f"{path}: {size:,} bytes: at most {MOST_FILE:,}" for path, size in sizes.items() if size > MOST_FILE]
    if len(public) > MOST_FILES:
        wrong.append(f"{len(public)} public files: at most {MOST_FILES}")
    numbers = {"bytes": sum(sizes.values()), "public bytes": sum(public.values()), "public files": len(public)}
    return Outcome(tuple(wrong), numbers={**numbers, "largest file": max(sizes.values())})


def names(bench: Bench) -> Outcome:
    """File names work on every system: no reserved or invisible characters, none that differ in case alone."""
    wrong = []
    paths = sorted({*bench.package.files, *bench.outputs})
    folded = Counter(path.casefold() for path in paths)
    for path in paths:
        parts = path.split("/")
        if path != unicodedata.normalize("NFC", path) or any(unicodedata.category(sign)[0] == "C" for sign in path):
            wrong.append(f"{path!r} has characters that cannot be seen or are composed of several")
        if any(not part or part in (".", "..") or _RESERVED.fullmatch(part) for part in parts) or len(path) > 200:
            wrong.append(f"{path!r} cannot be a file's name everywhere")
        if folded[path.casefold()] > 1:
            wrong.append(f"{path} differs from another name in case alone")
    return Outcome(tuple(wrong), numbers={"longest": max(map(len, paths), default=0)})


def reproducible(bench: Bench) -> Outcome:
    """Its family and seed give the same package again, to the digest."""
    package, origin = bench.package, bench.package.hidden.origin
    if not origin.family or origin.family not in families.names():
        raise NotApplicable("it is of no family that is installed here")
    if package.hidden.history:
        raise NotApplicable("it was revised: its history says how")
    try:
        again = families.build(origin.family, origin.preset, origin.seed, origin.version)
    except WorkgymError as error:
        raise NotApplicable(f"{origin.family} at version {origin.version} is not here: {error}") from error
    if dict(again.card.toolchain) != dict(package.card.toolchain):
        raise NotApplicable("it was written by other versions of the libraries")
    if again.digest == package.digest:
        return Outcome(numbers={"worlds": again.hidden.origin.worlds})
    paths = sorted({*again.card.digests, *package.card.digests})
    differing = [path for path in paths if again.card.digests.get(path) != package.card.digests.get(path)]
    return Outcome((f"{origin.family}, seed {origin.seed}: {', '.join(differing) or 'its hidden side'} differs",))
