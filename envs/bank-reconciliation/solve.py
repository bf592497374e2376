# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""The month's bank reconciliation with its outstanding items and adjustments, and the entries to post."""

import csv
import datetime
import io
import re
from decimal import Decimal
from types import SimpleNamespace

RESULT = "the adjusted balances of the reconciliation and the adjusting entries"
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
MAILS = {"bank mail": "bank/**/*.eml", "transfer": "customers/**/*.eml"}
SENTENCES = {  # what a paper has to say word for word, for this script cannot follow other rules
    "policy": """in force. / Accounts and limits are taken from the version in force of this policy
        / carried forward from the signed list / with its original date and amount until the bank has booked it
        / belong together when they carry the same reference / Rows without a counterpart at the bank are outstanding
        / If the ledger is wrong, we correct it by an entry for the difference / is not ours, the bank corrects it
        / We book nothing and show the correction on the side of the bank until / One entry for each item, never
        / Stale cheques leave the list and are put back into the books / by what the customer says it is for
        / Items on the statement go by the name that the bank gives them
        / Corrections of our own rows and cheques put back carry the closing date of the statement""",
    "statement": "Credits to your account are shown without a sign, debits with a minus sign",
    "ledger": "Receipts positive, payments negative, USD",
    "prior": "Reviewed and signed: ",
    "list": "Status: signed by / In our books and not yet at the bank. Deposits positive, cheques negative",
    "safe": "Signed cheques of the operating account that have not been handed out",
    "notes": "all in USD, without sign",
    "bank mail": "we charged your operating account with a cheque that is not yours",
}
FACTS = r"""
policy | rule on the right amount | one reference, the (original document|bank statement|cash ledger) decides
policy | account of a correction | If the ledger is wrong,[^.]*, against the (.*?)\.
policy | treatment of cheques in the safe | are therefore (put back into the books|left as outstanding)\.
policy | account of a cheque put back | Putting a cheque back is an entry against the (.*?)\.
policy | limit in days for stale cheques | lies ((?:more than|at least) \d+) days before the closing date of the statement
policy | date of entries for bank items | booked so far carry the (closing date of the statement|posting date of the bank)\.
statement | month | ^Account statement MONTH
statement | account number | ^Account: (\d+), operating account, kept in USD
statement | opening balance of the bank | ^Opening balance MONEY
statement | closing date | ^Closing balance on (\d+ [A-Z][a-z]+ \d{4})\b
statement | closing balance of the bank | ^Closing balance on .*?MONEY
statement | Number of entries | ^Number of entries (\d+)$
ledger | month | cash ledger, operating account, MONTH
ledger | opening balance of the ledger | ^Opening balance: MONEY
ledger | closing balance of the ledger | ^Closing balance: MONEY
ledger | first number of Vouchers | ^Vouchers (\d+) to\b
ledger | last number of Vouchers | ^Vouchers .*\bto (\d+)$
prior | month before | ^Bank reconciliation MONTH
prior | account number | ^Operating account (\d+) at
prior | opening balance of the bank | ^Balance per bank statement MONEY
prior | opening balance of the ledger | ^Balance per cash ledger, all entries posted MONEY
prior | Deposits in transit | ^Deposits in transit MONEY
prior | Outstanding cheques | ^Outstanding cheques MONEY
prior | Number of items on the list | ^Number of items on the list: (\d+)$
list | month before | ^Items open at the end of MONTH, operating account
safe | month | ^Safe count at the end of MONTH
safe | number of Cheques counted | ^Cheques counted: (\d+)$
notes | month | Voucher lookup, MONTH
bank mail | month | cheque postings for MONTH
bank mail | account number | ^Subject: Your account (\d+)\b
bank mail | reference | ^([A-Z]{2,}\d+)$
transfer | reference | ^Subject: Our transfer ([A-Z]{2,}\d+)$
transfer | reference | ^Transfer: ([A-Z]{2,}\d+)$
transfer | Purpose | ^Purpose: (\S.*)$
"""
FACTS = FACTS.replace("MONEY", r"(-?\d[\d,]*\.\d\d)$").replace("MONTH", r"([A-Z][a-z]+ \d{4})\b")
FACTS = [line.split(" | ", 2) for line in FACTS.strip().split("\n")]
ROWS = {  # of a paper: the heading above, the names of the cells, and the cells of a row
    "statement": (
        "No. Date Transaction Reference Amount",
        "line date transaction reference amount",
        r"(?=.*\d)(?:(\d+)(?: |$))?(\d+ \w{3} \d{4})? ?([A-Za-z' -]*?) ?([A-Z]{2,}\d{3,})? ?(-?[\d,]*\.\d\d)?",
    ),
    "ledger": ("Voucher;Date;", "voucher date reference contra amount", r"(\d*);(.*);(.*);(.*);(.*)"),
    "list": ("No.\tDate\tReference\tAmount", "No. date reference amount", r"(\d*)\t(.*)\t(.*)\t(.*)"),
    "safe": ("No. Cheque", "No. reference", r"(\d{1,3}\b)? ?([A-Z]{2,}\d+)?"),
    "notes": ("without sign", "reference amount", r"- ?([A-Z]{2,}\d+)?:? ?([\d,]+\.\d\d)?"),
    "policy": ("Item\tAccount", "item account", r"([^\t]*)\t([^\t]*)"),
    "chart": ("Number\tAccount", "number account", r"(\d*)\t([^\t]*)\t.*"),
}


