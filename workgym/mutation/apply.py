"""Apply a revision: the graph, the plan and the files change together.

``drafted`` says what the edits do to graph, plan and rows, ``printed`` what then stands in the files; what comes out
has to keep the contract.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from workgym.errors import MaterializeError, MutationError
from workgym.graph import Binding, Values
from workgym.mutation.changes import changes
from workgym.mutation.contract import excesses, violations
from workgym.mutation.draft import Draft, drafted
from workgym.mutation.edits import WRITTEN, Damage, Restore
from workgym.mutation.printing import Printed, printed
from workgym.mutation.revision import Revision, permitted
from workgym.mutation.stating import stated
from workgym.mutation.wording import spec_of
from workgym.package import HistoryEntry, TaskPackage, apart
from workgym.package import members as members_of
from workgym.package.assemble import assemble, bindings, press


def apply(package: TaskPackage, revision: Revision) -> TaskPackage:
    """The package after the revision, with an entry in its history.

    Raises MutationError where the contract refuses it; the package given is never changed. A package that is not ours,
    or that a repair brings words for, is changed in a limited child, and what its queries and templates take there ends
    in a MutationError, too.
    """
    permitted(revision)
    if revision.purpose == "repair" and any(isinstance(item, WRITTEN) for item in revision.edits):
        package = replace(package, ours=False)
    if apart.needed(package):
        try:
            made = apart.call("workgym.mutation.apply:apply_json", package, revision.model_dump(mode="json"))
        except apart.Refused as error:
            raise MutationError(str(error)) from error
        return apart.unpacked({path: base64.b64decode(content) for path, content in made.items()})
    draft = drafted(package, revision)
    changed = _changed(package, draft, revision)
    entry = HistoryEntry(
        why=revision.why,
        edits=tuple(item.model_dump(mode="json") for item in revision.edits),
        before=package.digest,
        after=changed.digest,
        findings=revision.findings,
        purpose=revision.purpose,
        changes=changes(package, changed),
    )
    return changed.with_hidden(history=(*package.hidden.history, entry), checks=None, qa=None, expert_files={})


def _changed(package: TaskPackage, draft: Draft, revision: Revision) -> TaskPackage:
    """The package that a draft makes, within the contract."""
    try:
        shown = printed(draft)
    except MaterializeError as error:
        raise MutationError(str(error)) from error
    _stated(draft, shown)
    graph = draft.graph.model_copy(update={"bindings": _bindings(draft, shown)})
    hidden = package.with_hidden(graph=graph, plan=draft.plan, values=draft.rows, anchors=shown.anchors)
    changed = hidden.with_files(shown.files, shown.request)
    broken = next(_broken(package, changed, revision), None)
    if broken is not None:
        raise MutationError(f"the revision is refused: {broken}")
    return changed


def _broken(before: TaskPackage, after: TaskPackage, revision: Revision) -> Iterator[str]:
    again = [item.path for item in revision.edits if isinstance(item, Restore)]
    spoiled = {item.path: before.files[item.path] for item in revision.edits if isinstance(item, Damage)}
    whole = _whole(before, again)
    yield from violations(whole, after.with_files({**after.files, **spoiled}) if spoiled else after)
    if revision.purpose == "repair":
        yield from excesses(before, after)
        yield from stated(whole, after)


def _whole(package: TaskPackage, paths: list[str]) -> TaskPackage:
    """A package with some files as its plan had them: what is written again is nothing that is newly said."""
    if not paths:
        return package
    hidden, files = package.hidden, dict(package.files)
    with press(hidden.graph, hidden.values, hidden.plan, strict=False) as writer:
        files |= {path: writer.artifact(spec_of(hidden.plan, path)).content for path in paths if path in files}
    return package.with_files(files)


def _stated(draft: Draft, shown: Printed) -> None:
    """Each row of a new unit stands in the carrier that was to say it. Raises MutationError."""
    for fact in draft.facts:
        name = fact.unit.name
        said = {
            anchor.cell.key
            for anchor in shown.anchors
            if anchor.cell is not None and anchor.cell.unit == name and anchor.place.file == fact.path
        }
        missing = [key for key in draft.rows[name].by_key if key not in said] if fact.unit.columns else []
        if missing:
            row = f" {', '.join(missing[0])}" if missing[0] else ""
            raise MutationError(
                f"{fact.path}: the new text does not print {name}{row}: write {{{{ {name}... }}}} in it"
            )


def _bindings(draft: Draft, shown: Printed) -> tuple[Binding, ...]:
    """Where units stand now: as the anchors say, and prose, which leaves none, where it was said to stand."""
    prose = [binding for binding in draft.graph.bindings if binding.form == "prose"]
    prose += [
        Binding(unit=fact.unit.name, carrier=fact.path, form="prose", visible=True)
        for fact in draft.facts
        if not fact.unit.columns
    ]
    return (*bindings(draft.graph, shown.anchors), *prose)


def apply_json(package: TaskPackage, revision: Any) -> dict[str, str]:
    """What the child runs: the files of the changed package, in base64."""
    return apart.packed(members_of(apply(package, Revision.model_validate(revision))))


def printed_with(package: TaskPackage, values: Values) -> TaskPackage:
    """The package with all its files written anew for other rows; what a trap's ``given`` would look like."""
    hidden = package.hidden
    made = assemble(hidden.graph, values, hidden.plan)
    return package.with_hidden(values=dict(values), anchors=made.anchors, expert_files={}).with_files(
        made.files, made.request
    )


Mutator = Callable[[TaskPackage, Revision], TaskPackage]
"""Environment in, environment out: ``apply`` on packages, ``env.unwrapped.mutate`` on a live episode."""
