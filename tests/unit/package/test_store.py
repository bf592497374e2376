"""Packages on disk: what is written is read back, and what is broken is said in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workgym.authoring import families
from workgym.errors import PackageError, WorkgymError
from workgym.package import TaskPackage, content_digest, load, save


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 7)


@pytest.fixture
def folder(package: TaskPackage, tmp_path: Path) -> Path:
    return save(package, tmp_path / "task")


def test_round_trip(package: TaskPackage, folder: Path) -> None:
    again = load(folder)
    assert again.digest == package.digest
    assert again.files == package.files
    assert again.hidden.values.keys() == package.hidden.values.keys()
    assert again.hidden.anchors == package.hidden.anchors


def test_saving_twice_gives_the_same_bytes_and_replaces(package: TaskPackage, folder: Path, tmp_path: Path) -> None:
    (folder / "files" / "stray.txt").write_text("left over")
    save(package, folder)
    other = save(package, tmp_path / "other")
    first = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    second = {path.relative_to(other): path.read_bytes() for path in other.rglob("*") if path.is_file()}
    assert first == second
    assert not list(tmp_path.glob(".*"))


def test_the_public_side_says_nothing_hidden(package: TaskPackage, folder: Path) -> None:
    public = (folder / "task.yaml").read_text() + (folder / "request.md").read_text()
    assert str(package.hidden.origin.worlds) == "1" or f"worlds: {package.hidden.origin.worlds}" not in public
    for path in package.card.digests:
        assert path == "request.md" or path.startswith("files/")
    recommended = package.truth("recommended").rows[0][0]
    assert str(recommended) not in public


def _spoil(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("task.yaml", "format_version: 99\nid: x\n", "format_version 99 is newer than 1; upgrade workgym"),
        ("task.yaml", "- a list\n", "not a mapping"),
        ("task.yaml", "id: x\n", "format_version is missing"),
        ("hidden/graph.json", "{", "graph.json: not JSON"),
        ("hidden/values.json", '{"nobody": []}', "there is no unit nobody"),
        ("hidden/values.json", '{"quote": [{"supplier": "A", "unit_price": "cheap"}]}', "values.json"),
        ("hidden/anchors.json", "{}", "not a list"),
        ("request.md", "Do something else.", "request.md: was changed"),
        ("files/notes/extra.md", "a new file", "files/notes/extra.md: is not listed"),
    ],
)
def test_broken_packages_say_where(folder: Path, name: str, text: str, says: str) -> None:
    _spoil(folder, name, text)
    with pytest.raises(PackageError) as caught:
        load(folder)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "files/policies/sourcing_policy.docx").unlink()
    with pytest.raises(PackageError, match=r"files/policies/sourcing_policy.docx: is missing"):
        load(folder)


def test_links_are_refused(folder: Path) -> None:
    (folder / "files/link.md").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="not a regular file"):
        load(folder)


def test_no_package_here(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"no task\.yaml"):
        load(tmp_path)


def test_unknown_keys_are_refused(folder: Path) -> None:
    graph = json.loads((folder / "hidden/graph.json").read_text())
    graph["units"][0]["colour"] = "red"
    _spoil(folder, "hidden/graph.json", json.dumps(graph))
    with pytest.raises(PackageError, match=r"graph.json: units.0.colour"):
        load(folder)


def test_digests_of_office_files_do_not_depend_on_compression(package: TaskPackage) -> None:
    import io
    import zipfile

    path = "policies/sourcing_policy.docx"
    stored = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package.files[path])) as old,
        zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as new,
    ):
        for info in reversed(old.infolist()):
            new.writestr(info.filename, old.read(info))
    assert stored.getvalue() != package.files[path]
    assert content_digest(path, stored.getvalue()) == content_digest(path, package.files[path])


def _linked(folder: Path, name: str) -> None:
    (folder / name).rename(folder.parent / "elsewhere")
    (folder / name).symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("name", ["request.md", "task.yaml", "hidden", "hidden/expert/solve.py", "files"])
def test_links_are_refused_wherever_they_stand(folder: Path, name: str) -> None:
    _linked(folder, name)
    with pytest.raises(PackageError, match="is not a regular file"):
        load(folder)


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / "request.md").unlink()
    os.mkfifo(folder / "request.md")
    with pytest.raises(PackageError, match="is not a regular file"):
        load(folder)


def test_what_the_hidden_side_names_is_there(folder: Path) -> None:
    anchors = json.loads((folder / "hidden/anchors.json").read_text())
    next(anchor for anchor in anchors if anchor["cell"])["cell"]["column"] = "nosuch"
    (folder / "hidden/anchors.json").write_text(json.dumps(anchors))
    with pytest.raises(PackageError, match=r"anchors.json: there is no \w+\.nosuch"):
        load(folder)
    values = json.loads((folder / "hidden/values.json").read_text())
    values.pop("quote")
    (folder / "hidden/values.json").write_text(json.dumps(values))
    with pytest.raises(PackageError, match="the unit quote has no rows"):
        load(folder)


def test_endless_numbers_and_nesting_are_one_line(folder: Path) -> None:
    (folder / "hidden/values.json").write_text('{"a": ' + "9" * 6000 + "}")
    with pytest.raises(PackageError, match="not JSON"):
        load(folder)
    (folder / "task.yaml").write_text("[" * 5000)
    with pytest.raises(WorkgymError, match="task.yaml"):
        load(folder)


def test_saving_never_replaces_what_is_no_package(package: TaskPackage, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/thesis.txt").write_text("years of work")
    with pytest.raises(PackageError, match="no task package"):
        save(package, tmp_path / "home")
    assert (tmp_path / "home/thesis.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    save(package, tmp_path / "empty")


@pytest.mark.parametrize("path", ["../outside.txt", "/outside.txt", "a/../../../outside.txt"])
def test_no_file_is_written_outside(package: TaskPackage, tmp_path: Path, path: str) -> None:
    with pytest.raises(PackageError, match="leaves the package"):
        save(package.with_files({**package.files, path: b"x"}), tmp_path / "task")
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys, shutil
from pathlib import Path
from workgym.package import load, save

old, new, folder = load(Path(sys.argv[1])), load(Path(sys.argv[2])), Path(sys.argv[3])

def dying(function, left):
    # Killed before or after one of the calls that move folders.
    def call(*arguments, **more):
        for moment in (0, 1):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            if moment == 0:
                function(*arguments, **more)
    return call

for step in range(1, 50):
    save(old, folder)
    pid = os.fork()
    if pid == 0:
        left = [step]
        os.rename, shutil.rmtree = dying(os.rename, left), dying(shutil.rmtree, left)
        save(new, folder)
        os._exit(0)
    killed = os.waitpid(pid, 0)[1] != 0
    print({old.digest: "old", new.digest: "new"}[load(folder).digest])
    if not killed:
        break
save(new, folder)
print(load(folder).digest == new.digest, folder.is_dir(), (folder.parent / f".{folder.name}.old").exists())
"""


def test_a_writer_that_is_killed_leaves_the_old_package_or_the_new_one(
    package: TaskPackage, folder: Path, tmp_path: Path
) -> None:
    other = save(families.build("supplier-selection", "easy", 8), tmp_path / "other")
    target = str(tmp_path / "target")
    command = [sys.executable, "-c", KILLED, str(folder), str(other), target]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split("\n")
    # Six moments around three moves; the last writer lives.
    assert said[:-2] == ["old", "old", "old", "new", "new", "new", "new"]
    assert said[-2] == "True True False"


def test_a_package_that_cannot_be_replaced_stays(
    package: TaskPackage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, seen = os.rename, list[object]()

    def failing(source: Path, target: Path) -> None:
        seen.append(source)
        if len(seen) == 2:
            raise OSError("no space")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="no space"):
        save(package, folder)
    assert load(folder).digest == package.digest
