"""What a real browser shows of sloppy pages is what is read: a second opinion, where Chromium is installed."""

from __future__ import annotations

import collections
import html
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from workgym.documents import read

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --virtual-time-budget=30000 --timeout=30000 --dump-dom""".split()
HARNESS = """<!doctype html><meta charset=utf-8><body><script>
const pages = %s, shown = [];
function next(at) {
  if (at == pages.length) {
    document.body.innerHTML = '<pre id="out"></pre>';
    document.getElementById('out').textContent = JSON.stringify(shown);
    return;
  }
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-same-origin';
  frame.onload = () => { shown.push(frame.contentDocument.body.innerText); frame.remove(); next(at + 1); };
  frame.srcdoc = pages[at];
  document.body.append(frame);
}
next(0);
</script>"""
WORDS = "w a&nbsp;b x&#32;&#9;y &eacute; AT&T 1&lt;2 1<2 &copy &notit; &#x41;".split(" ")


class Sloppy:
    """Pages as people write them: ends left out, tags crossed, tables in tables."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def word(self) -> str:
        self.count += 1
        gap = self.random.choice(["", "  ", "\n ", " "])
        return f"{self.random.choice(WORDS)}{gap}{self.count}{self.random.choice(['', ' ', gap])}"

    def inline(self, depth: int = 0) -> str:
        parts = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.65 or depth > 2:
                parts.append(self.word())
            elif kind < 0.8:
                extra = ["<br>", "<img alt=x>", f"<i style='display:none'>{self.word()}</i>", f"<!-- {self.word()} -->"]
                parts.append(self.random.choice(extra))
            else:
                tag = self.random.choice(["b", "span", "a", "code", "sup"])
                parts.append(f"<{tag}>{self.inline(depth + 1)}{f'</{tag}>' if tag != 'span' else '</span >'}")
        return "".join(parts)

    def block(self, depth: int) -> str:
        draw = self.random.choice
        if depth > 3 or draw([True, False, False]):
            tag = draw(["p", "h2", "div", "address", ""])
            text = self.inline()
            return f"<{tag}>{text}{draw(['', '</p>']) if tag == 'p' else f'</{tag}>'}" if tag else f" {text}"
        kind = draw(["ul", "ol", "div", "section", "dl", "pre", "hidden", "stray", "table", "table"])
        if kind in ("ul", "ol"):
            items = [self.inline() if draw([True, False]) else self.blocks(depth + 2) for _ in range(draw([0, 1, 3]))]
            return f"<{kind}>" + "".join(f"\n<li>{item}{draw(['', '</li>'])}" for item in items) + f"</{kind}>"
        if kind == "dl":
            return f"<dl><dt>{self.inline()}<dd>{self.inline()}</dl>"
        if kind == "pre":
            return f"<pre>\n{self.word()}\n  z {self.word()}\n</pre>"
        if kind == "hidden":
            return f"<div hidden>{self.blocks(depth + 2)}</div>"
        if kind == "stray":
            return draw(["</p>", "</div>", "</b>", "</li>", "<hr>", "</td>", "<td>x", "</table>"])
        if kind != "table":
            return f"<{kind}>{self.blocks(depth + 1)}</{kind}>"
        rows = ""
        for _ in range(draw([1, 2, 3])):
            cells = [
                self.inline() if draw([True, True, False]) else self.blocks(depth + 2) for _ in range(draw([1, 3]))
            ]
            spans = [draw(["", "", " colspan=2", " rowspan=2"]) for _ in cells]
            rows += "\n<tr>" + "".join(
                f"<td{span}>{cell}{draw(['', '</td>'])}" for span, cell in zip(spans, cells, strict=True)
            )
        return f"<table>{draw(['', '<caption>c</caption>', '<tbody>'])}{rows}</table>"

    def blocks(self, depth: int = 0) -> str:
        return "\n".join(self.block(depth) for _ in range(self.random.randint(1, 4)))


def shown_by_a_browser(pages: list[str], folder: Path) -> list[str]:
    file = folder / "harness.html"
    listed = json.dumps(pages).replace("</", "<\\/").replace("<!--", "<\\!--")
    file.write_text(HARNESS % listed, encoding="utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder / 'profile'}", f"file://{file}"]
    said = subprocess.run(command, capture_output=True, timeout=120, check=False).stdout.decode()
    found = re.search(r'<pre id="out">(.*?)</pre>', said, re.DOTALL)
    assert found is not None, f"the browser said nothing: {said[-300:]!r}"
    texts: list[str] = json.loads(html.unescape(found[1]))
    return texts


def pieces(text: str) -> collections.Counter[str]:
    """The lines and cells of a text, blanks at their ends aside."""
    return collections.Counter(piece.strip() for piece in re.split(r"[\n\t]+", text) if piece.strip())


@pytest.mark.skipif(CHROMIUM is None, reason="NOT CHECKED: no Chromium on this machine (apt-get install chromium)")
def test_a_browser_shows_what_is_read(tmp_path: Path) -> None:
    pages = ["<!doctype html><body>" + Sloppy(seed).blocks() for seed in range(150)]
    shown = shown_by_a_browser(pages, tmp_path)
    assert sum(map(len, shown)) > 5000
    for source, text in zip(pages, shown, strict=True):
        fragments = read("a.html", source.encode()).fragments
        ours = "\n".join(fragment.text for fragment in fragments if not fragment.hidden)
        assert pieces(ours) == pieces(text), source
