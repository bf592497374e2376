# Guest code of the expert: runs inside the sandbox. Names such as Blocked, records and date come from desk.py.
"""Hours and pay of a two-week period by the collective agreement, as a workbook and a letter of exceptions."""

import re
from fractions import Fraction
from pathlib import PurePosixPath

RESULT = "hours, premiums and gross pay of the period, and with them the letter"
PLACES = {  # pattern and usual name of each file
    "agreement": ("agreements/*.docx", "agreements/collective_agreement.docx"),
    "roster": ("time/roster/*.xlsx", "time/roster/shift_roster.xlsx"),
    "clock": ("time/clock/*.json", "time/clock/clock_export.json"),
    "log": ("time/corrections/*.md", "time/corrections/supervisor_log.md"),
    "calendar": ("calendar/*.ics", "calendar/plant_calendar.ics"),
    "master": ("hr/*.csv", "hr/master_data.csv"),
}
PREMIUMS = {"overtime": "Overtime", "sunday": "Work on Sundays", "statutory": "Work on statutory holidays"}
PREMIUMS |= {"local": "Work on local holidays", "night": "Night work"}
KINDS, CENT = ["paid", *PREMIUMS], Fraction(1, 100)


def solve(desk):
    files = desk.files()
    paths = {name: only(files, *place) for name, place in PLACES.items()}
    rules, roster = read_agreement(desk, paths["agreement"]), read_roster(desk, paths["roster"])
    facts = {"rules": rules, "roster": roster, "rates": read_rates(desk, paths["master"], roster)}
    facts["holidays"] = read_calendar(desk, paths["calendar"], roster)
    clock, log = read_clock(desk, paths["clock"], roster), read_log(desk, paths["log"])
    for what, one, other in (("period", roster, clock), ("period", roster, log), ("number of records", clock, log)):
        agree(what, one[what], one["path"], other[what], other["path"])
    agree("regular working day", rules["regular working day"], rules["path"], log["regular working day"], log["path"])
    listed = len(clock["times"])
    agree("number of records (stated, listed)", clock["number of records"], clock["path"], listed, clock["path"])
    if rules["first day in force"] > roster["period"][0]:
        stop(f"the edition valid on {roster['period'][0]} is missing: {rules['path']} is in force later", rules["path"])
    requests = read_mails(desk, files, log, roster)
    approved = [key for key in requests if log["decisions"][key] == "approved" and rules["what holds"] == REQUEST]
    valid = clock["times"] | {key: requests[key] for key in approved}
    hours = {name: period_hours(facts, valid, name) for name in sorted(facts["rates"])}
    pay = {name: period_pay(facts, hours[name], name) for name in hours}
    changes = []
    for key in sorted(requests, key=lambda key: key[::-1]):
        name, sign = key[0], 1 if key in approved else -1
        other = period_hours(facts, valid | {key: (clock["times"] if key in approved else requests)[key]}, name)
        gross = pay[name]["gross"] - period_pay(facts, other, name)["gross"]
        change = sign * (hours[name]["paid"] - other["paid"]), sign * gross
        changes.append([*map(str, key), log["decisions"][key], *map(places, change)])
    worked = [[*map(str, key), shift_minutes(facts, key, times)["exact"]] for key, times in valid.items()]
    long = sorted((row for row in worked if row[2] > rules["minutes of a long shift"]), key=lambda row: row[1::-1])
    sheets = {"Hours": [[name, *(places(row[kind]) for kind in KINDS)] for name, row in hours.items()]}
    sheets["Pay"] = [[name, *(places(row[kind]) for kind in [*KINDS, "gross"])] for name, row in pay.items()]
    words = {**paths, "rules": rules, "log": log, "plant": roster["plant"], "period": roster["period"]}
    words |= {"total": f"{float(sum(row['gross'] for row in pay.values())):,.2f}", "count": len(pay)}
    words["guides"] = [path for path in files if path.startswith("agreements/") and path != rules["path"]]
    desk.python(WRITE, sheets=sheets, letter=letter(words, changes, long))


