"""Engines that compute the same workbook, and what is done where they cannot or do not agree."""

from __future__ import annotations

import contextlib
import datetime
import io
import zipfile
from collections.abc import Iterator, Mapping

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workgym.documents import (
    Document,
    disagreements,
    opinions,
    read,
    read_all,
    recalculate,
)
from workgym.documents.limits import LIMITS
from workgym.documents.recalculation import office
from workgym.documents.recalculation.cached import CellError, stored, written
from workgym.documents.recalculation.engines import ENGINES, IN_PROCESS, EngineName
from workgym.documents.recalculation.pinned import pinned
from workgym.documents.strangers import read_json
from workgym.errors import Unreadable

from . import row_books
from .offices import need_office


def book(*formulas: str, rows: list[tuple[object, ...]] | None = None) -> bytes:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "S"
    for row, values in enumerate(rows or DATA, 1):
        for column, value in enumerate(values, 1):
            sheet.cell(row, column, value)
    for row, formula in enumerate(formulas, 1):
        sheet.cell(row, 6, formula)
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


DATA: list[tuple[object, ...]] = [
    ("Kestrel", 4, 2.5, datetime.date(2026, 1, 31)),
    ("Orbis", 7, 1.25, datetime.date(2026, 2, 28)),
    ("Tarn", 1, 9.75, datetime.date(2027, 12, 1)),
    ("Kestrel", 3, -4.0, datetime.date(2024, 2, 29)),
    ("Vale", 8, 0.5, datetime.date(2026, 3, 15)),
]


@pytest.fixture(scope="module")
def warm_office(request: pytest.FixtureRequest) -> Iterator[None]:
    need_office(request.config)
    yield
    office.stop()


CELL = st.builds("{}{}".format, st.sampled_from("BC"), st.integers(1, 5))
AREA = st.sampled_from(["B1:B5", "C1:C5", "B2:C4", "$B$1:$B$3"])
NAME = st.sampled_from(["Kestrel", "Orbis", "Tarn", "Vale", "Nobody"])
NUMBER = st.one_of(
    CELL,
    st.integers(-50, 50).map(str),
    st.decimals(-99, 99, places=2).map(str),
    st.builds("SUM({})".format, AREA),
    st.builds("AVERAGE({})".format, AREA),
    st.builds("MAX({},{})".format, AREA, CELL),
    st.builds('COUNTIF({},">{}")'.format, AREA, st.integers(-3, 6)),
    st.builds('SUMIFS(C1:C5,A1:A5,"{}",B1:B5,">{}")'.format, NAME, st.integers(0, 5)),
    st.builds('IFERROR(VLOOKUP("{}",A1:C5,{},FALSE),-1)'.format, NAME, st.integers(2, 3)),
    st.builds('IFERROR(INDEX(C1:C5,MATCH("{}",A1:A5,0)),0)'.format, NAME),
    st.builds("YEAR(D{})".format, st.integers(1, 5)),
    st.builds("MONTH(EDATE(D{},{}))".format, st.integers(1, 5), st.integers(-13, 13)),
    st.builds("DATE(2026,{},{})".format, st.integers(1, 14), st.integers(1, 31)),
    st.builds("D{}-D{}".format, st.integers(1, 5), st.integers(1, 5)),
    st.builds("EOMONTH(D{},{})".format, st.integers(1, 5), st.integers(-3, 3)),
    st.builds("LEN(A{})".format, st.integers(1, 5)),
)


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({}{}{})".format, inner, st.sampled_from("+-*"), inner),
        st.builds("IF({}>{},{},{})".format, inner, inner, inner, inner),
        st.builds("ROUND({},{})".format, inner, st.integers(-1, 3)),
        st.builds("ABS({})".format, inner),
        st.builds("IFERROR({}/{},0)".format, inner, inner),
        st.builds("SUM({},{})".format, inner, inner),
    )


