# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""Work out which supplier to take: net present landed cost of every offer, as a workbook and a one-page memo."""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal, getcontext

getcontext().prec = 60

TENDER, POLICY = "tender/tender_sheet.docx", "policies/sourcing_policy.docx"
RATES, MAIL, PLAN = "logistics/carrier_rates.csv", "mail/re_freight_rates.eml", "planning/packaging_demand_released.xlsx"
RESULT = "the net present landed cost and the recommendation"
BUYER_PAYS, SELLER_PAYS = ("EXW", "FCA"), ("CPT", "CIP", "DAP", "DPU", "DDP")
SHIFT = {"end": Decimal(0), "middle": Decimal("0.5"), "start": Decimal(1), "beginning": Decimal(1)}
FIRST = {"one full year": 0, "a full year": 0, "one year": 0, "half a year": "0.5", "not discounted": 1}
PREMISES = {
    "that offers are compared on net present landed cost": r"compared on net present landed cost",
    "that costs are discounted to the signing year": r"discounted to the signing year",
    "that one-off payments are included": r"one-off payments included",
    "that freight is included": r"Landed means that freight is included",
    "that tooling at signing is not discounted": r"Payments at signing, such as tooling, are not discounted",
    "that the lowest net present landed cost wins": r"supplier with the lowest net present landed cost",
}


def solve(desk):
    tender = read_tender(desk)
    policy = read_policy(desk)
    forecast = read_forecast(desk, policy, tender)
    offers = read_quotations(desk, tender)
    add_freight(desk, tender, offers)
    for offer in offers:
        add_cost(offer, tender, policy, forecast)
    ranked = sorted(offers, key=lambda offer: offer["npv"])
    if len(ranked) > 1 and ranked[0]["npv"] == ranked[1]["npv"]:
        best, second = (f"{offer['name']} ({offer['path']})" for offer in ranked[:2])
        raise Blocked(f"the offers of {best} and {second} cost the same", paths_of(ranked[:2]), "the recommendation")
    desk.python(
        WRITE,
        yearly=[[offer["name"], year, offer["landed"][year]] for offer in offers for year in tender["years"]],
        comparison=[[offer["name"], cents(offer["npv"])] for offer in ranked],
        memo=memo(tender, policy, forecast, ranked),
    )


# -- reading --------------------------------------------------------------------------------------


def read_tender(desk):
    """Material, plant, signing year, contract years and the list of offers with their tooling."""
    path = only(desk, "tender/*.docx", TENDER, "tender sheet")
    paper = opened(desk.document, path)
    entries = {plain(row[0]): tidy(row[1]) for table in paper.tables for row in table if len(row) == 2}

    def entry(label):
        if not entries.get(plain(label)):
            raise Blocked(f"{label} is missing in the tender sheet ({path}, row {label})", [path], RESULT)
        return entries[plain(label)]

    signed, years = entry("Contract signed in"), [tidy(part) for part in entry("Contract years").split(",")]
    if not is_year(signed):
        raise Blocked(f"the year in Contract signed in is no year: {signed!r} ({path})", [path], "the discounting")
    heading = next((line for line in paper.lines if re.search(r"tender sheet", line, re.I)), "")
    found = {"path": path, "signed": int(signed), "stated": years, "years": [int(y) for y in years if is_year(y)]}
    found |= {"plant": entry("Receiving plant"), "material": entry("Material"), "buyer": entries.get("buyer", "")}
    found["number"] = (re.findall(r"\bT-\d+", heading) or [""])[0]
    found["tooling"] = listed_offers(path, paper)
    return found


def listed_offers(path, paper):
    """Tooling texts by supplier, from the table of offers received; a blank supplier is kept under ``""``."""
    for table in paper.tables:
        head = [tidy(cell) for cell in table[0]]
        if head[0].lower() == "supplier" and len(head) > 1 and re.fullmatch(r"One-off tooling in USD", head[1], re.I):
            rows = [[tidy(cell) for cell in [*row, ""][:2]] for row in table[1:] if any(map(tidy, row))]
            names = [row[0] for row in rows]
            if len(set(map(plain, names))) < len(names):
                raise Blocked(f"a supplier stands twice among the offers: {', '.join(names)} ({path})", [path], RESULT)
            return dict(rows)
    raise Blocked(f"the list of offers with Supplier and One-off tooling in USD is missing ({path})", [path], RESULT)


