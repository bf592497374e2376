# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""The month's bank reconciliation with its outstanding items and adjustments, and the entries to post."""

import csv
import datetime
import io
import re
from decimal import Decimal

RESULT = "the adjusted balances of the reconciliation and the adjusting entries"
PAPERS = {  # where each paper is looked for, and where it usually lies
    "statement": ("bank/**/*operating*.pdf", "bank/statements/operating_account.pdf"),
    "ledger": ("ledger/**/*ledger*.csv", "ledger/operating_account/cash_ledger.csv"),
    "chart": ("ledger/**/*chart*.xlsx", "ledger/chart_of_accounts.xlsx"),
    "list": ("prior_month/signed/*.xlsx", "prior_month/signed/open_items.xlsx"),
    "prior": ("prior_month/signed/*.pdf", "prior_month/signed/reconciliation.pdf"),
    "policy": ("policies/*cash*.docx", "policies/cash_and_bank_policy.docx"),
    "safe": ("treasury/**/*count*.txt", "treasury/safe/month_end_count.txt"),
    "notes": ("notes/*.md", "notes/voucher_lookup.md"),
}
CLOSING, POSTING, VOUCHER = "closing date of the statement", "posting date of the bank", "contra account of the voucher"
BACK = "put back into the books"
RULES = {  # sentences of the policy, and the words that this script can follow; others are not guessed at
    "version in force": (r"Version \d+, (.*?)\.", ["in force"]),
    "source of accounts and limits": (r"Accounts and limits are taken from (.*?) of this policy", ["version in force"]),
    "list carried forward": (r"carried forward from (.*?)\.", ["signed list"]),
    "date and amount of carried items": (r"stays on the list with (.*?) until", ["its original date and amount"]),
    "matching": (r"belong together when they carry (.*?)\.", ["same reference"]),
    "rows without a counterpart": (r"Rows without a counterpart at the bank (.*?);", ["are outstanding"]),
    "which amount is right": (r"under one reference, (.*?) decides which of the two is right", ["original document"]),
    "correction of the ledger": (r"If the ledger is wrong, we correct it by (.*?),", ["an entry for the difference"]),
    "account of a correction": (r"If the ledger is wrong,[^.,]*, against (.*?)\.", None),
    "errors of the bank": (r"what is not ours, the bank corrects it\. We book (.*?) and show", ["nothing"]),
    "side of bank errors": (r"show the correction on the side of (.*?) until", ["bank"]),
    "cheques in the safe": (r"still lie in the safe at the end of the month are therefore (.*?)\.", [BACK]),
    "account of a cheque put back": (r"Putting a cheque back is an entry against (.*?)\.", None),
    "limit in days for stale cheques": (r"is stale when its date lies (.*?) days before", None),
    "date that stale cheques are aged to": (r"lies [^.]* ?days before (.*?)\.", [CLOSING]),
    "treatment of stale cheques": (r"Stale cheques leave the list and are (.*?);", [BACK]),
    "name of items on the statement": (r"Items on the statement go by (.*?)\.", ["name that the bank gives them"]),
    "purpose of incoming transfers": (r"An incoming transfer goes by (.*?)\.", ["what the customer says it is for"]),
    "number of entries": (r"\b(One entry for each item), never", ["one entry for each item"]),
    "date of corrections and cheques put back": (r"cheques put back carry (.*?)\.", [CLOSING]),
    "date of entries for bank items": (r"only the bank has booked so far carry (.*?)\.", [CLOSING, POSTING]),
}


def solve(desk):
    paths = {name: only(desk, *where) for name, where in PAPERS.items()}
    policy, chart = read_policy(desk, paths["policy"]), read_chart(desk, paths["chart"])
    bank = read_statement(desk, paths["statement"])
    case = {"desk": desk, "paths": paths, "policy": policy, "chart": chart, "bank": bank, "month": bank["month"]}
    case["ledger"] = read_ledger(case)
    case["carried"] = read_prior(case)
    case |= {"safe": read_safe(case), "documents": read_notes(case)}
    case |= {"not ours": read_bank_mails(case), "transfers": read_transfers(case)}
    check_references(case)
    check_documents(case)
    adjustments, entries = [], []
    for row in bank["rows"]:
        judge_line(case, row, adjustments, entries)
    outstanding = [row for row in ours(case).values() if not judge_row(case, row, adjustments, entries)]
    lines = balances(case, outstanding, adjustments)
    write(desk, outstanding, adjustments, lines, entries)


# -- reading --------------------------------------------------------------------------------------