TEXT = st.one_of(
    st.builds("UPPER(LEFT(A{},{}))".format, st.integers(1, 5), st.integers(0, 9)),
    st.builds('A{}&"-"&B{}'.format, st.integers(1, 5), st.integers(1, 5)),
    st.builds('TEXT(D{},"yyyy-mm-dd")'.format, st.integers(1, 5)),
    st.builds('TEXT(C{},"0.00")'.format, st.integers(1, 5)),
    st.builds('SUBSTITUTE(A{},"e","ë")'.format, st.integers(1, 5)),
    st.builds("MID(A{},{},3)".format, st.integers(1, 5), st.integers(1, 4)),
)
FORMULA = st.one_of(st.recursive(NUMBER, joined, max_leaves=6), TEXT)


@given(st.lists(FORMULA, min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_two_engines_agree(formulas: list[str]) -> None:
    found = opinions(book(*map("={}".format, formulas)), engines=IN_PROCESS)
    assert not found.silent
    assert all(len(values) == len(formulas) for values in found.values.values())
    assert disagreements(found) == ()


@given(st.lists(FORMULA, min_size=20, max_size=40))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_three_engines_agree(warm_office: None, formulas: list[str]) -> None:
    found = opinions(book(*map("={}".format, formulas)))
    assert list(found.values) == list(ENGINES)
    assert disagreements(found) == ()


def test_differences_are_listed_by_cell() -> None:
    found = opinions(book("=1/3", "=TODAY()", "=RAND()"), engines=IN_PROCESS)
    assert found.volatile == {"S!F2": "TODAY", "S!F3": "RAND"}
    assert [one.cell for one in disagreements(found)] == ["S!F3"]
    assert found.values["formualizer"]["S!F2"] == found.values["ironcalc"]["S!F2"] == 46023


def test_an_engine_that_cannot_says_why() -> None:
    found = opinions(book("=B1", "=NOSUCH(1)"), engines=IN_PROCESS)
    assert found.silent == {"formualizer": "S!F2 calls NOSUCH", "ironcalc": "S!F2 calls NOSUCH"}
    circle = opinions(book("=F2", "=F1"), engines=IN_PROCESS)
    assert set(circle.silent) == set(IN_PROCESS)
    assert all("in a circle" in why for why in circle.silent.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_alone_caches_every_value(engine: EngineName, request: pytest.FixtureRequest) -> None:
    if engine == "office":
        request.getfixturevalue("warm_office")
    content = book("=B1*2", "=1/0", '=A1&" & co"', "=B1>2", '=IF(B1>9,1,"")', "=D1+1", "=NA()", "=TODAY()")
    document = read("a.xlsx", recalculate(content, engines=[engine], today=datetime.date(2026, 5, 4)))
    assert document.uncached == ()
    found = [document.text_at(f"S!F{row}") for row in range(1, 9)]
    assert found[:5] == ["8", "#DIV/0!", "Kestrel & co", "TRUE", ""]
    assert found[6] == "#N/A"
    assert stored("a.xlsx", recalculate(content, engines=[engine], today=datetime.date(2026, 5, 4)))["S!F8"] == 46146


def test_values_are_written_in_place() -> None:
    content = book("=B1", "=B2", "=B3", "=B4")
    values = {"S!F1": 1.5, "S!F2": "a < b", "S!F3": True, "S!F4": CellError("#N/A")}
    made = written("a.xlsx", content, values)
    assert stored("a.xlsx", made) == values
    assert isinstance(stored("a.xlsx", made)["S!F4"], CellError)
    before, after = read("a.xlsx", content), read("a.xlsx", made)
    assert [one.formula for one in before.fragments] == [one.formula for one in after.fragments]


def test_the_date_is_put_in_for_engines_with_a_clock() -> None:
    made = pinned("a.xlsx", book('=TODAY()+1&"TODAY()"', "=YEAR(NOW())", "=B1"), datetime.date(2026, 7, 8))
    formulas = [one.formula for one in read("a.xlsx", made).fragments if one.formula]
    assert formulas == ['DATE(2026,7,8)+1&"TODAY()"', "YEAR(DATE(2026,7,8))", "B1"]


ONLY_OFFICE = "=EASTERSUNDAY(2026)"
"""A function that LibreOffice alone knows."""


def test_a_function_that_only_libreoffice_knows(warm_office: None) -> None:
    content = book(ONLY_OFFICE, "=B1+1")
    assert stored("a.xlsx", recalculate(content)) == {"S!F1": 46117, "S!F2": 5}
    document = read_all({"a.xlsx": content}, recalculated=True)["a.xlsx"]
    assert isinstance(document, Document)
    assert (document.text_at("S!F2"), document.uncached) == ("5", ())
    with pytest.raises(Unreadable, match="S!F1 calls EASTERSUNDAY, which no engine here knows"):
        recalculate(content, engines=IN_PROCESS)


def archive(files: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return target.getvalue()


def test_a_function_that_only_libreoffice_knows_in_a_workbook_within_archives(warm_office: None) -> None:
    inner = archive({"deep.xlsx": book(ONLY_OFFICE, "=B1+2")})
    alone = book(ONLY_OFFICE, "=B1+1")
    content = archive({"known.xlsx": book("=B1+3"), "alone.xlsx": alone, "inner.zip": inner})
    found = read_all({"a.zip": content}, recalculated=True)["a.zip"]
    assert isinstance(found, Document)
    said = {
        one.path: (one.text_at("S!F1"), one.text_at("S!F2"), one.uncached) for one in found.whole() if one.fragments
    }
    assert said["a.zip//alone.xlsx"] == ("46117", "5", ())
    assert said["a.zip//inner.zip//deep.xlsx"] == ("46117", "6", ())
    assert said["a.zip//known.xlsx"][0] == "7"


def test_no_more_workbooks_are_asked_about_than_the_limit() -> None:
    held = book(ONLY_OFFICE)
    content = archive({f"b{number}.xlsx": held for number in range(LIMITS.asked + 5)})
    answer = read_json({"recalculated": True, "values": {}}, {"a.zip": content})["a.zip"]
    assert len(answer["asks"]) == LIMITS.asked
    assert len(answer["members"]) == LIMITS.asked + 5


def test_volatile_functions_do_not_follow_the_clock() -> None:
    content = book("=TODAY()", "=YEAR(NOW())", "=RAND()")
    once, again = (read_all({"a.xlsx": content}, recalculated=True)["a.xlsx"] for _ in range(2))
    assert isinstance(once, Document) and once == again
    assert (once.text_at("S!F1"), once.text_at("S!F2")) in (("46023", "2026"), ("2026-01-01", "2026"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_a_formula_leaves_out(engine: EngineName, request: pytest.FixtureRequest) -> None:
    if engine == "office":
        request.getfixturevalue("warm_office")
    content = row_books.by_xlsxwriter()
    made = recalculate(content, engines=[engine])
    assert read("a.xlsx", made).text_at("Data!B9") == "23"
    assert [one.formula for one in read("a.xlsx", made).fragments] == [
        one.formula for one in read("a.xlsx", content).fragments
    ]


HOSTILE = {
    "no zip": b"PK nothing of the kind",
    "a link to a file": book("='file:///etc/[passwd]S'!A1", '=WEBSERVICE("http://localhost/")', "=B1"),
    "deep": book("=" + "(" * 300 + "1" + ")" * 300),
    "wide": book(*(f"=SUM(A1:XFD{row})" for row in range(1, 40))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbooks_end_within_limits(warm_office: None, name: str) -> None:
    with contextlib.suppress(Unreadable):
        office.values("a.xlsx", HOSTILE[name])
    assert office.values("a.xlsx", book("=B1+1")) == {"S!F1": 5}


def test_a_workbook_that_takes_too_long_ends_libreoffice_only(warm_office: None) -> None:
    content = book("=B1+1")
    office.values("a.xlsx", content)
    endless = book(*(f"=SUMPRODUCT((ROW(A1:A1000000)>{row})*(ROW(A1:A1000000)<9999))" for row in range(300)))
    with pytest.raises(Unreadable, match="over-limit"):
        office.values("a.xlsx", endless, 0.2)
    assert office.values("a.xlsx", content) == {"S!F1": 5}


def test_libreoffice_comes_back_after_its_end(warm_office: None) -> None:
    content = book("=B1+1")
    assert office.values("a.xlsx", content) == {"S!F1": 5}
    office.stop()
    assert office.values("a.xlsx", content) == {"S!F1": 5}
    with pytest.raises(Unreadable, match="circle"):
        office.values("a.xlsx", book("=F2", "=F1"))
