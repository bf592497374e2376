# Guest code of the expert: runs inside the sandbox. Names such as Blocked, number and date come from desk.py.
"""The month's bank reconciliation with its outstanding items and adjustments, and the entries to post."""

import csv
import datetime
import io
import re
from decimal import Decimal

RESULT = "the adjusted balances of the reconciliation and the adjusting entries"
PAPERS = {  # where each paper is looked for, and where it usually lies
    "policy": ("policies/*cash*.docx", "policies/cash_and_bank_policy.docx"),
    "statement": ("bank/**/*operating*.pdf", "bank/statements/operating_account.pdf"),
    "ledger": ("ledger/**/*ledger*.csv", "ledger/operating_account/cash_ledger.csv"),
    "chart": ("ledger/**/*chart*.xlsx", "ledger/chart_of_accounts.xlsx"),
    "prior": ("prior_month/signed/*.pdf", "prior_month/signed/reconciliation.pdf"),
    "list": ("prior_month/signed/*.xlsx", "prior_month/signed/open_items.xlsx"),
    "safe": ("treasury/**/*count*.txt", "treasury/safe/month_end_count.txt"),
    "notes": ("notes/*.md", "notes/voucher_lookup.md"),
}
MAILS = {"bank mail": "bank/**/*.eml", "transfer": "customers/**/*.eml"}
CLOSING, POSTING = "the closing date of the statement", "the posting date of the bank"
BACK, MONEY, MONTH = "put back into the books", r"(-?\d[\d,]*\.\d\d)$", r"([A-Z][a-z]+ \d{4})\b"
FACTS = [  # what a paper says, in which sentence, and the words that this script can follow; no others are guessed at
    ("policy", "state of the policy", r"^Version \d+, (.*?)\.", ["in force"]),
    ("policy", "source of accounts and limits", r"Accounts and limits are taken from (.*?)\.", [
        "the version in force of this policy"]),
    ("policy", "list carried forward", r"carried forward from (.*?)\.", ["the signed list"]),
    ("policy", "life of carried items", r"Each stays on the list with its (.*?)\.", [
        "original date and amount until the bank has booked it"]),
    ("policy", "rule for matching", r"belong together when they carry (.*?)\.", ["the same reference"]),
    ("policy", "rule for rows without a counterpart", r"Rows without a counterpart at the bank (.*?);", ["are outstanding"]),
    ("policy", "rule on the right amount", r"one reference, (.*?) decides which", ["the original document"]),
    ("policy", "correction of the ledger", r"If the ledger is wrong, we correct it by (.*?),", [
        "an entry for the difference"]),
    ("policy", "account of a correction", r"If the ledger is wrong,[^.]*, against (.*?)\."),
    ("policy", "treatment of bank errors", r"not ours, the bank corrects it\. We (.*?) until", [
        "book nothing and show the correction on the side of the bank"]),
    ("policy", "treatment of cheques in the safe", r"lie in the safe at the end of the month are therefore (.*?)\.", [BACK]),
    ("policy", "account of a cheque put back", r"Putting a cheque back is an entry against (.*?)\."),
    ("policy", "limit in days for stale cheques", r"its date lies ((?:more than|at least) \d+) days before"),
    ("policy", "date that stale cheques are aged to", r" days before (.*?)\.", [CLOSING]),
    ("policy", "treatment of stale cheques", r"Stale cheques leave the list and are (.*?);", [BACK]),
    ("policy", "name of items", r"Items on the statement go by (.*?)\.", ["the name that the bank gives them"]),
    ("policy", "name of transfers", r"incoming transfer goes by (.*?)\.", ["what the customer says it is for"]),
    ("policy", "number of entries", r"(One entry for each item), never", ["One entry for each item"]),
    ("policy", "date of corrections and cheques put back", r"cheques put back carry (.*?)\.", [CLOSING]),
    ("policy", "date of entries for bank items", r"only the bank has booked.* carry (.*?)\.", [CLOSING, POSTING]),
    ("statement", "month", rf"^Account statement {MONTH}"),
    ("statement", "account number", r"^Account: (\d+), operating account, kept in USD"),
    ("statement", "opening balance of the bank", rf"^Opening balance {MONEY}"),
    ("statement", "date of the Closing balance", r"^Closing balance on (\d+ [A-Z][a-z]+ \d{4})\b"),
    ("statement", "amount of the Closing balance", rf"^Closing balance on .*?{MONEY}"),
    ("statement", "Number of entries", r"^Number of entries (\d+)$"),
    ("statement", "meaning of signs", r"(Credits to your account are shown without a sign, debits with a)"),
    ("ledger", "month", rf"cash ledger, operating account, {MONTH}"),
    ("ledger", "signs and currency", r"(Receipts positive, payments negative, USD)"),
    ("ledger", "opening balance of the ledger", rf"^Opening balance: {MONEY}"),
    ("ledger", "Closing balance", rf"^Closing balance: {MONEY}"),
    ("ledger", "first number of Vouchers", r"^Vouchers (\d+) to\b"),
    ("ledger", "last number of Vouchers", r"^Vouchers .*\bto (\d+)$"),
    ("prior", "month before", rf"^Bank reconciliation {MONTH}"),
    ("prior", "account number", r"^Operating account (\d+) at"),
    ("prior", "opening balance of the bank", rf"^Balance per bank statement {MONEY}"),
    ("prior", "opening balance of the ledger", rf"^Balance per cash ledger, all entries posted {MONEY}"),
    ("prior", "Deposits in transit", rf"^Deposits in transit {MONEY}"),
    ("prior", "Outstanding cheques", rf"^Outstanding cheques {MONEY}"),
    ("prior", "Number of items on the list", r"^Number of items on the list: (\d+)$"),
    ("prior", "signature", r"^Reviewed and signed: (\S.*)$"),
    ("list", "month before", rf"^Items open at the end of {MONTH}, operating account"),
    ("list", "Status, signed,", r"^Status: signed by (\S.*)$"),
    ("list", "meaning of signs of the list", r"(not yet at the bank. Deposits positive, cheques negative)"),
    ("list", "total of All items", r"^All items\t+(-?\d[\d.]*)$"),
    ("safe", "month", rf"^Safe count at the end of {MONTH}"),
    ("safe", "number of Cheques counted", r"^Cheques counted: (\d+)$"),
    ("safe", "sentence on what was counted", r"(Signed cheques of the operating account that have not been)"),
    ("notes", "month", rf"Voucher lookup, {MONTH}"),
    ("notes", "meaning of the amounts", r"(all in USD, without sign)"),
    ("bank mail", "month", rf"cheque postings for {MONTH}"),
    ("bank mail", "account number", r"^Subject: Your account (\d+)\b"),
    ("bank mail", "sentence on the error", r"(we charged your operating account with a cheque that is not yours)"),
    ("transfer", "reference of the Transfer", r"^Subject: .*transfer ([A-Z]{2,}\d+)$"),
    ("transfer", "reference of the Transfer", r"^Transfer: ([A-Z]{2,}\d+)$"),
    ("transfer", "Purpose", r"^Purpose: (\S.*)$"),
]
ENTRY = r"(?=.*\d)(?:(\d+)(?: |$))?(\d{1,2} [A-Z][a-z]{2} \d{4})? ?([A-Za-z' -]*?) ?([A-Z]{2,}\d{3,})? ?(-?[\d,]*\.\d\d)?"
ROWS = {  # rows of a paper: what they are called, the heading above, their cells and the names of these
    "statement": ("line", "No. Date Transaction Reference Amount", ENTRY, "number date transaction reference amount"),
    "ledger": ("voucher", r"Voucher;Date;Reference;Contra account;Amount", r"(\d*);(.*);(.*);(.*);(.*)",
               "number date reference contra amount"),
    "list": ("No.", "No.\tDate\tReference\tAmount (USD)", r"(\d*)\t(.*)\t(.*)\t(.*)", "number date reference amount"),
    "safe": ("No.", "No. Cheque", r"(\d{1,3}\b)? ?([A-Z]{2,}\d+)?", "number reference"),
    "notes": ("line", "without sign", r"- ?([A-Z]{2,}\d+)?:? ?([\d,]+\.\d\d)?", "reference amount"),
    "policy": ("row", "Item\tAccount", r"([^\t]*)\t([^\t]*)", "item account"),
    "chart": ("row", "Number\tAccount", r"(\d*)\t([^\t]*)\t.*", "number account"),
}


