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
    for name in SETTINGS:
        if not re.search(rf"^{re.escape(tidy(ANNEX[rules[name]]))}$", text, re.M):
            stop(f"{name}, {rules[name]}, is not explained in Annex B of {path} as this script can follow it", path)
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
    log["number of records"] = whole(found(r"(?i)export\b[^.]*?\bpayroll(?: holds|:|,) ?(\d*) ?records", tidy(text)))
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
