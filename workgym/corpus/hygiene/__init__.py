"""Corpus hygiene: what of a corpus stands in evaluation sets, too, and what people say of the nearest pairs."""

from workgym.corpus.hygiene.compare import compare, nearest
from workgym.corpus.hygiene.held import Held, Request
from workgym.corpus.hygiene.holdings import Holding, ours, theirs
from workgym.corpus.hygiene.model import Match, Report, Settings

__all__ = ["Held", "Holding", "Match", "Report", "Request", "Settings", "compare", "nearest", "ours", "theirs"]
