# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""Which supplier to take: net present landed cost of every offer, as a workbook and a one-page memo."""

import re
from decimal import ROUND_HALF_UP, Decimal, getcontext

getcontext().prec = 60
CENT, RESULT = Decimal("0.01"), "the net present landed cost and the recommendation"
RATES, MAIL = "logistics/carrier_rates.csv", "mail/re_freight_rates.eml"
BUYER_PAYS, SELLER_PAYS = ("EXW", "FCA"), ("CPT", "CIP", "DAP", "DPU", "DDP")
SHIFT = {"end": Decimal(0), "middle": Decimal("0.5"), "start": Decimal(1), "beginning": Decimal(1)}
HALF_YEARS = {"one full year": 2, "a full year": 2, "half a year": 1, "not discounted": 0}
STEPS = {"cents": CENT, "whole dollars": Decimal(1)}
OPENINGS = (  # how quotations begin, with the supplier's name in them
    r"\bWe, ?(.*?) ?, are pleased",
    r"\brequest for quotation, ?(.*?) ?\boffers you\b",
    r"\bplease find below the offer of (.*?) ?\bfor\b",
    r"\bsubmit the following on behalf of (.*?) ?: Position\b",
)
MAILED = r"(?:For collections at|From) (.*?) ?\b(?:we charge|the rate is|it comes to)\b(.*?)(?=, |\.(?!\d)|$)"
RULES = {  # sentences of the policy, and the words that this script can follow; others are not guessed at
    "discount rate": (r"discount rate is (.*?) ?a year", None),
    "timing of payments": (r"contract year counts as paid (?:at|in) the (.*?) ?of (?:the )?year\b", SHIFT),
    "discounting of the first year": (r"first year after signing is (?:discounted by )?(.*?)\.", HALF_YEARS),
    "rounding of a year's landed cost": (r"Landed cost of a year is rounded to (.*?) ?[;.]", STEPS),
    "forecast that applies": (r"\bThe ([\w ]*?) ?version applies", ["latest released"]),
    "yardstick": (r"Offers are compared on (.*?),", ["net present landed cost"]),
    "year to which costs are discounted": (r"discounted to the (.*?),", ["signing year"]),
    "treatment of one-off payments": (r"with one-off payments (.*?)\.", ["included"]),
    "treatment of freight": (r"Landed means that freight is (.*?)[,.]", ["included"]),
    "treatment of tooling": (r"Payments at signing, such as tooling, are (.*?)\.", ["not discounted"]),
    "award rule": (r"goes to the supplier with the (.*?)\.", ["lowest net present landed cost"]),
}


def solve(desk):
    tender, policy = read_tender(desk), read_policy(desk)
    forecast = read_forecast(desk, tender)
    offers = read_quotations(desk, tender)
    add_freight(desk, tender, offers)
    for offer in offers:
        add_cost(offer, tender, policy, forecast)
    ranked = sorted(offers, key=lambda offer: offer["npv"])
    if len(ranked) > 1 and ranked[0]["npv"] == ranked[1]["npv"]:
        stop(f"{ranked[0]['name']} and {ranked[1]['name']} cost the same", *[offer["path"] for offer in ranked[:2]])
    yearly = [[offer["name"], year, cost] for offer in offers for year, cost in offer["landed"].items()]
    comparison = [[offer["name"], rounded(offer["npv"])] for offer in ranked]
    desk.python(WRITE, yearly=yearly, comparison=comparison, memo=memo(tender, policy, forecast, ranked))


def read_tender(desk):
    """Entries of the tender sheet, contract years and the offers received with their tooling."""
    path = only(desk, "tender/*.docx", "tender/tender_sheet.docx")
    paper = opened(desk.document, path)
    entries = {plain(row[0]): tidy(row[1]) for table in paper.tables for row in table if len(row) == 2}
    labels = {"plant": "Receiving plant", "material": "Material"}
    labels |= {"signed": "Contract signed in", "years": "Contract years"}
    found = {name: entries.get(plain(label), "") for name, label in labels.items()} | {"path": path}
    for name, label in labels.items():
        if not found[name] or (name == "signed" and not is_year(found[name])):
            stop(f"{label} is missing in the tender sheet ({path}): {found[name]!r}", path)
    stated = [tidy(part) for part in found["years"].split(",")]
    found |= {"stated": stated, "signed": int(found["signed"])}
    found["years"] = [int(year) for year in stated if is_year(year)]
    found["number"] = (re.findall(r"Tender sheet (T-\d+)", " ".join(paper.lines)) or [""])[0]
    lists = [table for table in paper.tables if [plain(c) for c in table[0]] == ["supplier", "one-off tooling in usd"]]
    if len(lists) != 1:
        stop(f"the list of offers with Supplier and One-off tooling in USD is missing ({path})", path)
    found["offers"] = [(tidy(row[0]), tidy(row[1])) for row in lists[0][1:] if any(map(tidy, row))]
    return found


