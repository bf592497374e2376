"""The look of paper that went through a scanner: pages as pictures, a little askew, grained, on tinted paper.

Pictures of pages are PDFium's; what ages them is drawn from a seed with numpy and Pillow, so that they are the same
bytes everywhere under one lock file.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import yaml
from PIL import Image, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from workgym.documents.pdf.pdfium import opened, pictured
from workgym.materialize.look.fonts import Face
from workgym.materialize.marks import Marked
from workgym.materialize.page.typeset import HEIGHT, WIDTH, Page
from workgym.materialize.scope import Fault
from workgym.materialize.tree import allow

_TINTS = ((252, 250, 244), (250, 250, 248), (248, 246, 238), (253, 251, 250))
_QUALITY = 72


@dataclass(frozen=True)
class Scan:
    """How a paper was scanned."""

    angle: float | None = None
    """Degrees by which it lies askew, against the clock, at most 3; None for a seeded one below 0.8."""
    noise: float = 0.4
    """Grain, specks and blur, from 0 for a new machine to 1 for a bad one."""
    dpi: int = 170
    """Dots per inch, 100 to 300."""
    text_layer: bool = True
    """Whether the scanner's own text recognition laid invisible text over the picture (pdf only)."""
    colour: bool = True
    """Whether colours are kept; else shades of grey."""


def options(text: Marked, name: str, known: tuple[str, ...]) -> Mapping[str, object]:
    """A mapping in front matter, ``{angle: 0.6}``. Raises Fault for what is none and for unknown keys."""
    try:
        found = yaml.safe_load(text.plain)
    except yaml.YAMLError as error:
        raise Fault(f"front matter: {name}: {str(error).splitlines()[0]}") from None
    if not isinstance(found, Mapping):
        raise Fault(f"front matter: {name} is a mapping: `{name}: {{{known[0]}: ...}}`")
    allow(found, known)
    return found


def scan_of(fields: Mapping[str, Marked]) -> Scan | None:
    """What ``scan`` in front matter asks for: true, or a mapping; None without it. Raises Fault."""
    text = fields.get("scan", Marked(""))
    said = text.plain.lower()
    if not text or said in ("false", "no", "off"):
        return None
    if said in ("true", "yes", "on"):
        return Scan()
    given = options(text, "scan", ("angle", "noise", "dpi", "text_layer", "colour"))
    for name, low, high in (("angle", -3.0, 3.0), ("noise", 0.0, 1.0), ("dpi", 100, 300)):
        value = given.get(name, low)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise Fault(f"front matter: scan: {name} is a number from {low:g} to {high:g}")
    for name in ("text_layer", "colour"):
        if not isinstance(given.get(name, True), bool):
            raise Fault(f"front matter: scan: {name} is true or false")
    if not isinstance(given.get("dpi", 170), int):
        raise Fault("front matter: scan: dpi is a whole number")
    return Scan(**given)  # type: ignore[arg-type] # each was looked at above


def drawn(content: bytes, dpi: int) -> list[Image.Image]:
    """The pages of a pdf of ours as pictures."""
    with opened(content) as pdf:
        return [pictured(pdf, index, dpi / 72) for index in range(len(pdf))]


def angle_of(scan: Scan, seed: str) -> float:
    """By how many degrees a page lies askew; ``seed`` is a hexadecimal id."""
    if scan.angle is not None:
        return float(scan.angle)
    draw = int(seed[:8], 16) / 0xFFFFFFFF
    return (0.15 + 0.6 * draw) * (1 if int(seed[8], 16) % 2 else -1)


def aged(picture: Image.Image, scan: Scan, seed: str) -> Image.Image:
    """A picture of a page as a scanner sees it."""
    random = np.random.default_rng(int(seed, 16))
    tint = np.array(_TINTS[int(random.integers(len(_TINTS)))], dtype=np.float32)
    turned = picture.rotate(angle_of(scan, seed), Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    blurred = turned.filter(ImageFilter.GaussianBlur(0.35 + 0.5 * scan.noise))
    pixels = np.asarray(blurred, dtype=np.float32)
    height, width = pixels.shape[:2]
    shade = _shade(height, width, random)
    grain = random.normal(0.0, 1.0 + 7.0 * scan.noise, (height, width)).astype(np.float32)
    pixels = pixels * (tint / 255.0) * shade[..., None] + grain[..., None]
    _specks(pixels, round(60 * scan.noise * height * width / 2_800_000), random)
    made = Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8), "RGB")
    return made if scan.colour else made.convert("L")


def _shade(height: int, width: int, random: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Light that falls off over the page, and the shadow of the lid along one edge."""
    slopes = random.uniform(-0.03, 0.03, 2)
    across = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :]
    down = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    edge = np.exp(-(across + 0.5) * 160) * np.float32(random.uniform(0.05, 0.22))
    shade = 1.0 - abs(slopes[0]) + slopes[0] * across + slopes[1] * down - edge
    return np.asarray(shade, dtype=np.float32)


def _specks(pixels: np.ndarray[tuple[int, ...], np.dtype[np.float32]], count: int, random: np.random.Generator) -> None:
    """Dust: small dark spots."""
    height, width = pixels.shape[:2]
    for _ in range(count):
        y, x, size = random.integers(height - 3), random.integers(width - 3), random.integers(1, 3)
        pixels[y : y + size, x : x + size] *= np.float32(random.uniform(0.35, 0.8))


def jpeg(picture: Image.Image, dpi: int, quality: int = _QUALITY) -> bytes:
    """A picture as JPEG."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality, dpi=(dpi, dpi), subsampling=1)
    return buffer.getvalue()


def bound(
    canvas: Canvas, pictures: list[Image.Image], pages: list[Page], face: Face, scan: Scan, seeds: list[str]
) -> None:
    """Puts pictures of pages on a canvas, one each, with the text layer that the scan asks for."""
    for picture, page, seed in zip(pictures, pages, seeds, strict=True):
        image = ImageReader(io.BytesIO(jpeg(picture, scan.dpi)))
        canvas.drawImage(image, 0, 0, WIDTH, HEIGHT)
        if scan.text_layer:
            _layer(canvas, page, face, angle_of(scan, seed))
        canvas.showPage()


def _layer(canvas: Canvas, page: Page, face: Face, angle: float) -> None:
    """Invisible text where the picture shows it: each line level, as recognition programs write it."""
    turn = math.radians(angle)
    for line in sorted(page.lines, key=lambda line: -line.y):
        ends = [piece.x for piece in line.pieces]
        middle = (min(ends) + max(ends)) / 2
        y = HEIGHT / 2 + (middle - WIDTH / 2) * math.sin(turn) + (line.y - HEIGHT / 2) * math.cos(turn)
        for piece in line.pieces:
            x = WIDTH / 2 + (piece.x - WIDTH / 2) * math.cos(turn) - (line.y - HEIGHT / 2) * math.sin(turn)
            text = canvas.beginText(x, y)
            text.setTextRenderMode(3)
            for stretch, strong in piece.text.runs():
                for run in face.runs(stretch, strong or piece.bold):
                    text.setFont(run.font, piece.size * face.scale)
                    text.textOut(run.text)
            canvas.drawText(text)