def read_policy(desk):
    """Discount rate, shift of the payment within a year, rounding step and which forecast applies."""
    path = only(desk, "policies/*sourcing*.docx", POLICY, "sourcing policy")
    text = tidy(" ".join(line.lstrip("#- ") for line in opened(desk.document, path).lines))

    def part(what, pattern):
        hit = re.search(pattern, text, re.I)
        if not hit or not tidy(hit[1]):
            raise Blocked(f"{what} is missing in the sourcing policy ({path})", [path], RESULT)
        return tidy(hit[1])

    def known(what, pattern, values):
        words = part(what, pattern)
        if words.lower() not in values:
            raise Blocked(f"{what} in the sourcing policy ({path}) is not clear: {words!r}", [path], RESULT)
        return values[words.lower()], words

    for what, pattern in PREMISES.items():
        part(f"the rule {what}", f"({pattern})")
    rate = part("the discount rate", r"discount rate is\b([^.]*(?:\.\d[^.]*)*?)\ba year")
    value = value_of(rate, percent)
    if value is None or not 0 <= value < 1 or "%" not in rate:
        raise Blocked(f"the discount rate is missing or no rate in the sourcing policy ({path}): {rate!r}", [path], RESULT)
    shift, timing = known(
        "the timing of payments", r"cost of a contract year counts as paid (?:at|in) the\b(.*?)\bof (?:the )?year\b", SHIFT
    )
    first, stated = known(
        "the discounting of the first year", r"first year after signing is (?:discounted by)?(.*?)\.", FIRST
    )
    if Decimal(first) != shift:
        clash = f"payment counts at the {timing} of the year, but the first year is discounted: {stated}"
        raise Blocked(f"the sourcing policy contradicts itself ({path}, timing of payments): {clash}", [path], RESULT)
    step, _ = known(
        "the rounding of a year's landed cost",
        r"Landed cost of a year is rounded to (.*?)[;.]",
        {"cents": Decimal("0.01"), "whole dollars": Decimal(1)},
    )
    rules = {"latest released": "released", "last released": "released", "latest": "latest", "latest draft": "draft"}
    rule, words = known("the rule which forecast version applies", r"\bThe ([\w ]*?) ?version applies", rules)
    if rule != "released" and re.search(r"draft does not replace", text):
        raise Blocked(f"the policy's forecast rule ({path}) contradicts itself: {words}, no draft", [path], RESULT)
    return {"path": path, "rate": value, "shift": shift, "timing": timing, "step": step} | {"rule": rule, "words": words}


def read_forecast(desk, policy, tender):
    """The forecast that the policy asks for, with its units by year checked against the tender's years."""
    paths = desk.files("planning/**/*.xlsx")
    books = [read_book(desk, path) for path in paths]
    states = {}
    for book in books:
        for version, status in book["log"]:
            if states.setdefault(version, status) != status:
                raise Blocked(f"the change log of {book['path']} gives version {version} two states", paths, RESULT)
    for book in books:
        version, logged = book["version"], states.get(book["version"]) if states else book["status"]
        if logged != book["status"]:
            raise Blocked(
                f"the status of forecast version {version} is {book['status']} in {book['path']} but {logged or 'missing'}"
                f" in the change log ({', '.join(b['path'] for b in books if b['log'])})", paths, RESULT
            )  # fmt: skip
    fit = [book for book in books if policy["rule"] in (book["status"], "latest")]
    newest = max([v for v, status in states.items() if policy["rule"] in (status, "latest")], default=0)
    chosen = max(fit, key=lambda book: book["version"], default=None)
    if chosen is None or chosen["version"] < newest or sum(b["version"] == chosen["version"] for b in books) > 1:
        seen = ", ".join(f"{book['path']} version {book['version']} {book['status']}" for book in books)
        what = f"the {policy['words']} forecast, Status and version, is missing or not unique ({PLAN}); seen: {seen}"
        raise Blocked(what, [*(paths or [PLAN]), policy["path"]], RESULT)
    check_forecast(chosen, tender)
    return chosen | {"others": [book for book in books if book is not chosen]}