def read_policy(desk):
    """The words of the policy's rules, and the discount rate, shift within the year and rounding step."""
    path = only(desk, "policies/*sourcing*.docx", "policies/sourcing_policy.docx")
    text, policy = tidy(" ".join(opened(desk.document, path).lines)), {"path": path}
    for what, (pattern, known) in RULES.items():
        words = tidy((re.findall(pattern, text, re.I) or [""])[0])
        if not words or (known and words.lower() not in known):
            stop(f"{what} is missing or not clear in the sourcing policy ({path}): {words!r}", path)
        policy[what] = words
    policy["rate"] = value_of(policy["discount rate"], percent)
    if policy["rate"] is None or policy["rate"] >= 1 or "%" not in policy["discount rate"]:
        stop(f"discount rate is missing in the sourcing policy ({path}): {policy['discount rate']!r}", path)
    policy["shift"] = SHIFT[policy["timing of payments"].lower()]
    if 1 - policy["shift"] != Decimal(HALF_YEARS[policy["discounting of the first year"].lower()]) / 2:
        clash = f"{policy['timing of payments']} of year, but {policy['discounting of the first year']}"
        stop(f"timing of payments contradicts the discounting of the first year ({path}): {clash}", path)
    policy["step"] = STEPS[policy["rounding of a year's landed cost"].lower()]
    return policy


def read_forecast(desk, tender):
    """The latest released forecast, with its units by year; statuses, years, plant and total have to agree."""
    paths = desk.files("planning/**/*.xlsx")
    books = [read_book(desk, path) for path in paths]
    logged = {entry for book in books for entry in book["log"]}
    for book in books:
        states = sorted({state for version, state in logged if version == book["version"]})
        if states != [book["status"]]:
            what = f"Status of forecast version {book['version']} is {book['status']} in {book['path']}"
            stop(f"{what}, but {' and '.join(states) or 'missing'} in the Change log ({', '.join(paths)})", *paths)
    newest = max([version for version, state in logged if state == "released"], default=0)
    chosen = [book for book in books if book["status"] == "released" and book["version"] == newest]
    if len(chosen) != 1:
        usual = "planning/packaging_demand_released.xlsx"
        what = f"the forecast released last, version {newest or 'unknown'}, is missing or not unique ({usual})"
        stop(f"{what}; seen: {', '.join(paths) or 'none'}", *(paths or [usual]))
    check_years(chosen[0], tender)
    return chosen[0] | {"others": [book for book in books if book is not chosen[0]]}


def read_book(desk, path):
    """Version, status, plant, rows of units and change log of a forecast workbook."""
    sheets = opened(desk.workbook, path).values()
    text = "\n".join(tidy(" ".join(row)) for rows in sheets for row in rows)
    book = {"path": path, "table": table_of(sheets, "Contract year", "Units")}
    book["log"] = [(value_of(row["Version"]), status(row["Status"])) for row in table_of(sheets, "Version", "Status")]
    if not book["table"] or not all(number and state for number, state in book["log"]):
        stop(f"Contract year and Units, or a Version or Status in the Change log, are missing ({path})", path)
    patterns = {"version": r"^.* version (\d+)$", "plant": r"^Plant (\S.*)$", "status": r"^Status: (\S.*)$"}
    for what, pattern in patterns.items():
        book[what] = (re.findall(pattern, text, re.M) or [""])[0]
    book |= {"version": value_of(book["version"]), "status": status(book["status"])}
    for what in patterns:
        if not book[what]:
            stop(f"{what} of the demand forecast is missing or unclear ({path})", path)
    return book


def check_years(book, tender):
    """Put the units of every contract year in the book; years of forecast and tender sheet have to be the same."""
    path, sheet, years = book["path"], tender["path"], tender["years"]
    agree("the receiving plant", book["plant"], path, tender["plant"], sheet)
    table = [(row["Contract year"], value_of(row["Units"])) for row in book["table"]]
    rows = [(int(year), units) for year, units in table if is_year(year)]
    planned = [year for year, _ in rows]
    for year in sorted({*planned, *years}):
        if years.count(year) != 1:
            stop(f"contract year {year} of the forecast ({path}) is not once in Contract years ({sheet})", path, sheet)
        if planned.count(year) != 1 or not dict(rows)[year]:
            stop(f"units of contract year {year} are missing or double in the forecast ({path}; {sheet})", path, sheet)
    if not years or len(tender["stated"]) != len(years) or min(years) < tender["signed"]:
        said = f"{', '.join(tender['stated'])}; Contract signed in {tender['signed']}"
        stop(f"Contract years and Contract signed in are missing or do not fit ({sheet}): {said}", sheet, path)
    book |= {"units": dict(rows), "total": sum(units for _, units in rows)}
    printed = [units for label, units in table if plain(label) == "all years"]
    if any(total not in (None, book["total"]) for total in printed):
        said = f"{', '.join(map(str, planned))} add up to {book['total']}, All years says {printed[0]}"
        stop(f"units of the contract years contradict their total ({path}): {said}", path)


