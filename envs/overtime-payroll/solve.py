# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""Hours and pay of a two-week period by the collective agreement, as a workbook and a letter of exceptions."""

import re
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

CENT, RESULT = Decimal("0.01"), "hours, premiums and gross pay of the period, and with them the letter"
PLACES = {  # pattern and usual place of each file that is read
    "agreement": ("agreements/*.docx", "agreements/collective_agreement.docx"),
    "roster": ("time/roster/*.xlsx", "time/roster/shift_roster.xlsx"),
    "clock": ("time/clock/*.json", "time/clock/clock_export.json"),
    "log": ("time/corrections/*.md", "time/corrections/supervisor_log.md"),
    "calendar": ("calendar/*.ics", "calendar/plant_calendar.ics"),
    "master": ("hr/*.csv", "hr/master_data.csv"),
}
EARLIEST, EACH_SHIFT, EACH_AMOUNT, COUNTED = "the rostered start at the earliest", "each shift", "each amount", "counted"
STEPS = {"half hour": 30, "half of an hour": 30, "quarter of an hour": 15, "quarter hour": 15, "tenth of an hour": 6}
STEPS |= {"twelfth of an hour": 5, "ten minutes": 10, "six minutes": 6, "five minutes": 5, "minute": 1}
NUMBER, TIME, DAY, WORDS = "number", "time", "day", "words"
RULES = {  # sentences of the agreement and what can stand in the gap: other words cannot be carried out here
    "edition": (r"^Edition (.*?),? in force", NUMBER),
    "date since when the edition is in force": (r"in force since (.*)$", DAY),
    "edition that holds": (r"or a guide to it, (.*?) holds for all work done", ["this agreement"]),
    "standing of leaflets and pocket guides": (r"Leaflets and pocket guides (.*)\.", ["explain; they do not change anything"]),
    "regular daily working time in minutes": (r"Regular daily working time is (.*?) ?minutes of paid time", NUMBER),
    "what is overtime": (r"Paid time of a shift beyond the regular daily working time is (.*?)\.", ["overtime"]),
    "how days are looked at for overtime": (r"Days are looked at (.*?):", ["one by one"]),
    "source of the time": (r"Time is taken from (.*?)\.", ["the clock at the gate, not from the roster"]),
    "beginning of paid time": (r"Paid time begins at (.*?)\.", [EARLIEST, "the clock-in"]),
    "end of paid time": (r"Paid time ends at (.*?)\.", ["the badge out"]),
    "minutes after the rostered end that are not paid": (
        r"after the rostered end, but not more than (.*?) ?minutes after it, is paid up to the rostered end only", NUMBER),
    "paid time of who badges out later": (
        r"later than that is paid up to (.*?)\.", ["the badge out, all minutes since the rostered end included"]),
    "deduction of the unpaid break": (r"unpaid break is deducted, (.*?):", ["whether or not it was taken"]),
    "break in shorter attendance": (r"Shorter attendance has (.*?)\.", ["no unpaid break"]),
    "effect of an approved request": (
        r"approved request and the clock record of the same day differ, (.*?) holds", ["the approved request"]),
    "what an approved request replaces": (r"It replaces (.*?) of the day", ["both times"]),
    "effect of a refused request": (r"A refused request changes (.*?)\.", ["nothing"]),
    "pay of paid time": (r"All paid time is paid at (.*?)\.", ["the hourly rate"]),
    "basis of the premiums": (r"premiums of Annex A are percentages of (.*?)\.", ["the hourly rate and come on top of it"]),
    "Sunday and holiday premiums": (
        r"On a Sunday (.*?)\.", ["all paid time earns the sunday premium, on a holiday that of the kind of holiday"]),
    "holiday on a Sunday": (r"A holiday that falls on a Sunday is (.*?)\.", ["a holiday only"]),
    "source of the kind of holiday": (r"The roster marks the holidays; (.*?) says of which kind", ["the plant calendar"]),
    "start of night work": (r"Night work is the time from (.*?) ?until the end of paid time", TIME),
    "break in night work": (r"The unpaid break (.*?) it\.", ["never shortens"]),
    "premiums of different kinds": (r"Premiums of different kinds (.*?):", ["add up"]),
    "step to which time is rounded": (r"Time is rounded to (?:the nearest )?(.*?),? and exactly half", list(STEPS)),
    "direction of time rounding": (r"Time is rounded to the (nearest .*)\. Paid", None),
    "times that are rounded": (r"Paid time, overtime, Sunday, holiday and night hours are (.*?)\.", ["each rounded"]),
    "what time rounding applies to": (r"Rounding applies to (.*?),? see Annex B", [EACH_SHIFT, "the pay period"]),
    "direction of cent rounding": (r"Money is rounded to cents, half a cent (.*?),? in\b", ["upwards"]),
    "where cents are rounded": (r"Money is rounded to cents.*?, in (.*?),? see Annex B", [EACH_AMOUNT, "the gross pay"]),
    "paid minutes beyond which a shift is reported": (
        r"Shifts with more than (.*?) ?minutes of paid time, before any rounding, are reported to the plant manager", NUMBER),
    "what is to be done about long shifts": (r"The manager sees that (.*?)\.$", WORDS),
    "overtime on Sundays and holidays": (r"^Overtime on Sundays and holidays: (.*)$", ["counted as well", "not counted"]),
}
