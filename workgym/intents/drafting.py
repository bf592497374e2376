"""How a draft comes about: a model is asked in a form, code looks, and what does not hold goes back to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from workgym.errors import Unstructured
from workgym.intents.forms import Draft, Step
from workgym.intents.strata import Setting
from workgym.model import Message, Model, ModelRequest
from workgym.models import Asker, Form
from workgym.models.structured import Failed, Try
from workgym.records import Intent, Operation, SituatedRole, Wanted, digest
from workgym.records.prompts import prompts
from workgym.records.soc import Occupation, soc

F = TypeVar("F", bound=Form)

PROMPTS = prompts(Path(__file__).with_name("prompts"))
ROUNDS = 3
"""Drafts that a model may write of one intent before it is given up."""
SOURCE = "Standard Occupational Classification 2018, US Bureau of Labor Statistics"


class Job(NamedTuple):
    """One intent that is to be made."""

    slot: str
    """What it is known by: source, seed, number, and what it is made of."""
    make: Callable[[], Intent]
    """Makes it. Raises Unstructured where the model comes to none that holds, and what the model raises."""


Dropped = Callable[[str, str], None]
"""Told of each intent that came to nothing: its slot, and why."""


def made(jobs: Iterator[Job], dropped: Dropped | None) -> Iterator[Intent]:
    """The intents of some jobs; what comes to nothing is told and left out."""
    for job in jobs:
        try:
            yield job.make()
        except Unstructured as error:
            if dropped is not None:
                dropped(job.slot, why(error))


def why(error: Unstructured) -> str:
    """What did not hold at last, as ``place: what``."""
    record = error.record
    return record.tries[-1].errors[0] if isinstance(record, Failed) and record.tries else error.message


def asked(
    model: Model,
    form: type[F],
    name: str,
    places: Mapping[str, object],
    check: Callable[[F], Sequence[str]],
    sample: int,
) -> F:
    """What the model fills in, once ``check`` has nothing against it. Raises Unstructured and other ModelErrors."""
    messages: tuple[Message, ...] = (
        Message.of("system", PROMPTS["system"].text),
        Message.of("user", PROMPTS[name].render(**places)),
    )
    asker: Asker[F] = Asker(model, form)
    tries: list[Try] = []
    while True:
        answer = asker.ask(ModelRequest(messages=messages, sample=sample))
        value: F = answer.value
        wrong = tuple(check(value))
        if not wrong:
            return value
        tries.append(Try(raw=answer.reply.text, errors=wrong))
        if len(tries) == ROUNDS:
            raise Unstructured(
                f"{model.name}: no {form.__name__} that holds after {ROUNDS} drafts: {wrong[0]}",
                Failed(schema_name=form.__name__, model=model.name, tries=tuple(tries)),
            )
        said = PROMPTS["wrong"].render(problems="\n".join(f"- {line}" for line in wrong))
        messages = (*messages, answer.reply.message(), Message.of("user", said))


def role(draft: Draft, code: str) -> SituatedRole:
    """The role in a draft."""
    fields = {name: getattr(draft, name).strip() for name in SituatedRole.model_fields if name != "occupation"}
    return SituatedRole(occupation=code, **fields)


def wanted(draft: Draft) -> tuple[Wanted, ...]:
    """The files in a draft."""
    return tuple(Wanted(what=file.what.strip(), format=file.format) for file in draft.wanted)


def operations(steps: Sequence[Step]) -> tuple[Operation, ...]:
    """The operations in a draft."""
    return tuple(Operation(skill=step.skill, does=step.does, takes=step.takes, gives=step.gives) for step in steps)


def provenance(model: Model, name: str, slot: str, setting: Setting) -> dict[str, str]:
    """What every intent says of where it comes from."""
    prompt = digest([PROMPTS["system"].text, PROMPTS[name].text])
    return {
        "slot": slot,
        "table": SOURCE,
        "model": model.name,
        "prompt": f"{name} {prompt[:12]}",
        "setting": setting.label,
    }


def fenced(text: str) -> str:
    """Text of strangers between marks that it cannot know."""
    mark = digest(text)[:12]
    return f"<<<DATA {mark}>>>\n{text}\n<<<END {mark}>>>"


def groups(code: str) -> str:
    """What an occupation belongs to, from narrow to wide."""
    return "; ".join(one.title for one in reversed(soc().line(code)[:-1]))


def minors() -> str:
    """All minor groups, a line each: where to look for an occupation."""
    return "\n".join(_line(one) for one in soc().level("minor"))


def _line(one: Occupation) -> str:
    return f"{one.code}... {one.title}"


def shown(intent: Intent) -> str:
    """An intent as its readers see it: nothing of where it comes from."""
    role = intent.role
    lines = [
        f"Person: {role.title}, {role.seniority}",
        f"Organisation: {role.industry}; {role.size}",
        f"What happened: {role.trigger}",
        f"What depends on it: {role.stakes}",
        f"Goal: {intent.goal}",
        *(f"To be handed in: {file.what} ({file.format})" for file in intent.wanted),
    ]
    for number, step in enumerate(intent.operations, 1):
        lines.append(f"Operation {number}: {step.does}; takes {', '.join(step.takes)}; gives {step.gives}")
    return "\n".join(lines)
