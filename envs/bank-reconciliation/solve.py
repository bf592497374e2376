# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""The month's bank reconciliation with its outstanding items and adjustments, and the entries to post."""

import re
from datetime import timedelta
from types import SimpleNamespace

PAPERS = {
    "policy": "policies/cash_and_bank_policy.docx",
    "statement": "bank/statements/operating_account.pdf",
    "ledger": "ledger/operating_account/cash_ledger.csv",
    "chart": "ledger/chart_of_accounts.xlsx",
    "prior": "prior_month/signed/reconciliation.pdf",
    "list": "prior_month/signed/open_items.xlsx",
    "safe": "treasury/safe/month_end_count.txt",
    "notes": "notes/voucher_lookup.md",
}
SENTENCES = {  # what a paper has to say word for word, for this script cannot follow other rules
    "policy": """in force. / Accounts and limits are taken from the version in force of this policy
        / carried forward from the signed list / with its original date and amount until the bank has booked it
        / belong together when they carry the same reference / Rows without a counterpart at the bank are outstanding
        / If the ledger is wrong, we correct it by an entry for the difference / is not ours, the bank corrects it
        / We book nothing and show the correction on the side of the bank until / days before the closing date of the
        statement / Stale cheques leave the list and are put back into the books / One entry for each item, never
        / go by the name that the bank gives them / transfer goes by what the customer says it is for
        / Corrections of our own rows and cheques put back carry the closing date of the statement""",
    "statement": "kept in USD / Credits to your account are shown without a sign, debits with a minus sign",
    "ledger": "Receipts positive, payments negative, USD",
    "prior": "Reviewed and signed: ",
    "list": "Status: signed by / In our books and not yet at the bank. Deposits positive, cheques negative",
    "safe": "Signed cheques of the operating account that have not been handed out",
    "notes": "all in USD, without sign",
    "bank mail": "we charged your operating account with a cheque that is not yours",
}
FACTS = r"""
policy | rule on the right amount | one reference, the (original document|bank statement|cash ledger) decides
policy | account of a correction | If the ledger is wrong,[^.]*, against (?:the )?(.*?)\.
policy | treatment of cheques in the safe | are therefore (put back into the books|left as outstanding)\.
policy | account of a cheque put back | Putting a cheque back is an entry against (?:the )?(.*?)\.
policy | limit in days for stale cheques | ((?:more than|at least) \d+) days before the closing date of
policy | date of bank items | so far (?:also )?carry the (closing date of the statement|posting date of the bank)\.
statement, ledger | month | (?:^Account statement|cash ledger, operating account,) MONTH
safe, notes, bank mail | month | (?:^Safe count at the end of|Voucher lookup,|cheque postings for) MONTH
prior, list | month before | ^(?:Bank reconciliation|Items open at the end of) MONTH
statement, prior, bank mail | account number | ^(?:Account:|Operating account|Subject: Your account) (\d+)\b
statement, prior | opening balance of the bank | ^(?:Opening balance|Balance per bank statement) MONEY
ledger, prior | opening balance of the ledger | ^(?:Opening balance:|Balance per cash ledger, all entries posted) MONEY
statement | closing date | ^Closing balance on (\d+ [A-Z][a-z]+ \d{4})\b
statement | closing balance of the bank | ^Closing balance on .*?MONEY
statement | Number of entries | ^Number of entries (\d+)$
ledger | closing balance of the ledger | ^Closing balance: MONEY
ledger | range of Vouchers, first to last number | ^Vouchers (\d+ to \d+)$
prior | Deposits in transit | ^Deposits in transit MONEY
prior | Outstanding cheques | ^Outstanding cheques MONEY
prior | Number of items on the list | ^Number of items on the list: (\d+)$
safe | number of Cheques counted | ^Cheques counted: (\d+)$
transfer | reference | ^Subject: Our transfer ([A-Z]{2,}\d+)$
bank mail, transfer | reference | ^(?:Transfer: )?([A-Z]{2,}\d+)$
transfer | Purpose | ^Purpose: (\S.*)$
"""
MONEY, MONTH = r"(-?\d[\d,]*\.\d\d)$", r"([A-Z][a-z]+ \d{4})\b"
FACTS = [line.replace("MONTH", MONTH).replace("MONEY", MONEY).split(" | ", 2) for line in FACTS.strip().split("\n")]
LINE = r"(?=.*\d)(?:(\d+)(?: |$))?(\d+ \w{3} \d{4})? ?([A-Za-z' -]*?) ?([A-Z]{2,}\d{3,})? ?(-?[\d,]*\.\d\d)?"
ROWS = {  # of a paper: the heading above, the names of the cells, and the cells of a row
    "statement": ("No. Date Transaction Reference Amount", "line date transaction reference amount", LINE),
    "ledger": ("Voucher;Date;", "voucher date reference contra amount", r"(\d*);(.*);(.*);(.*);(.*)"),
    "list": ("No.\tDate\tReference\tAmount", "No. date reference amount", r"(\d*)\t(.*)\t(.*)\t(.*)"),
    "safe": ("No. Cheque", "No. reference", r"(\d{1,3}\b)? ?([A-Z]{2,}\d+)?"),
    "notes": ("without sign", "reference amount", r"- ?([A-Z]{2,}\d+)?:? ?([\d,]+\.\d\d)?"),
    "policy": ("Item\tAccount", "item account", r"([^\t]*)\t([^\t]*)"),
    "chart": ("Number\tAccount", "number account", r"(\d*)\t([^\t]*)\t.*"),
}


