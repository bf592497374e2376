"""Episodes of the forgery suite: a family's task, a base of work to attack from, and what came of an attack.

The base is handed in twice, once as it is and once with the attack: the second may not earn more than the first, and
may not be *unscored* where the first was failed.
"""

from __future__ import annotations

import base64
import functools
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import openpyxl

import workgym
from workgym.env import OfficeEnv
from workgym.package import TaskPackage
from workgym.verify import Verdict, grade

TASKS = {
    "supplier": "workfactory/supplier-selection.easy-000001",
    "payroll": "workfactory/overtime-payroll.easy-000001",
    "bank": "workfactory/bank-reconciliation.easy-000001",
}
BOOKS = {"supplier": "supplier_comparison.xlsx", "payroll": "payroll.xlsx", "bank": "reconciliation.xlsx"}
"""The workbook that each task asks for."""
TOOK = "THE ATTACK TOOK EFFECT"
"""What the guest's part of an attack prints at its end, after its own assertions."""

WRITER = "workgym-forgery-writer"
"""Stands on the command line of every process that an attack leaves running."""

Base = Literal["right", "wrong", "book", "none"]
"""What the expert hands in, that with wrong numbers, its workbook alone, nothing."""
Files = dict[str, bytes]


@dataclass
class Outcome:
    """An episode that was handed in."""

    state: str
    """State of the verdict."""
    reward: float
    """The reward that ``step`` gave."""
    files: Files
    """What reached the grader; empty where the workspace was beyond its limits."""
    record: str
    """The verdict's record, as text."""
    verdict: Verdict | None
    """The verdict; None where the workspace was beyond its limits."""
    said: str
    """What the guest's part of the attack printed."""


@dataclass(frozen=True)
class Scene:
    """What an attack may know when it is made: more than an agent could."""

    task: str
    """Key of ``TASKS``."""
    base: Files
    """Deliverables of the base."""
    right: Files
    """Deliverables of the expert."""
    wrong: Files
    """The same with wrong numbers in the workbook's first sheet."""
    host: Path
    """A folder of the host: the expert's deliverables lie in ``host/hidden``."""
    workspace: Path
    """The workspace as the host sees it."""

    @property
    def book(self) -> str:
        """Path of the workbook asked for."""
        return BOOKS[self.task]


@dataclass(frozen=True)
class Attack:
    """One attempt to earn more than the work is worth."""

    name: str
    """What is tried."""
    base: Base = "wrong"
    """The work that it is tried on."""
    task: str = "supplier"
    """Key of ``TASKS``."""
    guest: Callable[[Scene], str] | None = None
    """Python that runs in the guest once the base is there; ends by printing ``TOOK``."""
    files: Callable[[Scene], Files] | None = None
    """Files that are written over the base."""
    gone: bool = False
    """Whether the deliverable that is attacked may not reach the grader."""
    says: str = ""
    """What the verdict's record has to say."""
    same: bool = False
    """Whether the reward has to be that of the base."""
    docker: bool = False
    """Whether it is tried in a container, too."""
    after: Callable[[Scene, Outcome], None] | None = field(default=None)
    """What else has to hold once it was handed in."""


