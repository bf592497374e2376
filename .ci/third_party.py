"""Prints THIRD_PARTY.md from the metadata of the environment that runs it.

``.venv/bin/python .ci/third_party.py > THIRD_PARTY.md``
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

HEAD = """# Third-party software

workgym contains no code of others. What `pip install workgym` brings along, directly or through another package, with
the licence that each package states of itself. None is under the GPL, LGPL or AGPL; certifi's MPL-2.0 covers its own
files only. What the extra `dev` adds is for working on workgym and part of no installation. Made by
`.ci/third_party.py`.

| package | licence | for |
| --- | --- | --- |"""
TAIL = """
Programs that workgym starts and does not distribute: bubblewrap (LGPL-2.0-or-later) and, where you use them, docker
(Apache-2.0), gVisor (Apache-2.0) and LibreOffice (MPL-2.0). The guest environment is made on your machine from
`workgym/sandbox/guest/`, which lists its packages.

The extra `ocr` brings rapidocr (Apache-2.0), onnxruntime (MIT) and what they need; among that, the wheels of
opencv-python-headless (Apache-2.0) and shapely (BSD-3-Clause) carry FFmpeg and GEOS (LGPL-2.1) as shared libraries.
The extra `prices` brings genai-prices (MIT).
Fonts for other scripts are the system's: DejaVu (Bitstream Vera's licence), Droid Sans Fallback (Apache-2.0), Nanum
(OFL-1.1). The glyphs that a document uses are embedded in it.

The method is that of the papers on WorkFactory, WorkForge and Cowork-Gym; no code, text or data of theirs is used here.
"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: list[str]) -> dict[str, set[str]]:
    """Every distribution needed, with those that need it; extras are left out."""
    needed: dict[str, set[str]] = {}
    queue = [(canonical(name), "workgym") for name in names]
    while queue:
        name, parent = queue.pop()
        known = name in needed
        needed.setdefault(name, set()).add(parent)
        if known:
            continue
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:  # for another platform
            del needed[name]
            continue
        for line in requires:
            if "extra ==" not in line:
                queue.append((canonical(re.split(r"[<>=~!;\[ (]", line)[0]), name))
    return needed


def licence(name: str) -> str:
    metadata = distribution(name).metadata
    classifiers = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if "License ::" in line]
    stated = metadata.get("License-Expression") or "; ".join(name for name in classifiers if name != "OSI Approved")
    return stated or (metadata.get("License") or "see the package").split("\n")[0]


def main() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())["project"]
    direct = [canonical(re.split(r"[<>=~!\[ ]", line)[0]) for line in project["dependencies"]]
    print(HEAD)
    for name, parents in sorted(closure(direct).items()):
        why = "workgym" if name in direct else ", ".join(sorted(parents))
        print(f"| {name} | {licence(name)} | {why} |")
    print(TAIL, end="")


if __name__ == "__main__":
    main()