def solve(desk):
    case = SimpleNamespace(desk=desk, facts={}, texts={}, outstanding=[], adjustments=[], entries=[])
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
    for row in case.books.values():
        judge_row(case, row)
    write(case)


def text_of(desk, path):
    """The text of a paper; cells of tables are divided by tabs."""
    kind = path.rpartition(".")[2]
    read = {"pdf": desk.pdf, "xlsx": desk.workbook, "docx": desk.document, "eml": desk.mail}.get(kind, desk.read)
    try:
        paper = read(path)
    except ToolFailed as error:
        stop(f"{path} is missing or cannot be read: {error}", path)
    if kind == "pdf":
        paper = "\n".join(line for page in paper for line in page)
    elif kind == "xlsx":
        paper = "\n".join("\t".join(row) for rows in paper.values() for row in rows)
    elif kind == "docx":
        paper = "\n".join(paper.lines + ["\t".join(row) for table in paper.tables for row in table])
    elif kind == "eml":
        paper = f"Subject: {paper.headers.get('Subject', '')}\n{paper.body}"
    return "\n".join(re.sub("[ \u00a0]+", " ", line).strip(" \r") for line in paper.split("\n"))


def learn(facts, paper, path, text):
    """Add the facts of a paper; what is said twice has to agree."""
    for sentence in (" ".join(part.split()) for part in SENTENCES.get(paper, "").split("/")):
        if sentence not in " ".join(text.split()):
            stop(f"{path} does not say {sentence!r}: that is missing, or says something that cannot be followed", path)
    for where, what, pattern in FACTS:
        hits = {" ".join(hit.split()) for hit in re.findall(pattern.replace(" ", r"[ \n]"), text, re.M)}
        value = hits.pop() if len(hits) == 1 else ""
        value = value_of(value) if "." in value else value
        if where == paper:
            said, source = facts.setdefault(what, (value, path))
            if not str(value) or said != value:
                told = f"{value or 'missing or unclear'} in {path}, {said or 'missing or unclear'} in {source}"
                places = [PAPERS[place] for place, fact, _ in FACTS if fact == what and place in PAPERS]
                stop(f"the {what} is missing or contradictory ({text.split()[0]}): {told}", path, source, *places)


def cells_of(case, paper):
    """Rows of a paper as dicts of cell texts."""
    heading, names, pattern = ROWS[paper]
    hits = [re.fullmatch(pattern, line) for line in case.texts[paper].partition(heading)[2].split("\n")[1:]]
    return [dict(zip(names.split(), map(str.strip, hit.groups("")))) for hit in hits if hit and any(hit.groups())]