def solve(desk):
    case = {"desk": desk, "texts": {}, "paths": {}, "facts": {}, "outstanding": [], "adjustments": [], "entries": []}
    for paper, (pattern, usual) in PAPERS.items():
        found = desk.files(pattern)
        path = found[0] if len(found) == 1 else stop(f"{usual} is missing or not unique: {found}", usual, *found)
        case["paths"][paper], case["texts"][paper] = path, text_of(desk, path)
        learn(case["facts"], case["paths"], paper, case["texts"][paper])
    read_rows(case)
    check_balances(case)
    read_mails(case)
    read_accounts(case)
    read_documents(case)
    for row in case["lines"].values():
        judge_line(case, row)
    for row in case["books"].values():
        judge_row(case, row)
    write(case, balances(case))


def text_of(desk, path):
    """The text of a paper; cells of tables are divided by tabs."""
    kind = path.rpartition(".")[2]
    try:
        if kind == "pdf":
            lines = [re.sub("[\x02\ufffe\xad\u2212]", "-", line) for page in desk.pdf(path) for line in page]
        elif kind == "xlsx":
            lines = ["\t".join(row) for rows in desk.workbook(path).values() for row in rows]
        elif kind == "docx":
            paper = desk.document(path)
            lines = paper.lines + ["\t".join(row) for table in paper.tables for row in table]
        elif kind == "eml":
            mail = desk.mail(path)
            lines = [f"Subject: {mail.headers.get('Subject', '')}", *mail.body.split("\n")]
        else:
            lines = desk.read(path).split("\n")
    except ToolFailed as error:
        stop(f"{path} cannot be read: {error}", path)
    return "\n".join(re.sub("[ \u00a0]+", " ", line).strip(" \r") for line in lines)


