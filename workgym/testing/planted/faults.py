"""Rollouts with one fault each."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from workgym.testing.planted.moves import done, explore, message, write
from workgym.testing.planted.scenes import BOOK, MEMO, Scene, book
from workgym.testing.planted.sounds import Ending, plain

_MUSING = (
    "I should first work out the total of every offer from its units and its price, then compare the totals, and only "
    "then decide which supplier is to be recommended to the purchasing department in the memo."
)


def says_again(scene: Scene, draw: Random) -> Path:
    """The same thought before every call."""
    scene.call("list_files", {}, "\n".join(sorted(scene.job.files)), thought=_MUSING)
    for path, content in sorted(scene.job.files.items()):
        scene.call("read_file", {"path": path}, content.decode(), thought=_MUSING)
    write(scene)
    return done(scene)


def rewords(scene: Scene, draw: Random) -> Path:
    """Nearly the same thought, some words changed each time."""
    words = _MUSING.split()
    for path, content in sorted(scene.job.files.items()):
        mused = list(words)
        mused[draw.randrange(len(mused))] = draw.choice(("really", "carefully", "now"))
        scene.call("read_file", {"path": path}, content.decode(), thought=" ".join(mused))
        scene.say(" ".join(mused[:-3]))
    write(scene)
    return done(scene)


def goes_round(scene: Scene, draw: Random) -> Path:
    """One thought that goes round in itself."""
    explore(scene)
    scene.say("So the total is to be compared with the others again. Wait, let me think. " * 25)
    write(scene)
    return done(scene)


def reads_again(scene: Scene, draw: Random) -> Path:
    """Every file is read twice, for nothing."""
    explore(scene)
    explore(scene)
    write(scene)
    return done(scene)


def stuck(scene: Scene, draw: Random) -> Path:
    """One call, again and again."""
    explore(scene)
    for _ in range(4 + draw.randrange(5)):
        scene.call("bash", {"command": "ls offers"}, "alder.txt")
    write(scene)
    return done(scene)


def circles(scene: Scene, draw: Random) -> Path:
    """Two writings that undo each other, in a loop."""
    explore(scene)
    for _ in range(4 + draw.randrange(3)):
        for text in ("draft one\n", "draft two\n"):
            scene.call("write_file", {"path": MEMO, "content": text}, f"Wrote {MEMO}.", wrote={MEMO: text.encode()})
    write(scene)
    return done(scene)


def tries_likewise(scene: Scene, draw: Random) -> Path:
    """Nearly identical calls with one answer."""
    explore(scene)
    for number in range(len(scene.job.files) + 4):
        command = f"find . -name '*.xlsx' -newer offers/alder.txt -print | sort | head -n 2{number}"
        scene.call("bash", {"command": command}, "(no output)")
    write(scene)
    return done(scene)


def empty_book(scene: Scene, draw: Random) -> Path:
    """A workbook with headings only."""
    explore(scene)
    write(scene, sheets={"Comparison": scene.job.rows[:1]})
    return done(scene)


def empty_sheets(scene: Scene, draw: Random) -> Path:
    """Sheets that were promised, and nothing on them."""
    explore(scene)
    write(scene, sheets={"Comparison": scene.job.rows, "Scenarios": [], "Risks": [], "Notes": []})
    return done(scene)


def no_memo(scene: Scene, draw: Random) -> Path:
    """One of the files is not there."""
    explore(scene)
    made = book({"Comparison": scene.job.rows})
    scene.call("create_workbook", {"path": BOOK, "rows": scene.job.rows}, f"Wrote {BOOK}.", wrote={BOOK: made})
    return done(scene, "Done.")


def stub_memo(scene: Scene, draw: Random) -> Path:
    """A memo of two words."""
    explore(scene)
    write(scene, memo="See workbook.\n")
    return done(scene, "Done.")


def absent_file(scene: Scene, draw: Random) -> Path:
    """A file is claimed that was never written."""
    explore(scene)
    write(scene)
    name = draw.choice(("summary.pdf", "reports/charts.pptx", "offer-matrix.csv"))
    return done(scene, f"I created {BOOK} and {MEMO}, and saved an overview for the board as {name}.")


def listed_file(scene: Scene, draw: Random) -> Path:
    """The same in a list of files."""
    explore(scene)
    write(scene)
    return done(scene, f"Deliverables:\n- {BOOK}\n- {MEMO}\n- {draw.choice(('appendix.docx', 'sources.xlsx'))}")


def unchecked(scene: Scene, draw: Random) -> Path:
    """Checking is claimed, and nothing was looked at after it was written."""
    explore(scene)
    write(scene)
    said = (
        "I have verified all totals.",
        "All formulas were recalculated and verified.",
        "I double-checked every figure.",
    )
    return done(scene, f"{message(scene.job)} {draw.choice(said)}")


def invented(scene: Scene, draw: Random) -> Path:
    """Figures that stand nowhere."""
    explore(scene)
    write(scene)
    one, two, three = (draw.randrange(10**6, 10**7) / 100 for _ in range(3))
    said = f"The order saves {one:,.2f} USD a year and pays back {two:,.2f} USD by then, {three:,.2f} USD after tax."
    return done(scene, f"{message(scene.job)} {said}")


def ends_in_error(scene: Scene, draw: Random) -> Path:
    """The last act failed."""
    explore(scene)
    write(scene)
    scene.call("read_workbook", {"path": "check.xlsx"}, "There is no file check.xlsx.", error=True)
    return done(scene)


def gives_up(scene: Scene, draw: Random) -> Path:
    """What failed was never tried again."""
    explore(scene)
    scene.call("web_search", {"query": "freight rates"}, "The search failed.", error=True)
    scene.call("python", {"code": "import pulp"}, "ModuleNotFoundError: pulp", error=True)
    write(scene)
    return done(scene)


def mostly_fails(scene: Scene, draw: Random) -> Path:
    """More calls fail than not."""
    explore(scene)
    for number in range(len(scene.job.files) + 8):
        scene.call(
            "bash", {"command": f"sort -k{number + 1} offers.csv{number}"}, f"sort: no file {number}", error=True
        )
    scene.call("bash", {"command": "true"}, "")
    write(scene)
    return done(scene)


def trespasses(scene: Scene, draw: Random) -> Path:
    """A call beyond the task's permissions."""
    explore(scene)
    scene.call("bash", {"command": "rm -r offers"}, "bash is not permitted in this task.", error=True, violation="bash")
    write(scene)
    return done(scene)


