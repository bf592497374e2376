"""Frozen values that every layer may use."""

from workgym.records.base import Record, Sparse, canonical, digest, pretty, unchecked
from workgym.records.findings import CheckReport, DefectClass, Finding
from workgym.records.formats import FORMATS, Format, FormatName, by_ending
from workgym.records.intents import Intent, Operation, SituatedRole, Wanted
from workgym.records.places import Anchor, AnchorKind, Place, anchored
from workgym.records.tools import FileChange, ToolCall, ToolResult, ToolSpec
from workgym.records.values import Cell, Column, ColumnType, Scalar, Value
from workgym.records.web import PageCard, PageState, WebAccess, is_page, page_path, page_url

__all__ = [
    "FORMATS",
    "Anchor",
    "AnchorKind",
    "Cell",
    "CheckReport",
    "Column",
    "ColumnType",
    "DefectClass",
    "FileChange",
    "Finding",
    "Format",
    "FormatName",
    "Intent",
    "Operation",
    "PageCard",
    "PageState",
    "Place",
    "Record",
    "Scalar",
    "SituatedRole",
    "Sparse",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "Value",
    "Wanted",
    "WebAccess",
    "anchored",
    "by_ending",
    "canonical",
    "digest",
    "is_page",
    "page_path",
    "page_url",
    "pretty",
    "unchecked",
]
