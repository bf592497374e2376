"""The expert's hands: answers of tools into data, texts into values. The guest module is read as text, as sent."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import sqlite3
import subprocess
import sys
import textwrap
import types
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from workgym import shelves

HOME = shelves.folder("harnesses", "expert")
SOURCE = "\n\n".join((HOME / part).read_text(encoding="utf-8") for part in ("desk.py", "values.py"))


@pytest.fixture(scope="module")
def desk() -> Any:
    module: Any = types.ModuleType("desk")
    exec(compile(SOURCE, "desk.py", "exec"), module.__dict__)
    return module


class Tools:
    """Answers by tool and arguments; keeps what it was asked."""

    def __init__(self, *answers: tuple[str, dict[str, Any], str]) -> None:
        self.answers, self.asked = list(answers), []  # type: list[tuple[str, dict[str, Any], str]], list[str]

    def __call__(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        self.asked.append(tool)
        for name, wanted, text in self.answers:
            if name == tool and wanted.items() <= arguments.items() and len(wanted) == len(arguments):
                return text, False
        return f"no answer to {tool} {arguments}", True


def test_it_is_standard_library_only() -> None:
    lines = [line.split() for line in SOURCE.splitlines() if line.startswith(("import ", "from "))]
    assert {words[1].partition(".")[0] for words in lines} <= sys.stdlib_module_names
    assert "workgym" not in SOURCE.replace("never imports workgym", "")


def test_texts_in_parts_are_put_together(desk: Any) -> None:
    tools = Tools(
        ("read_file", {"path": "a.csv"}, "k;v\na;1,5\n[lines 1 to 2 of 4; go on with offset=3]"),
        ("read_file", {"path": "a.csv", "offset": 3}, "b;2\n\n\n(7 actions left)"),
        ("read_file", {"path": "c.csv"}, "Ledger, account, October\nBalance: 1,5\nNo;Amount\n1;2,5\n2;3,5\n3;1.000,5"),
        ("read_file", {"path": "d.csv"}, "one"),
        ("read_file", {"path": "empty.txt"}, "The file is empty."),
        ("read_file", {"path": "old.txt"}, "caf\u00e9\n[not UTF-8: read as Windows-1252]"),
        ("glob", {"pattern": "*.x"}, "No file fits *.x."),
        ("glob", {"pattern": "**/*"}, "a.csv\nb/c.txt\n[the first 500 of 900; use a narrower pattern]"),
    )
    made = desk.Desk(tools)
    assert made.csv("a.csv") == [["k", "v"], ["a", "1,5"], ["b", "2"]]
    assert made.csv("c.csv")[2:4] == [["No", "Amount"], ["1", "2,5"]] and made.csv("d.csv") == [["one"]]
    assert made.read("empty.txt") == "" and made.files("*.x") == [] and made.files() == ["a.csv", "b/c.txt"]
    with pytest.raises(desk.ToolFailed, match="read_file: no answer"):
        made.read("none.txt")


def test_a_long_line_is_read_whole_with_python(desk: Any) -> None:
    calls: list[str] = []
    content = '{"a": 1.50, "b": "' + "x" * 16_000 + '"}'

    def tools(tool: str, **arguments: Any) -> tuple[str, bool]:
        calls.append(tool)
        if tool == "read_file":
            return content[:2000] + "[... 14000 more characters in this line]", False
        start, end = arguments["code"].rpartition("[")[2].partition("]")[0].split(":")
        import json

        return json.dumps(content[int(start) : int(end)]) + "\n", False

    assert desk.Desk(tools).json("a.json") == {"a": Decimal("1.50"), "b": "x" * 16_000}
    assert calls == ["read_file", "python", "python"]


def test_workbooks_are_grids_by_sheet(desk: Any) -> None:
    outline = (
        "3 sheet(s)\nDemand: A1:B3 (3 rows, 2 columns)\n  first row: Year\nSecret: A1:A1 (1 rows, 1 columns), hidden\n"
    )
    outline += "P: Q: A1:C2 (2 rows, 3 columns)\nnamed range rate: Demand!$A$1"
    tools = Tools(
        ("workbook_outline", {"path": "a.xlsx"}, outline),
        (
            "read_workbook",
            {"path": "a.xlsx", "sheet": "Demand"},
            "\tA\tB\n1\tYear\n3\t2026\t7\n[rows 1 to 3 of 4; go on with range=A4:B4]",
        ),
        ("read_workbook", {"path": "a.xlsx", "sheet": "Demand", "range": "A4:B4"}, "\tA\tB\n4\t2027\t8"),
        ("read_workbook", {"path": "a.xlsx", "sheet": "P: Q"}, "\tA\tB\tC"),
    )
    made = desk.Desk(tools)
    assert made.workbook("a.xlsx") == {"Demand": [["Year", ""], ["", ""], ["2026", "7"], ["2027", "8"]], "P: Q": []}
    assert list(made.workbook("a.xlsx", "Demand")) == ["Demand"]


def test_documents_pdfs_mails_and_calendars(desk: Any) -> None:
    tools = Tools(
        (
            "read_document",
            {"path": "a.docx"},
            "[header] Firm\n# Title\nText\n[table 1]\nItem\tPrice\nBox\t1.50\n[end of table 1]\nEnd",
        ),
        ("read_pdf", {"path": "a.pdf"}, "[page 1 of 2]\nA\nB\n[page 2 of 2]\nC"),
        ("read_mail", {"path": "a.eml"}, "From: a@b.example\nSubject: Re: x: y\n\nHello\n\nBye"),
        (
            "read_calendar",
            {"path": "a.ics"},
            "Calendar: Holidays\n[event 1 of 1]\nSummary: May Day: off\nDtstart: 2026-05-01\nExdate: a\nExdate: b",
        ),
    )
    made = desk.Desk(tools)
    document = made.document("a.docx")
    assert document.lines == ["[header] Firm", "# Title", "Text", "End"]
    assert document.tables == [[["Item", "Price"], ["Box", "1.50"]]]
    assert made.pdf("a.pdf") == [["A", "B"], ["C"]]
    assert made.mail("a.eml") == ({"From": "a@b.example", "Subject": "Re: x: y"}, "Hello\n\nBye")
    assert made.calendar("a.ics") == [{"SUMMARY": "May Day: off", "DTSTART": "2026-05-01", "EXDATE": "a, b"}]


def test_python_gets_its_data_as_variables(desk: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def tools(tool: str, **arguments: Any) -> tuple[str, bool]:
        exec(arguments["code"], {"__name__": "x"})
        return capsys.readouterr().out, False

    assert desk.Desk(tools).python("print(a, b['c'])", a=Decimal("1.50"), b={"c": 'it\'s "ü"'}) == '1.50 it\'s "ü"\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", "1234.50"),
        ("USD 1.234.567,89", "1234567.89"),
        ("1 234,5 EUR", "1234.5"),
        ("54,000", "54000"),
        ("0,5", "0.5"),
        ("1.500", "1.500"),
        ("(12.30)", "-12.30"),
        ("-7", "-7"),
        ("\u22127.5", "-7.5"),
        ("8.5 %", "8.5"),
        ("7'000.", "7000"),
        ("approx. 12 pcs.", "12"),
        ("-1.234.567", "-1234567"),
        ("+5,000.", "5000"),
    ],
)
def test_numbers(desk: Any, text: str, value: str) -> None:
    assert desk.number(text) == Decimal(value)


@pytest.mark.parametrize("text", ["", "none", "3 of 7", "2026-03-01", "17.08.2026", "1,23,456", "12.34.567,8", "1.2.3"])
def test_what_is_not_one_number_is_refused(desk: Any, text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        desk.number(text)


def test_rates_dates_times_and_records(desk: Any) -> None:
    assert (desk.percent("8.5 %"), desk.percent("0.085"), desk.percent("8 per cent")) == (
        Decimal("0.085"),
        Decimal("0.085"),
        Decimal("0.08"),
    )
    day = datetime.date(2026, 3, 2)
    for text in (
        "2026-03-02",
        "2 March 2026",
        "Mon, 2 Mar 2026 09:00",
        "March 2nd, 2026",
        "2.3.2026",
        "the 2nd of March 2026",
    ):
        assert desk.date(text) == day, text
    assert desk.date("2/3/2026", day_first=True) == day == desk.date("3/2/2026", day_first=False)
    assert desk.date("13/2/2026") == datetime.date(2026, 2, 13) == desk.date("2/13/2026")
    for text in ("2/3/2026", "no date", "5 Marzipan 2026"):
        with pytest.raises(ValueError, match="date|places"):
            desk.date(text)
    assert (desk.clock("7:30 pm"), desk.clock("from 07:05"), desk.clock("12:00 am")) == (
        datetime.time(19, 30),
        datetime.time(7, 5),
        datetime.time(0, 0),
    )
    rows = [["Price list"], ["Item ", "Price"], ["Box", "1.50"], ["", ""], ["Lid", "2"]]
    assert desk.records(rows, "price") == [{"Item": "Box", "Price": "1.50"}, {"Item": "Lid", "Price": "2"}]
    with pytest.raises(ValueError, match="headings cost"):
        desk.records(rows, "cost")
    assert desk.records(rows, "price", to_blank=True) == [{"Item": "Box", "Price": "1.50"}]
    assert desk.records(rows[:3], "price", to_blank=True) == [{"Item": "Box", "Price": "1.50"}]


def test_blocked_is_a_structured_end(desk: Any) -> None:
    class Script:
        @staticmethod
        def solve(made: Any) -> None:
            raise desk.Blocked("freight of Acme", [Path("mail/a.eml")], "npv")

    blocked = {"what": "freight of Acme", "looked_at": ["mail/a.eml"], "blocks": "npv"}
    assert desk.run(lambda: Script, Tools()) == {"blocked": blocked}


def test_a_database_is_read_as_the_prompt_shows(desk: Any, root: Path, tmp_path: Path) -> None:
    text = (root / "workgym/check/independent/prompts/desk.md").read_text("utf-8")
    shown = re.search(r"Read a sqlite file like this:\n\n((?:    .*\n|\n)+)", text)
    assert shown is not None
    with contextlib.closing(sqlite3.connect(tmp_path / "bookings.sqlite")) as book, book:
        book.execute("create table bookings (id, amount)")
        book.execute("insert into bookings values (1, 20.5)")

    def tools(name: str, **arguments: str) -> tuple[str, bool]:
        done = subprocess.run([sys.executable, "-c", arguments["code"]], capture_output=True, text=True, check=True)
        return done.stdout, name != "python"

    code = textwrap.dedent(shown[1]).replace("data/bookings.sqlite", str(tmp_path / "bookings.sqlite"))
    names: dict[str, Any] = {"desk": desk.Desk(tools), "json": json}
    exec(code, names)
    assert names["rows"] == [[1, 20.5]]