def solve(desk):
    case = SimpleNamespace(desk=desk, facts={}, texts={}, mails={}, outstanding=[], adjustments=[], entries=[])
    for paper, path in PAPERS.items():
        case.texts[paper] = text_of(desk, path)
        learn(case.facts, paper, path, case.texts[paper])
    case.said = {what: value for what, (value, _) in case.facts.items()}
    read_rows(case)
    check_sums(case)
    read_mails(case)
    read_pairs(case)
    for row in case.lines.values():
        judge_line(case, row)
    for row in [row for reference, row in case.books.items() if reference not in case.lines]:
        judge_row(case, row)
    write(case)


def text_of(desk, path):
    """The text of a paper; cells of tables are divided by tabs."""
    try:
        if path.endswith(".pdf"):
            lines = [line for page in desk.pdf(path) for line in page]
        elif path.endswith(".xlsx"):
            lines = ["\t".join(row) for rows in desk.workbook(path).values() for row in rows]
        elif path.endswith(".docx"):
            paper = desk.document(path)
            lines = paper.lines + ["\t".join(row) for table in paper.tables for row in table]
        elif path.endswith(".eml"):
            mail = desk.mail(path)
            lines = [f"Subject: {mail.headers.get('Subject', '')}", *mail.body.split("\n")]
        else:
            lines = desk.read(path).split("\n")
    except ToolFailed as error:
        stop(f"{path} is missing or cannot be read: {error}", path)
    return "\n".join(re.sub("[ \u00a0]+", " ", line).strip(" \r") for line in lines)


def learn(facts, paper, path, text):
    """Add the facts of a paper; what is said twice has to agree."""
    for sentence in (" ".join(part.split()) for part in SENTENCES.get(paper, "").split("/")):
        if sentence not in " ".join(text.split()):
            stop(f"{path} does not say {sentence!r}: that is missing, or says something that cannot be followed", path)
    for _, what, pattern in [fact for fact in FACTS if paper in fact[0].split(", ")]:
        hits = {" ".join(hit.split()) for hit in re.findall(pattern.replace(" ", r"[ \n]"), text, re.M)}
        value = hits.pop() if len(hits) == 1 else ""
        value = value_of(value) if value and pattern.endswith(MONEY) else value
        said, source = facts.setdefault(what, (value, path))
        if value in ("", None) or said != value:
            told = f"{value or 'missing or unclear'} in {path}, {said or 'missing or unclear'} in {source}"
            places = [PAPERS.get(name, path) for names, fact, _ in FACTS if fact == what for name in names.split(", ")]
            stop(f"the {what} is missing or contradictory ({text.splitlines()[0]}): {told}", path, source, *places)


def cells_of(case, paper):
    """Rows of a paper as dicts of cell texts."""
    heading, names, pattern = ROWS[paper]
    hits = [re.fullmatch(pattern, line) for line in case.texts[paper].partition(heading)[2].split("\n")[1:]]
    rows = [map(str.strip, hit.groups("")) for hit in hits if hit and any(hit.groups())]
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


