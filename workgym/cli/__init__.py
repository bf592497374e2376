"""The command line. Parsing is here and light; each command loads what it needs when it runs.

Exit codes: 0 done; 1 done, and something falls short; 2 wrong usage, bad input or a missing prerequisite.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from workgym.cli.output import Output
from workgym.errors import WorkgymError


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
    demo.add_argument("--seed", type=int, default=42, help="seed of every task (42)")

    build = verb("build", "tasks:build", "make task packages from a family and seeds")
    build.add_argument(
        "family", metavar="FAMILY[.PRESET]|ID", nargs="+", help="a family, with its preset, or a task's id"
    )
    build.add_argument(
        "--seeds", default="0", metavar="A-B", help="seeds, as 7 or 0-99 or 1,4,9 (0); an id brings its own"
    )
    build.add_argument("-o", "--out", required=True, metavar="DIR", help="folder that receives a folder for each task")
    build.add_argument("--inject", metavar="CLASS", help="plant a defect of this class, to try checks and repair on")

    check = verb("check", "judge:check", "run the construction checks on packages or ids")
    check.add_argument("task", nargs="+", metavar="DIR|ID")
    check.add_argument("--expert", action="store_true", help="let the expert solve each task, too")

    suite = verb("qa", "quality:qa", "the quality suite on tasks: what has to hold before they are released")
    suite.add_argument("target", nargs="+", metavar="DIR|ID", help="a package, a folder of packages, or an id")
    suite.add_argument("--size", choices=("ci", "release"), default="ci", help="how much is tried (ci)")
    suite.add_argument("--most", type=int, metavar="N", help="at most so many cases of each kind")
    suite.add_argument("--only", action="append", metavar="CHECK", help="only this check or area; nothing is sealed")
    suite.add_argument("--again", action="store_true", help="examine those anew that were examined before")
    suite.add_argument("--sandbox", default="bubblewrap", metavar="NAME", help="bubblewrap, docker or unsafe-local")
    suite.add_argument("-o", "--out", metavar="FILE", help="write the whole report as JSON; an interrupted run goes on")
    suite.add_argument("-v", "--verbose", action="store_true", help="all evidence, of checks that passed, too")

    mend = verb("repair", "judge:repair", "repair a package of a family, and check it again")
    mend.add_argument("package", metavar="DIR")
    mend.add_argument("-o", "--out", metavar="DIR", help="where the repaired package goes; in place where left out")
    mend.add_argument("--no-expert", action="store_true", help="accept on the checks alone, without the expert's run")

    listing = verb(
        "list", "tasks:listing", "what there is: families, harnesses, tool packs; or the packages of a folder"
    )
    listing.add_argument("folder", nargs="?", metavar="DIR", help="a folder of packages")

    show = verb("show", "tasks:show", "one task: its request, files, and the graph behind it")
    show.add_argument("task", metavar="DIR|ID")
    show.add_argument("--history", action="store_true", help="only what was revised, and why")
    show.add_argument("--svg", metavar="FILE", help="write the graph as a picture")

    run = verb("rollout", "episodes:rollout", "run a harness on a task, and grade what it leaves")
    run.add_argument("task", metavar="ID|DIR")
    run.add_argument("--harness", required=True, metavar="NAME")
    _asking(run)
    run.add_argument("-o", "--out", required=True, metavar="DIR", help="where the trajectory goes")
    run.add_argument("--sandbox", default="bubblewrap", metavar="NAME", help="bubblewrap, docker or unsafe-local")
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--web-failures", metavar="S,F", help="shares of searches and of fetches that fail: 0.15,0.44")
    _grading(run)

    again = verb("replay", "episodes:replay", "run a trajectory again, and compare it step by step")
    again.add_argument("trajectory", metavar="DIR")
    again.add_argument("--until", type=int, metavar="K", help="stop after call K and show the workspace")
    again.add_argument("--sandbox", default="bubblewrap", metavar="NAME")

    verify = verb("verify", "grading:verify", "grade again what recorded rollouts handed in; runs no agent")
    verify.add_argument("trajectory", metavar="DIR", nargs="+", help="trajectories, or folders that hold some")
    verify.add_argument("--explain", action="store_true", help="each verdict on one page, with what is wrong and why")
    _grading(verify)

    audit = verb("audit", "audit:audit", "draw a sample of verdicts for people to label, or say what their labels show")
    audit.add_argument("trajectory", metavar="DIR", nargs="+", help="trajectories, or folders that hold some")
    audit.add_argument("--sample", type=int, default=60, metavar="N", help="checks to draw, over all strata (60)")
    audit.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the draw (0)")
    audit.add_argument("-o", "--out", metavar="FILE", help="file that people label: NAME.yaml or NAME.csv")
    audit.add_argument("--labels", metavar="FILE", help="such a file with labels: print the rates")

    licence = verb("calibrate", "judging:calibrate", "examine a judge on deliverables of known quality, and license it")
    licence.add_argument("task", nargs="+", metavar="DIR|ID")
    _judging(licence, required=True)
    licence.add_argument("-o", "--out", metavar="FILE", help="where the licence goes; kept for verify where left out")

    doctor = verb("doctor", "machine:doctor", "what works on this machine")
    doctor.add_argument("--prepare", action="store_true", help="build the guest environment")
    verb("clean", "machine:clean", "remove what a crash left behind")
    return top


def _asking(command: argparse.ArgumentParser) -> None:
    """Which model is asked, and what it may cost."""
    says = "openai:NAME, mailbox:FOLDER, recorded:PATH, scripted:FILE or a YAML file; keys come from the environment"
    command.add_argument("--model", metavar="SPEC", help=says)
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
    return code
