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
    sentence = (re.findall(r"\bWe, ?(.*?) ?, are pleased", text) or [""])[0]
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
    if "The unit price is fixed for the whole contract term" not in text:
        stop(f"that the unit price of {name} is fixed for the whole term is missing ({path})", path)
    term = (re.findall(r"^[A-Z]{3}\b", words) or [""])[0]
    excluded = bool(re.search(r"freight[^.]* not part of the price|freight collect", words, re.I))
    included = "price covers carriage" in words
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
    for name, words in re.findall(r"For collections at (.*?) ?\bwe charge\b(.*?)(?=, |\.(?!\d)|$)", text):
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


def memo(tender, policy, forecast, ranked):
    """Title, first paragraph, table and further paragraphs of the memo."""
    best, second, years = ranked[0], ranked[min(1, len(ranked) - 1)], tender["years"]
    table = [["Supplier", "Terms", "Unit price (USD)", "Freight (USD)", "Tooling (USD)", COST]]
    for o in ranked:
        freight = o["freight"] if o["extra"] else "in price"
        table.append([o["name"], o["term"], o["price"], freight, usd(o["tooling"]), usd(o["npv"])])
    gap, cheap = second["npv"] - best["npv"], min(ranked, key=lambda offer: offer["price"])
    parts = {"unit price": (second["price"] - best["price"]) * best["volume"]}
    parts |= {"freight": (second["freight"] - best["freight"]) * best["volume"]}
    parts |= {"tooling": second["tooling"] - best["tooling"]}
    better, worse = (listing(f"{k} (USD {usd(abs(v))})" for k, v in parts.items() if v * sign > 0) for sign in (1, -1))
    words = {"best": best, "second": second, "tender": tender, "policy": policy, "forecast": forecast}
    words |= {"npv": usd(best["npv"]), "count": len(ranked), "first": years[0], "last": years[-1], "gap": usd(gap)}
    words |= {"share": rounded(gap / second["npv"] * 100, Decimal("0.1")), "material": tender["material"].lower()}
    words |= {"better": better, "worse": worse and f", and worse on {worse}"}
    lowest = f"The lowest unit price, that of {cheap['name']}, does not decide."
    words |= {"cheapest": lowest if cheap["price"] < best["price"] else ""}
    words |= {"units": listing(f"{count:,} for {year}" for year, count in forecast["units"].items())}
    words |= {"others": " ".join(LEFT.format(**book) for book in forecast["others"])}
    words |= {"power": years[0] - tender["signed"] - policy["shift"], "freight": freight_text(ranked)}
    lead, *texts = [tidy(part) for part in MEMO.format(**words, risk=risk(ranked, second)).strip().split("\n\n")]
    lead = ["We recommend awarding the contract to ", best["name"], lead]
    title = f"Tender {tender['number']}: award to {best['name']}"
    return {"title": title, "lead": lead, "table": table, "sections": dict(zip(HEADINGS, texts, strict=True))}


def freight_text(ranked):
    """Which quotations leave freight out, and where each rate stands."""
    out, inside = [o for o in ranked if o["extra"]], listing(o["name"] for o in ranked if not o["extra"])
    text = f"The quotations of {listing(o['name'] + ' (' + o['term'] + ')' for o in out)} leave freight out. "
    for told, source in dict.fromkeys((o["told"], o["source"]) for o in out):
        rates = listing(f"USD {o['freight']} per unit for {o['name']}" for o in out if o["source"] == source)
        text += f"{told} ({source}) gives {rates}. "
    text = text if out else "No quotation leaves freight out. "
    return text + (f"In the price of {inside} freight is included." if inside else "")


def risk(ranked, second):
    """What the delivery terms leave with us."""
    best, others = ranked[0], listing(o["name"] for o in ranked[1:] if o["extra"])
    if best["extra"]:
        room = rounded((second["npv"] - best["npv"]) / best["volume"], Decimal("0.001"))
        level = f"If it alone rises by USD {room} per unit, {second['name']} draws level." if len(ranked) > 1 else ""
        return f"""Under {best["term"]}, {best["name"]} hands the goods over at its works: we organise and pay the
            carriage, and they travel at our risk. Freight of USD {best["freight"]} per unit is the carrier's word, not
            the supplier's. {level} The rate should be fixed in writing for the term, and transport be insured."""
    rest = f"With {others} we would bear freight increases and transport risk." if others else ""
    return f"""{best["name"]} delivers {best["term"]} to our plant, so dearer freight and damage on the road are its
        risk; unloading is ours, and we depend on its choice of carrier. {rest}"""


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


