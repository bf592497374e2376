"""What every sandbox backend must do: run these over yours.

Each check takes a factory (``factory(limits)`` makes a sandbox that is not open yet), opens what it needs,
closes it, and raises AssertionError where the contract is not kept. No test framework is needed::

    from workgym.testing import sandbox_suite
    for check in sandbox_suite.CHECKS:
        check(lambda limits: MySandbox(limits))

``workgym.testing.abuse`` has the probes that try to break out.
"""

from __future__ import annotations

import json

from workgym.errors import SandboxError, WorkspaceOverLimit
from workgym.records import ToolCall, ToolResult
from workgym.sandbox.contract import Limits
from workgym.testing.sandbox_kit import FILES, MTIME, Check, Factory, opened, refuses, say
from workgym.testing.sandbox_life import (
    background_may_stay,
    calls_keep_apart,
    closing_is_final,
    halting_ends_the_guest,
    halting_finds_who_hides,
    long_calls_are_stopped,
    outlives_its_thread,
)


def files_stand_there(factory: Factory) -> None:
    """Files lie at their paths with the fixed time, folders too, and come back as they were."""
    with opened(factory) as sandbox:
        assert sandbox.collect() == FILES
        assert say(sandbox, "list_files").text == "data/\ndata/orders.csv\nnotes.md"
        code = "import os; print({os.stat(path).st_mtime for path in ('.', 'data', 'data/orders.csv', 'notes.md')})"
        assert say(sandbox, "python", code=code).text == f"{{{MTIME}.0}}\n"
        assert say(sandbox, "read_file", path="/work/notes.md").text == "# Notes\n\nfirst\nsecond"


def tools_are_offered(factory: Factory) -> None:
    """The tools of the packs, in their order, and nothing else."""
    with opened(factory) as sandbox:
        names = [spec.name for spec in sandbox.tools()]
        assert names[:2] == ["list_files", "read_file"] and "bash" in names and "read_workbook" in names
        assert all(spec.side == "guest" and spec.description for spec in sandbox.tools())


def bad_calls_teach(factory: Factory) -> None:
    """An unknown tool, a wrong argument, an unknown path and an escape are observations that say what to do."""
    with opened(factory) as sandbox:
        for call, words in (
            (ToolCall(tool="read_fil", arguments={}), "read_file"),
            (ToolCall(tool="read_file", arguments={}), "'path' is missing"),
            (ToolCall(tool="read_file", arguments={"path": 3}), "must be a string"),
            (ToolCall(tool="read_file", arguments={"path": "notes.md", "lines": 3}), "no argument 'lines'"),
            (ToolCall(tool="read_file", arguments={"path": "note.md"}), "notes.md"),
            (ToolCall(tool="read_file", arguments={"path": "../etc/passwd"}), "outside the workspace"),
            (ToolCall(tool="write_file", arguments={"path": "/etc/x", "content": ""}), "outside the workspace"),
            (ToolCall(tool="edit_file", arguments={"path": "notes.md", "old": "firstt", "new": "x"}), "first"),
            (ToolCall(tool="grep", arguments={"pattern": "("}), "regular expression"),
        ):
            result = sandbox.call(call)
            assert result.is_error and words in result.text, (call, result)
        assert sandbox.changed() == ()
        assert not say(sandbox, "list_files").is_error


def failures_are_results(factory: Factory) -> None:
    """Exit codes, tracebacks, crashes and signals are error results, and the sandbox lives on."""
    with opened(factory) as sandbox:
        assert say(sandbox, "bash", command="echo out; echo err >&2; exit 3") == ToolResult(
            text="out\nerr\n[exit code 3]", is_error=True
        )
        failed = say(sandbox, "python", code="x = 1\nprint('before')\nx / 0\n")
        assert failed.is_error and failed.text.startswith(
            'before\nTraceback (most recent call last):\n  File "<python>", line 3'
        )
        assert failed.text.rstrip().endswith("ZeroDivisionError: division by zero")
        assert say(sandbox, "python", code="import sys; sys.exit(2)") == ToolResult(text="[exit code 2]", is_error=True)
        assert say(sandbox, "python", code="import os; os.abort()").is_error
        assert say(sandbox, "python", code="import ctypes; ctypes.string_at(0)").text == "[killed by signal 11]"
        assert say(sandbox, "bash", command="kill -9 $$").text == "[killed by signal 9]"
        assert say(sandbox, "bash", command="true") == ToolResult(text="(no output)")