def read_agreement(desk, path):
    """What stands in the gaps of AGREEMENT, the breaks by attendance, and the premiums as shares of the hourly rate."""
    paper, rules = opened(desk.document, path), {"path": path}
    text = "\n".join(tidy(re.sub("[\u201c\u201d]", '"', line)) for line in paper.lines)
    read = {"": whole, "DAY": day_of, "TIME": minute, "STEP": STEPS.get, "WORDS": str}
    for sentence in map(tidy, re.split(r"\n(?=\S)", AGREEMENT.strip())):
        gaps, parts = re.findall(r" \{(.*?)(?:: (.*?))?\}", sentence), re.split(r" \{.*?\} ?", sentence)
        pattern = " ?(.*?) ?".join(map(re.escape, parts))
        hit = re.search(rf"^{pattern}{'' if parts[-1] else '$'}", text, re.M)
        if not hit:
            lost = " and ".join(name for name, _ in gaps) or "a rule"
            stop(f"{lost} is missing, or other than this script can follow, in {path}: {sentence}", path)
        for (name, kind), words in zip(gaps, hit.groups(), strict=True):
            rules[name] = read[kind](words) if kind in read else words if words in kind.split(" | ") else None
            if rules[name] in (None, ""):
                stop(f"{name} is missing or unclear in {path}: {words!r} in: {sentence}", path)
    footer = whole(found(r"^\[footer\] Collective agreement, edition (.*?) ?Page", text))
    agree("edition of the agreement (page 1, footer)", rules["edition"], path, footer, path)
    rules["manager"] = found(r"^Signed for the management: (.*)$", text) or "plant manager"
    tables = {table[0][0]: [" | ".join(map(tidy, row)) for row in table[1:]] for table in paper.tables}
    breaks, rows = tables.get("Attendance", []), tables.get("Premium", [])
    ends = ["minutes", *["minutes in all"] * len(breaks)]
    rules["breaks"] = [(whole(found(r"^of more than (.*) minutes \|", row)), whole(found(rf"\| (.*) {end}$", row)))
                       for row, end in zip(breaks, ends, strict=False)]  # fmt: skip
    if not breaks or None in sum(rules["breaks"], ()) or rules["breaks"] != sorted(set(rules["breaks"])):
        stop(f"an attendance or an unpaid break is missing or unclear in the table of breaks in {path}: {breaks}", path)
    rules["premiums"] = {}
    for kind, label in PREMIUMS.items():
        rates = [amount(found(r"\| (.*) %$", row)) for row in rows if row.startswith(f"{label} |")]
        if len(rates) != 1 or rates[0] is None:
            stop(f"percent of {label} ({kind}) is missing or unclear in Annex A of {path}: {rows}", path)
        rules["premiums"][kind] = rates[0] / 100
    return rules


def read_roster(desk, path):
    """Shift codes by employee and day, planned times by code, and marked days."""
    rows = [[*map(tidy, row)] for sheet in opened(desk.workbook, path).values() for row in sheet]
    days, grid = under(rows, "Employee")
    roster = {"path": path, "period": period_of(" ".join(row[0] for row in rows)), "codes": {}, "marked": []}
    roster |= {"names": [row[0] for row in grid], "plant": found("^Shift roster, (.*) plant$", rows[0][0])}
    days = [*map(day_of, days)]
    entries = [((row[0], days[place]), code) for row in grid for place, code in enumerate(row) if place and code]
    roster |= {"shifts": dict(entries), "keys": [key for key, _ in entries]}
    for code, start, end in (row[:3] for row in under(rows, "Code")[1]):
        times = minute(start), minute(end)
        if not code or None in times or times[0] >= times[1] or code in roster["codes"]:
            stop(f"shift code {code!r}: code, start or end is missing or unclear in {path}: {start!r} to {end!r}", path)
        roster["codes"][code] = times
    for key, code in entries:
        if code not in roster["codes"]:
            stop(f"shift code {code} of {person_day(key)}: its planned start and end are missing in {path}", path)
    for day, mark in (row[:2] for row in under(rows, "Date")[1]):
        if mark != "H" and day:
            stop(f"the mark of {day} is missing or unclear among the days marked H in {path}: {mark!r}", path)
        roster["marked"].append(day_of(day))
    return roster


