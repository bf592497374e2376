"""Ways of having a sandbox, each with the same acts: what ``benchmarks.sandbox`` times.

An act returns the milliseconds that it took where they are measured elsewhere, else nothing.
"""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from typing import Protocol

import openpyxl

from workgym.records import ToolCall
from workgym.sandbox import Sandbox

PACKS = ("files", "shell", "office")
READ = ToolCall(tool="read_workbook", arguments={"path": "in/ledger.xlsx"})
SCRIPTS = {
    "workbook": (
        "import openpyxl, sys\n"
        "sheet = openpyxl.load_workbook('in/ledger.xlsx', read_only=True, data_only=True).active\n"
        "text = '\\n'.join('\\t'.join(map(str, row)) for row in sheet.iter_rows(values_only=True))\n"
        "sys.stdout.write(text[:20000])\n"
    ),
    "python": "print(sum(range(100)))",
    "write": "import openpyxl\nbook = openpyxl.Workbook()\nbook.active.append([1, 2, 3])\nbook.save('out.xlsx')\n",
}
"""What the acts run where there are no tools."""


def ledger() -> bytes:
    """A workbook of one sheet, 2,000 x 12."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Ledger")
    for row in range(2000):
        sheet.append([f"item {row}", *(row * column for column in range(11))])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES = {"in/ledger.xlsx": ledger(), **{f"in/{n}.csv": b"id,amount\n" + b"1,10.50\n" * 6000 for n in range(4)}}


class Way(Protocol):
    """A way of having a sandbox, for one episode after another."""

    remembers: bool
    """Whether a call is quicker where one like it went before."""

    def start(self) -> float | None:
        """From nothing to a sandbox with its files that has answered once."""

    def echo(self) -> float | None:
        """A shell call."""

    def workbook(self) -> float | None:
        """Read the ledger into text."""

    def python(self) -> float | None:
        """A little Python."""

    def write(self) -> float | None:
        """Write a workbook."""

    def stop(self) -> float | None:
        """Collect what is in the workspace, and leave nothing."""

    def again(self) -> Way:
        """Another one of the same kind, for another thread."""

    def close(self) -> None:
        """No more episodes."""


class Served:
    """A sandbox of ours."""

    remembers = True

    def __init__(self, make: Callable[[], Sandbox]) -> None:
        self.make = make

    def start(self) -> None:
        self.box = self.make()
        self.box.open(FILES, PACKS)
        self.do("list_files")

    def do(self, name: str, **arguments: str) -> None:
        self.check(ToolCall(tool=name, arguments=arguments))

    def check(self, call: ToolCall) -> None:
        result = self.box.call(call)
        if result.is_error:
            raise SystemExit(f"{self.box.name}: {call.tool}: {result.text}")

    def echo(self) -> None:
        self.do("bash", command="echo hi")

    def workbook(self) -> None:
        self.check(READ)

    def python(self) -> None:
        self.do("python", code=SCRIPTS["python"])

    def write(self) -> None:
        self.do("python", code=SCRIPTS["write"])

    def stop(self) -> None:
        self.box.halt()
        if "in/0.csv" not in self.box.collect():
            raise SystemExit(f"{self.box.name}: the workspace is not whole")
        self.box.close()

    def again(self) -> Served:
        return Served(self.make)

    def close(self) -> None:
        """Nothing is kept."""


class Executed:
    """A container, and a command line of docker's for all that is done in it."""

    remembers = False

    def __init__(self, image: str) -> None:
        self.image = image

    def start(self) -> None:
        held = ["run", "-d", "--rm", "--network", "none", "--workdir", "/work", "--entrypoint", "sleep"]
        self.name = docker(*held, self.image, "1000").strip().decode()
        for path, content in FILES.items():
            self.run("sh", "-c", f"mkdir -p in && cat > {path}", given=content)

    def run(self, *command: str, given: bytes | None = None) -> bytes:
        return docker("exec", *(("-i",) if given else ()), self.name, *command, given=given)

    def echo(self) -> None:
        self.run("echo", "hi")

    def workbook(self) -> None:
        self.script("workbook")

    def python(self) -> None:
        self.script("python")

    def write(self) -> None:
        self.script("write")

    def script(self, name: str) -> None:
        self.run("/opt/guest/bin/python", "-c", SCRIPTS[name])

    def stop(self) -> None:
        self.run("tar", "-c", ".")
        docker("rm", "-f", self.name)

    def again(self) -> Executed:
        return Executed(self.image)

    def close(self) -> None:
        """Nothing is kept."""


def docker(*arguments: str, given: bytes | None = None) -> bytes:
    done = subprocess.run(["docker", *arguments], input=given, capture_output=True, check=True)
    return done.stdout