def read_quotations(desk, tender):
    """All offers, in the order of the tender sheet; its list and the quotations have to agree."""
    paths, sheet, names = desk.files("quotes/**/*.pdf"), tender["path"], [name for name, _ in tender["offers"]]
    offers = [read_quotation(desk, path, tender) for path in paths]
    quoted = [offer["name"] for offer in offers]
    lone = [f"{o['name']} ({o['path']}) is missing in {sheet}" for o in offers if o["name"] not in names]
    absent = [name for name in names if name not in quoted]
    usual = [f"quotes/{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}/quotation.pdf" for name in absent if name]
    lone += [f"{name or 'a row without Supplier'} ({sheet}) has no quotation" for name in absent]
    if lone or not names or len(set(quoted)) < len(quoted) or len(set(names)) < len(names):
        what = f"; {', '.join(usual)} is missing" if usual else ""
        stop(f"suppliers of quotations and of {sheet} differ: {', '.join(lone) or quoted}{what}", sheet, *paths, *usual)
    for offer in offers:
        tooling = value_of(dict(tender["offers"])[offer["name"]])
        agree(f"One-off tooling of {offer['name']}", offer["tooling"], offer["path"], tooling, sheet)
    return sorted(offers, key=lambda offer: names.index(offer["name"]))


def read_quotation(desk, path, tender):
    """Supplier, unit price, tooling and delivery terms of one quotation."""
    sheet, pages = tender["path"], opened(desk.pdf, path)
    lines = [tidy(re.sub("[\x02\ufffe\xad]", "-", line)) for page in pages for line in page if tidy(line)]
    text = tidy(" ".join(lines))
    sentence = next((tidy(hit[1]) for hit in (re.search(opening, text) for opening in OPENINGS) if hit), "")
    signature = next((line[6:].strip() for line in lines if line.startswith("Sales,")), "")
    name, folder = (lines or [""])[0], path.split("/")[-2]
    if len({letters(part) for part in (name, sentence, signature, folder)}) > 1:
        meant = next((listed for listed, _ in tender["offers"] if letters(listed) == letters(folder)), folder)
        what = f"the supplier's name of the quotation of {meant} is missing or contradictory ({path}; {sheet})"
        stop(f"{what}: {name!r}, {sentence!r}, {signature!r}", path, sheet)
    number = (re.findall(r"\bReference: tender (T-\d+)", text) or [""])[0]
    agree(f"the tender number of {name}", number, path, tender["number"], sheet)
    body = r"Position Basis Price (.*?)\bTooling, paid once at signing (.*?)\bDelivery\b ?(.*?) ?\bValidity\b"
    price, tooling, words = (re.findall(body, text) or [("", "", "")])[0]
    price, tooling = amount(price, "per unit"), amount(tooling, "lump sum")
    if not price:
        stop(f"the unit price of {name} in USD per unit is missing in its quotation ({path})", path)
    if tooling is None:
        stop(f"Tooling of {name}, lump sum in USD, is missing in its quotation ({path}; see {sheet})", path, sheet)
    if not re.search("unit price is (fixed|firm) for the whole contract term", text):
        stop(f"that the unit price of {name} is fixed for the whole term is missing ({path})", path)
    term = (re.findall(r"^[A-Z]{3}\b", words) or [""])[0]
    excluded = bool(re.search(r"freight[^.]* not part of the price|freight collect", words, re.I))
    included = bool(re.search(r"price covers carriage|carriage to your gate is in the price", words, re.I))
    if term not in BUYER_PAYS + SELLER_PAYS or (term in BUYER_PAYS and included) or (term in SELLER_PAYS and excluded):
        stop(f"the delivery terms of {name} are missing or contradictory in its quotation ({path}): {words!r}", path)
    if term in SELLER_PAYS:
        place = (re.findall(r"your plant in (.*?) ?\(", words) or [""])[0]
        agree(f"the place of delivery of {name}", place, path, tender["plant"], sheet)
    return {"name": name, "path": path, "price": price, "tooling": tooling, "term": term, "extra": term in BUYER_PAYS}


