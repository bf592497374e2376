"""Carriers that programs read: yaml, xml, tsv, logs and source code, with the anchors of all that they print."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import differences, edit, read
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records.yaml12 import CoreLoader

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

SOURCES: dict[str, Any] = {
    "yaml": {
        "comment": ["Export of March", "{{ 'Ref. 2026/17' | decor }}"],
        "data": {
            "about": "for {{ one.name }}",
            "a/b~c": ["{{ one.price }}", "{{ one.at }}", "{{ one.day }}", 7, None, True, [], {}, [[1, 2.5], ["x"]]],
            "on": "{{ one.name }}\n{{ one.note }}\n",
            "nested": {"rate": "{{ one.rate }}", "shown": "{{ one.rate | percent }}", "up": "{{ one.name | upper }}"},
            "rows": {"each": "many", "item": {"n": "{{ row.name }}", "p": "{{ row.price }}", "t": "{{ row.note }}?"}},
        },
    },
    "xml": {
        "namespaces": {"": "urn:example:orders-2", "c": "urn:example:common"},
        "comment": "Export of March",
        "root": {
            "orders": {
                "@date": "{{ one.day }}",
                "c:about": "for {{ one.name }} ~ {{ [one.name, one.note] | join(', ') }}",
                "order": {
                    "each": "many",
                    "as": "m",
                    "item": {
                        "@id": "{{ m.name }}",
                        "amount": {"@currency": "USD", "#text": "{{ m.price }}"},
                        "note": "{{ m.note | upper }}",
                    },
                },
                "rate": ["{{ one.rate }}", "{{ one.rate | percent }}", 7],
                "p": {"#text": "See {{ one.note }}", "b": "{{ one.at }}"},
                "none": None,
                "gone": {"@x": None, "yes": True},
            }
        },
    },
    "tsv": {
        "table": {"rows": "many", "columns": {"Name": "name", "Note": "note", "P": "price", "Q": "{{ row.price }} X"}},
        "preamble": ["Export for {{ one.name }}"],
        "decimal": ",",
    },
    "log": (
        "{{ one.day }}T{{ one.at }}\tINFO  start {{ one.name | left(20) }}|\n\n"
        "{% for m in many %}\n"
        "[{{ loop.index | decor }}]  {{ m.name }}: {{ m.note | upper }} -> {{ m.price | amount }}\n"
        "{% endfor %}\n"
        "   {% state one.terms %}by their own lorry{% endstate %}   \n\n"
    ),
    "py": (
        "{% decor %}\n# version 2.1, 2026\n\n\ndef rate():\n\treturn {{ one.rate | plain }}  # {{ one.name }}\n\n\n"
        "ROWS = [\n{% for m in many %}\n    ({{ m.name }}, '{{ m.note ~ m.price }}'),\n{% endfor %}\n]\n"
        "{% enddecor %}\n"
    ),
}  # fmt: skip
ANY = st.characters(exclude_categories=("Cs", "Cc", "Co")) | st.sampled_from("|*#:-&<>\"'\\{}[],?!%@`=~")
TEXTS = st.text(ANY, min_size=1, max_size=30).map(lambda text: " ".join(text.split()) or "x") | st.sampled_from(
    "NO y on ~ null 12:30 1_000 0x1F 2026-03-01 - #a & <<".split()
)


def made(world: Worlds, relation: Relations, path: str, data: Iterable[Iterable[str]]) -> Rendered:
    rows = [list(row) for row in data]
    name, note, price = rows[0]
    types = {"name": "text", "note": "text", "price": "money(USD, 2)"}
    more = {"terms": "choice(DAP, FCA)", "day": "date", "at": "time", "rate": "percent(2)"}
    scope = world(
        relation("many", types, ("name",), rows),
        relation("one", types | more, (), [[name, note, price, "FCA", "2026-07-04", "07:45", "0.0825"]]),
    )
    return written(scope, path, SOURCES[path.rpartition(".")[2]])


def written(scope: Scope, path: str, source: Any) -> Rendered:
    kind = "template" if isinstance(source, str) else "content"
    return render(ArtifactSpec.model_validate({"path": path, kind: source, "role": "distractor"}), scope, "look")


def unresolved(carrier: Rendered) -> list[tuple[str, str, str | None]]:
    texts: Mapping[str, str] = {one.at: one.text for one in read(carrier.path, carrier.content).fragments}
    wrong = []
    for anchor in carrier.anchors:
        text, span = texts.get(anchor.place.base), anchor.place.span
        found = text if text is None or span is None else text[span[0] : span[1]]
        if found != anchor.printed:
            wrong.append((anchor.place.at, anchor.printed, text))
    return wrong


@pytest.mark.parametrize("ending", SOURCES)
@settings(max_examples=25, deadline=None)
@given(
    data=st.lists(
        st.tuples(TEXTS, TEXTS, st.decimals(-(10**6), 10**6, places=2).map(str)), min_size=1, max_size=4,
        unique_by=lambda row: row[0],
    )
)  # fmt: skip
def test_every_anchor_resolves(world: Worlds, relation: Relations, ending: str, data: list[tuple[str, ...]]) -> None:
    carrier = made(world, relation, f"a/b.{ending}", data)
    assert unresolved(carrier) == []
    values = {
        (one.cell.unit, one.cell.key, one.cell.column) for one in carrier.anchors if one.cell and one.kind == "value"
    }
    assert {("many", (row[0],), column) for row in data for column in ("name", "note", "price")} <= values


def test_two_processes_write_the_same_bytes(root: Path, world: Worlds, relation: Relations) -> None:
    program = (
        "import hashlib, importlib.util, sys\n"
        "def load(name):\n"
        "    spec = importlib.util.spec_from_file_location(name, sys.argv[1] + '/' + name + '.py')\n"
        "    module = importlib.util.module_from_spec(spec)\n"
        "    spec.loader.exec_module(module)\n"
        "    return module\n"
        "kit = load('conftest')\n"
        "print(*load('test_data_formats').digests(kit.world, kit.relation))\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == digests(world, relation)


def digests(world: Worlds, relation: Relations) -> list[str]:
    data = [["Nordpak GmbH", "a note", "12.50"], ["Čáp & Söhne", "ž", "0.00"]]
    carriers = (made(world, relation, f"b.{ending}", data) for ending in SOURCES)
    return [hashlib.sha256(one.content + repr(one.anchors).encode()).hexdigest() for one in carriers]


def test_yaml(scope: Scope) -> None:
    tree = {
        "comment": "Shifts",
        "data": {
            "rate": "{{ rate.rate }}",
            "shown": "{{ rate.rate | percent }}",
            "open": "NO",
            "text": "one\n\ntwo",
            "list": [["a"], {"b": [1]}],
            "punches": {
                "each": {"unit": "shift", "match": {"who": "'Paul Ek'"}},
                "item": {"day": "{{ row.day }}", "in": "{{ row.start }}", "b": "{{ row.breaks }}"},
            },
            "small": 0.00005,
            "large": 1e16,
            "huge": 1e300,
        },
    }
    assert written(scope, "a.yml", tree).content.decode() == (
        '# Shifts\nrate: 0.085\nshown: "8.5 %"\nopen: "NO"\ntext: |-\n  one\n\n  two\n'
        "list:\n  - - a\n  - b:\n      - 1\n"
        'punches:\n  - day: "2026-03-02"\n    in: "14:00"\n    b: 1\n  - day: "2026-03-04"\n    in: "14:00"\n    b: 1\n'
        "small: 0.00005\nlarge: 10000000000000000.0\nhuge: 1.0e+300\n"
    )


def test_yaml_refuses(scope: Scope) -> None:
    for tree, why in (
        ({}, "data: the tree"),
        ({"data": 1, "root": 1}, "unknown key"),
        ({"data": {"x" * 600: 1}}, "500 characters"),
        ({"data": 1, "comment": "{{ rate.rate }}"}, "no value of a unit"),
        ({"data": 1, "indent": 0}, "2 to 8"),
        ({"data": float("nan")}, "no number"),
    ):
        with pytest.raises(MaterializeError, match=why):
            written(scope, "a.yaml", tree)


NO_TEMPLATE = st.characters(exclude_categories=("Cs", "Cc", "Co"), exclude_characters="{\ufffe\uffff")
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(NO_TEMPLATE | st.just("\n"), max_size=12)
KEYS = st.text(NO_TEMPLATE, max_size=6).filter(lambda key: key != "each")
DATA = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


@settings(max_examples=60, deadline=None)
@given(data=DATA, indent=st.integers(2, 4))
def test_any_data_is_the_same_for_every_reader_of_yaml(world: Worlds, data: Any, indent: int) -> None:
    text = written(world(), "a.yaml", {"data": data, "indent": indent}).content.decode()
    assert yaml.load(text, Loader=yaml.SafeLoader) == data
    assert yaml.load(text, Loader=CoreLoader) == data
    read("a.yaml", text.encode())


def test_xml(scope: Scope) -> None:
    tree = {
        "namespaces": {"c": "urn:c"},
        "comment": "Quotes",
        "root": {
            "quotes": {
                "@n": 3,
                "c:rate": "{{ rate.rate }}",
                "quote": {
                    "each": "quote",
                    "item": {"@of": "{{ row.supplier }}", "price": "{{ row.price }}", "by": "{{ row.valid | date }}"},
                },
                "none": None,
                "p": {"#text": "a\n", "b": {"c": True}},
            }
        },
    }
    assert written(scope, "a.xml", tree).content.decode().splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- Quotes -->",
        '<quotes xmlns:c="urn:c" n="3">',
        "  <c:rate>0.0850</c:rate>",
        '  <quote of="Nordpak GmbH">',
        "    <price>1234.50</price>",
        "    <by>30 June 2026</by>",
        "  </quote>",
        '  <quote of="Brüder Köhler &amp; Söhne">',
        "    <price>0.93</price>",
        "    <by>1 July 2026</by>",
        "  </quote>",
        '  <quote of="Acme | Packing *Intl*">',
        "    <price>-17.00</price>",
        "    <by>31 May 2026</by>",
        "  </quote>",
        "  <none/>",
        '  <p xml:space="preserve">a',
        "<b><c>true</c></b></p>",
        "</quotes>",
    ]
    bare = {"root": {"a": {"b": ["x", "y"]}}, "declaration": False, "indent": 0}
    assert written(scope, "a.xml", bare).content == b"<a>\n<b>x</b>\n<b>y</b>\n</a>\n"


def test_rows_within_rows(world: Worlds, relation: Relations) -> None:
    """Chosen by a column that is called like an argument of ``rows``."""
    lines = relation("line", {"order": "text", "where": "integer"}, ("order", "where"), [["A", 1], ["A", 2], ["B", 3]])
    scope = world(relation("purchase", {"id": "text"}, ("id",), [["A"], ["B"]]), lines)
    chosen = {"unit": "line", "match": {"order": "p.id"}, "order": "order, where desc"}
    inner = {"each": chosen, "item": "{{ row.where }}"}
    item = {"each": "purchase", "as": "p", "item": {"n": inner}}
    made = written(scope, "a.xml", {"root": {"r": {"p": item}}, "indent": 0, "declaration": False})
    assert made.content.replace(b"\n", b"") == b"<r><p><n>2</n><n>1</n></p><p><n>3</n></p></r>"


def test_xml_refuses(scope: Scope) -> None:
    for tree, why in (
        ({}, "outermost element"),
        ({"root": {"a": 1, "b": 2}}, "outermost element"),
        ({"root": {"a": ["x", "y"]}}, "one outermost"),
        ({"root": {"a b": 1}}, "no name"),
        ({"root": {"a": {"@1": 1}}}, "no name"),
        ({"root": {"a": {"n:b": 1}}}, "prefix n stands for nothing"),
        ({"root": {"a": {"b": [["x"]]}}}, "list in a list"),
        ({"root": {"a": {"b": "{{ rate.nothing }}"}}}, "no column"),
        ({"root": {"a": 1}, "comment": "a -- b"}, "without --"),
    ):
        with pytest.raises(MaterializeError, match=why):
            written(scope, "a.xml", tree)


XML_TEXT = st.text(NO_TEMPLATE | st.sampled_from("\n\t<&>\"' "), max_size=10)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(XML_TEXT, XML_TEXT), max_size=4))
def test_any_text_is_the_same_for_every_reader_of_xml(world: Worlds, rows: list[tuple[str, str]]) -> None:
    items: list[Any] = [{"@a": one, "#text": two, "c": two} for one, two in rows]
    content = written(world(), "a.xml", {"root": {"r": {"i": items}}}).content
    found = [(node.get("a", ""), node.findtext("c")) for node in ElementTree.fromstring(content).findall("i")]
    assert found == [(one, two) for one, two in rows]
    texts = {one.at: one.text for one in read("a.xml", content).fragments}
    for number, (one, two) in enumerate(rows, 1):
        at = f"/r/i[{number}]" if len(rows) > 1 else "/r/i"
        assert texts.get(f"{at}/@a", "") == one
        for place in (f"{at}/c", f"{at}/text()[1]"):
            assert texts.get(place, "") == (two if two.strip(" \t\r\n") else "")


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.lists(XML_TEXT, min_size=2, max_size=2), min_size=1, max_size=4))
def test_tsv_as_spreadsheets_read_it(world: Worlds, rows: list[list[str]]) -> None:
    content = written(world(), "a.tsv", {"table": {"literal": rows}}).content
    assert list(csv.reader(io.StringIO(content.decode(), newline=""), delimiter="\t")) == rows
    found = {one.at: one.text for one in read("a.tsv", content).fragments}
    wanted = {f"r{line}c{at}": text for line, row in enumerate(rows, 1) for at, text in enumerate(row, 1) if text}
    assert found == wanted


def test_tsv_refuses_a_delimiter(scope: Scope) -> None:
    with pytest.raises(MaterializeError, match="delimiter"):
        written(scope, "a.tsv", {"table": {"literal": []}, "delimiter": ";"})


def test_logs_and_code_stand_as_they_are_written(scope: Scope) -> None:
    source = (
        "\n\t# a | b\n| x | **y** |\n|---|---|\n\n\n{% if true %}\n  1. z  \n{% endif %}\n{{ rate.rate | plain }}\n\n"
    )
    made = written(scope, "a.log", source).content
    assert made == b"\n\t# a | b\n| x | **y** |\n|---|---|\n\n\n  1. z  \n0.0850\n\n"
    assert written(scope, "a.sql", source).content == made
    assert written(scope, "a.sql", "select 1").content == b"select 1\n"
    broken = "x = '{{ context.text }}' # {{ rate.rate }}"
    scope = Scope(values=scope.values, context={"text": "1\n2"})
    assert written(scope, "a.py", broken).content == b"x = '1 2' # 8.5 %\n"


@pytest.mark.parametrize("ending", SOURCES)
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(TEXTS, min_size=3, max_size=3, unique=True), price=st.decimals(-1000, 1000, places=2).map(str))
def test_a_changed_value_is_edited_in_place(
    world: Worlds, relation: Relations, ending: str, texts: list[str], price: str
) -> None:
    path = f"b.{ending}"
    one, other, note = texts
    old = made(world, relation, path, [[one, "a note", "1.50"], [other, "x", "2.00"]]).content
    new = made(world, relation, path, [[one, note, price], [other, "x", "2.00"]]).content
    edits = differences(read(path, old), read(path, new))
    assert read(path, edit(path, old, edits)) == read(path, new)
