"""Mails as they are found: every part that says something is read, and texts are whole characters."""

from __future__ import annotations

import pytest

from workgym.documents import read
from workgym.errors import Unreadable


def test_every_part_of_a_mail_is_read() -> None:
    pieces = [
        ("text/plain", "hello"),
        ("text/plain", "second 47"),
        ("application/json", '{"rate": 48}'),
        ("text/calendar", "BEGIN:VCALENDAR"),
    ]
    body = "".join(f"--B\nContent-Type: {kind}\n\n{text}\n" for kind, text in pieces)
    for multipart, hidden in (("mixed", False), ("alternative", True)):
        content = f"From: a@x.example\nContent-Type: multipart/{multipart}; boundary=B\n\n{body}--B--\n".encode()
        document = read("a.eml", content)
        said = {one.at: (one.text, one.hidden) for one in document.fragments}
        assert said["l1"] == ("hello", False)
        assert said["text2.l1"] == ("second 47", hidden)
        assert said["text3.l1"] == ("BEGIN:VCALENDAR", hidden)
        assert said["attachment1"] == ("application/json", False)
        assert [(one.path, one.fragments[0].text) for one in document.members] == [("a.eml//attachment1.json", "48")]


def test_half_a_character_is_no_text() -> None:
    with pytest.raises(Unreadable, match="half a character"):
        read("a.json", b'{"a": "\\ud800"}')
    assert read("a.json", b'{"a": "\\ud83d\\ude00"}').text_at("/a") == "\U0001f600"
    mail = b"From: a@x.example\nSubject: =?utf-7?q?+2AA-?=\nContent-Type: text/plain; charset=utf-7\n\nab +2AA- cd\n"
    assert all(fragment.text.isascii() for fragment in read("a.eml", mail).fragments)
