"""Office files that nobody here wrote, out of source distributions on the registries."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin

import pytest
import yaml

ENDINGS = ("pdf", "docx", "pptx", "xlsx", "xlsm")
_MOST = 16 * 1024 * 1024


def _index() -> str:
    """The Python package index that pip is set to use here."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    default = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    return (
        os.environ.get("PIP_INDEX_URL")
        or said
        or subprocess.run([sys.executable, "-c", default], capture_output=True, text=True, check=True).stdout.strip()
    )


def _fetched(sample: Mapping[str, str], folder: Path) -> Path:
    target = folder / sample["file"]
    if not target.exists():
        if sample["registry"] == "npm":
            version = sample["file"].removeprefix(f"{sample['name']}-").removesuffix(".tgz")
            order = ["npm", "pack", "--silent", f"{sample['name']}@{version}"]
            subprocess.run(order, cwd=folder, check=True, capture_output=True, timeout=300)
        else:
            page = f"{_index().rstrip('/')}/{sample['name']}/"
            with urllib.request.urlopen(page, timeout=60) as answer:
                links = re.findall(r'href="([^"]+)"', answer.read().decode())
            link = next(urljoin(page, link) for link in links if f"/{sample['file']}" in link)
            with urllib.request.urlopen(link, timeout=300) as answer, target.open("wb") as copy:
                shutil.copyfileobj(answer, copy)
    if hashlib.sha256(target.read_bytes()).hexdigest() != sample["sha256"]:
        target.unlink()
        raise AssertionError(f"{sample['file']} is not the file that was pinned")
    return target


@pytest.fixture(scope="session")
def foreign(pytestconfig: pytest.Config) -> dict[str, bytes]:
    """Files by ``distribution/path``; each content once."""
    folder = pytestconfig.cache.mkdir("foreign")
    found: dict[str, bytes] = {}
    seen: set[bytes] = set()
    for sample in yaml.safe_load((Path(__file__).parent / "samples.yaml").read_text()):
        if sample["registry"] == "npm" and shutil.which("npm") is None:
            print(f"skipped: {sample['file']}, there is no npm here")
            continue
        with tarfile.open(_fetched(sample, folder)) as archive:
            for member in archive.getmembers():
                path = PurePosixPath(member.name)
                if not member.isfile() or member.size > _MOST or path.suffix.lower().lstrip(".") not in ENDINGS:
                    continue
                stream = archive.extractfile(member)
                content = b"" if stream is None else stream.read()
                if content and (digest := hashlib.sha256(content).digest()) not in seen:
                    seen.add(digest)
                    found[f"{sample['name']}/{'/'.join(path.parts[1:])}"] = content
    return found
