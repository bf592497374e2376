"""Prints docs/formats.md from the registries of writers, readers and editors, and from a sample of each format.

``.venv/bin/python .ci/formats.py > docs/formats.md``
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

from third_party import licence

from workgym.documents.editing import _EDITORS, _INSERTING
from workgym.documents.reading import READERS
from workgym.materialize.rendering import _WRITERS
from workgym.records import FORMATS, Format
from workgym.testing.carriers import sample

HEAD = """# Formats

What workgym writes, reads and edits. One table for all layers is `workgym/records/formats.py`; how each is written
stands in [templates.md](templates.md). Made by `.ci/formats.py`, from the registries and from one sample carrier of
each format (`workgym/testing/carriers.py`): a column says yes where it came out so.

- **write**: from a *template* (prose) or a *tree* (tables and data), and with which library; "own" where with none.
- **read**: by the independent reader; "own" rests on the standard library alone (zip, expat, json, sqlite3, email).
- **anchor**: the place of the sample's first value; how many of its values and decor the reader found there.
- **edit**: in place, everything else byte for byte; *rows* where rows are also added. Others are written again.
- **same bytes**: the sample written twice; in two processes it is done by `tests/unit/materialize/test_determinism.py`.

| format | endings | write | read | anchor | edit | same bytes |
| --- | --- | --- | --- | --- | --- | --- |"""
SHARED = frozenset({"jinja2", "pydantic", "yaml", "networkx", "duckdb", "sqlglot", "numpy", "markupsafe"})
"""What all writers use for templates and rows, none for its format; PyYAML counts where yaml itself is read."""
LIBRARIES: set[str] = set()


distributions = cache(packages_distributions)


@cache
def imports(module: str) -> tuple[frozenset[str], frozenset[str]]:
    """Modules of ours and top-level names of others that a module imports."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # a name out of a module
        spec = None
    if spec is None or spec.origin is None:
        return frozenset(), frozenset()
    ours, others = set(), set()
    for node in ast.walk(ast.parse(Path(spec.origin).read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            top = name.partition(".")[0]
            if top == "workgym":
                ours.add(name)
            elif top not in sys.stdlib_module_names:
                others.add(top)
    return frozenset(ours), frozenset(others)


def libraries(target: str, within: str, allowed: frozenset[str] = SHARED) -> str:
    """The libraries that a writer or reader rests on, within its own layer."""
    seen: set[str] = set()
    found: set[str] = set()
    queue = [target.partition(":")[0]]
    while queue:
        module = queue.pop()
        if module in seen or not module.startswith(within) or module in (within, f"{within}.rendering"):
            continue
        seen.add(module)
        ours, others = imports(module)
        found |= others
        queue += ours
    known = distributions()
    named = sorted({known[top][0] for top in found - allowed if top in known}, key=str.casefold)
    LIBRARIES.update(named)
    return ", ".join(named) or "own"


def row(form: Format) -> str:
    carrier, again = sample(form.name), sample(form.name)
    from workgym.documents import read

    document = read(carrier.path, carrier.content)
    texts = {(part.path, fragment.at): fragment.text for part in document.whole() for fragment in part.fragments}
    found = 0
    for anchor in carrier.anchors:
        text, span = texts.get((anchor.place.path, anchor.place.base)), anchor.place.span
        found += text is not None and (text if span is None else text[span[0] : span[1]]) == anchor.printed
    first = next(anchor for anchor in carrier.anchors if anchor.kind == "value").place
    place = first.at if first.path == carrier.path else f"{first.path.partition('//')[2]} {first.at}"
    seen = "with workgym[ocr]" if document.pictures else f"{found} of {len(carrier.anchors)}"
    edited = (
        "the files in it" if form.holds_files and form.name not in _EDITORS else "yes" if form.name in _EDITORS else "-"
    )
    edited += ", rows" if form.name in _INSERTING else ""
    allowed = SHARED - {"yaml"} if form.name == "yaml" else SHARED
    endings = " ".join(form.endings)
    written = f"{form.source}, {libraries(_WRITERS[form.name], 'workgym.materialize')}"
    reader = libraries(READERS[form.name], "workgym.documents", allowed)
    same = "yes" if carrier.content == again.content and carrier.anchors == again.anchors else "NO"
    return f"| {form.name} | {endings} | {written} | {reader} | `{place}`, {seen} | {edited} | {same} |"


def main() -> None:
    print(HEAD)
    for form in FORMATS.values():
        print(row(form))
    print("\nLicences, as each package states its own: ", end="")
    print("; ".join(f"{name} {licence(name)}" for name in sorted(LIBRARIES, key=str.casefold)) + ".")
    print(TAIL, end="")


TAIL = """
None is under the GPL, LGPL or AGPL. Workbooks are recalculated by formualizer, with ironcalc (extra `recalc`) and
LibreOffice, where it is installed, for what the first does not know. Pictures are read by RapidOCR (extra `ocr`).
"""

if __name__ == "__main__":
    main()