def read_book(desk, path):
    """Version, status, plant, units by year and change log of one forecast workbook."""
    sheets = opened(desk.workbook, path)
    rows = next((rows for rows in sheets.values() if has(rows, "Contract year", "Units")), None)
    if rows is None:
        raise Blocked(f"the table with Contract year and Units is missing ({path})", [path], RESULT)
    text = "\n".join(tidy(" ".join(row)) for row in rows)
    version, plant = re.search(r"^.*\bversion (\d+)\b", text, re.M), re.search(r"^Plant +(\S.*)$", text, re.M)
    status = state(re.search(r"^Status:(.*)$", text, re.M | re.I))
    for what, found in (("version", version), ("Status", status), ("Plant", plant)):
        if not found:
            raise Blocked(f"{what} of the demand forecast is missing or unclear ({path})", [path], RESULT)
    log = next((records(rows, "Version", "Status") for rows in sheets.values() if has(rows, "Version", "Status")), [])
    logged = [(value_of(row["Version"]), state(re.search("(.*)", row["Status"]))) for row in log]
    if any(number is None or not status for number, status in logged):
        raise Blocked(f"a version or its status is missing in the Change log ({path})", [path], RESULT)
    table = [(row["Contract year"], row["Units"]) for row in records(rows, "Contract year", "Units")]
    return {"path": path, "version": int(version[1]), "status": status, "plant": plant[1], "log": logged, "table": table}


def check_forecast(book, tender):
    """Put the units of every contract year in the book, or stop: years, plant and total have to agree."""
    path, both = book["path"], [book["path"], tender["path"]]
    same_or_stop("the receiving plant", book["plant"], path, tender["plant"], tender["path"])
    rows = [(int(year), units) for year, units in book["table"] if is_year(year)]
    planned = [year for year, _ in rows]
    for year in sorted({*planned, *tender["years"]}):
        if year not in tender["years"]:
            what = f"contract year {year} stands in the forecast ({path}) but is missing in Contract years ({tender['path']})"
            raise Blocked(what, both, RESULT)
        if planned.count(year) != 1 or tender["years"].count(year) != 1:
            what = f"units of contract year {year} are missing or stand twice in the forecast ({path}; {tender['path']})"
            raise Blocked(what, both, RESULT)
        if (value_of(dict(rows)[year]) or 0) <= 0:
            raise Blocked(f"units of contract year {year} are missing in the forecast ({path})", both, RESULT)
    if len(tender["stated"]) != len(tender["years"]) or min(tender["years"], default=0) <= tender["signed"]:
        said = f"{', '.join(tender['stated'])}; Contract signed in {tender['signed']}"
        raise Blocked(f"Contract years and Contract signed in do not fit ({tender['path']}): {said}", both, RESULT)
    book["units"] = {year: value_of(units) for year, units in rows}
    book["total"] = sum(book["units"].values())
    for label, printed in book["table"]:
        total = value_of(printed) if label.lower() == "all years" else None
        if total is not None and total != book["total"]:
            what = f"the units of {', '.join(map(str, planned))} add up to {book['total']}, All years says {printed} ({path})"
            raise Blocked(what, both, RESULT)


def read_quotations(desk, tender):
    """All offers, in the order of the tender sheet; its list and the quotations have to agree."""
    paths = desk.files("quotes/**/*.pdf")
    offers = [read_quotation(desk, path, tender) for path in paths]
    listed = {plain(name): name for name in tender["tooling"]}
    quoted = [plain(offer["name"]) for offer in offers]
    lone = [f"quotation of {offer['name']} ({offer['path']})" for offer in offers if plain(offer["name"]) not in listed]
    lone += [f"{name or 'a row without supplier'} ({tender['path']})" for key, name in listed.items() if key not in quoted]
    if lone or len(set(quoted)) < len(quoted) or not offers:
        expected = [f"quotes/{slug(name)}/quotation.pdf" for key, name in listed.items() if name and key not in quoted]
        what = f"suppliers of the quotations (quotes/) and of the offers received ({tender['path']}) do not match: "
        what += ", ".join(lone + expected) or "a supplier has two quotations"
        raise Blocked(what, [tender["path"], *paths, *expected], RESULT)
    for offer in offers:
        path, name = offer["path"], offer["name"]
        stated = tender["tooling"][listed[plain(name)]]
        amount = value_of(stated)
        if amount is None:
            what = f"One-off tooling of {name} is missing in {tender['path']} ({path} says {offer['tooling']})"
            raise Blocked(what, [tender["path"], path], RESULT)
        same_or_stop(f"tooling of {name}", offer["tooling"], path, amount, tender["path"])
    return sorted(offers, key=lambda offer: list(listed).index(plain(offer["name"])))


