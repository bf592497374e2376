"""A model that plays every part of the factory on one small task, so that a run can be rehearsed without a model.

It answers by what it is asked alone, like any model through a ledger: the same request, the same reply, whatever came
before. The task is the planner's worked example, with another invoice for each intent. Some intents go wrong on
purpose: every seventh draft has a query that is refused and is corrected, every eleventh is never corrected, every
fifth request leaves out a convention, which the probe finds and the repair puts in. In every ninth from the third on
a part of what is needed stands on the web, where the builder is told of one.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

from workgym.authoring.planner import worked_example
from workgym.model import ModelCard, ModelReply, ModelRequest, TextBlock, ToolCallBlock, ToolResultBlock, Usage
from workgym.records import Intent, SituatedRole, Wanted

_NUMBER = re.compile(r"house no\. (\d+)")
_NOTICE = "https://heatoffice.example/notices/landlords-part"
_TOLD = "to the cent; negative where we pay money back"
_SOLVE = '''
def landlords_part(desk, terms):
    """What the landlord bears, by the notice that counts."""
    if "the one that was published last counts" not in terms:
        raise Blocked("the lease terms do not say which notice counts", ["leases/terms"], "what tenants bear")
    notices = [one for one in desk.search("landlord's part of heating cost notice", 10) if one.published]
    for notice in sorted(notices, key=lambda one: one.published, reverse=True):
        try:
            page = desk.page(notice.url)
        except ToolFailed:
            continue  # it is gone
        told = re.search(r"landlords of let offices bear (\\S+ ?%)", " ".join(page.lines))
        if told is None:
            raise Blocked(f"{notice.url} does not say what the landlord bears", [notice.url], "what tenants bear")
        return percent(told[1])
    raise Blocked("no notice says what the landlord bears", [one.url for one in notices], "what tenants bear")


def figures(path, rows, heading):
    """A figure of each tenant, from a table of one file."""
    for row in records(rows, "Tenant", heading):
        if not row[heading].strip():
            raise Blocked(f"{row['Tenant']} has no {heading} in {path}", [path], f"what {row['Tenant']} owes")
        yield row["Tenant"], number(row[heading])


def shares(desk):
    """Balance by tenant, in the order of the leases."""
    leases, ledger = desk.files("leases/*.xlsx")[0], desk.files("accounting/*.xlsx")[0]
    area = dict(figures(leases, next(iter(desk.workbook(leases).values())), "Area (m2)"))
    area.pop("Building", None)
    terms = " ".join(desk.document(desk.files("leases/terms/*.docx")[0]).lines)
    folder = "meters/current/*.csv" if "was read on site counts" in terms else "meters/archive/*.csv"
    meters = desk.files(folder)[0]
    used = dict(figures(meters, desk.csv(meters), "Heat used (kWh)"))
    lines = [line for page in desk.pdf(desk.files("invoices/*.pdf")[0]) for line in page]
    cost = number(next(line for line in lines if "Heat delivered" in line).split("building")[1])
    paid = dict(figures(ledger, next(iter(desk.workbook(ledger).values())), "Paid in advance (EUR)"))
    if "the landlord bears" in terms:
        cost *= 1 - landlords_part(desk, terms)
    half = "One half of" in terms
    due = {}
    for tenant in area:
        by_use = cost * used[tenant] / sum(used.values())
        share = (cost * area[tenant] / sum(area.values()) + by_use) / 2 if half else by_use
        due[tenant] = share.quantize(Decimal("0.01"), ROUND_HALF_UP) - paid[tenant]
    return due
'''
_IMPORTS = "import re\nfrom decimal import ROUND_HALF_UP, Decimal\n"
_SCRIPT = (
    _IMPORTS
    + _SOLVE
    + '''

def solve(desk):
    due = shares(desk)
    desk.write("heating_statement.csv", "Tenant,Balance (EUR)\\n" + "".join(f"{who},{due[who]}\\n" for who in due))
    desk.python("""
import docx
note = docx.Document()
note.add_paragraph(f"Largest debtor: {who}")
note.save("cover_note.docx")
""", who=max(due, key=lambda who: due[who]))
'''
)
_EXPECTED = (
    _IMPORTS
    + _SOLVE
    + """

