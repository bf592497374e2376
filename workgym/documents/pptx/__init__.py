"""Decks: reading, and editing in place."""
