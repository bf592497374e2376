"""What workbooks, text documents and decks have in common: parts, charts, and a sweep for all other text."""