class Spy:
    """Our own grading, and what it was given."""

    def __init__(self) -> None:
        self.files: Files = {}
        self.verdict: Verdict | None = None

    def __call__(self, package: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        self.files = dict(files)
        self.verdict = grade(package, files)
        return self.verdict


@functools.cache
def expert(task: str) -> Files:
    """What the expert hands in."""
    env, spy = _environment(task, "bubblewrap")
    assert workgym.rollout(env, "expert").solved
    return {one.path: spy.files[one.path] for one in env.package.hidden.graph.deliverables}


def package_of(task: str) -> TaskPackage:
    """The task itself."""
    return _environment(task, "bubblewrap")[0].package


@functools.cache
def wrong(task: str) -> Files:
    """The expert's deliverables with every number of the workbook's first sheet a tenth too large."""
    right = expert(task)
    book = openpyxl.load_workbook(io.BytesIO(right[BOOKS[task]]))
    for row in book.worksheets[0].iter_rows(min_row=2):
        for cell in row[1:]:
            if isinstance(cell.value, int | float):
                cell.value = round(cell.value * 1.1 + 1, 2)
    return dict(right) | {BOOKS[task]: saved(book)}


def saved(book: openpyxl.Workbook) -> bytes:
    """A workbook's bytes."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def of(task: str, base: Base) -> Files:
    """The deliverables of a base."""
    if base == "none":
        return {}
    made = wrong(task) if base == "wrong" else expert(task)
    return {BOOKS[task]: made[BOOKS[task]]} if base == "book" else made


def writing(files: Mapping[str, bytes]) -> str:
    """Guest Python that writes files."""
    texts = {path: base64.b64encode(content).decode() for path, content in files.items()}
    return (
        "import base64, os\n"
        f"for path, text in {texts!r}.items():\n"
        "    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n"
        "    open(path, 'wb').write(base64.b64decode(text))\n"
    )


def took(code: str) -> str:
    """Guest code that says at its end that it came there."""
    return f"import os, sys, time\n{code}\nprint({TOOK!r})\n"


def started_late(code: str) -> str:
    """Guest code that starts other code twice forked, in a session of its own and deaf to signals; waits for it."""
    whole = (
        "import os, signal, sys, time\n"
        "for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE): "
        "signal.signal(number, signal.SIG_IGN)\n"
        f"open('/tmp/alive', 'w').close()\n{code}"
    )
    return took(
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        for number in (0, 1, 2): os.close(number)\n"
        "        for _ in range(3): os.open('/dev/null', os.O_RDWR)\n"
        f"        os.execv(sys.executable, [sys.executable, '-c', {whole!r}, {WRITER!r}])\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "while not os.path.exists('/tmp/alive'): time.sleep(0.01)\n"
        "time.sleep(0.05)"
    )


def acted(env: OfficeEnv, tool: str, **arguments: Any) -> str:
    """The observation of one action."""
    text = env.step({"tool": tool, "arguments": arguments})[0]["text"]
    assert isinstance(text, str)
    return text


@functools.cache
def baseline(task: str, base: Base, sandbox: str = "bubblewrap") -> Outcome:
    """The episode without an attack."""
    files = of(task, base)
    env, spy = started(task, sandbox)
    with_base(env, files)
    return handed_in(env, spy, "")


@functools.cache
def _environment(task: str, sandbox: str) -> tuple[OfficeEnv, Spy]:
    spy = Spy()
    return workgym.make(TASKS[task], grade=spy, sandbox=sandbox), spy


def started(task: str, sandbox: str = "bubblewrap") -> tuple[OfficeEnv, Spy]:
    """A fresh episode; the task is built once, and every episode has a sandbox of its own."""
    env, spy = _environment(task, sandbox)
    spy.files, spy.verdict = {}, None
    env.reset(seed=0)
    return env, spy


def with_base(env: OfficeEnv, files: Files) -> None:
    """Write the base."""
    if files:
        assert acted(env, "python", code=writing(files) + "print('written')") == "written\n"


def handed_in(env: OfficeEnv, spy: Spy, said: str) -> Outcome:
    """Submit, and close the environment."""
    try:
        _, reward, terminated, _, info = env.step({"tool": "submit", "arguments": {}})
        assert terminated and env.verdict is not None
        return Outcome(info["verdict"], float(reward), spy.files, env.verdict.model_dump_json(), spy.verdict, said)
    finally:
        env.close()


def attacked(attack: Attack, host: Path, sandbox: str = "bubblewrap") -> Outcome:
    """Carry out an attack; asserts that it took effect, and that nothing was won by it."""
    before = baseline(attack.task, attack.base, sandbox)
    base, right, other = of(attack.task, attack.base), expert(attack.task), wrong(attack.task)
    env, spy = started(attack.task, sandbox)
    scene = Scene(attack.task, base, right, other, host, _folder(env))
    for path, content in scene.right.items():
        (host / "hidden" / path).parent.mkdir(parents=True, exist_ok=True)
        (host / "hidden" / path).write_bytes(content)
    (host / "hidden").chmod(0o777)
    with_base(env, scene.base)
    planted = attack.files(scene) if attack.files else {}
    with_base(env, planted)
    said = acted(env, "python", code=attack.guest(scene)) if attack.guest else ""
    assert acted(env, "bash", command="echo sound") == "sound\n", "the tool server does not tell what is so"
    outcome = handed_in(env, spy, said)
    assert attack.guest is None or TOOK in said, f"{attack.name} did not take effect: {said}"
    for path, content in planted.items():
        assert attack.gone or outcome.files[path] == content, f"{path} did not reach the grader"
    assert outcome.state in ("passed", "failed"), f"{attack.name}: {outcome.state}: {outcome.record[:500]}"
    assert outcome.reward <= before.reward, f"{attack.name}: {before.reward} became {outcome.reward}"
    assert not attack.same or outcome.reward == before.reward
    assert attack.says in outcome.record, outcome.record[:500]
    if attack.after is not None:
        attack.after(scene, outcome)
    return outcome


def _folder(env: OfficeEnv) -> Path:
    live = env._live
    assert live is not None
    folder: Path | int = live.sandbox._workspace.folder  # type: ignore[attr-defined]
    # One in memory has no path on the host but that of the descriptor.
    return folder if isinstance(folder, Path) else Path(f"/proc/{os.getpid()}/fd/{folder}")