def learn(facts, paths, paper, text):
    """Add the facts of a paper; what is said twice has to agree."""
    path = paths[paper]
    for where, what, pattern, *known in FACTS:
        if where != paper:
            continue
        hits = {" ".join(hit.split()) for hit in re.findall(pattern.replace(" ", r"[ \n]"), text, re.M)}
        value = hits.pop() if len(hits) == 1 else ""
        value = value_of(value) if pattern.endswith(MONEY) or "total" in what else value
        said, source = facts.setdefault(what, (value, path))
        if value in ("", None) or (known and value not in known[0]):
            other = f"; {said} in {source}" if source != path or said else ""
            places = [paths.get(place, PAPERS[place][1]) for place, fact, *_ in FACTS if fact == what and place in PAPERS]
            what = f"the {what} is missing or unclear in {path} ({text.strip().splitlines()[0]})"
            stop(f"{what}: {value!r}{other}", path, source, *places)
        if said != value:
            stop(f"the {what} is contradictory: {said} in {source}, {value} in {path}", path, source)


def cells_of(case, paper):
    """Rows of a paper as dicts of cell texts."""
    _, heading, pattern, names = ROWS[paper]
    below = case["texts"][paper].partition(heading)[2].split("\n")
    hits = [re.fullmatch(pattern, line) for line in below]
    return [dict(zip(names.split(), map(str.strip, hit.groups("")))) for hit in hits if hit and any(hit.groups())]