def numbered(case, paper, found, first, last):
    """Put the rows of a list, numbered from first to last, into what is found, by reference."""
    path, (label, *_), rows = PAPERS[paper], ROWS[paper][1].split(), cells_of(case, paper)
    for want, row in enumerate(rows, int(first)):
        shown = ", ".join(cell or "?" for cell in row.values())
        if row[label] != str(want):
            stop(f"{label} {want} is missing in {path}, or its number is; in its place stands: {shown}", path)
        row |= {key: read(row[key]) for key, read in (("date", day), ("amount", value_of)) if key in row}
        lost = [key for key in row if row[key] in ("", None)]
        if lost or row["reference"] in found:
            lost = " and ".join(lost) or "a reference that does not stand twice"
            stop(f"{lost} is missing in {label} {want} of {path}: {shown}", path)
        found[row["reference"]] = row | {"name": f"{label} {want} of {path}", "path": path}
    if len(rows) != int(last) - int(first) + 1:
        stop(f"{label} {int(first) + len(rows)} is missing in {path}, or {label} {last} is not the last one", path)
    return found


def read_rows(case):
    """Lines of the statement, rows of our books with the items carried forward, and cheques in the safe."""
    said, statement, listed = case.said, PAPERS["statement"], PAPERS["list"]
    case.closing = day(said["closing date"]) or stop(f"the closing date is missing in {statement}", statement)
    before = date(f"1 {said['month']}") - datetime.timedelta(1)
    if f"{before:%B %Y}" != said["month before"]:
        what = f"the month before is contradictory: {said['month before']} in {listed}"
        stop(f"{what}, {said['month']} in {statement}", listed, PAPERS["prior"], statement)
    case.lines = numbered(case, "statement", {}, 1, said["Number of entries"])
    case.books = numbered(case, "ledger", {}, said["first number of Vouchers"], said["last number of Vouchers"])
    numbered(case, "list", case.books, 1, said["Number of items on the list"])
    case.safe = numbered(case, "safe", {}, 1, said["number of Cheques counted"])
    case.alone = [reference for reference in case.lines if reference not in case.books]
    for cheque, row in case.safe.items():
        if cheque in case.lines or "contra" not in case.books.get(cheque, {}):
            what = (
                f"cheque {cheque} lies in the safe ({row['name']}), but is missing in the ledger ({PAPERS['ledger']})"
            )
            stop(f"{what} or paid by the bank ({statement})", *PAPERS.values())


def check_sums(case):
    """Sums of all rows against the balances and totals that the papers print."""
    said = case.said
    bank, ledger = said["opening balance of the bank"], said["opening balance of the ledger"]
    lines = [row["amount"] for row in case.lines.values()]
    rows = [row["amount"] for row in case.books.values() if "contra" in row]
    items = [row["amount"] for row in case.books.values() if "contra" not in row]
    total = value_of("".join(re.findall(r"^All items\t+(\S+)$", case.texts["list"], re.M)))
    for what, paper, amounts, end in (
        ("closing balance", "statement", [bank, *lines], said["closing balance of the bank"]),
        ("closing balance", "ledger", [ledger, *rows], said["closing balance of the ledger"]),
        ("total of All items", "list", items, total),
        ("Deposits in transit", "list", [item for item in items if item > 0], said["Deposits in transit"]),
        ("Outstanding cheques", "list", [item for item in items if item < 0], said["Outstanding cheques"]),
        ("balance per cash ledger", "prior", [bank, *items], ledger),
    ):
        if sum(amounts) != end:
            what = f"the {what} is missing or does not fit the amounts: {end}, but they make {sum(amounts)}"
            stop(f"{what} ({PAPERS[paper]}; {PAPERS['prior']})", PAPERS[paper], PAPERS["prior"])


def read_mails(case):
    """Purposes of transfers, and cheques that the bank charged in error, by reference."""
    case.mails = {}
    for paper, pattern in MAILS.items():
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
    cells = [cell for row in rows for cell in row.values()]
    for row in rows:
        first, second = row.values()
        if not first or not second or first in found:
            what = f"{' or '.join(row)} is missing or double in the row {first or '?'}, {second or '?'} of {path}"
            stop(f"{what}; not found there: {', '.join({*wanted} - {*cells}) or 'nothing'}", path)
        found[first] = second
    return found