def read_quotation(desk, path, tender):
    """Supplier, unit price, tooling and delivery terms of one quotation."""
    pages = opened(desk.pdf, path)
    lines = [tidy(re.sub("[\x02\ufffe\xad]", "-", line)) for page in pages for line in page if tidy(line)]
    text = " ".join(lines)
    name = supplier_name(path, lines, text, tender)
    cited = re.search(r"\btender (T-\d+)", text)
    if cited and tender["number"]:
        same_or_stop(f"the tender number of {name}", cited[1], path, tender["number"], tender["path"])
    body = re.search(r"Position Basis Price (.*?)\bTooling, paid once at signing (.*?)\bDelivery\b(.*?)\bValidity\b", text)
    if not body:
        what = f"unit price, tooling or Delivery of {name} is missing in its quotation ({path})"
        raise Blocked(what, [path, tender["path"]], RESULT)
    price, tooling = (
        money(words, basis) for words, basis in ((body[1], "per unit"), (body[2], "lump sum"))
    )  # fmt: skip
    if price is None or price <= 0:
        raise Blocked(f"the unit price in USD per unit of {name} is missing in its quotation ({path})", [path], RESULT)
    if tooling is None:
        what = f"tooling of {name}, lump sum in USD, is missing in its quotation ({path}); see also {tender['path']}"
        raise Blocked(what, [path, tender["path"]], RESULT)
    if not re.search(r"unit price is fixed for the whole contract term", text):
        raise Blocked(f"whether the unit price of {name} is fixed for all years is missing ({path})", [path], RESULT)
    term, extra = delivery(path, name, tidy(body[3]), tender)
    return {"name": name, "path": path, "price": price, "tooling": tooling, "term": term, "extra": extra}


def supplier_name(path, lines, text, tender):
    """The supplier's name; letterhead, sentence, signature and folder have to say the same."""
    sentence = re.search(r"\bWe, ?(.*?) ?, are pleased", text)
    signed = next((line[6:] for line in lines if line.startswith("Sales,")), "")
    names = [lines[0] if lines else "", sentence[1] if sentence else "", tidy(signed)]
    folder = path.split("/")[-2]
    meant = next((name for name in tender["tooling"] if slug(name) == folder), folder)
    if len({squeezed(name) for name in [*names, folder]}) > 1:
        said = ", ".join(repr(name) for name in names)
        what = f"the supplier's name of the quotation of {meant} is missing or not the same ({path}; {tender['path']}): {said}"
        raise Blocked(what, [path, tender["path"]], RESULT)
    return names[0]


def delivery(path, name, words, tender):
    """The Incoterm, and whether freight comes on top of the price."""
    term = (re.findall(r"^[A-Z]{3}\b", words) or [""])[0]
    if term not in BUYER_PAYS + SELLER_PAYS:
        what = f"the delivery terms (Incoterm) of {name} are missing or unknown in its quotation ({path}): {words!r}"
        raise Blocked(what, [path], RESULT)
    extra = term in BUYER_PAYS
    outside = bool(re.search(r"freight[^.]* not part of the price|freight collect", words, re.I))
    inside = bool(re.search(r"price covers carriage", words, re.I))
    if (extra and inside) or (not extra and outside):
        raise Blocked(f"the delivery terms of {name} contradict each other ({path}): {words!r}", [path], RESULT)
    place = re.search(r"^[A-Z]{3} your plant in (.*?) ?\(", words)
    if not extra:
        same_or_stop(f"the place of delivery of {name}", place and place[1], path, tender["plant"], tender["path"])
    return term, extra


def add_freight(desk, tender, offers):
    """Freight per unit and its source for every offer that leaves it out."""
    lists, mails = desk.files("logistics/**/*.csv"), desk.files("mail/**/*.eml")
    sources = [*(lists or [RATES]), *(mails or [MAIL])]
    told = [row for path in lists for row in listed_rates(desk, path, tender)]
    told += [row for path in mails for row in mailed_rates(desk, path)]
    for offer in offers:
        name = offer["name"]
        rates = [row for row in told if plain(row[0]) == plain(name)] if offer["extra"] else [(name, Decimal(0), "", "")]
        if not rates or any(rate is None for _, rate, _, _ in rates):
            what = f"freight per unit of {name} in USD for the lane to {tender['plant']} is missing ({', '.join(sources)})"
            raise Blocked(what, [*sources, offer["path"]], RESULT)
        for _, rate, where, _ in rates:
            same_or_stop(f"freight per unit of {name}", rates[0][1], rates[0][2], rate, where)
        _, offer["freight"], offer["source"], offer["told"] = rates[0]


