"""Writer of text documents, in OOXML of our own."""
