"""Logos drawn from a look: a few plain shapes on the unit square, y upwards, for pictures and for pdf alike."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from workgym.materialize.look.look import Look

Point = tuple[float, float]
_PIXELS, _OVER = 128, 3


class Shape(NamedTuple):
    """A filled polygon, or a disc where there is a radius."""

    points: tuple[Point, ...]
    """Corners, or the centre of a disc."""
    radius: float | None
    """Of a disc."""
    colour: str
    """Six hexadecimal digits."""


def _box(left: float, low: float, right: float, high: float) -> tuple[Point, ...]:
    return ((left, low), (right, low), (right, high), (left, high))


def _crescent(a: str, b: str) -> tuple[Shape, ...]:
    return Shape(((0.5, 0.5),), 0.48, a), Shape(((0.62, 0.58),), 0.33, b), Shape(((0.66, 0.62),), 0.16, a)


def _diamonds(a: str, b: str) -> tuple[Shape, ...]:
    left = ((0.02, 0.5), (0.34, 0.18), (0.66, 0.5), (0.34, 0.82))
    right = ((0.34, 0.5), (0.66, 0.18), (0.98, 0.5), (0.66, 0.82))
    middle = ((0.34, 0.5), (0.5, 0.34), (0.66, 0.5), (0.5, 0.66))
    return Shape(left, None, a), Shape(right, None, _mix(a)), Shape(middle, None, b)


def _bars(a: str, b: str) -> tuple[Shape, ...]:
    return (
        Shape(_box(0.06, 0.08, 0.3, 0.42), None, _mix(a)),
        Shape(_box(0.38, 0.08, 0.62, 0.66), None, a),
        Shape(_box(0.7, 0.08, 0.94, 0.92), None, _mix(a)),
    )


def _hexagon(a: str, b: str) -> tuple[Shape, ...]:
    def ring(size: float) -> tuple[Point, ...]:
        corners = ((0.0, 1.0), (0.87, 0.5), (0.87, -0.5), (0.0, -1.0), (-0.87, -0.5), (-0.87, 0.5))
        return tuple((0.5 + size * x, 0.5 + size * y) for x, y in corners)

    return Shape(ring(0.49), None, a), Shape(ring(0.31), None, b), Shape(ring(0.17), None, a)


def _peaks(a: str, b: str) -> tuple[Shape, ...]:
    return (
        Shape(((0.02, 0.12), (0.38, 0.88), (0.74, 0.12)), None, a),
        Shape(((0.42, 0.12), (0.7, 0.62), (0.98, 0.12)), None, _mix(a)),
    )


def _ring(a: str, b: str) -> tuple[Shape, ...]:
    return Shape(((0.5, 0.5),), 0.48, a), Shape(((0.5, 0.5),), 0.33, b), Shape(((0.72, 0.72),), 0.17, _mix(a))


def _tiles(a: str, b: str) -> tuple[Shape, ...]:
    return (
        Shape(_box(0.06, 0.54, 0.46, 0.94), None, a),
        Shape(_box(0.54, 0.54, 0.94, 0.94), None, _mix(a)),
        Shape(_box(0.06, 0.06, 0.46, 0.46), None, _mix(a)),
        Shape(((0.74, 0.26),), 0.2, a),
    )


def _chevrons(a: str, b: str) -> tuple[Shape, ...]:
    def chevron(left: float) -> tuple[Point, ...]:
        return (
            (left, 0.1),
            (left + 0.2, 0.1),
            (left + 0.45, 0.5),
            (left + 0.2, 0.9),
            (left, 0.9),
            (left + 0.25, 0.5),
        )

    return Shape(chevron(0.06), None, a), Shape(chevron(0.44), None, _mix(a))


_DRAWN: tuple[Callable[[str, str], tuple[Shape, ...]], ...] = (
    _crescent,
    _diamonds,
    _bars,
    _hexagon,
    _peaks,
    _ring,
    _tiles,
    _chevrons,
)


def _mix(colour: str) -> str:
    """Half way to white."""
    return "".join(f"{(int(colour[at : at + 2], 16) + 255) // 2:02X}" for at in (0, 2, 4))


def shapes(look: Look, white: bool = False) -> tuple[Shape, ...]:
    """The logo of a look; ``white`` for a coloured ground."""
    return _DRAWN[look.shape]("FFFFFF", look.accent) if white else _DRAWN[look.shape](look.accent, "FFFFFF")


@lru_cache(maxsize=128)
def picture(look: Look, white: bool = False) -> bytes:
    """The logo as a PNG with a clear ground."""
    size = _PIXELS * _OVER
    image = Image.new("RGBA", (size, size), (255, 255, 255, 0))
    draw = ImageDraw.Draw(image)
    for shape in shapes(look, white):
        points = [(x * size, (1 - y) * size) for x, y in shape.points]
        if shape.radius is None:
            draw.polygon(points, fill="#" + shape.colour)
        else:
            (x, y), radius = points[0], shape.radius * size
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill="#" + shape.colour)
    buffer = io.BytesIO()
    image.resize((_PIXELS, _PIXELS), Image.Resampling.LANCZOS).save(buffer, "PNG")
    return buffer.getvalue()