def python_is_fresh(factory: Factory) -> None:
    """Each call has a namespace of its own; files that were left open are written; output keeps its order."""
    with opened(factory) as sandbox:
        say(sandbox, "python", code="kept = 1\nopen('left.txt', 'w').write('open')")
        assert "NameError" in say(sandbox, "python", code="print(kept)").text
        assert sandbox.collect()["left.txt"] == b"open"
        code = "import sys\nprint(1)\nprint(2, file=sys.stderr)\nprint(3)\nprint(__name__)"
        assert say(sandbox, "python", code=code).text == "1\n2\n3\n__main__\n"


def changes_are_seen(factory: Factory) -> None:
    """Added, modified and removed files, by content, since the last question; a mere touch is no change."""
    with opened(factory) as sandbox:
        assert sandbox.changed() == ()
        say(sandbox, "bash", command="echo x > new.txt; sed -i s/first/1st/ notes.md; rm data/orders.csv")
        changes = {change.path: change for change in sandbox.changed()}
        assert {path: change.change for path, change in changes.items()} == {
            "data/orders.csv": "removed",
            "new.txt": "added",
            "notes.md": "modified",
        }
        assert list(changes) == sorted(changes)
        assert changes["new.txt"].size == 2 and changes["new.txt"].digest is not None
        assert changes["data/orders.csv"].digest is None
        say(sandbox, "bash", command="touch new.txt; printf 'y\\n' > new.txt")
        assert [change.path for change in sandbox.changed()] == ["new.txt"]
        say(sandbox, "bash", command="touch new.txt")
        assert sandbox.changed() == ()
        sandbox.put("from/host.txt", b"1")
        sandbox.put("new.txt", None)
        assert [change.path for change in sandbox.changed()] == ["from/host.txt", "new.txt"]
        assert say(sandbox, "bash", command="cat from/host.txt && echo 2 >> from/host.txt").text == "1"


def put_stays_inside(factory: Factory) -> None:
    """The host's own writes succeed and never leave the workspace, whatever the guest has made of it."""
    with opened(factory) as sandbox:
        for path in ("../x", "/etc/x", "a/../../x", ""):
            refuses(SandboxError, lambda path=path: sandbox.put(path, b""))  # type: ignore[misc]
        say(sandbox, "bash", command="ln -s /tmp out; ln -s /etc/passwd link.txt; mkfifo pipe")
        sandbox.put("out/stays-inside", b"mine")
        sandbox.put("pipe/x", b"mine")
        assert say(sandbox, "bash", command="ls /tmp/stays-inside pipe/x").text.endswith("pipe/x\n[exit code 2]")
        say(sandbox, "bash", command="mkdir -p folder/below; echo x > folder/below/y; rm -r pipe; mkfifo pipe")
        sandbox.put("folder", b"mine")
        sandbox.put("link.txt", b"mine")
        sandbox.put("pipe", b"mine")
        found = sandbox.collect()
        assert [found[path] for path in ("folder", "link.txt", "out/stays-inside", "pipe")] == [b"mine"] * 4
        sandbox.put("nothing/here", None)


