# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""Hours and pay of a two-week period by the collective agreement, as a workbook and a letter of exceptions."""

import re
from collections import Counter
from datetime import timedelta
from fractions import Fraction

RESULT = "hours, premiums and gross pay of the period, and with them the letter"
PLACES = {  # pattern and usual place of each file
    "agreement": ("agreements/*.docx", "agreements/collective_agreement.docx"),
    "roster": ("time/roster/*.xlsx", "time/roster/shift_roster.xlsx"),
    "clock": ("time/clock/*.json", "time/clock/clock_export.json"),
    "log": ("time/corrections/*.md", "time/corrections/supervisor_log.md"),
    "calendar": ("calendar/*.ics", "calendar/plant_calendar.ics"),
    "master": ("hr/*.csv", "hr/master_data.csv"),
}
ROSTERED, SHIFT, AMOUNT = "the rostered start at the earliest", "each shift", "each amount"
STEPS = {"half hour": 30, "half of an hour": 30, "quarter of an hour": 15, "quarter hour": 15, "tenth of an hour": 6}
STEPS |= {"twelfth of an hour": 5, "ten minutes": 10, "six minutes": 6, "five minutes": 5, "minute": 1}
COUNT, TIME, DAY, WORDS = "a count of minutes", "a time", "a day", "words"
RULES = {  # sentences of the agreement and what can stand in the gap; other words this script cannot carry out
    "edition": (r"^Edition (.*?),? in force", COUNT),
    "day since when the edition is in force": (r"in force since (.*)$", DAY),
    "edition that holds": (r"or a guide to it, (.*?) ?holds for all work", ["this agreement"]),
    "standing of leaflets and guides": (r"pocket guides explain; they (.*?)\.", ["do not change anything"]),
    "regular daily working time": (r"Regular daily working time is (.*?) ?minutes of paid time", COUNT),
    "meaning of overtime": (r"Paid time of a shift beyond the regular daily working time is (.*?)\.", ["overtime"]),
    "days for overtime": (r"Days are looked at (.*?):", ["one by one"]),
    "source of time": (r"Time is taken from (.*?),? not from the roster", ["the clock at the gate"]),
    "beginning of paid time": (r"Paid time begins at (.*?)\.", [ROSTERED, "the clock-in"]),
    "end of paid time": (r"Paid time ends at (.*?)\.", ["the badge out"]),
    "unpaid minutes after the rostered end": (r"the rostered end, but not more than (.*?) ?minutes after it", COUNT),
    "pay within these minutes": (r"minutes after it, is paid (.*?)\.", ["up to the rostered end only"]),
    "pay beyond these minutes": (r"badges out later than that is paid (.*?)\.", ["up to the badge out, all minutes since "
                                 "the rostered end included"]),
    "breaks not taken": (r"the unpaid break is deducted, (.*?):", ["whether or not it was taken"]),
    "break in shorter attendance": (r"Shorter attendance has (.*?)\.", ["no unpaid break"]),
    "approved requests": (r"request and the clock record of the same day differ, (.*?) ?holds", ["the approved request"]),
    "times of approved requests": (r"It replaces (.*?) ?of the day", ["both times"]),
    "refused requests": (r"A refused request changes (.*?)\.", ["nothing"]),
    "base pay": (r"All paid time is paid at (.*?)\.", ["the hourly rate"]),
    "basis of premiums": (r"premiums of Annex A are percentages of (.*?)\.", ["the hourly rate and come on top of it"]),
    "premium on Sundays": (r"On a Sunday (.*?),? on a holiday", ["all paid time earns the sunday premium"]),
    "premium on holidays": (r"on a holiday (.*?)\.", ["that of the kind of holiday"]),
    "holiday on a Sunday": (r"A holiday that falls on a Sunday is (.*?)\.", ["a holiday only"]),
    "source of kinds of holiday": (r"The roster marks the holidays; (.*?) ?says of which kind", ["the plant calendar"]),
    "start of night work": (r"Night work is the time from (.*?) ?until the end of paid time", TIME),
    "break and night work": (r"The unpaid break (.*?) ?it\.", ["never shortens"]),
    "premiums of different kinds": (r"Premiums of different kinds (.*?):", ["add up"]),
    "step of time rounding": (r"Time is rounded to the nearest (.*?),? and exactly half", [*STEPS]),
    "rounding of half a step": (r"and exactly half of it (.*?)\.", ["upwards"]),
    "times that are rounded": (r"Sunday, holiday and night hours are (.*?)\.", ["each rounded"]),
    "unit of time rounding": (r"Rounding applies to (.*?),? see Annex B", [SHIFT, "the pay period"]),
    "rounding of half a cent": (r"Money is rounded to cents, half a cent (.*?),? in\b", ["upwards"]),
    "place of cent rounding": (r"Money is rounded to cents, .*?\bin (.*?),? see Annex B", [AMOUNT, "the gross pay"]),
    "paid minutes of long shifts": (r"Shifts with more than (.*?) ?minutes of paid time, before any rounding", COUNT),
    "action on long shifts": (r"The manager sees that (.*?)\.", WORDS),
    "overtime on Sundays and holidays": (r"^Overtime on Sundays and holidays: ?(.*)$", ["counted as well", "not counted"]),
}
MEANINGS = [  # Annex B: what this script does under each setting
    '"the rostered start at the earliest": who badges in before the rostered start is paid from the rostered start, who '
    "badges in after it from the badge in.",
    'At "the clock-in": always from the badge in.',
    '"each shift": paid time and night time of every shift are rounded. Overtime of a shift is what its rounded paid time '
    "has beyond the regular daily working time, rounded again where that is no full step; Sunday and holiday time of a "
    "shift are its rounded paid time. The period's hours are the sums.",
    '"the pay period": exact minutes of each kind, overtime of each shift included, are added up over the whole period, '
    "and each sum is rounded once.",
    '"each amount": base pay and each premium of an employee for the period are rounded, each kind of holiday by itself, '
    "and gross pay is their sum.",
    'In "the gross pay": only the sum is rounded.',
    '"counted as well": time beyond the regular daily working time is overtime on these days too, and its premium is paid '
    "besides that of the day.",
    '"Not counted": these days have no overtime.',
]
PREMIUMS = {"overtime": "Overtime", "sunday": "Work on Sundays", "statutory": "Work on statutory holidays"}
PREMIUMS |= {"local": "Work on local holidays", "night": "Night work"}
KINDS = ["paid", *PREMIUMS]


