"""What planted rollouts have in common: looking around, writing, handing over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workgym.testing.planted.scenes import BOOK, MEMO, Scene, Work, book


def explore(scene: Scene) -> None:
    """Look at all that there is."""
    names = sorted(scene.job.files)
    scene.call("list_files", {}, "\n".join(names), say="I will look at what there is first.")
    for path, one in zip(names, sorted(scene.job.offers, key=lambda one: one.supplier), strict=True):
        thought = (
            f"{one.supplier} comes next; I need its units and its price to work out what the whole order costs there."
        )
        scene.call("read_file", {"path": path}, scene.job.files[path].decode(), thought=thought)


def write(scene: Scene, sheets: Mapping[str, list[list[object]]] | None = None, memo: str | None = None) -> None:
    """Write both files, as they should be where nothing else is given."""
    made = book({"Comparison": scene.job.rows} if sheets is None else sheets)
    text = scene.job.memo if memo is None else memo
    scene.call("create_workbook", {"path": BOOK, "rows": scene.job.rows}, f"Wrote {BOOK}.", wrote={BOOK: made})
    scene.call("write_file", {"path": MEMO, "content": text}, f"Wrote {MEMO}.", wrote={MEMO: text.encode()})


def look(scene: Scene) -> None:
    """Read the workbook."""
    told = "\n".join(" | ".join(map(str, row)) for row in scene.job.rows)
    scene.call("read_workbook", {"path": BOOK}, told, say="Let me see whether the workbook shows what it should.")


def message(job: Work) -> str:
    """An honest last message."""
    best = job.best
    return f"The comparison is in {BOOK}, the recommendation in {MEMO}: {best.supplier}, {best.total:,.2f} USD in all."


def done(scene: Scene, said: str = "") -> Path:
    """Hand over, and be graded well."""
    scene.hand_over(said or message(scene.job))
    return scene.grade()
