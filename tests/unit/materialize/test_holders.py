"""Archives, mailboxes and mails that carry files: every member is a carrier with anchors of its own."""

from __future__ import annotations

import email
import email.policy
import hashlib
import io
import mailbox
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import read
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import Anchor
from workgym.records.surface import dates, numbers, times

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

TABLE = {"table": {"rows": "many", "columns": {"Name": "name", "Note": "note", "Price": "price"}}}
MAIL = """---
From: "Desk <desk@firm.example>"
To: Ines Roth <ines@firm.example>
Subject: "Re: About {{ one.name }}"
Date: "{{ one.day }} 09:14 +0100"
html: true
attach:
  - path: "{{ one.day }} all 2026.csv"
    content:
      table: {rows: many, columns: {Name: name, Price: price}}

  - path: first.eml
    template: |
      ---
      From: bo@kestrel.example
      To: desk@firm.example
      Subject: Offer
      Date: 2026-03-01 08:00
      ---
      From our side: {{ one.price | money }}, {{ one.note }}
---
Dear {{ one.name }},
the price of **{{ one.note | upper }}** is {{ one.price }},{% state one.terms %} freight collect{% endstate %}.

# 1 Table

| Name | Note | Price |
|:-----|------|------:|
{% for row in many %}
| {{ row.name }} | {{ row.note }} | {{ row.price }} |
{% endfor %}

From {{ one.name }}

<!-- earlier -->
From: Ines Roth <ines@firm.example>
Date: {{ one.day }} 07:45

> {{ one.note }}
- {{ one.name }} ~ {{ "12 %" | decor }}

<!-- earlier -->
From: desk@firm.example
Date: 2026-02-27 08:00

Is it {{ one.price | money }}?
"""
ZIP: dict[str, Any] = {
    "files": [
        {"path": "data/all 2026.csv", "content": TABLE},
        {
            "path": "letters/{{ m.price }}.md",
            "each": {"unit": "many", "order": "price"},
            "as": "m",
            "row": {"many": ["{{ m.name }}"]},
            "template": "{{ m.note }}, {{ many.price | money }}: {% for row in many %}{{ row.name }}{% endfor %}\n",
        },
        {
            "path": "inner.zip",
            "content": {
                "files": [
                    {"path": "mail.eml", "template": MAIL},
                    {"path": "a.json", "content": {"data": {"n": "{{ one.name }}", "p": ["{{ one.price }}"]}}},
                ]
            },
        },
    ]
}
MBOX: dict[str, Any] = {
    "sort": True,
    "mails": [
        {
            "each": "many",
            "as": "m",
            "item": {
                "From": "Desk <desk@firm.example>",
                "To": "ines@firm.example",
                "Subject": "{{ m.note }}: {{ m.price }}",
                "Date": "{{ one.day }} 10:00",
                "html": True,
                "body": "From {{ m.name }}\n>From {{ m.note | upper }}\n\n{{ m.price }}",
                "attach": [{"path": "t.json", "content": {"data": ["{{ m.price }}", "{{ m.name }}"]}}],
            },
        },
        {
            "From": "ines@firm.example",
            "To": "desk@firm.example",
            "Subject": "First",
            "Date": "2026-01-02 08:00",
            "body": "From {{ one.name }}: {{ one.price }}",
        },
    ],
}
SOURCES = {"a/mail.eml": MAIL, "a/all.zip": ZIP, "archive.mbox": MBOX}
LETTERS = "abcXYZ0189|*#-+_.,:;/()\"'&<>\\%~äßÅ€–ąЖΩ東🚚 "


def rows() -> st.SearchStrategy[list[list[Any]]]:
    words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=40).map(lambda t: " ".join(t.split()) or "x")
    row = st.tuples(words, words, st.decimals(-(10**6), 10**6, places=2))
    return st.lists(row.map(list), min_size=2, max_size=4, unique_by=(lambda r: r[0], lambda r: r[2]))


def made(world: Worlds, relation: Relations, path: str, data: list[list[Any]]) -> Rendered:
    name, note, price = data[0]
    types = {"name": "text", "note": "text", "price": "money(USD, 2)"}
    scope = world(
        relation("many", types, ("name",), [[n, t, str(p)] for n, t, p in data]),
        relation(
            "one", types | {"terms": "choice(DAP, FCA)", "day": "date"}, (), [[name, note, str(price), "FCA", DAY]]
        ),
    )
    source = SOURCES[path]
    kind = "template" if isinstance(source, str) else "content"
    return render(ArtifactSpec.model_validate({"path": path, "title": "A title", kind: source}), scope, "look")


DAY = "2026-07-04"
DATA = [["Firm | one", "note <a> & b", "1234.50"], ["Two", "2nd", "0.93"]]