def solve(desk):
    paths = {name: only(desk, *place) for name, place in PLACES.items()}
    rules, roster = read_agreement(desk, paths["agreement"]), read_roster(desk, paths["roster"])
    rates = read_rates(desk, paths["master"], roster)
    holidays = read_calendar(desk, paths["calendar"], roster)
    clock, log = read_clock(desk, paths["clock"], roster), read_log(desk, paths["log"])
    agree("the number of clock records", clock["count"], clock["path"], log["count"], log["path"])
    agree("the number of clock records", clock["count"], clock["path"], len(clock["times"]), "its own list of punches")
    agree("the regular working day in minutes", rules["regular daily working time"], rules["path"], log["regular"], log["path"])
    for other in (roster, log):
        agree("the pay period", clock["period"], clock["path"], other["period"], other["path"])
    if rules["day since when the edition is in force"] > clock["period"][0]:
        stop(f"the edition valid from {clock['period'][0]} on is missing: {rules['path']} is in force later", rules["path"])
    requests = read_mails(desk, log)
    facts = {"rules": rules, "roster": roster, "rates": rates, "holidays": holidays}
    valid = clock["times"] | {key: times for key, times in requests.items() if log["decisions"][key] == "approved"}
    hours = {name: period_hours(facts, valid, name) for name in sorted(rates)}
    pay = {name: period_pay(facts, hours[name], name) for name in hours}
    changes = []
    for key in sorted(requests, key=lambda key: (key[1], key[0])):
        approved = log["decisions"][key] == "approved"
        other = period_hours(facts, valid | {key: (clock["times"] if approved else requests)[key]}, key[0])
        sign = 1 if approved else -1
        gross = sign * (pay[key[0]]["gross"] - period_pay(facts, other, key[0])["gross"])
        time = sign * (hours[key[0]]["paid"] - other["paid"])
        changes.append([*map(str, key), log["decisions"][key], decimal(time), decimal(gross)])
    worked = {key: shift_minutes(facts, key, times)["exact"] for key, times in valid.items()}
    long = [[*map(str, key), str(n)] for key, n in worked.items() if n > rules["paid minutes of long shifts"]]
    long.sort(key=lambda row: (row[1], row[0]))
    sheets = {"Hours": [[name, *(decimal(row[kind]) for kind in KINDS)] for name, row in hours.items()]}
    sheets["Pay"] = [[name, *(decimal(row[kind]) for kind in [*KINDS, "gross"])] for name, row in pay.items()]
    words = {"rules": rules, "log": log, "paths": paths, "period": clock["period"], "plant": roster["plant"]}
    words["total"] = f"{float(sum(row['gross'] for row in pay.values())):,.2f}"
    desk.python(WRITE, sheets=sheets, changes=changes, long=long, letter=letter(words, len(rates), changes, long))


