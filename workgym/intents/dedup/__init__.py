"""Near-duplicates among many texts: an exact join over rare word triples, for a list at once and one by one."""

from workgym.intents.dedup.index import Index
from workgym.intents.dedup.join import Deduplicated, Match, deduplicate, matches

__all__ = ["Deduplicated", "Index", "Match", "deduplicate", "matches"]
