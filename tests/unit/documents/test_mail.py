"""Mails as they are found: every part that says something is read, and texts are whole characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import read
from workgym.documents.html.flow import characters, flow
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


UNSEEN_IN_HTML = """<html><head><style>.gone{display:none}</style></head><body>
<p>Freight is USD&nbsp;2.05.</p><div style="display:none">Freight is 9.99.</div>
<p class="gone">and 8.88</p><p>up to <span style="color:#ffffff">7.77</span> May</p>
<table><tr><td>Kestrel</td><td style="font-size:0">6.66</td><td>4</td></tr></table></body></html>"""


def test_html_that_is_not_shown_is_hidden_in_a_body_too() -> None:
    head = "From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
    document = read("a.eml", (head + UNSEEN_IN_HTML).encode())
    shown = [one.text for one in document.fragments if one.at.startswith("l")]
    assert shown == ["Freight is USD 2.05.", "up to May", "Kestrel  4"]
    hidden = [one.text for one in document.fragments if one.at.startswith("hidden") and one.hidden]
    assert sorted(hidden) == ["6.66", "7.77", "Freight is 9.99.", "and 8.88"]


@given(
    st.lists(st.sampled_from(["<p>", "</p>", "<br>", "<td>", "<tr>", "<table>", "</table>", "a b", " ", "&lt;", ">"]))
)
def test_lines_and_characters_of_a_page_are_the_same(pieces: list[str]) -> None:
    source = "".join(pieces)
    lines = ["".join(line.split()) for line in flow("a.html", source).lines]
    assert ["".join(char.text for char in line) for line in characters("a.html", source)] == lines