def expected(desk):
    due = shares(desk)
    for who in due:
        yield {"deliverable": "heating_statement.csv", "entity": {"Tenant": who}, "attribute": "Balance (EUR)",
               "value": str(due[who]), "how": "share of the invoice less the advances"}
    yield {"deliverable": "cover_note.docx", "entity": {}, "attribute": "Largest debtor",
           "value": max(due, key=lambda who: due[who]), "how": "the largest balance"}
"""
)


def intents(count: int) -> tuple[Intent, ...]:
    """As many intents for a rehearsal, each another one."""
    return tuple(
        Intent(
            source="occupation",
            role=SituatedRole(
                occupation="11-9141",
                title="property manager",
                industry="office buildings",
                size=f"an agency that looks after house no. {number} and others",
                seniority="fourth year",
                trigger="the heating supplier's invoice arrived",
                stakes="tenants wait for their statement",
            ),
            goal=f"Settle the heating cost of house no. {number} with its tenants under the lease terms, and tell the "
            "owners in a cover note who owes most.",
            wanted=(Wanted(what="statement", format="csv"), Wanted(what="cover note", format="docx")),
        )
        for number in range(count)
    )


class Rehearsal:
    """The model. ``asked`` counts what it was asked, by part, and ``requests`` keeps the keys; thread-safe."""

    name = "rehearsal"
    secrets: Sequence[str] = ()
    card = ModelCard(structured="schema")

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.requests: list[str] = []
        self._guard = threading.Lock()

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the part that the request is for. Raises ValueError for one that is none of the factory's."""
        part = "solver" if request.tools else request.reply_schema.name if request.reply_schema else "script"
        with self._guard:
            self.asked[part] += 1
            self.requests.append(request.key)
        if request.tools:
            return _acted(request)
        blocks = [block for message in request.messages for block in message.blocks]
        said = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
        if part == "script":
            text = f"```python\n{(_EXPECTED if 'expected(desk)' in said else _SCRIPT).lstrip()}```"
        elif part in _REPLIES:
            text = json.dumps(_REPLIES[part](said))
        else:
            raise ValueError(f"no part of the factory asks for {part}")
        return ModelReply(blocks=(TextBlock(text=text),), usage=_usage(said, text), model=self.name)


def _usage(said: str, text: str) -> Usage:
    return Usage(prompt=len(said) // 4, completion=len(text) // 4)


def _acted(request: ModelRequest) -> ModelReply:
    """The probe's run: it looks around, reads the meters and, where there is a web, the notice, and is done.

    A call that fails by chance is made again.
    """
    blocks = [block for message in request.messages for block in message.blocks]
    turn = sum(isinstance(block, ToolResultBlock) for block in blocks)
    done = sum(isinstance(block, ToolResultBlock) and "Try again" not in block.text for block in blocks)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("bash", {"command": "find . -type f | sort"}),
        ("bash", {"command": "cat meters/current/*.csv"}),
    ]
    if any(tool.name == "web_fetch" for tool in request.tools):
        calls += [("web_search", {"query": "landlord's part of heating cost"}), ("web_fetch", {"url": _NOTICE})]
    if done < len(calls):
        call = ToolCallBlock(id=f"c{turn}", name=calls[done][0], arguments=calls[done][1])
        return ModelReply(blocks=(call,), usage=Usage(prompt=500, completion=20), stop="tool_calls", model="rehearsal")
    return ModelReply(blocks=(TextBlock(text="I have looked at it."),), usage=Usage(prompt=600, completion=8))


def _graph_example(said: str = "") -> Any:
    return json.loads(worked_example(external=_of_web(said))[1][0])


def _plan_example(said: str = "") -> Any:
    return json.loads(worked_example(external=_of_web(said))[1][1])


def _number(said: str) -> int:
    """The house that a builder's conversation is about."""
    return int(_NUMBER.findall(said)[0])


def _of_web(said: str) -> bool:
    """Whether this house's landlord bears a part, and the builder is told of a web where that may stand."""
    return "\n# The web\n" in said and _number(said) % 9 == 3


