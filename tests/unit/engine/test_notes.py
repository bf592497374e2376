"""What a task's folder keeps of how it was made: why it was dropped, with both computations and the scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workgym.engine import Crew, Settings, run
from workgym.model import ModelReply, ModelRequest, TextBlock
from workgym.models import Ledger
from workgym.package import load
from workgym.records.factory import FactoryEntry
from workgym.testing.rehearsal import Rehearsal, intents

SETTINGS = Settings(plan_rounds=1, desk=False, measure=False, repairs=1, repair_rounds=2)
SLIP = "share.quantize(Decimal("


class Slipping(Rehearsal):
    """Its scripts of one kind are a cent off, and its reviser has nothing but an edit that the contract refuses."""

    def __init__(self, kind: str = "") -> None:
        super().__init__()
        self.kind = kind

    def complete(self, request: ModelRequest) -> ModelReply:
        reply = super().complete(request)
        (block,) = reply.blocks
        if not isinstance(block, TextBlock):
            return reply
        text = block.text
        if self.kind and f"def {self.kind}(desk)" in text:
            text = text.replace(SLIP, f"Decimal('0.01') + {SLIP}")
        if request.reply_schema is not None and request.reply_schema.name == "Proposal":
            text = text.replace('"old": "to the cent."', '"old": "to the ell."')
        return reply.model_copy(update={"blocks": (TextBlock(text=text),)})


def made(out: Path, model: Rehearsal, house: int) -> tuple[FactoryEntry, Path]:
    intent = intents(house + 1)[house]
    (entry,) = run([intent], Crew(model, Ledger(out / "ledger.sqlite")), SETTINGS, out).entries
    return entry, out / "work" / f"{intent.id}.planned"


def noted(home: Path, name: str) -> Any:
    return json.loads((home / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(("stage", "kind", "scripts"), [("solution", "solve", 2), ("verifier", "expected", 1)])
def test_a_disagreement_leaves_both_computations_and_the_scripts(
    stage: str, kind: str, scripts: int, tmp_path: Path
) -> None:
    entry, home = made(tmp_path, Slipping(kind), 1)
    assert (entry.last.stage, entry.last.outcome) == (stage, "dropped")
    told = noted(home, f"{stage}.json")
    assert [one["file"] for one in told["scripts"]] == [f"{stage}-{number}.py" for number in range(1, scripts + 1)]
    assert {one["end"] for one in told["scripts"]} == {"differs"}
    for one in told["scripts"]:
        assert f"Decimal('0.01') + {SLIP}" in (home / one["file"]).read_text()
    first = next(one for one in told["findings"] if one["severity"] == "hard")
    assert float(first["found"]) == pytest.approx(float(first["expected"]) + 0.01) and first["unit"] == "balance"
    assert next(iter(told["queries"])) == "balance" and told["queries"]["balance"] == first["query"]
    assert len(told["findings"]) > 1 and len(told["queries"]) > 1, "what the balance rests on is computed, too"
    page = (home / "why.txt").read_text()
    for part in (first["message"], first["rule"], first["query"].strip().splitlines()[0], f"{stage}-1.py: differs"):
        assert part in page
    assert (first["how"] or "a second script says") in page
    package = load(home / "package")
    assert (package.hidden.expert is None) == (stage == "solution") and not (tmp_path / "tasks").exists()
    inside = [path.read_bytes() for path in (home / "package").rglob("*") if path.is_file()]
    assert not any(b"Decimal('0.01')" in content for content in inside), "nothing of it reaches who is given the task"


def test_a_repair_that_was_refused_leaves_its_proposals(tmp_path: Path) -> None:
    entry, home = made(tmp_path, Slipping(), 5)
    assert (entry.last.stage, entry.last.reason) == ("repair", "no repair accepted")
    (told,) = noted(home, "repair.json")["repairs"]
    assert [one["fate"] for one in told["tries"]] == ["contract", "contract"]
    assert told["tries"][0]["revision"]["edits"][0]["old"] == "to the ell."
    page = (home / "why.txt").read_text()
    assert "what blocks the work\n  [request under-specification] Nobody says" in page
    assert "proposal 2, contract: " in page