def listed_rates(desk, path, tender):
    """Rates of a carrier's list; None where the row is not USD per unit to our plant."""
    try:
        rows = records(opened(desk.csv, path), "Shipper", "Lane", "Basis", "Currency", "Freight per unit")
    except ValueError:
        raise Blocked(f"a heading is missing in the carrier's rates ({path}), freight per unit", [path], RESULT) from None
    for row in rows:
        ours = plain(row["Lane"]) == plain(tender["plant"])
        fits = ours and (plain(row["Basis"]), row["Currency"]) == ("per unit", "USD")
        if ours or not row["Lane"]:
            yield row["Shipper"], value_of(row["Freight per unit"]) if fits else None, path, "the carrier's list"


def mailed_rates(desk, path):
    """Rates that the carrier gives in a mail, its quoted lines left out."""
    mail = opened(desk.mail, path)
    text = tidy(" ".join(line for line in mail.body.split("\n") if not line.startswith(">")))
    sender, day = mail.headers.get("From", "the carrier").split("<")[0].strip(), mail.headers.get("Date", "")
    day = re.search(r"\d{1,2} [A-Z][a-z]{2} \d{4}", day)
    told = f"{sender}'s mail{f' of {day[0]}' if day else ''}"
    for name, words in re.findall(r"For collections at (.*?) ?\bwe charge\b(.*?)(?=, |\.(?!\d)|For collections|$)", text):
        hit = re.fullmatch(r" ?USD ([\d.,]+) per unit ?", words)
        yield name, hit and value_of(hit[1]), path, told


# -- working out ----------------------------------------------------------------------------------


def add_cost(offer, tender, policy, forecast):
    """Landed cost by year, rounded as the policy says, and what all of it is worth at signing."""
    gate = offer["price"] + offer["freight"]
    factor = {y: (1 + policy["rate"]) ** -(y - tender["signed"] - policy["shift"]) for y in tender["years"]}
    landed = {y: (forecast["units"][y] * gate).quantize(policy["step"], ROUND_HALF_UP) for y in tender["years"]}
    offer |= {"gate": gate, "landed": {y: cents(cost) for y, cost in landed.items()}}
    offer["npv"] = offer["tooling"] + sum(landed[y] * factor[y] for y in landed)
    offer["present units"] = sum(forecast["units"][y] * factor[y] for y in landed)


# -- the memo -------------------------------------------------------------------------------------


def memo(tender, policy, forecast, ranked):
    """Title, table and paragraphs of the memo."""
    best, years, thing = ranked[0], tender["years"], tender["material"][:1].lower() + tender["material"][1:]
    term = f"{years[0]} to {years[-1]}" if len(years) > 1 else f"{years[0]}"
    lead = [
        "We recommend awarding the contract to ", best["name"],
        f". At USD {dollars(best['npv'])}, tooling included, its offer has the lowest net present landed cost of the "
        f"{len(ranked)} offers received for {thing} for our plant in {tender['plant']}, {term}; under our sourcing policy "
        f"({policy['path']}, Award) the lowest one gets the contract.",
    ]  # fmt: skip
    head = ["Supplier", "Terms", "Unit price (USD)", "Freight (USD)", "Tooling (USD)", "Net present landed cost (USD)"]
    rows = [
        [o["name"], o["term"], f"{o['price']}", f"{o['freight']}" if o["extra"] else "in price", dollars(o["tooling"])]
        + [dollars(o["npv"])]
        for o in ranked
    ]
    sections = [
        ("Difference to the second-best offer", difference(ranked)),
        ("Freight", freight_text(ranked)),
        ("Discount rate and timing", discount_text(tender, policy)),
        ("Forecast", forecast_text(policy, forecast)),
        ("Risk in the delivery terms", risk(ranked, tender)),
    ]
    title = f"Recommendation: tender {tender['number']} to {best['name']}".replace("  ", " ")
    return {"title": title, "lead": lead, "table": [head, *rows], "sections": sections}


