# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""Hours and pay of a two-week period by the collective agreement, as a workbook and a letter of exceptions."""

import re
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
    paths["others"] = desk.files("agreements/**/*.*")
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
    rules["manager"] = (re.findall(r"^Signed for the management: ?(.*)$", text, re.M) or [""])[0]
    for meaning in MEANINGS:
        if meaning not in text:
            stop(f"Annex B of the collective agreement ({path}) lacks or changes a meaning: {meaning}", path)
    breaks = [row for table in paper.tables for row in table if table[0][:1] == ["Attendance"]][1:]
    rules["breaks"] = [[whole(cell(row, 0, r"of more than (.*?) minutes")),
                        whole(cell(row, 1, r"(.*?) minutes" + " in all" * (place > 0)))] for place, row in enumerate(breaks)]
    if not breaks or not all(limit and rest for limit, rest in rules["breaks"]) or rules["breaks"] != sorted(rules["breaks"]):
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
        title, category, start = event.get("SUMMARY", ""), event.get("CATEGORIES", ""), day_of(event.get("DTSTART"))
        kind = cell([title], 0, r".*\((.*?) ?holiday\)")
        if category not in ("", "holiday") and not kind:
            continue
        if category != "holiday" or kind not in ("statutory", "local") or kinds.get(start, kind) != kind or not start:
            told = {str(day_of(event.get("DTSTART"))) for event in events}
            day = start or " or ".join(str(day) for day in roster["marked"] if str(day) not in told)
            stop(f"day, category or kind of the holiday {title!r} on {day} is missing or contradictory in {path}", path)
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
    log = {"path": path, "text": text, "rows": [(row["Employee"], day_of(row["Day"]), row["Decision"].lower()) for row in rows]}
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


# -- the work -------------------------------------------------------------------------------------


def shift_minutes(facts, key, times):
    """Minutes of each kind of a shift, rounded where the agreement rounds each shift; ``exact`` is its paid time."""
    rules, roster, (begin, end) = facts["rules"], facts["roster"], times
    start, planned = roster["codes"][roster["shifts"][key]]
    if rules["beginning of paid time"] == ROSTERED:
        begin = max(begin, start)
    if planned < end <= planned + rules["unpaid minutes after the rostered end"]:
        end = planned
    attendance = max(end - begin, 0)
    paid = attendance - max([rest for limit, rest in rules["breaks"] if attendance > limit], default=0)
    night = max(end - max(begin, rules["start of night work"]), 0)
    minutes = dict.fromkeys(KINDS, 0) | {"exact": paid, "paid": paid, "night": night}
    if rules["unit of time rounding"] == SHIFT:
        minutes |= {kind: rounded(minutes[kind], step_of(rules)) for kind in ("paid", "night")}
    special = facts["holidays"].get(key[1]) or ("sunday" if key[1].weekday() == 6 else None)
    if special:
        minutes[special] = minutes["paid"]
    if not special or rules["overtime on Sundays and holidays"] == "counted as well":
        minutes["overtime"] = max(minutes["paid"] - rules["regular daily working time"], 0)
        if rules["unit of time rounding"] == SHIFT:
            minutes["overtime"] = rounded(minutes["overtime"], step_of(rules))
    return minutes


def period_hours(facts, valid, name):
    """Hours of each kind of an employee in the period."""
    shifts = [shift_minutes(facts, key, times) for key, times in valid.items() if key[0] == name]
    sums = {kind: sum(shift[kind] for shift in shifts) for kind in KINDS}
    if facts["rules"]["unit of time rounding"] != SHIFT:
        sums = {kind: rounded(minutes, step_of(facts["rules"])) for kind, minutes in sums.items()}
    return {kind: Fraction(minutes, 60) for kind, minutes in sums.items()}


def period_pay(facts, hours, name):
    """Base pay, premiums and gross pay of an employee in the period."""
    shares = {"paid": 1} | facts["rules"]["premiums"]
    exact = {kind: hours[kind] * shares[kind] * facts["rates"][name] for kind in KINDS}
    cents = {kind: rounded(value, Fraction(1, 100)) for kind, value in exact.items()}
    gross = cents if facts["rules"]["place of cent rounding"] == AMOUNT else exact
    return cents | {"gross": rounded(sum(gross.values()), Fraction(1, 100))}