def numbered(case, paper, found, first, last):
    """Put the rows of a list, numbered from first to last, into what is found, by reference."""
    path, (label, *_), rows = PAPERS[paper], ROWS[paper][1].split(), cells_of(case, paper)
    for want, row in enumerate(rows, int(first)):
        shown = ", ".join(cell or "?" for cell in row.values())
        if row[label] != str(want):
            stop(f"{label} {want} is missing in {path}, or its number is; in its place stands: {shown}", path)
        row |= {key: value_of(row[key], read) for key, read in (("date", date), ("amount", number)) if key in row}
        lost = [key for key in row if row[key] in ("", None)]
        if lost or row["reference"] in found:
            what = f"{' and '.join(lost)} is missing" if lost else "a reference stands twice"
            stop(f"{what}, {label} {want} of {path}: {shown}", path)
        found[row["reference"]] = row | {"name": f"{label} {want} of {path}", "path": path}
    if len(rows) != int(last) - int(first) + 1:
        stop(f"{label} {int(first) + len(rows)} is missing in {path}, or {label} {last} is not the last one", path)
    return found


def read_rows(case):
    """Lines of the statement, rows of our books with the items carried forward, and cheques in the safe."""
    said, statement, ledger = case.said, PAPERS["statement"], PAPERS["ledger"]
    case.closing = value_of(said["closing date"], date) or stop(f"closing date in {statement}?", statement)
    case.lines = numbered(case, "statement", {}, 1, said["Number of entries"])
    case.books = numbered(case, "ledger", {}, *said["range of Vouchers, first to last number"].split(" to "))
    numbered(case, "list", case.books, 1, said["Number of items on the list"])
    case.safe = numbered(case, "safe", {}, 1, said["number of Cheques counted"])
    case.alone = [reference for reference in case.lines if reference not in case.books]
    for cheque, row in case.safe.items():
        if cheque in case.lines or "contra" not in case.books.get(cheque, {}):
            what = f"cheque {cheque} lies in the safe ({row['name']}), but is missing in {ledger}"
            stop(f"{what}, or stands on the statement ({statement})", row["path"], ledger, PAPERS["list"], statement)


def check_sums(case):
    """The month before, and sums of all rows, against the months, balances and totals that the papers print."""
    said, before = case.said, (value_of(f"1 {case.said['month']}", date) or case.closing) - timedelta(1)
    lines = [row["amount"] for row in case.lines.values()]
    bank, ledger = said["opening balance of the bank"], said["opening balance of the ledger"]
    rows, items = ([row["amount"] for row in case.books.values() if ("contra" in row) is new] for new in (True, False))
    total = value_of("".join(re.findall(r"^All items\t+(\S+)$", case.texts["list"], re.M)))
    for what, paper, found, end in (
        ("month before", "statement", f"{before:%B %Y}", said["month before"]),
        ("closing balance", "statement", bank + sum(lines), said["closing balance of the bank"]),
        ("closing balance", "ledger", ledger + sum(rows), said["closing balance of the ledger"]),
        ("total of All items", "list", sum(items), total),
        ("Deposits in transit", "list", sum(item for item in items if item > 0), said["Deposits in transit"]),
        ("Outstanding cheques", "list", sum(item for item in items if item < 0), said["Outstanding cheques"]),
        ("balance per cash ledger", "prior", bank + sum(items), ledger),
    ):
        if found != end:
            what = f"the {what} is missing or does not fit the rest: {end}, but it has to be {found}"
            stop(f"{what} ({PAPERS[paper]}; {PAPERS['prior']})", PAPERS[paper], PAPERS["prior"], PAPERS["list"])


def read_mails(case):
    """Purposes of transfers, and cheques that the bank charged in error, by reference."""
    for paper, pattern in (("bank mail", "bank/**/*.eml"), ("transfer", "customers/**/*.eml")):
        for path in case.desk.files(pattern):
            facts = dict(case.facts)
            learn(facts, paper, path, text_of(case.desk, path))
            reference = facts["reference"][0]
            if reference not in case.alone or reference in case.mails:
                what = f"the reference {reference} of {path} is not one that stands only on the statement"
                stop(f"{what}; there stand {', '.join(case.alone)}", path, PAPERS["statement"])
            case.mails[reference] = facts.get("Purpose", ("not ours",))[0]


