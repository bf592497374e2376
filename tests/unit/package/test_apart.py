"""Queries and templates that somebody else wrote are evaluated in a limited child, ours are not; both give the same."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from workgym.authoring import families
from workgym.errors import MaterializeError, MutationError
from workgym.graph import provided
from workgym.mutation import Revision, SetCell, apply
from workgym.package import TaskPackage, apart, load, save
from workgym.package.assemble import assemble
from workgym.records import Cell

GREEDY = "{{ 'x' * 3000000000 }}"


def rise(package: TaskPackage) -> Revision:
    """The first supplier's price, changed."""
    key = next(iter(package.truth("quote").by_key))
    edit = SetCell(cell=Cell(unit="quote", key=key, column="unit_price"), value="0.93")
    return Revision(purpose="repair", why="a new rate", edits=(edit,))


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 7)


@pytest.fixture(scope="module")
def foreign(package: TaskPackage, tmp_path_factory: pytest.TempPathFactory) -> TaskPackage:
    return load(save(package, tmp_path_factory.mktemp("packages") / "task"))


def held() -> int:
    """Bytes that this process took at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def test_what_was_read_is_not_ours_and_changes_keep_that(package: TaskPackage, foreign: TaskPackage) -> None:
    assert (package.ours, apart.needed(package), foreign.ours, apart.needed(foreign)) == (True, False, False, True)
    here, there = apply(package, rise(package)), apply(foreign, rise(foreign))
    assert (here.ours, there.ours) == (True, False)
    assert here.digest == there.digest != package.digest
    assert here.hidden.history == there.hidden.history


def with_template(package: TaskPackage) -> TaskPackage:
    """The price's carrier prints something without end."""
    (spec,) = [one for one in package.hidden.plan.artifacts if one.template and "unit_price" in one.template][:1]
    artifacts = tuple(
        one if one is not spec else one.model_copy(update={"template": f"{one.template}\n{GREEDY}"})
        for one in package.hidden.plan.artifacts
    )
    return package.with_hidden(plan=package.hidden.plan.model_copy(update={"artifacts": artifacts}))


def with_query(package: TaskPackage) -> TaskPackage:
    """A derived unit calls what no query may call; the package was read before anybody looked at its queries."""
    graph = package.hidden.graph
    derived = graph.relations("derived")[0]
    key = ", ".join(derived.key)
    grown = f"select * from ({derived.query}) order by length(repeat('x', 3000000000)){', ' + key if key else ''}"
    units = tuple(unit if unit is not derived else unit.model_copy(update={"query": grown}) for unit in graph.units)
    return package.with_hidden(graph=graph.model_copy(update={"units": units}))


@pytest.mark.parametrize("spoil", [with_template, with_query])
def test_what_takes_too_much_is_refused_in_one_line(
    foreign: TaskPackage, spoil: Callable[[TaskPackage], TaskPackage]
) -> None:
    before = held()
    with pytest.raises(MutationError) as caught:
        apply(spoil(foreign), rise(foreign))
    assert str(caught.value).isprintable() and len(str(caught.value)) < 300
    assert held() - before < 256 << 20


def test_a_refusal_of_the_contract_is_the_same_line(package: TaskPackage, foreign: TaskPackage) -> None:
    right = rise(foreign)
    wrong = right.model_copy(update={"edits": (right.edits[0].model_copy(update={"value": "cheap"}),)})
    said = []
    for one in (package, foreign):
        with pytest.raises(MutationError) as caught:
            apply(one, wrong)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_task_of_another_author_is_assembled_apart(package: TaskPackage) -> None:
    hidden = package.hidden
    given = provided(hidden.graph, hidden.values)
    values, made = apart.assembled(hidden.graph, given, hidden.plan)
    assert {name: relation.rows for name, relation in values.items()} == {
        name: relation.rows for name, relation in hidden.values.items() if name in values
    }
    assert made == assemble(hidden.graph, hidden.values, hidden.plan)
    greedy = hidden.plan.model_copy(update={"request": hidden.plan.request.model_copy(update={"template": GREEDY})})
    with pytest.raises(MaterializeError, match="memory"):
        apart.assembled(hidden.graph, given, greedy)