def step_of(rules):
    return STEPS[rules["step of time rounding"]]


def rounded(value, step):
    """Half a step upwards; nothing here is below zero."""
    return (value / Fraction(step) + Fraction(1, 2)) // 1 * step


# -- the letter -----------------------------------------------------------------------------------


def letter(words, count, changes, long):
    """Title, first paragraph and the sections with their texts and tables."""
    rules, log, (first, last) = words["rules"], words["log"], words["period"]
    at = {name: f"section {number}" for name, number in rules["at"].items() if number}
    lead = f" in gross pay for all {count} hourly employees of the {words['plant']} plant together: that is the total for "
    lead += f"the period from {first} to {last}, as worked out in payroll.xlsx by edition {rules['edition']} of the "
    lead += "collective agreement. This letter lists the correction requests and the long shifts."
    asked = [row for row in changes if row[2] == "approved"]
    lower = [f"{row[0]} on {row[1]}" for row in asked if row[4].startswith("-")]
    texts = {"approved": f"""Approved time is paid because the agreement says so: where an approved request and the clock
        record of the same day differ, the approved request holds and replaces both times of the day
        ({at["approved requests"]}). {reason(log, "approved")} The rules on paid time apply to it as to the clock."""}
    if lower:
        texts["approved"] += f" For {listing(lower)} the request takes time off, and the pay is lower."
    texts["refused"] = f"""Refused time is not paid, whatever the mail says: a refused request changes nothing
        ({at["refused requests"]}), so the clock stands. {reason(log, "refused")}"""
    texts["changes"] = "" if changes else "There were no correction requests in the period."
    texts["long"] = f"""The agreement has every shift with more than {rules["paid minutes of long shifts"]} minutes of paid
        time, before any rounding, reported to you ({at["paid minutes of long shifts"]}). """
    if long:
        who = listing(f"{row[0]} ({row[1]})" for row in long)
        texts["long"] += f"""You as the plant manager are to see that {rules["action on long shifts"]}; please do so
            for {who}."""
    else:
        texts["long"] += "There was none in this period, so there is nothing for you to do."
    step, unit, cents = (rules[f"{what} rounding"] for what in ("step of time", "unit of time", "place of cent"))
    texts["time"] = f"""Time is rounded to the nearest {step}, exactly half of it upwards
        ({at["step of time rounding"]}), and the rounding applies to {unit} ({at["unit of time rounding"]}, Annex B): """
    texts["time"] += """paid time and night time of every shift are rounded, its overtime is what the rounded paid time has
        beyond the regular day, and the period's hours are the sums.""" if unit == SHIFT else """the exact minutes of each
        kind are added up over the whole period, and each sum is rounded once; no single shift is rounded."""
    texts["time"] += f" Cents are rounded half a cent upwards in {cents} ({at['place of cent rounding']}, Annex B): "
    texts["time"] += """base pay and each premium of an employee for the period are rounded, and gross pay is their
        sum.""" if cents == AMOUNT else """only the sum of base pay and premiums is rounded; the single amounts in
        payroll.xlsx are shown to the cent and need not add up to it."""
    others = [path for path in words["paths"]["others"] if path != rules["path"]]
    texts["edition"] = f"""We went by edition {rules["edition"]} of the collective agreement ({rules["path"]}), in force since
        {rules["day since when the edition is in force"]}. Where an earlier edition or a guide to it differs, this edition
        holds ({at["edition that holds"]})."""
    if others:
        texts["edition"] += f" We therefore did not use {listing(others)}."
    sources = listing(words["paths"][name] for name in ("clock", "roster", "log", "calendar", "master"))
    texts["edition"] += f" Further sources: {sources}, and the correction mails beside the log."
    texts = {name: tidy(text) for name, text in texts.items()}
    head = ["Employee", "Date"]
    return {
        "title": f"Payroll exceptions, {first} to {last}", "manager": rules["manager"], "plant": words["plant"],
        "total": f"EUR {words['total']}", "lead": lead,
        "sections": [
            ["Correction requests", [*head, "Decision", "Change in paid hours", "Change in gross pay (EUR)"], changes,
             [texts["changes"], texts["approved"], texts["refused"]]],
            ["Shifts reported to you", [*head, "Paid minutes"], long, [texts["long"]]],
            ["Rounding", [], [], [texts["time"]]],
            ["Edition and sources", [], [], [texts["edition"]]],
        ],
    }  # fmt: skip


