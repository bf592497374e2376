"""The demo's report: one self-contained page, readable in light and dark, with nothing fetched.

Everything that comes from a task is escaped; the page runs no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from workgym.pipeline import Defective, Story
from workgym.records import Finding
from workgym.viewer.graph import graph_svg
from workgym.viewer.style import PAGE

_SHOWN = 400


def report(stories: Sequence[Story]) -> str:
    """The page for some told stories."""
    body = [
        "<header><p class='eyebrow'>workgym demo</p><h1>Tasks that can be done and can be graded</h1>",
        "<p class='lead'>Each task was drawn from a blueprint, compiled, written as real files and checked. An expert "
        "script worked on it from the visible side alone, and a control that does nothing. Then defects were planted, "
        f"looked for twice, independently, and repaired. {_outcome(stories)}</p></header>",
        _summary(stories),
        *(_story(story) for story in stories),
        "<footer>Deliverables of agents may be wrong or biased and do not replace a qualified professional's review. "
        "Expected values and graphs here are the hidden side of the tasks: do not show them to a solver.</footer>",
    ]
    return PAGE.replace("{{body}}", "".join(body))


def _outcome(stories: Sequence[Story]) -> str:
    fell = [story.package.id for story in stories if not story.holds]
    return (
        f"Something did not come out as it should: {escape(', '.join(fell))}." if fell else "All came out as it should."
    )


def _summary(stories: Sequence[Story]) -> str:
    rows = []
    for story in stories:
        rows.append(
            [
                f"<a href='#{_slug(story)}'>{escape(story.package.id)}</a>",
                str(len(story.package.files)),
                _badge(story.report.passed, f"{len(story.report.ran)} pass" if story.report.passed else "fail"),
                _badge(story.expert.reward == 1.0, f"{story.expert.reward:.2f}"),
                _badge(story.noop.reward == 0.0, f"{story.noop.reward:.2f}"),
                "".join(_badge(_found(item), item.defect) for item in story.defects),
                "".join(
                    _badge(item.repair.accepted and item.again is not None and item.again.reward == 1.0, _after(item))
                    for item in story.defects
                ),
            ]
        )
    head = ("Task", "Files", "Checks", "Expert", "No-op", "Planted defect, found by both", "After repair")
    return _table(head, rows)


def _found(item: Defective) -> bool:
    return item.found_by_checks and item.found_by_expert


def _after(item: Defective) -> str:
    return "discarded" if item.again is None else f"expert {item.again.reward:.2f}"


def _story(story: Story) -> str:
    package = story.package
    files = _table(
        ("File", "Bytes", "Role"),
        [
            [
                f"<code>{escape(c.path)}</code><br><span class='soft'>{escape(c.title)}</span>",
                f"{len(package.shown.get(c.path, b'')):,}",
                escape(c.role if c.kind == "reference" else f"{c.role}, on the web"),
            ]
            for c in package.hidden.graph.carriers
            if c.kind in ("reference", "external")
        ],
    )
    return (
        f"<section id='{_slug(story)}'>"
        f"<p class='eyebrow'>{escape(package.card.occupation)} · {escape(package.card.role)}</p>"
        f"<h2>{escape(package.card.title)}</h2><p class='id'>{escape(package.id)}</p>"
        f"<h3>Information support graph</h3><div class='scroll'>{graph_svg(package)}</div>"
        f"<div class='columns'><div><h3>Request</h3><pre>{escape(package.request)}</pre></div>"
        f"<div><h3>Files</h3>{files}</div></div>"
        f"<h3>Checks</h3>{_checks(story)}"
        f"<h3>What the expert handed in, graded</h3>{_evidence(story.expert.evidence)}"
        + "".join(_defect(item) for item in story.defects)
        + "</section>"
    )


def _checks(story: Story) -> str:
    found: dict[str, list[Finding]] = {}
    for finding in story.report.findings:
        found.setdefault(finding.check, []).append(finding)
    chips = "".join(
        _badge(not any(f.severity == "hard" for f in found.get(name, ())), name) for name in story.report.ran
    )
    return f"<p class='chips'>{chips}</p>" + _findings(story.report.findings)


def _findings(findings: Iterable[Finding]) -> str:
    rows = [
        [
            escape(f.severity),
            escape(f.defect),
            escape(f.check),
            escape(f.message),
            f"<code>{escape(_joined(f.cell, f.path, f.at))}</code>",
        ]
        for f in findings
    ]
    return _table(("Severity", "Class", "Check", "Finding", "Place"), rows) if rows else ""


def _evidence(record: Any) -> str:
    checks = record.get("checks", []) if isinstance(record, dict) else []
    rows = [
        [
            _badge(
                check.get("state") == "passed", str(check.get("state", "")), quiet=check.get("state") == "not requested"
            ),
            escape(str(check.get("kind", ""))),
            escape(str(check.get("name", "")).removesuffix(f" in {check.get('deliverable')}")),
            escape(str(check.get("expected") or "")),
            escape(str(check.get("found") or check.get("message") or "")[:160]),
            f"<code>{escape(_joined(check.get('deliverable'), check.get('place')))}</code>",
        ]
        for check in checks[:_SHOWN]
    ]
    more = f"<p class='soft'>and {len(checks) - _SHOWN} more</p>" if len(checks) > _SHOWN else ""
    return (
        f"<details><summary>{len(checks)} checks</summary>"
        + _table(("State", "Kind", "What", "Expected", "Found", "Place"), rows)
        + more
        + "</details>"
    )


def _defect(item: Defective) -> str:
    planted = item.package.hidden.history[-1].why
    blocked = item.expert.blocked or {}
    said = (
        f"stopped: {blocked.get('what', '')} (looked at {', '.join(blocked.get('looked_at', ()))})"
        if blocked
        else f"did not stop; reward {item.expert.reward:.2f}"
    )
    mended = item.repair.package.hidden.history[-1].why if item.repair.accepted else item.repair.reason
    return (
        f"<h3>Planted: {escape(item.defect)}</h3><dl><dt>Defect</dt><dd>{escape(planted)}</dd>"
        f"<dt>Expert</dt><dd>{escape(said)}</dd><dt>Repair</dt><dd>{escape(mended)}</dd>"
        f"<dt>Afterwards</dt><dd>{escape(_after(item))}</dd></dl>" + _findings(item.report.findings)
    )


def _joined(*parts: object) -> str:
    return " ".join(str(part) for part in parts if part)


def _badge(good: bool, text: str, *, quiet: bool = False) -> str:
    return f"<span class='badge {'quiet' if quiet else 'good' if good else 'bad'}'>{escape(text)}</span>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(title)}</th>" for title in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='scroll'><table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table></div>"


def _slug(story: Story) -> str:
    return story.package.id.rpartition("/")[2].replace(".", "-")