# -- the papers -----------------------------------------------------------------------------------


def read_agreement(desk, path):
    """What the agreement says in each gap of RULES, its breaks and premiums, and the number of each rule's paragraph."""
    paper = opened(desk.document, path)
    text = "\n".join(tidy(re.sub("[\u201c\u201d]", '"', line)) for line in paper.lines)
    rules = {"path": path, "at": {}}
    for what, (pattern, known) in RULES.items():
        hit = re.search(rf"^(?:(\d+\.\d+) )?.*?(?:{pattern.replace('^', '(?<![^\n])')})", text, re.M)
        words = tidy(hit[2]) if hit else ""
        value = {COUNT: whole, TIME: minute, DAY: day_of, WORDS: str}[known](words) if type(known) is str else words.lower()
        if value in (None, "") or (isinstance(known, list) and value not in known):
            stop(f"{what} is missing or unclear in the collective agreement ({path}): {words!r}", path)
        rules[what], rules["at"][what] = value, hit[1]
    editions = re.findall(r"^\[footer\].*edition\b ?(.*?) ?Page", text, re.M) or [None]
    agree("the edition of the agreement", rules["edition"], path, whole(editions[0]), f"the footer of {path}")
    for meaning in MEANINGS:
        if meaning not in text:
            stop(f"Annex B of the collective agreement ({path}) lacks or changes a meaning: {meaning}", path)
    breaks = [row for table in paper.tables for row in table if table[0][:1] == ["Attendance"]][1:]
    rules["breaks"] = [[whole(cell(row, 0, r"of more than (.*?) minutes")),
                        whole(cell(row, 1, r"(.*?) minutes" + " in all" * (place > 0)))] for place, row in enumerate(breaks)]
    if not breaks or not all(known(limit, rest) for limit, rest in rules["breaks"]) or rules["breaks"] != sorted(rules["breaks"]):
        stop(f"an attendance or unpaid break is missing in the table of breaks ({path}): {breaks}", path)
    listed = [row for table in paper.tables for row in table if table[0][:1] == ["Premium"]][1:]
    rules["premiums"] = {}
    for kind, label in PREMIUMS.items():
        rows = [row for row in listed if tidy(row[0]) == label]
        rate = amount(cell(rows[0], 1, r"(.*?) ?%")) if len(rows) == 1 else None
        if rate is None:
            stop(f"percent of {label} is missing in Annex A of the collective agreement ({path}): {rows or listed}", path)
        rules["premiums"][kind] = rate / 100
    return rules