HEADINGS = ["Difference to the second-best offer", "Freight", "Discount rate and timing"]
HEADINGS += ["Forecast", "Risk in the delivery terms"]
COST = "Net present landed cost (USD)"
LEFT = "Version {version} ({path}) has the status {status} and does not count."
MEMO = """
. At USD {npv}, tooling included, its offer has the lowest net present landed cost of the {count} offers for {material}
for our plant in {tender[plant]}, {first} to {last}. Our sourcing policy ({policy[path]}, Award) gives the contract to
the supplier with the lowest one.

{best[name]} costs USD {gap} ({share} %) less than the second-best offer, {second[name]}. In present value it is better
on {better}{worse}. At our gate a unit costs USD {best[gate]} from {best[name]} and USD {second[gate]} from
{second[name]}. {cheapest}

{freight}

The policy ({policy[path]}, Comparing offers) sets {policy[discount rate]} a year and counts the cost of a contract year
as paid at the {policy[timing of payments]} of the year. Costs are discounted to the signing year {tender[signed]}
({tender[path]}), with the exponent {power} for {first} and one more for each later year. Tooling is paid at signing
and not discounted. On the way, only the landed cost of a year is rounded.

We used the units of version {forecast[version]}, released by planning ({forecast[path]}): {units}. Under the policy
({policy[path]}), the {policy[forecast that applies]} version applies. {others}

{risk}
"""
WRITE = """
import docx
import openpyxl
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt
from openpyxl.styles import Alignment, Font

book = openpyxl.Workbook()
book.remove(book.active)
yearly.insert(0, ["Supplier", "Contract year", "Landed cost (USD)"])
comparison.insert(0, ["Supplier", "Net present landed cost (USD)"])
for title, rows in (("Yearly cost", yearly), ("Comparison", comparison)):
    sheet = book.create_sheet(title)
    sheet.append(rows[0])
    for row in rows[1:]:
        sheet.append([*row[:-1], float(row[-1])])
        sheet.cell(sheet.max_row, len(row)).number_format = "#,##0.00"
    for place, cell in enumerate(sheet[1]):
        cell.font, cell.alignment = Font(bold=True), Alignment(horizontal="right" if place else "left")
        sheet.column_dimensions[cell.column_letter].width = max(len(str(row[place])) for row in rows) + 4
    sheet.freeze_panes = "A2"
book.save("supplier_comparison.xlsx")

page = docx.Document()
part, normal = page.sections[0], page.styles["Normal"]
part.left_margin = part.right_margin = part.top_margin = part.bottom_margin = Cm(2)
normal.font.name, normal.font.size, normal.paragraph_format.space_after = "Calibri", Pt(10), Pt(4)
page.add_heading(memo["title"], 1).paragraph_format.space_before = Pt(0)
lead = page.add_paragraph()
for place, text in enumerate(memo["lead"]):
    lead.add_run(text).bold = place == 1
table = page.add_table(len(memo["table"]), 6)
table.style, table.autofit = "Light Grid Accent 1", False
for place, width in enumerate((5, 1.5, 2.2, 2.2, 2.4, 3.6)):
    table.columns[place].width = Cm(width)
    for row, cell in zip(memo["table"], table.columns[place].cells):
        cell.width, paragraph = Cm(width), cell.paragraphs[0]
        paragraph.add_run(row[place]).font.size = Pt(9)
        paragraph.paragraph_format.space_after = Pt(1)
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT if place > 1 else WD_ALIGN_PARAGRAPH.LEFT
for heading, text in memo["sections"].items():
    page.add_heading(heading, 2).paragraph_format.space_before = Pt(7)
    page.add_paragraph(text)
page.save("recommendation.docx")
"""
