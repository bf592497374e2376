"""Mailboxes (mbox, the form called mboxrd): mails one after the other, each a carrier ``archive.mbox//3.eml``.

Written by code of our own; lines end with a line feed, as mail programs write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import format_datetime
from typing import Any

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.mail import eml
from workgym.materialize.mail.addresses import address, moment
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, Row
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.materialize.within import view_within
from workgym.records import Anchor

_FROM = re.compile(rb"^(>*From )", re.MULTILINE)
_ITEM = (*eml.HEADERS, *eml.OPTIONS, "body", "attach")


@dataclass(frozen=True)
class _Mail:
    """One mail before it has its number."""

    item: Mapping[str, Any]
    """Its headers, options, body and attachments."""
    where: str
    """Its place in the tree, for messages."""
    names: Mapping[str, Row]
    """Names of rows that its templates use."""


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A mailbox from a tree with ``mails``, with ``sort: true`` by their dates. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("mails", "sort"))
        if not content.get("mails"):
            raise Fault("mails: a list of mails is needed, or a mapping with `each` and `item`")
    mails = list(_mails(job, tree, content["mails"]))
    if content.get("sort"):
        mails.sort(key=lambda mail: _date(tree, mail))
    made, anchors = b"", list[Anchor]()
    for number, mail in enumerate(mails, 1):
        envelope, written = _written(job, mail, number)
        line = Marked(envelope).decorated(0, len(envelope))
        anchors += [*line.anchors(job.path, f"m{number}"), *written.anchors]
        message = _FROM.sub(rb">\1", written.content.replace(b"\r\n", b"\n"))
        made += envelope.encode() + b"\n" + message + (b"" if message.endswith(b"\n") else b"\n") + b"\n"
    return rendered(job, made, anchors)


def _mails(job: Job, tree: Tree, spec: object) -> Iterator[_Mail]:
    for at, part in enumerate(spec if isinstance(spec, list) else [spec], 1):
        where = f"mails[{at}]" if isinstance(spec, list) else "mails"
        with located(job.path, where):
            if not isinstance(part, Mapping):
                raise Fault("a list of mails is needed, or a mapping with `each` and `item`")
            each = "each" in part
            allow(part, ("each", "as", "item") if each else _ITEM)
            if each and not isinstance(part.get("item"), Mapping):
                raise Fault("item: a mail is needed")
            allow(part["item"] if each else part, _ITEM)
        if not each:
            yield _Mail(part, where, {})
            continue
        for row in tree.rows(part["each"], f"{where}.each"):
            yield _Mail(part["item"], f"{where}.item", {str(part.get("as", "row")): row})


def _date(tree: Tree, mail: _Mail) -> float:
    written = tree.text(mail.item.get("Date", ""), f"{mail.where}.Date", mail.names).plain
    with located(tree.path, f"{mail.where}.Date"):
        return moment(written).timestamp()


def _written(job: Job, mail: _Mail, number: int) -> tuple[str, Rendered]:
    """The line before a mail, and the mail."""
    path = f"{job.path}//{number}.eml"
    view = view_within(job.view, {}, mail.names)
    tree = Tree(path, view)
    fields = {
        str(name): tree.text(_plain(source), f"{mail.where}.{name}").flowing().strip()
        for name, source in mail.item.items()
        if name not in ("body", "attach")
    }
    body = tree.text(mail.item.get("body", ""), f"{mail.where}.body").flowing()
    with located(path, f"{mail.where}.attach"):
        held = mail.item.get("attach", ())
        if not isinstance(held, (list, tuple)):
            raise Fault("a list of files is needed, each with `path` and `template` or `content`")
    inner = replace(job, path=path, view=view, held=tuple(held))
    made = eml.write(inner, fields, body, threaded=True)
    when = format_datetime(moment(fields["Date"].plain).astimezone(UTC))
    day, date, month, year, time = when[:3], when[5:7], when[8:11], when[12:16], when[17:25]
    sender = address(fields["From"].plain).addr_spec
    return f"From {sender} {day} {month} {int(date):2d} {time} {year}", made


def _plain(source: object) -> object:
    return {True: "true", False: "false"}[source] if isinstance(source, bool) else source