def read_rates(desk, path, roster):
    """Hourly rates of those in the plant who are paid by the hour; the roster has to have the same employees."""
    heads = "Employee", "Plant", "Pay type", "Currency", "Hourly rate"
    rows = opened(lambda path: records(desk.csv(path), *heads), path)
    ours = [row for row in rows if (row["Plant"], row["Pay type"]) == (roster["plant"], "By the hour")]
    same("employee (hourly rate)", [row["Employee"] for row in ours], path, roster["names"], roster["path"], str)
    for row in ours:
        if row["Currency"] != "EUR" or not amount(row["Hourly rate"]):
            stop(f"hourly rate of {row['Employee']} in EUR is missing or unclear in {path}: {list(row.values())}", path)
    return {row["Employee"]: amount(row["Hourly rate"]) for row in ours}


def read_calendar(desk, path, roster):
    """Kinds of holiday by day; the roster has to mark those of the period."""
    listed, (first, last) = [], roster["period"]
    for event in opened(desk.calendar, path):
        title, category, day = event.get("SUMMARY", ""), event.get("CATEGORIES", ""), day_of(event.get("DTSTART"))
        kind = found(r"\((.*) holiday\)$", title)
        if kind or category in ("", "holiday"):
            if category != "holiday" or kind not in ("statutory", "local"):
                stop(f"kind or category of the holiday {title!r} on {day} is missing or unclear in {path}", path)
            listed.append((day, kind))
    here = [day for day, _ in listed if not (day and first and last) or first <= day <= last]
    same("holiday (kind, mark H)", here, path, roster["marked"], roster["path"], str)
    return dict(listed)


def read_clock(desk, path, roster):
    """Minutes of clock-in and clock-out by employee and day; the roster has to have the same ones."""
    data = opened(desk.json, path)
    span, punches = data.get("period") or {}, data.get("punches") or []
    keys = [(tidy(punch.get("employee")), day_of(punch.get("date"))) for punch in punches]
    same("clock record (employee, date) or shift", keys, path, roster["keys"], roster["path"], person_day)
    times = [(minute(punch.get("in")), minute(punch.get("out"))) for punch in punches]
    pairs = [*zip(keys, times, strict=True)]
    for key, pair in pairs:
        check_times(key, pair, "clock record", path)
    clock = {"path": path, "number of records": whole(data.get("records")), "times": dict(pairs)}
    return clock | {"period": (day_of(span.get("from")), day_of(span.get("to")))}


def read_log(desk, path):
    """Decisions by employee and day, and what else the supervisor's log states."""
    text = opened(desk.read, path)
    cells = [line.strip().strip("|").split("|") for line in text.split("\n") if line.startswith("|")]
    rows = opened(lambda path: records(cells, "Employee", "Day", "Decision"), path)
    rows = [row for row in rows if set("".join(row.values())) - set(":-")]
    log = {"path": path, "text": text, "period": period_of(tidy(text))}
    log["keys"] = [(row["Employee"], day_of(row["Day"])) for row in rows]
    log["decisions"] = {key: row["Decision"].lower() for key, row in zip(log["keys"], rows, strict=True)}
    log["number of records"] = whole(found(r"passed on to you holds (.*?) ?records", tidy(text)))
    log["regular working day"] = whole(found(r"regular working day is (.*?) ?minutes", tidy(text)))
    return log


def read_mails(desk, files, log, roster):
    """Minutes of clock-in and clock-out that each request gives; the log has to have the same requests."""
    folder, keys, requests = log["path"].rpartition("/")[0], [], {}
    mails = [path for path in files if PurePosixPath(path).match(f"{folder}/*.eml")]
    for path in mails:
        mail = opened(desk.mail, path)
        day, start, end = (found(rf"^ *{name}: *(.*)$", mail.body) for name in ("Day", "In", "Out"))
        sender, signed = tidy(mail.headers.get("From", "").split("<")[0]), tidy(mail.body.strip().split("\n")[-1])
        agree(f"employee (sender, signature) of the mail of {sender or signed}", sender, path, signed, path)
        told = day_of(mail.headers.get("Subject"))
        agree(f"day (text, subject) of the mail of {sender} for {told or day}", day_of(day), path, told, path)
        keys.append((sender, told))
        requests[keys[-1]] = minute(start), minute(end)
        check_times(keys[-1], requests[keys[-1]], "correction mail", path)

    def usual(key):
        return f"{folder}/{re.sub('[^a-z0-9]+', '-', key[0].lower())}_{key[1]}.eml"

    def named(key):
        return f"{person_day(key)} ({usual(key)})"

    usuals = [usual(key) for key in log["keys"] if all(key)]
    same("correction request", keys, f"{folder}/*.eml", log["keys"], log["path"], named, *mails, *usuals)
    for key, decision in log["decisions"].items():
        if decision not in ("approved", "refused"):
            stop(f"decision on {person_day(key)} is missing or unclear in {log['path']}: {decision!r}", log["path"])
        if key not in roster["shifts"]:
            stop(f"{person_day(key)} has a request in {log['path']}, but no shift in {roster['path']}", roster["path"])
    return requests


