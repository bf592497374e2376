"""What the child of :mod:`workgym.documents.image.recognition` runs: RapidOCR over pages and pictures, words in points.

It is imported where the extra ``workgym[ocr]`` is installed only. Pages are turned straight by the angle of their
lines, so that what stands on one line has one height.
"""

from __future__ import annotations

import base64
import math
import re
from typing import Any

import numpy
import rapidocr
from PIL import Image

from workgym.documents.image.read import decoded
from workgym.documents.limits import LIMITS
from workgym.documents.members import member
from workgym.documents.pdf.pdfium import opened, pictured
from workgym.errors import EditRefused, Unreadable

_DPI = 190
_USUAL_DPI = 150
"""Of a picture that does not say its own."""
_BULLET = re.compile(r"^[•·●▪◦■□]\s*")
"""A drawn mark before a line that recognition takes for a sign."""


def recognise_json(payload: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: a file, or one within it, and the names of its pages to the words of each, or a refusal."""
    path, content = payload["path"], base64.b64decode(payload["content"])
    try:
        if path != payload["holder"]:
            content = member(payload["holder"], content, path[len(payload["holder"]) + 2 :])
        engine = _engine()
        return {"pages": {page: _page(engine, path, content, page) for page in payload["pages"]}}
    except Unreadable as error:
        return {"reason": error.reason, "detail": error.detail}
    except EditRefused as error:
        return {"reason": "corrupt", "detail": error.message}


def _engine() -> Any:
    engine = "EngineConfig.onnxruntime."
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            f"{engine}intra_op_num_threads": 1,
            f"{engine}inter_op_num_threads": 1,
        }
    )


def _page(engine: Any, path: str, content: bytes, page: str) -> list[list[Any]]:
    """The words of one page in points."""
    picture, dpi = _picture(path, content, int(page[1:]) - 1)
    found = engine(numpy.asarray(picture)[:, :, ::-1])
    if found.boxes is None or found.txts is None:
        return []
    boxes = [[(float(x), float(y)) for x, y in box] for box in found.boxes]
    turn = _turn(boxes)
    stretches = []
    for box, text in zip(boxes, found.txts, strict=True):
        plain = _BULLET.sub("", text).strip()
        if plain:
            stretches.append([*_placed(box, turn, picture.size, 72 / dpi), plain])
    return stretches


def _picture(path: str, content: bytes, index: int) -> tuple[Image.Image, float]:
    """A page as a picture, and its dots per inch."""
    if content.startswith((b"\x89PNG", b"\xff\xd8")):
        picture = decoded(path, content)
        dpi = float(picture.info.get("dpi", (_USUAL_DPI, 0))[0])
        return picture, dpi if 50 <= dpi <= 1200 else _USUAL_DPI
    with opened(content) as pdf:
        page = pdf[index]
        width, height = page.get_size()
        page.close()
        scale = min(_DPI / 72, math.sqrt(LIMITS.pixels / 4 / max(width * height, 1.0)))
        return pictured(pdf, index, scale), 72 * scale


def _turn(boxes: list[list[tuple[float, float]]]) -> float:
    """By which angle the lines of a page lie askew: that of the middle one, long boxes counting more."""
    turns = []
    for (x0, y0), (x1, y1), _, (x3, y3) in boxes:
        long, tall = math.hypot(x1 - x0, y1 - y0), math.hypot(x3 - x0, y3 - y0)
        if long > 4 * tall > 0:
            turns += [math.atan2(y1 - y0, x1 - x0)] * max(1, round(long / tall))
    turns.sort()
    return turns[len(turns) // 2] if turns else 0.0


def _placed(
    box: list[tuple[float, float]], turn: float, size: tuple[int, int], scale: float
) -> tuple[float, float, float, float]:
    """Left, right, base and height of a box in points, on a page that is turned straight."""
    x, y = size[0] / 2, size[1] / 2
    cos, sin = math.cos(-turn), math.sin(-turn)
    straight = [(x + (px - x) * cos - (py - y) * sin, y + (px - x) * sin + (py - y) * cos) for px, py in box]
    across, down = [point[0] for point in straight], [point[1] for point in straight]
    tall = (straight[3][1] - straight[0][1] + straight[2][1] - straight[1][1]) / 2
    middle = sum(down) / 4
    return min(across) * scale, max(across) * scale, (size[1] - middle) * scale, 0.8 * abs(tall) * scale