def numbered(case, paper, first, last):
    """Rows of a list that is numbered from first to last, with every cell of it."""
    path, (label, heading, _, names), rows = case["paths"][paper], ROWS[paper], cells_of(case, paper)
    for want, row in enumerate(rows, first):
        shown = ", ".join(cell or "?" for cell in row.values())
        name = f"{label} {want}"
        if row["number"] != str(want):
            said = f"{name} is missing in {path}, or its number is"
            stop(f"{said}; between {want - 1} and {want + 1} there stands: {shown}", path, case["paths"]["prior"])
        read = {"date": day, "amount": value_of}
        row |= {key: read.get(key, str)(row[key]) for key in names.split()} | {"name": name, "path": path}
        for key in names.split():
            if row[key] in ("", None):
                stop(f"the {key} of {name} is missing in {path}: {shown}", path)
    if len(rows) != last - first + 1:
        said = f"{label} {first + len(rows)} is missing" if len(rows) <= last - first else f"{label} {last + 1} is too many"
        stop(f"{said} in {path}: {len(rows)} rows, but {first} to {last} are announced", path, case["paths"]["prior"])
    return rows


def read_rows(case):
    """Lines of the statement, rows of our books, carried items included, and cheques in the safe, by reference."""
    facts, paths = {what: value for what, (value, _) in case["facts"].items()}, case["paths"]
    closing = day(facts["date of the Closing balance"])
    before = closing and closing.replace(day=1) - datetime.timedelta(1)
    if not closing or f"{closing:%B %Y}" != facts["month"] or (closing + datetime.timedelta(1)).day != 1:
        stop(f"the closing date is not the end of {facts['month']} in {paths['statement']}", paths["statement"])
    if f"{before:%B %Y}" != facts["month before"]:
        said = f"{facts['month']} in {paths['statement']}, {facts['month before']} in {paths['list']}"
        stop(f"the month before is contradictory: {said}", paths["list"], paths["prior"], paths["statement"])
    case |= {"closing": closing, "said": facts}
    vouchers = int(facts["first number of Vouchers"]), int(facts["last number of Vouchers"])
    case["bank rows"] = numbered(case, "statement", 1, int(facts["Number of entries"]))
    case["ledger rows"] = numbered(case, "ledger", *vouchers)
    case["carried"] = numbered(case, "list", 1, int(facts["Number of items on the list"]))
    case["lines"] = by_reference(case["bank rows"])
    case["books"] = by_reference([*case["ledger rows"], *case["carried"]])
    case["safe"] = by_reference(numbered(case, "safe", 1, int(facts["number of Cheques counted"])))
    for cheque, row in case["safe"].items():
        line, own = case["lines"].get(cheque), case["books"].get(cheque)
        if line or not own or "contra" not in own:
            said = f"was paid by the bank ({line['name']} of {line['path']})" if line else f"has no row in {paths['ledger']}"
            stop(f"cheque {cheque} lies in the safe ({row['name']} of {row['path']}), yet {said}", *paths.values())


def check_balances(case):
    """Sums of all rows against the balances and totals that the papers print."""
    said, paths = case["said"], case["paths"]
    opening, ledger = said["opening balance of the bank"], said["opening balance of the ledger"]
    carried = [row["amount"] for row in case["carried"]]
    for what, paper, rows, start, end in (
        ("lines of the statement", "statement", case["bank rows"], opening, said["amount of the Closing balance"]),
        ("rows of the ledger", "ledger", case["ledger rows"], ledger, said["Closing balance"]),
        ("open items to All items", "list", case["carried"], 0, said["total of All items"]),
        ("open items to the balances of the month before", "prior", case["carried"], opening, ledger),
    ):
        total = start + sum(row["amount"] for row in rows)
        if total != end:
            what = f"the {what} do not add up ({paths[paper]}): {start} and all amounts make {total}, not {end}"
            stop(what, paths[paper], paths["prior"], *([paths["list"]] if rows is case["carried"] else []))
    for what, sign in (("Deposits in transit", 1), ("Outstanding cheques", -1)):
        total = sum(amount for amount in carried if amount * sign > 0)
        if total != said[what]:
            stop(f"{what}: {said[what]} in {paths['prior']}, {total} in {paths['list']}", paths["prior"], paths["list"])