def read_roster(desk, path):
    """Shift code of each employee and day, planned times of each code, and the marked days."""
    rows = [[*map(tidy, row)] for sheet in opened(desk.workbook, path).values() for row in sheet]
    head, grid = under(rows, "Employee")
    roster = {"path": path, "codes": {}, "shifts": {}, "names": [row[0] for row in grid], "marked": [], "odd": []}
    roster["period"], roster["plant"] = period_of(rows), cell(rows[0] if rows else [], 0, r"Shift roster, (.*) plant")
    days = [day_of(text) for text in head]
    for place, row in enumerate(grid):
        for day, code in zip(days[1:], row[1:]):
            if code and not (day and row[0]):
                roster["odd"].append(f"{code} of {row[0] or f'an employee without a name in row {place + 1}'} on {day or '?'}")
            elif code:
                roster["shifts"][row[0], day] = code
    for code, start, end in (row[:3] for row in under(rows, "Code")[1]):
        times = minute(start), minute(end)
        if not code or None in times or times[0] >= times[1] or code in roster["codes"]:
            stop(f"planned start or end of shift code {code!r} is missing or unclear in {path}: {start!r} to {end!r}", path)
        roster["codes"][code] = times
    for name, day in roster["shifts"]:
        code = roster["shifts"][name, day]
        if code not in roster["codes"]:
            stop(f"shift code {code} of {name} on {day} has no planned start and end in {path}", path)
    for text, mark in (row[:2] for row in under(rows, "Date")[1]):
        if mark != "H" and day_of(text):
            stop(f"the mark of {day_of(text)} is missing or unclear in the days marked H of {path}: {mark!r}", path)
        roster["marked"].append(day_of(text))
    return roster


def read_rates(desk, path, roster):
    """Hourly rate of each employee of the plant who is paid by the hour."""
    rows = table_of(opened(desk.csv, path), path, "Employee", "Plant", "Pay type", "Currency", "Hourly rate")
    for row in rows:
        if not all(map(row.get, ("Plant", "Pay type", "Currency"))) or "" in row.values():
            lacking = [name for name, value in row.items() if not value]
            names = row["Employee"] or " or ".join(n for n in roster["names"] if n not in [r["Employee"] for r in rows])
            stop(f"{' and '.join(lacking)} of {names} is missing in the master data ({path})", path)
    ours = [row for row in rows if (row["Plant"], row["Pay type"]) == (roster["plant"], "By the hour")]
    names, listed = [row["Employee"] for row in ours], [name for name in roster["names"] if name]
    same("employee", names, path, listed, roster["path"], lambda name: f"{name} (hourly rate, row of the roster)")
    for row in ours:
        if row["Currency"] != "EUR" or not amount(row["Hourly rate"]):
            said = f"{row['Currency']} {row['Hourly rate']}"
            stop(f"the hourly rate of {row['Employee']} in EUR is missing or unclear in {path}: {said}", path)
    return {row["Employee"]: amount(row["Hourly rate"]) for row in ours}


def read_calendar(desk, path, roster):
    """Kind of each holiday; those of the period have to be the marked days of the roster."""
    events, kinds = opened(desk.calendar, path), {}
    for event in events:
        title, start, holiday = event.get("SUMMARY", ""), day_of(event.get("DTSTART", "")), event.get("CATEGORIES") == "holiday"
        kind = cell([title], 0, r".*\((.*?) holiday\)")
        if start in roster["marked"] and not holiday and not kind and event.get("CATEGORIES"):
            continue
        if holiday != (kind in ("statutory", "local")) or (holiday and (not start or kinds.get(start, kind) != kind)):
            day = start or " or ".join(str(day) for day in roster["marked"] if not any(str(day) in str(e) for e in events))
            stop(f"day, category or kind of the holiday {title!r} on {day} is missing or contradictory in {path}", path)
        if holiday:
            kinds[start] = kind
    first, last = roster["period"]
    here = [day for day in kinds if first <= day <= last]
    marked = [day for day in roster["marked"] if day]
    same("holiday", marked, roster["path"], here, path, lambda day: f"{day} (marked H, kind of holiday)")
    if len(marked) < len(roster["marked"]):
        stop(f"a day marked H has no date in {roster['path']}", roster["path"])
    return kinds


