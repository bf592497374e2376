"""Writer of decks."""