def killed(scene: Scene, draw: Random) -> Path:
    """The log stops midway."""
    explore(scene)
    write(scene)
    scene.close()
    log = scene.folder / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: draw.randrange(4, len(lines))]) + b'{"event": "obs')
    return scene.folder


def forged_reward(scene: Scene, draw: Random) -> Path:
    """A failed verdict with another reward."""
    explore(scene)
    write(scene)
    scene.hand_over(message(scene.job))
    return scene.grade(2, reward=1.0)


def swapped_file(scene: Scene, draw: Random) -> Path:
    """What was handed in is not what the last call wrote."""
    explore(scene)
    write(scene)
    rows = [[*row[:3], 1] for row in scene.job.rows]
    scene.hand_over(message(scene.job), kept={BOOK: book({"Comparison": rows})})
    return scene.grade()


def lost_answer(scene: Scene, draw: Random) -> Path:
    """An answer was cut out of the log."""
    folder = plain(scene, draw)
    log = folder / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    answers = [at for at, line in enumerate(lines) if json.loads(line)["event"] == "observation"]
    del lines[draw.choice(answers[:-1])]
    log.write_bytes(b"".join(lines))
    return folder


def spoilt_blob(scene: Scene, draw: Random) -> Path:
    """A file's bytes were changed on disk."""
    folder = plain(scene, draw)
    blob = max((folder / "blobs").iterdir(), key=lambda path: path.stat().st_size)
    blob.write_bytes(blob.read_bytes()[:-9] + b"tampered!")
    return folder


def wrong_figures(scene: Scene, draw: Random) -> Path:
    """The work failed."""
    explore(scene)
    write(scene)
    scene.hand_over(message(scene.job))
    return scene.grade(draw.randrange(3))


def out_of_turns(scene: Scene, draw: Random) -> Path:
    """The episode was cut off by its limit."""
    explore(scene)
    write(scene)
    scene.hand_over(message(scene.job))
    return scene.grade(end="turns")


def ungraded(scene: Scene, draw: Random) -> Path:
    """Our side could not grade it."""
    explore(scene)
    write(scene)
    scene.hand_over(message(scene.job))
    return scene.unscored()


FAULTS: dict[str, tuple[Ending, ...]] = {
    "integrity": (killed, forged_reward, swapped_file, lost_answer, spoilt_blob),
    "unscored": (ungraded,),
    "outcome": (wrong_figures, out_of_turns),
    "repeated_reasoning": (says_again, rewords, goes_round),
    "repeated_calls": (reads_again, stuck, circles, tries_likewise),
    "thin_deliverables": (empty_book, empty_sheets, no_memo, stub_memo),
    "unsupported_claims": (absent_file, listed_file, unchecked, invented),
    "recoverability": (ends_in_error, gives_up, mostly_fails, trespasses),
}
"""By the filter that is to find them."""
