"""The style sheet of a company's web pages, from its look: fonts, colours, header, headings, tables."""

from __future__ import annotations

from workgym.materialize.look.look import Look

_STACKS = {
    "Calibri": 'Calibri, Carlito, "Segoe UI", sans-serif',
    "Arial": 'Arial, "Liberation Sans", Helvetica, sans-serif',
    "Georgia": 'Georgia, "DejaVu Serif", serif',
    "Times New Roman": '"Times New Roman", "Liberation Serif", serif',
    "Verdana": 'Verdana, "DejaVu Sans", sans-serif',
    "Cambria": "Cambria, Caladea, Georgia, serif",
    "Trebuchet MS": '"Trebuchet MS", "Fira Sans", "DejaVu Sans", sans-serif',
    "Garamond": 'Garamond, "EB Garamond", Georgia, serif',
}
"""A font of office files, and what stands in for it where it is not installed."""
_SMALL = {"Verdana": 14.5, "Trebuchet MS": 15.5, "Garamond": 18.0, "Times New Roman": 17.0}
"""Sizes of text in pixels, where 16 looks too large or too small."""
_SIDES = {"left": "flex-start", "band": "flex-start", "right": "flex-end", "centre": "center"}


def _base(look: Look) -> str:
    size = _SMALL.get(look.body_font, 16.0)
    sheet = "#fff" if look.gridlines else f"#{look.tint}"
    return f"""\
:root {{ --accent: #{look.accent}; --tint: #{look.tint}; --ink: #20272d; --soft: #5a6570; --line: #d5dadf }}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: {sheet}; color: var(--ink); font: {size:g}px/1.55 {_STACKS[look.body_font]} }}
main {{ max-width: 860px; margin: 0 auto; padding: 34px 48px 44px; background: #fff }}
p {{ margin: 0 0 13px }}
ul, ol {{ margin: 0 0 14px; padding-left: 26px }}
li {{ margin: 3px 0 }}
li > ul, li > ol {{ margin: 3px 0 5px }}
li::marker {{ color: var(--accent) }}
hr {{ border: 0; border-top: 1px solid var(--line); margin: 24px 0 }}
hr.page {{ border-top: 2px dashed var(--line) }}
sup {{ font-size: 72%; line-height: 0 }}
a {{ color: var(--accent); text-decoration: none }}
.notes {{ margin-top: 34px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--soft); font-size: 86% }}
footer {{ max-width: 860px; margin: 0 auto; padding: 14px 48px 30px; color: var(--soft); font-size: 82% }}
footer p {{ margin: 0 }}"""


def _header(look: Look) -> str:
    """The header: a band in the company's colour across the page, or the name and a rule under it."""
    side = _SIDES[look.head]
    text = {"right": "right", "centre": "center"}.get(look.head, "left")
    name = f"font: bold 23px/1.2 {_STACKS[look.heading_font]}"
    rows = [
        f"header {{ display: flex; align-items: center; justify-content: {side}; gap: 16px; text-align: {text} }}",
        f"header p {{ margin: 2px 0 0; font-size: 85% }}\nheader p.name {{ margin: 0; {name} }}",
        "header svg { flex: none }",
    ]
    edge = "padding: 20px max(48px, calc(50vw - 382px))"
    if look.head == "band":
        rows.append(f"header {{ background: var(--accent); color: #fff; {edge} }}")
    elif look.gridlines:
        rows.append("header { max-width: 860px; margin: 0 auto; padding: 26px 48px 16px; color: var(--soft) }")
        rows.append("main { border-top: 3px solid var(--accent) }\nheader p.name { color: var(--accent) }")
    else:
        rows.append(
            f"header {{ background: #fff; border-bottom: 3px solid var(--accent); color: var(--soft); {edge} }}"
        )
        rows.append("header p.name { color: var(--accent) }")
    if look.head == "right":
        rows.append("header { flex-direction: row-reverse; justify-content: flex-start }")
    if look.head == "centre":
        rows.append("header { flex-direction: column; gap: 8px }")
    rows.append("header p.running { margin-top: 8px; letter-spacing: 0.03em }")
    return "\n".join(rows)


def _headings(look: Look) -> str:
    font = f"font-family: {_STACKS[look.heading_font]}; line-height: 1.25"
    capitals = "text-transform: uppercase; letter-spacing: 0.05em; " if look.upper else ""
    second = (
        "border-bottom: 1px solid var(--line); padding-bottom: 4px",
        "border-left: 4px solid var(--accent); padding-left: 10px",
        "",
        "background: var(--tint); padding: 5px 10px",
    )[look.shape % 4]
    return f"""\
h1, h2, h3 {{ {font}; color: var(--accent) }}
h1 {{ {capitals}margin: 0 0 18px; font-size: {"163%" if look.upper else "187%"} }}
h2 {{ margin: 30px 0 12px; font-size: 127%; {second} }}
h3 {{ margin: 22px 0 8px; font-size: 106%; color: var(--ink) }}"""


def _tables(look: Look) -> str:
    rows = [
        ".table { margin: 16px 0 22px; overflow-x: auto }",
        "table { border-collapse: collapse; min-width: 52%; font-size: 94%; line-height: 1.4 }",
        "th, td { padding: 7px 13px; text-align: left; vertical-align: top; font-variant-numeric: tabular-nums }",
        "th { vertical-align: bottom }",
        "caption { padding: 0 0 6px; text-align: left; color: var(--soft); font-size: 94% }",
        "th.r, td.r { text-align: right }\nth.c, td.c { text-align: center }\ntd.r { white-space: nowrap }",
    ]
    if look.table == "filled":
        rows.append("th { background: var(--accent); color: #fff }\ntd { border-bottom: 1px solid var(--line) }")
    elif look.table == "lined":
        rows.append("table { border-top: 2px solid var(--accent); border-bottom: 2px solid var(--accent) }")
        rows.append("th { color: var(--accent); border-bottom: 1px solid var(--accent) }")
    elif look.table == "banded":
        rows.append(
            "th { background: var(--tint); color: var(--accent) }\ntr:nth-child(even) td { background: #f5f6f8 }"
        )
        rows.append("table { border-bottom: 1px solid var(--accent) }")
    else:
        rows.append("th, td { border: 1px solid #a6adb4 }\nth { background: #e7e9ec; color: var(--accent) }")
    return "\n".join(rows)


_PAPER = """\
@media (max-width: 640px) { main, footer, header { padding-left: 18px; padding-right: 18px } }
@media print { body { background: none } main { max-width: none } hr.page { border: 0; break-after: page } }"""


def sheet(look: Look) -> str:
    """The whole sheet; no texts and no comments, which readers would find."""
    return "\n".join((_base(look), _header(look), _headings(look), _tables(look), _PAPER))
