# Guest code of the expert, read together with solve.py: what it hands in, and the sentences that it reads.
"""The letter and the workbook: their texts, and the program that writes them."""

# -- papers: the sentences of the agreement that are followed, and what is handed in ---------------------------------

REQUEST, EARLIEST = "the approved request", "the rostered start at the earliest"
SHIFT, AMOUNT = "each shift", "each amount"
STEPS = {"half an hour": 30, "quarter of an hour": 15, "tenth of an hour": 6, "twelfth of an hour": 5}
STEPS |= {"ten minutes": 10, "six minutes": 6, "five minutes": 5, "minute": 1, "hour": 60}
AGREEMENT = """
Edition {edition}, in force since {first day in force: DAY}
1.1 Where this agreement and an earlier edition differ, or a guide to it, this agreement holds for all work done while
  it is in force.
1.2 Leaflets and pocket guides explain; they do not change anything.
2.1 Regular daily working time is {regular working day} minutes of paid time,
2.2 Paid time of a shift beyond the regular daily working time is overtime. Days are looked at one by one:
3.1 Time is taken from the clock at the gate, not from the roster.
3.2 Paid time begins at {beginning of paid time: the rostered start at the earliest | the clock-in}.
3.3 Paid time ends at the badge out. Who badges out after the rostered end, but not more than {unpaid minutes at the
  end} minutes after it, is paid up to the rostered end only. Who badges out later than that is paid up to the badge
  out, all minutes since the rostered end included.
3.4 From the time between beginning and end, called attendance, the unpaid break is deducted, whether or not it was
  taken:
3.5 Shorter attendance has no unpaid break.
4.2 Where an approved request and the clock record of the same day differ, {what holds: the approved request | the clock
  record} holds. It replaces both times of the day, and the rules on paid time above apply to it as they would to
  the clock.
4.3 A refused request changes nothing.
5.1 All paid time is paid at the hourly rate. The premiums of Annex A are percentages of the hourly rate and come on top
5.2 On a Sunday all paid time earns the Sunday premium, on a holiday that of the kind of holiday. A holiday that falls
  on a Sunday is a holiday only. The roster marks the holidays; the plant calendar says of which kind each one is.
5.3 Night work is the time from {start of night work: TIME} until the end of paid time under 3.3. The unpaid break never
  shortens it.
5.4 Premiums of different kinds add up:
6.1 Time is rounded to the nearest {step of rounding: STEP}, and exactly half of it upwards. Paid time, overtime,
  Sunday, holiday and night hours are each rounded.
6.2 Rounding applies to {unit of rounding: each shift | the pay period}, see Annex B.
6.3 Money is rounded to cents, half a cent upwards, in {place of cent rounding: each amount | the gross pay}, see
  Annex B.
7.1 Shifts with more than {minutes of a long shift} minutes of paid time, before any rounding, are reported to the plant
  manager with the next payroll, by employee and date. The manager sees that {what the manager does: WORDS}.
Overtime on Sundays and holidays: {overtime on Sundays and holidays: counted as well | not counted}
"""
ANNEX = {  # by setting, what Annex B has to say of it
    EARLIEST: """- Beginning of paid time (3.2): who badges in before the rostered start is paid from the rostered
        start, who badges in after it from the badge in.""",
    "the clock-in": "- Beginning of paid time (3.2): always from the badge in.",
    "counted as well": """- Sundays and holidays (2.3): time beyond the regular daily working time is overtime on
        these days too, and its premium is paid besides that of the day.""",
    "not counted": "- Sundays and holidays (2.3): these days have no overtime; their own premium takes its place.",
    SHIFT: """- Rounding of time (6.2): paid time and night time of every shift are rounded. Overtime of a shift is what
        its rounded paid time has beyond the regular daily working time, rounded again where that is no full step;
        Sunday and holiday time of a shift are its rounded paid time. The period's hours are the sums.""",
    "the pay period": """- Rounding of time (6.2): no single shift is rounded. Exact minutes of each kind, overtime of
        each shift included, are added up over the whole period, and each sum is rounded once.""",
    AMOUNT: """- Rounding of money (6.3): base pay and each premium of an employee for the period are rounded, each kind
        of holiday by itself, and gross pay is their sum.""",
    "the gross pay": "- Rounding of money (6.3): only the gross pay of an employee for the period is rounded.",
}
SETTINGS = "beginning of paid time", "overtime on Sundays and holidays", "unit of rounding", "place of cent rounding"
HEADS = ["Employee", "Date", "Decision", "Change in paid hours", "Change in gross pay (EUR)"]
NOTHING = "There were none in this period, so there is nothing to be done."
DUTY = "You are to see that {what the manager does}; please do so for {who}."
MEANING = {
    REQUEST: "Approved time is paid because, where an approved request and the clock record of the same day differ, "
    "the approved request holds and replaces both times of the day (agreement, 4.2).",
    "the clock record": "Approved requests do not change the pay either, because the clock record holds where an "
    "approved request of the same day differs (agreement, 4.2).",
    SHIFT: "paid time and night time of every shift are rounded, overtime is what the rounded paid time has beyond the "
    "regular day, and the period's hours are the sums",
    "the pay period": "exact minutes of each kind are added up over the whole period, and each sum is rounded once; no "
    "single shift is rounded",
    AMOUNT: "base pay and each premium of an employee are rounded, and gross pay is their sum",
    "the gross pay": "only the sum is rounded; the other amounts in payroll.xlsx are shown to the cent and need not "
    "add up to it",
}
LETTER = """Payroll exceptions, {first} to {last}

Dear {manager}, the total gross pay of all {count} hourly employees of the {plant} plant for {first} to {last} is EUR
{total}. It is worked out in payroll.xlsx by edition {edition} of the collective agreement; the exceptions follow here.

{none} {under what holds} {lower} Refused time is not paid because a refused request changes nothing (4.3): the clock
record stands. The supervisor's reasons ({logged}): \u201c{approved}\u201d \u201c{refused}\u201d

Shifts with more than {minutes of a long shift} minutes of paid time, before any rounding, are reported to you (7.1).
{todo}

Time is rounded to the nearest {step}, exactly half of it upwards (6.1). This applies to {unit of rounding} (6.2, Annex
B): {under unit of rounding}. Money is rounded to cents, half a cent upwards, in {place of cent rounding} (6.3, Annex
B): {under place of cent rounding}. Paid minutes above are not rounded.

We went by edition {edition} of the collective agreement ({path}), in force since {first day in force}; it holds where
an earlier edition or a guide differs (1.1). {guides} Sources of the figures: {clock}, {roster}, {calendar}, {master},
{logged} and the mails beside it."""