def read_mails(case):
    """Cheques that the bank charged in error, and what transfers are for."""
    case |= {"not ours": {}, "purposes": {}}
    for paper, pattern in MAILS.items():
        for path in case["desk"].files(pattern):
            text, facts = text_of(case["desk"], path), case["facts"] if paper == "bank mail" else {}
            learn(facts, {paper: path}, paper, text)
            found = re.findall(r"^([A-Z]{2,}\d+)$", text, re.M) if facts is case["facts"] else [
                facts["reference of the Transfer"][0]]
            told = case["not ours" if paper == "bank mail" else "purposes"]
            for reference in found or [""]:
                if reference not in case["lines"] or reference in case["books"] or reference in told:
                    alone = [row["reference"] for row in case["bank rows"] if row["reference"] not in case["books"]]
                    what = f"{path} ({paper}): its reference is missing or contradictory: {reference or 'none'}"
                    stop(f"{what}; only at the bank: {', '.join(alone)}", path, case["paths"]["statement"])
                told[reference] = facts.get("Purpose", [path])[0]


def pairs(case, paper, wanted):
    """A list of two columns as a dict; where a cell is missing, what is wanted and not found is named as well."""
    path, found = case["paths"][paper], {}
    rows = cells_of(case, paper)
    for row in rows:
        first, second = row.values()
        if not first or not second or first in found:
            lost = [name for name in wanted if name not in [cell for row in rows for cell in row.values()]]
            what = f"{' or '.join(row)} is missing or double in the row {first or '?'}, {second or '?'} of {path}"
            stop(f"{what}; not found there: {', '.join(lost) or 'nothing'}", path)
        found[first] = second
    return found


def read_accounts(case):
    """The account of each item of the policy, and account numbers by name."""
    paths, kinds = case["paths"], [row["transaction"] for row in case["bank rows"]]
    kinds = [kind for kind in [*kinds, *case["purposes"].values()] if kind not in ("Deposit", "Cheque", "Transfer in")]
    case["accounts"] = pairs(case, "policy", dict.fromkeys([*kinds, "Stale cheque", "Other side of every entry"]))
    contras = {row["contra"]: row["name"] for row in case["ledger rows"]}
    chart = pairs(case, "chart", [*dict.fromkeys(case["accounts"].values()), *contras])
    case["numbers"] = {name: number for number, name in chart.items()}
    for number, name in contras.items():
        if number not in chart or len(chart) > len(case["numbers"]):
            what = f"account {number}, contra account of {name} ({paths['ledger']}), is missing, or a name is double"
            stop(f"{what} in {paths['chart']}", paths["chart"], paths["ledger"])


def read_documents(case):
    """Amounts on the original documents, by reference."""
    path, books, lines = case["paths"]["notes"], case["books"], case["lines"]
    amounts = [value_of(row["amount"]) for row in cells_of(case, "notes")]
    wanted = [name for name, row in books.items() if lines.get(name, row)["amount"] != row["amount"]]
    wanted += [name for name, row in books.items() if abs(row["amount"]) in amounts]
    case["documents"] = {name: value_of(value) for name, value in pairs(case, "notes", wanted).items()}
    for name, value in case["documents"].items():
        if name not in books:
            stop(f"{name} of {path} is missing in {case['paths']['ledger']}", path, case["paths"]["ledger"])
        own, line = books[name], lines.get(name, books[name])
        if value not in (abs(own["amount"]), abs(line["amount"])):
            said = f"{own['amount']} in {own['path']}, {line['amount']} in {line['path']}, {value} in {path}"
            stop(f"the amount of {name} is contradictory: {said}", path, own["path"], line["path"])