def read_policy(desk, path):
    """The words of the policy's rules, the limit for stale cheques, and the account of each item."""
    paper = opened(desk.document, path)
    text, policy = tidy(" ".join(paper.lines)), {}
    for what, (pattern, known) in RULES.items():
        words = re.findall(re.sub(r" ?(\(.*?\)) ?", r" ?\1 ?", pattern), text, re.I)
        words = re.sub(r"^the ", "", tidy(words[0]).lower()) if len(words) == 1 else ""
        if not words or (known and words not in known):
            stop(f"the rule on the {what} is missing or cannot be followed ({path}): {words!r}", path)
        policy[what] = words
    limit = re.fullmatch(r"(more than|at least) (\d+)", policy["limit in days for stale cheques"])
    if not limit:
        said = policy["limit in days for stale cheques"]
        stop(f"the limit in days for stale cheques is missing or unclear ({path}): {said!r} days", path)
    policy["stale"] = int(limit[2]) + (limit[1] == "more than")
    rows = table_of(paper.tables, path, "Item", "Account")
    for row in rows:
        if not row["Item"] or not row["Account"]:
            named = row["Item"] or f"the account {row['Account']}, below {before(rows, row, 'Item')}"
            lost = "Account" if row["Item"] else "Item"
            stop(f"{lost} is missing in the table of accounts of the policy for {named} ({path})", path)
    policy["accounts"] = unique([(plain(row["Item"]), row["Account"]) for row in rows], "item", path)
    return policy


def read_chart(desk, path):
    """Account numbers by name."""
    rows = [row for sheet in opened(desk.workbook, path).values() for row in table_of([sheet], path, "Number", "Account")]
    for row in rows:
        if not row["Number"].isdigit() or not row["Account"]:
            lost = "number of the account" if row["Account"] else "name of the account"
            near = f"below {before(rows, row, 'Number')} {before(rows, row, 'Account')}"
            stop(f"the {lost} {row['Account'] or row['Number']} is missing ({path}), {near}", path)
    unique([(row["Number"], row["Account"]) for row in rows], "account number", path)
    return unique([(plain(row["Account"]), row["Number"]) for row in rows], "account", path)


def read_statement(desk, path):
    """Balances, dates and lines of the bank statement."""
    lines = [tidy(re.sub("[\x02\ufffe\xad\u2212]", "-", line)) for page in opened(desk.pdf, path) for line in page]
    text, heading = "\n".join(lines), "No. Date Transaction Reference Amount"
    bank = {"month": month_of(text, r"Account statement", path), "path": path}
    bank["account"] = found("the account number", r"^Account: ?(\d+), operating account, kept in USD", text, path)
    bank["opening"] = amount(found("Opening balance", r"^Opening balance (\S+)$", text, path), "Opening balance", path)
    closing = found("Closing balance", r"^(Closing balance on .*)$", text, path)
    closing = re.fullmatch(r"Closing balance on ?(\d{1,2} \w+ \d{4})? ?(\S+)?", closing)
    if not (closing and closing[1] and closing[2]):
        lost = "amount" if closing and closing[1] else "date"
        stop(f"the {lost} of the Closing balance is missing in the bank statement ({path})", path)
    bank |= {"closing": amount(closing[2], "Closing balance", path), "date": day(closing[1], "closing date", path)}
    if (bank["date"] + datetime.timedelta(1)).day != 1 or f"{bank['date']:%B %Y}" != bank["month"]:
        stop(f"the closing date {closing[1]} is not the end of {bank['month']} ({path})", path)
    found("the meaning of signs", r"(Credits to your account are shown without a sign, debits with a minus)", text, path)
    count = int(found("Number of entries", r"^Number of entries ?(\d+)$", text, path))
    entry = r"(?:(\d+)(?: |$))?(\d{1,2} [A-Z][a-z]{2} \d{4})? ?([A-Za-z' -]*?) ?([A-Z]{2,}\d{3,})? ?(-?[\d,]*\.\d\d)?"
    names = ["number", "date", "transaction", "reference", "amount"]
    below = lines[lines.index(heading) + 1 :] if heading in lines else []
    hits = [re.fullmatch(entry, line) for line in below if line]
    rows = [dict(zip(names, hit.groups(""))) for hit in hits if hit and (hit[1] or hit[2] or hit[4])]
    bank["rows"] = numbered(rows, "number", 1, count, "line", path)
    complete(bank["rows"], "line", path, bank["opening"], bank["closing"])
    return bank