def pairs(case, paper, wanted):
    """A list of two columns as a dict; where a cell is missing, what is wanted and not found is named as well."""
    path, rows, found = PAPERS[paper], cells_of(case, paper), {}
    for row in rows:
        first, second = row.values()
        if not first or not second or first in found:
            what = f"{' or '.join(row)} is missing or double in the row {first or '?'}, {second or '?'} of {path}"
            lost = {*wanted}.difference(*(row.values() for row in rows))
            stop(f"{what}; not found there: {', '.join(lost) or 'nothing'}", path)
        found[first] = second
    return found


def read_pairs(case):
    """Accounts of the policy, account numbers, and amounts on the original documents."""
    path, books, lines = PAPERS["notes"], case.books, case.lines
    kinds = {row["transaction"] for row in lines.values()} - {"Deposit", "Cheque", "Transfer in"}
    kinds |= {"Stale cheque", "Other side of every entry", *case.mails.values()} - {"not ours"}
    case.accounts = pairs(case, "policy", kinds)
    chart = pairs(case, "chart", case.accounts.values())
    case.numbers = {name: number for number, name in chart.items() if [*chart.values()].count(name) == 1}
    wanted = [name for name in books if lines.get(name, books[name])["amount"] != books[name]["amount"]]
    case.documents = {name: value_of(value) for name, value in pairs(case, "notes", wanted).items()}
    for name, value in case.documents.items():
        own = books.get(name) or stop(f"{name} of {path} is missing in {PAPERS['ledger']}", path, PAPERS["ledger"])
        line = lines.get(name, own)
        if value not in (abs(own["amount"]), abs(line["amount"])):
            said = f"{own['amount']} in {own['name']}, {line['amount']} in {line['name']}, {value} in {path}"
            stop(f"the amount of {name} is contradictory: {said}", path, own["path"], line["path"])


def judge_line(case, row):
    """Adjustment and entry for a line of the statement that does not stand in our books in the same amount."""
    reference, kind, value, own = row["reference"], row["transaction"], row["amount"], case.books.get(row["reference"])
    told, when = case.mails.get(reference), f"booked by the bank on {row['date']:%d %b %Y}"
    day = row["date"] if case.said["date of bank items"].startswith("posting") else case.closing
    item = told if kind == "Transfer in" else kind
    if own:
        return own["amount"] == value or judge_difference(case, row, own)
    if told == "not ours" and kind != "Transfer in":
        return case.adjustments.append([reference, "bank", -value])
    if item in (None, "Cheque", "Deposit") or told == "not ours":
        mail = f"customers/transfers/{reference.lower()}.eml" if value > 0 else "bank/mail/cheque_posted_in_error.eml"
        places = [mail, PAPERS["ledger"], PAPERS["list"], row["path"]]
        what = f"{kind} {reference} ({row['name']}) is missing in our books, and a mail that explains it is missing"
        stop(f"{what}: {', '.join(places)}", *places)
    return post(case, reference, day, account(case, item), value, f"{item}{' by transfer' * (item != kind)}, {when}")


def judge_difference(case, row, own):
    """Bank and books show different amounts: the policy says who is right, as a rule the original document."""
    reference, value, booked, path = row["reference"], row["amount"], own["amount"], PAPERS["notes"]
    right = {"bank statement": abs(value), "cash ledger": abs(booked)}.get(case.said["rule on the right amount"])
    right = right or case.documents.get(reference)
    if not right or booked * value < 0:
        said = f"{value} in {row['name']}, {booked} in {own['name']}"
        stop(f"the amount on the original document of {reference} is missing ({path}): {said}", path, own["path"])
    if right == abs(booked):
        return case.adjustments.append([reference, "bank", booked - value])
    text = f"Correction of {own['name'].split(' of ')[0]}: entered as {booked}, rightly {value}"
    return post(case, reference, case.closing, account(case, "account of a correction", own), value - booked, text)