def difference(ranked):
    if len(ranked) < 2:
        return "There is no second offer to compare with."
    best, second = ranked[:2]
    gap, volume = second["npv"] - best["npv"], best["present units"]
    parts = [("the unit price", (second["price"] - best["price"]) * volume)]
    parts += [("freight", (second["freight"] - best["freight"]) * volume)]
    parts += [("tooling", second["tooling"] - best["tooling"])]

    def named(sign):
        return listing(f"{what} (USD {dollars(abs(value))})" for what, value in parts if value * sign > 0)

    text = f"{best['name']} costs USD {dollars(gap)} ({cents(gap / second['npv'] * 100):.1f} %) less than the second-best "
    text += f"offer, {second['name']}. Measured in present value, what speaks for {best['name']} is {named(1)}"
    text += f"; what speaks against it is {named(-1)}. " if named(-1) else "; nothing speaks against it. "
    text += f"At our gate a unit costs USD {best['gate']} from {best['name']} and USD {second['gate']} from {second['name']}."
    cheap = min(ranked, key=lambda offer: offer["price"])
    if cheap is not best and cheap["price"] < best["price"]:
        text += f" The lowest unit price, USD {cheap['price']} from {cheap['name']}, does not decide."
    return text


def freight_text(ranked):
    out, inside = [o for o in ranked if o["extra"]], [o["name"] for o in ranked if not o["extra"]]
    text = "No quotation leaves freight out. "
    if out:
        named = listing(f"{o['name']} ({o['term']})" for o in out)
        text = f"Freight is left out of the quotation{'s' * (len(out) > 1)} of {named}. "
    for source in dict.fromkeys(o["source"] for o in out):
        those = [o for o in out if o["source"] == source]
        rates = listing(f"USD {o['freight']} for {o['name']}" for o in those)
        text += f"From {those[0]['told']} ({source}) we took, per unit, {rates}. "
    if inside:
        text += f"{listing(inside)} deliver{'s' * (len(inside) == 1)} to our gate, so no freight was added."
    return text.strip()


def discount_text(tender, policy):
    later = tender["years"][0] - tender["signed"] - policy["shift"]
    return (
        f"The policy ({policy['path']}, Comparing offers) sets {policy['rate'] * 100:f} % a year and counts the cost of a "
        f"contract year as paid at the {policy['timing']} of the year. We discounted to the signing year {tender['signed']} "
        f"({tender['path']}), so {tender['years'][0]} by {later:f} year{'s' * (later != 1)}. Tooling falls due at signing and "
        f"is not discounted. Only a year's landed cost was rounded, as the policy says."
    )


def forecast_text(policy, book):
    units = listing(f"{count:,f} for {year}" for year, count in book["units"].items())
    text = f"We used version {book['version']} ({book['status']}; {book['path']}): {units} units. "
    text += f"The policy lets the {policy['words']} version apply. "
    for other in book["others"]:
        kind = f"{'a later ' if other['version'] > book['version'] else 'an earlier '}{other['status']} version"
        text += f"Version {other['version']} ({other['path']}) is {kind} and was left aside. "
    return text.strip()


def risk(ranked, tender):
    best = ranked[0]
    room = (ranked[1]["npv"] - best["npv"]) / best["present units"] if len(ranked) > 1 else None
    spare = f"up to USD {room.quantize(Decimal('0.001'))} per unit before {ranked[1]['name']} draws level" if room else ""
    if best["extra"]:
        share = cents(best["freight"] / best["gate"] * 100).quantize(Decimal(1), ROUND_HALF_UP)
        text = f"Under {best['term']} we organise and pay the carrier, and the risk of loss passes to us at the works of "
        text += f"{best['name']}, so the goods travel at our risk and need our insurance. Freight is {share} % of its cost at "
        text += f"our gate and is the carrier's rate, not the supplier's promise. It may rise {spare}; " if spare else "our gate; "
        return text + "we should fix the rate in writing for the whole term before signing."
    text = f"{best['name']} delivers {best['term']} to our plant in {tender['plant']}: it bears freight and the risk on the "
    text += "road for the fixed price. Unloading, and damage from then on, remain ours, and we depend on its choice of carrier. "
    others = [o["name"] for o in ranked if o["extra"]]
    if others:
        text += f"With {listing(others)} freight increases and transport damage would be at our risk. "
    return text + (f"Cost of unloading may add {spare}." if spare else "")