def read_pairs(case):
    """Accounts of the policy, account numbers, and amounts on the original documents."""
    path, books, lines = PAPERS["notes"], case.books, case.lines
    kinds = {row["transaction"] for row in lines.values()} - {"Deposit", "Cheque", "Transfer in"}
    kinds |= {"Stale cheque", "Other side of every entry", *case.mails.values()} - {"not ours"}
    case.accounts = pairs(case, "policy", kinds)
    case.numbers = {name: number for number, name in pairs(case, "chart", case.accounts.values()).items()}
    amounts = [value_of(row["amount"]) for row in cells_of(case, "notes")]
    differ = [name for name in books if lines.get(name, books[name])["amount"] != books[name]["amount"]]
    wanted = differ or [name for name, row in books.items() if abs(row["amount"]) in amounts]
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
    told, where = case.mails.get(reference), f"{kind} {reference} ({row['name']})"
    if own and own["amount"] != value:
        judge_difference(case, row, own)
    if own:
        return
    if (kind == "Cheque" and value > 0) or (kind in ("Deposit", "Transfer in") and value < 0):
        stop(f"{where} has the wrong sign: {value}", row["path"])
    if told == "not ours":
        case.adjustments.append([reference, "bank", -value])
        return
    if not told and kind in ("Cheque", "Deposit", "Transfer in"):
        cheque, sent = "bank/mail/cheque_posted_in_error.eml", f"customers/transfers/{reference.lower()}.eml"
        mail, places = (sent if kind == "Transfer in" else cheque), (PAPERS["ledger"], PAPERS["list"], row["path"])
        stop(
            f"{where} is missing in {places[0]} and {places[1]}, and the mail on it is missing ({mail})", mail, *places
        )
    posting = case.said["date of entries for bank items"].startswith("posting")
    text = f"{told + ' by transfer' if told else kind}, booked by the bank on {row['date']:%d %b %Y}"
    post(case, reference, row["date"] if posting else case.closing, account(case, told or kind), value, text)


def judge_difference(case, row, own):
    """Bank and books show different amounts: the policy says who is right, as a rule the original document."""
    reference, rule, path = row["reference"], case.said["rule on the right amount"], PAPERS["notes"]
    document = abs({"bank statement": row, "cash ledger": own}.get(rule, {}).get("amount", 0))
    document = document or case.documents.get(reference)
    if not document or own["amount"] * row["amount"] < 0:
        said = f"{row['amount']} in {row['name']}, {own['amount']} in {own['name']}"
        stop(f"the amount on the original document of {reference} is missing ({path}): {said}", path, own["path"])
    if document == abs(own["amount"]):
        case.adjustments.append([reference, "bank", own["amount"] - row["amount"]])
        return
    text = f"Correction of {own['name']}: entered as {own['amount']}, rightly {row['amount']}"
    contra = contra_of(case, "account of a correction", own)
    post(case, reference, case.closing, contra, row["amount"] - own["amount"], text)


def judge_row(case, row):
    """Whether a row of our books is outstanding, or a cheque to be put back."""
    reference, value, age = row["reference"], row["amount"], (case.closing - row["date"]).days
    least, days = case.said["limit in days for stale cheques"].rsplit(" ", 1)
    text = f"Cheque of {row['date']:%d %b %Y} put back:"
    if reference in case.lines:
        return
    if reference in case.safe and case.said["treatment of cheques in the safe"].startswith("put back"):
        contra = contra_of(case, "account of a cheque put back", row)
        post(case, reference, case.closing, contra, -value, f"{text} still in the safe at the end of the month")
    elif "contra" not in row and value < 0 and age >= int(days) + (least == "more than"):
        contra = account(case, "Stale cheque")
        post(case, reference, case.closing, contra, -value, f"{text} stale, not paid by the bank after {age} days")
    else:
        case.outstanding.append([reference, row["date"], value])


