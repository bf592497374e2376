"""What is drawn in a header: the logo, in the line or at the margin, and a band of colour behind the letterhead."""

from __future__ import annotations

POINT = 12_700
"""English metric units in a point."""
LOGO = 34
"""Width and height of the logo, in points."""
_A = "http://schemas.openxmlformats.org/drawingml/2006"
_WPS = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
SPACES = (
    f'xmlns:wp="{_A}/wordprocessingDrawing" xmlns:a="{_A}/main" xmlns:pic="{_A}/picture" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    f'xmlns:wps="{_WPS}" '
    'xmlns:wp14="http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing" mc:Ignorable="wp14"'
)
"""The namespaces of what is drawn here, for the outermost element."""
_LOGO = '<wp:docPr id="1" name="Logo" descr="Logo"/>'


def logo() -> str:
    """A run with the logo as a letter of its line; the picture is relation ``rId1``."""
    size = 26 * POINT
    return (
        f'<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="{size}" cy="{size}"/>'
        f"{_LOGO}{_picture(size)}</wp:inline></w:drawing></w:r>"
    )


def logo_at(side: str, top: int) -> str:
    """A run with the logo at the ``left`` or ``right`` margin, ``top`` points below the edge of the page."""
    size = LOGO * POINT
    across = f'<wp:positionH relativeFrom="margin"><wp:align>{side}</wp:align></wp:positionH>'
    return f"<w:r>{_anchored(2, across, top, size, size, f'{_LOGO}<wp:cNvGraphicFramePr/>{_picture(size)}')}</w:r>"


def band(height: int, colour: str) -> str:
    """A run with a ground of colour behind the text, ``height`` points high and as wide as the page."""
    width, high = 595 * POINT, height * POINT
    frame = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="{width}" cy="{high}"/></a:xfrm>'
    shape = (
        '<wp:docPr id="2" name="Band"/><wp:cNvGraphicFramePr/>'
        f'<a:graphic><a:graphicData uri="{_WPS}"><wps:wsp><wps:cNvSpPr/><wps:spPr>{frame}'
        f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'
        "<a:ln><a:noFill/></a:ln></wps:spPr><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>"
        '<wp14:sizeRelH relativeFrom="page"><wp14:pctWidth>100000</wp14:pctWidth></wp14:sizeRelH>'
    )
    across = '<wp:positionH relativeFrom="page"><wp:posOffset>0</wp:posOffset></wp:positionH>'
    drawn = _anchored(1, across, 0, width, high, shape, behind=1)
    return f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{drawn}</mc:Choice></mc:AlternateContent></w:r>'


def _anchored(order: int, across: str, top: int, width: int, height: int, what: str, behind: int = 0) -> str:
    return (
        f'<w:drawing><wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="{order}" '
        f'behindDoc="{behind}" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>{across}'
        f'<wp:positionV relativeFrom="page"><wp:posOffset>{top * POINT}</wp:posOffset></wp:positionV>'
        f'<wp:extent cx="{width}" cy="{height}"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:wrapNone/>'
        f"{what}</wp:anchor></w:drawing>"
    )


def _picture(size: int) -> str:
    blip = '<a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch>'
    frame = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="{size}" cy="{size}"/></a:xfrm>'
    shape = f'{frame}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
    return (
        f'<a:graphic><a:graphicData uri="{_A}/picture"><pic:pic>'
        '<pic:nvPicPr><pic:cNvPr id="1" name="logo.png"/><pic:cNvPicPr/></pic:nvPicPr>'
        f"<pic:blipFill>{blip}</pic:blipFill><pic:spPr>{shape}</pic:spPr></pic:pic></a:graphicData></a:graphic>"
    )