def read_ledger(case):
    """Opening and closing balance and rows of the cash ledger."""
    path = case["paths"]["ledger"]
    text = opened(case["desk"].read, path)
    month_of(text, r"cash ledger, operating account,", path, case["month"])
    found("the meaning of signs and the currency", r"(Receipts positive, payments negative, USD)", text, path)
    opening, closing = (
        amount(found(f"{label} balance", rf"^{label} balance: *(\S+)", text, path), f"{label} balance", path)
        for label in ("Opening", "Closing")
    )
    span = re.search(r"^Vouchers (\d+) to (\d+)\W*$", text, re.M)
    if not span:
        said = "".join(re.findall(r"^Vouchers.*$", text, re.M))
        stop(f"the range of Vouchers, first to last, is missing or incomplete ({path}): {said!r}", path)
    sign = found("the heading of the ledger", r"^Voucher([;,\t])Date", text, path)
    table = [line for line in csv.reader(io.StringIO(text), delimiter=sign) if len(line) == 5]
    names = {"Voucher": "number", "Date": "date", "Reference": "reference", "Contra account": "contra", "Amount": "amount"}
    rows = [{names[k]: v for k, v in row.items()} for row in table_of([table], path, *names)]
    rows = numbered(rows, "number", int(span[1]), int(span[2]), "voucher", path)
    complete(rows, "voucher", path, opening, closing)
    for row in rows:
        if row["contra"] not in case["chart"].values():
            chart = case["paths"]["chart"]
            stop(f"account {row['contra']}, contra account of {label(row)} ({path}), is missing in {chart}", chart, path)
    return {"rows": rows, "opening": opening, "closing": closing}


def read_prior(case):
    """Open items of the month before; they have to agree with the signed reconciliation and both openings."""
    desk, paths, bank, ledger = case["desk"], case["paths"], case["bank"], case["ledger"]
    path, prior = paths["list"], paths["prior"]
    month = f"{case['bank']['date'].replace(day=1) - datetime.timedelta(1):%B %Y}"
    text = "\n".join(tidy(line) for page in opened(desk.pdf, prior) for line in page)
    month_of(text, r"Bank reconciliation", prior, month)
    found("that it is signed", r"^Reviewed and signed: ?(\S.*)$", text, prior)
    agree("the account number", bank["account"], bank["path"], *stated(r"Operating account (\d+)", text), prior)
    printed = {}
    labels = ["Balance per bank statement", "Balance per cash ledger, all entries posted"]
    for label in [*labels, "Deposits in transit", "Outstanding cheques"]:
        printed[label] = value_of(*stated(rf"^{label} (\S+)$", text))
    where = [(bank["opening"], bank["path"]), (ledger["opening"], paths["ledger"])]
    for label, (opening, other) in zip(labels, where):
        agree(f"the opening balance and {label}", opening, other, printed[label], prior)
    count = found("Number of items on the list", r"^Number of items on the list: ?(\d+)$", text, prior)
    sheets = list(opened(desk.workbook, path).values())
    text = "\n".join(tidy(" ".join(row)) for rows in sheets for row in rows)
    month_of(text, r"Items open at the end of", path, month)
    found("the Status, signed,", r"^Status: (signed by \S.*)$", text, path)
    found("the meaning of signs", r"(In our books and not yet at the bank. Deposits positive, cheques neg)", text, path)
    names = {"No.": "number", "Date": "date", "Reference": "reference", "Amount (USD)": "amount"}
    rows = [{names[k]: v for k, v in row.items() if k in names} for row in table_of(sheets, path, *names)]
    totals = [row for row in rows if row["number"].lower() == "all items"]
    if len(totals) != 1:
        stop(f"the row All items is missing in the list of open items ({path})", path)
    total = amount(totals[0]["amount"], "the total All items", path)
    rows = numbered([row for row in rows if row not in totals], "number", 1, int(count), "item No.", path, prior)
    complete(rows, "item No.", path, Decimal(0), total, prior)
    for label, sign in (("Deposits in transit", 1), ("Outstanding cheques", -1)):
        items = sum(row["amount"] for row in rows if row["amount"] * sign > 0)
        agree(f"{label} of {month}", printed[label], prior, items, path)
    if bank["opening"] + total != ledger["opening"]:
        what = f"balance per bank statement {bank['opening']} and open items {total} ({path}) are not the balance"
        stop(f"{what} per cash ledger {ledger['opening']} ({prior})", path, prior, bank["path"], paths["ledger"])
    return rows