def judge_line(case, row):
    """Adjustment and entry for a line of the statement that does not stand in our books in the same amount."""
    reference, kind, value = row["reference"], row["transaction"], row["amount"]
    own, where = case["books"].get(reference), f"{reference} ({row['name']} of {row['path']})"
    paths, day, item = case["paths"], case["closing"], kind
    if kind in ("Deposit", "Cheque", "Transfer in") and (value < 0) != (kind == "Cheque"):
        stop(f"{kind} {where} has the wrong sign: {value}", row["path"])
    if own and own["amount"] != value:
        judge_difference(case, row, own, where)
    if own:
        return
    if reference in case["not ours"]:
        case["adjustments"].append([reference, "bank", -value])
        return
    if kind in ("Deposit", "Cheque"):
        mail = "bank/mail/cheque_posted_in_error.eml"
        what = f"{kind} {where} is missing in {paths['ledger']} and {paths['list']}"
        stop(f"{what}, and no mail says that it is not ours ({mail})", paths["ledger"], paths["list"], mail, row["path"])
    if kind == "Transfer in":
        mail = f"customers/transfers/{reference.lower()}.eml"
        item = case["purposes"].get(reference) or stop(f"the purpose of {where} is missing ({mail})", mail, row["path"])
    if case["said"]["date of entries for bank items"] == POSTING:
        day = row["date"]
    text = f"{kind if item == kind else item + ' by transfer'}, booked by the bank on {row['date']:%d %b %Y}"
    post(case, reference, day, account(case, item), value, text)


def judge_difference(case, row, own, where):
    """Bank and books show different amounts: the original document decides."""
    reference, paths, document = row["reference"], case["paths"], case["documents"].get(row["reference"])
    if not document or own["amount"] * row["amount"] < 0:
        what = f"the amount on the original document of {where} is missing ({paths['notes']}): {row['amount']} at the bank"
        stop(f"{what}, {own['amount']} in our books ({own['name']} of {own['path']})", paths["notes"], own["path"])
    if document == abs(own["amount"]):
        case["adjustments"].append([reference, "bank", own["amount"] - row["amount"]])
        return
    text = f"Correction of {own['name']}: {own['amount']} in the ledger, {row['amount']} on the original document"
    contra = contra_of(case, "account of a correction", own)
    post(case, reference, case["closing"], contra, row["amount"] - own["amount"], text)


def judge_row(case, row):
    """Whether a row of our books is outstanding; cheques in the safe and stale ones are put back."""
    reference, back = row["reference"], -row["amount"]
    age = (case["closing"] - row["date"]).days
    least, days = re.fullmatch(r"(.*) (\d+)", case["said"]["limit in days for stale cheques"]).groups()
    if reference in case["lines"]:
        return
    if reference in case["safe"]:
        text = f"Cheque of {row['date']:%d %b %Y} put back, still in the safe at the end of the month"
        post(case, reference, case["closing"], contra_of(case, "account of a cheque put back", row), back, text)
    elif "contra" not in row and back > 0 and age >= int(days) + (least == "more than"):
        text = f"Stale cheque of {row['date']:%d %b %Y} put back, {age} days old and not paid by the bank"
        post(case, reference, case["closing"], account(case, "Stale cheque"), back, text)
    else:
        case["outstanding"].append([reference, row["date"], row["amount"]])


def post(case, reference, day, number, value, text):
    """An adjustment of our books and its entry."""
    own = account(case, "Other side of every entry")
    debit, credit = (own, number) if value > 0 else (number, own)
    case["adjustments"].append([reference, "books", value])
    case["entries"].append([reference, day, debit, credit, f"{abs(value):.2f}", text])