def post(case, reference, when, number, value, text):
    """An adjustment of our books and its entry."""
    own = account(case, "Other side of every entry")
    debit, credit = (own, number) if value > 0 else (number, own)
    case.adjustments.append([reference, "books", value])
    case.entries.append([reference, when, debit, credit, f"{abs(value):.2f}", text])


def account(case, item):
    """Number of the account that the policy gives to an item."""
    policy, chart = PAPERS["policy"], PAPERS["chart"]
    name = case.accounts.get(item) or stop(f"the account of the item {item} is missing in {policy}", policy)
    what = f"the number of the account {name} ({item} in {policy}) is missing in {chart}"
    return case.numbers.get(name) or stop(what, chart, policy)


def contra_of(case, rule, row):
    """The contra account of the voucher, or the account that the policy names instead."""
    words, chart, ledger = case.said[rule], PAPERS["chart"], PAPERS["ledger"]
    if re.fullmatch("contra account of (the|its) voucher", words):
        what = f"the contra account of {row['reference']} ({row['name']}) is missing in {ledger}"
        return row.get("contra") or stop(what, ledger, row["path"])
    return case.numbers.get(words) or stop(f"{rule}: {words!r} is missing in {chart}", chart, PAPERS["policy"])


def write(case):
    """Both files; the adjusted balances have to be the same."""
    items = [item[2] for item in case.outstanding]
    bank, books = ([row[2] for row in case.adjustments if row[1] == side] for side in ("bank", "books"))
    bank = [case.said["closing balance of the bank"], *(sum(x for x in items if x * s > 0) for s in (1, -1)), sum(bank)]
    books = [case.said["closing balance of the ledger"], sum(books)]
    if sum(bank) != sum(books):
        stop(f"the adjusted balances differ: bank {sum(bank)}, books {sum(books)}", *PAPERS.values())
    rows = [["Reference", "Date", "Debit account", "Credit account", "Amount (USD)", "Text"], *case.entries]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    case.desk.write("adjusting_entries.csv", file.getvalue())
    amounts = [*bank, sum(bank), *books, sum(books)]
    case.desk.python(WRITE, outstanding=case.outstanding, adjustments=case.adjustments, amounts=amounts)


def stop(what, *paths):
    raise Blocked(what, dict.fromkeys(paths), RESULT)


def value_of(text):
    """An amount in dollars and cents, or None."""
    return Decimal(text.replace(",", "")) if re.fullmatch(r"-?\d[\d,]*(\.\d{1,2})?", text) else None


def day(text):
    try:
        return date(text)
    except ValueError:
        return None


WRITE = """
import datetime
import openpyxl
from openpyxl.styles import Alignment, Font

lines = ["Balance per bank statement", "Deposits in transit", "Outstanding cheques", "Bank errors"]
lines += ["Adjusted bank balance", "Balance per cash ledger", "Book adjustments", "Adjusted book balance"]
outstanding = [[name, datetime.date.fromisoformat(day), amount] for name, day, amount in outstanding]
book = openpyxl.Workbook()
book.remove(book.active)
for title, headings, rows in (
    ("Outstanding items", ["Reference", "Date", "Amount (USD)"], outstanding),
    ("Adjustments", ["Reference", "Side", "Amount (USD)"], adjustments),
    ("Reconciliation", ["Line", "Amount (USD)"], zip(lines, amounts)),
):
    sheet = book.create_sheet(title)
    sheet.append(headings)
    for *texts, amount in rows:
        sheet.append([*texts, float(amount)])
        for cell in sheet[sheet.max_row]:
            cell.number_format = "yyyy-mm-dd" if cell.is_date else "#,##0.00"
            cell.font = Font(bold=texts[0].startswith("Adjusted"))
    for cell in sheet[1]:
        cell.font, cell.alignment = Font(bold=True), Alignment(horizontal="center")
        sheet.column_dimensions[cell.column_letter].width = 28 if cell.value == "Line" else 16
    sheet.freeze_panes = "A2"
book.save("reconciliation.xlsx")
"""
