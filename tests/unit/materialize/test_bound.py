"""Values in templates: what they refuse, how they compare, and that their marks survive whatever formats text."""

from __future__ import annotations

import string
from collections.abc import Callable

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Scope, template
from workgym.materialize.marks import Marked, MarkError
from workgym.materialize.scope import View

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]


def printed(source: str, scope: Scope) -> list[tuple[str, str]]:
    """What the marks of a template's text say: cell and printed text."""
    marked = template.text(source, View(scope))
    return [(str(a.cell), a.printed) for a in marked.anchors("x.md", "l1")]


@pytest.mark.parametrize(
    ("use", "instead"),
    [
        ("{{ rate.rate * 2 }}", "make what you need a derived unit"),
        ("{{ 1 + rate.rate }}", "make what you need a derived unit"),
        ("{{ -rate.rate }}", "make what you need a derived unit"),
        ("{{ timing.timing[:3] }}", "choose a form with a filter"),
        ("{{ timing.timing[0] }}", "choose a form with a filter"),
        ("{{ timing.timing | length }}", "printed as it is"),
        ("{{ timing.timing | list }}", "its unit has the rows"),
        ("{{ '%d' % rate.rate }}", "%d format: a real number is required"),
        ("{{ '{:.2f}'.format(rate.rate) }}", "choose the form with a filter"),
        ("{{ range(rate.rate) }}", "choose the form with a filter"),
        ("{% if rate.rate %}x{% endif %}", "compare it with a number"),
        ("{{ 'end' in timing.timing }}", "compare it with =="),
        ("{{ timing.timing == 'end of yaer' }}", "it is choice"),
        ("{{ rate.rate == '8.5' }}", "compare it with a number"),
        ("{{ quote.of('Nordpak GmbH').valid < 'June' }}", "it is date"),
        ("{{ timing.timing.upper() }}", "filters choose printed forms"),
    ],
)
def test_refuses(use: str, instead: str, scope: Scope) -> None:
    with pytest.raises(MaterializeError, match=f"a.md: template, line 1: .*{instead}"), template.located("a.md"):
        template.text(use, View(scope))


@pytest.mark.parametrize(
    "condition",
    [
        "rate.rate == 0.085",
        "rate.rate < 0.1",
        "timing.timing == 'middle of year'",
        "timing.timing != 'end of year'",
        "timing.timing in ['middle of year']",
        "quote.of('Nordpak GmbH').valid > '2026-06-01'",
        "shift.of('Paul Ek', '2026-03-02').start >= '14:00'",
        "quote.of('Nordpak GmbH').price > freight.of('Acme | Packing *Intl*').per_unit",
        "exists(freight, 'Acme | Packing *Intl*') and not exists(freight, 'Nordpak GmbH')",
        "quote | length == 3",
        "timing.timing is not absent",
        "(quote | sort(attribute='price') | first).terms == 'FCA'",
        "(quote | selectattr('terms', 'equalto', 'FCA') | list | length) == 2",
    ],
)
def test_compares(condition: str, scope: Scope) -> None:
    assert template.text(f"{{% if {condition} %}}yes{{% endif %}}", View(scope)).plain == "yes"


def test_orders_like_values(scope: Scope) -> None:
    view = View(scope)
    text = template.text("{% for q in quote | sort(attribute='price') %}{{ q.price }};{% endfor %}", view)
    assert text.plain == "-17.00;0.93;1,234.50;"
    text = template.text(
        "{% for k, rows in shift | groupby('who') %}{{ k }} {{ rows | length | decor }}, {% endfor %}", view
    )
    assert text.plain == "Ines Roth 3, Paul Ek 2, "