def a_full_workspace_takes_what_the_host_writes(factory: Factory) -> None:
    """Whoever fills it up cannot keep a user from handing over a file, and has failed if that is too much."""
    with opened(factory, limits=Limits(file_mib=4, workspace_mib=2)) as sandbox:
        say(sandbox, "bash", command="for n in 1 2 3 4 5; do head -c 700000 /dev/zero > f$n; done; echo > tail")
        for path in ("from/user.bin", "notes.md", "from/another.bin"):
            sandbox.put(path, b"u" * (1 << 20))
        assert say(sandbox, "bash", command="wc -c < from/user.bin; wc -c < notes.md").text.split() == ["1048576"] * 2
        assert "2 MiB" in refuses(WorkspaceOverLimit, sandbox.collect)
        say(sandbox, "bash", command="rm f*")
        sandbox.put("from/user.bin", None)
        sandbox.halt()
        sandbox.put("notes.md", b"after the end")
        assert sandbox.collect()["notes.md"] == b"after the end"


def snapshots_come_back(factory: Factory) -> None:
    """A workspace is put back as it was, in this sandbox and another, whatever the guest has made of it since."""
    with opened(factory) as sandbox, opened(factory, files={"other/x.txt": b"x"}) as another:
        taken = sandbox.snapshot()
        assert taken.files == FILES and taken.digest == sandbox.digest() != another.digest()
        ruin = (
            "rm -r data; echo new > data; ln -sf /etc/passwd notes.md; mkfifo pipe; ln -s /tmp out; mkdir -p a/b/c;"
            "ln -s /etc a/b/etc; echo x > a/b/x; ln a/b/x a/y; chmod 0 a/b; touch .hidden"
        )
        say(sandbox, "bash", command=ruin)
        assert sandbox.digest() != taken.digest
        for box in (sandbox, another):
            box.restore(taken)
            assert box.collect() == FILES and box.digest() == taken.digest
            assert say(box, "bash", command="ls -AR").text == ".:\ndata\nnotes.md\n\n./data:\norders.csv\n"
            assert say(box, "bash", command="stat -c %Y . data data/orders.csv notes.md").text == f"{MTIME}\n" * 4
        assert [change.path for change in another.changed()] == ["data/orders.csv", "notes.md", "other/x.txt"]
        assert sandbox.changed() == ()
        say(sandbox, "bash", command="echo more >> notes.md")
        sandbox.digest()
        assert [change.path for change in sandbox.changed()] == ["notes.md"]


def collect_takes_plain_files(factory: Factory) -> None:
    """Links, pipes, second names and oversized files are left out; too many or too deep is an error."""
    with opened(factory, limits=Limits(file_mib=1, workspace_mib=2)) as sandbox:
        command = "ln -s /etc/passwd a; ln notes.md b; mkfifo c; truncate -s 1048577 d; echo fine > e; ln -s . loop"
        say(sandbox, "bash", command=command)
        found = sandbox.collect()
        assert sorted(found.keys() - {"d"}) == ["data/orders.csv", "e"] and not found.get("d")
        say(sandbox, "bash", command="for n in 1 2 3; do head -c 900000 /dev/zero > f$n; done")
        if sandbox.capabilities.workspace_quota:
            assert sum(map(len, sandbox.collect().values())) <= 2 << 20
        else:
            assert "2 MiB" in refuses(WorkspaceOverLimit, sandbox.collect)
        say(sandbox, "bash", command="rm -f f*")
        code = "import os\nfor _ in range(1500):\n    os.mkdir('deep')\n    os.chdir('deep')\n"
        assert not say(sandbox, "python", code=code).is_error
        assert "deep" in refuses(WorkspaceOverLimit, sandbox.collect)
        sandbox.changed()


