"""The formats of files: which there are, how their names end, and what their readers may count on.

One table for all layers. A format has a writer in ``workgym.materialize``, a reader in
``workgym.documents.readers`` and, unless it says otherwise, an editor in ``workgym.documents.editors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from workgym.records.base import Record

FormatName = Literal[
    "xlsx", "docx", "pptx", "pdf", "html", "md", "txt", "log", "code", "csv", "tsv", "json", "yaml", "xml", "sqlite",
    "eml", "mbox", "ics", "vcf", "zip", "png", "jpg",
]  # fmt: skip


class Format(Record):
    """One format."""

    name: FormatName
    """Its name, the usual ending of a file's name."""
    endings: tuple[str, ...]
    """All endings by which it is known, without the dot, in small letters."""
    source: Literal["template", "tree"]
    """Whether its carriers are written from the text of a template or from a tree with templates in its strings."""
    grids: Literal["cells", "sheets", "records", "page", "markdown", "none"]
    """How its tables come: cells with row and column; the same under names that people see (sheets); records whose
    labels are the headings; lines of a page, whose columns are found by position; lines of markdown; not at all."""
    flow: Literal["lines", "blocks"] = "blocks"
    """Whether prose comes line by line, paragraphs being joined from them, or a block at a time."""
    holds_files: bool = False
    """Whether it can hold further files (zip, mails), which are read as documents of their own: ``a.zip//b.csv``."""
    front: bool = False
    """Whether a template may begin with front matter."""
    verbatim: bool = False
    """Whether a template is printed as it stands, tabs included, and no markup is looked for in it."""


def _format(name: FormatName, source: str, grids: str, *endings: str, **more: object) -> Format:
    return Format.model_validate(
        {"name": name, "endings": endings or (name,), "source": source, "grids": grids, **more}
    )


_CODE = "py sql js ts sh r c cpp h java go rs rb css ini toml cfg tex vb bas m"

FORMATS: Mapping[str, Format] = {
    made.name: made
    for made in (
        _format("xlsx", "tree", "sheets", "xlsx", "xlsm"),
        _format("docx", "template", "cells", front=True),
        _format("pptx", "template", "cells", front=True),
        _format("pdf", "template", "page", flow="lines", front=True),
        _format("html", "template", "cells", "html", "htm", front=True),
        _format("md", "template", "markdown", "md", "markdown", flow="lines"),
        _format("txt", "template", "none", "txt", "text", flow="lines"),
        _format("log", "template", "none", flow="lines", verbatim=True),
        _format("code", "template", "none", *_CODE.split(), flow="lines", verbatim=True),
        _format("csv", "tree", "cells"),
        _format("tsv", "tree", "cells", "tsv", "tab"),
        _format("json", "tree", "records"),
        _format("yaml", "tree", "records", "yaml", "yml"),
        _format("xml", "tree", "records"),
        _format("sqlite", "tree", "sheets", "sqlite", "sqlite3", "db"),
        _format("eml", "template", "none", flow="lines", holds_files=True, front=True),
        _format("mbox", "tree", "none", holds_files=True),
        _format("ics", "tree", "records"),
        _format("vcf", "tree", "records"),
        _format("zip", "tree", "none", holds_files=True),
        _format("png", "template", "page", flow="lines", front=True),
        _format("jpg", "template", "page", "jpg", "jpeg", flow="lines", front=True),
    )
}
"""All formats by name."""
_BY_ENDING = {ending: form for form in FORMATS.values() for ending in form.endings}


def by_ending(path: str) -> Format | None:
    """The format that the ending of a file's name says, or None."""
    return _BY_ENDING.get(path.rpartition("/")[2].rpartition(".")[2].lower())