def letter(words, changes, long):
    """Texts and tables of the letter."""
    rules, log = words["rules"], words["log"]
    given = {**words, **rules, "first": words["period"][0], "last": words["period"][1], "logged": log["path"]}
    given["step"] = next(name for name, minutes in STEPS.items() if minutes == rules["step of rounding"])
    for name in ("what holds", "unit of rounding", "place of cent rounding"):
        given[f"under {name}"] = MEANING[rules[name]]
    lower = ", ".join(f"{row[0]} ({row[1]})" for row in changes if row[2] == "approved" and row[4].startswith("-"))
    given["lower"] = f"This is so even where it lowers the pay: {lower}." if lower else ""
    given["none"] = "" if changes else "There were no requests."
    for decision in ("approved", "refused"):
        given[decision] = found(rf"^- (Where I {decision}, .*)$", log["text"])
    who = ", ".join(f"{row[0]} ({row[1]})" for row in long)
    given["todo"] = DUTY.format(**rules, who=who) if long else NOTHING
    given["guides"] = f"We did not use {', '.join(words['guides'])} (1.2)." if words["guides"] else ""
    title, lead, *texts = (tidy(part) for part in LETTER.format(**given).split("\n\n"))
    tables = {"Correction requests": [HEADS, *changes], "Shifts reported to you": [[*HEADS[:2], "Paid minutes"], *long]}
    top = f"Human resources, {words['plant']} plant, to the plant manager, {rules['manager']}"
    return {"title": title, "lead": lead, "texts": texts, "tables": tables, "top": top}


WRITE = """
import docx
import openpyxl
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt
from openpyxl.styles import Alignment, Font

kinds = ["Overtime", "Sunday", "Statutory holiday", "Local holiday", "Night"]
heads = {"Hours": ["Paid hours"] + [kind + " hours" for kind in kinds]}
heads["Pay"] = ["Base pay (EUR)"] + [kind + " premium (EUR)" for kind in kinds] + ["Gross pay (EUR)"]
book = openpyxl.Workbook()
book.remove(book.active)
for title, rows in sheets.items():
    sheet = book.create_sheet(title)
    sheet.append(["Employee", *heads[title]])
    for row in rows:
        sheet.append([row[0], *map(float, row[1:])])
        for cell in sheet[sheet.max_row][1:]:
            cell.number_format = "#,##0.00"
    for place, cell in enumerate(sheet[1]):
        align = "right" if place else "left"
        cell.font = Font(name="Calibri", bold=True)
        cell.alignment = Alignment(horizontal=align, vertical="top", wrap_text=True)
        sheet.column_dimensions[cell.column_letter].width = 19 if place else 4 + max(len(row[0]) for row in rows)
    sheet.row_dimensions[1].height, sheet.freeze_panes = 32, "B2"
    sheet.page_setup.orientation, sheet.page_setup.fitToPage, sheet.page_setup.fitToHeight = "landscape", True, 0
book.save("payroll.xlsx")

page = docx.Document()
part, normal = page.sections[0], page.styles["Normal"]
part.left_margin = part.right_margin = part.top_margin = part.bottom_margin = Cm(2)
normal.font.name, normal.font.size, normal.paragraph_format.space_after = "Calibri", Pt(10), Pt(4)
part.header.paragraphs[0].text = letter["top"]
page.add_heading(letter["title"], 1).paragraph_format.space_before = Pt(0)
page.add_paragraph(letter["lead"])
for heading, text in zip([*letter["tables"], "Rounding", "Edition and sources"], letter["texts"]):
    page.add_heading(heading, 2).paragraph_format.space_before = Pt(7)
    rows = letter["tables"].get(heading, [])
    table = page.add_table(len(rows), len(rows[0]), "Light Grid Accent 1") if rows else None
    for number, row in enumerate(rows):
        for place, cell in enumerate(table.rows[number].cells):
            paragraph = cell.paragraphs[0]
            paragraph.add_run(str(row[place])).font.size = Pt(9)
            paragraph.paragraph_format.space_after = Pt(1)
            left = rows[0][place] in ("Employee", "Date", "Decision")
            paragraph.alignment = WD_ALIGN_PARAGRAPH.LEFT if left else WD_ALIGN_PARAGRAPH.RIGHT
    page.add_paragraph(text).paragraph_format.space_before = Pt(4 if rows else 0)
page.add_paragraph("Kind regards, Human resources")
page.save("exceptions_letter.docx")
"""