def account(case, item):
    """Number of the account that the policy gives to an item."""
    policy, chart = case["paths"]["policy"], case["paths"]["chart"]
    name = case["accounts"].get(item) or stop(f"the account of the item {item} is missing in {policy}", policy)
    what = f"the number of the account {name} ({item} in {policy}) is missing in {chart}"
    return case["numbers"].get(name) or stop(what, chart, policy)


def contra_of(case, rule, row):
    """The voucher's contra account, or the account that the policy names instead."""
    words, chart = case["said"][rule], case["paths"]["chart"]
    if re.fullmatch("the contra account of (the|its) voucher", words):
        what = f"the contra account of {row['reference']} ({row['name']} of {row['path']}) is missing in the ledger"
        return row.get("contra") or stop(what, case["paths"]["ledger"], row["path"])
    return case["numbers"].get(words) or stop(f"{rule}: {words!r} is missing in {chart}", chart, case["paths"]["policy"])


def balances(case):
    """Lines of the reconciliation; both adjusted balances have to be the same."""
    items, sides = [row[2] for row in case["outstanding"]], {"bank": [], "books": []}
    for _, side, value in case["adjustments"]:
        sides[side].append(value)
    bank = [case["said"]["amount of the Closing balance"], sum(x for x in items if x > 0), sum(x for x in items if x < 0)]
    bank += [sum(sides["bank"])]
    books = [case["said"]["Closing balance"], sum(sides["books"])]
    if sum(bank) != sum(books):
        stop(f"the adjusted balances differ: bank {sum(bank)}, books {sum(books)}", *case["paths"].values())
    names = ["Balance per bank statement", "Deposits in transit", "Outstanding cheques", "Bank errors"]
    names += ["Adjusted bank balance", "Balance per cash ledger", "Book adjustments", "Adjusted book balance"]
    return [*zip(names, [*bank, sum(bank), *books, sum(books)])]


def write(case, lines):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([
        ["Reference", "Date", "Debit account", "Credit account", "Amount (USD)", "Text"], *case["entries"]])
    case["desk"].write("adjusting_entries.csv", file.getvalue())
    case["desk"].python(WRITE, outstanding=case["outstanding"], adjustments=case["adjustments"], lines=lines)


def by_reference(rows):
    found = {}
    for row in rows:
        other = found.setdefault(row["reference"], row)
        if other is not row:
            where = f"{other['name']} of {other['path']} and {row['name']} of {row['path']}"
            stop(f"the reference {row['reference']} stands twice: {where}", row["path"], other["path"])
    return found


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

book = openpyxl.Workbook()
book.remove(book.active)
for title, headings, rows in (
    ("Outstanding items", ["Reference", "Date", "Amount (USD)"], outstanding),
    ("Adjustments", ["Reference", "Side", "Amount (USD)"], adjustments),
    ("Reconciliation", ["Line", "Amount (USD)"], lines),
):
    sheet = book.create_sheet(title)
    sheet.append(headings)
    for *texts, amount in rows:
        sheet.append([*texts, float(amount)])
        sheet.cell(sheet.max_row, len(headings)).number_format = "#,##0.00;[Red]-#,##0.00"
        if title == "Outstanding items":
            sheet.cell(sheet.max_row, 2).value = datetime.date.fromisoformat(texts[1])
            sheet.cell(sheet.max_row, 2).number_format = "yyyy-mm-dd"
        if texts[0].startswith("Adjusted"):
            for cell in sheet[sheet.max_row]:
                cell.font = Font(bold=True)
    for place, cell in enumerate(sheet[1]):
        cell.font, cell.alignment = Font(bold=True), Alignment(horizontal="left" if place < len(headings) - 1 else "right")
        sheet.column_dimensions[cell.column_letter].width = 30 if headings[place] == "Line" else 18
    sheet.freeze_panes = "A2"
book.save("reconciliation.xlsx")
"""