def scripts_act_through_tools(factory: Factory) -> None:
    """A trusted program runs away from the workspace, and each of its calls is answered by the host's ``act``."""
    with opened(factory) as sandbox:
        calls: list[ToolCall] = []

        def act(call: ToolCall) -> ToolResult:
            calls.append(call)
            return sandbox.call(call)

        source = (
            "import os\n"
            "def main(call):\n"
            "    text, failed = call('read_file', path='data/orders.csv')\n"
            "    _, missing = call('read_file', path='nothing.csv')\n"
            "    call('write_file', path='out.txt', content=text.upper())\n"
            "    return {'failed': failed, 'missing': missing, 'folder': os.getcwd(), 'euro': '€'}\n"
        )
        returned = sandbox.script(source, act)
        assert json.loads(returned) == {"failed": False, "missing": True, "folder": "/", "euro": "€"}
        assert [call.tool for call in calls] == ["read_file", "read_file", "write_file"]
        assert sandbox.collect()["out.txt"].startswith(b"ID,AMOUNT")
        assert [change.path for change in sandbox.changed()] == ["out.txt"]
        told = refuses(SandboxError, lambda: sandbox.script("def main(call):\n    return 1 / 0\n", act))
        assert 'File "<script>", line 2, in main' in told and "ZeroDivisionError" in told

        def stubborn(call: ToolCall) -> ToolResult:
            raise ValueError("the host fails")

        assert refuses(ValueError, lambda: sandbox.script(source, stubborn)) == "the host fails"
        assert not say(sandbox, "list_files").is_error


def output_is_bounded(factory: Factory) -> None:
    """Long output keeps its beginning and end; endless output is stopped; neither grows the host."""
    with opened(factory, limits=Limits(output_chars=1000, call_seconds=30.0)) as sandbox:
        text = say(sandbox, "python", code="print('a' * 5000 + 'ü' * 5000 + 'z' * 5000)").text
        assert len(text) < 1300 and text.startswith("aaa") and text.rstrip().endswith("zzz")
        assert "[... 14001 characters cut" in text
        endless = say(sandbox, "bash", command="yes")
        assert endless.is_error and len(endless.text) < 1300
        assert say(sandbox, "bash", command="echo on").text == "on\n"
        sandbox.put("long.txt", "".join(f"line {n}\n" for n in range(1, 2001)).encode())
        part = say(sandbox, "read_file", path="long.txt").text
        assert len(part) <= 1000 and "of 2000; go on with offset=" in part


def observations_repeat(factory: Factory) -> None:
    """The same calls over the same files give the same texts: no times, pids, hash order, temporary names."""
    calls = (
        ToolCall(tool="list_files", arguments={}),
        ToolCall(tool="glob", arguments={"pattern": "**/*"}),
        ToolCall(tool="grep", arguments={"pattern": "i"}),
        ToolCall(tool="python", arguments={"code": "print({'b', 'a', 'c'}, hash('x'))\nimport nothing"}),
        ToolCall(tool="bash", arguments={"command": "nothing; cat missing; ls -1; exit 4"}),
        ToolCall(tool="write_file", arguments={"path": "x/y.txt", "content": "1\n2\n"}),
        ToolCall(tool="read_document", arguments={"path": "notes.md"}),
    )
    seen = []
    for _ in range(2):
        with opened(factory) as sandbox:
            seen.append([sandbox.call(call) for call in calls])
    assert seen[0] == seen[1], [pair for pair in zip(*seen, strict=True) if pair[0] != pair[1]]


def guest_has_its_own_python(factory: Factory) -> None:
    """Office libraries are there, for login shells too; workgym is not."""
    with opened(factory) as sandbox:
        assert say(sandbox, "bash", command="bash -lc 'python -c \"import openpyxl, docx; print(1)\"'").text == "1\n"
        assert "No module named 'workgym'" in say(sandbox, "python", code="import workgym").text
        assert (
            say(sandbox, "bash", command="env | grep -i -E 'key|token|secret|password' || echo none").text == "none\n"
        )


CHECKS: tuple[Check, ...] = (
    files_stand_there,
    tools_are_offered,
    bad_calls_teach,
    failures_are_results,
    python_is_fresh,
    changes_are_seen,
    put_stays_inside,
    a_full_workspace_takes_what_the_host_writes,
    snapshots_come_back,
    collect_takes_plain_files,
    scripts_act_through_tools,
    long_calls_are_stopped,
    output_is_bounded,
    background_may_stay,
    observations_repeat,
    guest_has_its_own_python,
    calls_keep_apart,
    outlives_its_thread,
    halting_ends_the_guest,
    halting_finds_who_hides,
    closing_is_final,
)