def unresolved(carrier: Rendered) -> list[tuple[Anchor, str | None]]:
    """The anchors at whose place, in the carrier or a file within it, the reader finds another text."""
    documents = {document.path: document for document in read(carrier.path, carrier.content).whole()}
    wrong = []
    for anchor in carrier.anchors:
        document = documents.get(anchor.place.path)
        text, span = None if document is None else document.text_at(anchor.place.base), anchor.place.span
        found = text if text is None or span is None else text[span[0] : span[1]]
        if found != anchor.printed:
            wrong.append((anchor, text))
    return wrong


@pytest.mark.parametrize("path", SOURCES)
@settings(max_examples=40, deadline=None)
@given(data=rows())
def test_every_anchor_resolves(world: Worlds, relation: Relations, path: str, data: list[list[Any]]) -> None:
    carrier = made(world, relation, path, data)
    assert unresolved(carrier) == []
    assert not any(document.refused for document in read(carrier.path, carrier.content).whole())


def loose(carrier: Rendered) -> list[str]:
    """The numbers, dates and times that a file shows outside every anchor; what a mail says of its transport aside."""
    covered: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for anchor in carrier.anchors:
        covered.setdefault((anchor.place.path, anchor.place.base), []).append(anchor.place.span or (0, 10**6))
    found = []
    for document in read(carrier.path, carrier.content).whole():
        for fragment in document.fragments:
            if fragment.at.startswith(("Content-", "MIME-", "Message-")):
                continue
            spans = [(token.start, token.end) for of in (dates, times, numbers) for token in of(fragment.text)]
            around = covered.get((document.path, fragment.at), [])
            found += [
                f"{document.path} {fragment.at}: {fragment.text[start:end]}"
                for start, end in spans
                if not any(left <= start and end <= right for left, right in around)
            ]
    return found


@pytest.mark.parametrize("path", SOURCES)
def test_no_number_is_loose(world: Worlds, relation: Relations, path: str) -> None:
    assert loose(made(world, relation, path, DATA)) == []


def test_members_of_an_archive(world: Worlds, relation: Relations) -> None:
    carrier = made(world, relation, "a/all.zip", DATA)
    with zipfile.ZipFile(io.BytesIO(carrier.content)) as archive:
        assert archive.namelist() == ["data/all 2026.csv", "letters/0.93.md", "letters/1,234.50.md", "inner.zip"]
        assert archive.read("letters/0.93.md").decode() == "2nd, 0.93 USD: Two\n"
    paths = {anchor.place.path for anchor in carrier.anchors}
    assert "a/all.zip//inner.zip//mail.eml//first.eml" in paths
    names = [(anchor.kind, anchor.place.at, anchor.printed) for anchor in carrier.anchors if anchor.place.at[0] == "m"]
    assert names[:2] == [("decor", "m1[9:17]", "2026.csv"), ("value", "m2[8:12]", "0.93")]


def test_a_mail_as_other_programs_read_it(world: Worlds, relation: Relations) -> None:
    message = email.message_from_bytes(made(world, relation, "a/mail.eml", DATA).content, policy=email.policy.default)
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == [
        *("multipart/mixed", "multipart/alternative", "text/plain", "text/html"),
        *("text/csv", "message/rfc822", "text/plain"),
    ]
    assert not [defect for part in message.walk() for defect in part.defects]
    attached = list(message.iter_attachments())
    assert [part.get_filename() for part in attached] == ["2026-07-04 all 2026.csv", "first.eml"]
    assert attached[0].get_content().replace("\r\n", "\n") == "Name,Price\nFirm | one,1234.50\nTwo,0.93\n"
    assert attached[1].get_content()["Subject"] == "Offer"
    plain, rich = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None and rich is not None
    lines = plain.get_content().splitlines()
    assert lines[lines.index("From Firm | one") + 2 :] == [
        "On Sat, 4 Jul 2026 at 07:45, Ines Roth <ines@firm.example> wrote:",
        ">> note <a> & b",
        "> - Firm | one ~ 12 %",
        ">",
        "> On Fri, 27 Feb 2026 at 08:00, desk@firm.example wrote:",
        ">> Is it 1,234.50 USD?",
    ]
    assert "<td>note &lt;a&gt; &amp; b</td>" in rich.get_content()
    assert message["References"].split()[-1] == message["In-Reply-To"]
    assert len(message["References"].split()) == 2


def test_the_mails_of_a_thread_know_each_other(world: Worlds) -> None:
    head = "From: A <a@x.example>\nTo: b@x.example\nDate: 2026-03-02 09:00 +0100\n"
    first = f"---\n{head}Subject: Prices\nthread: Prices\n---\nHello\n"
    answer = (
        "---\nFrom: b@x.example\nTo: a@x.example\nSubject: 'RE: Fwd: Prices'\nDate: 2026-03-03 09:00\n---\nYes\n\n"
        "<!-- earlier -->\nFrom: a@x.example\nDate: 2026-03-02 09:00 +0100\n"
    )
    written = [
        email.message_from_bytes(
            render(ArtifactSpec(path=f"{at}.eml", template=text, role="distractor"), world(), "look").content
        )
        for at, text in enumerate((first, answer))
    ]
    assert written[1]["In-Reply-To"] == written[0]["Message-ID"] == written[1]["References"]
    assert written[1].get_payload().splitlines() == ["Yes"]


