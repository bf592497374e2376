"""The command line. Parsing is here and light; each command loads what it needs when it runs.

Exit codes: 0 done; 1 done, and something falls short; 2 wrong usage, bad input or a missing prerequisite.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence

from workgym.cli.given import seed
from workgym.cli.output import Output
from workgym.errors import WorkgymError

_TASKS = "packages, folders of packages, what build wrote, or ids"


def parser() -> argparse.ArgumentParser:
    """The whole grammar."""
    from workgym._version import __version__

    top = argparse.ArgumentParser(
        prog="workgym", description="Tasks of real office work that can be done and can be graded."
    )
    top.add_argument("--version", action="version", version=f"workgym {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", required=True)

    def verb(name: str, target: str, says: str) -> argparse.ArgumentParser:
        command = verbs.add_parser(name, help=says, description=says[0].upper() + says[1:] + ".")
        command.add_argument("--json", action="store_true", help="print the result as JSON")
        command.set_defaults(run=target)
        return command

    demo = verb("demo", "demo:demo", "the whole flow on the built-in families, offline, in about a minute")
    demo.add_argument(
        "-o", "--out", default="out/demo", metavar="DIR", help="where packages, trajectories and report go"
    )
    demo.add_argument("--family", action="append", metavar="NAME", help="only this family; may be repeated")
    demo.add_argument("--seed", type=seed, default=42, help="seed of every task (42)")

    build = verb("build", "tasks:build", "make task packages from a family and seeds, or let a model plan them")
    build.add_argument(
        "family", metavar="FAMILY[.PRESET]|ID", nargs="*", help="a family, with its preset, or a task's id"
    )
    build.add_argument("--seeds", metavar="A-B", help="seeds, as 7 or 0-99 or 1,4,9 (0); an id brings its own")
    build.add_argument("-o", "--out", required=True, metavar="DIR", help="folder that receives a folder for each task")
    build.add_argument("--inject", metavar="CLASS", help="plant a defect of this class, to try checks and repair on")
    build.add_argument("--replace", action="store_true", help="replace packages that were repaired or changed, too")
    _modelled(build)

    check = verb("check", "judge:check", "run the construction checks, or compare a corpus with evaluation sets")
    says = f"{_TASKS}; or a family's folder: two seeds of each preset, which the expert solves"
    check.add_argument("task", nargs="+", metavar="DIR|ID", help=says)
    check.add_argument("--expert", action="store_true", help="let the expert solve each task, too")
    _against(check)

    suite = verb("qa", "quality:qa", "the quality suite on tasks: what has to hold before they are released")
    suite.add_argument("target", nargs="+", metavar="DIR|ID", help=_TASKS)
    suite.add_argument("--size", choices=("ci", "release"), default="ci", help="how much is tried (ci)")
    suite.add_argument("--most", type=int, metavar="N", help="at most so many cases of each kind")
    suite.add_argument("--only", action="append", metavar="CHECK", help="only this check or area; nothing is sealed")
    suite.add_argument("--again", action="store_true", help="examine those anew that were examined before")
    _sandbox(suite)
    suite.add_argument("-o", "--out", metavar="FILE", help="write the whole report as JSON; an interrupted run goes on")
    suite.add_argument("-v", "--verbose", action="store_true", help="all evidence, of checks that passed, too")

    mend = verb("repair", "repairing:repair", "repair a package, by a model or from its family, and check it again")
    mend.add_argument("package", metavar="DIR")
    mend.add_argument("-o", "--out", metavar="DIR", help="where the repaired package goes; in place where left out")
    mend.add_argument("--no-expert", action="store_true", help="accept on the checks alone, without the expert's run")
    _sandbox(mend)
    mend.add_argument("--reviser", metavar="SPEC", help="model that proposes edits; else the family restores")
    mend.add_argument("--reviewer", metavar="SPEC", help="model that says whether a revision preserves the task")
    mend.add_argument("--solver", metavar="SPEC", help="model that writes the expert script anew where words changed")
    mend.add_argument("--problems", metavar="FILE", help="a probe's report (JSON): what blocked the work is repaired")
    mend.add_argument("--rounds", type=int, default=3, metavar="N", help="proposals at most (3)")
    mend.add_argument("--ledger", metavar="FILE", help="keep all replies of models here: none is paid for twice")
    _budget(mend)

    from workgym.cli import intents

    intents.arguments(verb("intents", "intents:make", "make, count and show intents: what somebody at work wants done"))

    listing = verb(
        "list", "tasks:listing", "what there is: families, harnesses, tool packs; or the packages of a folder"
    )
    listing.add_argument("folder", nargs="?", metavar="DIR", help="a folder of packages, or what build wrote")

    show = verb("show", "tasks:show", "one task: its request, files, and the graph behind it")
    show.add_argument("task", metavar="DIR|ID", help="a package, or an id")
    show.add_argument("--history", action="store_true", help="only what was revised, and why")
    show.add_argument("--svg", metavar="FILE", help="write the graph as a picture")

    run = verb("rollout", "episodes:rollout", "run a harness on a task, or teachers on many, and grade what they leave")
    run.add_argument("task", metavar="ID|DIR", nargs="+", help="ids, packages, folders or files that hold many")
    run.add_argument("--harness", metavar="NAME")
    run.add_argument("--teachers", metavar="FILE", help="YAML: models in harnesses, and their shares of many tasks")
    _asking(run)
    run.add_argument("-o", "--out", required=True, metavar="DIR", help="where it goes; an interrupted run goes on")
    run.add_argument("--rollouts", type=int, metavar="K", help="rollouts of each task (1)")
    run.add_argument(
        "--longest", type=int, metavar="K", help="rollouts of the 5 %% with the most turns (1; the file's)"
    )
    run.add_argument("--at-once", type=int, metavar="N", help="rollouts at the same time (2)")
    _sandbox(run)
    run.add_argument("--seed", type=seed, default=0)
    run.add_argument("--web-failures", metavar="S,F", help="shares of searches and of fetches that fail: 0.15,0.44")
    _grading(run)

    attempt = verb("probe", "probing:probe", "let a model attempt tasks, and diagnose what is wrong with the tasks")
    attempt.add_argument("task", nargs="+", metavar="DIR|ID", help=_TASKS)
    attempt.add_argument("--harness", required=True, metavar="NAME")
    _asking(attempt)
    says = "model that diagnoses, named as --model is; it sees what the solver saw, and no grade"
    attempt.add_argument("--diagnoser", required=True, metavar="SPEC", help=says)
    attempt.add_argument("--ledger", metavar="FILE", help="keep all replies of models here: an interrupted run goes on")
    attempt.add_argument("-o", "--out", required=True, metavar="DIR", help="receives a folder for each task")
    _sandbox(attempt)
    attempt.add_argument("--seed", type=seed, default=0, help="draw of the models; another one is another probe (0)")

    again = verb("replay", "episodes:replay", "run a trajectory again, and compare it step by step")
    again.add_argument("trajectory", metavar="DIR")
    again.add_argument("--until", type=int, metavar="K", help="stop after call K and show the workspace")
    again.add_argument("--sandbox", default="bubblewrap", metavar="NAME")

    verify = verb("verify", "grading:verify", "grade again what recorded rollouts handed in; runs no agent")
    verify.add_argument("trajectory", metavar="DIR", nargs="+", help="trajectories, or folders that hold some")
    verify.add_argument("--explain", action="store_true", help="each verdict on one page, with what is wrong and why")
    _grading(verify)

    chosen = verb("select", "selecting:select", "which trajectories are worth learning from, and why others are not")
    chosen.add_argument("runs", metavar="DIR", nargs="+", help="trajectories, or folders that hold some")
    chosen.add_argument("--config", metavar="FILE", help="YAML: thresholds of the filters (docs/select.md)")
    chosen.add_argument("--judge", metavar="SPEC", help="model that compares deliverables of the longest 5 %%")
    chosen.add_argument("--ledger", metavar="FILE", help="keep all replies of the judge here: none is paid for twice")
    _budget(chosen)
    chosen.add_argument("--replay", type=float, default=0.0, metavar="SHARE", help="run so many again, as a sample (0)")
    chosen.add_argument("-o", "--out", required=True, metavar="FILE|DIR", help="where the selection goes")

    audit = verb("audit", "audit:audit", "draw a sample of verdicts for people to label, or say what their labels show")
    audit.add_argument("trajectory", metavar="DIR", nargs="+", help="trajectories, or folders that hold some")
    audit.add_argument("--sample", type=int, default=60, metavar="N", help="checks to draw, over all strata (60)")
    audit.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of the draw (0)")
    audit.add_argument("-o", "--out", metavar="FILE", help="file that people label: NAME.yaml or NAME.csv")
    audit.add_argument("--labels", metavar="FILE", help="such a file with labels: print the rates")

    licence = verb("calibrate", "judging:calibrate", "examine a judge on deliverables of known quality, and license it")
    licence.add_argument("task", nargs="+", metavar="DIR|ID", help=_TASKS)
    _judging(licence, required=True)
    licence.add_argument("-o", "--out", metavar="FILE", help="where the licence goes; kept for verify where left out")

    told = verb("report", "report:report", "what a corpus is and how it was made: a page, JSON, and a data card")
    told.add_argument("folder", metavar="DIR", help="what build wrote, or any folder of packages and trajectories")
    told.add_argument("-o", "--out", metavar="DIR", help="where report.html, report.json, card.md go (DIR/report)")
    told.add_argument("--card", metavar="FILE", help="write the data card here")
    told.add_argument("--hygiene", metavar="FILE", help="what check --against wrote (DIR/hygiene.json)")

    doctor = verb("doctor", "machine:doctor", "what works on this machine")
    doctor.add_argument("--prepare", action="store_true", help="build the guest environment")
    verb("clean", "machine:clean", "remove what a crash left behind")
    return top


def _sandbox(command: argparse.ArgumentParser) -> None:
    names = "bubblewrap, docker, docker-office or unsafe-local"
    command.add_argument("--sandbox", default="bubblewrap", metavar="NAME", help=names)


def _modelled(build: argparse.ArgumentParser) -> None:
    """What ``build`` takes where a model is the author."""
    build.add_argument("--author", choices=("blueprint", "model"), default="blueprint", help="who makes the tasks")
    build.add_argument("--intents", metavar="DIR", help="take the intents of this library, make none")
    build.add_argument("--occupations", metavar="CODES", help="SOC codes or their beginnings: 13-20,29-1 (all)")
    build.add_argument("--count", type=int, metavar="N", help="intents to make, or to take from the library (all)")
    says = "seed of the intents that are made (0), or drawn from the library (left out: its first ones)"
    build.add_argument("--seed", type=seed, metavar="S", help=says)
    _asking(build)
    build.add_argument("--crew", metavar="FILE", help="YAML: a model for each role; --model is the rest")
    build.add_argument("--ledger", metavar="FILE", help="where replies are kept (ledger.sqlite in the folder)")
    build.add_argument("--conditions", choices=("planned", "direct", "both"), help="how to plan (planned)")
    build.add_argument("--settings", metavar="FILE", help="YAML: rounds, repairs, probes (docs/factory.md)")
    build.add_argument("--at-once", type=int, metavar="N", help="tasks in the works at the same time (2)")
    build.add_argument("--again", action="store_true", help="take up again what failures of ours stopped too often")


def _against(command: argparse.ArgumentParser) -> None:
    """What a corpus is compared with."""
    says = "evaluation set: packages, any files, tables of requests; nothing else is checked then; may be repeated"
    command.add_argument("--against", action="append", metavar="DIR", help=says)
    column = "a column of their tables that holds requests, beside those with a known name; may be repeated"
    command.add_argument("--column", action="append", metavar="NAME", help=column)
    command.add_argument("--copy", type=float, default=0.6, metavar="SHARE", help="shared text that is a copy (0.6)")
    command.add_argument("--queue", metavar="FILE", help="pairs that people decide, and have decided: .yaml or .csv")
    command.add_argument("--nearest", type=int, default=50, metavar="N", help="pairs to put into the queue (50)")
    command.add_argument("--cache", metavar="FILE", help="keep what files say: an interrupted run goes on")
    command.add_argument("-o", "--out", metavar="FILE", help="write the comparison as JSON, for the data card")


def _asking(command: argparse.ArgumentParser) -> None:
    """Which model is asked, and what it may cost."""
    says = "openai:NAME, mailbox:FOLDER, recorded:PATH, scripted:FILE or a YAML file; keys come from the environment"
    command.add_argument("--model", metavar="SPEC", help=says)
    _budget(command)


def _budget(command: argparse.ArgumentParser) -> None:
    """What models may cost."""
    command.add_argument("--budget-tokens", type=int, metavar="N", help="stop when so many tokens are spent")
    command.add_argument("--budget-usd", metavar="X", help="stop when so many US dollars are spent")


def _judging(command: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Who judges, and how it is asked."""
    says = "model that scores rubric items: openai:NAME, or a YAML file with an endpoint"
    command.add_argument("--judge", metavar="SPEC", required=required, help=says)
    command.add_argument("--judge-samples", type=int, default=3, metavar="K", help="times each question is asked (3)")
    command.add_argument("--ledger", metavar="FILE", help="keep all replies of models here: none is paid for twice")
    command.add_argument("--judge-pages", action="store_true", help="show pictures of pages: the model takes images")


def _grading(command: argparse.ArgumentParser) -> None:
    """How a workspace is graded."""
    command.add_argument("--combine", default="code/1", metavar="NAME", help="combiner of the reward (code/1)")
    _judging(command)
    command.add_argument("--licence", metavar="FILE", help="the judge's licence; where calibrate kept it if left out")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = parser().parse_args(argv)
    output = Output(as_json=arguments.json)
    kept, warnings.formatwarning = warnings.formatwarning, _warning
    module, _, name = arguments.run.partition(":")
    try:
        code: int = getattr(importlib.import_module(f"workgym.cli.{module}"), name)(arguments, output)
    except WorkgymError as error:
        output.done()
        print(f"workgym: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        output.done()
        print("workgym: interrupted; what was finished is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a folder that cannot be written, a disk that is full
        output.done()
        print(f"workgym: {error.filename or arguments.verb}: {error.strerror or error}", file=sys.stderr)
        return 2
    finally:
        warnings.formatwarning = kept
    return code


def _warning(message: Warning | str, *_: object, **__: object) -> str:
    """A warning as people are told one: a line, without the code that gave it."""
    return f"workgym: {message}\n"
