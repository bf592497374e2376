# Guest code of the expert, read together with solve.py: what it hands in.
"""The memo and the workbook: their texts, and the program that writes them."""

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
        cell.font = Font(name="Calibri", bold=True)
        cell.alignment = Alignment(horizontal="right" if place else "left")
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
