"""Comma- and tab-separated files."""