def shift_minutes(facts, key, times):
    """Minutes of each kind of a shift, rounded where the agreement rounds each shift; ``exact`` is its paid time."""
    rules, roster, (begin, end) = facts["rules"], facts["roster"], times
    start, planned = roster["codes"][roster["shifts"][key]]
    each, special = rules["unit of rounding"] == SHIFT, facts["holidays"].get(key[1])
    begin = max(begin, start) if rules["beginning of paid time"] == EARLIEST else begin
    end = planned if planned < end <= planned + rules["unpaid minutes at the end"] else end
    attendance = max(end - begin, 0)
    paid = attendance - max([rest for limit, rest in rules["breaks"] if attendance > limit], default=0)
    minutes = dict.fromkeys(KINDS, 0) | {"paid": paid, "night": max(end - max(begin, rules["start of night work"]), 0)}
    if each:
        minutes = {kind: rounded(minutes[kind], rules["step of rounding"]) for kind in KINDS}
    special = special or ("sunday" if key[1].weekday() == 6 else None)
    if special:
        minutes[special] = minutes["paid"]
    if not special or rules["overtime on Sundays and holidays"] == "counted as well":
        over = max(minutes["paid"] - rules["regular working day"], 0)
        minutes["overtime"] = rounded(over, rules["step of rounding"]) if each else over
    return minutes | {"exact": paid}


def period_hours(facts, valid, name):
    """Hours of each kind of an employee in the period."""
    shifts, rules = [shift_minutes(facts, key, valid[key]) for key in valid if key[0] == name], facts["rules"]
    step = 1 if rules["unit of rounding"] == SHIFT else rules["step of rounding"]
    return {kind: Fraction(rounded(sum(shift[kind] for shift in shifts), step), 60) for kind in KINDS}


def period_pay(facts, hours, name):
    """Base pay, premiums and gross pay of an employee in the period, to the cent."""
    shares = {"paid": 1} | facts["rules"]["premiums"]
    exact = {kind: hours[kind] * shares[kind] * facts["rates"][name] for kind in KINDS}
    cents = {kind: rounded(value, CENT) for kind, value in exact.items()}
    each = facts["rules"]["place of cent rounding"] == AMOUNT
    return cents | {"gross": rounded(sum((cents if each else exact).values()), CENT)}


def stop(what, *paths):
    raise Blocked(what, dict.fromkeys(path for path in paths if "*" not in path), RESULT)


def only(files, pattern, usual):
    """The one file that fits a pattern."""
    paths = [path for path in files if PurePosixPath(path).match(pattern)]
    return paths[0] if len(paths) == 1 else stop(f"{usual} is missing or not the only one: {paths}", usual, *paths)


def opened(read, path):
    try:
        return read(path)
    except (ToolFailed, ValueError) as error:
        stop(f"{path} cannot be read: {error}", path)


def agree(what, one, first, other, second):
    """Two places that state the same value."""
    if one != other or not one or (isinstance(one, tuple) and None in one):
        one, other = ("missing" if value in (None, "") else value for value in (one, other))
        stop(f"{what} is missing or contradictory: {one} in {first}, {other} in {second}", first, second)


