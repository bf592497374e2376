"""The package that a deck starts from: theme, master and layouts of a look, and nothing of any template."""

from __future__ import annotations

import colorsys

from workgym.materialize.docx.ooxml import HEAD, core, relations
from workgym.materialize.look.logo import picture
from workgym.materialize.look.look import Look
from workgym.materialize.normal import packed
from workgym.materialize.pptx.deck import Front
from workgym.materialize.pptx.look import (
    GREY,
    HEIGHT,
    INK,
    PALETTE,
    SPACES,
    WIDTH,
    A,
    background,
    cover_of,
    cover_shapes,
    emu,
    feet,
    frame_of,
    master_shapes,
    placeholder,
    section_shapes,
    title_style,
    tree,
)

LAYOUTS = ("Title", "Content", "Title only", "Section")
"""Names of the layouts, in their order."""
_KINDS = ("title", "obj", "titleOnly", "secHead")
_OFFICE = "application/vnd.openxmlformats-officedocument"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAP = (
    '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" '
    'accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
)


def base(front: Front, day: str) -> bytes:
    """An empty presentation in the look of ``front``; ``day`` is the ISO date of the world."""
    look = front.look
    layouts = [f"slideLayouts/slideLayout{number}.xml" for number in range(1, len(LAYOUTS) + 1)]
    pictures = {"ppt/media/logo.png": picture(look), "ppt/media/logowhite.png": picture(look, white=True)}
    parts = {
        "[Content_Types].xml": _types(),
        "_rels/.rels": relations(
            [
                ("officeDocument", "ppt/presentation.xml"),
                ("core-properties", "docProps/core.xml"),
                ("extended-properties", "docProps/app.xml"),
            ]
        ),
        "ppt/presentation.xml": _presentation(front.lang),
        "ppt/_rels/presentation.xml.rels": relations(
            [("slideMaster", "slideMasters/slideMaster1.xml"), ("theme", "theme/theme1.xml")]
        ),
        "ppt/theme/theme1.xml": _theme(look),
        "ppt/slideMasters/slideMaster1.xml": _master(look),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": _drawn(
            [*(("slideLayout", f"../{layout}") for layout in layouts), ("theme", "../theme/theme1.xml")]
        ),
        "docProps/core.xml": core(front.name, front.company.plain, day),
        "docProps/app.xml": (
            f'{HEAD}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
            "<Application>Microsoft Office PowerPoint</Application></Properties>"
        ).encode(),
        **pictures,
    }
    for number, xml in enumerate(_layouts(look), 1):
        parts[f"ppt/slideLayouts/slideLayout{number}.xml"] = xml
        parts[f"ppt/slideLayouts/_rels/slideLayout{number}.xml.rels"] = _drawn(
            [("slideMaster", "../slideMasters/slideMaster1.xml")]
        )
    return packed(parts)


def _types() -> bytes:
    kinds = {
        "/ppt/presentation.xml": f"{_OFFICE}.presentationml.presentation.main+xml",
        "/ppt/theme/theme1.xml": f"{_OFFICE}.theme+xml",
        "/ppt/slideMasters/slideMaster1.xml": f"{_OFFICE}.presentationml.slideMaster+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "/docProps/app.xml": f"{_OFFICE}.extended-properties+xml",
    }
    for number in range(1, len(LAYOUTS) + 1):
        kinds[f"/ppt/slideLayouts/slideLayout{number}.xml"] = f"{_OFFICE}.presentationml.slideLayout+xml"
    listed = "".join(f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in kinds.items())
    return (
        f'{HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
        f"{listed}</Types>"
    ).encode()


def _drawn(targets: list[tuple[str, str]]) -> bytes:
    """Relations of a part with the logos as ``rId20`` and ``rId21``."""
    logos = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/image" Target="../media/{file}"/>'
        for name, file in (("rId20", "logo.png"), ("rId21", "logowhite.png"))
    )
    return relations(targets).replace(b"</Relationships>", logos.encode() + b"</Relationships>")


def _presentation(lang: str) -> bytes:
    plain = f'<a:lvl1pPr><a:defRPr lang="{lang}" sz="1800"><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl1pPr>'
    return (
        f'{HEAD}<p:presentation {SPACES} saveSubsetFonts="1"><p:sldMasterIdLst>'
        '<p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>'
        f'<p:sldSz cx="{emu(WIDTH)}" cy="{emu(HEIGHT)}"/><p:notesSz cx="6858000" cy="9144000"/>'
        f"<p:defaultTextStyle>{plain}</p:defaultTextStyle></p:presentation>"
    ).encode()