WRAPPERS: list[tuple[str, Callable[[str], str]]] = [
    ("{{ v }}", lambda text: text),
    ("{{ v | upper }}", str.upper),
    ("{{ v | lower }}", str.lower),
    ("{{ v | trim }}", lambda text: text),
    ("{{ [v, v] | join(' and ') }}", lambda text: text),
    ("{{ 'a ' ~ v ~ ' b' }}", lambda text: text),
    ("{{ '<%s>' % v }}", lambda text: text),
    ("{{ '<{}>'.format(v) }}", lambda text: text),
    ("{{ '<{:>40}>'.format(v) }}", lambda text: text),
    ("{{ v | left(30) }}{{ v | right(30) }}", lambda text: text),
    ("{{ v | string | replace('§§', '') }}", lambda text: text),
    ("{{ [v] | unique | list | first }}", lambda text: text),
    ("{{ v | default('none') }}", lambda text: text),
    ("{% set w = v | upper %}{{ w | lower | upper }}", lambda text: text.upper().lower().upper()),
    ("{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(v) | upper }}", str.upper),
    ("{% filter upper %}x {{ v }}{% endfilter %}", str.upper),
    ("{{ v | indent(2) }}", lambda text: text),
]

texts = st.text(st.sampled_from(string.ascii_letters + string.digits + "|*#-+_ .,:;/()\"'&<>\\äöüßéñÅ€"), min_size=1)


@given(texts.filter(lambda text: text.strip() == text), st.sampled_from(WRAPPERS))
def test_marks_survive(
    world: Worlds, relation: Relations, text: str, wrapper: tuple[str, Callable[[str], str]]
) -> None:
    source, changed = wrapper
    scope = world(relation("item", {"text": "text"}, (), [[text]]))
    found = printed("{% set v = item.text %}" + source, scope)
    assert found
    assert set(found) == {("item.text", changed(text))}


@given(texts, texts)
def test_states_hold_values_and_text(world: Worlds, relation: Relations, text: str, told: str) -> None:
    scope = world(relation("item", {"text": "text", "note": "text"}, (), [[text, told]]))
    found = printed("a {% state item.note %}so {{ item.text }} it is{% endstate %} b", scope)
    assert ("item.note", f"so {text} it is") in found
    assert ("item.text", text.strip()) in found or not text.strip()


def test_title_and_capitalize(scope: Scope) -> None:
    assert printed("{{ timing.timing | title }}", scope) == [("timing.timing", "Middle Of Year")]
    assert printed("{{ timing.timing | capitalize }}", scope) == [("timing.timing", "Middle of year")]
    assert printed("{{ quote.of('Acme | Packing *Intl*').supplier | slug }}", scope)[0][1] == "acme_packing_intl"


def test_a_cut_mark_is_an_error(scope: Scope) -> None:
    with pytest.raises(MarkError, match="was cut"):
        template.text("{{ (rate.rate | string)[:3] }}", View(scope))


def test_private_characters_are_refused(world: Worlds, relation: Relations, scope: Scope) -> None:
    with pytest.raises(MarkError, match="private use"):
        template.text("{{ rate.rate }}\ue001", View(scope))
    odd = world(relation("item", {"text": "text"}, (), [["a\U000f0001b"]]))
    with pytest.raises(MarkError, match="private use"):
        template.text("{{ item.text }}", View(odd))


def test_facts_with_digits_are_decor(scope: Scope) -> None:
    marked = template.text(
        "{{ context.firm.name }}, {{ context.firm.street }}, {{ context.today | date }}", View(scope)
    )
    assert [(a.kind, a.printed) for a in marked.anchors("x", "l1")] == [
        ("decor", "Kanalstrasse 14"),
        ("decor", "20 March 2026"),
    ]


@given(st.lists(st.tuples(texts, st.booleans()), max_size=8), st.integers(0, 60), st.integers(0, 60))
def test_slices_keep_what_they_cut(parts: list[tuple[str, bool]], start: int, end: int) -> None:
    whole = Marked("")
    for text, marked in parts:
        part = Marked(text)
        whole = whole + (part.decorated(0, len(text)) if marked else part)
    cut = whole.slice(start, end)
    assert cut.text == whole.text[start:end]
    for span in cut.spans:
        assert 0 <= span.start < span.end <= len(cut.text)
        assert any(s.start <= span.start + start and span.end + start <= s.end for s in whole.spans)


def test_the_sandbox_holds(scope: Scope) -> None:
    for source in ("{{ rate.__class__ }}", "{{ quote.relation }}", "{{ rate.rate.registry }}", "{{ ''.__class__ }}"):
        with pytest.raises((MaterializeError, jinja2.TemplateError)), template.located("a.md"):
            template.text(source, View(scope))