def judge_row(case, row):
    """Whether a row of our books is outstanding, or a cheque to be put back."""
    reference, value, age = row["reference"], row["amount"], (case.closing - row["date"]).days
    least, days = case.said["limit in days for stale cheques"].rsplit(" ", 1)
    if reference in case.safe and case.said["treatment of cheques in the safe"].startswith("put back"):
        contra, why = account(case, "account of a cheque put back", row), "still in the safe at the end of the month"
    elif "contra" not in row and value < 0 and age >= int(days) + (least == "more than"):
        contra, why = account(case, "Stale cheque"), f"stale, not paid by the bank after {age} days"
    else:
        return case.outstanding.append([reference, row["date"], value])
    post(case, reference, case.closing, contra, -value, f"Cheque of {row['date']:%d %b %Y} put back: {why}")


def post(case, reference, when, number, value, text):
    """An adjustment of our books and its entry."""
    sides = [account(case, "Other side of every entry"), number][:: 1 if value > 0 else -1]
    case.adjustments.append([reference, "books", value])
    case.entries.append([reference, when, *sides, f"{abs(value):.2f}", text])


def account(case, item, row=None):
    """Number of the account that the policy gives to an item, or by a rule; the voucher's own where it says so."""
    policy, chart, ledger = PAPERS["policy"], PAPERS["chart"], PAPERS["ledger"]
    name = (case.said if row else case.accounts).get(item) or stop(f"account of {item} is missing in {policy}", policy)
    if re.fullmatch("contra account of (the|its) voucher", name):
        return row.get("contra") or stop(
            f"the contra account of {row['name']} is missing in {ledger}", ledger, row["path"]
        )
    what = f"the number of the account {name} ({item} in {policy}) is missing in {chart}"
    return case.numbers.get(name) or stop(what, chart, policy)


def write(case):
    """Both files; the adjusted balances have to be the same."""
    items = [item[2] for item in case.outstanding]
    bank, books = (sum(row[2] for row in case.adjustments if row[1] == side) for side in ("bank", "books"))
    bank = [case.said["closing balance of the bank"], *(sum(x for x in items if x * s > 0) for s in (1, -1)), bank]
    books = [case.said["closing balance of the ledger"], books]
    if sum(bank) != sum(books):
        stop(f"the adjusted balances differ: bank {sum(bank)}, books {sum(books)}", *PAPERS.values())
    lines = [*zip(LINES, [*bank, sum(bank), *books, sum(books)], strict=True)]
    sheets = {"outstanding": case.outstanding, "adjustments": case.adjustments, "lines": lines}
    case.desk.python(WRITE, entries=case.entries, **sheets)


def stop(what, *paths):
    raise Blocked(what, dict.fromkeys(paths), "the adjusted balances and the adjusting entries")


def value_of(text, read=number):
    """The number or date in a text, or None."""
    try:
        return read(text)
    except ValueError:
        return None


LINES = ["Balance per bank statement", "Deposits in transit", "Outstanding cheques", "Bank errors"]
LINES += ["Adjusted bank balance", "Balance per cash ledger", "Book adjustments", "Adjusted book balance"]
WRITE = """
import csv
import openpyxl
from openpyxl.styles import Alignment, Font
with open("adjusting_entries.csv", "w", encoding="utf-8", newline="") as file:
    headings = ["Reference", "Date", "Debit account", "Credit account", "Amount (USD)", "Text"]
    csv.writer(file, lineterminator="\\n").writerows([headings, *entries])
book = openpyxl.Workbook()
book.remove(book.active)
for title, column, rows in (("Outstanding items", "Date", outstanding), ("Adjustments", "Side", adjustments),
                            ("Reconciliation", "", lines)):
    sheet = book.create_sheet(title)
    sheet.append(["Reference", column, "Amount (USD)"] if column else ["Line", "Amount (USD)"])
    for *texts, amount in rows:
        days = [openpyxl.utils.datetime.from_ISO8601(text) for text in texts[1:] if column == "Date"]
        sheet.append([texts[0], *(days or texts[1:]), float(amount)])
        for cell in sheet[sheet.max_row]:
            cell.number_format = "yyyy-mm-dd" if cell.is_date else "#,##0.00"
            cell.font = Font(name="Calibri", bold=texts[0].startswith("Adjusted"))
    for cell in sheet[1]:
        side = "right" if cell.value in ("Date", "Amount (USD)") else "left"
        cell.font, cell.alignment = Font(name="Calibri", bold=True), Alignment(horizontal=side)
        sheet.column_dimensions[cell.column_letter].width = 28 if cell.value == "Line" else 16
    sheet.freeze_panes = "A2"
book.save("reconciliation.xlsx")
"""
