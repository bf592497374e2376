"""Which checks there are, in which order, and what a failure of each means."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from workgym.quality.suite import attempts, card, carriers, construction, episodes, floors, grading, texts, verdicts
from workgym.quality.suite.bench import Bench, Outcome
from workgym.quality.suite.report import Severity


class Check(NamedTuple):
    """One check of the suite."""

    name: str
    """``area.what``."""
    severity: Severity
    """What a failure means: ``error`` closes the gate."""
    says: str
    """What holds where it passes."""
    run: Callable[[Bench], Outcome]
    """The check. Raises NotApplicable and Unmet."""


_from, _floor = construction.group, floors.floor

POLICY: tuple[Check, ...] = (
    Check("card.canary", "error", "the card carries the canary of its id", card.canary_present),
    Check("card.licence", "error", "the content may be passed on and changed", card.licence),
    Check("card.occupation", "error", "the occupation is a SOC 2018 code", card.occupation),
    Check("card.described", "warning", "title, role and capabilities say what the work is", card.described),
    Check("card.deliverables", "error", "card and grading name the same files, in known formats", card.deliverables),
    Check("card.limits", "error", "turns, time, memory and workspace are declared, below the ceilings", card.limits),
    Check("card.interfaces", "error", "the tool packs and skills that are offered are there", card.interfaces),
    Check("card.toolchain", "warning", "the versions of what wrote the files are recorded", card.toolchain),
    Check("files.bounds", "error", "bytes, files and the largest file are within the ceilings", card.bounded),
    Check("files.names", "error", "file names work on every system", card.names),
    Check("files.empty", "error", "every file says something", texts.empty),
    Check("files.canary", "error", "the canary stands in the card alone", texts.canary_kept),
    Check("files.hidden", "error", "no text of the hidden side stands in a public file", texts.hidden_kept),
    Check("files.secrets", "error", "nothing looks like a real credential", texts.secrets),
    Check("files.domains", "error", "addresses and links lead to domains that belong to nobody", texts.domains),
    Check("files.unicode", "error", "nothing is invisible, turned round or of two scripts", texts.visible),
    Check("build.reproducible", "error", "family and seed give the same package again", card.reproducible),
    Check("construction.evaluates", "error", "the graph gives the stored rows, within limits", construction.evaluates),
    Check("construction.premises", "error", "every premise is there, and would be missed", _from(*construction.STANDS)),
    Check("construction.leak", "error", "no answer is printed for the solver to copy", _from("leak", "listing")),
    Check("construction.loose", "error", "no number or name stands there undeclared", _from("loose", "contradiction")),
    Check("construction.necessity", "error", "what is given is read, or declared a distractor", _from("necessity")),
    Check("construction.robustness", "error", "no result flips with the last digit", _from("robustness", "margin")),
    Check("construction.conflicts", "error", "every conflict of the files is settled in sight", construction.settled),
    Check("construction.request", "error", "the request says all that is graded", construction.requested),
    Check("construction.answers", "info", "how many distinct answers are admissible", construction.one_answer),
    Check("oracle.maximum", "error", "the expert, who sees the solver's view only, earns all", floors.oracle),
    Check("oracle.room", "warning", "the expert needs no more than half of the turns", floors.room),
    Check("oracle.sufficiency", "error", "the expert rests on the cells that it should", grading.independent),
    Check("floor.noop", "error", "who submits at once earns nothing", floors.noop),
    Check("floor.empty-files", "error", "files of no bytes earn nothing", _floor("floor", attempts.empty_files)),
    Check("floor.empty-documents", "error", "empty documents earn nothing", _floor("floor", attempts.empty_documents)),
    Check("floor.blind", "error", "the request alone earns next to nothing", _floor("blind", attempts.blind)),
    Check("game.echo", "error", "the request's own text earns next to nothing", _floor("echo", attempts.echo)),
    Check("game.spam", "error", "all visible numbers, dumped, earn next to nothing", _floor("spam", attempts.spam)),
    Check("game.copies", "error", "inputs as deliverables earn next to nothing", _floor("copies", floors.copied)),
    Check("game.guessing", "error", "guessing every choice does not pay", floors.guessing),
    Check("verdict.well-formed", "error", "verdicts are whole: reward, weights, evidence", verdicts.well_formed),
    Check("verdict.repeated", "error", "the same files get the same verdict again", verdicts.repeated),
    Check("verdict.elsewhere", "error", "another process comes to the same verdict", verdicts.elsewhere),
    Check("episode.tools", "error", "the tools on offer are the declared ones", episodes.offered),
    Check("episode.seeds", "error", "a seed changes nothing of the task", episodes.seeds),
    Check("episode.hidden", "error", "nothing hidden can be found from inside the sandbox", episodes.contained),
    Check("episode.walls", "error", "the sandbox has no network and is apart from the host", episodes.walled),
    Check("episode.isolation", "error", "no episode sees what another one wrote", episodes.apart_from_others),
    Check("episode.replay", "error", "the expert's trajectory replays exactly", episodes.replayable),
    Check("episode.record", "error", "the trajectory holds every call, the verdict and the end", episodes.recorded),
    Check("episode.order", "error", "nothing depends on the order of files", episodes.order),
    Check("carriers.shortcut", "error", "what rests on a withheld carrier is not solved without it", carriers.shortcut),
    Check("carriers.useless", "warning", "every carrier that is called needed is", carriers.useless),
    Check("carriers.distractors", "error", "the work needs no distractor", carriers.distracting),
    Check("carriers.stops", "warning", "without a needed carrier the expert stops and does not guess", carriers.stops),
    Check("grader.mutants", "error", "typed mistakes are seen", grading.mutants),
    Check("grader.equivalents", "error", "the same work said in another way passes", grading.equivalents),
    Check("grader.attribution", "warning", "the cause of a mistake is named", grading.attribution),
)  # fmt: skip
"""The suite, in the order in which it runs."""
NAMES = tuple(check.name for check in POLICY)
"""The names of all checks."""