def add_freight(desk, tender, offers):
    """Freight per unit and its source: for every offer that leaves it out, and for no other."""
    lists, mails = desk.files("logistics/**/*.csv") or [RATES], desk.files("mail/**/*.eml") or [MAIL]
    told = [row for path in lists for row in listed_rates(desk, path, tender)]
    told += [row for path in mails for row in mailed_rates(desk, path)]
    for offer in offers:
        name, path, rates = offer["name"], offer["path"], [row[1:] for row in told if row[0] == offer["name"]]
        if rates and not offer["extra"]:
            where = rates[0][1]
            stop(f"{name} delivers {offer['term']} ({path}), yet there is a freight rate for it ({where})", path, where)
        if offer["extra"] and not (rates and all(rate for rate, _, _ in rates)):
            what = f"freight per unit of {name} to {tender['plant']} in USD is missing ({', '.join(lists + mails)})"
            stop(what, *lists, *mails, path)
        for rate, where, _ in rates:
            agree(f"freight per unit of {name}", rates[0][0], rates[0][1], rate, where)
        offer["freight"], offer["source"], offer["told"] = rates[0] if rates else (Decimal(0), "", "")


def listed_rates(desk, path, tender):
    """Rates of the carrier's list; None where a row does not say USD per unit to our plant."""
    rows = table_of([opened(desk.csv, path)], "Shipper", "Lane", "Basis", "Currency", "Freight per unit")
    for row in rows:
        if plain(row["Lane"]) in ("", plain(tender["plant"])):
            fits = row["Lane"] and (row["Basis"], row["Currency"]) == ("per unit", "USD")
            rate = value_of(row["Freight per unit"]) if fits else None
            yield row["Shipper"], rate, path, "The carrier's list"


def mailed_rates(desk, path):
    """Rates that the carrier gives in a mail; lines quoted from earlier mails do not count."""
    mail = opened(desk.mail, path)
    text = tidy(" ".join(line for line in mail.body.split("\n") if not line.startswith(">")))
    day = "".join(re.findall(r"\d{1,2} [A-Z][a-z]{2} \d{4}", mail.headers.get("Date", ""))[:1])
    for name, words in re.findall(MAILED, text):
        told = f"The mail of {mail.headers.get('From', 'the carrier').split('<')[0].strip()} of {day}"
        hit = re.fullmatch(r" ?USD ([\d.,]+) per unit ?", words)
        yield name, hit and value_of(hit[1]), path, told


def add_cost(offer, tender, policy, forecast):
    """Landed cost by year, rounded as the policy says, and what the whole contract is worth at signing."""
    factor = {y: (1 + policy["rate"]) ** -(y - tender["signed"] - policy["shift"]) for y in tender["years"]}
    offer["gate"], units = offer["price"] + offer["freight"], forecast["units"]
    offer["landed"] = {y: rounded(units[y] * offer["gate"], policy["step"]) for y in tender["years"]}
    offer["npv"] = offer["tooling"] + sum(offer["landed"][y] * factor[y] for y in factor)
    offer["volume"] = sum(units[y] * factor[y] for y in factor)


def stop(what, *paths):
    raise Blocked(what, dict.fromkeys(paths), RESULT)


def only(desk, pattern, usual):
    """The one file that fits a pattern."""
    paths = desk.files(pattern)
    return paths[0] if len(paths) == 1 else stop(f"{usual} is missing or not unique", usual, *paths)


def opened(read, path):
    try:
        return read(path)
    except ToolFailed as error:
        stop(f"{path} cannot be read: {error}", path)


def agree(what, one, first, other, second):
    """Two places that state the same value, text or number."""
    if one in (None, "") or other in (None, "") or (plain(one) != plain(other) and one != other):
        one, other = ("missing" if value in (None, "") else value for value in (one, other))
        stop(f"{what} is missing or contradictory: {one} in {first}, {other} in {second}", first, second)


def table_of(sheets, *headings):
    """Records of the first sheet that has the headings; none where no sheet has them."""
    for rows in sheets:
        try:
            return records(rows, *headings)
        except ValueError:
            continue
    return []


def status(words):
    return "draft" if "draft" in words.lower() else "released" if words.lower().startswith("released") else ""


def amount(words, basis):
    """The amount in ``... per unit USD 0.85``, or None."""
    hit = re.search(rf"\b{basis} USD ([\d.,]+) ?$", words)
    return value_of(hit[1]) if hit else None


def value_of(text, read=number):
    try:
        value = read(text)
    except ValueError:
        return None
    return value if value >= 0 else None


def is_year(text):
    return bool(re.fullmatch(r"(19|20)\d\d", text))


def tidy(text):
    return " ".join(str(text).split())


def plain(text):
    return tidy(text).lower()


def letters(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def rounded(value, step=CENT):
    return value.quantize(step, ROUND_HALF_UP)


def usd(value):
    return f"{rounded(value, Decimal(1)):,}"


def listing(names):
    *most, last = [*names] or [""]
    return f"{', '.join(most)} and {last}" if most else last