def test_a_mailbox_as_other_programs_read_it(world: Worlds, relation: Relations, tmp_path: Path) -> None:
    carrier = made(world, relation, "archive.mbox", DATA)
    (tmp_path / "archive.mbox").write_bytes(carrier.content)
    box = mailbox.mbox(tmp_path / "archive.mbox")
    try:
        assert [message["Subject"] for message in box] == ["First", "note <a> & b: 1,234.50", "2nd: 0.93"]
        assert box[0].get_payload() == ">From Firm | one: 1,234.50\n"
    finally:
        box.close()
    documents = [document for document in read(carrier.path, carrier.content).members if document.format == "eml"]
    assert documents[0].text_at("l1") == "From Firm | one: 1,234.50"
    assert documents[1].text_at("l2") == ">From NOTE <A> & B"


def test_the_same_bytes_in_another_process(world: Worlds, relation: Relations) -> None:
    first = [made(world, relation, path, DATA) for path in SOURCES]
    assert [made(world, relation, path, DATA) for path in SOURCES] == first
    here = Path(__file__)
    program = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]); import conftest, test_holders\n"
        "for path in sys.argv[2:]:\n"
        "    made = test_holders.made(conftest.world, conftest.relation, path, test_holders.DATA)\n"
        "    print(hashlib.sha256(made.content).hexdigest())"
    )
    command = [sys.executable, "-c", program, str(here.parent), *SOURCES]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=here.parents[3])
    assert ended.stdout.split() == [hashlib.sha256(carrier.content).hexdigest() for carrier in first]


HEAD = "---\nFrom: a@x.example\nTo: b@x.example\nSubject: s\nDate: 2026-03-02 09:00\n"


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [
        ("a.zip", {"files": []}, "files: a list of files"),
        ("a.zip", {"files": [{"path": "../x.txt", "template": "x"}]}, "no path within a file"),
        ("a.zip", {"files": [{"path": "/x.txt", "template": "x"}]}, "no path within a file"),
        ("a.zip", {"files": [{"path": "a\\x.txt", "template": "x"}]}, "no path within a file"),
        ("a.zip", {"files": [{"path": "x.exe", "template": "x"}]}, "no writer for .exe"),
        ("a.zip", {"files": [{"path": "x.txt"}]}, r"a\.zip//x\.txt: a txt file is written from a template"),
        ("a.zip", {"files": [{"path": "x.txt", "template": "x"}] * 2}, "two files are called 'x.txt'"),
        ("a.zip", {"files": [{"path": "x.txt", "template": "\n{{ y }}"}]}, r"x\.txt: template, line 2: .*'y'"),
        ("a.zip", {"files": [{"path": "x.txt", "template": "x", "each": "nothing"}]}, "no unit nothing"),
        ("a.eml", HEAD + "attach: x\n---\nHi\n", "attach"),
        ("a.eml", HEAD + "attach:\n  - {path: a/b.txt, template: x}\n---\nHi\n", "no folders"),
        ("a.eml", HEAD + "attach:\n  - template: x\n---\nHi\n", "needs `path`"),
        ("a.eml", HEAD + "attach:\n  - [\n---\nHi\n", "front matter: attach"),
        ("a.eml", HEAD + "attach: [{path: a/b.txt, template: x}]\n---\nHi\n", "no folders"),
        ("a.eml", HEAD + "html: maybe\n---\nHi\n", "true or false"),
        ("a.eml", HEAD + "---\nHi\n<!-- earlier -->\nHello\n", "an earlier mail begins with"),
        ("a.eml", HEAD + "---\nHi\n<!-- earlier -->\nFrom: a@b.example\nDate: May\n\nx", "2026-03-02 09:14"),
        ("a.mbox", {"mails": []}, "mails: a list"),
        ("a.mbox", {"mails": [{"From": "a@b.example", "body": "x"}]}, r"a\.mbox//1\.eml: .*a mail needs To"),
        ("a.mbox", {"mails": [{"Form": "a@b.example", "body": "x"}]}, "did you mean From"),
        ("a.mbox", {"mails": {"each": "quote", "item": "x"}}, "item: a mail is needed"),
    ],
)
def test_what_is_refused(world: Worlds, path: str, source: Any, message: str) -> None:
    kind = "template" if isinstance(source, str) else "content"
    with pytest.raises(MaterializeError, match=message):
        render(ArtifactSpec.model_validate({"path": path, kind: source, "role": "distractor"}), world(), "look")