# -- small helpers --------------------------------------------------------------------------------


def only(desk, pattern, usual, what):
    """The one file that fits a pattern."""
    paths = desk.files(pattern)
    if len(paths) != 1:
        raise Blocked(f"the {what} is missing or not unique ({usual})", paths or [usual], RESULT)
    return paths[0]


def opened(read, path):
    try:
        return read(path)
    except ToolFailed as error:
        raise Blocked(f"{path} cannot be read: {error}", [path], RESULT) from None


def same_or_stop(what, one, first, other, second):
    """Two places that state the same value."""
    if one in (None, "") or other in (None, "") or (plain(one) != plain(other) and one != other):
        said = f"{one or 'missing'} in {first}, {other or 'missing'} in {second}"
        raise Blocked(f"{what} is missing or contradictory: {said}", [first, second], RESULT)


def has(rows, *headings):
    try:
        return bool(records(rows, *headings)) or True
    except ValueError:
        return False


def state(hit):
    """``draft`` or ``released``, from a status text."""
    words = tidy(hit[1]).lower() if hit else ""
    return "draft" if "draft" in words else "released" if re.match(r"released\b", words) else ""


def money(words, basis):
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
    return bool(re.fullmatch(r"(19|20)\d\d", tidy(text)))


def tidy(text):
    return re.sub(r"\s+", " ", str(text)).strip()


def plain(text):
    return tidy(text).lower()


def squeezed(name):
    """Letters and digits of a name or folder, without accents."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", name).lower())


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def paths_of(offers):
    return [offer["path"] for offer in offers]


def cents(value):
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def dollars(value):
    return f"{value.quantize(Decimal(1), ROUND_HALF_UP):,}"


def listing(names):
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


WRITE = """
import docx
import openpyxl
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt
from openpyxl.styles import Alignment, Font, PatternFill

book = openpyxl.Workbook()
book.remove(book.active)
for title, head, rows in (
    ("Yearly cost", ["Supplier", "Contract year", "Landed cost (USD)"], yearly),
    ("Comparison", ["Supplier", "Net present landed cost (USD)"], comparison),
):
    sheet = book.create_sheet(title)
    sheet.append(head)
    for row in rows:
        sheet.append([*row[:-1], float(row[-1])])
        sheet.cell(sheet.max_row, len(row)).number_format = "#,##0.00"
    for place, cell in enumerate(sheet[1]):
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="DDE6F0")
        cell.alignment = Alignment(horizontal="left" if place == 0 else "right")
        widest = max(len(str(row[place])) for row in [head, *rows])
        sheet.column_dimensions[cell.column_letter].width = widest + 4
    sheet.freeze_panes = "A2"
book.save("supplier_comparison.xlsx")

page = docx.Document()
section = page.sections[0]
section.page_width, section.page_height = Cm(21), Cm(29.7)
section.left_margin = section.right_margin = Cm(2.2)
section.top_margin = section.bottom_margin = Cm(1.8)
normal = page.styles["Normal"]
normal.font.name, normal.font.size = "Calibri", Pt(10)
normal.paragraph_format.space_after = Pt(4)
for name, size, before in (("Heading 1", 15, 0), ("Heading 2", 11, 6)):
    style = page.styles[name]
    style.font.size = Pt(size)
    style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(2)
page.core_properties.title = memo["title"]
page.add_heading(memo["title"], 1)
lead = page.add_paragraph()
for place, text in enumerate(memo["lead"]):
    lead.add_run(text).bold = place == 1
table = page.add_table(0, len(memo["table"][0]))
table.style, table.autofit = "Light Grid Accent 1", False
widths = [Cm(5), Cm(1.5), Cm(2.1), Cm(2.1), Cm(2.3), Cm(3.6)]
for number, row in enumerate(memo["table"]):
    for place, (cell, text) in enumerate(zip(table.add_row().cells, row)):
        cell.width = widths[place]
        paragraph = cell.paragraphs[0]
        run = paragraph.add_run(text)
        run.font.size, run.bold = Pt(9), number == 0 or number == 1
        paragraph.paragraph_format.space_after = Pt(1)
        if place > 1:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
for heading, text in memo["sections"]:
    page.add_heading(heading, 2)
    page.add_paragraph(text)
page.save("recommendation.docx")
"""