def _graph(said: str) -> Any:
    draft, number = _graph_example(said), _number(said)
    units = {unit["name"]: unit for unit in draft["units"]}
    units["invoice"]["rows"] = [[f"{11874.60 + number % (150 if _of_web(said) else 500) * 1.37:.2f}"]]
    if number % 7 == 0 or number % 11 == 0:
        units["balance"]["sql"] = units["balance"]["sql"].replace("amount - paid", "amount - paid * 1.02")
    return draft


def _graph_change(said: str) -> Any:
    if _number(said) % 11 == 0:
        return {"thought": "it is as it should be"}
    unit = next(unit for unit in _graph_example(said)["units"] if unit["name"] == "balance")
    return {"thought": "the surcharge is no premise of any file", "units": [unit]}


def _plan(said: str) -> Any:
    draft = _plan_example(said)
    if _number(said) % 5 == 0:
        draft["request"] = draft["request"].replace(_TOLD, "to the cent")
    return draft


def _direct(said: str) -> Any:
    """The example's files with their values written in: what a plan without a graph comes to."""
    plan, graph = _plan_example(), _graph_example()
    tables = {unit["name"]: unit for unit in graph["units"] if unit.get("key") and "rows" in unit}
    files = []
    for name in ("tenant", "reading", "advance"):
        head, rows = [column["label"] for column in tables[name]["columns"]], tables[name]["rows"]
        lines = [",".join(map(str, row)) for row in [head, *rows]]
        files.append({"path": f"lists/{name}.md", "title": name, "text": "\n".join(f"    {line}" for line in lines)})
    kept = ("title", "capabilities", "request")
    wanted = [{"path": one["path"], "rubric": [{"item": "It is complete."}]} for one in graph["deliverables"]]
    told = plan["request"].replace("{{ context.supplier }}", "the supplier").replace("{{ context.asker }}", "Jonas")
    draft = {name: plan[name] for name in kept} | {"request": told, "today": plan["context"]["today"]}
    return draft | {"thought": "Lists, and a request.", "files": files, "deliverables": wanted}


def _diagnosis(said: str) -> Any:
    task = said.partition("# ")[2]
    if _TOLD in task:
        return {"seen": "Every result rests on a file that was opened.", "problems": []}
    ground = {"call": 0, "source": "request.md", "quote": "the columns `Tenant` and `Balance (EUR)`, to the cent."}
    grounds = [ground | {"missing": "negative where"}]
    if fetched := re.findall(r"CALL (\d+): web_fetch", task):
        last = int(fetched[-1])
        grounds.append({"call": last, "source": _NOTICE, "quote": "The tenants bear the rest.", "missing": ""})
    problem = {
        "seen": "The request, call 0.",
        "defect": "request under-specification",
        "what": "Nobody says how a balance that is paid back is written.",
        "blocks": "The column Balance (EUR) for tenants who get money back.",
        "grounds": grounds,
    }
    return {"seen": "The sign of a balance is settled nowhere.", "problems": [problem]}


def _rulings(said: str) -> Any:
    return [{"problem": 1, "why": "No file settles it.", "verdict": "defect", "severity": "hard"}]


def _proposal(said: str) -> Any:
    edit = {"kind": "reword", "path": "request.md", "old": "to the cent.", "new": f"{_TOLD}."}
    return {"reasons": "The sign was left open.", "summary": "The request says what the sign means.", "edits": [edit]}


def _preservation(said: str) -> Any:
    kept = dict.fromkeys(("same_work", "answers_left", "natural", "preserved"), True)
    return {"reasons": "A convention is told, and nothing else.", **kept}


def _scores(said: str) -> Any:
    aspects = ("coherence", "fit", "plausibility")
    reasons = {f"about_{aspect}": "This is how property managers work." for aspect in aspects}
    return reasons | dict.fromkeys(aspects, 5)


_REPLIES = {
    "GraphDraft": _graph,
    "GraphChange": _graph_change,
    "PlanDraft": _plan,
    "DirectDraft": _direct,
    "Diagnosis": _diagnosis,
    "Rulings": _rulings,
    "Proposal": _proposal,
    "Preservation": _preservation,
    "Scores": _scores,
}