def _theme(look: Look) -> bytes:
    deep, pale = _shade(look.accent), look.tint
    colours = {"dk1": INK, "lt1": "FFFFFF", "dk2": deep, "lt2": pale, "accent1": look.accent}
    colours |= {f"accent{at}": colour for at, colour in enumerate(PALETTE, 2)}
    colours |= {"hlink": look.accent, "folHlink": GREY}
    listed = "".join(f'<a:{name}><a:srgbClr val="{colour}"/></a:{name}>' for name, colour in colours.items())

    def font(kind: str, name: str) -> str:
        return f'<a:{kind}Font><a:latin typeface="{name}"/><a:ea typeface=""/><a:cs typeface=""/></a:{kind}Font>'

    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    line = f'<a:ln w="9525">{fill}</a:ln>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'{HEAD}<a:theme {A} name="Company"><a:themeElements><a:clrScheme name="Company">{listed}</a:clrScheme>'
        f'<a:fontScheme name="Company">{font("major", look.heading_font)}{font("minor", look.body_font)}</a:fontScheme>'
        f'<a:fmtScheme name="Plain"><a:fillStyleLst>{fill * 3}</a:fillStyleLst><a:lnStyleLst>{line * 3}</a:lnStyleLst>'
        f"<a:effectStyleLst>{effect * 3}</a:effectStyleLst><a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst>"
        "</a:fmtScheme></a:themeElements></a:theme>"
    ).encode()


def _shade(colour: str) -> str:
    """Darker by a third."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, light, full = colorsys.rgb_to_hls(red, green, blue)
    return "".join(f"{round(part * 255):02X}" for part in colorsys.hls_to_rgb(hue, light * 0.66, full))


def _master(look: Look) -> bytes:
    frame = frame_of(look)
    ids = "".join(f'<p:sldLayoutId id="{2147483649 + at}" r:id="rId{at + 1}"/>' for at in range(len(LAYOUTS)))
    levels = "".join(_level(number, *sizes) for number, sizes in enumerate(((20, 22, -22), (18, 44, -18)), 1))
    other = '<p:otherStyle><a:lvl1pPr><a:defRPr sz="1800"/></a:lvl1pPr></p:otherStyle>'
    return (
        f"{HEAD}<p:sldMaster {SPACES}><p:cSld>{background('FFFFFF')}{tree(master_shapes(look, frame))}</p:cSld>"
        f"{_MAP}<p:sldLayoutIdLst>{ids}</p:sldLayoutIdLst><p:txStyles>{title_style(look, frame)}"
        f"<p:bodyStyle>{levels}</p:bodyStyle>{other}</p:txStyles></p:sldMaster>"
    ).encode()


def _level(number: int, size: int, left: int, indent: int) -> str:
    sign = "•" if number == 1 else "–"
    return (
        f'<a:lvl{number}pPr marL="{emu(left)}" indent="{emu(indent)}"><a:buClr><a:schemeClr val="accent1"/></a:buClr>'
        f'<a:buFont typeface="Arial"/><a:buChar char="{sign}"/><a:defRPr sz="{size * 100}"><a:solidFill>'
        f'<a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl{number}pPr>'
    )


def _layouts(look: Look) -> list[bytes]:
    frame, cover = frame_of(look), cover_of(look)
    title, body = placeholder("title", None, None, "Title"), placeholder("body", 1, None, "Text")
    drawn = (
        (cover_shapes(look, cover), background(cover.ground)),
        (title + body + feet(frame), ""),
        (title + feet(frame), ""),
        (section_shapes(look, cover), background(cover.ground)),
    )
    found = []
    for name, kind, (shapes, ground) in zip(LAYOUTS, _KINDS, drawn, strict=True):
        own = ' showMasterSp="0"' if ground else ""
        found.append(
            (
                f'{HEAD}<p:sldLayout {SPACES} type="{kind}" preserve="1"{own}><p:cSld name="{name}">{ground}'
                f"{tree(shapes)}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"
            ).encode()
        )
    return found
