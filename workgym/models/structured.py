"""Replies in a form: a pydantic type in, a value of it out.

An endpoint that takes a JSON Schema is held to it; one that has a JSON mode is told the schema besides; one that has
neither is told it (``prompts/form.md``). Where an endpoint refuses what its configuration says it can do, the next
weaker way is used from then on. A reply that does not fit is answered once with what is wrong (``prompts/correct.md``);
then the call has failed, and the error keeps all that was said.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from workgym.errors import ContextExceeded, ModelRefused, Unstructured
from workgym.model import Message, Model, ModelReply, ModelRequest, ReplySchema, card
from workgym.records import Record
from workgym.records.prompts import prompts

T = TypeVar("T")
Way = Literal["schema", "json", "text"]
"""How a model is held to a form."""

PROMPTS = prompts(Path(__file__).with_name("prompts"))
MOST_ERRORS = 20
"""Errors that a corrective question names."""
_WEAKER: dict[Way, Way] = {"schema": "json", "json": "text"}
_CUT = "it was cut off at its length limit; write a shorter one"
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()


class Try(Record):
    """One reply that did not fit."""

    raw: str
    """What the model said."""
    errors: tuple[str, ...]
    """What was wrong, each as ``path: message``."""


class Failed(Record):
    """What is kept of a call whose replies never fitted."""

    schema_name: str
    """Name of the form."""
    model: str
    """The model that was asked."""
    tries: tuple[Try, ...]
    """Its replies, in order."""


class Structured(NamedTuple, Generic[T]):
    """A value that a model gave."""

    value: T
    """The value."""
    tries: tuple[Try, ...]
    """Replies before it that did not fit."""
    reply: ModelReply
    """The reply that it stood in."""


class Asker(Generic[T]):
    """Asks a model for values of one type. Thread-safe where the model is."""

    def __init__(self, model: Model, form: type[T] | Any, *, name: str | None = None, corrections: int = 1) -> None:
        """``form`` is a pydantic model or any type that pydantic knows; ``corrections`` how often is asked again."""
        self.model = model
        self.corrections = corrections
        self.way: Way = card(model).structured
        """How the model is held to the form; weaker once the endpoint has refused."""
        self._adapter: TypeAdapter[T] = TypeAdapter(form)
        title = name or str(getattr(form, "__name__", "Reply"))
        self.schema = ReplySchema(name=title, definition=self._adapter.json_schema())

    def ask(self, request: ModelRequest) -> Structured[T]:
        """The value in the reply. Raises Unstructured where none fits, and what the model raises."""
        messages = request.messages
        tries: list[Try] = []
        while True:
            reply = self._complete(request.model_copy(update={"messages": messages}))
            found = self._parse(reply)
            if not isinstance(found, Try):
                return Structured(found, tuple(tries), reply)
            tries.append(found)
            if len(tries) > self.corrections or reply.stop == "filter":
                raise Unstructured(
                    f"{self.model.name}: no {self.schema.name} after {len(tries)} replies: {found.errors[0]}",
                    Failed(schema_name=self.schema.name, model=self.model.name, tries=tuple(tries)),
                )
            errors = "\n".join(f"- {error}" for error in found.errors)
            told = Message.of("user", PROMPTS["correct"].render(errors=errors))
            said = (reply.message(),) if reply.blocks else ()
            messages = (*messages, *said, told)

    def _complete(self, request: ModelRequest) -> ModelReply:
        while True:
            way = self.way
            try:
                return self.model.complete(self._in_form(request, way))
            except ContextExceeded:
                raise
            except ModelRefused as error:
                if way == "text" or error.status not in (400, 404, 422, 501):
                    raise
                self.way = _WEAKER[way]

    def _in_form(self, request: ModelRequest, way: Way) -> ModelRequest:
        if way == "schema":
            return request.model_copy(update={"reply_schema": self.schema})
        told = Message.of("user", PROMPTS["form"].render(schema=_shown(self.schema.definition)))
        messages = _after_system(request.messages, told)
        loose = self.schema.model_copy(update={"held": "json"}) if way == "json" else None
        return request.model_copy(update={"messages": messages, "reply_schema": loose})

    def _parse(self, reply: ModelReply) -> T | Try:
        raw = reply.text
        if reply.stop == "filter":
            return Try(raw=raw, errors=("the reply: it was withheld",))
        try:
            return self._adapter.validate_json(_json(raw))
        except ValidationError as error:
            return Try(raw=raw, errors=_said(error))
        except ValueError as error:
            why = _CUT if reply.stop == "length" else f"{error}" if raw.strip() else "it is empty"
            return Try(raw=raw, errors=(f"the reply: {why}",))


def ask(model: Model, request: ModelRequest, form: type[T]) -> T:
    """One value of a type; see ``Asker``."""
    return Asker(model, form).ask(request).value


def _after_system(messages: tuple[Message, ...], told: Message) -> tuple[Message, ...]:
    """The form is told in a system message where there is one, so that it stays when the conversation goes on."""
    if messages and messages[0].role == "system":
        first = messages[0].model_copy(update={"blocks": (*messages[0].blocks, *told.blocks)})
        return first, *messages[1:]
    return told.model_copy(update={"role": "system"}), *messages


def _shown(schema: dict[str, Any]) -> str:
    """A schema in the order in which its fields are declared: a model fills them in as it reads them, so that reasons
    that come first are thought first."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _said(error: ValidationError) -> tuple[str, ...]:
    wrong = error.errors(include_url=False, include_context=False)
    lines = [f"{_path(item['loc'])}: {item['msg']}" for item in wrong[:MOST_ERRORS]]
    return (*lines, f"and {len(wrong) - MOST_ERRORS} more") if len(wrong) > MOST_ERRORS else tuple(lines)


def _path(loc: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return path.removeprefix(".") or "the whole"


def _json(text: str) -> str:
    """The one JSON text in a reply, words around it or not. Raises ValueError with what is wrong."""
    fenced = _FENCE.findall(text)
    body = fenced[0] if len(fenced) == 1 and text.lstrip()[:1] not in "{[" else text
    at = _opening(body, 0)
    while at != -1:
        try:
            _, end = _DECODER.raw_decode(body, at)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        except json.JSONDecodeError as error:
            if error.pos - at > 1:
                raise ValueError(f"not JSON at line {error.lineno} column {error.colno}: {error.msg}") from None
            at = _opening(body, at + 1)  # a bracket in words
        else:
            if _another(body, end):
                raise ValueError("there is more than one JSON value in it")
            return body[at:end]
    try:
        json.loads(body)  # a number or a text stands alone
    except ValueError:
        raise ValueError("there is no JSON value in it") from None
    return body.strip()


def _another(text: str, start: int) -> bool:
    at = _opening(text, start)
    while at != -1:
        try:
            _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = _opening(text, at + 1)
        else:
            return True
    return False


def _opening(text: str, start: int) -> int:
    found = _OPENING.search(text, start)
    return -1 if found is None else found.start()
