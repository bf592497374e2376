import re
from decimal import Decimal

from desk import Blocked, number, percent, records

QUOTE, POLICY = "quotes/quotation.csv", "policies/purchasing_policy.docx"


def solve(desk):
    missing = [path for path in (QUOTE, POLICY) if path not in desk.files()]
    if missing:
        raise Blocked(f"there is no {missing[0]}", missing, "landed_costs.csv")
    if "latest published one counts" not in " ".join(desk.document(POLICY).lines):
        raise Blocked(f"{POLICY} does not say which notice counts", [POLICY], "landed_costs.csv")
    rate, rate_page = franc(desk)
    duties, duty_page = tariff(desk)
    lines, total = ["Item,Landed cost (EUR)"], Decimal(0)
    for row in records(desk.csv(QUOTE), "Item", "Tariff heading", "Pieces", "Price (CHF)"):
        for column, value in row.items():
            if not value:
                raise Blocked(f"{row['Item']} has no {column} in {QUOTE}", [QUOTE], "landed_costs.csv")
        if row["Tariff heading"] not in duties:
            raise Blocked(f"no duty for {row['Tariff heading']} at {duty_page}", [duty_page], "landed_costs.csv")
        value = number(row["Pieces"]) * number(row["Price (CHF)"]) * rate
        cost = (value * (1 + duties[row["Tariff heading"]])).quantize(Decimal("0.01"))
        lines.append(f"{row['Item']},{cost}")
        total += cost
    desk.write("landed_costs.csv", "\n".join(lines) + "\n")
    desk.python(
        "import docx\nword = docx.Document()\nword.add_heading('Landed cost', 1)\nword.add_paragraph(total)\n"
        "word.add_paragraph(sources)\nword.save('memo.docx')",
        total=f"The total landed cost is EUR {total:,.2f}.",
        sources=f"Sources: {rate_page} and {duty_page}.",
    )


def franc(desk):
    """The rate on the newest page about it; all pages of that day say the same."""
    found = newest(desk, "central bank reference rate Swiss franc", "franc")
    rates = {page.url: re.search(r"EUR (\d\S*\d) for one", "\n".join(page.lines)) for page in found}
    missing = [url for url, rate in rates.items() if rate is None]
    if missing or not rates:
        raise Blocked(f"the rate is missing at {missing or 'any page'}", [*rates], "landed_costs.csv")
    if len({rate[1] for rate in rates.values()}) > 1:
        raise Blocked(f"the rate differs between {' and '.join(rates)}", [*rates], "landed_costs.csv")
    return number(next(iter(rates.values()))[1]), next(iter(rates))


def tariff(desk):
    page = newest(desk, "customs regulation duty metal goods tariff heading", "regulation")[0]
    rows = [line.split("\t") for line in page.lines if "\t" in line]
    gone = [row[0] for row in rows if not row[0] or not row[1]]
    if gone or not rows:
        raise Blocked(f"a duty is missing at {page.url}: {', '.join(gone)}", [page.url], "landed_costs.csv")
    return {heading: percent(share) for heading, share in rows[1:]}, page.url


def newest(desk, query, word):
    """The pages of the latest day among those that a search finds under a word, best first."""
    found = [one for one in desk.search(query, 10) if word in one.title.lower() or word in one.excerpt.lower()]
    dated = [one for one in found if one.published]
    if not dated:
        raise Blocked(f"no page of a known date for {query}", [one.url for one in found], "landed_costs.csv")
    last = max(one.published for one in dated)
    stale = [one.url for one in dated if one.published == last and re.search("earlier version|archive", one.title)]
    if stale:
        raise Blocked(f"only an earlier version of {word} is found, {stale[0]}", stale, "landed_costs.csv")
    return [desk.page(one.url) for one in dated if one.published == last]