def reason(log, decision):
    """What the supervisor wrote about requests decided so."""
    said = re.findall(rf"^- (Where I {decision}, .*)$", log["text"], re.M)
    return f"{log['keeper']} notes in the log ({log['path']}): \u201c{tidy(said[0])}\u201d" if said else ""


# -- helpers --------------------------------------------------------------------------------------


def stop(what, *paths):
    raise Blocked(what, dict.fromkeys(paths), RESULT)


def only(desk, pattern, usual):
    """The one file that fits a pattern."""
    paths = desk.files(pattern)
    return paths[0] if len(paths) == 1 else stop(f"{usual} is missing or not unique: {paths}", usual, *paths)


def opened(read, path):
    try:
        return read(path)
    except (ToolFailed, ValueError) as error:
        stop(f"{path} cannot be read: {error}", path)


def agree(what, one, first, other, second, *paths):
    """Two places that state the same value."""
    if empty(one) or empty(other) or one != other:
        one, other = ("missing" if empty(value) else shown(value) for value in (one, other))
        named = [place for place in (first, second) if "." in place and " " not in place] + [*paths]
        stop(f"{what} is missing or contradictory: {one} in {first}, {other} in {second}", *named)


def same(what, one, first, other, second, named, odd=()):
    """Two lists that have the same keys, each once; ``odd`` tells of entries without a whole key."""
    lists = ((one, other, first, second), (other, one, second, first))
    faults = [f"{what} twice in {here}: {named(key)}" for keys, _, here, _ in lists for key in keys if keys.count(key) > 1]
    for keys, others, here, there in lists:
        lacking = [named(key) for key in dict.fromkeys(keys) if key not in others]
        faults += [f"missing in {there}, though in {here}: {'; '.join(lacking)}"] if lacking else []
    if faults:
        faults += [f"seen without a whole key: {'; '.join(odd)}"] if odd else []
        stop(f"{what} missing or contradictory: {'. '.join(dict.fromkeys(faults))}", first, second)


def check_times(what, key, times, path):
    """Both times are there, one after the other."""
    for name, value in zip(("clock-in", "clock-out"), times):
        if value is None:
            stop(f"the {name} (time) of {person_day(key)} is missing in the {what} ({path})", path)
    if times[0] >= times[1]:
        stop(f"the clock-out of {person_day(key)} is not after the clock-in in the {what} ({path})", path)


def under(rows, *heads):
    """Header and rows of the block below the row that begins with the headings."""
    place = next((place for place, row in enumerate(rows) if row[: len(heads)] == [*heads]), len(rows))
    block = []
    for row in rows[place + 1 :]:
        if re.match(r"Days marked|An empty cell|Shift codes|Start and end|H:", row[0]):
            break
        block += [row] if any(row) else []
    return (rows[place] if place < len(rows) else []), block


def table_of(rows, path, *headings):
    try:
        return records(rows, *headings)
    except ValueError as error:
        stop(f"{path} lacks its table: {error}", path)


def period_of(rows):
    """First and last day in the line ``Period ... to ...``."""
    said = next((row[0] for row in rows if row and row[0].startswith("Period")), "")
    found = re.findall(r"Period (.*?) to (\S*\d)", said) or [("", "")]
    return day_of(found[0][0]), day_of(found[0][1])


def cell(row, place, pattern):
    """What stands in the gap of a cell's words."""
    hit = re.fullmatch(pattern, tidy(row[place])) if place < len(row) else None
    return hit[1] if hit else ""


def whole(text):
    return int(text) if re.fullmatch(r"\d+", tidy(text)) else None


def amount(text):
    """A number with at most four places, as a fraction."""
    return Fraction(tidy(text).replace(",", ".")) if re.fullmatch(r"\d+([.,]\d{1,4})?", tidy(text)) else None


