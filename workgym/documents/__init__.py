"""Office files: read any of them, recalculate a workbook, edit in place."""

from workgym.documents.editing import differences, edit, editable
from workgym.documents.grids.find import Grid, GridCell, RowContext, context, contexts, grids
from workgym.documents.members import member, members, replaced
from workgym.documents.model import Document, Fragment
from workgym.documents.patches import TextEdit
from workgym.documents.prose import paragraphs, sentences
from workgym.documents.reading import format_of, read
from workgym.documents.recalculation.recalc import (
    Disagreement,
    Opinions,
    disagreements,
    formula_errors,
    opinions,
    recalculate,
)
from workgym.documents.strangers import read_all

__all__ = [
    "Disagreement",
    "Document",
    "Fragment",
    "Grid",
    "GridCell",
    "Opinions",
    "RowContext",
    "TextEdit",
    "context",
    "contexts",
    "differences",
    "disagreements",
    "edit",
    "editable",
    "format_of",
    "formula_errors",
    "grids",
    "member",
    "members",
    "opinions",
    "paragraphs",
    "read",
    "read_all",
    "recalculate",
    "replaced",
    "sentences",
]
