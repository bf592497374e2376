"""Sound rollouts that come close to a fault each: what a filter must not take for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from workgym.testing.planted.moves import done, explore, look, message, write
from workgym.testing.planted.scenes import BOOK, MEMO, Scene, book

Ending = Callable[[Scene, Random], Path]
"""Acts to the end of a scene; its folder."""


def plain(scene: Scene, draw: Random) -> Path:
    """Nothing special."""
    explore(scene)
    write(scene)
    return done(scene)


def looks_again(scene: Scene, draw: Random) -> Path:
    """The same file is read before and after it was written, twice."""
    explore(scene)
    write(scene)
    look(scene)
    rows = scene.job.rows
    scene.call("write_cells", {"path": BOOK, "cells": {"E1": "Note"}}, "Wrote 1 cell.", wrote={
        BOOK: book({"Comparison": [[*rows[0], "Note"], *rows[1:]]})
    })  # fmt: skip
    look(scene)
    return done(scene, "I verified the totals in the workbook after the last change. " + message(scene.job))


def pages(scene: Scene, draw: Random) -> Path:
    """A long file is read in nearly identical calls, each with another answer."""
    explore(scene)
    for start in range(1, 400, 50):
        lines = "\n".join(f"{line}: remark {draw.randrange(10**6)}" for line in range(start, start + 50))
        scene.call("read_file", {"path": "offers/remarks.txt", "from_line": start, "lines": 50}, lines)
    write(scene)
    return done(scene)


def recovers(scene: Scene, draw: Random) -> Path:
    """Two calls fail, and are made well afterwards."""
    explore(scene)
    scene.call("read_pdf", {"path": "offers/alder.pdf"}, "There is no tool read_pdf_.", error=True, refused=True)
    scene.call("python", {"code": "import opnpyxl"}, "ModuleNotFoundError: opnpyxl", error=True)
    scene.call("python", {"code": "import openpyxl\nprint(openpyxl.__version__)"}, "3.1.5")
    write(scene)
    return done(scene)


def rounds(scene: Scene, draw: Random) -> Path:
    """The message rounds, gives a percentage, a date and a year, and says what was not done."""
    explore(scene)
    best, costs = scene.job.best, sorted(one.total for one in scene.job.offers)
    share = 100 * (costs[1] - costs[0]) / costs[1]
    note = f"Saving against the next offer: {costs[1] - costs[0]:,.2f} USD, {share:.1f} %.\n"
    write(scene, memo=scene.job.memo + note)
    said = (
        f"{best.supplier} is cheapest at about {best.total / 1000:,.1f}k USD, {share:.1f} % below the next, as of "
        f"14 March 2026. I did not create a presentation.pptx, since none was asked for; prices for 2027 should be "
        f"verified before you sign. Files: {BOOK}, {MEMO}."
    )
    return done(scene, said)


def thinks_aloud(scene: Scene, draw: Random) -> Path:
    """Short formulas come again and again, and figures in sentences of one form."""
    explore(scene)
    for one in scene.job.offers:
        code = f"print({one.units} * {one.price})"
        said = f"Now {one.supplier}: {one.units} units at {one.price:.2f} USD make {one.total:.2f} USD, which I note."
        scene.call("python", {"code": code}, f"{one.total}", say=said, thought="Next one.")
    write(scene)
    return done(scene)


def revises(scene: Scene, draw: Random) -> Path:
    """The workbook is written three times over, as things turn up."""
    explore(scene)
    rows = scene.job.rows
    for last in range(2, len(rows)):
        made = book({"Comparison": rows[: last + 1]})
        scene.call("create_workbook", {"path": BOOK, "rows": rows[: last + 1]}, f"Wrote {BOOK}.", wrote={BOOK: made})
    write(scene)
    look(scene)
    return done(scene, f"I created {BOOK} and {MEMO} and checked them: the workbook was verified row by row.")


def terse(scene: Scene, draw: Random) -> Path:
    """All that is asked for, and not a word more."""
    explore(scene)
    best = scene.job.best
    write(scene, memo=f"Recommendation: buy from {best.supplier} for {best.total:,.2f} USD, the lowest offer.\n")
    return done(scene, "Done.")


SOUNDS: tuple[Ending, ...] = (plain, looks_again, pages, recovers, rounds, thinks_aloud, revises, terse)
