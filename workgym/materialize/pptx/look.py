"""The master and layouts of a deck in a company's look: a package without slides, to be filled by the writer.

Four designs, by the letterhead of the look: a coloured band with the title in it, a strip at the left, a line on top,
and a centred title over a coloured foot. 13.33 by 7.5 inches; all measures are points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from workgym.materialize.look.look import Look
from workgym.materialize.pptx.fit import Box

WIDTH, HEIGHT = 960.0, 540.0
INK, GREY, SOFT = "20262C", "5A6570", "C9CFD5"
PALETTE = ("8A94A0", "C9A227", "5B8DB8", "A0522D", "6B8E5A")
"""Colours of a chart's further series, after the accent."""
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
SPACES = (
    f'{A} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)


def emu(points: float) -> int:
    """English metric units, of which a point has 12,700."""
    return round(points * 12_700)


class Frame(NamedTuple):
    """Where a design puts what every slide has."""

    title: Box
    body: Box
    footer: Box
    number: Box
    title_colour: str
    foot_colour: str
    align: str
    """``l`` or ``ctr``: how titles stand."""
    shapes: str
    """The drawings on every slide."""


@dataclass(frozen=True)
class Cover:
    """Where a design puts what its title slide and its section slides have."""

    ground: str
    title: Box
    subtitle: Box
    lines: Box
    colour: str
    soft: str
    align: str
    shapes: str
    section: Box
    section_shapes: str


def _frame(box: Box) -> str:
    return (
        f'<a:xfrm><a:off x="{emu(box.x)}" y="{emu(box.y)}"/>'
        f'<a:ext cx="{emu(box.width)}" cy="{emu(box.height)}"/></a:xfrm>'
    )


def _fill(colour: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


def rectangle(box: Box, colour: str) -> str:
    """A filled rectangle; its number is set when the part is put together."""
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="@" name="Shape @"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr>'
        f'<p:spPr>{_frame(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>{_fill(colour)}<a:ln><a:noFill/></a:ln>'
        "</p:spPr></p:sp>"
    )


def logo(box: Box, white: bool) -> str:
    """The logo; relation ``rId20`` is the coloured one and ``rId21`` the white one."""
    return (
        '<p:pic><p:nvPicPr><p:cNvPr id="@" name="Logo @"/><p:cNvPicPr/><p:nvPr userDrawn="1"/></p:nvPicPr>'
        f'<p:blipFill><a:blip r:embed="{"rId21" if white else "rId20"}"/><a:stretch><a:fillRect/></a:stretch>'
        "</p:blipFill>"
        f'<p:spPr>{_frame(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


def placeholder(kind: str, index: int | None, box: Box | None, prompt: str, body: str = "", style: str = "") -> str:
    """A placeholder; ``body`` are the properties of its text body, ``style`` its list style."""
    number = "" if index is None else f' idx="{index}"'
    size = ' sz="quarter"' if kind in ("ftr", "sldNum") else ""
    place = "" if box is None else _frame(box)
    text = f'<a:fld id="{_NUMBER}" type="slidenum"><a:rPr lang="en-GB"/><a:t>‹#›</a:t></a:fld>'
    run = text if kind == "sldNum" else f'<a:r><a:rPr lang="en-GB"/><a:t>{escape(prompt)}</a:t></a:r>' if prompt else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="@" name={quoteattr(f"{_NAMES[kind]} @")}/><p:cNvSpPr><a:spLocks noGrp="1"/>'
        f'</p:cNvSpPr><p:nvPr><p:ph type="{kind}"{size}{number}/></p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>'
        f"<p:txBody><a:bodyPr{body}/><a:lstStyle>{style}</a:lstStyle><a:p>{run}</a:p></p:txBody></p:sp>"
    )


_NUMBER = "{5C6B0D6E-3B1F-4A57-9E1C-0B6F6C1D2A01}"
_NAMES = {
    "title": "Title", "ctrTitle": "Title", "subTitle": "Subtitle", "body": "Text", "ftr": "Footer", "sldNum": "Number",
}  # fmt: skip
_TIGHT = ' lIns="0" tIns="0" rIns="0" bIns="0"'


def level(
    size: float, colour: str, align: str = "l", font: str = "+mn-lt", bold: bool = False, caps: bool = False
) -> str:
    """The list style of a placeholder whose text has no bullet."""
    look = f' sz="{round(size * 100)}" b="{int(bold)}" cap="{"all" if caps else "none"}"'
    face = f'<a:latin typeface="{font}"/>'
    return (
        f'<a:lvl1pPr marL="0" indent="0" algn="{align}"><a:buNone/><a:defRPr{look}>{_fill(colour)}{face}</a:defRPr>'
        "</a:lvl1pPr>"
    )


def frame_of(look: Look) -> Frame:
    """What slides of a look have in common."""
    accent, tint = look.accent, look.tint
    if look.head == "band":
        return Frame(
            Box(48, 12, 780, 60), Box(48, 108, 864, 376), Box(48, 504, 700, 20), Box(832, 504, 80, 20),
            "FFFFFF", GREY, "l",
            rectangle(Box(0, 0, WIDTH, 84), accent) + logo(Box(864, 18, 48, 48), True)
            + rectangle(Box(48, 497, 864, 0.75), SOFT),
        )  # fmt: skip
    if look.head == "left":
        return Frame(
            Box(56, 26, 780, 58), Box(56, 112, 852, 374), Box(56, 504, 700, 20), Box(828, 504, 80, 20),
            accent, GREY, "l",
            rectangle(Box(0, 0, 18, HEIGHT), accent) + rectangle(Box(18, 0, 6, HEIGHT), tint)
            + rectangle(Box(56, 90, 96, 3), accent) + logo(Box(864, 30, 44, 44), False),
        )  # fmt: skip
    if look.head == "right":
        return Frame(
            Box(48, 28, 780, 58), Box(48, 114, 864, 366), Box(48, 511, 700, 20), Box(832, 511, 80, 20),
            INK, accent, "l",
            rectangle(Box(0, 0, WIDTH, 10), accent) + rectangle(Box(0, 502, WIDTH, 38), tint)
            + rectangle(Box(48, 94, 864, 1), SOFT) + logo(Box(868, 34, 44, 44), False),
        )  # fmt: skip
    return Frame(
        Box(110, 22, 740, 60), Box(60, 112, 840, 368), Box(84, 511, 640, 20), Box(820, 511, 80, 20),
        accent, "FFFFFF", "ctr",
        rectangle(Box(440, 90, 80, 3), accent) + rectangle(Box(0, 502, WIDTH, 38), accent)
        + logo(Box(48, 509, 24, 24), True),
    )  # fmt: skip


def cover_of(look: Look) -> Cover:
    """The title slide and the section slides of a look."""
    accent, tint = look.accent, look.tint
    if look.head == "band":
        return Cover(
            accent, Box(72, 150, 816, 124), Box(72, 292, 816, 60), Box(72, 448, 816, 48), "FFFFFF", "FFFFFF", "l",
            logo(Box(72, 54, 72, 72), True) + rectangle(Box(72, 280, 110, 3), "FFFFFF"),
            Box(72, 190, 816, 130), rectangle(Box(72, 330, 110, 3), "FFFFFF"),
        )  # fmt: skip
    if look.head == "left":
        return Cover(
            "FFFFFF", Box(372, 140, 540, 150), Box(372, 310, 540, 70), Box(372, 440, 540, 48), accent, GREY, "l",
            rectangle(Box(0, 0, 320, HEIGHT), accent) + rectangle(Box(320, 0, 10, HEIGHT), tint)
            + logo(Box(95, 205, 130, 130), True) + rectangle(Box(372, 298, 96, 3), accent),
            Box(372, 190, 540, 150), rectangle(Box(0, 0, 320, HEIGHT), accent)
            + rectangle(Box(320, 0, 10, HEIGHT), tint) + rectangle(Box(372, 350, 96, 3), accent),
        )  # fmt: skip
    if look.head == "right":
        return Cover(
            tint, Box(72, 160, 816, 120), Box(72, 294, 816, 60), Box(72, 446, 816, 48), INK, GREY, "l",
            rectangle(Box(0, 0, WIDTH, 16), accent) + logo(Box(800, 56, 88, 88), False)
            + rectangle(Box(72, 284, 816, 1.5), accent) + rectangle(Box(0, 524, WIDTH, 16), accent),
            Box(72, 200, 816, 120), rectangle(Box(0, 0, WIDTH, 16), accent)
            + rectangle(Box(72, 328, 816, 1.5), accent) + rectangle(Box(0, 524, WIDTH, 16), accent),
        )  # fmt: skip
    return Cover(
        "FFFFFF", Box(100, 196, 760, 104), Box(100, 318, 760, 60), Box(100, 420, 760, 48), accent, GREY, "ctr",
        logo(Box(432, 72, 96, 96), False) + rectangle(Box(440, 306, 80, 3), accent)
        + rectangle(Box(0, 496, WIDTH, 44), accent),
        Box(100, 190, 760, 130), rectangle(Box(440, 330, 80, 3), accent)
        + rectangle(Box(0, 496, WIDTH, 44), accent),
    )  # fmt: skip


def tree(shapes: str) -> str:
    """A shape tree, its shapes numbered from 2."""
    first, *rest = shapes.split('id="@"')
    parts = [first]
    for number, part in enumerate(rest, 2):
        parts.append(f'id="{number}"' + part.replace(" @", f" {number - 1}", 1))
    return (
        '<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        f"{''.join(parts)}</p:spTree>"
    )


def background(colour: str) -> str:
    """A plain ground."""
    return f"<p:bg><p:bgPr>{_fill(colour)}<a:effectLst/></p:bgPr></p:bg>"


def master_shapes(look: Look, frame: Frame) -> str:
    """Drawings and placeholders of the master."""
    anchored = f' anchor="{"ctr" if look.head == "band" else "b"}"{_TIGHT}'
    return (
        frame.shapes
        + placeholder("title", None, frame.title, "Title", f"{anchored}")
        + placeholder("body", 1, frame.body, "Text", _TIGHT)
        + feet(frame)
    )


def feet(frame: Frame) -> str:
    """The placeholders of footer and slide number."""
    foot, number = level(10, frame.foot_colour), level(10, frame.foot_colour, "r")
    return placeholder("ftr", 3, frame.footer, "", f' anchor="ctr"{_TIGHT}', foot) + placeholder(
        "sldNum", 4, frame.number, "", f' anchor="ctr"{_TIGHT}', number
    )


def cover_shapes(look: Look, cover: Cover) -> str:
    """Of the title slide."""
    font = "+mj-lt"
    return (
        cover.shapes
        + placeholder("ctrTitle", None, cover.title, "Title", f' anchor="b"{_TIGHT}',
                      level(40, cover.colour, cover.align, font, True, look.upper))
        + placeholder("subTitle", 1, cover.subtitle, "Subtitle", f' anchor="t"{_TIGHT}',
                      level(20, cover.soft, cover.align))
        + placeholder("body", 13, cover.lines, "Company", f' anchor="b"{_TIGHT}', level(14, cover.soft, cover.align))
    )  # fmt: skip


def section_shapes(look: Look, cover: Cover) -> str:
    """Of a slide that opens a part of the talk."""
    style = level(36, cover.colour, cover.align, "+mj-lt", True, look.upper)
    return cover.section_shapes + placeholder("title", None, cover.section, "Section", f' anchor="b"{_TIGHT}', style)


def title_style(look: Look, frame: Frame) -> str:
    """The master's style of titles."""
    caps = "all" if look.upper else "none"
    return (
        f'<p:titleStyle><a:lvl1pPr algn="{frame.align}"><a:lnSpc><a:spcPct val="95000"/></a:lnSpc><a:buNone/>'
        f'<a:defRPr sz="3000" b="1" cap="{caps}">{_fill(frame.title_colour)}<a:latin typeface="+mj-lt"/></a:defRPr>'
        "</a:lvl1pPr></p:titleStyle>"
    )