def minute(text):
    """Minutes since midnight of ``08:00`` or ``08:00:00``."""
    hit = re.fullmatch(r"(\d{1,2}):([0-5]\d)(?::00)?", tidy(text))
    return int(hit[1]) * 60 + int(hit[2]) if hit and int(hit[1]) < 24 else None


def day_of(text):
    """The day in a text; None where there is none or its weekday is another."""
    try:
        day = date(tidy(text))
    except ValueError:
        return None
    named = re.search(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*day)?\b", str(text))
    return None if named and named[1] != f"{day:%a}" else day


def person_day(key):
    return f"{key[0]} on {key[1]}"


def tidy(text):
    return " ".join(str("" if text is None else text).split())


def empty(value):
    return value in (None, "") or (isinstance(value, tuple) and None in value)


def shown(value):
    return " to ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def decimal(value):
    """A text with two places."""
    cents = int(rounded(abs(value), Fraction(1, 100)) * 100)
    return f"{'-' if value < 0 and cents else ''}{cents // 100}.{cents % 100:02}"


def listing(names):
    *most, last = [*names] or [""]
    return f"{', '.join(most)} and {last}" if most else last


WRITE = """
import docx
import openpyxl
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt
from openpyxl.styles import Alignment, Font

kinds = ["Overtime", "Sunday", "Statutory holiday", "Local holiday", "Night"]
heads = {"Hours": ["Employee", "Paid hours"] + [kind + " hours" for kind in kinds]}
heads["Pay"] = ["Employee", "Base pay (EUR)"] + [kind + " premium (EUR)" for kind in kinds] + ["Gross pay (EUR)"]
book = openpyxl.Workbook()
book.remove(book.active)
for title, rows in sheets.items():
    sheet = book.create_sheet(title)
    sheet.append(heads[title])
    for row in rows:
        sheet.append([row[0], *map(float, row[1:])])
    for column in sheet.iter_cols(min_col=2, min_row=2):
        for cell in column:
            cell.number_format = "#,##0.00" if title == "Pay" else "0.00"
    for place, cell in enumerate(sheet[1]):
        cell.font = Font(bold=True)
        cell.alignment = Alignment(horizontal="right" if place else "left", vertical="top", wrap_text=True)
        sheet.column_dimensions[cell.column_letter].width = 16 if place else max(len(row[0]) for row in rows) + 4
    sheet.row_dimensions[1].height = 32
    sheet.freeze_panes = "B2"
book.save("payroll.xlsx")

page = docx.Document()
part, normal = page.sections[0], page.styles["Normal"]
part.left_margin = part.right_margin = Cm(2.2)
part.top_margin = part.bottom_margin = Cm(1.8)
normal.font.name, normal.font.size, normal.paragraph_format.space_after = "Calibri", Pt(10), Pt(4)
top = "Human resources, " + letter["plant"] + " plant"
part.header.paragraphs[0].text = top + "\\tTo " + ", ".join(filter(None, [letter["manager"], "plant manager"]))
part.header.paragraphs[0].paragraph_format.tab_stops.add_tab_stop(Cm(16.6), docx.enum.text.WD_TAB_ALIGNMENT.RIGHT)
page.add_heading(letter["title"], 1).paragraph_format.space_before = Pt(0)
lead = page.add_paragraph("Dear " + (letter["manager"] or "plant manager") + ", we have to pay ")
lead.add_run(letter["total"]).bold = True
lead.add_run(letter["lead"])
for heading, head, rows, texts in letter["sections"]:
    page.add_heading(heading, 2).paragraph_format.space_before = Pt(7)
    if head:
        table = page.add_table(1 + len(rows), len(head))
        table.style = "Light Grid Accent 1"
        for line, row in zip([head, *rows], table.rows):
            for place, cell in enumerate(row.cells):
                paragraph = cell.paragraphs[0]
                paragraph.add_run(line[place]).font.size = Pt(9)
                paragraph.paragraph_format.space_after = Pt(1)
                number = head[place] not in ("Employee", "Date", "Decision")
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT if number else WD_ALIGN_PARAGRAPH.LEFT
    for number, text in enumerate(filter(None, texts)):
        page.add_paragraph(text).paragraph_format.space_before = Pt(4 if head and not number else 0)
page.add_paragraph("Kind regards, Human resources")
page.save("exceptions_letter.docx")
"""
