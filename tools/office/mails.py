# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Mails and calendars as text. Libraries are imported where they are used."""

import datetime
import re
from html.parser import HTMLParser

from .access import line, office_file, opened, part

FIRST = "SUMMARY DTSTART DTEND"


def read_mail(guest, path, offset=1):
    real = office_file(guest, path, (".eml",))
    return part(guest, opened(guest, path, lambda: mail_lines(real)), offset)


def read_calendar(guest, path, offset=1):
    real = office_file(guest, path, (".ics",))
    return part(guest, opened(guest, path, lambda: calendar_lines(real)), offset)


def mail_lines(real):
    """Headers, text and attachments of a mail; those that are text with their text."""
    from email.parser import BytesParser
    from email.policy import default

    with open(real, "rb") as file:
        mail = BytesParser(policy=default).parse(file)
    wanted = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject", "Message-ID", "In-Reply-To")
    lines = [f"{name}: {line(str(mail[name]))}" for name in wanted if mail[name] is not None]
    body = mail.get_body(preferencelist=("plain", "html"))
    lines.append("")
    if body is not None:
        lines += _mail_text(body)
    attachments = list(mail.iter_attachments())
    if attachments:
        lines.append("")
    for attached in attachments:
        lines.append(f"[attachment {attached.get_filename() or 'without a name'}, {attached.get_content_type()}]")
        if attached.get_content_maintype() == "text":
            lines += _mail_text(attached)
    return lines


def calendar_lines(real):
    """The events of a calendar in the order in which they stand there."""
    import icalendar

    with open(real, "rb") as file:
        calendar = icalendar.Calendar.from_ical(file.read())
    lines = [f"Calendar: {calendar['X-WR-CALNAME']}"] if "X-WR-CALNAME" in calendar else []
    events = [each for each in calendar.walk() if each.name in ("VEVENT", "VTODO", "VJOURNAL")]
    for number, event in enumerate(events, start=1):
        lines.append(f"[event {number} of {len(events)}]")
        for name in sorted(event, key=lambda name: (FIRST.find(name) if name in FIRST else len(FIRST), name)):
            if name in ("DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE"):
                continue
            values = event[name] if isinstance(event[name], list) else [event[name]]
            lines += [f"{name.title()}: {_calendar_value(value)}" for value in values]
    return lines


def _mail_text(message):
    text = message.get_content()
    if message.get_content_subtype() == "html":
        stripper = _Stripper()
        stripper.feed(text)
        text = "".join(stripper.parts)
    return [each.rstrip() for each in text.replace("\r\n", "\n").strip("\n").split("\n")]


class _Stripper(HTMLParser):
    """The text of HTML, with a line for each block."""

    BLOCKS = frozenset("p div br tr table li ul ol h1 h2 h3 h4 h5 h6".split())

    def __init__(self):
        super().__init__()
        self.parts, self.silent = [], 0

    def handle_starttag(self, tag, attrs):
        self.silent += tag in ("style", "script", "head")
        if tag in self.BLOCKS:
            self.parts.append("\n")
        if tag == "td":
            self.parts.append("\t")

    def handle_endtag(self, tag):
        self.silent -= tag in ("style", "script", "head")

    def handle_data(self, data):
        if not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def _calendar_value(value):
    if hasattr(value, "dt"):
        found = value.dt
        zone = value.params.get("TZID") if hasattr(value, "params") else None
        return (
            found.isoformat(" ") + (f" {zone}" if zone else "") if isinstance(found, datetime.datetime) else str(found)
        )
    if hasattr(value, "dts"):
        return ", ".join(_calendar_value(each) for each in value.dts)
    if hasattr(value, "to_ical") and not isinstance(value, str):
        value = value.to_ical()
    return line(value.decode(errors="replace") if isinstance(value, bytes) else str(value))
