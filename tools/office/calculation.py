# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Values of formulas, computed by formualizer in a process of its own and stored where the formulas stand."""

import json
import os
import re
import signal

from .package import Package
from .sheets import NS, Book

SECONDS = 20
CHANGING = re.compile(r"\b(TODAY|NOW|RAND|RANDBETWEEN|RANDARRAY)\(", re.IGNORECASE)
ELSEWHERE = re.compile(r"\[\d+\]")


def settle(book):
    """Store the values of all formulas of a changed book; why they could not be computed, or None.

    Then none is stored: a stale value is worse than none. Those that come from other files stay.
    """
    formulas = [cell for name in book.parts for _, _, cell in book.sheet(name).formulas()]
    if not formulas:
        return None
    book.calculate_on_load()
    found = _reason(formulas) or _in_a_child(book.package.content())
    for name, part in book.parts.items():
        sheet = book.sheet(name)
        values = found.get(part, {}) if isinstance(found, dict) else {}
        for row, column, cell in _calculated(sheet):
            kind, value = values.get(f"{sheet.letter(column)}{row}", (None, None))
            text = cell.findtext(f"{NS}f")
            if value is None and text and ELSEWHERE.search(text):
                continue
            for old in cell.findall(f"{NS}v"):
                cell.remove(old)
            cell.attrib.pop("t", None)
            if value is not None:
                if kind:
                    cell.set("t", kind)
                book.package.etree.SubElement(cell, f"{NS}v").text = value
    return found if isinstance(found, str) else None


def stored(sheet, row, column):
    """The stored value of a cell as text; None where there is none."""
    cell = sheet.cells.get(row, {}).get(column)
    value = None if cell is None else cell.findtext(f"{NS}v")
    if value is None:
        return None
    if cell.get("t") == "b":
        return "TRUE" if value == "1" else "FALSE"
    return value


def _calculated(sheet):
    """Cells with a formula, and those that an array formula fills."""
    yield from sheet.formulas()
    for (left, top, right, bottom), _ in sheet.arrays:
        for row, cells in sheet.cells.items():
            for column, cell in cells.items() if top <= row <= bottom else ():
                if left <= column <= right and cell.find(f"{NS}f") is None:
                    yield row, column, cell


def _reason(formulas):
    for cell in formulas:
        formula = cell.find(f"{NS}f")
        at, text = cell.get("r"), formula.text or ""
        if formula.get("t") == "dataTable":
            return f"the data table at {at} is calculated by Excel only"
        if CHANGING.search(text):
            return f"{at} depends on the day or on chance"
        if ELSEWHERE.search(text):
            return f"{at} refers to another file"
    return None


def _in_a_child(content):
    """Values by part and cell, or why there are none; an engine that hangs or aborts takes only its process along."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            os.close(reader)
            with open(writer, "w", encoding="utf-8") as out:
                json.dump(_computed(content), out)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as source:
        said = source.read()
    os.waitpid(child, 0)
    try:
        return json.loads(said)
    except ValueError:
        return "it takes too long or too much memory here"


def _computed(content):
    # One thread: a machine of many cores would else start more than a sandbox may have.
    os.environ["RAYON_NUM_THREADS"] = "1"
    try:
        import formualizer
    except ImportError:
        return "no engine is installed here"
    try:
        answer = formualizer.recalculate_xlsx_bytes(content, error_location_limit=10, rng_seed=1)
    except Exception as error:  # noqa: BLE001 - formualizer's own errors and Python's, all with a reason in them
        return (
            "a formula refers to itself"
            if "#CIRC!" in str(error)
            else str(error).removeprefix("recalculate XLSX failed: ")[:200]
        )
    unknown = answer["summary"].get("unknown_functions")
    if unknown:
        names = [str(each["name"]) if isinstance(each, dict) else str(each) for each in unknown]
        return f"the function {names[0]} is not known here"
    made = Book(None, answer["bytes"])
    strings = _strings(made.package, made.part)
    return {part: dict(_values(made.package.tree(part), strings)) for part in made.parts.values()}


def _values(root, strings):
    for cell in root.iter(f"{NS}c"):
        kind, value = cell.get("t"), cell.findtext(f"{NS}v")
        if kind == "s" and value is not None:
            kind, value = "str", strings[int(value)]
        elif kind == "inlineStr":
            kind, value = "str", "".join(each.text or "" for each in cell.iter(f"{NS}t"))
        if value is not None:
            yield cell.get("r"), (None if kind == "n" else kind, value)


def _strings(package: Package, part):
    found = next((target for _, kind, target in package.relations(part) if kind == "sharedStrings"), None)
    if found is None:
        return []
    return ["".join(each.text or "" for each in item.iter(f"{NS}t")) for item in package.tree(found)]