def read_safe(case):
    """Cheques that still lie in the safe."""
    path = case["paths"]["safe"]
    text = opened(case["desk"].read, path)
    month_of(text, r"Safe count at the end of", path, case["month"])
    found("what was counted", r"(Signed cheques of the operating account that have not been\s+handed out)", text, path)
    count = int(found("Cheques counted", r"^Cheques counted: *(\d+)$", text, path))
    listed = found("the list of cheques", r"^(No\. +Cheque\n[\s\S]*?)^Cheques counted", text, path).split("\n")[2:]
    hits = [re.fullmatch(r"\s*(\d{1,3}\b)?\s*([A-Z]{2,}\d+)?\s*", line) for line in listed if line.strip()]
    rows = [{"number": hit[1] or "", "reference": hit[2] or ""} for hit in hits if hit]
    rows = numbered(rows, "number", 1, count, "No.", path)
    for row in rows:
        if not row["reference"]:
            stop(f"the cheque of {row['name']} is missing in the safe count ({path})", path)
    return unique([(row["reference"], row["name"]) for row in rows], "cheque", path)


def read_notes(case):
    """Amounts on the original documents, by reference; without sign."""
    path, amounts = case["paths"]["notes"], []
    text = opened(case["desk"].read, path)
    month_of(text, r"Voucher lookup,", path, case["month"])
    found("the meaning of the amounts", r"(all in USD, without sign)", text, path)
    for line in re.findall(r"^-(?: (.*))?$", text, re.M):
        reference, value = re.fullmatch(r"([^:]*?) *(?::(.*))?", tidy(line)).groups("")
        if not re.fullmatch(r"[A-Z]{2,}\d+", reference):
            fits = [row["reference"] for row in rows_of(case) if value_of(value) == abs(row["amount"])]
            fits = f"; that amount stands under {' and '.join(dict.fromkeys(fits))}" if fits else ""
            stop(f"the reference of the line {line!r} of the voucher lookup is missing ({path}){fits}", path)
        if not value_of(value):
            stop(f"the amount on the original document of {reference} is missing in the notes ({path})", path)
        amounts.append((reference, value_of(value)))
    return unique(amounts, "reference", path)


def read_bank_mails(case):
    """Cheques that the bank says it charged in error, with the mail."""
    wrong, bank = [], case["bank"]
    for path in case["desk"].files("bank/**/*.eml"):
        mail = opened(case["desk"].mail, path)
        month_of(tidy(mail.body), r"our cheque postings for", path, case["month"])
        account = stated(r"Your account (\d+)\b", mail.headers.get("Subject", ""))
        agree("the account number", bank["account"], bank["path"], *account, path)
        told = re.search(r"charged your operating account with a cheque that is not yours:\s*\n(.*?)\n\s*\n", mail.body, re.S)
        references = re.findall(r"^\s*([A-Z]{2,}\d+)\s*$", mail.body, re.M)
        if not told or not references:
            known = {row["reference"] for row in rows_of(case, "ledger", "carried")}
            alone = [r for r in bank["rows"] if r["transaction"] == "Cheque" and r["reference"] not in known]
            said = ", ".join(f"{row['reference']} ({row['name']})" for row in alone)
            what = f"the reference of the cheque charged in error is missing in the mail of the bank ({path})"
            stop(f"{what}; without a counterpart in {bank['path']}: {said or 'none'}", path, bank["path"])
        wrong += [(reference, path) for reference in references]
    return unique(wrong, "cheque charged in error", "bank/mail")


def read_transfers(case):
    """Purpose and mail of incoming transfers, by reference."""
    told = []
    for path in case["desk"].files("customers/**/*.eml"):
        mail = opened(case["desk"].mail, path)
        sent = found("the reference of the transfer", r"^Transfer:[ \t]*([A-Z]{2,}\d+)\s*$", mail.body, path)
        agree("the reference", *stated(r"transfer ([A-Z]{2,}\d+)", mail.headers.get("Subject", "")), path, sent, path)
        purpose = found(f"the Purpose of {sent}", r"^Purpose:[ \t]*(\S.*)$", mail.body, path)
        told.append((sent, (tidy(purpose), path, mail.headers.get("From", "customer").split("<")[0].strip())))
    return unique(told, "transfer", "customers/transfers")


# -- judging --------------------------------------------------------------------------------------


def check_references(case):
    """Each reference stands once on each side, and papers name no reference that is not there."""
    paths = case["paths"]
    lines = unique([(row["reference"], row) for row in case["bank"]["rows"]], "reference", paths["statement"])
    books = unique([(row["reference"], row) for row in ours(case, list)], "reference", paths["ledger"], paths["list"])
    case |= {"lines": lines, "books": books}
    for cheque, name in case["safe"].items():
        if cheque not in books:
            where = [paths["safe"], paths["ledger"]]
            stop(f"cheque {cheque} ({name} in {where[0]}) is missing in the cash ledger ({where[1]})", *where)
        if cheque in lines:
            where = f"{lines[cheque]['name']} in {paths['statement']}"
            stop(f"cheque {cheque} lies in the safe ({paths['safe']}), yet the bank paid it ({where})", *paths.values())
