from decimal import Decimal

from desk import Blocked, number, records

FORM, LOG = "forms/claim_form.xlsx", "ledger/postings.csv"
MINUTES, POLICY = "notes/minutes.md", "policies/travel_policy.docx"


def solve(desk):
    said = next((line for line in desk.document(POLICY).lines if "at most" in line), "")
    try:
        daily = number(said.partition("at most")[2].partition(". ")[0])
    except ValueError:
        raise Blocked(f"the daily amount is missing in {POLICY}", [POLICY], "what is paid") from None
    paid = {}
    for row in records(desk.workbook(FORM, "Claims")["Claims"], "Claim", "Days"):
        if row["Claim"].isdigit():
            for column in ("Days", "Claimed (EUR)"):
                if not row[column]:
                    raise Blocked(f"claim {row['Claim']} has no {column} in {FORM}", [FORM], "what is paid")
            most = number(row["Days"]) * daily
            paid[row["Claim"]] = min(number(row["Claimed (EUR)"]), most).quantize(Decimal("0.01"))
    for at, row in enumerate(desk.workbook(FORM, "Claims")["Claims"], 1):
        if row[0] in paid:
            desk.tool("write_cells", path=FORM, sheet="Claims", cells={f"D{at}": float(paid[row[0]])})
    lines = [desk.read(LOG), *(f"{claim},{amount},settled" for claim, amount in paid.items())]
    desk.write(LOG, "\n".join(lines) + "\n")
    total = f"The total approved is EUR {sum(paid.values()):,.2f}."
    desk.write(MINUTES, desk.read(MINUTES).replace("To be filled in.", total) + "\n")
    desk.python(
        "import docx\nword = docx.Document()\nword.add_heading('Travel claims', 1)\nword.add_paragraph(total)\n"
        "word.add_paragraph('Sources: the claim form and the travel policy.')\nword.save('memo.docx')",
        total=total,
    )
