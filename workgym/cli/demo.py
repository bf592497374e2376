"""``demo``: the whole flow on the built-in families."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path

from workgym import pipeline, sandbox
from workgym.authoring import families
from workgym.cli.output import Output
from workgym.errors import SandboxUnavailable
from workgym.pipeline import Story
from workgym.sandbox import guestenv
from workgym.viewer.report import report


def demo(arguments: Namespace, output: Output) -> int:
    """Tell the story of one task of each family; 1 where one does not hold."""
    started = time.monotonic()
    reason = sandbox.available()["bubblewrap"]
    if reason and guestenv.ready():
        raise SandboxUnavailable(reason)
    if not guestenv.ready():
        guestenv.prepare(output.progress)
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    stories = [
        pipeline.tell(name, seed=arguments.seed, out=out, progress=output.progress)
        for name in arguments.family or families.names()
    ]
    output.done()
    page = out / "report.html"
    page.write_text(report(stories), encoding="utf-8")
    _print(output, stories)
    seconds = time.monotonic() - started
    output.say(f"\n{page} shows the graphs and the evidence ({seconds:.0f} s)")
    output.result(
        {"tasks": [_row(story) for story in stories], "report": str(page), "holds": all(s.holds for s in stories)}
    )
    return 0 if all(story.holds for story in stories) else 1


def _print(output: Output, stories: list[Story]) -> None:
    rows = []
    for story in stories:
        for number, item in enumerate(story.defects):
            first = number == 0
            rows.append(
                (
                    story.package.id.rpartition("/")[2] if first else "",
                    len(story.package.files) if first else "",
                    ("pass" if story.report.passed else "fail") if first else "",
                    f"{story.expert.reward:.2f}" if first else "",
                    f"{story.noop.reward:.2f}" if first else "",
                    f"{item.defect}: checks {_yes(item.found_by_checks)}, expert {_yes(item.found_by_expert)}",
                    "discarded" if item.again is None else f"pass, expert {item.again.reward:.2f}",
                )
            )
    output.table(("task", "files", "checks", "expert", "no-op", "injected defect, found by", "after repair"), rows)


def _yes(found: bool) -> str:
    return "yes" if found else "NO"


def _row(story: Story) -> dict[str, object]:
    return {
        "id": story.package.id,
        "files": len(story.package.files),
        "checks": story.report.passed,
        "expert": story.expert.reward,
        "noop": story.noop.reward,
        "defects": [
            {
                "class": item.defect,
                "found_by_checks": item.found_by_checks,
                "found_by_expert": item.found_by_expert,
                "repaired": item.repair.accepted,
                "expert_after": None if item.again is None else item.again.reward,
            }
            for item in story.defects
        ],
        "holds": story.holds,
    }
