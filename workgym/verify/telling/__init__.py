"""Verdicts in words: evidence, one page, what would have earned the rest."""