def same(what, one, first, other, second, named, *more):
    """Two lists that have to hold the same keys, each once; a key with a gap fits nowhere."""
    faults = [f"{named(key)} is not in {second}, though in {first}" for key in one if key not in other]
    faults += [f"{named(key)} is not in {first}, though in {second}" for key in other if key not in one]
    faults += [f"{named(key)} is twice in {first}" for key in dict.fromkeys(one) if one.count(key) > 1]
    faults += [f"{named(key)} is twice in {second}" for key in dict.fromkeys(other) if other.count(key) > 1]
    if faults:
        stop(f"{what} missing or contradictory: {'; '.join(faults)}", first, second, *more)


def check_times(key, times, what, path):
    lacking = [name for name, value in zip(("clock-in", "clock-out"), times, strict=True) if value is None]
    if lacking or times[0] >= times[1]:
        told = f"{' and '.join(lacking)} missing" if lacking else "clock-out is not after clock-in"
        stop(f"time of {person_day(key)} in the {what} ({path}): {told}", path)


def under(rows, head):
    """The row that begins with the heading, and those of its block."""
    place = next((place for place, row in enumerate(rows) if row[0] == head), len(rows) - 1)
    below = rows[place + 1 :]
    ends = (n for n, row in enumerate(below) if re.match("Days marked|An empty|Shift codes|Start and", row[0]))
    return rows[place], [row for row in below[: next(ends, None)] if any(row)]


def period_of(text):
    return day_of(found(r"Period ([\d-]*) to", text)), day_of(found(r"Period [\d-]* ?to ([\d-]*)", text))


def found(pattern, text):
    """What stands in the gap of a sentence."""
    return tidy((re.findall(pattern, text, re.M) or [""])[0])


def whole(text):
    return int(tidy(text)) if re.fullmatch(r"\d+", tidy(text)) else None


def amount(text):
    return Fraction(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d{1,4})?", text) else None


def minute(text):
    """Minutes since midnight."""
    hit = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(:00)?", tidy(text))
    return int(hit[1]) * 60 + int(hit[2]) if hit else None


def day_of(text):
    """The day in a text; None where there is none, or its weekday is another."""
    try:
        day = date(tidy(text))
    except ValueError:
        return None
    weekday = re.search(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)", str(text))
    return None if weekday and weekday[1] != f"{day:%a}" else day


def rounded(value, step):
    """Half a step upwards; nothing here is below zero."""
    return (value / Fraction(step) + Fraction(1, 2)) // 1 * step


def places(value):
    """A text with two places."""
    cents = rounded(abs(value), CENT) * 100
    return f"{'-' if value < 0 and cents else ''}{cents // 100}.{int(cents % 100):02}"


def person_day(key):
    return f"{key[0]} on {key[1]}"


def tidy(text):
    return " ".join(str("" if text is None else text).split())


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
- Paid time beginning at "the rostered start at the earliest": who badges in before the rostered start is paid from the
  rostered start, who badges in after it from the badge in. At "the clock-in": always from the badge in.
- Rounding applied to "each shift": paid time and night time of every shift are rounded. Overtime of a shift is what its
  rounded paid time has beyond the regular daily working time, rounded again where that is no full step; Sunday and
  holiday time of a shift are its rounded paid time. The period's hours are the sums. Applied to "the pay period": exact
  minutes of each kind, overtime of each shift included, are added up over the whole period, and each sum is rounded
  once.
- Cents rounded in "each amount": base pay and each premium of an employee for the period are rounded, each kind of
  holiday by itself, and gross pay is their sum. In "the gross pay": only the sum is rounded.
- Overtime on Sundays and holidays "counted as well": time beyond the regular daily working time is overtime on these
  days too, and its premium is paid besides that of the day. "Not counted": these days have no overtime.
"""
HEADS = ["Employee", "Date", "Decision", "Change in paid hours", "Change in gross pay (EUR)"]
NOTHING = "There were none in this period, so there is nothing to be done."
TODO = "You are to see that {what the manager does}; please do so for {who}."
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
    given["todo"] = TODO.format(**rules, who=who) if long else NOTHING
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
        cell.font, cell.alignment = Font(bold=True), Alignment(horizontal=align, vertical="top", wrap_text=True)
        sheet.column_dimensions[cell.column_letter].width = 17 if place else 4 + max(len(row[0]) for row in rows)
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