def read_clock(desk, path, roster):
    """First badge in and last badge out of each employee and day; the roster has to have the same ones."""
    data = opened(desk.json, path)
    between = data.get("period") or {}
    clock = {"path": path, "count": whole(str(data.get("records"))), "times": {}}
    clock["period"] = day_of(between.get("from")), day_of(between.get("to"))
    found = [((tidy(p.get("employee")), day_of(p.get("date"))), p) for p in data.get("punches") or []]
    whole_keys = [key for key, _ in found if key[0] and key[1]]
    same("clock record", whole_keys, path, list(roster["shifts"]), roster["path"], person_day, roster["odd"])
    for place, (key, punch) in enumerate(found, 1):
        times = minute(punch.get("in")), minute(punch.get("out"))
        if None in key or not key[0]:
            stop(f"employee or date of clock record {place} is missing in {path}: {punch}", path, roster["path"])
        check_times(f"clock record {place}", key, times, path)
        clock["times"][key] = times
    if roster["odd"]:
        stop(f"an employee or a day is missing in {roster['path']}: {'; '.join(roster['odd'])}", roster["path"], path)
    return clock


def read_log(desk, path):
    """Decisions by employee and day, number of records and regular working day from the supervisor's log."""
    text = opened(desk.read, path)
    lines = [line.strip() for line in text.split("\n")]
    cells = [[tidy(part) for part in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    rows = [row for row in table_of(cells, path, "Employee", "Day", "Decision") if not re.match(":?-", row["Employee"])]
    log = {"path": path, "rows": [(row["Employee"], day_of(row["Day"]), row["Decision"].lower()) for row in rows]}
    log["period"], said = period_of([[line] for line in lines]), tidy(text)
    log["count"] = whole((re.findall(r"clock export that I passed on to you holds (.*?) ?records", said) or [""])[0])
    log["regular"] = whole((re.findall(r"regular working day is (.*?) ?minutes", said) or [""])[0])
    log["keeper"] = (re.findall(r"Kept by (.*?), shift supervisor", said) or ["the shift supervisor"])[0]
    return log


def read_mails(desk, log):
    """Times of each request; the log has to have the same requests, each with its decision."""
    folder, requests = log["path"].rsplit("/", 1)[0], {}
    for path in desk.files(f"{folder}/*.eml"):
        mail = opened(desk.mail, path)
        fields = {name: (re.findall(rf"^[ \t]*{name}:[ \t]*(.*?)[ \t]*$", mail.body, re.M) or [""])[0] for name in ("Day", "In", "Out")}
        told = mail.headers.get("Subject", "")
        sender, signed = tidy(mail.headers.get("From", "").split("<")[0]), tidy(mail.body.strip().split("\n")[-1])
        words = f"{sender or signed} (correction mail {path.rsplit('/', 1)[1]})"
        agree(f"the employee of {words}", sender, f"{path}, sender", signed, f"{path}, signature", path)
        agree(f"the day of {words}", day_of(fields["Day"]), f"{path}, text", day_of(told), f"{path}, subject", path)
        key = sender, day_of(fields["Day"])
        check_times("correction mail", key, (minute(fields["In"]), minute(fields["Out"])), path)
        if key in requests:
            stop(f"there are two correction mails of {person_day(key)} ({path})", path, log["path"])
        requests[key] = minute(fields["In"]), minute(fields["Out"])
    decided = [row[:2] for row in log["rows"] if row[0] and row[1]]

    def named(key):
        slug = re.sub(r"[^a-z0-9]+", "-", key[0].lower()).strip("-")
        return f"{person_day(key)} (mail {folder}/{slug}_{key[1]}.eml)"

    same("correction request", decided, log["path"], list(requests), f"{folder}/*.eml", named)
    for name, day, decision in log["rows"]:
        if not name or not day or decision not in ("approved", "refused"):
            stop(f"employee, day or decision of {name} on {day} is missing or unclear in {log['path']}: {decision!r}", log["path"])
    log["decisions"] = {(name, day): decision for name, day, decision in log["rows"]}
    return requests
